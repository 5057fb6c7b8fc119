"""An agent between random and greedy: greedy with a fixed probability, otherwise random."""

from __future__ import annotations

import numpy as np

from coven.agents.greedy import GreedyAgent
from coven.agents.kernels.playout import mix_batch
from coven.agents.rows import Rows
from coven.envs.agent import Agent
from coven.games.core.game import Game


class MixtureAgent(Agent):
    """At every decision plays greedily with a fixed probability, otherwise at random."""

    def __init__(self, game: Game, chance: float) -> None:
        if not 0 <= chance <= 1:
            raise ValueError(f"a probability is a number from 0 to 1, not {chance!r}")
        GreedyAgent(game)  # a game without a greedy strategy is refused there
        self._chance, self.name = chance, f"mix:{chance:g}"
        self.game, self._rows, self._blank = game, Rows(game, raw=True), game.blank()

    @property
    def greedy_chance(self) -> float:  # type: ignore[override]  # nobody sets it
        """Whole games of it can run inside a kernel."""
        return self._chance

    def act_batch(self, views: np.ndarray, masks: np.ndarray, dice: np.ndarray) -> np.ndarray:
        """A choice for each of the observations."""
        return MixtureAgent.act_unchecked(self, *self._rows.check(views, masks, dice), dice)

    def act_unchecked(self, views: np.ndarray, masks: np.ndarray, dice: np.ndarray) -> np.ndarray:
        """The same without looking at the rows."""
        actions = np.empty(len(masks), np.int64)
        mix_batch(self._blank, views, masks, self._chance, dice, actions)
        return actions


def from_spec(rest: str, game: Game, num_players: int) -> MixtureAgent:
    """The agent of a spec such as `mix:0.3`."""
    return MixtureAgent(game, float(rest))
