"""Black Magic Friday: ten shops in a circle by day and night, spell piles, and the witches with hands and curses."""

from __future__ import annotations

import math

from coven.games.core.drawing.canvas import HEIGHT, WIDTH, Canvas, Point
from coven.games.core.drawing.pieces import (
    FADED,
    GOLD,
    INK,
    LIGHT,
    PAPER,
    PLATE,
    SHADE,
    TOP,
    Description,
    badge,
    board,
    card,
    card_back,
    darker,
    icon,
    ink_on,
    label,
    pips,
    seats,
    table,
)

COLOURS = {
    "purple": "#8d4fae",
    "red": "#c93b3b",
    "yellow": "#e9bd2f",
    "green": "#4a9950",
    "blue": "#3b72c4",
    "black": "#3a343f",
}
INGREDIENTS = {"purple": "eye", "red": "drop", "yellow": "sun", "green": "herb", "blue": "snake"}
MANDRAKE, CURSE = "#a97f4b", "#2b2130"
SPELLS = {  # icon and effect
    "cleanse": ("drop", "remove an own scroll"),
    "bestow": ("skull", "give a scroll away"),
    "swap": ("hand", "swap a card"),
    "fetch": ("pawn", "take a card from a shop"),
    "again": ("sun", "another turn"),
    "haste": ("bolt", "+1 reach"),
    "vanish": ("moon", "drop a colour at the end"),
    "oblivion": ("eye", "drop the hand at the end"),
}
POWERS = {"1": "#6f9e5b", "2": "#4f8fb3", "3": "#8567b8", "4": "#b7568c", "5": "#c4553d"}

SEATS_H = 316
SEATS_Y = HEIGHT - SEATS_H - 16
TABLE_H = SEATS_Y - TOP - 18
SIDE = 912  # where the spell piles begin
CENTRE = (460, TOP + 4 + TABLE_H / 2)
REACH = (370, 196)  # of the circle of shops
SHOP = (140, 92)


def svg(d: Description) -> str:
    """The table as SVG."""
    rounds = d["last_rounds"]
    now = f"turn {d['turn']}"
    if rounds:
        now += " \u00b7 " + ("the last round" if rounds == 1 else f"{rounds} last rounds to go")
    c = table(d, "Black Magic Friday", now)
    _market(c, d)
    _piles(c, d)
    _gone(c, d)
    for p, (x, w) in enumerate(seats(c, d, SEATS_Y, SEATS_H)):
        _witch(c, d, p, x, w)
    return c.svg()


def clicks(d: Description, words: str) -> tuple[str, ...]:
    """The spots of the picture to click for the action that these words mean; seats and shops are told by distance."""
    kind, _, rest = words.partition(" ")
    me = d["current_player"]
    if kind == "move" or words.startswith("fetch shop"):
        return (f"shop {(d['assistant'] + int(words.split()[-1])) % len(d['shops'])}",)
    if kind == "book" and rest != "mandrake":
        return (f"hand {rest} grimoire",)
    if kind == "add" and rest != "mandrake":
        return (f"hand {rest} ingredient",)
    if kind in ("book", "add", "return"):
        return (f"hand {rest}",)
    if kind == "cast":
        return (f"pile {rest}",)
    if kind == "discard":
        return (rest,)
    if kind in ("target", "marker"):
        return (f"player {(me + int(words.split()[-1])) % d['num_players']}",)
    return ("spell",) if kind in ("lay", "pick") else (f"player {me}",)


# Cards.


