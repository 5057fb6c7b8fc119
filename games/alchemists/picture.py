"""Alchemists: the compendium with its ten cauldrons, the reserve, the bag, and what is behind the screens."""

from __future__ import annotations

from coven.games.core.drawing.canvas import WIDTH, Canvas, Point
from coven.games.core.drawing.pieces import (
    BACK,
    FADED,
    GOLD,
    INK,
    PARCHMENT,
    PLATE,
    SHADE,
    TOP,
    Description,
    board,
    card,
    card_back,
    cube,
    darker,
    icon,
    ink_on,
    label,
    pips,
    seal,
    seats,
    table,
)

CUBES = {"blue": "#3f74c9", "grey": "#a3a5ab", "green": "#4c9f52", "orange": "#e8792b", "yellow": "#f2cd3a"}
NAMES = {
    "blue": "mushrooms",
    "grey": "bird legs",
    "green": "dragon's blood",
    "orange": "troll eyes",
    "yellow": "spiders",
}
IRON = "#4b4453"

BOOK = (16, TOP + 4, 960, 524)  # x, y, width, height of the open compendium
SIDE = 992  # where the reserve and the bag begin
SEATS_Y = TOP + 548
SEATS_H = 900 - SEATS_Y - 18


def svg(d: Description) -> str:
    """The table as SVG."""
    c = table(d, "Alchemists", f"turn {d['turn']}")
    _compendium(c, d)
    _reserve(c, d)
    _bag(c, d)
    _tiles(c, d)
    for p, (x, w) in enumerate(seats(c, d, SEATS_Y, SEATS_H)):
        _screen(c, d, p, x, w)
    return c.svg()


def clicks(d: Description, words: str) -> tuple[str, ...]:
    """The spots of the picture to click for the action that these words mean."""
    kind, _, rest = words.partition(" ")
    if kind in ("create", "copy"):
        return (f"cauldron {rest.partition(':')[0]}",)
    if kind in ("value", "take"):
        return (f"{'tile' if kind == 'value' else 'reserve'} {rest}",)
    return ("bag",) if kind == "draw" else (f"player {d['current_player']}",)


