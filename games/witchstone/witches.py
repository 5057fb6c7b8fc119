"""The witch action: lay witches down at the tower and stand them up at other locations."""

from __future__ import annotations

import numpy as np

from coven.games.core.kernels import kernel
from coven.games.witchstone.geometry import ENDS, LOCATION_AT, NUM_CONNECTIONS, NUM_LOCATIONS, STONE, only
from coven.games.witchstone.stack import push
from coven.games.witchstone.state import (
    CHIP_BONUS,
    CHIP_POINTS,
    DO_LAY_WITCH,
    DO_STAND,
    NONE,
    POINTS,
    STAND_POINTS,
    STONE_PLACES,
)


@kernel
def foreign_connections(s, p):
    """All connections that others have finished."""
    foreign = 0
    for q in range(s.num_players):
        if q != p:
            foreign |= s.finished[q]
    return foreign


@kernel
def one_action_further(s, p, reached, foreign):
    """Where one more action leads to: along all own connections, or over one foreign connection.

    Own connections all hang together with the tower, so one stretch of them covers all that is joined to it.
    """
    further = reached | s.joined[p]
    for c in range(NUM_CONNECTIONS):
        further |= ENDS[c] & -np.int64(((foreign >> c) & 1) & np.int64(ENDS[c] & reached != 0))
    return further


@kernel
def locations_to_stand(s, p, number):
    """Where a lying witch can stand up with so many actions: where none of the player stands yet."""
    if not s.lying[p]:
        return 0
    foreign = foreign_connections(s, p)
    reached, before = only(s.tower[p]), 0
    while number and reached != before:
        before = reached
        reached = one_action_further(s, p, reached, foreign)
        number -= 1
    return reached & ~s.standing[p]


@kernel
def price_to_stand(s, p, location):
    """The actions of the cheapest route to a location."""
    foreign = foreign_connections(s, p)
    reached, price = only(s.tower[p]), 0
    while not (reached >> location) & 1:
        reached = one_action_further(s, p, reached, foreign)
        price += 1
    return price


@kernel
def legal_witches(s, p, number, mask):
    """Lay a witch, or stand one up, turned to the own tower."""
    mask[DO_LAY_WITCH] = s.reserve[p] > 0
    locations = locations_to_stand(s, p, number)
    for i in range(NUM_LOCATIONS):
        mask[DO_STAND + i] = (locations >> LOCATION_AT[s.tower[p], i]) & 1


@kernel
def lay_witch(s, p):
    """Lay a small witch beside the tower."""
    s.reserve[p] -= 1
    s.lying[p] += 1


@kernel
def stand_witch(s, p, location):
    """Stand a lying witch up there: 2 points, the chip for the first one, at the Witchstone the best free place."""
    s.lying[p] -= 1
    arrive(s, p, location)
    if location == STONE:
        place = 0
        while s.stone[place] != NONE:
            place += 1
        s.stone[place] = p
        s.score[p] += STONE_PLACES[place]
    elif s.chip_at[location] != NONE:
        chip = s.chip_at[location]
        s.chip_at[location] = NONE
        take_chip(s, p, chip)
        if chip == POINTS:
            s.score[p] += CHIP_POINTS
        else:
            push(s, CHIP_BONUS, chip, 1)


@kernel
def arrive(s, p, location):
    """A witch stands at a location, for good."""
    s.standing[p] |= only(location)
    s.score[p] += STAND_POINTS


@kernel
def take_chip(s, p, chip):
    """A chip is the player's from now on, used or not."""
    s.chips[p, chip] += 1
    s.num_chips[p] += 1
