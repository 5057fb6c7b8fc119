"""Wie verhext!: cauldrons and shelves with their potion cards, the scrolls, the trick, and what the players have."""

from __future__ import annotations

from typing import Any

from coven.games.core.drawing.canvas import HEIGHT, WIDTH, Canvas
from coven.games.core.drawing.pieces import (
    FADED,
    INK,
    LIGHT,
    PAPER,
    PLATE,
    SEATS,
    SHADE,
    TOP,
    Description,
    badge,
    board,
    card,
    card_back,
    coin,
    darker,
    icon,
    ink_on,
    label,
    pips,
    seats,
    table,
)
from coven.games.wie_verhext.state import LAST_RAVENS

DROPS = {"red": "#c8323c", "green": "#3f9a4a", "white": "#f3f4f0"}
ANY_DROP = "#b9b2c8"
PILES = {
    "copper": ("#c27a4a", "copper cauldron", "wizard"),
    "iron": ("#71757d", "iron cauldron", "witch"),
    "silver": ("#bcc5d0", "silver cauldron", "druid"),
    "gold": ("#e8b23a", "gold shelf", "cutpurse"),
    "drops": ("#86b3c6", "drop shelf", "begging monk"),
}
CAULDRONS = ("copper", "iron", "silver")
_COLLECTS, _TRADES, _BREWS, _ROBS, _CONJURES = "#5c8a4c", "#b98a35", "#5a66ad", "#9c4a3c", "#56397a"
ROLES = {  # icon and colour of each role card
    "wolf keeper": ("wolf", _COLLECTS),
    "snake hunter": ("snake", _COLLECTS),
    "herb collector": ("herb", _COLLECTS),
    "alchemist": ("flask", _TRADES),
    "fortune teller": ("eye", _TRADES),
    "assistant": ("hand", _TRADES),
    "wizard": ("wand", _BREWS),
    "witch": ("hat", _BREWS),
    "druid": ("tree", _BREWS),
    "cutpurse": ("crown", _ROBS),
    "begging monk": ("drop", _ROBS),
    "warlock": ("scroll", _CONJURES),
}
SCROLLS = {
    "copia": "any 3 drops, free",
    "optio": "any one top cauldron card for its drops",
    "herba": "1 green drop for 2 vials",
    "lupus": "1 red drop for 2 vials",
    "serpens": "1 white drop for 2 vials",
    "magus": "the copper card for drops of any colours",
    "sanatio": "the silver card for drops of any colours",
    "strix": "the iron card for drops of any colours",
}

SEATS_H = 362
SEATS_Y = HEIGHT - SEATS_H - 16
TABLE_H = SEATS_Y - TOP - 18
SIDE = 1012  # where scrolls and trick begin
PILE_W = (SIDE - 28) / len(PILES)


def svg(d: Description) -> str:
    """The table as SVG."""
    c = table(d, "Wie verhext!", f"set {d['set']} \u00b7 trick {d['turn']}")
    for i, pile in enumerate(PILES):
        _pile(c, d, pile, 16 + i * PILE_W)
    _scrolls(c, d)
    _trick(c, d)
    for p, (x, w) in enumerate(seats(c, d, SEATS_Y, SEATS_H)):
        _player(c, d, p, x, w)
    return c.svg()


def clicks(d: Description, words: str) -> tuple[str, ...]:
    """The spots of the picture to click for the action that these words mean."""
    kind, _, rest = words.partition(" ")
    if kind in ("choose", "lead"):
        return (f"{'role' if kind == 'choose' else 'hand'} {rest}",)
    if kind in ("claim", "favour"):
        return (f"hand {d['role']}",)
    if kind in ("pay", "gain"):
        return (f"drop {rest}",)
    if kind == "brew" and rest:
        return (f"pile {rest}",)
    if kind == "take":
        return (next(f"pile {pile}" for pile, (_, _, role) in PILES.items() if role == d["role"]),)
    return ("role led",) if kind in ("use", "brew") else (f"player {d['current_player']}",)


# The piles.