def _compendium(c: Canvas, d: Description) -> None:
    """The open book with the cauldrons in two rows of five."""
    x, y, w, h = BOOK
    c.rect(x, y, w, h, "#6d3f26", r=14, stroke="#3e2415", stroke_width=2)
    c.rect(x + 8, y + 8, w - 16, h - 16, "#faf1dc", r=8, stroke=SHADE, stroke_width=1)
    for width in (36, 18, 6):  # the fold between the pages
        c.rect(x + w / 2 - width / 2, y + 8, width, h - 16, "#7a5a2a", fill_opacity=0.07)
    step = (w - 28) / 5
    for i, cauldron in enumerate(d["cauldrons"]):
        _cauldron(c, cauldron, x + 14 + i % 5 * step, y + 12 + i // 5 * (h / 2 - 6), step)


def _cauldron(c: Canvas, cauldron: Description, x: float, y: float, w: float) -> None:
    """A cauldron: what it produces on top, the recipe in its belly, the fame tile and the owner's seal."""
    middle, rim = x + w / 2, y + 100
    first, second = cauldron["produces"]
    c.spot(f"cauldron {first}+{second}", x + 6, y + 4, w - 12, 230, 14)
    brewed = cauldron["owner"] is not None
    c.text(middle, y + 16, f"{first} + {second}", 14, FADED, "middle", italic=True)
    if brewed:  # steam
        for dx in (-34, 0, 34):
            curl = f"M{middle + dx:.0f} {rim - 8:.0f}c-12-14 12-22 0-38"
            c.path(curl, "none", stroke=CUBES[second if dx else first], stroke_width=5, stroke_opacity=0.35)
    for dx, colour in ((-25, first), (5, second)):
        cube(c, middle + dx - 2, y + 34, 26, CUBES[colour])
    for dx in (-44, 44):  # feet
        c.path("M-7 0L-4 20H4L7 0Z", darker(IRON), (middle + dx, rim + 106))
    c.path("M-72 0C-96 70-70 118 0 118C70 118 96 70 72 0Z", IRON, (middle, rim), stroke="#26212b", stroke_width=2)
    c.path("M-62 14C-74 60-60 92-30 104C-54 84-60 54-52 14Z", "#6d6578", (middle, rim))
    c.ellipse(middle, rim, 78, 13, "#5d5566", stroke="#26212b", stroke_width=2)
    c.ellipse(middle, rim, 66, 8.5, CUBES[first] if brewed else "#2b2530")
    if brewed:
        c.ellipse(middle + 20, rim, 34, 6, CUBES[second])
        _recipe(c, cauldron["recipe"], (middle, rim + 48))
        _tile(c, middle - 6, rim + 76, cauldron["value"])
        seal(c, (middle - 30, rim + 91), 17, cauldron["owner"])


def _recipe(c: Canvas, recipe: dict[str, int], at: Point) -> None:
    """The cubes on a cauldron, alike ones together."""
    cubes = [colour for colour, n in recipe.items() for _ in range(n)]
    for i, colour in enumerate(cubes):
        cube(c, at[0] + 25 * (i - len(cubes) / 2) + 1, at[1] - 12, 23, CUBES[colour])


def _tile(c: Canvas, x: float, y: float, value: int | None) -> None:
    """A fame tile; one that is being chosen has no number yet."""
    c.rect(x, y, 44, 30, GOLD if value else SHADE, r=5, stroke="#7d5716", stroke_width=1.5)
    c.text(x + 22, y + 15.5, "?" if value is None else value, 21, INK, "middle", bold=True)


def _reserve(c: Canvas, d: Description) -> None:
    """The reserve by colour, as rows of stacked cubes; below each how many are out of the game."""
    w = WIDTH - SIDE - 16
    board(c, SIDE, TOP + 4, w, 266, "Reserve")
    for i, (colour, count) in enumerate(d["reserve"].items()):
        y = TOP + 38 + i * 45
        c.spot(f"reserve {colour}", SIDE + 6, y - 4, w - 12, 43)
        label(c, SIDE + 14, y + 9, NAMES[colour], 14)
        label(c, SIDE + 14, y + 26, f"{d['removed'][colour]} out of the game", 12)
        for dx in pips(count, 240, 23, 2):
            cube(c, SIDE + 136 + dx, y + 4, 25, CUBES[colour])
        c.text(SIDE + w - 16, y + 17, count, 22, INK if count else "#b3203a", "end", bold=True)


def _bag(c: Canvas, d: Description) -> None:
    """The bag, with its contents where they are known."""
    y, w = TOP + 282, WIDTH - SIDE - 16
    board(c, SIDE, y, w, 146, "Bag")
    c.spot("bag", SIDE, y, w, 146, 10)
    sack = "M-14-40C-6-34 6-34 14-40L18-46H-18ZM-16-36C-52-14-58 30-36 40H36C58 30 52-14 16-36C6-31-6-31-16-36Z"
    c.path(sack, "#8a5a3a", (SIDE + 76, y + 84), stroke="#4d2f1b", stroke_width=2)
    c.path("M-17-37C-6-31 6-31 17-37", "none", (SIDE + 76, y + 84), stroke=GOLD, stroke_width=4)
    c.text(SIDE + 76, y + 92, d["bag_size"], 30, PARCHMENT, "middle", bold=True)
    if d["bag"] is None:
        label(c, SIDE + 156, y + 76, "nobody knows what is in it", 15)
        return
    for i, (colour, count) in enumerate(d["bag"].items()):
        x = SIDE + 154 + i * 52
        cube(c, x, y + 46, 32, CUBES[colour])
        c.text(x + 15, y + 100, count, 20, INK, "middle", bold=True)


def _tiles(c: Canvas, d: Description) -> None:
    """The fame tiles that can still be had, at their places."""
    y, w = TOP + 440, WIDTH - SIDE - 16
    board(c, SIDE, y, w, 88, "Fame tiles")
    places = range(1, len(d["cauldrons"]) + 1)  # one tile for every cauldron
    step = (w - 24) / len(places)
    for value in places:
        x = SIDE + 12 + (value - 1) * step
        if value in d["tiles"]:
            c.rect(x + 2, y + 36, step - 4, 36, GOLD, r=5, stroke="#7d5716", stroke_width=1.5)
            c.spot(f"tile {value}", x + 2, y + 36, step - 4, 36, 5)
            c.text(x + step / 2, y + 54.5, value, 21, INK, "middle", bold=True)
        else:
            c.rect(x + 2, y + 36, step - 4, 36, "none", r=5, stroke=SHADE, stroke_width=1.5, stroke_dasharray="4 3")


def _screen(c: Canvas, d: Description, p: int, x: float, w: float) -> None:
    """A player: seals left, school card, and the cubes behind the screen."""
    y = SEATS_Y + PLATE
    if p == d["first_player"]:
        label(c, x + 14, y + 18, "first player")
    for i in range(d["seals"][p]):
        seal(c, (x + w - 22 - i * 26, y + 20), 12, p)
    _school(c, d, p, x + 14, y + 40)
    hand = d["hands"][p]
    left, width = x + 88, min(w - 102, 360)
    if hand is None:
        _closed(c, left, y + 40, width, 196, d["hand_sizes"][p])
        return
    label(c, left, y + 48, f"behind the screen: {d['hand_sizes'][p]}", width=width)
    for i, (colour, count) in enumerate(hand.items()):
        row = y + 62 + i * 35
        if not count:
            c.rect(left, row + 8, 20, 20, "none", r=3, stroke=SHADE, stroke_width=1.2)
        for dx in pips(count, width - 34, 25, 3):
            cube(c, left + dx, row + 2, 27, CUBES[colour])
        c.text(left + width, row + 17, count, 18, INK if count else "#b8a684", "end", bold=True)


def _school(c: Canvas, d: Description, p: int, x: float, y: float) -> None:
    """The school card, and at the end what it brought."""
    school = d["schools"][p]
    label(c, x, y + 8, "school")
    if school is None:
        card_back(c, x, y + 22, 58, 82, "flask")
        return
    card(c, x, y + 22, 58, 82, CUBES[school])
    icon(c, "flask", (x + 29, y + 54), 34, ink_on(CUBES[school]))
    c.text(x + 29, y + 90, school, 14, ink_on(CUBES[school]), "middle", bold=True)
    if d["school_rewards"] is not None:
        c.text(x + 29, y + 124, f"+{d['school_rewards'][p]}", 24, INK, "middle", bold=True)


def _closed(c: Canvas, x: float, y: float, w: float, h: float, count: int) -> None:
    """A screen that hides its cubes: three folds and how many are behind them."""
    fold = w / 3
    for i in range(3):
        skew = 8 if i % 2 else -8
        left, right = x + i * fold, x + (i + 1) * fold
        corners = [(left, y + 8 - skew), (right, y + 8 + skew), (right, y + h - skew / 2), (left, y + h + skew / 2)]
        c.polygon(corners, BACK if i % 2 else darker(BACK, 0.85), stroke="#221936", stroke_width=1.5)
    icon(c, "moon", (x + w / 2, y + h * 0.36), 36, "#8b78bd")
    c.text(x + w / 2, y + h * 0.66, f"{count} cubes", 22, PARCHMENT, "middle", bold=True, width=w - 12)
