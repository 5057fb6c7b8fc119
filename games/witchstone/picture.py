"""Witchstone: the crystal ball, wand, pentagram, scrolls and vial rack, and every player's cauldron."""

from __future__ import annotations

import math

from coven.games.core.drawing.canvas import HEIGHT, WIDTH, Canvas, Point
from coven.games.core.drawing.pieces import (
    BACK,
    FADED,
    GOLD,
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
    darker,
    hexagon,
    icon,
    ink_on,
    label,
    on_circle,
    pips,
    seats,
    table,
)
from coven.games.witchstone.box import COMPONENTS
from coven.games.witchstone.geometry import PRINTED_AT, SPACES

SYMBOLS = {  # icon and colour
    "energy": ("bolt", "#e0a021"),
    "witch": ("hat", "#7b4bb5"),
    "pentagram": ("pentagram", "#bd3f55"),
    "crystal": ("crystal", "#2b8fbe"),
    "wand": ("wand", "#4a9657"),
    "scroll": ("scroll", "#a9733a"),
    "points": ("star", "#59535f"),
}
PLACES = {"T": ("tower", "#8d86a3"), "F": ("tree", "#4f8a58"), "V": ("house", "#b5763f"), "C": ("castle", "#a24e63")}
STONE = "#b98cf0"
SILVER = {  # what the silver spaces of the wand count
    "connections": "bolt",
    "scrolls": "scroll",
    "witches": "hat",
    "crystals": "crystal",
    "chips": "seal",
    "specials": "pentagram",
}
BETWEEN = {  # what is going on while no action waits to be carried out
    "tower": "a tower is to be chosen",
    "tile": "a tile is to be laid",
    "start": "the first action is to be chosen",
    "over": "the game is over",
}
OTHERS = {  # icons of the prophecies that are not about clusters and routes
    "stone": "star",
    "witches": "hat",
    "lying": "hat",
    "silver": "wand",
    "specials": "pentagram",
    "scrolls": "scroll",
    "chips": "seal",
    "crystals": "crystal",
}

SEATS_H = 322
SEATS_Y = HEIGHT - SEATS_H - 14
TABLE_H = SEATS_Y - TOP - 16
BALL = (268, TOP + 2 + TABLE_H / 2)
RINGS = {"T": 116, "F": 116, "V": 204, "C": 204}  # how far from the Witchstone
SIDE = 536  # where wand, pentagram, scrolls and rack begin
ROOMY = 560  # a panel wider than this has a large cauldron with everything else beside it


def svg(d: Description) -> str:
    """The table as SVG."""
    now = "set-up" if d["round"] == 0 else f"round {d['round']} of {COMPONENTS['turns']}"
    c = table(d, "Witchstone", now)
    _ball(c, d)
    _wand(c, d)
    _pentagram(c, d)
    _display(c, d)
    _rack(c, d)
    _pending(c, d)
    for p, (x, w) in enumerate(seats(c, d, SEATS_Y, SEATS_H)):
        _player(c, d, p, x, w)
    return c.svg()


def clicks(d: Description, words: str) -> tuple[str, ...]:
    """The spots of the picture to click for the action that these words mean."""
    kind, _, rest = words.partition(" ")
    me, running = d["current_player"], (d["pending"] or [""])[0] or ""
    if kind in ("lay", "crystal", "to", "place", "spoil") and rest.startswith("("):
        return tuple(f"space {space.strip('()')}" for space in rest.split(" "))
    if kind in ("tower", "stand"):
        return (f"at {rest}",)
    if kind in ("tile", "discard"):
        return (f"hand {rest}",)
    if kind == "energy":
        return (f"connection {rest}",)
    if kind == "advance":
        return (running.partition(" ")[0],)
    if words in ("shelf", "bottom"):
        return (f"shelf {running.split()[-1] if words == 'shelf' else 'bottom'}",)
    if kind in ("exit", "chip", "scroll", "spell"):
        return (words,)
    if words == "lay witch":
        return ("witches",)
    return (f"player {me}",) if words == "stop" else ("now",)


