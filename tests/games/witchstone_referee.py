"""A second Witchstone, written from the rules page in plain Python, to hold against the kernels move by move.

It shares no table with the game: one generator carries a whole game out and asks for a string at every decision.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any

from witchstone_referee_board import (
    BOTTOM_HOLDS,
    COLOURED,
    CONNECTION_POINTS,
    DARK,
    EXITS,
    HAND,
    HEX_SPACES,
    LENGTH,
    LOCATIONS,
    LOOP,
    OWL_SPACES,
    PAIRS,
    PRINTED,
    SCROLLS,
    SHELF_HOLDS,
    SILVER,
    SPACES,
    STONE_POINTS,
    SUPPLY,
    SYMBOLS,
    WAND_END,
    Space,
    distance,
    group,
    joined,
    largest_group,
    prices,
    read,
    steps,
    write,
)

Asking = Generator[list[str], str, Any]
KINDS = [*SYMBOLS, "points"]


@dataclass
class Action:
    """A running action: what it may still do and what waits on it."""

    kind: str
    left: int
    done: bool = False
    bonuses: list[str] = field(default_factory=list)
    spaces: list[int] = field(default_factory=list)

    def pending(self) -> list[str]:
        if self.kind == "wand" and self.done:
            return [f"space {space}" for space in self.spaces]
        return [f"{self.kind} {self.left}", *self.bonuses]


def in_box(scrolls: list[str]) -> list[str]:
    """In the order of the box, as a description lists what a player holds."""
    return sorted(scrolls, key=SCROLLS.index)


class Referee:
    """One game from a fresh deal or the beginning of any turn; `told` shows the table, now and when a tile is drawn."""

    def __init__(self, told: Callable[[], dict[str, Any]]) -> None:
        self.told = told
        d = told()
        assert d["phase"] in ("tower", "tile")
        assert not d["pending"]
        self.n: int = d["num_players"]
        self.handicap, self.first_player = d["options"]["handicap"], d["first_player"]
        self.turn, self.round = d["turn"], d["round"]
        self.points = d["scores"]
        self.tower: list[str | None] = d["tower"]
        self.cells = [{read(space): what for space, what in cells.items()} for cells in d["cauldrons"]]
        self.hands, self.supply = d["hands"], d["supply"]
        self.seen_tiles = [set(hand) for hand in self.hands]
        self.chip = {place: d["locations"][place]["chip"] for place in LOCATIONS}
        self.witches = {place: d["locations"][place]["witches"] for place in LOCATIONS}
        self.stone = d["stone"]
        touched = {c: d["connections"]["-".join(c)] for c in LENGTH}
        self.owner = {c: found["owner"] for c, found in touched.items() if found["owner"] is not None}
        self.filled = {c: found["filled"] for c, found in touched.items()}
        self.energy, self.lying, self.reserve = d["energy"], d["lying"], d["reserve"]
        self.wand, self.pentagram = d["wand"], d["pentagram"]
        self.wand_order: dict[int, list[int]] = {int(space): order for space, order in d["wand_order"].items()}
        self.owls, self.owl_stacks = d["owls"], {space: d["owl_stacks"][str(space)] for space in OWL_SPACES}
        self.hexes, self.hex_pile = {space: d["hexes"][str(space)] for space in HEX_SPACES}, d["piles"]["hexes"]
        self.chips, self.table = [Counter(chips) for chips in d["chips"]], Counter(d["table_chips"])
        self.used_hexes = [specials["used"] for specials in d["specials"]]
        self.placed_hexes = [specials["placed"] for specials in d["specials"]]
        self.display, self.scroll_pile = d["display"], d["piles"]["scrolls"]
        self.unused = [scrolls["unused"] for scrolls in d["scrolls"]]
        self.used = [scrolls["used"] for scrolls in d["scrolls"]]
        self.prophecies = [scrolls["prophecies"] for scrolls in d["scrolls"]]
        self.shelves = {shelf: self.on_shelf(d["shelves"][shelf]) for shelf in [*SYMBOLS, "bottom"]}
        self.spoiled, self.beside = d["spoiled"], d["beside"]
        self.running: list[Action] = []
        self.in_hand: str | None = None  # what a split decision has taken up
        self.second: str | None = None
        self.current: int | None = None
        self.phase = "over"
        if not self.turn:
            self.check_set_up()
        self.moves = self.game()
        self.legal = next(self.moves)

    def on_shelf(self, shelf: dict[str, Any]) -> list[tuple[int, str]]:
        coloured = [(p, "coloured") for p in range(self.n) for _ in range(shelf[str(p)])]
        return coloured + [(p, "black") for p in shelf["black"]]

    def check_set_up(self) -> None:
        """What a deal looks like, but for luck."""
        n = self.n
        assert (self.round, self.points, self.tower) == (0, [0] * n, [None] * n)
        assert self.cells == [{(0, 0): "black", **dict.fromkeys(COLOURED, "coloured")}] * n
        assert [len(set(hand)) for hand in self.hands] == [HAND[h] for h in self.handicap]
        assert all(tile in PAIRS for hand in self.hands for tile in hand)
        assert self.supply == [SUPPLY[h] for h in self.handicap]
        lying = Counter(kind for kind in self.chip.values() if kind)
        assert self.chip["W"] is None
        assert (lying.total(), self.table.total()) == (16, 5)
        assert lying + self.table == Counter(dict.fromkeys(KINDS, 3))
        assert not any([*self.witches.values(), self.stone, self.owner, *self.filled.values(), self.wand_order])
        assert (self.energy, self.lying, self.reserve) == ([20] * n, [0] * n, [11] * n)
        assert self.wand == self.pentagram == self.spoiled == [0] * n
        assert self.owl_stacks == {space: [7, 6, 5, 4, 3] for space in OWL_SPACES}
        assert sorted([*self.hex_pile, *self.hexes.values()]) == sorted(PAIRS)
        assert len(self.display) == 6
        assert sorted(self.display + self.scroll_pile) == sorted(SCROLLS)
        taken = [*self.owls, *self.used_hexes, *self.placed_hexes, *self.unused, *self.used, *self.prophecies]
        assert not any([*taken, *self.beside, *self.shelves.values(), *(chips.total() for chips in self.chips)])

    def play(self, move: str) -> None:
        """Make a move; `legal` is then what comes next, nothing when the game is over."""
        assert move in self.legal
        try:
            self.legal = self.moves.send(move)
        except StopIteration:
            self.legal, self.current, self.phase = [], None, "over"

    # What can be seen.

    def describe(self) -> dict[str, Any]:
        """The whole of `describe`; what has no order on the table is listed in the order of the box."""
        over = self.current is None
        return {
            "game": "witchstone",
            "num_players": self.n,
            "options": {"handicap": self.handicap},
            "turn": self.turn,
            "current_player": self.current,
            "phase": self.phase,
            "over": over,
            "truncated": False,
            "scores": self.final() if over else self.points,
            "ranks": self.ranks() if over else None,
            "round": self.round,
            "first_player": self.first_player,
            "tower": self.tower,
            "cauldrons": [{f"{q},{r}": what for (q, r), what in cells.items()} for cells in self.cells],
            "hands": [sorted(hand, key=PAIRS.index) for hand in self.hands],
            "supply": self.supply,
            "locations": {p: {"chip": self.chip[p], "witches": sorted(self.witches[p])} for p in LOCATIONS},
            "stone": self.stone,
            "connections": {
                f"{a}-{b}": {"owner": self.owner.get((a, b)), "filled": self.filled[a, b], "length": length}
                for (a, b), length in LENGTH.items()
            },
            "energy": self.energy,
            "lying": self.lying,
            "reserve": self.reserve,
            "wand": self.wand,
            "pentagram": self.pentagram,
            "wand_order": {str(space): order for space, order in self.wand_order.items() if order},
            "owls": [sorted(owls, reverse=True) for owls in self.owls],
            "owl_stacks": {str(space): stack for space, stack in self.owl_stacks.items()},
            "hexes": {str(space): name for space, name in self.hexes.items()},
            "chips": [{kind: chips[kind] for kind in KINDS} for chips in self.chips],
            "table_chips": {kind: self.table[kind] for kind in KINDS},
            "specials": [
                {"used": sorted(self.used_hexes[p], key=PAIRS.index), "placed": sorted(self.placed_hexes[p], key=PAIRS.index)}
                for p in range(self.n)
            ],
            "scrolls": [
                {"unused": in_box(self.unused[p]), "used": in_box(self.used[p]), "prophecies": in_box(self.prophecies[p])}
                for p in range(self.n)
            ],
            "display": self.display,
            "piles": {"scrolls": self.scroll_pile, "hexes": self.hex_pile},
            "shelves": {shelf: self.describe_shelf(shelf) for shelf in self.shelves},
            "spoiled": self.spoiled,
            "beside": [sorted(crystals, reverse=True) for crystals in self.beside],
            "pending": self.pending(),
        }

    def describe_shelf(self, shelf: str) -> dict[str, Any]:
        on_it = self.shelves[shelf]
        coloured = {str(p): on_it.count((p, "coloured")) for p in range(self.n)}
        return {**coloured, "black": sorted(p for p, colour in on_it if colour == "black")}

    def pending(self) -> list[str]:
        waiting = [text for action in reversed(self.running) for text in action.pending()]
        top = [self.in_hand] if self.in_hand else []
        return [*top, *waiting, *([f"second {self.second}"] if self.second else [])]

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
        for self.turn in range(self.turn, 11 * self.n + 1):
            self.round = 1 + (self.turn - 1) // self.n
            yield from self.one_turn(order[(self.turn - 1) % self.n])

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
        new = [tile for tile in self.told()["hands"][p] if tile not in self.hands[p]]
        assert len(new) == 1
        assert new[0] in PAIRS
        assert new[0] not in self.seen_tiles[p]
        self.seen_tiles[p].add(new[0])
        self.hands[p].append(new[0])

    def choose_tile(self, p: int) -> Asking:
        """The tile to lay, or nothing when one had to be discarded."""
        while True:
            if self.pairs(p):
                moves = [f"tile {tile}" for tile in self.hands[p]]
            elif self.spoiling_makes_room(p):
                moves = []
            else:
                moves = [f"discard {tile}" for tile in self.hands[p]]
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

    def symbols(self, p: int) -> dict[Space, list[str]]:
        laid = {space: what.split("/") for space, what in self.cells[p].items() if space not in self.crystals(p)}
        return {**laid, **{space: [symbol] for space, symbol in PRINTED.items()}}

    def crystals(self, p: int) -> list[Space]:
        return [space for space, what in self.cells[p].items() if what in ("coloured", "black")]

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

    def run(self, p: int, kind: str, number: int) -> Asking:
        """Carry an action out until nothing is left of it or it is stopped; what still waits is lost."""
        action = Action(kind, number)
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
            yield from self.run(p, symbol, {"chip": 1, "vial": 2}[kind] + 2 * black)

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

    def own(self, p: int) -> list[tuple[str, str]]:
        return [c for c, owner in self.owner.items() if owner == p and self.filled[c] == LENGTH[c]]

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
        times = 2 if end == max(self.wand) else 1
        action.spaces = [space for space in range(start + 1, end + 1) if space in SILVER or space in DARK]
        while action.spaces:
            space = action.spaces.pop(0)
            if space in SILVER:
                self.points[p] += self.achievements(p)[SILVER[space]] * (2 if space == WAND_END else 1)
            else:
                kind, number = DARK[space]
                yield from self.run(p, kind, number * times)

    def achievements(self, p: int) -> dict[str, int]:
        hexes = self.used_hexes[p] + self.placed_hexes[p]
        hexes += [bonus for action in self.running for bonus in action.bonuses if bonus.startswith("hex")]
        return {
            "connections": len(self.own(p)),
            "scrolls": len(self.unused[p] + self.used[p] + self.prophecies[p]),
            "witches": self.lying[p] + sum(p in standing for standing in self.witches.values()),
            "crystals": sum(on_it.count((p, "coloured")) for on_it in self.shelves.values()),
            "chips": self.chips[p].total(),
            "specials": len(hexes),
        }

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
            if symbol == "crystal":
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

    # The end.

    def final(self) -> list[int]:
        points = []
        for p in range(self.n):
            prophecies = sum(self.prophecy(p, name) for name in self.prophecies[p])
            rest = sum(self.owls[p]) + 2 * self.chips[p].total() + 2 * len(self.unused[p])
            points.append(self.points[p] + rest + prophecies)
        return points

    def prophecy(self, p: int, name: str) -> int:
        return [1, 3, 5, 7][self.fulfilled(p, name)]

    def fulfilled(self, p: int, name: str) -> int:
        word, _, what = name.partition(" ")
        have = self.achievements(p)
        if word == "cluster":
            return steps(largest_group(self.symbols(p), what), 4, 5, 6)
        if word == "visit":
            return self.in_order(p, what, {place for place in LOCATIONS if p in self.witches[place]})
        if word == "connect":
            return self.in_order(p, what, joined(self.own(p), str(self.tower[p])))
        if word == "stone":
            return max(0, 3 - self.stone.index(p)) if p in self.stone else 0
        if word == "lying":
            return steps(self.lying[p], 1, 2, 3)
        if word == "silver":
            return steps(sum(space <= self.wand[p] for space in SILVER), 3, 4, 5)
        least = {"witches": (5, 7, 9), "specials": (2, 3, 4), "scrolls": (4, 5, 6), "chips": (4, 5, 7), "crystals": (3, 4, 5)}
        return steps(have[word], *least[word])

    def in_order(self, p: int, what: str, places: set[str]) -> int:
        """How many of the kinds asked for, from the first on, have a place of their own there."""
        left = [place[0] for place in places if place != self.tower[p]]
        for number, kind in enumerate(what.split("-")):
            if kind not in left:
                return number
            left.remove(kind)
        return 3

    def ranks(self) -> list[int]:
        points = self.final()

        def key(p: int) -> tuple[int, int, int]:
            arrived = self.wand_order[self.wand[p]].index(p) if self.wand[p] else 0
            return points[p], self.wand[p], -arrived

        return [1 + sum(key(q) > key(p) for q in range(self.n)) for p in range(self.n)]

    def returns(self) -> list[float]:
        """From +1 for the first place to -1 for the last; equal ranks share their places."""
        ranks = self.ranks()
        return [1 - 2 * (rank - 1 + (ranks.count(rank) - 1) / 2) / (self.n - 1) for rank in ranks]