def _pile(c: Canvas, d: Description, pile: str, x: float) -> None:
    """A pile: its top card, those below it, and the cauldron or the shelf that it belongs to."""
    metal, title, role = PILES[pile]
    cards, w, y = d["piles"][pile], PILE_W - 12, TOP + 4
    board(c, x, y, w, TABLE_H)
    c.spot(f"pile {pile}", x, y, w, TABLE_H, 10)
    c.text(x + w / 2, y + 18, title, 18, INK, "middle", bold=True, width=w - 20)
    c.text(x + w / 2, y + 38, role, 14, FADED, "middle", italic=True)
    if cards:
        _potion_card(c, pile, cards[0], x + 12, y + 56, 116, 168)
    else:
        c.rect(x + 12, y + 56, 116, 168, "none", r=12, stroke=SHADE, stroke_width=2, stroke_dasharray="6 5")
        c.text(x + 70, y + 140, "empty", 16, FADED, "middle", italic=True)
    for i, below in enumerate(cards[1:]):
        _small_card(c, metal, below, x + 136, y + 56 + i * 29, 34, 25)
    if pile in CAULDRONS:
        _cauldron(c, metal, x + w / 2, y + 276)
    else:
        _shelf(c, d, pile, x, y + 300, w)


def _potion_card(c: Canvas, pile: str, top: Description, x: float, y: float, w: float, h: float) -> None:
    """A potion card: points, bottle, raven, and what it costs."""
    metal = PILES[pile][0]
    card(c, x, y, w, h, PAPER)
    c.rect(x + 5, y + 5, w - 10, h - 10, "none", r=9, stroke=metal, stroke_width=4)
    icon(c, "flask", (x + w / 2, y + 74), 80, metal, stroke=darker(metal, 0.55), stroke_width=0.6)
    icon(c, "star", (x + w / 2, y + 88), 44, "#ffe08a", stroke=INK, stroke_width=0.5)
    c.text(x + w / 2, y + 89.5, top["points"], 24, INK, "middle", bold=True)
    if top["raven"]:
        icon(c, "raven", (x + w - 27, y + 30), 30, INK)
    _cost(c, pile, top["cost"], x + w / 2, y + h - 28)


def _cost(c: Canvas, pile: str, cost: Any, x: float, y: float) -> None:
    """What a card costs: drops of these colours, gold, or drops of any colour."""
    if isinstance(cost, dict):
        drops = [colour for colour, n in cost.items() for _ in range(n)]
        for i, colour in enumerate(drops):
            _drop(c, x + 18 * (i - (len(drops) - 1) / 2), y, 20, colour)
        return
    c.text(x - 4, y, cost, 22, INK, "end", bold=True)
    if pile == "gold":
        coin(c, (x + 14, y), 11)
    else:
        _drop(c, x + 12, y - 1, 24)


def _drop(c: Canvas, x: float, y: float, size: float, colour: str | None = None) -> None:
    """A drop; without a colour one of any."""
    icon(c, "drop", (x, y), size, ANY_DROP if colour is None else DROPS[colour], stroke="#4a4450", stroke_width=1.3)


def _small_card(c: Canvas, metal: str, small: Description, x: float, y: float, w: float, h: float) -> None:
    """A potion card at a glance: its pile by colour, points, raven."""
    card(c, x, y, w, h, metal)
    ink = ink_on(metal)
    if small["raven"]:
        c.text(x + w * 0.3, y + h / 2, small["points"], 16, ink, "middle", bold=True)
        icon(c, "raven", (x + w * 0.68, y + h / 2), 14, ink)
    else:
        c.text(x + w / 2, y + h / 2, small["points"], 16, ink, "middle", bold=True)


def _cauldron(c: Canvas, metal: str, x: float, y: float) -> None:
    """A cauldron over its fire."""
    for dx, height, fill in ((-26, 34, "#e2632b"), (0, 46, "#f0902d"), (26, 34, "#e2632b"), (0, 26, "#f8d25a")):
        icon(c, "drop", (x + dx, y + 128 - height / 2), height, fill)
    c.path("M-54 0C-72 52-46 84 0 84C46 84 72 52 54 0Z", metal, (x, y + 12), stroke=darker(metal, 0.5), stroke_width=2)
    c.path("M-44 12C-54 40-44 60-26 70C-40 54-42 36-36 12Z", "#ffffff", (x, y + 12), fill_opacity=0.35)
    c.ellipse(x, y + 12, 60, 11, darker(metal, 0.8), stroke=darker(metal, 0.5), stroke_width=2)
    c.ellipse(x, y + 12, 50, 7, "#4f7d46")
    for dx, r in ((-24, 4), (-4, 6), (20, 5)):
        c.circle(x + dx, y + 10 - r / 2, r, "#76a866", stroke="#3d6336", stroke_width=1)


