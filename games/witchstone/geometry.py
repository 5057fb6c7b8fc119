"""The geometry of cauldron and crystal ball, all computed from the components.

The spaces of a cauldron are bits of one 64-bit word, a row of the hexagon every eight bits: the eighth column is never
on the board, so shifts by one step cannot wrap around.
"""

from __future__ import annotations

import numpy as np

from coven.games.core.kernels import kernel
from coven.games.witchstone.box import COMPONENTS, places

SYMBOLS = tuple(COMPONENTS["symbols"])
NUM_SYMBOLS = len(SYMBOLS)
ENERGY, WITCH, PENTAGRAM, CRYSTAL, WAND, SCROLL = range(NUM_SYMBOLS)

# The cauldron.

RADIUS = COMPONENTS["radius"]
_WIDTH = 2 * RADIUS + 2
_span = range(-RADIUS, RADIUS + 1)
_hexagon = [(q, r) for r in _span for q in _span if abs(q + r) <= RADIUS]
_corners = {(q, r): SYMBOLS.index(symbol) for q, r, symbol in COMPONENTS["corners"]}
PRINTED_AT = {cell: SYMBOLS[symbol] for cell, symbol in _corners.items()}
SPACES = tuple(c for c in _hexagon if c not in _corners)  # those that can be covered
NUM_SPACES = len(SPACES)


def _bit(cell: tuple[int, int]) -> int:
    q, r = cell
    return 1 << (r + RADIUS) * _WIDTH + q + RADIUS


def hex_distance(a: tuple[int, int], b: tuple[int, int]) -> int:
    """Steps between two spaces."""
    q, r = a[0] - b[0], a[1] - b[1]
    return max(abs(q), abs(r), abs(q + r))


BIT = np.array([_bit(c) for c in SPACES], np.uint64)
BOARD = np.uint64(sum(map(_bit, _hexagon)))
COVERABLE = np.uint64(sum(map(_bit, SPACES)))
PRINTED = np.zeros(NUM_SYMBOLS, np.uint64)
for _cell, _symbol in _corners.items():
    PRINTED[_symbol] = _bit(_cell)

COLOURED_AT = np.array([SPACES.index((q, r)) for q, r in COMPONENTS["coloured_crystals"]], np.int8)
BLACK_AT = SPACES.index(tuple(COMPONENTS["black_crystal"]))

# Two neighbouring spaces in either order: where the halves of a tile can lie.
LAYS = tuple((i, j) for i, a in enumerate(SPACES) for j, b in enumerate(SPACES) if hex_distance(a, b) == 1)
NUM_LAYS = len(LAYS)
LAY_AT = np.array(LAYS, np.int8)
LAY_BITS = BIT[LAY_AT[:, 0]] | BIT[LAY_AT[:, 1]]

MOST_STEPS = 2 * RADIUS  # no two spaces are further apart
DISTANCE = np.array([[hex_distance(a, b) for b in SPACES] for a in SPACES], np.int8)
EXIT_COST = np.zeros((NUM_SPACES, NUM_SYMBOLS), np.int8)  # actions for a crystal to leave by the symbol on the rim
for *_spaces, _symbol in COMPONENTS["exits"]:
    for _i, _cell in enumerate(SPACES):
        EXIT_COST[_i, SYMBOLS.index(_symbol)] = 1 + min(hex_distance(_cell, (q, r)) for q, r in _spaces)
# By actions, cut to MOST_STEPS: the spaces from which they are enough to leave.
LEAVES = np.array(
    [sum(int(BIT[i]) for i in range(NUM_SPACES) if EXIT_COST[i].min() <= n) for n in range(MOST_STEPS + 1)], np.uint64
)

_EAST, _SOUTH, _SOUTH_WEST = np.uint64(1), np.uint64(_WIDTH), np.uint64(_WIDTH - 1)
_1, _2, _4, _56 = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(56)
_PAIRS, _FOURS = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333)
_EIGHTS, _BYTES = np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(0x0101010101010101)


@kernel(inline=True)
def neighbours(bits):
    """All spaces next to one of these."""
    around = (bits << _EAST) | (bits >> _EAST) | (bits << _SOUTH) | (bits >> _SOUTH)
    return (around | (bits << _SOUTH_WEST) | (bits >> _SOUTH_WEST)) & BOARD


