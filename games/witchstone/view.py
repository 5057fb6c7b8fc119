"""How Witchstone looks to people: strings, `describe` and the table as text."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from coven.games.core.actions import in_full
from coven.games.core.record import NOBODY
from coven.games.witchstone.geometry import (
    CONNECTION_AT,
    CONNECTIONS,
    LENGTH,
    LOCATION_AT,
    LOCATIONS,
    NUM_TOWERS,
    PRINTED_AT,
    RADIUS,
    SPACES,
    SYMBOLS,
)
from coven.games.witchstone.observation import game_round
from coven.games.witchstone.state import (
    ACTION,
    ACTIONS,
    CHIP,
    CHIP_BONUS,
    CHIP_KINDS,
    CODE_NAMES,
    DO_DISCARD,
    DO_ENERGY,
    DO_STAND,
    DO_TILE,
    EMPTY,
    HEX,
    HEX_BONUS,
    HEX_SPACES,
    LAY,
    LIGHT,
    MOVE,
    NONE,
    NUM_OWLS,
    NUM_SPELLS,
    OWL_SPACES,
    OWLS,
    PAIR_NAMES,
    PROPHECIES,
    RACK,
    SCROLLS,
    SECOND,
    SHELF_NAMES,
    SPACE_COLOUR,
    TILE_NAMES,
    VIAL_ACTIONS,
    VIAL_BONUS,
    WAND_END,
    WAND_SPACES,
    space_name,
)

# Strings: they name locations absolutely, while actions are turned to the tower of the player who decides.


def _strings_from(tower: int) -> tuple[str, ...]:
    """The strings of all actions for a player with this tower."""
    strings = list(ACTIONS.strings)
    for first, absolute in ((DO_ENERGY, CONNECTION_AT[tower]), (DO_STAND, LOCATION_AT[tower])):
        for i, j in enumerate(absolute):
            strings[first + i] = ACTIONS.strings[first + j]
    return tuple(strings)


_STRINGS = tuple(_strings_from(tower) for tower in range(NUM_TOWERS))
_IDS = tuple({string: i for i, string in enumerate(strings)} for strings in _STRINGS)


def _turned(r: Any) -> int:
    """The tower of the player who decides; before it has one: not turned."""
    return max(int(r["tower"][r["current"]]), 0) if r["current"] != NOBODY else 0


def action_to_string(r: Any, action: int) -> str:
    """An action in words, with absolute locations."""
    return _STRINGS[_turned(r)][action]


def string_to_action(r: Any, text: str) -> int | None:
    """The action that these words mean to the player who decides."""
    return _IDS[_turned(r)].get(text)


def event(r: Any, action: int, viewer: int | None) -> str:
    """What a viewer sees of an action: all is open but which tile was chosen, until it is laid."""
    if DO_TILE <= action < DO_DISCARD and viewer not in (None, r.current):
        return f"player {r.current} chooses a tile"
    return in_full(r, action_to_string(r, action))


# Describe. The helpers take the fields of a record as plain numbers and lists, which Python reads far faster.


def _members(bits: int, names: tuple[str, ...]) -> list[str]:
    return [name for i, name in enumerate(names) if bits >> i & 1]


def _copies(counts: list[int], names: tuple[str, ...]) -> list[str]:
    return [name for name, count in zip(names, counts, strict=True) for _ in range(count)]


def _name(names: tuple[str, ...], i: int) -> str | None:
    return None if i == NONE else names[i]


def _by_kind(counts: list[int]) -> dict[str, int]:
    return dict(zip(CHIP_KINDS, counts, strict=True))


def _cauldron(r: Any, p: int) -> dict[str, str]:
    return {
        f"{q},{row}": CODE_NAMES[code] for (q, row), code in zip(SPACES, r.cauldron[p], strict=True) if code != EMPTY
    }


def _hands(r: Any, viewer: int | None) -> list[list[str | None]]:
    hands: list[list[str | None]] = []
    for p in range(r.num_players):
        tiles = _members(r.hand[p], TILE_NAMES)
        hands.append([*tiles] if viewer is None or viewer == p else [None] * len(tiles))
    return hands


def _locations(r: Any) -> dict[str, Any]:
    return {
        name: {
            "chip": _name(CHIP_KINDS, r.chip_at[i]),
            "witches": [p for p in range(r.num_players) if r.standing[p] >> i & 1],
        }
        for i, name in enumerate(LOCATIONS)
    }


def _owner(r: Any, c: int) -> int | None:
    for p in range(r.num_players):
        if r.finished[p] >> c & 1 or r.begun[p] == c:
            return p
    return None


def _connections(r: Any) -> dict[str, Any]:
    return {
        name: {"owner": _owner(r, c), "filled": r.filled[c], "length": int(LENGTH[c])}
        for c, name in enumerate(CONNECTIONS)
    }


def _wand_order(r: Any) -> dict[str, list[int]]:
    arrived = sorted(range(r.num_players), key=lambda p: r.wand_since[p])
    order: dict[str, list[int]] = {}
    for space in range(1, WAND_END + 1):
        here = [p for p in arrived if r.wand[p] == space]
        if here:
            order[str(space)] = here
    return order


def _owls(r: Any, p: int) -> list[int]:
    mine = [int(OWLS[i]) for stack in r.owl_owner for i in range(NUM_OWLS) if stack[i] == p]
    return sorted(mine, reverse=True)


def _scrolls(r: Any, p: int) -> dict[str, list[str]]:
    return {
        "unused": _copies(r.spells[p], SCROLLS[:NUM_SPELLS]),
        "used": _copies(r.spells_used[p], SCROLLS[:NUM_SPELLS]),
        "prophecies": _members(r.prophecies[p], PROPHECIES),
    }


def _pile(pile: list[int], size: int, names: tuple[str, ...], seen: bool) -> list[str | None]:
    return [names[i] if seen else None for i in pile[:size][::-1]]


def _shelf(r: Any, shelf: int) -> dict[str, Any]:
    counts: dict[str, Any] = {str(p): r.shelf[shelf][p] for p in range(r.num_players)}
    return counts | {"black": [p for p in range(r.num_players) if r.shelf_black[shelf][p]]}


def _beside(r: Any, p: int) -> list[str]:
    coloured, black = r.beside[p]
    return ["coloured"] * coloured + ["black"] * black


def _half_decision(r: Any, viewer: int | None) -> list[str | None]:
    """What the first half of a decision has chosen."""
    if r.phase == LAY:
        return [f"tile {PAIR_NAMES[r.tile]}" if viewer in (None, r.current) else None]
    if r.phase == MOVE:
        return [f"crystal {space_name(r.crystal)}"]
    if r.phase == HEX:
        return [f"hex {PAIR_NAMES[r.hex]}"]
    if r.phase in (RACK, CHIP):
        return [f"{'black ' if r.black else ''}exit {SYMBOLS[r.exit]}"]
    return []


def _item(r: Any, i: int) -> list[str]:
    """One entry of the stack in words."""
    kind, what, number = r.item_kind[i], r.item_what[i], r.item_number[i]
    if kind == ACTION:
        return [f"{SYMBOLS[what]} {number}"]
    if kind == SECOND:
        return [f"second {SYMBOLS[what]}"]
    if kind == WAND_SPACES:
        return [f"space {space}" for space in range(what, number + 1) if SPACE_COLOUR[space] != LIGHT]
    if kind == CHIP_BONUS:
        return [f"{'black ' if number > 1 else ''}chip {SYMBOLS[what]}"]
    if kind == VIAL_BONUS:
        return [f"{'black ' if number > VIAL_ACTIONS else ''}vial {SYMBOLS[what]}"]
    return [f"hex {PAIR_NAMES[what]}"] if kind == HEX_BONUS else ["choice"]


def _pending(r: Any, viewer: int | None) -> list[str | None]:
    """What runs and waits, top first: an action, then what waits on it, then what is below."""
    pending = _half_decision(r, viewer)
    waiting: list[str] = []
    for i in reversed(range(r.height)):
        if r.item_kind[i] >= CHIP_BONUS:
            waiting = _item(r, i) + waiting
        else:
            pending += _item(r, i) + waiting
            waiting = []
    return pending


def describe(record: Any, viewer: int | None) -> dict[str, Any]:
    """The game's own part of `describe`."""
    r = SimpleNamespace(**{name: record[name].tolist() for name in record.dtype.names})
    n, seen = r.num_players, viewer is None
    players = range(n)
    return {
        "round": int(game_round(record)),
        "first_player": r.first,
        "tower": [_name(LOCATIONS, r.tower[p]) for p in players],
        "cauldrons": [_cauldron(r, p) for p in players],
        "hands": _hands(r, viewer),
        "supply": r.supply[:n],
        "locations": _locations(r),
        "stone": [p for p in r.stone if p != NONE],
        "connections": _connections(r),
        "energy": r.energy[:n],
        "lying": r.lying[:n],
        "reserve": r.reserve[:n],
        "wand": r.wand[:n],
        "wand_order": _wand_order(r),
        "pentagram": r.pentagram[:n],
        "owls": [_owls(r, p) for p in players],
        "owl_stacks": {str(space): OWLS[r.owls_taken[i] :].tolist() for i, space in enumerate(OWL_SPACES)},
        "hexes": {str(space): _name(PAIR_NAMES, r.hex_at[i]) for i, space in enumerate(HEX_SPACES)},
        "chips": [_by_kind(r.chips[p]) for p in players],
        "table_chips": _by_kind(r.table_chips),
        "specials": [
            {"used": _copies(r.hexes_used[p], PAIR_NAMES), "placed": _copies(r.hexes_placed[p], PAIR_NAMES)}
            for p in players
        ],
        "scrolls": [_scrolls(r, p) for p in players],
        "display": [SCROLLS[i] for i in r.display[: r.display_size]],
        "piles": {
            "scrolls": _pile(r.scroll_pile, r.scroll_pile_size, SCROLLS, seen),
            "hexes": _pile(r.hex_pile, r.hex_pile_size, PAIR_NAMES, seen),
        },
        "shelves": {name: _shelf(r, i) for i, name in enumerate(SHELF_NAMES)},
        "spoiled": r.spoiled[:n],
        "beside": [_beside(r, p) for p in players],
        "pending": _pending(r, viewer),
    }


