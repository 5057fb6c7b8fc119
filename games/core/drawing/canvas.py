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
Value = str | float | None


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
        self._spots: list[str] = []
        self.rect(0, 0, width, height, background)

    def svg(self) -> str:
        """The picture as an SVG document."""
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{self.height}" '
            f'viewBox="0 0 {self.width} {self.height}" font-family="{FONTS}">'
        )
        return "\n".join([head, *self._parts, *self._spots, "</svg>"])

    def rect(self, x: float, y: float, w: float, h: float, fill: str, r: float = 0, **style: Value) -> None:
        """A rectangle, with rounded corners if r is given."""
        self._add("rect", "", x=x, y=y, width=w, height=h, rx=r or None, fill=fill, **style)

    def circle(self, x: float, y: float, r: float, fill: str, **style: Value) -> None:
        """A disc."""
        self._add("circle", "", cx=x, cy=y, r=r, fill=fill, **style)

    def ellipse(self, x: float, y: float, rx: float, ry: float, fill: str, **style: Value) -> None:
        """A disc seen from the side."""
        self._add("ellipse", "", cx=x, cy=y, rx=rx, ry=ry, fill=fill, **style)

    def line(self, start: Point, end: Point, stroke: str, width: float, **style: Value) -> None:
        """A line."""
        (x1, y1), (x2, y2) = start, end
        self._add("line", "", x1=x1, y1=y1, x2=x2, y2=y2, stroke=stroke, stroke_width=width, **style)

    def polygon(self, points: Iterable[Point], fill: str, **style: Value) -> None:
        """A filled outline."""
        corners = " ".join(f"{_number(x)},{_number(y)}" for x, y in points)
        self._add("polygon", "", points=corners, fill=fill, **style)

    def path(self, d: str, fill: str, at: Point = (0, 0), scale: float = 1, turn: float = 0, **style: Value) -> None:
        """An SVG path, moved, enlarged and turned."""
        place = f"translate({_number(at[0])} {_number(at[1])})"
        place += f" rotate({_number(turn)})" if turn else ""
        place += f" scale({_number(scale)})" if scale != 1 else ""
        self._add("path", "", d=d, fill=fill, fill_rule="evenodd", transform=place, **style)

    def text(
        self,
        x: float,
        y: float,
        text: object,
        size: float,
        fill: str,
        anchor: str | None = None,
        bold: bool = False,
        italic: bool = False,
        width: float | None = None,
        halo: str | None = None,
    ) -> None:
        """One line with y as its middle; it shrinks where it would be wider than `width`; a halo sets it off."""
        words = str(text)
        if width is not None:
            size = min(size, size * width / max(text_width(words, size, bold), 1))
        self._add(
            "text",
            escape(words),
            x=x,
            y=y + 0.33 * size,  # half the height of a capital
            font_size=size,
            fill=fill,
            text_anchor=anchor,
            font_weight="bold" if bold else None,
            font_style="italic" if italic else None,
            stroke=halo,
            stroke_width=halo and 3,
            paint_order=halo and "stroke",
        )

    def spot(self, name: str, x: float, y: float, w: float, h: float, r: float = 8, turn: float = 0) -> None:
        """A place that can be clicked where the picture is shown for that: invisible, above all else, with a name.

        It may be turned around its middle by some degrees. Of several with one name only the first is kept.
        """
        words = f'<rect class="spot" data-spot="{escape(name, {chr(34): "&quot;"})}"'
        if any(spot.startswith(words) for spot in self._spots):
            return
        middle = f"{_number(turn)} {_number(x + w / 2)} {_number(y + h / 2)}"
        place = f' transform="rotate({middle})"' if turn else ""
        box = f'x="{_number(x)}" y="{_number(y)}" width="{_number(w)}" height="{_number(h)}" rx="{_number(r)}"'
        self._spots.append(f'{words} {box}{place} fill="none"/>')

    def spot_at(self, name: str, at: Point, r: float) -> None:
        """A round place that can be clicked."""
        self.spot(name, at[0] - r, at[1] - r, 2 * r, 2 * r, r)

    def _add(self, tag: str, content: str, /, **attributes: Value) -> None:
        """Add an element; underscores in names stand for hyphens, and what is None is left out."""
        words = [f"<{tag}"]
        for name, value in attributes.items():
            if value is not None:
                words.append(f'{name.replace("_", "-")}="{value if isinstance(value, str) else _number(value)}"')
        self._parts.append(" ".join(words) + (f">{content}</{tag}>" if content else "/>"))
