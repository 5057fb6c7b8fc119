"""Pictures of the games, drawn from what `describe` shows: a seat's view can show only what that seat may know."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def svg(description: dict[str, Any]) -> str:
    """The table as an SVG document; `description` is what `game.describe(s, viewer)` gives."""
    drawn: str = import_module(f"coven.envs.pictures.{description['game']}").svg(description)
    return drawn