@kernel(inline=True)
def steps_from(bits):
    """Where one step leads to from these, direction by direction; perhaps off the board."""
    return (
        bits << _EAST,
        bits >> _EAST,
        bits << _SOUTH,
        bits >> _SOUTH,
        bits << _SOUTH_WEST,
        bits >> _SOUTH_WEST,
    )


@kernel
def within(bits, steps):
    """All spaces at most that many steps from one of these."""
    for _ in range(min(steps, MOST_STEPS)):
        bits |= neighbours(bits)
    return bits


@kernel
def group(board, bits):
    """The spaces of the board that hang together with these."""
    grown = bits | (neighbours(bits) & board)
    while grown != bits:
        bits = grown
        grown = bits | (neighbours(bits) & board)
    return bits


@kernel(inline=True)
def size(bits):
    """How many spaces these are."""
    bits = bits - ((bits >> _1) & _PAIRS)
    bits = (bits & _FOURS) + ((bits >> _2) & _FOURS)
    bits = (bits + (bits >> _4)) & _EIGHTS
    return np.int64((bits * _BYTES) >> _56)


@kernel
def mark_spaces(bits, mask, first):
    """Write one byte for every space that can be covered, from `first` on: is it among these?"""
    for i in range(NUM_SPACES):
        mask[first + i] = (bits & BIT[i]) != 0


@kernel
def only(i):
    """The set of just this one: of locations, connections, tiles or prophecies."""
    return 1 << np.int64(i)


# The crystal ball. Locations come in fours; only the stone is alone. If the net has fourfold symmetry, the world is
# turned for whoever looks at it: seen from a tower (the first index of the tables below), that tower is number 0.

NUM_TOWERS = COMPONENTS["locations"]["of_each"]
LOCATIONS = (*places(COMPONENTS), COMPONENTS["locations"]["stone"])
NUM_LOCATIONS = len(LOCATIONS)
STONE = NUM_LOCATIONS - 1
# By kind of location: the set of its four.
KINDS = {
    kind: sum(1 << i for i, name in enumerate(LOCATIONS[:STONE]) if name.startswith(kind))
    for kind in COMPONENTS["locations"]["kinds"]
}

_ends = [(LOCATIONS.index(a), LOCATIONS.index(b)) for a, b, _ in COMPONENTS["connections"]]
CONNECTIONS = tuple(f"{a}-{b}" for a, b, _ in COMPONENTS["connections"])
NUM_CONNECTIONS = len(CONNECTIONS)
ENDS = np.array([1 << a | 1 << b for a, b in _ends], np.int64)  # both locations, as a set
LENGTH = np.array([length for *_, length in COMPONENTS["connections"]], np.int8)
CONNECTION_POINTS = np.array([0, *COMPONENTS["connection_points"]], np.int8)


def _turn_location(i: int, turn: int) -> int:
    """Where a location comes to lie when the crystal ball is turned by so many towers."""
    return i if i == STONE else i - i % NUM_TOWERS + (i + turn) % NUM_TOWERS


def _turn_connection(c: int, turn: int) -> int | None:
    """Which connection of the same length one becomes by turning, if there is any."""
    ends = {_turn_location(i, turn) for i in _ends[c]}
    there = [d for d in range(NUM_CONNECTIONS) if set(_ends[d]) == ends and LENGTH[d] == LENGTH[c]]
    return there[0] if there else None


SYMMETRIC = all(_turn_connection(c, 1) is not None for c in range(NUM_CONNECTIONS))
_turns = [turn if SYMMETRIC else 0 for turn in range(NUM_TOWERS)]
LOCATION_AT = np.array([[_turn_location(i, turn) for i in range(NUM_LOCATIONS)] for turn in _turns], np.uint8)
CONNECTION_AT = np.array([[_turn_connection(c, turn) for c in range(NUM_CONNECTIONS)] for turn in _turns], np.uint8)
# By connection: all connections that touch one of its two locations; and by location.
AROUND = np.array(
    [sum(1 << d for d in range(NUM_CONNECTIONS) if ENDS[c] & ENDS[d]) for c in range(NUM_CONNECTIONS)], np.int64
)
BESIDE = np.array(
    [sum(1 << c for c in range(NUM_CONNECTIONS) if ENDS[c] >> i & 1) for i in range(NUM_LOCATIONS)], np.int64
)
