"""Replays recorded games and writes the observation and mask of every decision."""

from __future__ import annotations

from coven.games.core.generic import apply, legal, observe
from coven.games.core.kernels import kernel


@kernel
def retell(states, actions, ends, seats, masks, observations):
    """Play dealt games again, each up to its end in `actions`, and write a row for every decision."""
    k = 0
    for i in range(states.size):
        s = states[i]
        while k < ends[i]:
            seats[k] = s.current
            legal(s, masks[k])
            observe(s, s.current, observations[k])
            apply(s, actions[k])
            k += 1