# Text.

_SHORT = {"": ".", "coloured": "o", "black": "@"} | {s: s[0] for s in SYMBOLS} | {"wand": "d"}
_INITIALS = "symbols: " + ", ".join(f"{_SHORT[s]} {s}" for s in SYMBOLS) + "; o crystal, @ black crystal"


def _cell(what: str) -> str:
    return "".join(_SHORT[half] for half in what.split("/")) if "/" in what else _SHORT[what]


def _draw_cauldron(cauldron: dict[str, str]) -> list[str]:
    """The hexagon, one line a row; printed symbols are capital letters."""
    lines = []
    for row in range(-RADIUS, RADIUS + 1):
        cells = []
        for q in range(-RADIUS, RADIUS + 1):
            if abs(q + row) <= RADIUS:
                printed = PRINTED_AT.get((q, row))
                cells.append(_SHORT[printed].upper() if printed is not None else _cell(cauldron.get(f"{q},{row}", "")))
        lines.append("  " * abs(row) + "".join(f"{cell:<4}" for cell in cells).rstrip())
    return lines


def _listed(items: list[Any]) -> str:
    return ", ".join("hidden" if item is None else str(item) for item in items) or "nothing"


def _counted(counts: dict[str, int]) -> str:
    return ", ".join(f"{n} {kind}" for kind, n in counts.items() if n) or "nothing"


