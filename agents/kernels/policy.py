"""A trained network's choices and judgements: from its outputs to a legal action, and to what a seat may expect."""

from __future__ import annotations

import math

import numpy as np

from coven.agents.kernels.network import answer, think
from coven.games.core.kernels import kernel
from coven.games.core.rng import next_bits

_UNIT = 1.0 / (1 << 53)
UNKNOWN = np.float32(math.nan)


@kernel
def outputs_for(observation, mask, network, row, logits):
    """Write the outputs of the legal actions; the others are left as they are. `row` is as in `think`."""
    thought, weights = think(observation, network, row, False), network.weights
    for slot in range(weights.size):
        weights[slot] = UNKNOWN
    for a in range(network.sizes[-1] - weights.size):
        if mask[a]:
            logits[a] = answer(network, thought, a)
            if weights.size:
                logits[a] += action_bonus(observation, network, thought, a)


@kernel
def action_bonus(observation, network, thought, action):
    """What the numbers that are about an action add to its output."""
    total, weights = np.float32(0), network.weights
    for k in range(network.starts[action], network.starts[action + 1]):
        number, slot = observation[network.about[k]], network.slot_of[k]
        if number != 0:
            if math.isnan(weights[slot]):  # few slots are about what is legal now
                weights[slot] = answer(network, thought, network.sizes[-1] - weights.size + slot)
            total += np.float32(number) * weights[slot]
    return total


@kernel
def best(logits, mask):
    """The legal action with the largest output, the first of equal ones."""
    found = -1
    for a in range(mask.size):
        if mask[a] and (found < 0 or logits[a] > logits[found]):
            found = a
    return found


@kernel
def total_weight(logits, mask, highest):
    """The sum over the legal actions that a softmax divides by, measured by the highest output."""
    total = 0.0
    for a in range(mask.size):
        if mask[a]:
            total += math.exp(logits[a] - highest)
    return total


@kernel
def draw(generator, logits, mask):
    """A draw from the softmax over the legal actions."""
    highest = logits[best(logits, mask)]
    left = total_weight(logits, mask, highest) * _UNIT * np.float64(next_bits(generator) >> np.uint64(11))
    last = -1
    for a in range(mask.size):
        if mask[a]:
            last = a
            left -= math.exp(logits[a] - highest)
            if left < 0:
                break
    return last


@kernel
def act(observations, masks, network, logits, sampling, dice, actions):
    """For every row the best legal action or, if `sampling`, a draw."""
    for i in range(actions.size):
        outputs_for(observations[i], masks[i], network, 0, logits)
        if sampling:
            actions[i] = draw(dice[0], logits, masks[i])
        else:
            actions[i] = best(logits, masks[i])


@kernel
def value(observation, network, row):
    """The return by rank and the margin in points that the seat with this view may expect, 0 if it tells no margin."""
    thought = think(observation, network, row, False)
    rank = min(max(answer(network, thought, 0), np.float32(-1)), np.float32(1))
    margin = answer(network, thought, 1) if network.sizes[-1] > 1 else np.float32(0)
    return np.float64(rank), np.float64(margin)


@kernel
def value_batch(observations, network, values):
    """Write both for every row."""
    for i in range(values.shape[0]):
        values[i, 0], values[i, 1] = value(observations[i], network, 0)
