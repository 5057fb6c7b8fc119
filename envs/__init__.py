"""The games with the interfaces of other frameworks.

`from coven.envs import witchstone_v0` and then `witchstone_v0.env(num_players=4)`, as PettingZoo's own games are used,
works for every game, ours or not, in its present version. These modules have no files; an import finder makes them.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Sequence
from functools import partial
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

_VERSIONED = re.compile(rf"{re.escape(__name__)}\.([a-z][a-z0-9_]*)_v([0-9]+)")


def __getattr__(name: str) -> Any:
    """The modules of games."""
    if _VERSIONED.fullmatch(f"{__name__}.{name}"):
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class _GameModules(MetaPathFinder, Loader):
    """Finds and makes `coven.envs.<game>_v<version>`."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The module of a game in its present version; another version is an error that says so."""
        asked = _VERSIONED.fullmatch(name)
        if asked is None:
            return None
        from coven.games import game, names

        if asked[1] not in names():
            return None
        found = game(asked[1])
        if int(asked[2]) != found.version:
            raise ModuleNotFoundError(f"{asked[1]} is now at version {found.version}: import {found.id}", name=name)
        return ModuleSpec(name, self)

    def exec_module(self, module: ModuleType) -> None:
        """Fill the module."""
        from coven.envs.aec import make
        from coven.games import game

        found = game(module.__name__.rpartition(".")[2].rpartition("_v")[0])
        module.__doc__ = f"{found.title} as a PettingZoo module; `env` and `raw_env` make the same checked env."
        module.env = module.raw_env = partial(make, found.name)  # type: ignore[attr-defined]


if not any(isinstance(finder, _GameModules) for finder in sys.meta_path):
    sys.meta_path.append(_GameModules())
