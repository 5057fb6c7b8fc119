"""The interface of everybody who plays: bots, search and learned agents."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from coven.games.core import drivers
from coven.games.core.batch import Batch
from coven.games.core.rng import next_bits


class Agent:
    """Somebody who chooses a legal action for every seat it is asked for.

    An agent sees only what its seat may know. With `wants_state` False (most agents) a view is the observation of the
    seat on turn; with True (search) it is a state in which all that this seat cannot know has been drawn anew by
    `determinize`: it can be searched, determinized again and thrown away, and tells nothing.

    Masks are as kernels have them: 0 or 1 for every action, followed by a few zeros (see coven.games.core.bits).
    `dice` is a generator record array as `coven.games.core.rng.generator` makes it; all randomness comes from there.
    """

    name: str = "agent"
    wants_state: bool = False
    files: tuple[Path, ...] = ()
    """What decides how it plays beside its code: a stored network, an estimate."""

    def act_batch(self, views: np.ndarray, masks: np.ndarray, dice: np.ndarray) -> np.ndarray:
        """An action for each of the views."""
        raise TypeError(f"{type(self).__name__} does not say how it acts")

    def act(self, view: np.ndarray, mask: np.ndarray, dice: np.ndarray) -> int:
        """An action for one view."""
        return int(self.act_batch(view[None], mask[None], dice)[0])


def choose(agent: Agent, batch: Batch, which: np.ndarray, dice: np.ndarray) -> np.ndarray:
    """Ask an agent for the seats on turn in some games of a batch."""
    players, masks = batch.players[which], batch.padded_masks[which]
    return ask(agent, batch.states[which], players, batch.observations[which], masks, dice)


def ask(
    agent: Agent,
    states: np.ndarray,
    players: np.ndarray,
    observations: np.ndarray,
    masks: np.ndarray,
    dice: np.ndarray,
) -> np.ndarray:
    """Ask an agent for the seats on turn in these games; it gets what these seats may know. The states are used up."""
    if not agent.wants_state:
        return agent.act_batch(observations, masks, dice)
    for k, player in enumerate(players):
        drivers.resample(states[k : k + 1].reshape(()), int(player), np.uint64(next_bits(dice[0])))
    return agent.act_batch(states, masks, dice)