def _article(c: Canvas, name: str, x: float, y: float, w: float, h: float) -> None:
    """A card: ingredients have a coloured rim, grimoires are coloured all over."""
    colour, _, kind = name.partition(" ")
    middle = (x + w / 2, y + h / 2)
    if colour == "curse":
        card(c, x, y, w, h, CURSE)
        icon(c, "skull", (middle[0], y + h * 0.36), w * 0.56, "#e9dcc3")
        c.text(middle[0], y + h * 0.8, kind, h * 0.3, "#ff8f7a", "middle", bold=True)
    elif colour == "mandrake":
        card(c, x, y, w, h, MANDRAKE)
        icon(c, "mandrake", middle, w * 0.72, "#4b3013")
    elif kind == "grimoire":
        card(c, x, y, w, h, COLOURS[colour])
        icon(c, "book", middle, w * 0.62, ink_on(COLOURS[colour]))
    else:
        card(c, x, y, w, h, PAPER)
        c.rect(
            x + w * 0.08,
            y + w * 0.08,
            w * 0.84,
            h - w * 0.16,
            "none",
            r=w * 0.08,
            stroke=COLOURS[colour],
            stroke_width=w * 0.09,
        )
        icon(c, INGREDIENTS[colour], middle, w * 0.5, COLOURS[colour], stroke=darker(COLOURS[colour]), stroke_width=0.6)


def _counted(c: Canvas, name: str, count: int, x: float, y: float, w: float, h: float) -> None:
    """A card with how many there are; its empty place if there are none."""
    if not count:
        c.rect(x, y, w, h, "none", r=w * 0.12, stroke=SHADE, stroke_width=1.2, stroke_dasharray="3 3")
        return
    _article(c, name, x, y, w, h)
    if count > 1:
        badge(c, (x + w - 3, y + h - 5), 9.5, PAPER, count, 14)


# The market.


def _market(c: Canvas, d: Description) -> None:
    """The shops clockwise from the top, the deck and the spell being built in the middle."""
    x, y = CENTRE
    c.rect(16, TOP + 4, SIDE - 28, TABLE_H, "#46385f", r=10, stroke="#221936", stroke_width=1.5)
    c.ellipse(x, y, *REACH, "none", stroke="#6b5a89", stroke_width=26)
    c.ellipse(x, y, *REACH, "none", stroke="#8c7aa8", stroke_width=2, stroke_dasharray="2 10")
    for i, shop in enumerate(d["shops"]):
        angle = 2 * math.pi * i / len(d["shops"]) - math.pi / 2
        at = (x + REACH[0] * math.cos(angle), y + REACH[1] * math.sin(angle))
        _shop(c, shop, i, at, here=i == d["assistant"])
    _deck(c, d)
    _laid(c, d)


def _shop(c: Canvas, shop: Description, number: int, at: Point, here: bool) -> None:
    """A shop: its front under an awning, sun or moon, and the cards on offer."""
    w, h = SHOP
    x, y, night = at[0] - w / 2, at[1] - h / 2, shop["kind"] == "night"
    wall, stripe = ("#2c3163", "#4a5190") if night else ("#fdf0cd", "#d9694a")
    c.spot(f"shop {number}", x, y, w, h, 9)
    if here:
        c.rect(x - 5, y - 5, w + 10, h + 10, "none", r=13, stroke=GOLD, stroke_width=4)
    c.rect(x + 2, y + 3, w, h, "#000000", r=9, fill_opacity=0.35)
    c.rect(x, y, w, h, wall, r=9, stroke="#221936", stroke_width=1.5)
    for i in range(8):
        fill = stripe if i % 2 else ("#c9cdea" if night else "#fff7e3")
        c.path(f"M0 0H{w / 8:.2f}V15A{w / 16:.2f} 6 0 0 1 0 15Z", fill, (x + i * w / 8, y + 3))
    ink = "#c3c8ea" if night else FADED
    icon(c, "moon" if night else "sun", (x + w - 15, y + 38), 18, "#f3e7a3" if night else "#e59a1c")
    c.text(x + w - 15, y + 60, number, 13, ink, "middle", italic=True)
    cards = shop["cards"]
    for name, dx in zip(cards, pips(len(cards), w - 38, 36, 3), strict=True):
        if name is None:
            card_back(c, x + 8 + dx, y + 32, 36, 52)
        else:
            _article(c, name, x + 8 + dx, y + 32, 36, 52)
    if here:
        icon(c, "pawn", (at[0], y + 60), 54, GOLD, stroke=INK, stroke_width=0.6)
        icon(c, "hat", (at[0], y + 27), 25, INK)
    elif not cards:
        c.text(at[0], y + 66, "sold out", 15, ink, "middle", italic=True)


