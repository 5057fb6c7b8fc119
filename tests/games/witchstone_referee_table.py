"""The table of the second Witchstone: what lies on it, how it is described, and what it is worth at the end."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from witchstone_referee_board import (
    CHIPS,
    COLOURED,
    DARK,
    HAND,
    HEX_SPACES,
    HEXES,
    LEAST,
    LENGTH,
    LOCATIONS,
    OWL_SPACES,
    PAIRS,
    PRINTED,
    SCROLLS,
    SILVER,
    SUPPLY,
    SYMBOLS,
    TILES,
    Space,
    joined,
    largest_group,
    read,
    steps,
)

KINDS = [*SYMBOLS, "points"]


@dataclass
class Action:
    """A running action: what it may still do and what waits on it."""

    kind: str
    left: int
    done: bool = False
    vial: bool = False  # a vial started it, or one has joined it: no other may
    bonuses: list[str] = field(default_factory=list)
    spaces: list[int] = field(default_factory=list)

    def pending(self) -> list[str]:
        if self.kind == "wand" and self.done:
            return [f"space {space}" for space in self.spaces if space in SILVER or space in DARK]
        return [f"{self.kind} {self.left}", *self.bonuses]


def in_box(pieces: list[str], box: list[str]) -> list[str]:
    """In the order of the box, as a description lists what has no order on the table."""
    return sorted(pieces, key=box.index)


class Table:
    """All that lies on the table, from a description at the deal or the beginning of a turn."""

    def __init__(self, d: dict[str, Any]) -> None:
        assert d["phase"] in ("tower", "tile")
        assert not d["pending"]
        self.n: int = d["num_players"]
        self.handicap, self.first_player = d["options"]["handicap"], d["first_player"]
        self.turn, self.round = d["turn"], d["round"]
        self.points = d["scores"]
        self.tower: list[str | None] = d["tower"]
        self.cells = [{read(space): what for space, what in cells.items()} for cells in d["cauldrons"]]
        self.hands, self.supply = d["hands"], d["supply"]
        self.seen_tiles = [Counter(hand) for hand in self.hands]
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
        self.ahead = False  # was nobody further on the wand after its last move?
        self.current: int | None = None
        self.phase = "over"
        if not self.turn:
            self.check_set_up()

    def on_shelf(self, shelf: dict[str, Any]) -> list[tuple[int, str]]:
        coloured = [(p, "coloured") for p in range(self.n) for _ in range(shelf[str(p)])]
        return coloured + [(p, "black") for p in shelf["black"]]

    def check_set_up(self) -> None:
        """What a deal looks like, but for luck."""
        n = self.n
        assert (self.round, self.points, self.tower) == (0, [0] * n, [None] * n)
        assert self.cells == [{(0, 0): "black", **dict.fromkeys(COLOURED, "coloured")}] * n
        assert [len(hand) for hand in self.hands] == [HAND[h] for h in self.handicap]
        assert all(Counter(hand) <= Counter(TILES) for hand in self.hands)
        assert self.supply == [SUPPLY[h] for h in self.handicap]
        lying = Counter(kind for kind in self.chip.values() if kind)
        assert self.chip["W"] is None
        assert lying.total() == 16
        assert lying + self.table == Counter(CHIPS)
        assert not any([*self.witches.values(), self.stone, self.owner, *self.filled.values(), self.wand_order])
        assert (self.energy, self.lying, self.reserve) == ([20] * n, [0] * n, [11] * n)
        assert self.wand == self.pentagram == self.spoiled == [0] * n
        assert self.owl_stacks == {space: [7, 6, 5, 4, 3] for space in OWL_SPACES}
        assert sorted([*self.hex_pile, *self.hexes.values()]) == sorted(HEXES)
        assert len(self.display) == 6
        assert sorted(self.display + self.scroll_pile) == sorted(SCROLLS)
        taken = [*self.owls, *self.used_hexes, *self.placed_hexes, *self.unused, *self.used, *self.prophecies]
        assert not any([*taken, *self.beside, *self.shelves.values(), *(chips.total() for chips in self.chips)])

    # What can be seen.

    def describe(self) -> dict[str, Any]:
        """The whole of `describe`."""
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
            "hands": [in_box(hand, PAIRS) for hand in self.hands],
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
                {"used": in_box(self.used_hexes[p], PAIRS), "placed": in_box(self.placed_hexes[p], PAIRS)}
                for p in range(self.n)
            ],
            "scrolls": [
                {
                    "unused": in_box(self.unused[p], SCROLLS),
                    "used": in_box(self.used[p], SCROLLS),
                    "prophecies": in_box(self.prophecies[p], SCROLLS),
                }
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

    # What players have.

    def symbols(self, p: int) -> dict[Space, list[str]]:
        laid = {space: what.split("/") for space, what in self.cells[p].items() if space not in self.crystals(p)}
        return {**laid, **{space: [symbol] for space, symbol in PRINTED.items()}}

    def crystals(self, p: int) -> list[Space]:
        return [space for space, what in self.cells[p].items() if what in ("coloured", "black")]

    def own(self, p: int) -> list[tuple[str, str]]:
        return [c for c, owner in self.owner.items() if owner == p and self.filled[c] == LENGTH[c]]

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
        return steps(self.achievements(p)[word], *LEAST[word])

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
