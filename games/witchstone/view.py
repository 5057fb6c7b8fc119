"""How Witchstone looks: the observation of a player, strings, `describe` and the table as text."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from coven.games.core.actions import in_full
from coven.games.core.kernels import kernel
from coven.games.core.layout import DTYPE, Layout, Slice
from coven.games.core.record import NOBODY, after
from coven.games.witchstone.geometry import (
    CONNECTION_AT,
    CONNECTIONS,
    LENGTH,
    LOCATION_AT,
    LOCATIONS,
    NUM_CONNECTIONS,
    NUM_LOCATIONS,
    NUM_SPACES,
    NUM_SYMBOLS,
    NUM_TOWERS,
    PRINTED_AT,
    RADIUS,
    SPACES,
    STONE,
    SYMBOLS,
    SYMMETRIC,
    only,
)
from coven.games.witchstone.state import (
    ACTION,
    ACTIONS,
    ALL_TILES,
    BLACK_CODE,
    CAPACITY,
    CHIP,
    CHIP_BONUS,
    CHIP_KINDS,
    CODE_NAMES,
    COLOURED_CODE,
    DISPLAY,
    DO_DISCARD,
    DO_ENERGY,
    DO_STAND,
    DO_TILE,
    EMPTY,
    HEX,
    HEX_BONUS,
    HEX_CODE,
    HEX_COPIES,
    HEX_SPACES,
    LAY,
    LEADER_FACTOR,
    LIGHT,
    MOST_PLAYERS,
    MOVE,
    NONE,
    NUM_CHIP_KINDS,
    NUM_CHIPS,
    NUM_CRYSTALS,
    NUM_HEX_SPACES,
    NUM_HEXES,
    NUM_OWL_SPACES,
    NUM_OWLS,
    NUM_PAIRS,
    NUM_PROPHECIES,
    NUM_SCROLL_KINDS,
    NUM_SCROLLS,
    NUM_SHELVES,
    NUM_SPELLS,
    NUM_TILES,
    OWL_SPACES,
    OWLS,
    PAIR_NAMES,
    PAIRS,
    PENTAGRAM_SPACES,
    PHASES,
    PLAYERS,
    PROPHECIES,
    RACK,
    SCROLLS,
    SECOND,
    SHELF_NAMES,
    SMALL_WITCHES,
    SPACE_COLOUR,
    SYMBOL_CODE,
    TILE_NAMES,
    TURNS,
    UNITS,
    VIAL_ACTIONS,
    VIAL_BONUS,
    WAND_END,
    WAND_SPACES,
    space_name,
)
from coven.games.witchstone.wand import leader_factor

MOST_POINTS = 600  # more than all that scores in the box
_MOST_ACTIONS = 100  # more than one turn can bring of one type
_RIVALS = MOST_PLAYERS - 1

# By what lies on a space of the cauldron: its symbols, a coloured and a black crystal.
_PLANES = np.zeros((len(CODE_NAMES), NUM_SYMBOLS + 2), DTYPE)
for _symbol in range(NUM_SYMBOLS):
    _PLANES[SYMBOL_CODE + _symbol, _symbol] = 1
for _i, _pair in enumerate(PAIRS):
    _PLANES[HEX_CODE + _i, _pair] = 1
_PLANES[COLOURED_CODE, NUM_SYMBOLS] = 1
_PLANES[BLACK_CODE, NUM_SYMBOLS + 1] = 1
_NUM_PLANES = _PLANES.shape[1]
_FLAGS = np.array([[byte >> k & 1 for k in range(8)] for byte in range(256)], DTYPE)

# In a net without fourfold symmetry nothing is turned, and it must be said whose tower is which.
_TOWERS = [] if SYMMETRIC else [Slice("tower", MOST_PLAYERS * NUM_TOWERS, 0, 1, "seat by seat: one-hot, its tower")]

LAYOUT = Layout(
    Slice("num_players", 1, 0, PLAYERS[-1], "players at the table"),
    Slice("round", 1, 0, TURNS, "0 in set-up, then 1 to 11"),
    Slice("phase", len(PHASES), 0, 1, "one-hot: " + ", ".join(PHASES)),
    Slice("current", MOST_PLAYERS, 0, 1, "one-hot: the seat that decides"),
    Slice("first_player", MOST_PLAYERS, 0, 1, "one-hot: the seat of the first player"),
    # What runs and waits for the seat that decides.
    Slice("running", NUM_SYMBOLS, 0, 1, "one-hot: the action type that runs"),
    Slice("actions", 1, 0, _MOST_ACTIONS, "how many actions of it are left"),
    Slice("chip_waits", NUM_SYMBOLS, 0, _MOST_ACTIONS, "by symbol: actions of the strongest chip that waits on it"),
    Slice("vial_waits", NUM_SYMBOLS, 0, _MOST_ACTIONS, "by symbol: actions of the strongest vial that waits on it"),
    Slice("hex_waits", NUM_PAIRS, 0, int(HEX_COPIES.max()), "special hexes that wait on it, by pair"),
    Slice("choice_waits", 1, 0, _MOST_ACTIONS, "free choices that wait on it"),
    Slice("below", NUM_SYMBOLS, 0, _MOST_ACTIONS, "by symbol: actions left in what goes on afterwards"),
    Slice("waits_below", 1, 0, _MOST_ACTIONS, "bonuses that wait there"),
    Slice("second", NUM_SYMBOLS, 0, 1, "one-hot: the half of the tile still to come"),
    Slice("spaces", WAND_END, 0, LEADER_FACTOR, "wand spaces still to be resolved: how often their actions count"),
    Slice("crystal", NUM_SPACES, 0, 1, "one-hot, in move: the crystal chosen"),
    Slice("exit", NUM_SYMBOLS, 0, 1, "one-hot, in rack: the symbol by which it left"),
    Slice("black", 1, 0, 1, "in rack and chip: 1 if it is the black one"),
    Slice("hex", NUM_PAIRS, 0, 1, "one-hot, in hex: the special hex chosen"),
    Slice("tile", NUM_PAIRS, 0, 1, "one-hot, in lay: the own tile chosen"),
    # The table.
    Slice("chip_at", STONE * NUM_CHIP_KINDS, 0, 1, "location by location, from the own tower: one-hot, its chip"),
    Slice("stone", MOST_PLAYERS * MOST_PLAYERS, 0, 1, "seat by seat: one-hot, its place at the Witchstone"),
    Slice("owls_left", NUM_OWL_SPACES, 0, NUM_OWLS, "owls on each stack"),
    Slice("hex_at", NUM_HEX_SPACES * NUM_SYMBOLS, 0, 1, "hex space by hex space: 1 for both symbols of its hex"),
    Slice("hex_pile", 1, 0, NUM_HEXES, "special hexes in the pile"),
    Slice("display", DISPLAY * NUM_SCROLL_KINDS, 0, 1, "position by position: one-hot, the scroll"),
    Slice("scroll_pile", 1, 0, NUM_SCROLLS, "scrolls in the pile"),
    Slice("table_chips", NUM_CHIP_KINDS, 0, NUM_CHIPS, "chips on the table by kind"),
    Slice("shelf_room", NUM_SHELVES, 0, int(CAPACITY.max()), "empty vials on each shelf, the bottom one last"),
    *_TOWERS,
    # The observer.
    Slice("hand", NUM_TILES, 0, 1, "1 for every tile in the own hand"),
    Slice("cauldron", NUM_SPACES * _NUM_PLANES, 0, 1, "own cauldron, space by space: symbols, coloured, black crystal"),
    # Everyone, seat by seat.
    Slice(
        "rival_cauldron", _RIVALS * NUM_SPACES, 0, len(CODE_NAMES) - 1, "the others' cauldrons: a code for each space"
    ),
    Slice("unlaid", MOST_PLAYERS * NUM_TILES, 0, 1, "1 for every tile a seat has not laid yet"),
    Slice("group", MOST_PLAYERS * NUM_SYMBOLS, 0, NUM_SPACES, "largest group of each symbol"),
    Slice("standing", MOST_PLAYERS * NUM_LOCATIONS, 0, 1, "1 for locations with a witch, from the own tower"),
    Slice("units", MOST_PLAYERS * NUM_CONNECTIONS, 0, int(LENGTH.max()), "units on connections, from the own tower"),
    Slice("spells", MOST_PLAYERS * NUM_SPELLS, 0, NUM_SCROLLS, "unused spells: single, then by symbol"),
    Slice("prophecies", MOST_PLAYERS * NUM_PROPHECIES, 0, 1, "1 for every prophecy"),
    Slice("score", MOST_PLAYERS, 0, MOST_POINTS, "the track"),
    Slice("supply", MOST_PLAYERS, 0, NUM_TILES, "tiles still to be drawn"),
    Slice("energy", MOST_PLAYERS, 0, UNITS, "units left"),
    Slice("lying", MOST_PLAYERS, 0, SMALL_WITCHES, "lying witches"),
    Slice("reserve", MOST_PLAYERS, 0, SMALL_WITCHES, "small witches left"),
    Slice("wand", MOST_PLAYERS, 0, WAND_END, "space on the wand"),
    Slice("wand_behind", MOST_PLAYERS, 0, _RIVALS, "players who were on the same wand space before"),
    Slice("pentagram", MOST_PLAYERS, 0, PENTAGRAM_SPACES - 1, "space on the pentagram"),
    Slice("owls", MOST_PLAYERS, 0, int(OWLS.sum()) * NUM_OWL_SPACES, "points of owls taken"),
    Slice("chips", MOST_PLAYERS, 0, NUM_CHIPS, "chips taken"),
    Slice("hexes", MOST_PLAYERS, 0, NUM_HEXES, "special hexes taken"),
    Slice("scrolls", MOST_PLAYERS, 0, NUM_SCROLLS, "scrolls taken"),
    Slice("racked", MOST_PLAYERS, 0, NUM_CRYSTALS, "coloured crystals in the rack"),
    Slice("spoiled", MOST_PLAYERS, 0, NUM_CRYSTALS, "crystals spoiled"),
)


def _at(*names: str) -> tuple[np.int64, ...]:
    """Where slices begin, as numbers that an int8 of the record can be added to without Numba, too."""
    return tuple(np.int64(LAYOUT.start(name)) for name in names)


_NUM_PLAYERS, _ROUND, _PHASE = _at("num_players", "round", "phase")
_CURRENT, _FIRST = _at("current", "first_player")
_RUNNING, _ACTIONS, _BELOW = _at("running", "actions", "below")
_CHIP_WAITS, _VIAL_WAITS = _at("chip_waits", "vial_waits")
_HEX_WAITS, _CHOICE_WAITS = _at("hex_waits", "choice_waits")
_WAITS_BELOW, _SECOND, _WAND_SPACES = _at("waits_below", "second", "spaces")
_CRYSTAL, _EXIT, _BLACK = _at("crystal", "exit", "black")
_HEX, _TILE = _at("hex", "tile")
_CHIP_AT, _STONE, _OWLS_LEFT = _at("chip_at", "stone", "owls_left")
_HEX_AT, _HEX_PILE = _at("hex_at", "hex_pile")
_DISPLAY, _SCROLL_PILE = _at("display", "scroll_pile")
_TABLE_CHIPS, _SHELF_ROOM = _at("table_chips", "shelf_room")
_HAND, _CAULDRON, _RIVAL_CAULDRON = _at("hand", "cauldron", "rival_cauldron")
_UNLAID, _GROUP, _STANDING = _at("unlaid", "group", "standing")
_UNITS, _SPELLS, _PROPHECIES = _at("units", "spells", "prophecies")
_SCORE, _SUPPLY, _ENERGY, _LYING, _RESERVE = _at("score", "supply", "energy", "lying", "reserve")
_WAND, _WAND_BEHIND, _PENTAGRAM = _at("wand", "wand_behind", "pentagram")
_OWLS, _CHIPS, _HEXES, _SCROLLS = _at("owls", "chips", "hexes", "scrolls")
_RACKED, _SPOILED = _at("racked", "spoiled")
_TOWER = _NUM_PLAYERS if SYMMETRIC else _at("tower")[0]


@kernel
def observe(s, player, out):
    """Write what a player sees: its own seat first, then clockwise, and the crystal ball turned to its own tower."""
    written = _HAND if s.num_players == MOST_PLAYERS else out.size  # from the hand on every number of a seat is written
    out[:written] = 0
    turned = max(s.tower[player], 0)  # before it has a tower: not turned
    observe_moment(s, player, out)
    observe_stack(s, out)
    observe_table(s, player, turned, out)
    observe_own(s, player, out)
    seat, p = 0, player
    while seat < s.num_players:
        observe_numbers(s, seat, p, out)
        observe_sets(s, seat, p, turned, out)
        if seat:
            observe_rival_cauldron(s, seat, p, out)
        if not SYMMETRIC and s.tower[p] != NONE:
            out[_TOWER + seat * NUM_TOWERS + s.tower[p]] = 1
        seat, p = seat + 1, after(s, p)


@kernel
def seat_of(s, player, p):
    """How many seats after this player another one sits."""
    seat = p - player
    return seat + s.num_players if seat < 0 else seat


@kernel
def flags(byte, out, first):
    """Write eight members of a set as eight numbers."""
    part = out[first:]  # indices from 0: no test for negative ones
    for k in range(8):
        part[k] = _FLAGS[byte, k]


@kernel
def set_flags(members, count, out, first):
    """Write a set of so many, at least eight, as numbers: eight by eight, and the last eight, which may overlap."""
    for i in range(0, count - 8, 8):
        flags((members >> i) & 255, out, first + i)
    flags((members >> (count - 8)) & 255, out, first + count - 8)


@kernel
def observe_moment(s, player, out):
    """Where the game stands, and the first half of a decision in two halves; a tile chosen is its owner's secret."""
    out[_NUM_PLAYERS] = s.num_players
    out[_ROUND] = game_round(s)
    out[_PHASE + s.phase] = 1
    out[_FIRST + seat_of(s, player, s.first)] = 1
    if s.current != NOBODY:
        out[_CURRENT + seat_of(s, player, s.current)] = 1
    if s.phase == LAY and s.current == player:
        out[_TILE + s.tile] = 1
    elif s.phase == MOVE:
        out[_CRYSTAL + s.crystal] = 1
    elif s.phase == HEX:
        out[_HEX + s.hex] = 1
    elif s.phase == RACK:
        out[_EXIT + s.exit] = 1
        out[_BLACK] = s.black
    elif s.phase == CHIP:
        out[_BLACK] = s.black


