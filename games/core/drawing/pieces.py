"""What the pictures of all games share: palette, icons, cards, cubes, the frame and the players' panels."""

from __future__ import annotations

import math
from typing import Any

from coven.games.core.drawing.canvas import WIDTH, Canvas, Point, Value, ring, text_width

Description = dict[str, Any]

# The palette.
NIGHT, DUSK = "#17112a", "#2b2144"  # headline and table
PARCHMENT, PAPER, SHADE = "#f4e9d2", "#fffaf0", "#dccbaa"
INK, FADED, LIGHT = "#33263f", "#6f6079", "#f7efe0"
GOLD, BRONZE = "#e8b23a", "#8a6128"
SEATS = ("#c93a55", "#1c8f97", "#d6921a", "#7457cf", "#7d6150")  # players' colours, in the order of seats
BACK = "#4a3a72"  # of face-down cards

# Icons reach from -10 to 10 both ways.
ICONS = {
    "bolt": "M2-10L-6 2H-1L-3 10L6-3H1Z",
    "book": "M-8-7A3 3 0 0 1-5-10H8V10H-5A3 3 0 0 1-8 7ZM-5 5A1.5 1.5 0 0 0-5 8H6V5ZM-3-6V-4H5V-6Z",
    "castle": "M-10 9V-8H-7V-6H-5V-8H-2V-3H2V-8H5V-6H7V-8H10V9H3V5A3 3 0 0 0-3 5V9Z",
    "cauldron": "M-9-7H9V-4H7.5C11 4 7 8 5 8.5L6 10H4L3 9H-3L-4 10H-6L-5 8.5C-7 8-11 4-7.5-4H-9Z",
    "crown": "M-9 8V-6L-4 0L0-9L4 0L9-6V8Z",
    "crystal": "M-4-9H4L8-3L0 10L-8-3ZM-4.5-3.5L0 6L4.5-3.5Z",
    "drop": "M0-10C3-5 7-1 7 3A7 7 0 0 1-7 3C-7-1-3-5 0-10Z",
    "eye": "M-10 0C-5-8 5-8 10 0C5 8-5 8-10 0ZM0-4A4 4 0 1 0 .1-4Z",
    "flask": "M-3-10H3V-8H2V-3L8 6A3 3 0 0 1 5 10H-5A3 3 0 0 1-8 6L-2-3V-8H-3Z",
    "hand": "M-7 9L-8-1L-5-2L-4 2V-8H-1V1V-10H2V1L3-8H6V2L9-3L10-1L7 9Z",
    "hat": "M-10 6C-7 4-5 4-4 3L0-10L6-7L3-5L5 3C6 4 8 4 10 6C5 9-5 9-10 6Z",
    "herb": "M-8 9C-9-3-3-10 9-10C10 2 3 8-4 7L-7 10ZM-4 4L6-7Z",
    "house": "M0-10L10-1H7V9H2V2H-2V9H-7V-1H-10Z",
    "mandrake": "M0-3C5-3 6 0 4 4L8 10L3 7L0 10L-3 7L-8 10L-4 4C-6 0-5-3 0-3ZM-1-4C-6-4-7-8-6-10C-3-9-1-8 0-6"
    "C1-8 3-9 6-10C7-8 6-4 1-4Z",
    "moon": "M4-9A9.5 9.5 0 1 0 9 5A8 8 0 0 1 4-9Z",
    "owl": "M-7-10L-3-8H3L7-10V3A7 7 0 0 1-7 3ZM-3.5-5A2.5 2.5 0 1 0-3.4-5ZM3.5-5A2.5 2.5 0 1 0 3.6-5ZM-1 1H1L0 3Z",
    "pawn": "M0-10A4.5 4.5 0 0 1 3-2L7 9H-7L-3-2A4.5 4.5 0 0 1 0-10Z",
    "raven": "M-10-3L-5-5A4 4 0 0 1 2-6C5-4 6 1 10 8L4 6L3 9L1 5C-4 6-6 2-5-2ZM-2-5A1 1 0 1 0-1.9-5Z",
    "scroll": "M-5-9H6A3 3 0 0 1 9-6V-4H5V6A3 3 0 0 1 2 9H-6A3 3 0 0 1-9 6V4H-5ZM-3-5V-3H3V-5ZM-3-1V1H3V-1Z",
    "skull": "M0-10A8.5 8.5 0 0 1 8.5-1C8 2 7 4 5 5V10H2V7H1V10H-1V7H-2V10H-5V5C-7 4-8 2-8.5-1A8.5 8.5 0 0 1 0-10Z"
    "M-3.7-2.5A2.3 2.3 0 1 0-3.6-2.5ZM3.7-2.5A2.3 2.3 0 1 0 3.8-2.5Z",
    "snake": "M8-9C11-6 8-3 3-3C-3-3-4-1-1 1C4 3 8 6 4 9C1 11-6 10-9 8L-7 6C-3 8 1 8 2 7C3 5-3 4-6 1C-8-3-4-6 3-6L5-9Z",
    "tower": "M-5 10V-4H-7V-10H-4V-8H-1.5V-10H1.5V-8H4V-10H7V-4H5V10H2V5A2 2 0 0 0-2 5V10Z",
    "tree": "M0-10L6-3H3L8 4H2V10H-2V4H-8L-3-3H-6Z",
    "vial": "M-4-10H4V-8H3V7A3 3 0 0 1-3 7V-8H-4Z",
    "wand": "M-8 10L-10 8L0-2L2 0ZM5-10L6.5-6.5L10-5L6.5-3.5L5 0L3.5-3.5L0-5L3.5-6.5Z",
    "wolf": "M-8-10L-3-6H3L8-10L9 0L4 5L2 10H-2L-4 5L-9 0ZM-5-1L-2 1L-5 1.5ZM5-1L2 1L5 1.5Z",
}


