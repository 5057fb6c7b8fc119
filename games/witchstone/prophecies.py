"""The final count of a player's scrolls."""

from __future__ import annotations

from coven.games.core.kernels import kernel
from coven.games.witchstone.geometry import NUM_LOCATIONS, only
from coven.games.witchstone.state import (
    FIRST_CONNECT,
    FIRST_OTHER,
    FIRST_VISIT,
    MOST_PLAYERS,
    NUM_PROPHECIES,
    OTHER_CHIPS,
    OTHER_LYING,
    OTHER_SCROLLS,
    OTHER_SILVER,
    OTHER_SPECIALS,
    OTHER_STONE,
    OTHER_WITCHES,
    PROPHECY_POINTS,
    PROPHECY_WHAT,
    ROUTE_KIND,
    ROUTE_NEED,
    ROUTE_STEPS,
    SILVER_UP_TO,
    THRESHOLDS,
)
from coven.games.witchstone.wand import num_witches


@kernel
def prophecy_points(s, p):
    """All prophecies of a player: 1 point each, or 3, 5, 7 for the thresholds reached."""
    total = 0
    for i in range(NUM_PROPHECIES):
        if (s.prophecies[p] >> i) & 1:
            total += PROPHECY_POINTS[fulfilled(i, fulfilment(s, p, i))]
    return total


@kernel
def fulfilled(prophecy, value):
    """How many of its three thresholds are reached."""
    steps = 0
    for threshold in THRESHOLDS[prophecy]:
        steps += value >= threshold
    return steps


@kernel
def fulfilment(s, p, prophecy):
    """What a prophecy measures."""
    what = PROPHECY_WHAT[prophecy]
    if prophecy < FIRST_OTHER:
        return s.group[p, what]
    if prophecy < FIRST_VISIT:
        return other_fulfilment(s, p, what)
    locations = s.standing[p] if prophecy < FIRST_CONNECT else s.joined[p]
    return route_steps(locations & ~only(s.tower[p]), what)


@kernel
def other_fulfilment(s, p, other):
    """The eight prophecies that only count something."""
    if other == OTHER_STONE:
        return stone_rank(s, p)
    if other == OTHER_WITCHES:
        return num_witches(s, p)
    if other == OTHER_LYING:
        return s.lying[p]
    if other == OTHER_SILVER:
        return SILVER_UP_TO[s.wand[p]]
    if other == OTHER_SPECIALS:
        return s.num_hexes[p]
    if other == OTHER_SCROLLS:
        return s.num_scrolls[p]
    if other == OTHER_CHIPS:
        return s.num_chips[p]
    return s.racked[p]


@kernel
def stone_rank(s, p):
    """3 for the first at the Witchstone, 2 for the second, 1 for the third, else 0."""
    for place in range(MOST_PLAYERS):
        if s.stone[place] == p:
            return MOST_PLAYERS - 1 - place
    return 0


@kernel
def route_steps(locations, route):
    """How many steps of a route are there, each only after the one before; the same kind again takes another one."""
    for step in range(ROUTE_STEPS):
        of_kind = locations & ROUTE_KIND[route, step]
        here = 0
        for i in range(NUM_LOCATIONS):
            here += (of_kind >> i) & 1
        if here < ROUTE_NEED[route, step]:
            return step
    return ROUTE_STEPS
