"""The greedy policy over a batch."""

from __future__ import annotations

from coven.games.core.generic import choose
from coven.games.core.kernels import kernel


@kernel
def choose_batch(blank, observations, masks, dice, actions):
    """The greedy choice for every observation; `blank` is any state of the game and only says which game it is."""
    for i in range(actions.size):
        actions[i] = choose(blank[()], observations[i], masks[i], dice[0])
