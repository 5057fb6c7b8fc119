"""Greedy Alchemists: an action is worth its fame, plus the cubes it wins, less the cubes it costs, all in fame.

A cube is worth about two points while there is time to brew with it, and in the last turns half a point, as in the
final scoring. So short recipes of high value are copied again and again, and a mix is not wasted on little. A take is
worth more if the cube is one that a potion of the others still lacks, the more so the nearer that potion is; else two
cubes from the bag are better, and much better with two players, where the reserve is short. Whoever creates a potion
also offers it to all the others, who copy it the more often the shorter its mix is and the longer the game goes on: so
high tiles go on long mixes early, and on any mix late. Cubes of one's own school are best on a cauldron or out of the
game: they are spent gladly, not given away, and taken last.
"""

from __future__ import annotations

import math

import numpy as np

from coven.games.alchemists.observation import LAYOUT
from coven.games.alchemists.state import (
    COPY,
    CREATE,
    DRAW,
    DRAW_SIZE,
    EXHAUSTED_KINDS,
    MIX,
    NUM_CAULDRONS,
    NUM_COLOURS,
    NUM_RECIPES,
    NUM_TAKES,
    NUM_TILES,
    PRODUCES,
    TAKE,
    TAKES,
    TILE,
)
from coven.games.core.kernels import kernel
from coven.games.core.rng import below
from coven.games.core.words import seen

_NUM_PLAYERS = LAYOUT.start("num_players")
_HAND, _SCHOOL, _RESERVE = LAYOUT.start("hand"), LAYOUT.start("school"), LAYOUT.start("reserve")
_TILES, _BREWING, _VALUE = LAYOUT.start("tiles"), LAYOUT.start("brewing"), LAYOUT.start("value")
_RECIPE, _OWNER = LAYOUT.start("recipe"), LAYOUT.start("owner")

# The rules of thumb, in fame, found by playing variants against each other. Pairs: with two players, with more.
_CUBE_AT_END = 0.5  # by the final scoring
_CUBE = np.array([1.75, 2.3])  # before
_LAST_TURNS = np.array([5.0, 7.0])  # from here on a cube's worth falls to that at the end
_DRAWN_CUBE = np.array([1.7, 1.15])  # a cube from the bag, as a multiple of a cube
_SCHOOL_CUBE = 2.0  # a cube of one's own school got rid of
_SCHOOL_TAKE = 0.3  # such a cube taken
_LACKING = 0.2  # of a potion's gain, shared by the cubes one still lacks for it
_COPIES = 0.25  # made of a new potion by each of the others, in every turn left and for every cube fewer in its mix
_COPY_EFFORT = 0.5  # what a copy costs besides its cubes, in cubes
_GIFT = 0.001  # a tie-break: give what the reserve has most of

_CUBES_IN = MIX.sum(axis=1)


@kernel
def choose(observation, mask, generator):
    """The action that brings most, ties by lot."""
    turns = turns_left(observation)
    cube = worth_of_a_cube(observation, turns)
    best, most, level = -1, -math.inf, 0
    for action in range(mask.size):
        if mask[action]:
            gain = rate(observation, action, cube, turns)
            if gain > most:
                best, most, level = action, gain, 1
            elif gain == most:
                level += 1
                if below(generator, level) == 0:
                    best = action
    return best


