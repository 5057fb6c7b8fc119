"""The games by name: ours, and those of other installed packages.

A game of ours is a package in this folder with a `GAME`. Another package declares its games in the entry point group
`coven.games`; there is no list to edit. Called like a function, this package gives the names: `coven.games()`.
"""

from __future__ import annotations

import difflib
import importlib
import pkgutil
import sys
import warnings
from collections.abc import Iterator
from importlib.metadata import EntryPoint, entry_points
from types import ModuleType
from typing import TYPE_CHECKING, Any

from coven.games.core.errors import BadState, BrokenGame, UnknownGame

if TYPE_CHECKING:
    from coven.games.core.game import Game

GROUP = "coven.games"

_loaded: dict[str, Game] = {}


def built_in() -> list[str]:
    """The names of the games that come with Coven."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__) if module.name != "core")


def names() -> list[str]:
    """The names of all games, ours first."""
    ours = built_in()
    return ours + sorted({entry.name for entry in entry_points(group=GROUP)} - set(ours))


def game(name: str) -> Game:
    """The rules of one game."""
    if name not in _loaded:
        _loaded[name] = _load(name)
    return _loaded[name]


def all_games() -> Iterator[Game]:
    """All games that can be loaded; a warning says why a game cannot."""
    for name in names():
        try:
            yield game(name)
        except BrokenGame as error:
            warnings.warn(str(error), stacklevel=2)


def unpickle(name: str, version: int, package: str) -> Game:
    """The game of a pickle: by its name or, if it is not installed, from the package it came from."""
    found = game(name) if name in names() else importlib.import_module(package).GAME
    if found.version != version:
        raise BadState(f"these bytes are of {name}_v{version}; the game is now {found.id}")
    checked: Game = found
    return checked


def _load(name: str) -> Game:
    foreign = [entry for entry in entry_points(group=GROUP) if entry.name == name]
    if name in built_in():
        _check_alone(name, ["coven-rl", *map(_package, foreign)])
        ours: Game = importlib.import_module(f"coven.games.{name}").GAME
        return ours
    if not foreign:
        hint = "".join(f" (did you mean {close!r}?)" for close in _close(str(name)))
        raise UnknownGame(f"there is no game {name!r}{hint}; there are {', '.join(names())}")
    _check_alone(name, list(map(_package, foreign)))
    return _load_foreign(foreign[0])


def _close(name: str) -> list[str]:
    """The game that somebody may have meant: one that begins with this text, or has most of its letters in order."""
    begun = [found for found in names() if len(name) > 2 and found.startswith(name)]
    return begun[:1] or difflib.get_close_matches(name, names(), 1, cutoff=0.75)


def _check_alone(name: str, packages: list[str]) -> None:
    if len(packages) > 1:
        raise BrokenGame(
            f"{' and '.join(packages)} both bring a game {name!r}; uninstall one of them, or rename its game"
        )


def _load_foreign(entry: EntryPoint) -> Game:
    """A game from another package; errors name the package."""
    what = f"the game {entry.name!r} of the package {_package(entry)}"
    try:
        found: Any = entry.load()
        found = found.GAME if isinstance(found, ModuleType) else found
    except Exception as error:
        raise BrokenGame(f"{what} cannot be loaded: {type(error).__name__}: {error}") from error
    from coven.games.core.game import Game

    if not isinstance(found, Game) or found.name != entry.name:
        raise BrokenGame(f"{what} is {found!r}; allowed: a Game of that name, or a module that holds it as GAME")
    return found


def _package(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist else entry.value


class _Callable(ModuleType):
    """A package that can be called."""

    def __call__(self) -> list[str]:
        return names()


sys.modules[__name__].__class__ = _Callable
