"""Pictures as pixels; the games draw them (`game.svg`)."""

from __future__ import annotations

import numpy as np


def check() -> None:
    """MissingExtra unless pixels can be made here."""
    from coven.envs.pictures import pixels

    pixels.check()


def png(svg: str, scale: float = 1) -> bytes:
    """An SVG document as a PNG file; needs the extra `pictures`."""
    from coven.envs.pictures import pixels

    return pixels.png(svg, scale)


def rgb(svg: str, scale: float = 1) -> np.ndarray:
    """An SVG document as a uint8 array of shape (height, width, 3); needs the extra `pictures`."""
    from coven.envs.pictures import pixels

    return pixels.rgb(svg, scale)
