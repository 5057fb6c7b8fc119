"""Gymnasium's vector env: many games in one batch, with one learner against agents in each.

This is `CovenGymEnv` for many games, and what `gymnasium.make_vec` makes. Each opponent acts in all its games at once.
When a game ends, the next one starts in the same step (autoreset mode SAME_STEP): `infos["final_obs"][i]` is what the
learner saw at the end, and `infos["final_info"]` has the returns of all seats (`returns`) and the learner's seat
(`seat`) in the game that ended.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.spaces import Box
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from coven.envs.agent import Agent
from coven.envs.learner_batch import LearnerBatch, always, check_opponents
from coven.envs.spaces import LegalDiscrete, LegalMultiDiscrete, SampledActions, observation_box
from coven.games.core.errors import BadOption, OutOfOrder
from coven.games.core.game import Game
from coven.games.core.rng import as_seed


class CovenLearnerVectorEnv(VectorEnv[np.ndarray, np.ndarray, np.ndarray]):
    """`num_envs` games; in each you control the learner's seat, and `opponents` play the others, clockwise from it.

    The arguments are those of `CovenGymEnv`. With `seat=None` the learner of game i begins at seat i (modulo the number
    of players) and moves one seat further with every game. `infos["action_mask"]` says what is legal and
    `infos["seat"]` is the learner's seat. An illegal action is an error; `action_space.sample()` chooses legal ones.
    """

    def __init__(
        self,
        game: Game,
        num_envs: int,
        opponents: Sequence[Agent],
        num_players: int | None = None,
        seat: int | None = None,
        rewards: str = "rank",
        scaled: bool = False,
        threads: int = 1,
        render_mode: str | None = None,
        derived: bool = True,
        **options: Any,
    ) -> None:
        if render_mode not in (None, "ansi"):
            raise BadOption(f"render_mode={render_mode!r} is not allowed; allowed: None, 'ansi'")
        pool = always(opponents)
        self.games = LearnerBatch(game, num_envs, pool, num_players, seat, rewards, threads, derived, **options)
        check_opponents(opponents, game, self.games.num_players)
        self.game, self.num_envs, self.num_players = game, self.games.size, self.games.num_players
        self.scaled, self.render_mode, self._begun = scaled, render_mode, False
        self.metadata = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": ["ansi"]}
        self.single_observation_space: Box = observation_box(game, scaled, derived)
        self.single_action_space = LegalDiscrete(game.num_actions, self.games.batch.padded_masks)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = LegalMultiDiscrete(game.num_actions, self.games.batch.padded_masks)
        self._everywhere = np.ones(self.num_envs, bool)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Deal all games (game i with seed + i, without a seed the next ones) and play up to the learner's decision."""
        seed = None if seed is None else int(as_seed(seed))
        super().reset(seed=seed)
        self.games.reset(seed)
        self._begun = True
        return self._show(self.games.observations), self._infos()

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Apply the learner's action in every game, then let the others play until the learner is to act again."""
        if not self._begun:
            raise OutOfOrder(f"step() before the first games of {self.game.name}; call reset() first")
        games, seats = self.games, self.games.seats.copy()
        games.step(actions.legal(games.batch.padded_masks) if isinstance(actions, SampledActions) else actions)
        infos, ended = self._infos(), games.ends.nonzero()[0]
        if len(ended):
            which, last = games.ends != 0, np.full(self.num_envs, None, object)
            last[ended] = list(self._show(games.final_observations[ended]))
            told = {"returns": games.final_rewards.copy(), "_returns": which, "seat": seats, "_seat": which}
            infos |= {"final_obs": last, "_final_obs": which, "final_info": told, "_final_info": which}
        return self._show(games.observations), games.rewards.copy(), games.ends == 1, games.ends == 2, infos

    def action_masks(self) -> np.ndarray:
        """The legal actions in every game; sb3-contrib calls this."""
        return self.games.masks.astype(bool)

    def render(self) -> tuple[str, ...]:
        """Every game as text, as its learner sees it."""
        states, seats = self.games.batch.states, self.games.seats.tolist()
        return tuple(self.game.text(states[i : i + 1].reshape(()), seat) for i, seat in enumerate(seats))

    def close_extras(self, **kwargs: Any) -> None:
        """End the threads."""
        self.games.batch.close()

    def _show(self, observations: np.ndarray) -> np.ndarray:
        return self.game.layout.scale(observations) if self.scaled else observations.copy()

    def _infos(self) -> dict[str, Any]:
        masks, seats = self.games.masks.copy(), self.games.seats.copy()
        return {"action_mask": masks, "_action_mask": self._everywhere, "seat": seats, "_seat": self._everywhere}
