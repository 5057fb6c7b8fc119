"""Coven: hidden-information magic board games for reinforcement learning.

Modules are imported when they are first used: who needs only the rules loads only numpy and numba.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

_HERE = Path(__file__).parent
if not (_HERE / "games").is_dir():  # Python was started in a clone: the sub-packages are the folders beside this one
    __path__.append(str(_HERE.parent))

from coven import imports  # noqa: E402, it is found from here on

if TYPE_CHECKING:
    from coven.agents.bot import Bot
    from coven.arena.replay import Replay
    from coven.envs.aec import CovenEnv
    from coven.envs.agent import Agent
    from coven.envs.gym import CovenGymEnv
    from coven.envs.learner_vector import CovenLearnerVectorEnv
    from coven.envs.vector import CovenVectorEnv
    from coven.games import names as games
    from coven.games.core.errors import BadOption, BadState, CovenError, IllegalAction, OutOfOrder, UnknownGame
    from coven.games.core.game import Game
    from coven.notebook import Animation

__version__ = "0.2.0"

__all__ = [
    "BadOption",
    "BadState",
    "CovenError",
    "IllegalAction",
    "OutOfOrder",
    "UnknownGame",
    "animate",
    "bot",
    "game",
    "games",
    "make",
    "make_gym",
    "make_gym_vec",
    "make_vec",
]

_ERRORS = ("BadOption", "BadState", "CovenError", "IllegalAction", "OutOfOrder", "UnknownGame")


def __getattr__(name: str) -> Any:
    """The errors, and the package `games`, which can be called for the names of all games."""
    if name == "games":
        return importlib.import_module("coven.games")
    if name in _ERRORS:
        return getattr(importlib.import_module("coven.games.core.errors"), name)
    raise AttributeError(f"module 'coven' has no attribute {name!r}")


def game(name: str) -> Game:
    """The rules of one game, without any env: `game("alchemists").new(num_players=3, seed=7)`."""
    from coven.games import game

    return game(name)


def make(name: str, num_players: int | None = None, render_mode: str | None = None, **options: Any) -> CovenEnv:
    """The PettingZoo AEC env of a game; `options` are those of `CovenEnv` and those of the game."""
    from coven.envs.aec import make

    return make(name, num_players, render_mode, **options)


def make_vec(
    name: str, num_envs: int, num_players: int | None = None, seed: int | None = None, **options: Any
) -> CovenVectorEnv:
    """A vector env of many games, for all seats; a step makes one decision in each; `options`: see `CovenVectorEnv`."""
    from coven.envs.vector import make

    return make(name, num_envs, num_players, seed, **options)


def bot(spec: str, name: str, num_players: int | None = None) -> Bot:
    """A bot for a game: `bot("ismcts:200", "witchstone", num_players=3).choose(s, seed=1)`."""
    from coven.agents.bot import make

    return make(spec, game(name), num_players)


Opponents = str | Sequence["str | Agent"]


def make_gym(name: str, num_players: int | None = None, opponents: Opponents = "random", **options: Any) -> CovenGymEnv:
    """A Gymnasium env: one learner against bots; `options` as in `CovenGymEnv`.

    `opponents` are specs (or agents), in the order of the seats clockwise from the learner's; a single spec is used for
    all of them.
    """
    from coven.envs.gym import CovenGymEnv

    rules, players, agents = _seated(name, num_players, opponents)
    return CovenGymEnv(rules, agents, players, **options)


def make_gym_vec(
    name: str, num_envs: int, num_players: int | None = None, opponents: Opponents = "random", **options: Any
) -> CovenLearnerVectorEnv:
    """Like `make_gym` for many games at once, as `gymnasium.make_vec` does; `options`: see `CovenLearnerVectorEnv`."""
    from coven.envs.learner_vector import CovenLearnerVectorEnv

    rules, players, agents = _seated(name, num_players, opponents)
    return CovenLearnerVectorEnv(rules, num_envs, agents, players, **options)


def _seated(name: str, num_players: int | None, opponents: Opponents) -> tuple[Game, int, list[Agent]]:
    """The game, its number of players, and an agent for every seat but the learner's."""
    from coven.agents.registry import create
    from coven.games.core.errors import BadOption

    rules = game(name)
    players = int(rules.blank(num_players)["num_players"])
    if not isinstance(opponents, str | list | tuple):
        raise BadOption(
            f"opponents={opponents!r} is not allowed; allowed: a spec such as 'greedy', or a list of {players - 1}"
        )
    specs = [opponents] * (players - 1) if isinstance(opponents, str) else opponents
    return rules, players, [create(agent, rules, players) if isinstance(agent, str) else agent for agent in specs]


def animate(replay: Replay, height: int = 620) -> Animation:
    """A recorded game for a notebook: its pictures, with buttons to step through them."""
    from coven.notebook import Animation

    return Animation(replay, height)


imports.register_with_others()
if "IPython" in sys.modules:  # in a notebook states show themselves
    importlib.import_module("coven.notebook").register()