def _table_lines(d: dict[str, Any]) -> list[str]:
    places = [
        f"{name}{':' + place['chip'] if place['chip'] else ''}{place['witches'] or ''}"
        for name, place in d["locations"].items()
        if place["chip"] or place["witches"]
    ]
    energy = [
        f"{name} {c['filled']}/{c['length']} by {c['owner']}" for name, c in d["connections"].items() if c["filled"]
    ]
    shelves = [
        f"{name} {sum(n for key, n in shelf.items() if key != 'black') + len(shelf['black'])}"
        for name, shelf in d["shelves"].items()
    ]
    return [
        f"  locations    {'  '.join(places)}",
        f"  connections  {_listed(energy)}",
        f"  pentagram    {_listed([f'{space}: {name}' for space, name in d['hexes'].items()])}"
        f"; {len(d['piles']['hexes'])} in the pile",
        f"  owls         {_listed([f'{space}: {stack}' for space, stack in d['owl_stacks'].items()])}",
        f"  scrolls      {_listed(d['display'])}; {len(d['piles']['scrolls'])} in the pile",
        f"  chips        {_counted(d['table_chips'])}; crystals shelved: {_listed(shelves)}",
        f"  pending      {_listed(d['pending'])}",
    ]


def _player_lines(d: dict[str, Any], p: int) -> list[str]:
    mark = ">" if p == d["current_player"] else " "
    place = f", rank {d['ranks'][p]}" if d["ranks"] else ""
    scrolls = d["scrolls"][p]
    facts = [
        f"{mark} player {p}: {d['scores'][p]} points{place}, tower {d['tower'][p] or 'none yet'}",
        f"wand {d['wand'][p]}, pentagram {d['pentagram'][p]}",
        f"energy {d['energy'][p]}, witches {d['lying'][p]} lying, {d['reserve'][p]} left",
        f"tiles {_listed(d['hands'][p])}; {d['supply'][p]} in the supply",
        f"chips {_counted(d['chips'][p])}; owls {_listed(d['owls'][p])}",
        f"scrolls {_listed([*scrolls['unused'], *scrolls['prophecies']])}; {len(scrolls['used'])} used",
        f"crystals spoiled {d['spoiled'][p]}",
    ]
    return [f"{line:<32}{fact}" for line, fact in zip(_draw_cauldron(d["cauldrons"][p]), facts, strict=True)]


def text(d: dict[str, Any]) -> str:
    """The table as text, from what `describe` shows."""
    now = "over" if d["over"] else f"player {d['current_player']} decides ({d['phase']})"
    lines = [f"Witchstone, {d['num_players']} players, round {d['round']}, {now}", *_table_lines(d)]
    for p in range(d["num_players"]):
        lines += _player_lines(d, p)
    return "\n".join([*lines, f"  {_INITIALS}"])
