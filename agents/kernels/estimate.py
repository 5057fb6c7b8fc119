"""What positions are worth: games to learn it from, and the small network that has learned it.

Up to some turn a game is played with errors, so that all kinds of positions come up, and from there on greedily by
everybody: what a position is worth is then what greedy play makes of it, whoever erred before.
"""

from __future__ import annotations

import math

import numpy as np

from coven.agents.kernels.network import answer, think
from coven.games.core.bits import count
from coven.games.core.drivers import pick
from coven.games.core.generic import apply, choose, legal, observe, score
from coven.games.core.kernels import kernel
from coven.games.core.ranking import RANK, reward
from coven.games.core.record import NOBODY
from coven.games.core.rng import below

MOST_ERRORS = 60  # per cent of the decisions before the first lesson of a game
KEEP = 8  # of so many turns after it one becomes another lesson
SKIPPED = 3  # the most actions that an error leaves out which greedy likes better
BLIND = 3  # of so many errors one is any action


@kernel
def gather(states, turns, mask, observation, keys, returns, margins, dice, views, targets, used):
    """Play dealt games to their ends and write lessons from row `used[0]` on, while there is room.

    A lesson is a row for every seat: what it sees at the beginning of a turn, the return by rank that it gets in the
    end, and its margin in points. The first of a game is taken in one of the first `turns` turns.
    """
    g = dice[0]
    for i in range(states.size):
        s = states[i]
        first, errors = below(g, turns), below(g, MOST_ERRORS + 1)
        begun, turn = used[0], -1
        while s.current != NOBODY:
            if s.turn != turn:
                turn = s.turn
                if turn == first or (turn > first and below(g, KEEP) == 0):
                    used[0] += look_around(s, views, used[0])
            legal(s, mask)
            observe(s, s.current, observation)
            action = choose(s, observation, mask, g)
            if turn < first and below(g, 100) < errors:
                action = err(s, observation, mask, action, g)
            apply(s, action)
        write_outcome(s, keys, returns, margins, targets[begun : used[0]])


@kernel
def look_around(s, views, row):
    """Write what every seat sees, if there is room: how many rows were written."""
    if row + s.num_players > views.shape[0]:
        return 0
    for p in range(s.num_players):
        observe(s, p, views[row + p])
    return s.num_players


@kernel
def write_outcome(s, keys, returns, margins, targets):
    """Write what every seat has got in a finished game, its return by rank and its margin, again and again."""
    score(s, keys)
    reward(keys, s.num_players, RANK, returns)
    margins_of(keys, s.num_players, margins)
    for row in range(targets.shape[0]):
        seat = row % s.num_players
        targets[row, 0], targets[row, 1] = returns[seat], margins[seat]


@kernel
def err(s, observation, mask, best, generator):
    """Any action, or one that greedy takes if the best is, or the best ones are, left out."""
    if below(generator, BLIND) == 0:
        return pick(generator, mask)
    for _ in range(1 + below(generator, SKIPPED)):
        mask[best] = 0
        if count(mask.view(np.uint64)) == 0:
            break
        best = choose(s, observation, mask, generator)
    return best


@kernel
def margins_of(keys, num_players, margins):
    """How many points each player is ahead of the mean of the others."""
    total = 0.0
    for p in range(num_players):
        total += keys[p, 0]
    for p in range(num_players):
        margins[p] = keys[p, 0] - (total - keys[p, 0]) / (num_players - 1)


@kernel
def estimate(observation, network, row):
    """The return by rank and the margin in points that the seat with this view may expect; `row` is as in `think`."""
    thought = think(observation, network, row, True)
    return math.tanh(answer(network, thought, 0)), np.float64(answer(network, thought, 1))
