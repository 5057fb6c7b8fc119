"""The spaces of a game, and a space of actions that samples only legal ones."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete, MultiDiscrete

from coven.games.core.game import Game
from coven.games.core.layout import DTYPE


def observation_box(game: Game, scaled: bool = False, derived: bool = True) -> Box:
    """The space of flat observations: uint8 within the layout's bounds, or float32 in 0..1 if `scaled`."""
    low, high = game.layout.bounds(derived)
    return Box(0.0, 1.0, (len(low),), np.float32) if scaled else Box(low, high, dtype=DTYPE)


def observation_dict(game: Game, derived: bool = True) -> Dict:
    """The space of dicts with `observation` and `action_mask`, as PettingZoo's games have them."""
    mask = Box(0, 1, (game.num_actions,), np.int8)
    return Dict({"observation": observation_box(game, derived=derived), "action_mask": mask})


class SampledAction(int):
    """An action that a space sampled without a mask; it was legal at that moment."""

    def legal(self, mask: np.ndarray) -> int:
        """The action, or a legal one if it no longer is: checkers sample an action, reset the env, and then use it."""
        legal = np.flatnonzero(mask)
        return int(self) if mask[self] or not len(legal) else int(legal[self % len(legal)])


class LegalDiscrete(Discrete):
    """The actions of a game; `sample()` without a mask chooses a legal one.

    So checkers and random agents that do not use masks play legal actions. `buffer` is the env's own array of masks, of
    which the first is used. It must be the whole array: a copy of an env shares whole arrays, but not parts of them.
    """

    def __init__(self, num_actions: int, buffer: np.ndarray) -> None:
        super().__init__(num_actions)
        self.buffer = buffer

    @property
    def mask(self) -> np.ndarray:
        """What is legal now."""
        return self.buffer.reshape(-1)[: int(self.n)]

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        """A random legal action, or one that a given mask or probability allows."""
        if mask is None and probability is None:
            legal = self.mask
            return SampledAction(super().sample(mask=legal if legal.any() else None))
        return super().sample(mask=mask, probability=probability)

    def __setstate__(self, state: Any) -> None:
        super().__setstate__(state)
        self.buffer = dict(state)["buffer"]


class SampledActions(np.ndarray):
    """Actions, one for each game, that a space sampled without masks; at that moment they were legal."""

    def legal(self, masks: np.ndarray) -> np.ndarray:
        """The actions, with legal ones in place of those that are no longer legal: see `SampledAction`."""
        actions = np.array(self)
        if actions.shape == (len(masks),):
            for i in np.flatnonzero(masks[np.arange(len(masks)), actions] == 0):
                actions[i] = SampledAction(actions[i]).legal(masks[i])
        return actions


class LegalMultiDiscrete(MultiDiscrete):
    """The actions of a batch of games; `sample()` without a mask chooses a legal one for each game.

    `buffer` is the env's own array of masks, one in each row: all of it, as in `LegalDiscrete`.
    """

    def __init__(self, num_actions: int, buffer: np.ndarray) -> None:
        super().__init__(np.full(len(buffer), num_actions))
        self.buffer = buffer

    def sample(self, mask: Any = None, probability: Any = None) -> np.ndarray:
        """A random legal action for each game, or what given masks or probabilities allow."""
        if mask is not None or probability is not None:
            return super().sample(mask=mask, probability=probability)
        upto = np.cumsum(self.buffer, axis=1, dtype=np.int64)  # how many are legal up to each action
        k = self.np_random.integers(0, np.maximum(upto[:, -1], 1))
        return (upto > k[:, None]).argmax(axis=1).view(SampledActions)

    def __setstate__(self, state: Any) -> None:
        super().__setstate__(state)
        self.buffer = dict(state)["buffer"]
