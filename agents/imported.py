"""Your own agent, from any module that Python can import: `py:MODULE:FUNCTION`."""

from __future__ import annotations

import importlib
import os
import sys
import traceback

from coven.envs.agent import Agent
from coven.games.core.errors import CovenError
from coven.games.core.game import Game


def from_spec(rest: str, game: Game, num_players: int) -> Agent:
    """The agent that FUNCTION(rest, game, num_players) of the module makes; `rest` is the text after its name."""
    module, _, rest = rest.partition(":")
    name, _, rest = rest.partition(":")
    if not module or not name:
        raise ValueError("it needs a module and a function")
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
    try:
        maker = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise ValueError(f"{error} (looked for in the current folder and on Python's path)") from error
    except (Exception, SystemExit) as error:  # whatever a module does while it is imported
        raise ValueError(f"{module} cannot be imported: {_why(error)}") from error
    try:
        agent = maker(rest, game, num_players)
    except CovenError:
        raise
    except (Exception, SystemExit) as error:
        raise ValueError(f"{module}:{name} made no agent: {_why(error)}") from error
    if not isinstance(agent, Agent):
        raise ValueError(f"{module}:{name} made a {type(agent).__name__}, not an Agent")
    return agent


def _why(error: BaseException) -> str:
    """What went wrong in somebody's module, and where."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({frames[-1].filename}, line {frames[-1].lineno})" if len(frames) > 1 else ""
    return f"{type(error).__name__}: {error}{where}"