def _deck(c: Canvas, d: Description) -> None:
    """The deck, with the next cards where they are known."""
    x, y = CENTRE[0] - 150, CENTRE[1] - 64
    count = len(d["deck"])
    for i in range(min(3, count)):
        card_back(c, x + i * 3, y - i * 3, 62, 88)
    if not count:
        c.rect(x, y, 62, 88, "none", r=8, stroke="#8c7aa8", stroke_width=1.5, stroke_dasharray="5 4")
    c.text(x + 34, y + 106, f"{count} cards", 16, LIGHT, "middle", bold=True)
    known = [name for name in d["deck"][:3] if name is not None]
    for i, name in enumerate(known):
        _article(c, name, x + 84 + i * 36, y + 38, 32, 46)
    if known:
        c.text(x + 84, y + 22, "next", 13, "#c9bcdd", italic=True)


def _laid(c: Canvas, d: Description) -> None:
    """The spell being built: its book and its ingredients."""
    x, y = CENTRE[0] + 54, CENTRE[1] - 70
    c.spot("spell", x - 6, y - 10, 200, 108)
    c.text(x, y, "spell being cast", 13, "#c9bcdd", italic=True)
    if d["laid"] is None:
        c.rect(x, y + 14, 56, 78, "none", r=8, stroke="#8c7aa8", stroke_width=1.5, stroke_dasharray="5 4")
        return
    _article(c, d["laid"]["book"], x, y + 14, 56, 78)
    cards = [name for name, n in d["laid"]["ingredients"].items() for _ in range(n)]
    for name, dx in zip(cards, pips(len(cards), 122, 38, 4), strict=True):
        _article(c, name, x + 66 + dx, y + 38, 38, 54)


# Spells.


def _piles(c: Canvas, d: Description) -> None:
    """The five spell piles with the top spell of each."""
    x, y, w = SIDE, TOP + 4, WIDTH - SIDE - 16
    board(c, x, y, w, 252, "Spells")
    step = (w - 20) / len(d["piles"])
    for i, (value, spells) in enumerate(d["piles"].items()):
        left = x + 10 + i * step
        c.text(left + step / 2, y + 44, f"power {value}", 16, INK, "middle", bold=True)
        c.spot(f"pile {value}", left + 2, y + 32, step - 4, 214)
        if not spells:
            c.rect(left + 6, y + 60, step - 14, 140, "none", r=11, stroke=SHADE, stroke_width=2, stroke_dasharray="6 5")
            c.text(left + step / 2, y + 130, "empty", 15, FADED, "middle", italic=True)
            continue
        for depth in range(min(len(spells), 4), 0, -1):  # the cards below
            c.rect(left + 6 + depth, y + 60 + 2 * depth, step - 14, 140, darker(POWERS[value], 0.5), r=10)
        _spell(c, spells[0], value, left + 6, y + 60, step - 14, 140)
        names = "" if len(spells) < 2 or spells[1] is None else f"then {spells[1]}"
        c.text(left + step / 2, y + 220, f"{len(spells)} left" if len(spells) > 1 else "the last", 14, INK, "middle")
        c.text(left + step / 2, y + 238, names, 12, FADED, "middle", italic=True, width=step - 6)


def _spell(c: Canvas, spell: str, value: str, x: float, y: float, w: float, h: float) -> None:
    """A spell card in full."""
    emblem, effect = SPELLS[spell]
    fill = POWERS[value]
    card(c, x, y, w, h, fill)
    c.circle(x + w / 2, y + h * 0.32, w * 0.32, LIGHT)
    icon(c, emblem, (x + w / 2, y + h * 0.32), w * 0.38, darker(fill))
    c.text(x + w / 2, y + h * 0.65, spell, 17, LIGHT, "middle", bold=True, width=w - 8)
    words = effect.split()
    half = max(range(1, len(words)), key=lambda i: -abs(len(" ".join(words[:i])) - len(effect) / 2))
    for i, line in enumerate((" ".join(words[:half]), " ".join(words[half:]))):
        c.text(x + w / 2, y + h * 0.79 + i * 14, line, 12.5, LIGHT, "middle", italic=True, width=w - 6)


