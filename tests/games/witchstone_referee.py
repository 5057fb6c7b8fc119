"""A second Witchstone, written from the rules page in plain Python, to hold against the kernels move by move.

It shares no table with the game: one generator carries a whole game out and asks for a string at every decision.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator
from typing import Any

from witchstone_referee_board import (
    BOTTOM_HOLDS,
    CONNECTION_POINTS,
    DARK,
    EXITS,
    HEX_SPACES,
    LENGTH,
    LOCATIONS,
    LOOP,
    OWL_SPACES,
    PRINTED,
    SHELF_HOLDS,
    SILVER,
    SPACES,
    STONE_POINTS,
    SYMBOLS,
    TILES,
    WAND_END,
    Space,
    distance,
    group,
    joined,
    prices,
    read,
    write,
)
from witchstone_referee_table import KINDS, Action, Table

Asking = Generator[list[str], str, Any]


class Referee(Table):
    """One game from a fresh deal or the beginning of any turn; `told` shows the table, now and when a tile is drawn."""

    def __init__(self, told: Callable[[], dict[str, Any]]) -> None:
        super().__init__(told())
        self.told = told
        self.moves = self.game()
        self.legal = next(self.moves)

    def play(self, move: str) -> None:
        """Make a move; `legal` is then what comes next, nothing when the game is over."""
        assert move in self.legal
        try:
            self.legal = self.moves.send(move)
        except StopIteration:
            self.legal, self.current, self.phase = [], None, "over"

    # The game.

    def ask(self, player: int, phase: str, *moves: str) -> Asking:
        self.current, self.phase = player, phase
        return (yield list(moves))

    def game(self) -> Asking:
        order = [(self.first_player + i) % self.n for i in range(self.n)]
        if self.turn == 0:
            for p in reversed(order):
                yield from self.settle(p)
            self.turn = 1
        for turn in range(self.turn, 11 * self.n + 1):
            self.turn, self.round = turn, 1 + (turn - 1) // self.n
            yield from self.one_turn(order[(turn - 1) % self.n])

    def settle(self, p: int) -> Asking:
        free = [place for place in LOCATIONS if place[0] == "T" and place not in self.tower]
        tower = (yield from self.ask(p, "tower", *(f"tower {place}" for place in free))).removeprefix("tower ")
        self.tower[p] = tower
        self.witches[tower].append(p)
        self.points[p] += 2
        kind = self.take_chip(p, self.chip[tower], black=False)
        self.chip[tower] = None
        if kind != "points":
            yield from self.run(p, kind, 1)

    def one_turn(self, p: int) -> Asking:
        tile = yield from self.choose_tile(p)
        if tile is not None:
            yield from self.lay(p, tile)
        if self.supply[p]:
            self.supply[p] -= 1
            self.draw(p)

    def draw(self, p: int) -> None:
        """The tile is a matter of luck, but must be one not seen yet."""
        (new,) = (Counter(self.told()["hands"][p]) - Counter(self.hands[p])).elements()
        self.seen_tiles[p][new] += 1
        assert self.seen_tiles[p] <= Counter(TILES)
        self.hands[p].append(new)

    def choose_tile(self, p: int) -> Asking:
        """The tile to lay, or nothing when one had to be discarded."""
        while True:
            if self.pairs(p):
                moves = [f"tile {tile}" for tile in set(self.hands[p])]
            elif self.spoiling_makes_room(p):
                moves = []
            else:
                moves = [f"discard {tile}" for tile in set(self.hands[p])]
            move = yield from self.ask(p, "tile", *moves, *self.spoils(p))
            if move.startswith("spoil"):
                self.spoil(p, move)
            elif move.startswith("tile"):
                return move.removeprefix("tile ")
            else:
                self.hands[p].remove(move.removeprefix("discard "))
                return None

    def lay(self, p: int, tile: str) -> Asking:
        self.in_hand = f"tile {tile}"
        while True:
            moves = [f"lay {write(a)} {write(b)}" for a, b in self.pairs(p)]
            move = yield from self.ask(p, "lay", *moves, *self.spoils(p))
            if move.startswith("lay"):
                break
            self.spoil(p, move)
        self.in_hand = None
        halves = dict(zip(tile.split("/"), map(read, move.split()[1:]), strict=True))
        self.hands[p].remove(tile)
        for symbol, space in halves.items():
            self.cells[p][space] = symbol
        while True:
            move = yield from self.ask(p, "start", *(f"start {symbol}" for symbol in halves), *self.spoils(p))
            if move.startswith("start"):
                break
            self.spoil(p, move)
        first = move.removeprefix("start ")
        (self.second,) = set(halves) - {first}
        for symbol in (first, self.second):
            if symbol != first:
                self.second = None
            yield from self.run(p, symbol, len(group(self.symbols(p), symbol, halves[symbol])))

    # The cauldron.

    def free(self, p: int) -> list[Space]:
        return [space for space in SPACES if space not in self.cells[p] and space not in PRINTED]

    def pairs(self, p: int) -> list[tuple[Space, Space]]:
        free = self.free(p)
        return [(a, b) for a in free for b in free if distance(a, b) == 1]

    def spoils(self, p: int) -> list[str]:
        if self.round == 0 or self.points[p] < self.spoiled[p] + 1:
            return []
        return [f"spoil {write(space)}" for space in self.crystals(p)]

    def spoil(self, p: int, move: str) -> None:
        self.spoiled[p] += 1
        self.points[p] -= self.spoiled[p]
        del self.cells[p][read(move.removeprefix("spoil "))]

    def spoiling_makes_room(self, p: int) -> bool:
        crystals, free = self.crystals(p), self.free(p)
        one, two = self.spoiled[p] + 1, 2 * self.spoiled[p] + 3
        if self.points[p] >= one and any(distance(a, b) == 1 for a in crystals for b in free):
            return True
        return self.points[p] >= two and any(distance(a, b) == 1 for a in crystals for b in crystals)

    # An action, with what it brings.

    def run(self, p: int, kind: str, number: int, *, vial: bool = False) -> Asking:
        """Carry an action out until nothing is left of it or it is stopped; what still waits is lost."""
        action = Action(kind, number, vial=vial)
        self.running.append(action)
        while moves := self.options(p, action):
            move = yield from self.ask(p, "act", *moves, "stop", *self.spoils(p))
            if move == "stop":
                break
            if move.startswith("spoil"):
                self.spoil(p, move)
            else:
                yield from self.carry_out(p, action, move)
        for bonus in action.bonuses:
            if bonus.startswith("hex"):
                self.used_hexes[p].append(bonus.removeprefix("hex "))
        assert self.running.pop() is action

    def options(self, p: int, action: Action) -> list[str]:
        own = {
            "energy": self.energy_options,
            "witch": self.witch_options,
            "pentagram": lambda p, left: ["advance"],
            "crystal": self.crystal_options,
            "wand": lambda p, left: ["advance"] if self.wand[p] < WAND_END else [],
            "scroll": lambda p, left: [f"scroll {i + 1}" for i in range(min(left, len(self.display)))],
        }[action.kind](p, action.left)
        spells = [spell for spell in self.unused[p] if spell in ("spell single", f"spell {action.kind}")]
        if action.done:
            own = spells = []
        return [*own, *dict.fromkeys(spells), *self.bonus_options(action)]

    def bonus_options(self, action: Action) -> list[str]:
        moves: dict[str, None] = {}
        for bonus in action.bonuses:
            if bonus == "choice":
                moves |= dict.fromkeys(f"choose {symbol}" for symbol in SYMBOLS)
            elif bonus.startswith("hex"):
                moves[bonus] = None
            else:
                moves[f"use {bonus.removeprefix('black ')}"] = None
        return list(moves)

    def carry_out(self, p: int, action: Action, move: str) -> Asking:
        word, _, rest = move.partition(" ")
        if word == "spell":
            self.unused[p].remove(move)
            self.used[p].append(move)
            action.left += 1 if move == "spell single" else 2
        elif word == "energy":
            action.left -= 1
            self.put_energy(p, tuple(rest.split("-")))
        elif move == "lay witch":
            action.left -= 1
            self.reserve[p] -= 1
            self.lying[p] += 1
        elif word == "stand":
            action.left -= self.prices(p)[rest]
            self.stand(p, action, rest)
        elif word == "crystal":
            yield from self.move_crystal(p, action, read(rest))
        elif word == "scroll":
            action.done = True
            self.take_scroll(p, int(rest))
        elif move == "advance":
            action.done = True
            yield from self.advance_wand(p, action) if action.kind == "wand" else self.advance_pentagram(p, action)
        else:
            yield from self.use_bonus(p, action, word, rest)

    def use_bonus(self, p: int, action: Action, word: str, rest: str) -> Asking:
        if word == "choose":
            action.bonuses.remove("choice")
            yield from self.run(p, rest, 2)
        elif word == "hex":
            yield from self.use_hex(p, action, rest)
        else:
            kind, symbol = rest.split()
            black = f"black {rest}" in action.bonuses
            action.bonuses.remove(f"black {rest}" if black else rest)
            yield from self.run(p, symbol, {"chip": 1, "vial": 2}[kind] + 2 * black, vial=kind == "vial")

    def use_hex(self, p: int, action: Action, name: str) -> Asking:
        action.bonuses.remove(f"hex {name}")
        self.in_hand = f"hex {name}"
        uses = [f"use {symbol}" for symbol in name.split("/")]
        word, what = (yield from self.ask(p, "hex", *uses, *(f"place {write(s)}" for s in self.free(p)))).split()
        self.in_hand = None
        if word == "place":
            self.cells[p][read(what)] = name
            self.placed_hexes[p].append(name)
        else:
            self.used_hexes[p].append(name)
            yield from self.run(p, what, 2)

    def take_chip(self, p: int, kind: str, black: bool) -> str:
        self.chips[p][kind] += 1
        if kind == "points":
            self.points[p] += 5 if black else 3
        return kind

    # Energy and witches.

    def energy_options(self, p: int, left: int) -> list[str]:
        if not left or not self.energy[p]:
            return []
        begun = [c for c, owner in self.owner.items() if owner == p and self.filled[c] < LENGTH[c]]
        reach = joined(self.own(p), str(self.tower[p]))
        fresh = [c for c in LENGTH if c not in self.owner and (c[0] in reach or c[1] in reach)]
        return ["energy " + "-".join(c) for c in begun or fresh]

    def put_energy(self, p: int, connection: tuple[str, str]) -> None:
        self.owner[connection] = p
        self.energy[p] -= 1
        self.filled[connection] += 1
        if self.filled[connection] == LENGTH[connection]:
            self.points[p] += CONNECTION_POINTS[LENGTH[connection]]

    def prices(self, p: int) -> dict[str, int]:
        foreign = [c for c, owner in self.owner.items() if owner != p and self.filled[c] == LENGTH[c]]
        return prices(self.own(p), foreign, str(self.tower[p]))

    def witch_options(self, p: int, left: int) -> list[str]:
        moves = ["lay witch"] if left and self.reserve[p] else []
        if self.lying[p]:
            for place, price in self.prices(p).items():
                if p not in self.witches[place] and price <= left:
                    moves.append(f"stand {place}")
        return moves

    def stand(self, p: int, action: Action, place: str) -> None:
        self.lying[p] -= 1
        self.witches[place].append(p)
        self.points[p] += 2
        if place == "W":
            self.points[p] += STONE_POINTS[len(self.stone)]
            self.stone.append(p)
        elif self.chip[place]:
            kind = self.take_chip(p, self.chip[place], black=False)
            self.chip[place] = None
            if kind != "points":
                action.bonuses.append(f"chip {kind}")

    # Pentagram and wand.

    def advance_pentagram(self, p: int, action: Action) -> Asking:
        for _ in range(action.left):
            self.pentagram[p] = here = (self.pentagram[p] + 1) % LOOP
            if here in OWL_SPACES and self.owl_stacks[here]:
                self.owls[p].append(self.owl_stacks[here].pop(0))
            elif here in OWL_SPACES:
                self.points[p] += 2
            elif here in HEX_SPACES and self.hexes[here]:
                action.bonuses.append(f"hex {self.hexes[here]}")
                self.hexes[here] = self.hex_pile.pop(0) if self.hex_pile else None
            elif here in HEX_SPACES:
                action.bonuses.append("choice")
        action.left = 0
        yield from ()

    def advance_wand(self, p: int, action: Action) -> Asking:
        start, end = self.wand[p], min(self.wand[p] + action.left, WAND_END)
        action.left = 0
        if start:
            self.wand_order[start].remove(p)
        self.wand[p] = end
        self.wand_order.setdefault(end, []).append(p)
        self.ahead = end == max(self.wand)
        crossed = list(range(start + 1, end + 1))
        for earlier in self.running:
            if earlier.spaces:  # still resolving an earlier move: these come after what is left of it
                earlier.spaces += crossed
                return
        action.spaces = crossed
        while action.spaces:
            space = action.spaces.pop(0)
            if space in SILVER:
                self.points[p] += self.achievements(p)[SILVER[space]] * (2 if space == WAND_END else 1)
            elif space in DARK:
                kind, number = DARK[space]
                yield from self.run(p, kind, number * 2 if self.ahead else number)

    # Crystals.

    def crystal_options(self, p: int, left: int) -> list[str]:
        return [f"crystal {write(space)}" for space in self.crystals(p) if self.crystal_moves(p, space, left)]

    def crystal_moves(self, p: int, space: Space, left: int) -> dict[str, int]:
        costs = {f"to {write(free)}": distance(space, free) for free in self.free(p)}
        for symbol, exits in EXITS.items():
            costs[f"exit {symbol}"] = min(distance(space, spot) for spot in exits) + 1
        return {move: cost for move, cost in costs.items() if cost <= left}

    def move_crystal(self, p: int, action: Action, space: Space) -> Asking:
        self.in_hand = f"crystal {write(space)}"
        costs = self.crystal_moves(p, space, action.left)
        move = yield from self.ask(p, "move", *costs)
        self.in_hand = None
        action.left -= costs[move]
        colour = self.cells[p].pop(space)
        word, where = move.split()
        if word == "to":
            self.cells[p][read(where)] = colour
        else:
            yield from self.rack(p, action, where, colour)

    def rack(self, p: int, action: Action, symbol: str, colour: str) -> Asking:
        moves = []
        if len(self.shelves[symbol]) < SHELF_HOLDS[self.n]:
            moves.append("shelf")
        if len(self.shelves["bottom"]) < BOTTOM_HOLDS[self.n]:
            moves.append("bottom")
        if not moves:
            self.beside[p].append(colour)
            return
        black = "black " if colour == "black" else ""
        self.in_hand = f"{black}exit {symbol}"
        if (yield from self.ask(p, "rack", *moves)) == "shelf":
            self.shelves[symbol].append((p, colour))
            if symbol == "crystal" and not action.vial:
                action.vial = True
                action.left += 4 if black else 2
            else:
                action.bonuses.append(f"{black}vial {symbol}")
        else:
            self.shelves["bottom"].append((p, colour))
            move = yield from self.ask(p, "chip", *(f"chip {kind}" for kind in KINDS if self.table[kind]))
            kind = self.take_chip(p, move.removeprefix("chip "), bool(black))
            self.table[kind] -= 1
            if kind != "points":
                action.bonuses.append(f"{black}chip {kind}")
        self.in_hand = None

    # Scrolls.

    def take_scroll(self, p: int, position: int) -> None:
        scroll = self.display.pop(position - 1)
        (self.unused if scroll.startswith("spell") else self.prophecies)[p].append(scroll)
        if self.scroll_pile:
            self.display.append(self.scroll_pile.pop(0))
