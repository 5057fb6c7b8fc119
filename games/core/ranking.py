"""From final scores to ranks and rewards, the same for all games."""

from __future__ import annotations

from coven.games.core.kernels import kernel

REWARDS = ("rank", "win", "score")
RANK, WIN, SCORE = range(3)


@kernel
def beats(keys, p, q):
    """Whether row p is better than row q: more points, or equal and better in the first tie-breaker that differs."""
    for k in range(keys.shape[1]):
        if keys[p, k] != keys[q, k]:
            return keys[p, k] > keys[q, k]
    return False


@kernel
def rank(keys, num_players, out):
    """Write ranks: 1 for the best; tied players share a rank, and the next one is skipped (1 1 3)."""
    for p in range(num_players):
        out[p] = 1
        for q in range(num_players):
            if beats(keys, q, p):
                out[p] += 1


@kernel
def reward(keys, num_players, kind, out):
    """Write the final rewards, which always add up to zero.

    `rank`: evenly spaced from +1 to -1 by place; tied players share theirs. `win`: +1 for a sole winner, and the others
    share the loss; tied winners share. `score`: points minus the mean of all players.
    """
    n = num_players
    if kind == SCORE:
        total = 0.0
        for p in range(n):
            total += keys[p, 0]
        for p in range(n):
            out[p] = keys[p, 0] - total / n
        return
    winners = 0
    for p in range(n):
        better, level = 0, 0
        for q in range(n):
            better += beats(keys, q, p)
            level += not beats(keys, q, p) and not beats(keys, p, q)
        out[p] = 1.0 - (2.0 * better + level - 1) / (n - 1)
        winners += better == 0
    if kind == WIN:
        for p in range(n):
            better = 0
            for q in range(n):
                better += beats(keys, q, p)
            share = 1.0 / winners if better == 0 else 0.0
            out[p] = (share - 1.0 / n) * n / (n - 1)
