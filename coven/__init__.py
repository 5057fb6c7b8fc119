"""Coven: hidden-information magic board games for reinforcement learning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from coven import notebook
from coven.envs.aec import make
from coven.envs.registration import register
from coven.envs.vector import make as make_vec
from coven.games import game
from coven.games import names as games
from coven.games.core.errors import BadOption, BadState, CovenError, IllegalAction, OutOfOrder, UnknownGame

if TYPE_CHECKING:
    from coven.arena.replay import Replay
    from coven.envs.agent import Agent
    from coven.envs.gym import CovenGymEnv
    from coven.notebook import Animation

__version__ = "0.1.0"

__all__ = [
    "BadOption",
    "BadState",
    "CovenError",
    "IllegalAction",
    "OutOfOrder",
    "UnknownGame",
    "animate",
    "game",
    "games",
    "make",
    "make_gym",
    "make_vec",
]


def make_gym(
    name: str, num_players: int | None = None, opponents: str | Sequence[str | Agent] = "random", **options: Any
) -> CovenGymEnv:
    """A Gymnasium env: one learner against named bots, clockwise from it; one name stands for all of them."""
    from coven.agents.registry import create
    from coven.envs.gym import CovenGymEnv

    rules = game(name)
    players = int(rules.blank(num_players)["num_players"])
    if not isinstance(opponents, str | list | tuple):
        raise BadOption(
            f"opponents={opponents!r} is not allowed; allowed: the name of a bot, or {players - 1} in a list"
        )
    specs = [opponents] * (players - 1) if isinstance(opponents, str) else opponents
    agents = [create(agent, rules, players) if isinstance(agent, str) else agent for agent in specs]
    return CovenGymEnv(rules, agents, players, **options)


def animate(replay: Replay, height: int = 620) -> Animation:
    """A recorded game as a notebook shows it: a small player of its pictures."""
    return notebook.Animation(replay, height)


register()
notebook.register()