def _gone(c: Canvas, d: Description) -> None:
    """Cards played, and cards out of the game."""
    x, y, w = SIDE, TOP + 268, WIDTH - SIDE - 16
    board(c, x, y, w, TABLE_H - 264, "Played, and out of the game")
    gone = {name: d["played"].get(name, 0) + d["removed"].get(name, 0) for name in d["played"] | d["removed"]}
    rows = (
        [*(f"{colour} ingredient" for colour in INGREDIENTS), "mandrake", "curse 1", "curse 2"],
        [*(f"{colour} grimoire" for colour in COLOURS), "curse 3"],
    )
    for j, row in enumerate(rows):
        for i, name in enumerate(row):
            _counted(c, name, gone.get(name, 0), x + 16 + i * 59, y + 36 + j * 84, 50, 72)


# Witches.


def _witch(c: Canvas, d: Description, p: int, x: float, w: float) -> None:
    """A witch: curses, the marker, spells cast and the hand."""
    x, y, inner = x + 14, SEATS_Y + PLATE, w - 28
    label(c, x, y + 20, "curses")
    curses = d["curses"][p]
    for curse, dx in zip(curses, pips(len(curses), inner - 130, 28, 3), strict=True):
        _article(c, f"curse {curse}", x + 52 + dx, y + 4, 28, 38)
        if p == d["current_player"]:
            c.spot(f"curse {curse}", x + 52 + dx, y + 4, 28, 38, 4)
    if d["marker"] == p:
        at = (x + inner - 44, y + 22)
        c.rect(at[0] - 4, at[1] - 15, 48, 30, "#7c1f33", r=15, stroke="#3c0d18", stroke_width=1.5)
        icon(c, "skull", (at[0] + 10, at[1]), 20, "#ffd9c9")
        c.text(at[0] + 30, at[1], "\u22122", 16, "#ffd9c9", "middle", bold=True)
    if d["passed"][p]:
        c.text(x + inner, y + 54, "passed", 15, "#8c2f39", "end", bold=True)
    label(c, x, y + 54, f"spells: {len(d['spells'][p])}")
    for cast, dx in zip(d["spells"][p], pips(len(d["spells"][p]), inner, 72, 5), strict=True):
        _cast(c, cast, x + dx, y + 64)
    label(c, x, y + 136, f"in hand: {d['hand_sizes'][p]}")
    _hand(c, d, p, x, y + 148, inner)


def _cast(c: Canvas, cast: Description, x: float, y: float) -> None:
    """A spell that was cast, with its book behind it."""
    colour = cast["book"].partition(" ")[0]
    book = COLOURS.get(colour, MANDRAKE)
    card(c, x, y, 72, 58, book)
    c.text(x + 6, y + 48, f"+{cast['book_points']}", 12, ink_on(book), bold=True)
    icon(c, "book" if colour in COLOURS else "mandrake", (x + 60, y + 48), 12, ink_on(book))
    if cast["spell"] is None:
        c.text(x + 36, y + 20, "no spell", 13, ink_on(book), "middle", italic=True)
        return
    fill = POWERS[str(cast["value"])]
    card(c, x + 3, y + 3, 66, 36, fill)
    c.text(x + 9, y + 21, cast["value"], 18, LIGHT, bold=True)
    c.text(x + 44, y + 21, cast["spell"], 13, LIGHT, "middle", width=46)


def _hand(c: Canvas, d: Description, p: int, x: float, y: float, w: float) -> None:
    """A hand: ingredients and mandrakes above, grimoires below; face down where it is not known."""
    hand, size = d["hands"][p], d["hand_sizes"][p]
    if hand is None:
        for dx in pips(size, w, 62, 6):
            card_back(c, x + dx, y + 16, 62, 88, "hat")
        return
    step = min(w / 6, 70)
    width = min(step - 8, 48)
    for i, colour in enumerate(COLOURS):
        above = "mandrake" if colour == "black" else f"{colour} ingredient"  # there are no black ingredients
        below = f"{colour} grimoire"
        for name, top in ((above, y), (below, y + 66)):
            _counted(c, name, hand.get(name, 0), x + i * step, top, width, 60)
            if p == d["current_player"]:
                c.spot(f"hand {name}", x + i * step, top, width, 60, 6)
