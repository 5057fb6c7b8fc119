"""Are observations and masks such as a game writes? Policies take their numbers as indices without looking."""

from __future__ import annotations

import numpy as np

from coven.games.core.kernels import kernel

_ONES, _NONE = np.uint64(0x0101010101010101), np.uint64(0)  # 1 in each byte


@kernel
def first_bad_mask(masks, num_actions):
    """The first row in which nothing is legal, or that holds anything but 0 and 1 (behind the actions, 0), or -1."""
    for i in range(masks.shape[0]):
        words, seen, behind = masks[i].view(np.uint64), _NONE, 0
        for w in range(words.size):
            seen |= words[w]
        for a in range(num_actions, masks.shape[1]):
            behind |= masks[i, a]
        if seen == _NONE or seen & ~_ONES != _NONE or behind != 0:
            return i
    return -1


@kernel
def first_bad_view(views, low, high):
    """The first row with a number out of its bounds, or -1."""
    for i in range(views.shape[0]):
        wrong = False
        for k in range(views.shape[1]):
            wrong |= (views[i, k] < low[k]) | (views[i, k] > high[k])
        if wrong:
            return i
    return -1
