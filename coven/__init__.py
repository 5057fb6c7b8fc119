"""Coven: hidden-information magic board games for reinforcement learning."""

from __future__ import annotations

from coven.games import game
from coven.games import names as games
from coven.games.core.errors import BadOption, BadState, CovenError, IllegalAction, UnknownGame

__version__ = "0.1.0"

__all__ = ["BadOption", "BadState", "CovenError", "IllegalAction", "UnknownGame", "game", "games"]
