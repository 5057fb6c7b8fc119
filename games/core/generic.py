"""The operations every game provides, as functions that find their implementation by the type of the record.

What drives a game (batches, playouts, search) calls these and is written once. Numba picks the implementation when it
compiles a driver for a record type, and the compiled driver is cached; a closure over a game's kernels would be
compiled again in every process.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba.core.errors import TypingError
from numba.extending import overload

from coven.games.core.kernels import OPTIONS
from coven.games.core.layout import Layout

RULES = ("deal", "legal", "apply", "observe", "score", "determinize")
"""What every game provides."""
DERIVE = "derive"
"""What a game provides too whose observations have a derived part."""
OPERATIONS = (*RULES, "choose")
"""With the greedy policy, which is declared as random play where a game has none."""

_KERNELS: dict[tuple[str, np.dtype[Any]], Callable[..., Any]] = {}
_KERNELS_BY_TYPE: dict[tuple[str, numba.types.Record], Callable[..., Any]] = {}
_RAW_SIZES: dict[Any, int] = {}


def provide(record: np.dtype[Any], layout: Layout, **kernels: Callable[..., Any]) -> None:
    """Give all operations their implementation for one record type."""
    operations = (*OPERATIONS, DERIVE) if layout.size > layout.raw_size else OPERATIONS
    if sorted(kernels) != sorted(operations):
        raise TypeError(f"a game with this layout provides exactly {', '.join(operations)}, not {', '.join(kernels)}")
    for name, kernel in kernels.items():
        if _KERNELS.get((name, record), kernel) is not kernel:
            raise TypeError(f"another game has the same record already: {record}; restart Python after an edit")
        _KERNELS[name, record] = kernel
        _KERNELS_BY_TYPE[name, numba.from_dtype(record)] = kernel
    _RAW_SIZES[record] = _RAW_SIZES[numba.from_dtype(record)] = layout.raw_size


def _implementation(operation: str, s: Any) -> Callable[..., Any]:
    """What a game provides for its record type; a type that no game has declared does not compile."""
    kernel = _KERNELS_BY_TYPE.get((operation, s))
    if kernel is None:
        raise TypingError(f"no game provides {operation!r} for {s}: load the game before you compile")
    return kernel


def deal(s, num_players, seed, options):
    """Set a blank record up for a new game."""
    return _KERNELS["deal", s.dtype](s, num_players, seed, options)


def legal(s, mask):
    """Write 1 for every legal action of the current player and 0 for every other action."""
    return _KERNELS["legal", s.dtype](s, mask)


def apply(s, action):
    """Carry out a legal action."""
    return _KERNELS["apply", s.dtype](s, action)


def observe(s, player, out):
    """Write what this player sees, as the layout says; an `out` with room for the raw part alone gets that."""
    _KERNELS["observe", s.dtype](s, player, out)
    if out.size > _RAW_SIZES[s.dtype]:
        _KERNELS[DERIVE, s.dtype](s, player, out)


def score(s, out):
    """Write a row for each player: points, then tie-breakers, more is better; before the end only what is open."""
    return _KERNELS["score", s.dtype](s, out)


def determinize(s, player, seed):
    """Resample all that this player cannot know, in keeping with all it has seen, and reseed the generator."""
    return _KERNELS["determinize", s.dtype](s, player, seed)


def choose(s, observation, mask, generator):
    """The choice of the game's greedy policy: one of the actions that the mask allows.

    It goes by the raw part of what the player on turn sees, never by the state: `s` only says which game it is. The
    mask may be narrower than what is legal (search asks so for the second best), ties are broken with the generator.
    """
    return _KERNELS["choose", s.dtype](observation, mask, generator)


@overload(deal, jit_options=OPTIONS)
def _deal(s, num_players, seed, options):
    kernel = _implementation("deal", s)
    return lambda s, num_players, seed, options: kernel(s, num_players, seed, options)


@overload(legal, jit_options=OPTIONS)
def _legal(s, mask):
    kernel = _implementation("legal", s)
    return lambda s, mask: kernel(s, mask)


@overload(apply, jit_options=OPTIONS)
def _apply(s, action):
    kernel = _implementation("apply", s)
    return lambda s, action: kernel(s, action)


@overload(observe, jit_options=OPTIONS)
def _observe(s, player, out):
    kernel, derive, raw_size = _implementation("observe", s), _KERNELS_BY_TYPE.get((DERIVE, s)), _RAW_SIZES[s]
    if derive is None:
        return lambda s, player, out: kernel(s, player, out)

    def with_derived(s, player, out):
        kernel(s, player, out)
        if out.size > raw_size:
            derive(s, player, out)

    return with_derived


@overload(score, jit_options=OPTIONS)
def _score(s, out):
    kernel = _implementation("score", s)
    return lambda s, out: kernel(s, out)


@overload(determinize, jit_options=OPTIONS)
def _determinize(s, player, seed):
    kernel = _implementation("determinize", s)
    return lambda s, player, seed: kernel(s, player, seed)


@overload(choose, jit_options=OPTIONS)
def _choose(s, observation, mask, generator):
    kernel = _implementation("choose", s)
    return lambda s, observation, mask, generator: kernel(observation, mask, generator)
