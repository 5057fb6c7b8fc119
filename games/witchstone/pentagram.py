"""The pentagram action: owls and special hexes."""

from __future__ import annotations

from coven.games.core.kernels import kernel
from coven.games.witchstone.cauldron import cover
from coven.games.witchstone.geometry import mark_spaces
from coven.games.witchstone.stack import push, start_action
from coven.games.witchstone.state import (
    CHOICE_BONUS,
    DO_PLACE,
    DO_USE,
    HEX_ACTIONS,
    HEX_AT,
    HEX_BONUS,
    HEX_CODE,
    NO_OWL_POINTS,
    NONE,
    NUM_OWLS,
    OWL_AT,
    OWLS,
    PAIRS,
    PENTAGRAM_SPACES,
)


@kernel
def advance_on_pentagram(s, p):
    """Take all steps at once; each owl and hex space passed or reached gives what lies there."""
    steps = s.item_number[s.running]
    s.item_number[s.running] = 0  # carried out: it stays open only for what waits on it
    for _ in range(steps):
        space = s.pentagram[p] + 1
        if space == PENTAGRAM_SPACES:
            space = 0
        s.pentagram[p] = space
        if OWL_AT[space] != NONE:
            take_owl(s, p, OWL_AT[space])
        elif HEX_AT[space] != NONE:
            take_special_hex(s, p, HEX_AT[space])


@kernel
def take_owl(s, p, stack):
    """The top owl, or 2 points if none is left."""
    taken = s.owls_taken[stack]
    if taken == NUM_OWLS:
        s.score[p] += NO_OWL_POINTS
    else:
        s.owl_owner[stack, taken] = p
        s.owl_points[p] += OWLS[taken]
        s.owls_taken[stack] += 1


@kernel
def take_special_hex(s, p, space):
    """The special hex of the space, replaced from the pile, or a free choice of actions if there is none."""
    tile = s.hex_at[space]
    if tile == NONE:
        push(s, CHOICE_BONUS, NONE, HEX_ACTIONS)
    else:
        push(s, HEX_BONUS, tile, HEX_ACTIONS)
        s.num_hexes[p] += 1
        reveal_special_hex(s, space)


@kernel
def reveal_special_hex(s, space):
    """Lay the next special hex of the pile on a space of the pentagram, as long as there is one."""
    s.hex_at[space] = NONE
    if s.hex_pile_size:
        s.hex_pile_size -= 1
        s.hex_at[space] = s.hex_pile[s.hex_pile_size]


@kernel
def legal_special_hex(s, p, mask):
    """Use the chosen hex once for one of its symbols, or place it on a free space."""
    for symbol in PAIRS[s.hex]:
        mask[DO_USE + symbol] = 1
    mark_spaces(s.free[p], mask, DO_PLACE)


@kernel
def use_special_hex(s, p, symbol):
    """Two actions of one of its symbols; it is laid aside."""
    s.hexes_used[p, s.hex] += 1
    start_action(s, symbol, HEX_ACTIONS)


@kernel
def place_special_hex(s, p, space):
    """It lies in the cauldron for good, and both its symbols count in groups."""
    s.hexes_placed[p, s.hex] += 1
    cover(s, p, space, HEX_CODE + s.hex)