def _symbol(c: Canvas, symbol: str, at: Point, size: float, fill: str | None = None) -> None:
    """The icon of a symbol, in its own colour if none is given."""
    emblem, colour = SYMBOLS[symbol]
    icon(c, emblem, at, size, fill or colour)


def _chip(c: Canvas, kind: str, at: Point, r: float) -> None:
    """A round chip."""
    emblem, colour = SYMBOLS[kind]
    c.circle(*at, r, colour, stroke=PAPER, stroke_width=1.4)
    icon(c, emblem, at, r * 1.25, PAPER)


# The crystal ball.


def _ball(c: Canvas, d: Description) -> None:
    """Locations and connections in their glass, the Witchstone in the middle."""
    x, y = BALL
    c.path(
        "M-130-30C-120 20-150 26-170 42H170C150 26 120 20 130-30Z",
        "#7a5631",
        (x, y + 202),
        stroke="#4d3419",
        stroke_width=2,
    )
    c.circle(x, y, 240, "#1c1f4a", stroke="#a9a2dd", stroke_width=4)
    for radius in (216, 180, 140, 96):  # it glows from within
        c.circle(x, y, radius, "#6f74cf", fill_opacity=0.11)
    c.ellipse(
        x - 96, y - 168, 84, 34, "#ffffff", fill_opacity=0.08, transform=f"rotate(-32 {x - 96:.0f} {y - 168:.0f})"
    )
    for name, connection in d["connections"].items():
        _connection(c, name, connection)
    for name, place in d["locations"].items():
        if name != "W":
            _place(c, d, name, place)
        c.spot_at(f"at {name}", _location(name), 30 if name == "W" else 22)
    _stone(c, d)
    for name in d["locations"]:  # last, so that nothing covers them
        if name != "W":
            at = _location(name)
            c.text(at[0] - 23, at[1] - 18, name, 12, "#e4e2fb", "middle", bold=True, halo="#23265a")


def _location(name: str) -> Point:
    """Where a location is: towers and forests take turns on the inner ring, villages and castles on the outer one."""
    if name == "W":
        return BALL
    turn = 90 * int(name[1]) + (45 if name[0] in "FC" else 0)
    return on_circle(BALL, RINGS[name[0]], turn)


def _connection(c: Canvas, name: str, connection: Description) -> None:
    """The spaces between two locations, filled from one end."""
    start, end = map(_location, name.split("-"))
    length, owner = connection["length"], connection["owner"]
    far = math.dist(start, end)
    along = ((end[0] - start[0]) / far, (end[1] - start[1]) / far)
    from_start, from_end = (36 if at == BALL else 22 for at in (start, end))
    room = far - from_start - from_end
    size, turn = min(room / length - 3, 26), math.degrees(math.atan2(along[1], along[0]))
    c.line(start, end, "#7f86c9", 1.5, stroke_opacity=0.6)
    for i in range(length):
        middle = from_start + room * (i + 0.5) / length
        at = (start[0] + along[0] * middle, start[1] + along[1] * middle)
        fill, edge = ("#23265a", "#8f96d6") if i >= connection["filled"] else (SEATS[owner], LIGHT)
        shape = f"M{-size / 2:.1f}-4.5h{size:.1f}v9h{-size:.1f}Z"
        c.path(shape, fill, at, turn=turn, stroke=edge, stroke_width=1.3, stroke_linejoin="round")
    middle = from_start + room / 2
    at = (start[0] + along[0] * middle, start[1] + along[1] * middle)
    c.spot(f"connection {name}", at[0] - room / 2, at[1] - 10, room, 20, 6, turn)


