"""What the second Witchstone knows of the box, typed from the rules page, and its geometry in plain Python."""

from __future__ import annotations

from itertools import combinations

SYMBOLS = ["energy", "witch", "pentagram", "crystal", "wand", "scroll"]
PAIRS = [f"{a}/{b}" for a, b in combinations(SYMBOLS, 2)]
TILES = HEXES = PAIRS
CHIPS = dict.fromkeys([*SYMBOLS, "points"], 3)

Space = tuple[int, int]

# The crystal ball.

LOCATIONS = ["W", *(f"{kind}{i}" for kind in "TFVC" for i in range(4))]
SPOKES = [
    ("T", "W", 0, 3),
    ("F", "W", 0, 2),
    ("T", "F", 0, 1),
    ("F", "T", 1, 2),
    ("T", "V", 0, 1),
    ("F", "C", 0, 2),
    ("V", "C", 0, 3),
    ("C", "V", 1, 2),
]
LENGTH: dict[tuple[str, str], int] = {}
for i in range(4):
    for here, there, shift, length in SPOKES:
        other = "W" if there == "W" else f"{there}{(i + shift) % 4}"
        LENGTH[f"{here}{i}", other] = length
CONNECTION_POINTS = {1: 1, 2: 3, 3: 6}
STONE_POINTS = [5, 3, 2, 1]

# The cauldron.

SPACES = [(q, r) for q in range(-3, 4) for r in range(-3, 4) if abs(q + r) <= 3]
PRINTED = {
    (0, -3): "energy",
    (3, -3): "witch",
    (3, 0): "pentagram",
    (0, 3): "crystal",
    (-3, 3): "wand",
    (-3, 0): "scroll",
}
EXITS = {
    "crystal": [(1, -3), (2, -3)],
    "wand": [(3, -2), (3, -1)],
    "scroll": [(2, 1), (1, 2)],
    "energy": [(-1, 3), (-2, 3)],
    "witch": [(-3, 2), (-3, 1)],
    "pentagram": [(-2, -1), (-1, -2)],
}
COLOURED = [(1, -2), (2, -1), (1, 1), (-1, 2), (-2, 1), (-1, -1)]

# The other boards.

SILVER = {2: "connections", 5: "scrolls", 8: "witches", 11: "crystals", 14: "chips", 17: "specials"}
DARK = {3: ("crystal", 1), 6: ("energy", 1), 9: ("witch", 2), 12: ("pentagram", 2), 15: ("scroll", 3)}
WAND_END = 17
LOOP = 15
HEX_SPACES = [2, 8, 14]
OWL_SPACES = [5, 11]
SHELF_HOLDS = {2: 4, 3: 5, 4: 6}
BOTTOM_HOLDS = {2: 4, 3: 5, 4: 5}
HAND = {0: 5, 3: 3, 2: 2, 1: 1}
SUPPLY = {0: 10, 3: 8, 2: 9, 1: 10}
LEAST = {"witches": (5, 7, 9), "specials": (2, 3, 4), "scrolls": (4, 5, 6), "chips": (4, 5, 7), "crystals": (3, 4, 5)}
SPELLS = ["spell single", *(f"spell {symbol}" for symbol in SYMBOLS)]
SCROLLS = (
    ["spell single"] * 4
    + [f"spell {symbol}" for symbol in SYMBOLS] * 2
    + [f"cluster {symbol}" for symbol in SYMBOLS]
    + ["stone", "witches", "lying", "silver", "specials", "scrolls", "chips", "crystals"]
    + ["visit C-F-V", "visit V-C-T", "visit F-T-C", "visit T-V-F", "visit V-V-V", "visit F-F-F", "visit C-C-C"]
    + ["connect T-T-F", "connect V-V-C", "connect C-C-F"]
)


def distance(a: Space, b: Space) -> int:
    q, r = a[0] - b[0], a[1] - b[1]
    return max(abs(q), abs(r), abs(q + r))


def write(space: Space) -> str:
    return f"({space[0]},{space[1]})"


def read(text: str) -> Space:
    q, r = text.strip("()").split(",")
    return int(q), int(r)


def group(symbols: dict[Space, list[str]], symbol: str, start: Space) -> set[Space]:
    """All spaces that show the symbol and hang together with `start`."""
    found, edge = {start}, [start]
    while edge:
        here = edge.pop()
        for space in SPACES:
            if distance(here, space) == 1 and space not in found and symbol in symbols.get(space, []):
                found.add(space)
                edge.append(space)
    return found


def largest_group(symbols: dict[Space, list[str]], symbol: str) -> int:
    return max(len(group(symbols, symbol, space)) for space in symbols if symbol in symbols[space])


def joined(edges: list[tuple[str, str]], start: str) -> set[str]:
    """Every location that these connections join to `start`."""
    found, size = {start}, 0
    while size < len(found):
        size = len(found)
        for a, b in edges:
            if a in found or b in found:
                found |= {a, b}
    return found


def prices(own: list[tuple[str, str]], foreign: list[tuple[str, str]], tower: str) -> dict[str, int]:
    """The cheapest route from the tower to every location: 1 a foreign connection, 1 an unbroken own stretch."""
    stretch = {place: joined(own, place) for place in LOCATIONS}
    cost, paid, edge = {tower: 0}, 0, [tower]
    while edge:
        paid += 1
        reached = []
        for here in edge:
            there = [b if a == here else a for a, b in foreign if here in (a, b)]
            for place in [*there, *stretch[here]]:
                if place not in cost:
                    cost[place] = paid
                    reached.append(place)
        edge = reached
    return cost


def steps(number: int, *least: int) -> int:
    """How far a prophecy is fulfilled: 0 to 3."""
    return sum(number >= limit for limit in least)