def _shelf(c: Canvas, d: Description, pile: str, x: float, y: float, w: float) -> None:
    """A shelf, with the gold or the drops that lie on its top card."""
    count = d[f"shelf_{pile}"]
    for dx in pips(min(count, 9), w - 76, 24, 2):
        if pile == "gold":
            coin(c, (x + 28 + dx, y + 50), 12)
        else:
            _drop(c, x + 28 + dx, y + 50, 26)
    c.text(x + w - 18, y + 50, count, 22, INK, "end", bold=True)
    label(c, x + 14, y + 18, "lying on the card", width=w - 28)
    c.rect(x + 8, y + 66, w - 16, 10, "#8a5a3a", r=3, stroke="#4d2f1b", stroke_width=1.2)
    for dx in (24, w - 34):
        c.path("M0 0H10L0 18Z", "#6d4328", (x + dx, y + 76))


# Scrolls and trick.


def _scrolls(c: Canvas, d: Description) -> None:
    """The active scroll, and the order in which the others come as far as it is known."""
    x, y, w = SIDE, TOP + 4, WIDTH - SIDE - 16
    board(c, x, y, w, 200, "Scrolls")
    c.rect(x + 44, y + 34, w - 88, 84, "#f0dcae", stroke="#a98849", stroke_width=1.5)
    for dx in (30, w - 58):
        c.rect(x + dx, y + 28, 28, 96, "#d9bd80", r=13, stroke="#a98849", stroke_width=1.5)
    active = d["scrolls"][0]
    c.text(x + w / 2, y + 62, active.upper(), 28, "#6b2c3a", "middle", bold=True)
    c.text(x + w / 2, y + 94, SCROLLS[active], 15, INK, "middle", italic=True, width=w - 140)
    step = (w - 24) / 4
    label(c, x + 14, y + 134, "next")
    for i, name in enumerate(d["scrolls"][1:], start=1):
        left, top = x + 12 + i % 4 * step, y + 126 + i // 4 * 34
        if name is None:
            card_back(c, left + 2, top, step - 6, 28, "scroll")
        else:
            card(c, left + 2, top, step - 6, 28, "#f0dcae")
            c.text(left + step / 2, top + 14.5, name, 15, INK, "middle")


def _trick(c: Canvas, d: Description) -> None:
    """The role that was led, who claims it and who took the favour; ravens; banned roles."""
    x, y, w = SIDE, TOP + 214, WIDTH - SIDE - 16
    board(c, x, y, w, TABLE_H - 210, "Trick")
    left = x + 126
    c.spot("role led", x + 16, y + 36, 92, 128, 11)
    if d["phase"] == "choose":
        _choice(c, d, x + 12, y + 32, w - 24)
    elif d["role"] is None:
        c.rect(x + 16, y + 36, 92, 128, "none", r=11, stroke=SHADE, stroke_width=2, stroke_dasharray="6 5")
        words = "the game is over" if d["over"] else "a role is to be led"
        c.text(left, y + 52, words, 17, INK, italic=True)
        if d["leader"] is not None:
            _by(c, left, y + 80, "leader", [d["leader"]])
    else:
        _role(c, d["role"], x + 16, y + 36, 92, 128)
        _by(c, left, y + 50, "led by", [d["leader"]])
        _by(c, left, y + 78, "claimed by", [d["claimant"]])
        _by(c, left, y + 106, "favours", d["favours"])
        if d["pending"] is not None:
            left_over, kind = d["pending"]["left"], d["pending"]["kind"]
            words = f"{kind}: {left_over} more {'drop' if left_over == 1 else 'drops'}"
            c.text(left, y + 134, words, 16, "#8c2f39", bold=True)
    label(c, left, y + 160, "ravens")
    for i in range(max(LAST_RAVENS, d["ravens"])):
        at = (left + 72 + i * 30, y + 160)
        icon(c, "raven", at, 26, INK if i < d["ravens"] else "#d5c5a4")
    if d["banned"]:
        label(c, x + w - 100, y + 40, "banned")
        for i, role in enumerate(d["banned"]):
            _role(c, role, x + w - 104 + i * 48, y + 52, 44, 64, spent=True)