@kernel
def game_round(s):
    """0 in set-up, then 1 to 11."""
    return (s.turn + s.num_players - 1) // s.num_players


@kernel
def observe_stack(s, out):
    """What runs, what waits on it, and what goes on afterwards."""
    for i in range(s.height):
        kind, what, number = s.item_kind[i], s.item_what[i], s.item_number[i]
        if kind == ACTION:
            if i == s.running:
                out[_RUNNING + what] = 1
                out[_ACTIONS] = number
            else:
                out[_BELOW + what] += number
        elif kind == SECOND:
            out[_SECOND + what] = 1
        elif kind == WAND_SPACES:
            for space in range(what, number + 1):
                out[_WAND_SPACES + space - 1] = leader_factor(s, s.current)
        elif i < s.running:
            out[_WAITS_BELOW] += 1
        elif kind == CHIP_BONUS:
            out[_CHIP_WAITS + what] = max(out[_CHIP_WAITS + what], number)
        elif kind == VIAL_BONUS:
            out[_VIAL_WAITS + what] = max(out[_VIAL_WAITS + what], number)
        elif kind == HEX_BONUS:
            out[_HEX_WAITS + what] += 1
        else:
            out[_CHOICE_WAITS] += 1


@kernel
def observe_table(s, player, turned, out):
    """What lies on the board and beside it."""
    for i in range(STONE):
        chip = s.chip_at[LOCATION_AT[turned, i]]
        if chip != NONE:
            out[_CHIP_AT + i * NUM_CHIP_KINDS + chip] = 1
    for place in range(s.num_players):
        if s.stone[place] != NONE:
            out[_STONE + seat_of(s, player, s.stone[place]) * MOST_PLAYERS + place] = 1
    for stack in range(NUM_OWL_SPACES):
        out[_OWLS_LEFT + stack] = NUM_OWLS - s.owls_taken[stack]
    for space in range(NUM_HEX_SPACES):
        if s.hex_at[space] != NONE:
            for symbol in PAIRS[s.hex_at[space]]:
                out[_HEX_AT + space * NUM_SYMBOLS + symbol] = 1
    out[_HEX_PILE] = s.hex_pile_size
    for i in range(s.display_size):
        out[_DISPLAY + i * NUM_SCROLL_KINDS + s.display[i]] = 1
    out[_SCROLL_PILE] = s.scroll_pile_size
    for kind in range(NUM_CHIP_KINDS):
        out[_TABLE_CHIPS + kind] = s.table_chips[kind]
    for shelf in range(NUM_SHELVES):
        out[_SHELF_ROOM + shelf] = CAPACITY[s.num_players, shelf] - s.shelf_size[shelf]


