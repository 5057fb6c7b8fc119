"""Agents for tests of envs."""

from __future__ import annotations

import numpy as np

from coven.envs.agent import Agent
from coven.games.core import drivers


class Random(Agent):
    """Any legal action."""

    name = "random"

    def act_batch(self, views, masks, dice):
        actions = np.empty(len(views), np.int64)
        drivers.pick_batch(dice, masks, actions)
        return actions


class Watcher(Agent):
    """A random player who wants states and keeps what it was shown."""

    name = "watcher"
    wants_state = True

    def __init__(self):
        self.seen = []

    def act_batch(self, views, masks, dice):
        self.seen += [view.copy() for view in views]
        return Random().act_batch(views, masks, dice)


class Cheat(Agent):
    """Plays an action that is hardly ever legal."""

    name = "cheat"

    def act_batch(self, views, masks, dice):
        return np.full(len(views), masks.shape[1] - 1)
