"""The greedy policy of each game, as one function that finds its implementation by the type of the record.

A greedy policy is a file `greedy_<game>.py` in this folder, found by that name. It holds one kernel,

    choose(observation, mask, generator) -> action

which reads the observation (by the offsets of the game's layout) and the mask, never the state, and returns one of the
actions that the mask allows; the mask may be narrower than what is legal (search asks so for the second best). Ties
are broken with the generator. The docstring of the file explains the strategy in a paragraph.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numba
import numpy as np
from numba.extending import overload

from coven.games.core.drivers import pick
from coven.games.core.game import Game
from coven.games.core.kernels import OPTIONS

_POLICIES: dict[np.dtype[Any], Callable[..., Any]] = {}
_POLICIES_BY_TYPE: dict[numba.types.Record, Callable[..., Any]] = {}


def greedy_module(game: Game) -> ModuleType | None:
    """The file with the game's greedy policy, now known to `choose`; None if it has none."""
    name = f"{__package__}.greedy_{game.name}"
    if importlib.util.find_spec(name) is None:
        return None
    module = importlib.import_module(name)
    _POLICIES[game.record] = module.choose
    _POLICIES_BY_TYPE[numba.from_dtype(game.record)] = module.choose
    return module


def choose(s, observation, mask, generator):
    """The greedy choice of a game, by what the player on turn sees; `s` only says which game it is."""
    return _POLICIES.get(s.dtype, pick_blindly)(observation, mask, generator)


def pick_blindly(observation, mask, generator):
    """In place of a policy that nobody has written: at random."""
    return pick(generator, mask)


@overload(choose, jit_options=OPTIONS)
def _choose(s, observation, mask, generator):
    kernel = _POLICIES_BY_TYPE.get(s)
    if kernel is None:
        return lambda s, observation, mask, generator: pick(generator, mask)
    return lambda s, observation, mask, generator: kernel(observation, mask, generator)
