"""Pictures of the games, drawn from what `describe` shows: a seat's view can show only what that seat may know."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np


def svg(description: dict[str, Any]) -> str:
    """The table as an SVG document; `description` is what `game.describe(s, viewer)` gives."""
    drawn: str = import_module(f"coven.envs.pictures.{description['game']}").svg(description)
    return drawn


def png(svg: str, scale: float = 1) -> bytes:
    """An SVG document as a PNG file; needs the extra `pictures`."""
    from coven.envs.pictures import pixels

    return pixels.png(svg, scale)


def rgb(svg: str, scale: float = 1) -> np.ndarray:
    """An SVG document as a uint8 array of shape (height, width, 3); needs the extra `pictures`."""
    from coven.envs.pictures import pixels

    return pixels.rgb(svg, scale)
