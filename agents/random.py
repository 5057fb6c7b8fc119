"""The agent that chooses uniformly among all legal actions."""

from __future__ import annotations

import numpy as np

from coven.agents.registry import no_options
from coven.agents.rows import check_masks
from coven.envs.agent import Agent
from coven.games.core.drivers import pick_batch
from coven.games.core.game import Game


class RandomAgent(Agent):
    """Plays at random."""

    name = "random"
    greedy_chance = 0.0

    def act_batch(self, views: np.ndarray, masks: np.ndarray, dice: np.ndarray) -> np.ndarray:
        """A random legal action for each of the views."""
        return RandomAgent.act_unchecked(self, views, check_masks(masks, dice), dice)

    def act_unchecked(self, views: np.ndarray, masks: np.ndarray, dice: np.ndarray) -> np.ndarray:
        """The same without looking at the masks."""
        actions = np.empty(len(masks), np.int64)
        pick_batch(dice, masks, actions)
        return actions


def from_spec(rest: str, game: Game, num_players: int) -> RandomAgent:
    """The agent of the spec `random`."""
    no_options(rest)
    return RandomAgent()
