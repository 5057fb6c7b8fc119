"""SVG to pixels, by resvg with a font from a package, so that a picture looks the same on every machine.

Needs the extra `pictures`: resvg-py draws, font-caladea carries the font (resvg has none of its own, and machines in
data centres often have none either), Pillow unpacks the PNG that resvg gives.
"""

from __future__ import annotations

import io
from importlib import import_module

import numpy as np

from coven.games.core.errors import MissingExtra


def check() -> None:
    """MissingExtra unless pixels can be made here."""
    try:
        for module in ("resvg_py", "font_caladea", "PIL.Image"):
            import_module(module)
    except ImportError as error:
        raise MissingExtra("pictures", "pictures in pixels", error) from error


def png(svg: str, scale: float = 1) -> bytes:
    """The picture as a PNG file."""
    check()
    import font_caladea
    import resvg_py

    fonts = sorted(font_caladea.font_files.values())
    return resvg_py.svg_to_bytes(svg_string=svg, zoom=scale, skip_system_fonts=True, font_files=fonts)


def rgb(svg: str, scale: float = 1) -> np.ndarray:
    """The picture as an array of height, width, and red, green and blue in 0..255."""
    data = png(svg, scale)
    from PIL import Image

    with Image.open(io.BytesIO(data)) as image:
        return np.array(image.convert("RGB"))
