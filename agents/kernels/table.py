"""Games side by side that are played to their ends, not dealt anew."""

from __future__ import annotations

from coven.games.core.generic import apply
from coven.games.core.kernels import kernel


@kernel
def apply_batch(states, actions):
    """Carry out a legal action in every game."""
    for i in range(states.size):
        apply(states[i], actions[i])