@kernel
def observe_own(s, player, out):
    """The observer's hand and cauldron."""
    set_flags(s.hand[player], NUM_TILES, out, _HAND)
    cauldron = s.cauldron[player]
    for i in range(NUM_SPACES):
        code = cauldron[i]
        for plane in range(_NUM_PLANES):
            out[_CAULDRON + i * _NUM_PLANES + plane] = _PLANES[code, plane]


@kernel
def observe_rival_cauldron(s, seat, p, out):
    """Another player's cauldron, a code for each space."""
    part, cauldron = out[_RIVAL_CAULDRON + (seat - 1) * NUM_SPACES :], s.cauldron[p]
    for i in range(NUM_SPACES):
        part[i] = cauldron[i]


@kernel
def observe_numbers(s, seat, p, out):
    """What a player has, in numbers."""
    out[_SCORE + seat] = s.score[p]
    out[_SUPPLY + seat] = s.supply[p]
    out[_ENERGY + seat] = s.energy[p]
    out[_LYING + seat] = s.lying[p]
    out[_RESERVE + seat] = s.reserve[p]
    out[_WAND + seat] = s.wand[p]
    out[_WAND_BEHIND + seat] = there_before(s, p)
    out[_PENTAGRAM + seat] = s.pentagram[p]
    out[_OWLS + seat] = s.owl_points[p]
    out[_CHIPS + seat] = s.num_chips[p]
    out[_HEXES + seat] = s.num_hexes[p]
    out[_SCROLLS + seat] = s.num_scrolls[p]
    out[_RACKED + seat] = s.racked[p]
    out[_SPOILED + seat] = s.spoiled[p]