def _star(spikes: int, inner: float, outer: float = 10) -> str:
    """The path of a star."""
    points = zip(ring((0, 0), outer, spikes), ring((0, 0), inner, spikes, -90 + 180 / spikes), strict=True)
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for pair in points for x, y in pair) + "Z"


def _pentagram() -> str:
    """A five-pointed star drawn in one line, in a circle."""
    points = ring((0, 0), 8.8, 5)
    star = "L".join(f"{points[i * 2 % 5][0]:.1f} {points[i * 2 % 5][1]:.1f}" for i in range(5))
    return f"M0-10A10 10 0 1 0 .1-10ZM0-8.8A8.8 8.8 0 1 0 .1-8.8ZM{star}Z"


ICONS |= {"star": _star(5, 4.2), "sun": _star(12, 6.5), "seal": _star(16, 8.6), "pentagram": _pentagram()}


def ink_on(fill: str) -> str:
    """Dark or light ink, whichever reads better on a #rrggbb colour."""
    red, green, blue = (int(fill[i : i + 2], 16) for i in (1, 3, 5))
    return INK if 0.3 * red + 0.59 * green + 0.11 * blue > 150 else LIGHT


def darker(fill: str, share: float = 0.7) -> str:
    """A darker shade of a #rrggbb colour."""
    return "#" + "".join(f"{int(int(fill[i : i + 2], 16) * share):02x}" for i in (1, 3, 5))


def icon(c: Canvas, name: str, at: Point, size: float, fill: str, turn: float = 0, **style: Value) -> None:
    """An icon of about that height around a point."""
    c.path(ICONS[name], fill, at, size / 20, turn, **style)


# Pieces.


