"""A sheet to draw on: shapes and text in, SVG out."""

from __future__ import annotations

import math
from collections.abc import Iterable
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 1440, 900  # of every picture, at every number of players, so that pictures of a game make a film

FONTS = "Caladea, Cambria, Georgia, serif"

# Widths of letters as shares of the font size, a little generous, to keep text inside its frame without a font at hand.
_NARROW, _WIDE, _USUAL, _CAPITAL = 0.32, 0.9, 0.54, 0.68
_BOLDER = 1.06

Point = tuple[float, float]


def text_width(text: str, size: float, bold: bool = False) -> float:
    """About how wide a text is."""
    width = 0.0
    for letter in text:
        if letter in "iljtfrI.,:;!'|()/ -":
            width += _NARROW
        elif letter in "mwMW":
            width += _WIDE
        else:
            width += _CAPITAL if letter.isupper() else _USUAL
    return width * size * (_BOLDER if bold else 1)


def ring(centre: Point, radius: float, count: int, first: float = -90) -> list[Point]:
    """Points at even distances on a circle, clockwise from an angle in degrees."""
    angles = [math.radians(first + 360 * i / count) for i in range(count)]
    return [(centre[0] + radius * math.cos(a), centre[1] + radius * math.sin(a)) for a in angles]


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


class Canvas:
    """Draws in the order of the calls; every fill and stroke is a CSS colour, every further style an SVG attribute.

    For the sake of speed there are no gradients and no `opacity` (each costs resvg a layer or more): flat colours, and
    `fill_opacity` or `stroke_opacity` where something shines through.
    """

    def __init__(self, background: str, width: int = WIDTH, height: int = HEIGHT) -> None:
        self.width, self.height = width, height
        self._parts: list[str] = []
        self.rect(0, 0, width, height, background)

    def svg(self) -> str:
        """The picture as an SVG document."""
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{self.height}" '
            f'viewBox="0 0 {self.width} {self.height}" font-family="{FONTS}">'
        )
        return "\n".join([head, *self._parts, "</svg>"])

    def rect(self, x: float, y: float, w: float, h: float, fill: str, r: float = 0, **style: str | float) -> None:
        """A rectangle, with rounded corners if r is given."""
        self._add("rect", {"x": x, "y": y, "width": w, "height": h, "rx": r or None, "fill": fill} | style)

    def circle(self, x: float, y: float, r: float, fill: str, **style: str | float) -> None:
        """A disc."""
        self._add("circle", {"cx": x, "cy": y, "r": r, "fill": fill} | style)

    def ellipse(self, x: float, y: float, rx: float, ry: float, fill: str, **style: str | float) -> None:
        """A disc seen from the side."""
        self._add("ellipse", {"cx": x, "cy": y, "rx": rx, "ry": ry, "fill": fill} | style)

    def line(self, start: Point, end: Point, stroke: str, width: float, **style: str | float) -> None:
        """A line with round ends."""
        ends = {"x1": start[0], "y1": start[1], "x2": end[0], "y2": end[1]}
        self._add("line", ends | {"stroke": stroke, "stroke_width": width, "stroke_linecap": "round"} | style)

    def polygon(self, points: Iterable[Point], fill: str, **style: str | float) -> None:
        """A filled outline."""
        corners = " ".join(f"{_number(x)},{_number(y)}" for x, y in points)
        self._add("polygon", {"points": corners, "fill": fill} | style)

    def path(
        self, d: str, fill: str, at: Point = (0, 0), scale: float = 1, turn: float = 0, **style: str | float
    ) -> None:
        """An SVG path, moved, enlarged and turned."""
        place = f"translate({_number(at[0])} {_number(at[1])})"
        place += f" rotate({_number(turn)})" if turn else ""
        place += f" scale({_number(scale)})" if scale != 1 else ""
        self._add("path", {"d": d, "fill": fill, "fill_rule": "evenodd", "transform": place} | style)

    def text(
        self,
        x: float,
        y: float,
        text: object,
        size: float,
        fill: str,
        anchor: str = "start",
        bold: bool = False,
        italic: bool = False,
        width: float | None = None,
        **style: str | float,
    ) -> None:
        """One line with y as its middle; it shrinks where it would be wider than `width`."""
        words = str(text)
        if width is not None:
            size = min(size, size * width / max(text_width(words, size, bold), 1))
        style |= {"font_weight": "bold"} if bold else {}
        style |= {"font_style": "italic"} if italic else {}
        style |= {"text_anchor": anchor} if anchor != "start" else {}
        place = {"x": x, "y": y + 0.33 * size, "font_size": size, "fill": fill}  # half the height of a capital
        self._add("text", place | style, escape(words))

    def _add(self, tag: str, attributes: dict[str, str | float | None], content: str = "") -> None:
        words = [f"<{tag}"]
        for name, value in attributes.items():
            if value is not None:
                words.append(f'{name.replace("_", "-")}="{value if isinstance(value, str) else _number(value)}"')
        self._parts.append(" ".join(words) + (f">{content}</{tag}>" if content else "/>"))