@kernel
def there_before(s, p):
    """How many players were on the wand space of this one before it; nobody on the hilt."""
    wand, since, others = s.wand[p], s.wand_since[p], 0
    for q in range(s.num_players):
        others += (s.wand[q] == wand) & (s.wand_since[q] < since)
    return others


@kernel
def observe_sets(s, seat, p, turned, out):
    """What a player has, piece by piece."""
    set_flags(ALL_TILES & ~s.gone[p], NUM_TILES, out, _UNLAID + seat * NUM_TILES)
    set_flags(s.prophecies[p], NUM_PROPHECIES, out, _PROPHECIES + seat * NUM_PROPHECIES)
    part, here, standing = out[_STANDING + seat * NUM_LOCATIONS :], LOCATION_AT[turned], s.standing[p]
    for i in range(NUM_LOCATIONS):
        part[i] = (standing >> here[i]) & 1
    part, here = out[_UNITS + seat * NUM_CONNECTIONS :], CONNECTION_AT[turned]
    own = s.finished[p] | (only(s.begun[p]) if s.begun[p] != NONE else 0)
    for i in range(NUM_CONNECTIONS):
        part[i] = s.filled[here[i]] * ((own >> here[i]) & 1)
    part, groups = out[_GROUP + seat * NUM_SYMBOLS :], s.group[p]
    for k in range(NUM_SYMBOLS):
        part[k] = groups[k]
    part, spells = out[_SPELLS + seat * NUM_SPELLS :], s.spells[p]
    for spell in range(NUM_SPELLS):
        part[spell] = spells[spell]


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
