"""Your own agent, from any module that Python can import: `py:MODULE:FUNCTION`."""

from __future__ import annotations

import importlib
import os
import sys

from coven.envs.agent import Agent
from coven.games.core.game import Game


def from_spec(rest: str, game: Game, num_players: int) -> Agent:
    """What FUNCTION(rest, game, num_players) of the module makes, with `rest` all that stands behind its name."""
    module, _, rest = rest.partition(":")
    name, _, rest = rest.partition(":")
    if not module or not name:
        raise ValueError("it needs a module and a function")
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
    try:
        agent = getattr(importlib.import_module(module), name)(rest, game, num_players)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"{error} (looked for in the current folder and where Python looks)") from error
    if not isinstance(agent, Agent):
        raise ValueError(f"{module}:{name} made a {type(agent).__name__}, not an Agent")
    return agent
