"""The cauldron: laying tiles, groups of symbols, and spoiling crystals."""

from __future__ import annotations

from coven.games.core.kernels import kernel
from coven.games.witchstone.geometry import (
    BIT,
    BLACK_AT,
    COLOURED_AT,
    COVERABLE,
    LAY_AT,
    LAY_BITS,
    NUM_LAYS,
    NUM_SYMBOLS,
    PRINTED,
    group,
    mark_spaces,
    neighbours,
    only,
    size,
)
from coven.games.witchstone.state import (
    ACT,
    BLACK_CODE,
    COLOURED_CODE,
    DO_DISCARD,
    DO_LAY,
    DO_SPOIL,
    DO_TILE,
    EMPTY,
    HEX_CODE,
    LAY,
    NUM_TILES,
    PAIRS,
    START,
    SYMBOL_CODE,
    TILE_PAIR,
)


@kernel
def fill_cauldron(s, p):
    """Set-up: the printed symbols, six coloured crystals and the black one."""
    s.free[p] = COVERABLE
    for k in range(NUM_SYMBOLS):
        s.symbol[p, k] = PRINTED[k]
        s.group[p, k] = 1
    for i in COLOURED_AT:
        put_crystal(s, p, i, COLOURED_CODE)
    put_crystal(s, p, BLACK_AT, BLACK_CODE)


@kernel
def put_crystal(s, p, space, code):
    """A crystal lies on a free space."""
    s.cauldron[p, space] = code
    s.free[p] &= ~BIT[space]
    s.crystals[p] |= BIT[space]


@kernel
def lift_crystal(s, p, space):
    """Take a crystal off its space: its code."""
    code = s.cauldron[p, space]
    s.cauldron[p, space] = EMPTY
    s.free[p] |= BIT[space]
    s.crystals[p] &= ~BIT[space]
    return code


@kernel
def cover(s, p, space, code):
    """Lay half a tile or a special hex on a free space, for good; groups can only grow."""
    s.cauldron[p, space] = code
    s.free[p] &= ~BIT[space]
    if code >= HEX_CODE:
        for symbol in PAIRS[code - HEX_CODE]:
            join_group(s, p, space, symbol)
    else:
        join_group(s, p, space, code - SYMBOL_CODE)


@kernel
def join_group(s, p, space, symbol):
    """A symbol arrives on a space: remember the largest group."""
    s.symbol[p, symbol] |= BIT[space]
    s.group[p, symbol] = max(s.group[p, symbol], group_size(s, p, space, symbol))


@kernel
def group_size(s, p, space, symbol):
    """How many of that symbol hang together with the one on this space."""
    return size(group(s.symbol[p, symbol], BIT[space]))


# Choosing and laying a tile.


@kernel
def has_room(s, p):
    """Are there two neighbouring free spaces?"""
    return neighbours(s.free[p]) & s.free[p] != 0


@kernel
def spoiling_makes_room(s, p):
    """Could crystals the player can afford to spoil make two neighbouring free spaces?"""
    first = s.spoiled[p] + 1
    if s.score[p] < first:
        return False
    if neighbours(s.free[p]) & s.crystals[p] != 0:
        return True
    return s.score[p] >= first + first + 1 and neighbours(s.crystals[p]) & s.crystals[p] != 0


@kernel
def legal_tiles(s, p, mask):
    """Any tile in hand; without room one to discard, but not while spoiling can help (ours)."""
    if has_room(s, p):
        first = DO_TILE
    elif spoiling_makes_room(s, p):
        return
    else:
        first = DO_DISCARD
    for i in range(NUM_TILES):
        mask[first + TILE_PAIR[i]] |= (s.hand[p] >> i) & 1


@kernel
def legal_lays(s, p, mask):
    """Any two neighbouring free spaces, in either order."""
    for i in range(NUM_LAYS):
        mask[DO_LAY + i] = s.free[p] & LAY_BITS[i] == LAY_BITS[i]


@kernel
def choose_tile(s, pair):
    """The chosen tile stays in the hand until it is laid."""
    s.tile = pair
    s.phase = LAY


@kernel
def discard_tile(s, p, pair):
    """A tile that fits nowhere is gone without any action."""
    give_tile(s, p, pair)
    s.phase = ACT


@kernel
def lay_tile(s, p, lay):
    """Lay the chosen tile, its first symbol on the first space."""
    give_tile(s, p, s.tile)
    for half in range(2):
        space, symbol = LAY_AT[lay, half], PAIRS[s.tile, half]
        cover(s, p, space, SYMBOL_CODE + symbol)
        s.half_at[symbol] = space
    s.phase = START


@kernel
def give_tile(s, p, pair):
    """A tile leaves the hand, the first one with that pair."""
    tile = 0
    while TILE_PAIR[tile] != pair or not (s.hand[p] >> tile) & 1:
        tile += 1
    s.hand[p] &= ~only(tile)
    s.gone[p] |= only(tile)


# Spoiling.


@kernel
def legal_spoils(s, p, mask):
    """Any crystal in the cauldron, while the points for it are there (ours)."""
    if s.score[p] > s.spoiled[p]:
        mark_spaces(s.crystals[p], mask, DO_SPOIL)


@kernel
def spoil_crystal(s, p, space):
    """Take a crystal out improperly: 1 point, the next one 2, and so on."""
    lift_crystal(s, p, space)
    s.spoiled[p] += 1
    s.score[p] -= s.spoiled[p]