def _place(c: Canvas, d: Description, name: str, place: Description) -> None:
    """A location with its chip, or the witches who stand there; a tower is ringed by who lives in it."""
    at, (emblem, fill) = _location(name), PLACES[name[0]]
    if name in d["tower"]:
        c.circle(*at, 23, SEATS[d["tower"].index(name)])
    c.circle(*at, 18, fill, stroke=LIGHT, stroke_width=1.5)
    icon(c, emblem, at, 21, LIGHT)
    if place["chip"] is not None:
        _chip(c, place["chip"], (at[0] + 15, at[1] - 13), 10.5)
    for p, dx in zip(place["witches"], _row(len(place["witches"]), 15), strict=True):
        _pawn(c, p, (at[0] + dx, at[1] + 17), big=name == d["tower"][p])


def _row(count: int, step: float) -> list[float]:
    """Places of a centred row."""
    return [step * (i - (count - 1) / 2) for i in range(count)]


def _pawn(c: Canvas, p: int, at: Point, big: bool = False) -> None:
    """A witch who stands."""
    icon(c, "hat", at, 25 if big else 19, SEATS[p], stroke=LIGHT, stroke_width=1.2)


def _stone(c: Canvas, d: Description) -> None:
    """The Witchstone, with its places and who took them."""
    x, y = BALL
    c.polygon(hexagon(BALL, 32), STONE, stroke=LIGHT, stroke_width=2)
    c.polygon([(x, y - 32), (x + 14, y), (x, y + 32), (x - 14, y)], "#d9bfff", fill_opacity=0.7)
    for place, dx in enumerate(_row(len(COMPONENTS["stone_places"]), 16.5)):
        taken = place < len(d["stone"])
        fill = SEATS[d["stone"][place]] if taken else PAPER
        c.circle(x + dx, y, 8, fill, stroke=INK, stroke_width=1)
        c.text(x + dx, y, COMPONENTS["stone_places"][place], 11, ink_on(fill), "middle", bold=True)


# Wand and pentagram.


def _wand(c: Canvas, d: Description) -> None:
    """The wand from its hilt to its tip, with the players' places."""
    x, y, w = SIDE, TOP + 4, WIDTH - SIDE - 16
    board(c, x, y, w, 102, "Wand")
    c.spot("wand", x, y, w, 102, 10)
    spaces = [["hilt"], *COMPONENTS["wand"]]
    step = (w - 24) / len(spaces)
    c.rect(x + 14, y + 44, w - 28, 16, "#7a4f2c", r=8)
    for i, space in enumerate(spaces):
        at = (x + 12 + step * (i + 0.5), y + 52)
        _wand_space(c, space, at)
        here = d["wand_order"].get(str(i), []) if i else [p for p, on in enumerate(d["wand"]) if on == 0]
        size = 9 if len(here) < 3 else 6
        for p, dx in zip(here, _row(len(here), 2 * size), strict=True):
            badge(c, (at[0] + dx, y + 87), size, SEATS[p], p)


def _wand_space(c: Canvas, space: list[str | int], at: Point) -> None:
    """A space: light, silver with what it counts, or dark with the actions it starts."""
    kind = space[0]
    if kind == "silver":
        c.circle(*at, 20, "#c9ced8", stroke="#717a88", stroke_width=1.5)
        icon(c, SILVER[str(space[1])], (at[0], at[1] - 4), 19, "#49515f")
        c.text(at[0], at[1] + 12, f"\u00d7{COMPONENTS['silver_points'][space[1]]}", 11, INK, "middle", bold=True)
    elif kind == "dark":
        c.circle(*at, 20, "#3a3050", stroke="#1c1629", stroke_width=1.5)
        _symbol(c, str(space[1]), (at[0], at[1] - 4), 19, "#f0d78a")
        c.text(at[0], at[1] + 12, space[2], 11, LIGHT, "middle", bold=True)
    elif kind == "hilt":
        c.rect(at[0] - 18, at[1] - 15, 36, 30, "#54331a", r=8, stroke=GOLD, stroke_width=2)
    else:
        c.circle(*at, 12, "#fdf3d5", stroke="#b58f4a", stroke_width=1.5)


