"""Stable-Baselines3: several VecEnvs of one game as one, so that a network learns at several player counts at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from stable_baselines3.common.vec_env import VecEnv

from coven.envs.sb3 import SelfPlayVecEnv


class MixedVecEnv(VecEnv):
    """All games of several VecEnvs (`parts`) of one game, one part after the other."""

    def __init__(self, parts: Sequence[SelfPlayVecEnv]) -> None:
        self.parts, self.render_mode = list(parts), None
        self._cuts = np.cumsum([part.num_envs for part in self.parts])[:-1]
        first = self.parts[0]
        super().__init__(sum(part.num_envs for part in parts), first.observation_space, first.action_space)

    def reset(self) -> np.ndarray:
        """Deal new games at all tables."""
        return np.concatenate([part.reset() for part in self.parts])

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Set the seed for the next reset; the tables of all parts are numbered from it."""
        return [given for part in self.parts for given in part.seed(seed)]

    def step_async(self, actions: np.ndarray) -> None:
        """Store the actions for `step_wait`."""
        for part, own in zip(self.parts, np.split(actions, self._cuts), strict=True):
            part.step_async(own)

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Apply the learner's action at every table, then let its opponents play."""
        observations, rewards, dones, infos = zip(*(part.step_wait() for part in self.parts), strict=True)
        return (
            np.concatenate(observations),
            np.concatenate(rewards),
            np.concatenate(dones),
            [info for own in infos for info in own],
        )

    def action_masks(self) -> np.ndarray:
        """The legal actions at every table."""
        return np.concatenate([part.action_masks() for part in self.parts])

    def has_attr(self, attr_name: str) -> bool:
        """Whether there is such an attribute; sb3-contrib looks for `action_masks` in this way."""
        return hasattr(self, attr_name)

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """The attribute of each of the given tables."""
        values = [value for part in self.parts for value in part.get_attr(attr_name)]
        return [values[i] for i in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set an attribute of all parts."""
        for part in self.parts:
            part.set_attr(attr_name, value)

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> Any:
        """Call a method that returns a result for every table, and return those of the given tables."""
        answers = getattr(self, method_name)(*args, **kwargs)
        return answers if indices is None else [answers[i] for i in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """No table is wrapped."""
        return [False for _ in self._get_indices(indices)]

    def close(self) -> None:
        """End the threads."""
        for part in self.parts:
            part.close()
