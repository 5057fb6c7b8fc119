"""SVG to pixels, by resvg with a font from a package, so that a picture looks the same on every machine.

Needs the extra `pictures`: resvg-py draws, font-caladea carries the font (resvg has none of its own, and machines in
data centres often have none either), Pillow unpacks the PNG that resvg gives and packs a smaller one.
"""

from __future__ import annotations

import io
from importlib import import_module
from typing import TYPE_CHECKING

import numpy as np

from coven.games.core.errors import BadOption, extra

if TYPE_CHECKING:
    from PIL import Image

SCALES = 0.1, 10
"""Larger pictures would take gigabytes."""


def check() -> None:
    """MissingExtra unless pixels can be made here."""
    with extra("pictures", "pictures in pixels"):
        for module in ("resvg_py", "font_caladea", "PIL.Image"):
            import_module(module)


def png(svg: str, scale: float = 1) -> bytes:
    """The picture as a small PNG file, of no more than 256 colours, which is plenty for flat ones."""
    image = _image(svg, scale)
    from PIL import Image

    file = io.BytesIO()
    image.quantize(256, dither=Image.Dither.NONE).save(file, "PNG", optimize=True)
    return file.getvalue()


def rgb(svg: str, scale: float = 1) -> np.ndarray:
    """The picture as an array of height, width, and red, green and blue in 0..255."""
    return np.array(_image(svg, scale))


def _image(svg: str, scale: float) -> Image.Image:
    if not SCALES[0] <= scale <= SCALES[1]:
        raise BadOption(f"scale={scale!r} is not allowed; allowed: {SCALES[0]} to {SCALES[1]}")
    check()
    import font_caladea
    import resvg_py
    from PIL import Image

    fonts = sorted(font_caladea.font_files.values())
    data = resvg_py.svg_to_bytes(svg_string=svg, zoom=scale, skip_system_fonts=True, font_files=fonts)
    with Image.open(io.BytesIO(data)) as image:
        return image.convert("RGB")