def cube(c: Canvas, x: float, y: float, size: float, fill: str) -> None:
    """A wooden cube seen from above its front; x, y is the corner of its front's box."""
    top = size * 0.28
    edge = darker(fill, 0.55)
    c.polygon(
        [(x, y + top), (x + top, y), (x + size, y), (x + size - top, y + top)],
        _lighter(fill),
        stroke=edge,
        stroke_width=0.8,
    )
    side = [(x + size, y), (x + size, y + size - top), (x + size - top, y + size), (x + size - top, y + top)]
    c.polygon(side, darker(fill, 0.75), stroke=edge, stroke_width=0.8)
    c.rect(x, y + top, size - top, size - top, fill, stroke=edge, stroke_width=0.8)


def _lighter(fill: str) -> str:
    return "#" + "".join(f"{(int(fill[i : i + 2], 16) + 255) // 2:02x}" for i in (1, 3, 5))


def card(c: Canvas, x: float, y: float, w: float, h: float, fill: str, edge: str | None = None) -> None:
    """A card, face up."""
    c.rect(x + 1.5, y + 2, w, h, "#000000", r=min(w, h) * 0.12, fill_opacity=0.25)
    c.rect(x, y, w, h, fill, r=min(w, h) * 0.12, stroke=edge or darker(fill, 0.6), stroke_width=1.2)


def card_back(c: Canvas, x: float, y: float, w: float, h: float, emblem: str = "moon") -> None:
    """A card, face down."""
    card(c, x, y, w, h, BACK, "#221936")
    inset = min(w, h) * 0.1
    c.rect(x + inset, y + inset, w - 2 * inset, h - 2 * inset, "none", r=inset, stroke="#8b78bd", stroke_width=0.8)
    icon(c, emblem, (x + w / 2, y + h / 2), min(w, h) * 0.4, "#8b78bd")


def badge(c: Canvas, at: Point, r: float, fill: str, text: object, size: float | None = None) -> None:
    """A disc with a number."""
    c.circle(*at, r, fill, stroke=darker(fill, 0.6), stroke_width=1)
    c.text(*at, text, size or r * 1.25, ink_on(fill), "middle", bold=True, width=r * 1.8)


def seal(c: Canvas, at: Point, r: float, player: int) -> None:
    """A player's wax seal."""
    fill = SEATS[player]
    icon(c, "seal", at, 2 * r, fill, stroke=darker(fill, 0.6), stroke_width=1)
    c.circle(*at, r * 0.66, "none", stroke=darker(fill, 0.75), stroke_width=1)
    c.text(*at, player, r, ink_on(fill), "middle", bold=True)


def coin(c: Canvas, at: Point, r: float, text: object = "") -> None:
    """A gold coin, perhaps with a number on it."""
    c.circle(*at, r, GOLD, stroke=BRONZE, stroke_width=1.2)
    c.circle(*at, r * 0.76, "none", stroke="#f9dc8c", stroke_width=1)
    if text != "":
        c.text(*at, text, r * 1.1, INK, "middle", bold=True, width=r * 1.5)


def hexagon(centre: Point, radius: float, pointed: bool = True) -> list[Point]:
    """The corners of a hexagon that stands on a corner, or else on a side."""
    return ring(centre, radius, 6, -90 if pointed else 0)


def pips(count: int, width: float, size: float, gap: float) -> list[float]:
    """Where `count` pieces of a size begin in a row of that width; they overlap where they must."""
    step = size + gap
    if count > 1:
        step = min(step, (width - size) / (count - 1))
    return [i * step for i in range(count)]


def board(c: Canvas, x: float, y: float, w: float, h: float, title: str = "", fill: str = PARCHMENT) -> None:
    """A sheet of parchment on the table, with a heading."""
    c.rect(x + 3, y + 4, w, h, "#000000", r=10, fill_opacity=0.3)
    c.rect(x, y, w, h, fill, r=10, stroke=darker(fill, 0.7), stroke_width=1.5)
    if title:
        c.text(x + 14, y + 17, title, 16, FADED, italic=True, width=w - 28)


# The frame of every picture.

TOP = 56  # where the table begins, below the headline