def _choice(c: Canvas, d: Description, x: float, y: float, w: float) -> None:
    """All roles, while they are chosen; dark are those that are banned or that this hand is known to have."""
    spent = [*(d["banned"] or []), *d["hands"][d["current_player"]]]
    step = w / 4
    for i, (role, (emblem, colour)) in enumerate(ROLES.items()):
        left, top, gone = x + i % 4 * step + 2, y + i // 4 * 37, role in spent
        card(c, left, top, step - 5, 33, darker(colour, 0.55) if gone else colour)
        icon(c, emblem, (left + 16, top + 16.5), 22, SHADE if gone else LIGHT)
        c.text(left + 31, top + 17, role, 15, SHADE if gone else LIGHT, bold=True, width=step - 40)
        c.spot(f"role {role}", left, top, step - 5, 33)


def _by(c: Canvas, x: float, y: float, what: str, players: list[int]) -> None:
    """A line that names players."""
    label(c, x, y, what, 15)
    for i, p in enumerate(players):
        badge(c, (x + 92 + i * 26, y), 11, SEATS[p], p)


def _role(c: Canvas, role: str, x: float, y: float, w: float, h: float, spent: bool = False) -> None:
    """A role card: emblem and name; dark when it is spent."""
    emblem, fill = ROLES[role]
    fill = darker(fill, 0.55) if spent else fill
    card(c, x, y, w, h, fill)
    c.circle(x + w / 2, y + h * 0.33, w * 0.34, SHADE if spent else LIGHT)
    icon(c, emblem, (x + w / 2, y + h * 0.33), w * 0.44, darker(fill, 0.8))
    words, size = role.split(), w * 0.215
    for i, word in enumerate(words):
        line = y + h * 0.79 + (i - (len(words) - 1) / 2) * size
        c.text(x + w / 2, line, word, size, SHADE if spent else LIGHT, "middle", bold=True, width=w - 4)


# Players.


def _player(c: Canvas, d: Description, p: int, x: float, w: float) -> None:
    """A player: goods, potions taken, roles played in this set and roles in hand."""
    y, inner = SEATS_Y + PLATE, min(w - 28, 440)
    x += 14
    _goods(c, d, p, x, y + 26, inner)
    cards = d["cards"][p]
    label(c, x, y + 60, f"potions: {len(cards)}")
    for taken, dx in zip(cards, pips(len(cards), inner, 36, 4), strict=True):
        _small_card(c, PILES[taken["pile"]][0], taken, x + dx, y + 70, 36, 30)
    size = (inner - 4 * 6) / 5
    width, height = min(size, 58), 84
    label(c, x, y + 118, "played" + _part_in_trick(d, p), width=inner)
    for i, role in enumerate(d["played"][p]):
        _role(c, role, x + i * (width + 6), y + 130, width, height, spent=role != d["role"])
    label(c, x, y + 232, f"in hand: {len(d['hands'][p])}")
    for i, role in enumerate(d["hands"][p]):
        if role is None:
            card_back(c, x + i * (width + 6), y + 243, width, 78, "hat")
        else:
            _role(c, role, x + i * (width + 6), y + 243, width, 78)
            if p == d["current_player"]:
                c.spot(f"hand {role}", x + i * (width + 6), y + 243, width, 78)


def _part_in_trick(d: Description, p: int) -> str:
    if p == d["claimant"]:
        return " \u00b7 claims the action"
    return " \u00b7 took the favour" if p in d["favours"] else ""


def _goods(c: Canvas, d: Description, p: int, x: float, y: float, w: float) -> None:
    """Drops by colour, gold and vials."""
    step = w / 5
    for i, (colour, count) in enumerate(d["drops"][p].items()):
        _drop(c, x + i * step + 10, y - 1, 24, colour)
        if p == d["current_player"]:
            c.spot(f"drop {colour}", x + i * step - 6, y - 17, step - 2, 34)
        c.text(x + i * step + 24, y, count, 20, INK, bold=True, width=step - 26)
    coin(c, (x + 3 * step + 10, y), 11)
    c.text(x + 3 * step + 25, y, d["gold"][p], 20, INK, bold=True, width=step - 26)
    icon(c, "vial", (x + 4 * step + 12, y), 26, "#b7a5e6", stroke="#4a3a72", stroke_width=1.4)
    c.text(x + 4 * step + 24, y, d["vials"][p], 20, INK, bold=True, width=step - 26)
