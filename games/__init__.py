"""The games. A game is a package in this folder that holds a `GAME`; there is no list to keep."""

from __future__ import annotations

import difflib
import importlib
import pkgutil

from coven.games.core.errors import UnknownGame
from coven.games.core.game import Game


def names() -> list[str]:
    """The names of all games."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__) if module.name != "core")


def game(name: str) -> Game:
    """The rules of one game."""
    if name not in names():
        close = difflib.get_close_matches(str(name), names(), 1)
        hint = f" (did you mean {close[0]!r}?)" if close else ""
        raise UnknownGame(f"there is no game {name!r}{hint}; there are {', '.join(names())}")
    found: Game = importlib.import_module(f"coven.games.{name}").GAME
    return found
