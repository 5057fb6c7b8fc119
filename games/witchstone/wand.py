"""The wand action: silver spaces score, dark ones start actions."""

from __future__ import annotations

from coven.games.core.kernels import kernel
from coven.games.witchstone.geometry import NUM_CONNECTIONS
from coven.games.witchstone.stack import start_action, uncover
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
    """Take all steps at once, at most to the last space; the spaces crossed take the place of the action."""
    top = s.running
    s.item_kind[top] = WAND_SPACES
    s.item_what[top] = s.wand[p] + 1
    s.wand[p] = min(s.wand[p] + s.item_number[top], WAND_END)
    s.item_number[top] = s.wand[p]
    s.item_factor[top] = LEADER_FACTOR if furthest_ahead(s, p) else 1
    s.wand_moves += 1
    s.wand_since[p] = s.wand_moves
    s.running = NONE


@kernel
def furthest_ahead(s, p):
    """Is nobody further on the wand? Level counts."""
    for q in range(s.num_players):
        if s.wand[q] > s.wand[p]:
            return False
    return True


@kernel
def resolve_wand_space(s, p):
    """Resolve the next of the spaces crossed: silver scores, dark starts its actions, twice as many for the leader."""
    top = s.height - 1
    space, factor = s.item_what[top], s.item_factor[top]
    s.item_what[top] += 1
    if space == s.item_number[top]:
        s.height = top
        uncover(s)
    if SPACE_COLOUR[space] == SILVER:
        s.score[p] += SPACE_AMOUNT[space] * achievement(s, p, SPACE_KIND[space])
    elif SPACE_COLOUR[space] == DARK:
        start_action(s, SPACE_KIND[space], SPACE_AMOUNT[space] * factor)


@kernel
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


@kernel
def num_connections(s, p):
    """Finished connections of a player."""
    total = 0
    for c in range(NUM_CONNECTIONS):
        total += (s.finished[p] >> c) & 1
    return total


@kernel
def num_witches(s, p):
    """Witches of a player in the crystal ball, lying or standing, the big one included."""
    return SMALL_WITCHES - s.reserve[p] + 1
