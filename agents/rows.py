"""Checks the observations, masks and dice that an agent is given, before a kernel uses them."""

from __future__ import annotations

from typing import Any

import numpy as np

from coven.agents.kernels.rows import first_bad_mask, first_bad_view
from coven.games.core.bits import pad_masks
from coven.games.core.errors import BadOption
from coven.games.core.game import Game
from coven.games.core.rng import GENERATOR

_MASK = np.dtype(np.int8)


def check_dice(dice: Any) -> None:
    """Raise BadOption unless it is a random generator that can be used."""
    if type(dice) is np.ndarray and dice.dtype is GENERATOR and dice.shape == (1,) and dice.flags.carray:
        return  # as nearly always, and quickly: envs ask at every decision
    if not isinstance(dice, np.ndarray) or dice.dtype != GENERATOR or dice.shape != (1,) or not dice.flags.carray:
        raise BadOption(f"dice must be made by coven.games.core.rng.generator, not be {_kind(dice)}")


def check_masks(masks: Any, dice: Any, num_actions: int | None = None) -> np.ndarray:
    """Masks as kernels take them; BadOption unless they are rows of 0 and 1 with something legal in each."""
    if not isinstance(masks, np.ndarray) or masks.ndim != 2 or masks.dtype != _MASK:
        raise BadOption(f"masks must be rows of int8, one for each game, not {_kind(masks)}")
    check_dice(dice)
    padded = masks if masks.shape[1] % 8 == 0 and masks.flags.carray else _own(pad_masks(masks))
    wrong = first_bad_mask(padded, num_actions or masks.shape[1])
    if wrong >= 0:
        raise BadOption(f"mask {wrong} allows nothing, or holds something else than 0 and 1")
    return padded


class Rows:
    """The observations and masks that an agent of a game accepts; if `raw`, observations may lack the derived part."""

    def __init__(self, game: Game, raw: bool = False) -> None:
        self.game, self._lengths = (
            game,
            (game.observation_size, game.layout.raw_size) if raw else (game.observation_size,),
        )
        self._low, self._high = game.layout.bounds()

    def check(self, views: Any, masks: Any, dice: Any) -> tuple[np.ndarray, np.ndarray]:
        """Observations and masks as kernels take them; BadOption unless they have the form that this game writes."""
        game, padded = self.game, check_masks(masks, dice, self.game.num_actions)
        if masks.shape[1] not in (game.num_actions, len(game.idle)):
            raise BadOption(f"masks of {game.name} have {game.num_actions} columns, not {masks.shape[1]}")
        return self.check_views(views, len(masks)), padded

    def check_views(self, views: Any, number: int | None = None) -> np.ndarray:
        """Observations as kernels take them; BadOption unless they have the form that this game writes."""
        game, shape = self.game, np.shape(views)
        known = isinstance(views, np.ndarray) and len(shape) == 2 and number in (None, shape[0])
        if not known or shape[1] not in self._lengths or views.dtype != self._low.dtype:
            wanted = ("any" if number is None else number, self._lengths[0])
            raise BadOption(f"{game.name} is seen in {self._low.dtype} of shape {wanted}, not in {_kind(views)}")
        views = _own(views)
        wrong = first_bad_view(views, self._low, self._high)
        if wrong >= 0:
            raise BadOption(f"observation {wrong} is out of the bounds of {game.name}'s layout")
        checked: np.ndarray = views
        return checked


def _own(array: np.ndarray) -> np.ndarray:
    """An array in the one form that kernels are compiled for."""
    return array if array.flags.carray else np.array(array)


def _kind(thing: Any) -> str:
    """A given object in a few words, for messages."""
    return f"{thing.dtype} of shape {thing.shape}" if isinstance(thing, np.ndarray) else f"a {type(thing).__name__}"
