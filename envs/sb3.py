"""Stable-Baselines3: a VecEnv over one batch, for self-play against a pool of agents.

sb3-contrib's MaskablePPO finds the masks through `action_masks`. Needs the extra `train`.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from stable_baselines3.common.vec_env import VecEnv

from coven.envs.agent import Agent
from coven.envs.learner_batch import LearnerBatch, Opponents, always, check_opponents
from coven.envs.spaces import LegalDiscrete, observation_box
from coven.games.core.game import Game


class SelfPlayVecEnv(VecEnv):
    """`num_envs` games; the learner's seat moves on by one with every game, unless `seat` fixes it.

    `opponents` is a list of agents, clockwise from the learner, or a function that is called at the start of every game
    (see `coven.envs.learner_batch`) and can draw them from a pool of past selves. They act in batches between two
    decisions of the learner. The reward of an action is what the learner is paid until it acts again, so the final
    reward belongs to its last action.

    Observations are float32 in 0..1, scaled by the layout's bounds; with `derived=False` they have the raw part only.
    At the end of a game `infos[i]["episode"]` has its reward and the number of the learner's decisions, as from SB3's
    Monitor, and `infos[i]["terminal_observation"]` is the learner's last observation.
    """

    def __init__(
        self,
        game: Game,
        num_envs: int,
        opponents: Sequence[Agent] | Opponents,
        num_players: int | None = None,
        seed: int | None = None,
        seat: int | None = None,
        rewards: str = "rank",
        threads: int = 1,
        derived: bool = True,
        **options: Any,
    ) -> None:
        pool = opponents if callable(opponents) else always(opponents)
        self.games = LearnerBatch(game, num_envs, pool, num_players, seat, rewards, threads, derived, **options)
        if not callable(opponents):
            check_opponents(opponents, game, self.games.num_players)
        self.game, self.render_mode = game, None
        self._next_seed, self._begun = seed, time.time()
        self._actions = np.zeros(num_envs, np.int64)
        self._nothing: list[dict[str, Any]] = [{} for _ in range(num_envs)]
        actions = LegalDiscrete(game.num_actions, self.games.batch.padded_masks)
        super().__init__(num_envs, observation_box(game, True, derived), actions)

    def reset(self) -> np.ndarray:
        """Deal new games at all tables: with the seed given last or, if that was used, the next game of each."""
        self.games.reset(self._next_seed)
        self._next_seed = None
        return self._observations()

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Set the seed for the next reset; table i gets seed + i."""
        self._next_seed = seed
        return [None if seed is None else seed + i for i in range(self.num_envs)]

    def step_async(self, actions: np.ndarray) -> None:
        """Store the actions for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Apply the learner's action at every table, then let its opponents play."""
        lengths = self.games.lengths + 1
        self.games.step(self._actions)
        dones = self.games.ends != 0
        infos = self._nothing.copy()
        for i in np.flatnonzero(dones):
            episode = {"r": float(self.games.rewards[i]), "l": int(lengths[i]), "t": time.time() - self._begun}
            last = self.game.layout.scale(self.games.final_observations[i])
            # A truncated game pays by rank: no bootstrap.
            infos[i] = {"episode": episode, "terminal_observation": last, "TimeLimit.truncated": False}
        return self._observations(), self.games.rewards.copy(), dones, infos

    def action_masks(self) -> np.ndarray:
        """The legal actions at every table: the env's own array, not a copy."""
        return self.games.masks

    def has_attr(self, attr_name: str) -> bool:
        """Whether there is such an attribute; sb3-contrib looks for `action_masks` in this way."""
        return hasattr(self, attr_name)

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """The attribute, the same for every table."""
        return [getattr(self, attr_name)] * len(self._indices(indices))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set an attribute for all tables."""
        setattr(self, attr_name, value)

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> Any:
        """Call a method that returns a result for every table, and return those of the given tables."""
        answers = getattr(self, method_name)(*args, **kwargs)
        return answers if indices is None else [answers[i] for i in self._indices(indices)]

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """No table is wrapped."""
        return [False] * len(self._indices(indices))

    def close(self) -> None:
        """End the threads."""
        self.games.batch.close()

    def _indices(self, indices: Any) -> list[int]:
        found: list[int] = list(self._get_indices(indices))
        return found

    def _observations(self) -> np.ndarray:
        return self.game.layout.scale(self.games.observations)
