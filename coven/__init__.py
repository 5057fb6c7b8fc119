"""Coven: hidden-information magic board games for reinforcement learning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from coven.games import game
from coven.games import names as games
from coven.games.core.errors import BadOption, BadState, CovenError, IllegalAction, OutOfOrder, UnknownGame

if TYPE_CHECKING:
    from coven.envs.aec import CovenEnv

__version__ = "0.1.0"

__all__ = ["BadOption", "BadState", "CovenError", "IllegalAction", "OutOfOrder", "UnknownGame", "game", "games", "make"]


def make(name: str, num_players: int | None = None, render_mode: str | None = None, **options: Any) -> CovenEnv:
    """The PettingZoo AEC env of a game, checks included."""
    from coven.envs import aec  # the rules alone do not need PettingZoo

    return aec.make(name, num_players, render_mode, **options)
