"""The agent that follows a game's hand-written strategy, its `greedy.py`."""

from __future__ import annotations

import sys

import numpy as np

from coven.agents.kernels.greedy import choose_batch
from coven.agents.registry import no_options
from coven.agents.rows import Rows
from coven.envs.agent import Agent
from coven.games.core.errors import BadOption
from coven.games.core.game import Game, compile_once
from coven.games.core.kernels import marker
from coven.games.core.rng import generator


class GreedyAgent(Agent):
    """Follows the hand-written heuristics of a game: takes what looks best now, without search."""

    name = "greedy"
    greedy_chance = 1.0

    def __init__(self, game: Game) -> None:
        if game.greedy is None:
            raise BadOption(f"nobody has written a greedy strategy for {game.name}")
        self.strategy = (sys.modules[game.greedy.__module__].__doc__ or "").strip()
        self.game, self._rows, self._blank = game, Rows(game, raw=True), game.blank()
        ready = marker(choose_batch, f"greedy_{game.name}", game.sources)
        compile_once(f"{game.title} (greedy)", ready, [("choose", lambda: self._first_call(game))])

    def _first_call(self, game: Game) -> None:
        s = game.new(seed=0)
        self.act(game.observe(s, int(s["current"])), game.legal_mask(s), generator(0))

    def act_batch(self, views: np.ndarray, masks: np.ndarray, dice: np.ndarray) -> np.ndarray:
        """The greedy choice for each of the observations."""
        return GreedyAgent.act_unchecked(self, *self._rows.check(views, masks, dice), dice)

    def act_unchecked(self, views: np.ndarray, masks: np.ndarray, dice: np.ndarray) -> np.ndarray:
        """The same without checking the rows."""
        actions = np.empty(len(masks), np.int64)
        choose_batch(self._blank, views, masks, dice, actions)
        return actions


def from_spec(rest: str, game: Game, num_players: int) -> GreedyAgent:
    """The agent of the spec `greedy`."""
    no_options(rest)
    return GreedyAgent(game)
