"""The wand action: silver spaces score, dark ones start actions."""

from __future__ import annotations

import numpy as np

from coven.games.core.kernels import kernel
from coven.games.witchstone.geometry import size
from coven.games.witchstone.stack import end_action, start_action, uncover
from coven.games.witchstone.state import (
    CHIPS_SILVER,
    CONNECTIONS_SILVER,
    CRYSTALS_SILVER,
    DARK,
    LEADER_FACTOR,
    NONE,
    SCROLLS_SILVER,
    SILVER,
    SMALL_WITCHES,
    SPACE_AMOUNT,
    SPACE_COLOUR,
    SPACE_KIND,
    WAND_END,
    WAND_SPACES,
    WITCHES_SILVER,
)


@kernel
def advance_on_wand(s, p):
    """Take all steps at once, at most to the last space; the spaces crossed take the place of the action.

    A move made while spaces of an earlier one are still to come only lengthens those.
    """
    top, start = s.running, s.wand[p]
    s.wand[p] = min(start + s.item_number[top], WAND_END)
    s.wand_moves += 1
    s.wand_since[p] = s.wand_moves
    earlier = spaces_to_come(s)
    if earlier == NONE:
        s.item_kind[top] = WAND_SPACES
        s.item_what[top] = start + 1
        s.item_number[top] = s.wand[p]
        s.running = NONE
    else:
        s.item_number[earlier] = s.wand[p]
        end_action(s)


@kernel
def spaces_to_come(s):
    """Where on the stack the wand spaces still to be resolved are, or NONE; there is never more than one entry."""
    for i in range(s.height):
        if s.item_kind[i] == WAND_SPACES:
            return i
    return NONE


@kernel
def leader_factor(s, p):
    """How often the actions of dark spaces count: twice if nobody is further on the wand, level counts."""
    for q in range(s.num_players):
        if s.wand[q] > s.wand[p]:
            return 1
    return LEADER_FACTOR


@kernel
def resolve_wand_space(s, p):
    """Resolve the next of the spaces crossed: silver scores, dark starts its actions, twice as many for the leader.

    Nobody else moves meanwhile, so whoever is furthest ahead now was so right after the last move.
    """
    top = s.height - 1
    space = s.item_what[top]
    s.item_what[top] += 1
    if space == s.item_number[top]:
        s.height = top
        uncover(s)
    if SPACE_COLOUR[space] == SILVER:
        s.score[p] += SPACE_AMOUNT[space] * achievement(s, p, SPACE_KIND[space])
    elif SPACE_COLOUR[space] == DARK:
        start_action(s, SPACE_KIND[space], SPACE_AMOUNT[space] * leader_factor(s, p))


@kernel(inline=True)
def achievement(s, p, kind):
    """How many of what a silver space scores the player has at this moment."""
    if kind == CONNECTIONS_SILVER:
        return num_connections(s, p)
    if kind == SCROLLS_SILVER:
        return s.num_scrolls[p]
    if kind == WITCHES_SILVER:
        return num_witches(s, p)
    if kind == CRYSTALS_SILVER:
        return s.racked[p]
    if kind == CHIPS_SILVER:
        return s.num_chips[p]
    return s.num_hexes[p]


@kernel(inline=True)
def num_connections(s, p):
    """Finished connections of a player."""
    return size(np.uint64(s.finished[p]))


@kernel
def num_witches(s, p):
    """Witches of a player in the crystal ball, lying or standing, the big one included."""
    return SMALL_WITCHES - s.reserve[p] + 1