def _pentagram(c: Canvas, d: Description) -> None:
    """The loop of the pentagram, with special hexes, owls and the players' places."""
    x, y, w, h = SIDE, TOP + 116, 268, TABLE_H - 112
    board(c, x, y, w, h, "Pentagram")
    c.spot("pentagram", x, y, w, h, 10)
    centre, count = (x + w / 2, y + 158), COMPONENTS["pentagram"]["spaces"]
    icon(c, "pentagram", centre, 116, "none", stroke="#d9c39a", stroke_width=0.6)
    c.circle(*centre, 104, "none", stroke="#cdb68a", stroke_width=10)
    for i in range(count):
        at = on_circle(centre, 104, 360 * i / count)
        if str(i) in d["hexes"]:
            _special(c, d["hexes"][str(i)], at, 23)
        elif str(i) in d["owl_stacks"]:
            _owls(c, d["owl_stacks"][str(i)], at)
        else:
            c.circle(*at, 13, GOLD if i == 0 else PAPER, stroke="#a98849", stroke_width=1.5)
        here = [p for p, on in enumerate(d["pentagram"]) if on == i]
        for j, p in enumerate(here):
            badge(c, on_circle(centre, 72 - 18 * (j % 3), 360 * i / count + 20 * (j // 3)), 9, SEATS[p], p)
    label(c, x + 14, y + h - 42, "special hexes to come")
    c.text(x + w - 14, y + h - 42, len(d["piles"]["hexes"]), 15, INK, "end", bold=True)
    label(c, x + 14, y + h - 15, "next")
    known = [name for name in d["piles"]["hexes"][:5] if name is not None]
    for i, name in enumerate(known):
        _special(c, name, (x + 66 + i * 30, y + h - 17), 13)
    if not known:
        label(c, x + 54, y + h - 15, "not known" if d["piles"]["hexes"] else "none")


def _special(c: Canvas, name: str | None, at: Point, r: float) -> None:
    """A special hex with its two symbols; None is the empty place of one."""
    if name is None:
        c.polygon(hexagon(at, r * 0.8), PAPER, stroke=SHADE, stroke_width=1.5)
        return
    left, right = name.split("/")
    corners = hexagon(at, r)
    top, bottom = corners[0], corners[3]
    c.polygon([top, bottom, *corners[4:]], SYMBOLS[left][1])
    c.polygon([*corners[:4]], SYMBOLS[right][1])
    c.polygon(corners, "none", stroke=GOLD, stroke_width=max(1.4, r * 0.1))
    _symbol(c, left, (at[0] - r * 0.43, at[1]), r * 0.62, PAPER)
    _symbol(c, right, (at[0] + r * 0.43, at[1]), r * 0.62, PAPER)


def _owls(c: Canvas, stack: list[int], at: Point) -> None:
    """A stack of owls, the value of the top one on it."""
    c.circle(*at, 19, "#6a4b36" if stack else PAPER, stroke="#3c2818", stroke_width=1.5)
    if not stack:
        icon(c, "owl", at, 21, SHADE)
    else:
        icon(c, "owl", (at[0] - 5, at[1]), 21, "#f3dfb8")
        c.text(at[0] + 10, at[1], stack[0], 16, "#ffd66b", "middle", bold=True)


# Scrolls, rack and what is going on.


def _display(c: Canvas, d: Description) -> None:
    """The scrolls on display, the first one to the left."""
    x, y, w = SIDE + 280, TOP + 116, WIDTH - SIDE - 296
    board(c, x, y, w, 128, f"Scrolls \u00b7 {len(d['piles']['scrolls'])} to come")
    step = (w - 20) / COMPONENTS["display"]
    for i, name in enumerate(d["display"]):
        _scroll(c, name, x + 10 + i * step + 4, y + 32, step - 8, 84)
        c.spot(f"scroll {i + 1}", x + 10 + i * step + 4, y + 32, step - 8, 84)
    for i in range(len(d["display"]), COMPONENTS["display"]):
        c.rect(x + 10 + i * step + 4, y + 32, step - 8, 84, "none", r=8, stroke=SHADE, stroke_dasharray="4 4")


def _scroll(c: Canvas, name: str, x: float, y: float, w: float, h: float, used: bool = False) -> None:
    """A scroll: a spell with its symbol, or a prophecy."""
    kind, _, what = name.partition(" ")
    paper = "#cdb996" if used else ("#e3d3f0" if kind == "spell" else "#f6e3b4")
    card(c, x, y, w, h, paper, "#8f7440")
    c.text(x + w / 2, y + h * 0.24, kind, min(15, h * 0.3), INK, "middle", bold=True, width=w - 5)
    at = (x + w / 2, y + h * 0.66)
    if what in SYMBOLS:
        _symbol(c, what, at, min(h * 0.46, w * 0.5))
        if kind == "spell":
            c.text(
                x + w - 4, y + h * 0.84, f"+{COMPONENTS['spell_actions']['double']}", h * 0.24, INK, "end", bold=True
            )
    elif kind == "spell":
        c.text(*at, f"+{COMPONENTS['spell_actions']['single']}", h * 0.44, INK, "middle", bold=True)
    elif what:
        for kind_of_place, dx in zip(what.split("-"), _row(3, w * 0.29), strict=True):
            icon(c, PLACES[kind_of_place][0], (at[0] + dx, at[1]), min(h * 0.36, w * 0.26), PLACES[kind_of_place][1])
    else:
        icon(c, OTHERS[name], at, h * 0.44, "#7d6138", turn=90 if name == "lying" else 0)


def _rack(c: Canvas, d: Description) -> None:
    """The vial rack: a shelf for each symbol and the bottom one, with the crystals on them."""
    x, y, w, h = SIDE + 280, TOP + 256, 280, TABLE_H - 252
    board(c, x, y, w, h, "Vial rack")
    players = str(d["num_players"])
    step = (h - 36) / len(d["shelves"])
    for i, (name, shelf) in enumerate(d["shelves"].items()):
        row = y + 32 + i * step + step / 2 - 2
        c.spot(f"shelf {name}", x + 6, row - step / 2 + 1, w - 12, step - 2, 4)
        places = COMPONENTS["bottom_shelf" if name == "bottom" else "shelf"][players]
        c.rect(x + 12, row + step / 2 - 4, w - 24, 4, "#8a5a3a", r=2)
        if name == "bottom":
            c.text(x + 16, row, "chip", 13, FADED, italic=True)
        else:
            _symbol(c, name, (x + 28, row), 18)
        crystals = [(p, False) for p in range(d["num_players"]) for _ in range(shelf[str(p)])]
        crystals += [(p, True) for p in shelf["black"]]
        for j in range(places):
            at = (x + 64 + j * 35, row - 1)
            if j < len(crystals):
                _crystal(c, *crystals[j], at, 22)
            else:
                icon(c, "crystal", at, 20, "none", stroke=SHADE, stroke_width=1.4)


def _crystal(c: Canvas, p: int, black: bool, at: Point, size: float) -> None:
    """A player's crystal, or the black one in a rim of the player's colour."""
    c.path(
        "M-4-9H4L8-3L0 10L-8-3Z",
        "#1d1926" if black else SEATS[p],
        at,
        size / 20,
        stroke=SEATS[p] if black else darker(SEATS[p], 0.5),
        stroke_width=2.4 if black else 1.2,
    )
    c.path("M-4-3.5L0 6L4-3.5Z", "#ffffff", at, size / 20, fill_opacity=0.35)


def _pending(c: Canvas, d: Description) -> None:
    """The chips on the table, and what runs and waits."""
    x, y = SIDE + 572, TOP + 256
    w, h = WIDTH - x - 16, TABLE_H - 252
    board(c, x, y, w, 78, "Chips on the table")
    chips = [kind for kind, n in d["table_chips"].items() for _ in range(n)]
    for i, kind in enumerate(chips):
        _chip(c, kind, (x + 32 + i * 38, y + 51), 16)
        c.spot_at(f"chip {kind}", (x + 32 + i * 38, y + 51), 18)
    board(c, x, y + 88, w, h - 88, "Now")
    c.spot("now", x, y + 88, w, h - 88, 10)
    most = 6
    shown = d["pending"] if len(d["pending"]) <= most else [*d["pending"][: most - 1], "..."]
    for i, words in enumerate(shown):
        text = "a tile, hidden" if words is None else words
        c.text(x + 18, y + 124 + i * 19, text, 16, INK if i == 0 else FADED, bold=i == 0, width=w - 36)
    if not shown:
        c.text(x + 18, y + 124, BETWEEN.get(d["phase"], ""), 15, FADED, italic=True)


# Players.


def _player(c: Canvas, d: Description, p: int, x: float, w: float) -> None:
    """A player: cauldron, goods, the tiles in hand and the scrolls."""
    x, y, inner = x + 12, SEATS_Y + PLATE, w - 24
    if inner > ROOMY:
        _cauldron(c, d, p, (x + 140, y + 142), 20)
        beside = x + 294
        below, rest = beside, inner - 294
    else:
        _cauldron(c, d, p, (x + 104, y + 106), 15.5)
        beside, below, rest = x + 218, x, inner
    _goods(c, d, p, beside, y, x + inner - beside)
    _hand(c, d, p, below, y + 222)
    _own_scrolls(c, d, p, below, y + 248, rest)


def _cauldron(c: Canvas, d: Description, p: int, centre: Point, size: float) -> None:
    """The hexagon of spaces, each of a size, with symbols and crystals; the symbols of the exits on the rim."""
    cauldron, mine = d["cauldrons"][p], p == d["current_player"]
    c.polygon(hexagon(centre, size * 7.1, pointed=False), "#57505e", stroke="#2d2833", stroke_width=2)
    for q, r in (*SPACES, *PRINTED_AT):
        at = _space(centre, size, q, r)
        printed, what = PRINTED_AT.get((q, r)), cauldron.get(f"{q},{r}", "")
        if printed is not None:
            c.polygon(hexagon(at, size), darker(SYMBOLS[printed][1], 0.8), stroke=GOLD, stroke_width=1.6)
            _symbol(c, printed, at, size * 1.15, PAPER)
        elif "/" in what:
            _special(c, what, at, size)
        elif what in SYMBOLS:
            c.polygon(hexagon(at, size), SYMBOLS[what][1], stroke="#2d2833", stroke_width=1)
            _symbol(c, what, at, size * 1.15, PAPER)
        else:
            c.polygon(hexagon(at, size), "#efe3c8", stroke="#a39479", stroke_width=1)
            if what:
                _crystal(c, p, what == "black", at, size * 1.25)
        if mine and printed is None:
            c.spot_at(f"space {q},{r}", at, size * 0.84)
    for first, second, symbol in COMPONENTS["exits"]:
        (x1, y1), (x2, y2) = _space(centre, size, *first), _space(centre, size, *second)
        out = ((x1 + x2) / 2 - centre[0], (y1 + y2) / 2 - centre[1])
        far = (math.hypot(*out) + size * 1.45) / math.hypot(*out)
        at = (centre[0] + out[0] * far, centre[1] + out[1] * far)
        c.circle(*at, size * 0.55, PAPER, stroke=SYMBOLS[symbol][1], stroke_width=1.5)
        _symbol(c, symbol, at, size * 0.7)
        if mine:
            c.spot_at(f"exit {symbol}", at, size * 0.75)


def _space(centre: Point, size: float, q: int, r: int) -> Point:
    """Where a space of a cauldron is."""
    return centre[0] + size * math.sqrt(3) * (q + r / 2), centre[1] + size * 1.5 * r


def _goods(c: Canvas, d: Description, p: int, x: float, y: float, w: float) -> None:
    """Energy and witches left, chips, owls, special hexes laid aside and crystals out of the cauldron."""
    icon(c, "bolt", (x + 8, y + 22), 20, SYMBOLS["energy"][1], stroke=INK, stroke_width=0.8)
    c.text(x + 23, y + 22, f"{d['energy'][p]} energy", 15, INK, width=w - 24)
    icon(c, "hat", (x + 8, y + 47), 20, SEATS[p], stroke=INK, stroke_width=0.8)
    c.text(x + 23, y + 47, f"{d['reserve'][p]} left, {d['lying'][p]} lying", 15, INK, width=w - 24)
    if p == d["current_player"]:
        c.spot("witches", x - 4, y + 34, w, 26)
    chips = [kind for kind, n in d["chips"][p].items() for _ in range(n)]
    label(c, x, y + 70, f"chips: {len(chips)}")
    for kind, dx in zip(chips, pips(len(chips), w, 22, 2), strict=True):
        _chip(c, kind, (x + 11 + dx, y + 88), 10.5)
    label(c, x, y + 110, f"owls: {sum(d['owls'][p])}")
    for owl, dx in zip(d["owls"][p], pips(len(d["owls"][p]), w, 24, 2), strict=True):
        badge(c, (x + 11 + dx, y + 128), 10.5, "#6a4b36", owl, 14)
    specials = d["specials"][p]["used"]
    label(c, x, y + 150, f"hexes used: {len(specials)}")
    for name, dx in zip(specials, pips(len(specials), w, 24, 2), strict=True):
        _special(c, name, (x + 12 + dx, y + 169), 12)
    lost = {"spoiled": d["spoiled"][p], "laid aside": len(d["beside"][p])}
    words = ", ".join(f"{count} {how}" for how, count in lost.items() if count)
    if words:
        icon(c, "crystal", (x + 8, y + 195), 14, SEATS[p])
        label(c, x + 19, y + 195, words, width=w - 19)


def _hand(c: Canvas, d: Description, p: int, x: float, y: float) -> None:
    """The double tiles in hand and how many are to come."""
    for i, tile in enumerate(d["hands"][p]):
        left = x + 14 + i * 50
        for j in range(2):
            at = (left + j * 20.8, y + 8)
            if tile is None:
                c.polygon(hexagon(at, 12), BACK, stroke="#221936", stroke_width=1)
            else:
                symbol = tile.split("/")[j]
                c.polygon(hexagon(at, 12), SYMBOLS[symbol][1], stroke="#2d2833", stroke_width=1)
                _symbol(c, symbol, at, 14, PAPER)
        if tile is not None and p == d["current_player"]:
            c.spot(f"hand {tile}", left - 13, y - 6, 46, 28)
    c.text(x + 14 + len(d["hands"][p]) * 50, y + 8, f"+{d['supply'][p]}", 15, FADED, bold=True)


def _own_scrolls(c: Canvas, d: Description, p: int, x: float, y: float, w: float) -> None:
    """Scrolls taken: those still to be used, the prophecies, and in grey those that are spent."""
    own = d["scrolls"][p]
    scrolls = [(name, False) for name in [*own["unused"], *own["prophecies"]]] + [(name, True) for name in own["used"]]
    if not scrolls:
        label(c, x, y + 20, "no scrolls")
        return
    size = min(max(w / len(scrolls) - 3, 30), 58)  # narrower before they overlap
    for (name, used), dx in zip(scrolls, pips(len(scrolls), w, size, 3), strict=True):
        _scroll(c, name, x + dx, y - 4, size, 40, used)
        if not used and p == d["current_player"]:
            c.spot(name, x + dx, y - 4, size, 40)
