"""From a network's outputs to legal actions."""

from __future__ import annotations

import math

import numpy as np

from coven.games.core.kernels import kernel
from coven.games.core.rng import next_bits

_UNIT = 1.0 / (1 << 53)


@kernel
def best(logits, mask):
    """The legal action with the largest output, the first of equal ones."""
    found = -1
    for a in range(logits.size):
        if mask[a] and (found < 0 or logits[a] > logits[found]):
            found = a
    return found


@kernel
def draw(generator, logits, mask):
    """A draw from the softmax over the legal actions."""
    highest = logits[best(logits, mask)]
    total = 0.0
    for a in range(logits.size):
        if mask[a]:
            total += math.exp(logits[a] - highest)
    left = total * _UNIT * np.float64(next_bits(generator) >> np.uint64(11))
    last = -1
    for a in range(logits.size):
        if mask[a]:
            last = a
            left -= math.exp(logits[a] - highest)
            if left < 0:
                break
    return last


@kernel
def best_batch(logits, masks, actions):
    """The best legal action of every row."""
    for i in range(actions.size):
        actions[i] = best(logits[i], masks[i])


@kernel
def draw_batch(generators, logits, masks, actions):
    """A draw for every row."""
    for i in range(actions.size):
        actions[i] = draw(generators[0], logits[i], masks[i])
