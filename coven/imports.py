"""Registers our ids with Gymnasium and PettingZoo as soon as both they and we are imported, in either order.

`import coven` must not import these two, because that takes as long as everything else together. So a finder in front
of all other import finders notices when they are imported, and registers our games then.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any

WAITED_FOR = {"gymnasium", "pettingzoo"}


def register_with_others() -> None:
    """Register our games with those of the two that are imported already, and with the others when they are."""
    for name in WAITED_FOR & sys.modules.keys():
        _register(name)
    if not any(isinstance(finder, _Waiting) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Waiting(WAITED_FOR - sys.modules.keys()))


def _register(name: str) -> None:
    importlib.import_module("coven.envs.registration").register(name)


class _Waiting(MetaPathFinder):
    """Lets others find a module, and adds to its execution that our games are registered with it."""

    def __init__(self, names: set[str]) -> None:
        self.names = names

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """What the others find."""
        if name not in self.names:
            return None
        self.names.remove(name)  # it comes once, and the search below must not end here again
        spec = find_spec(name)
        if spec is not None and spec.loader is not None:
            _register_after(spec.loader, name)
        return spec


def _register_after(loader: Any, name: str) -> None:
    """Let a loader register our games with the module that it has executed."""
    execute = loader.exec_module

    def exec_module(module: ModuleType) -> None:
        execute(module)
        _register(name)

    loader.exec_module = exec_module
