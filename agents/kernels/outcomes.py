"""Games of a policy, from which a value network learns: what every seat saw, and what came of it.

Up to some turn a game is played with errors, so that positions come up which the policy alone would never reach, and
which a search asks about; from there on the policy plays, and its play decides what they are worth.
"""

from __future__ import annotations

from coven.agents.kernels.estimate import look_around, write_outcome
from coven.agents.kernels.policy import draw, outputs_for
from coven.games.core.drivers import pick
from coven.games.core.generic import apply, legal, observe
from coven.games.core.kernels import kernel
from coven.games.core.record import NOBODY
from coven.games.core.rng import below

MOST_ERRORS = 30  # per cent of the decisions before the first position of a game that is kept


@kernel
def gather_outcomes(states, turns, keep, policy, logits, mask, keys, returns, margins, dice, views, targets, used):
    """Play dealt games to their ends and write positions from row `used[0]` on, while there is room.

    A position is a row for every seat: what it sees, the return by rank that it gets in the end, and its margin in
    points. Errors end in one of the first `turns` turns; from then on one of `keep` decisions is kept.
    """
    g = dice[0]
    for i in range(states.size):
        s = states[i]
        first, errors, begun = below(g, turns), below(g, MOST_ERRORS + 1), used[0]
        while s.current != NOBODY:
            if s.turn >= first and below(g, keep) == 0:
                used[0] += look_around(s, views, used[0])
            legal(s, mask)
            if s.turn < first and below(g, 100) < errors:
                apply(s, pick(g, mask))
            else:
                observe(s, s.current, policy.observation)
                outputs_for(policy.observation, mask, policy, 0, logits)
                apply(s, draw(g, logits, mask))
        write_outcome(s, keys, returns, margins, targets[begun : used[0]])