def table(d: Description, title: str, now: str) -> Canvas:
    """A sheet with the headline: which game, how far it is and whose decision it is."""
    c = Canvas(DUSK)
    c.rect(0, 0, WIDTH, TOP - 8, NIGHT)
    c.text(22, 24, title, 28, GOLD, bold=True, italic=True)
    x = 22 + text_width(title, 28, bold=True) + 24
    seen = "" if d.get("viewer") is None else f" \u00b7 as player {d['viewer']} sees it"
    c.text(x, 25, f"{d['num_players']} players \u00b7 {now}{seen}", 17, LIGHT, width=WIDTH - x - 420)
    if d["over"]:
        best = [str(p) for p, rank in enumerate(d["ranks"]) if rank == 1]
        who = f"Player {best[0]} wins" if len(best) == 1 else f"Players {' and '.join(best)} share the win"
        c.text(WIDTH - 22, 25, f"{'Cut off. ' if d['truncated'] else ''}{who}", 20, GOLD, "end", bold=True, width=390)
    else:
        p = d["current_player"]
        words = f"player {p} decides ({d['phase']})"
        c.text(WIDTH - 22, 25, words, 18, LIGHT, "end", width=360)
        badge(c, (WIDTH - 40 - min(360, text_width(words, 18)), 24), 12, SEATS[p], p)
    return c


PLATE = 34  # the height of the name plate on a player's panel


def seats(c: Canvas, d: Description, y: float, h: float) -> list[tuple[float, float]]:
    """The players' panels side by side along the bottom; where each begins and how wide it is."""
    n = d["num_players"]
    w = (WIDTH - 32 - 12 * (n - 1)) / n
    places = [(16 + p * (w + 12), w) for p in range(n)]
    for p, (x, _) in enumerate(places):
        seat(c, d, p, x, y, w, h)
    return places


def seat(c: Canvas, d: Description, p: int, x: float, y: float, w: float, h: float) -> None:
    """One player's panel: parchment under a name plate with the points.

    Who decides has a golden rim, and the viewer an eye beside the name.
    """
    if p == d["current_player"]:
        c.rect(x - 5, y - 5, w + 10, h + 10, "none", r=14, stroke=GOLD, stroke_width=5)
    board(c, x, y, w, h)
    fill = SEATS[p]
    c.path(f"M0 {PLATE}V10A10 10 0 0 1 10 0H{w - 10:.1f}A10 10 0 0 1 {w:.1f} 10V{PLATE}Z", fill, (x, y))
    ink = ink_on(fill)
    c.spot(f"player {p}", x, y, w, PLATE, 10)
    c.text(x + 14, y + PLATE / 2, f"Player {p}", 19, ink, bold=True)
    left = x + 24 + text_width(f"Player {p}", 19, bold=True)
    if p == d.get("viewer"):
        icon(c, "eye", (left + 11, y + PLATE / 2), 24, ink)
        left += 32
    if d["ranks"]:
        rank = d["ranks"][p]
        name = {1: "1st", 2: "2nd", 3: "3rd"}.get(rank, f"{rank}th")
        if rank == 1:
            icon(c, "crown", (left + 8, y + PLATE / 2), 18, "#ffe08a", stroke=INK, stroke_width=1)
        c.text(left + 24, y + PLATE / 2, name, 16, ink, italic=True)
    c.text(x + w - 34, y + PLATE / 2, d["scores"][p], 22, ink, "end", bold=True)
    icon(c, "star", (x + w - 20, y + PLATE / 2), 18, "#ffe08a", stroke=INK, stroke_width=1)


def label(c: Canvas, x: float, y: float, text: object, size: float = 13, width: float | None = None) -> None:
    """A small heading on parchment."""
    c.text(x, y, text, size, FADED, italic=True, width=width)


def on_circle(centre: Point, radius: float, degrees: float) -> Point:
    """The point of a circle at an angle, 0 up, clockwise."""
    a = math.radians(degrees - 90)
    return centre[0] + radius * math.cos(a), centre[1] + radius * math.sin(a)