@kernel
def rate(observation, action, cube, turns):
    """What an action brings."""
    if action < TILE:
        return rate_create(observation, action - CREATE, cube, turns)
    if action < COPY:
        return rate_tile(action - TILE + 1, cubes_brewing(observation), cube, turns)
    if action < TAKE:
        return rate_copy(observation, (action - COPY) // NUM_TAKES, (action - COPY) % NUM_TAKES, cube)
    if action < DRAW:
        return rate_take(observation, action - TAKE, cube)
    return DRAW_SIZE * cube * _DRAWN_CUBE[more_than_two(observation)]


@kernel
def more_than_two(observation):
    """0 with two players, 1 with more."""
    return 1 if seen(observation, _NUM_PLAYERS) > 2 else 0


@kernel
def turns_left(observation):
    """About how many turns everyone still has: a cube a turn until enough kinds are exhausted."""
    cubes = 0
    for c in range(NUM_COLOURS):
        scarcer = 0
        for d in range(NUM_COLOURS):
            here, there = seen(observation, _RESERVE + c), seen(observation, _RESERVE + d)
            scarcer += there < here or (there == here and d < c)
        if scarcer < EXHAUSTED_KINDS:
            cubes += seen(observation, _RESERVE + c)
    return cubes / seen(observation, _NUM_PLAYERS)


@kernel
def worth_of_a_cube(observation, turns):
    """What a cube is worth now."""
    many = more_than_two(observation)
    return _CUBE_AT_END + (_CUBE[many] - _CUBE_AT_END) * min(1.0, turns / _LAST_TURNS[many])


@kernel
def rate_create(observation, create, cube, turns):
    """The best tile for the mix and the products, less the mix."""
    best = -math.inf
    for i in range(NUM_TILES):
        if seen(observation, _TILES + i):
            best = max(best, rate_tile(i + 1, _CUBES_IN[create], cube, turns))
    cost = 0.0
    for c in range(NUM_COLOURS):
        cost += MIX[create, c] * cost_of(observation, c, cube)
    return best + products(observation, create // NUM_RECIPES, cube) - cost


@kernel
def rate_tile(value, cubes, cube, turns):
    """The fame, less what each of the others makes by copying a potion of that value and that many cubes."""
    copies = _COPIES * turns / (cubes + _COPY_EFFORT)
    return value - copies * max(0.0, value - cubes * cube)


@kernel
def cubes_brewing(observation):
    """The size of the mix that waits for its tile."""
    cubes = 0
    for i in range(NUM_CAULDRONS):
        if seen(observation, _BREWING + i):
            for c in range(NUM_COLOURS):
                cubes += seen(observation, _RECIPE + i * NUM_COLOURS + c)
    return cubes


@kernel
def rate_copy(observation, cauldron, k, cube):
    """What the copy brings; a cube of one's own school is better not given."""
    gift = TAKES[cauldron, k]
    kept = _SCHOOL_CUBE * seen(observation, _SCHOOL + gift)
    return copy_gain(observation, cauldron, cube) - kept + _GIFT * seen(observation, _RESERVE + gift)


@kernel
def copy_gain(observation, cauldron, cube):
    """The tile and the products, less the mix."""
    gain = seen(observation, _VALUE + cauldron) + products(observation, cauldron, cube)
    for c in range(NUM_COLOURS):
        gain -= seen(observation, _RECIPE + cauldron * NUM_COLOURS + c) * cost_of(observation, c, cube)
    return gain


@kernel
def cost_of(observation, colour, cube):
    """What it costs to spend a cube of this colour."""
    return cube - _SCHOOL_CUBE * seen(observation, _SCHOOL + colour)


@kernel
def products(observation, cauldron, cube):
    """The worth of what a cauldron produces, as far as the reserve has it."""
    total = 0.0
    for c in PRODUCES[cauldron]:
        total += cube * (seen(observation, _RESERVE + c) > 0)
    return total


@kernel
def rate_take(observation, colour, cube):
    """A cube, and a share of the best potion of the others that lacks it."""
    best = 0.0
    for i in range(NUM_CAULDRONS):
        copyable = seen(observation, _VALUE + i) and not seen(observation, _OWNER + i)
        if copyable and seen(observation, _RECIPE + i * NUM_COLOURS + colour) > seen(observation, _HAND + colour):
            best = max(best, copy_gain(observation, i, cube) / lacking(observation, i))
    return cube + _LACKING * best - _SCHOOL_TAKE * seen(observation, _SCHOOL + colour)


@kernel
def lacking(observation, cauldron):
    """How many cubes one still lacks for a potion."""
    cubes = 0
    for c in range(NUM_COLOURS):
        cubes += max(0, seen(observation, _RECIPE + cauldron * NUM_COLOURS + c) - seen(observation, _HAND + c))
    return cubes
