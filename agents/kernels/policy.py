"""A trained network's choices: its layers in machine code, and from their outputs to a legal action.

Written out instead of left to numpy, whose matrix products wake a thread of their own for every small batch and stall
where the cores are busy; most numbers of an observation are 0 besides, and are skipped here.
"""

from __future__ import annotations

import math

import numpy as np

from coven.games.core.kernels import kernel
from coven.games.core.rng import next_bits

_UNIT = 1.0 / (1 << 53)


@kernel
def feed(inputs, weights, bias, outputs):
    """One layer: `outputs` become the bias and every input times its row of weights."""
    for j in range(bias.size):
        outputs[j] = bias[j]
    for i in range(weights.shape[0]):
        x = inputs[i]
        if x != 0:
            row = weights[i]
            for j in range(bias.size):
                outputs[j] += x * row[j]


@kernel
def forward(observation, low, factor, weights, biases, scratch):
    """The outputs for an observation, with tanh between the layers: which of the two rows of `scratch` holds them.

    As many numbers of it count as there are in `low`.
    """
    here = 0
    for i in range(low.size):
        scratch[here, i] = (observation[i] - low[i]) * factor[i]
    for k in range(len(weights)):
        if k:
            for i in range(weights[k].shape[0]):
                scratch[here, i] = math.tanh(scratch[here, i])
        feed(scratch[here], weights[k], biases[k], scratch[1 - here])
        here = 1 - here
    return here


@kernel
def best(logits, mask):
    """The legal action with the largest output, the first of equal ones."""
    found = -1
    for a in range(mask.size):
        if mask[a] and (found < 0 or logits[a] > logits[found]):
            found = a
    return found


@kernel
def draw(generator, logits, mask):
    """A draw from the softmax over the legal actions."""
    highest = logits[best(logits, mask)]
    total = 0.0
    for a in range(mask.size):
        if mask[a]:
            total += math.exp(logits[a] - highest)
    left = total * _UNIT * np.float64(next_bits(generator) >> np.uint64(11))
    last = -1
    for a in range(mask.size):
        if mask[a]:
            last = a
            left -= math.exp(logits[a] - highest)
            if left < 0:
                break
    return last


@kernel
def act(observations, masks, low, factor, weights, biases, scratch, sampling, dice, actions):
    """For every row the best legal action or, if `sampling`, a draw."""
    for i in range(actions.size):
        logits = scratch[forward(observations[i], low, factor, weights, biases, scratch)]
        if sampling:
            actions[i] = draw(dice[0], logits, masks[i])
        else:
            actions[i] = best(logits, masks[i])
