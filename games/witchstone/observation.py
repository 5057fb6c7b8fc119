"""What a Witchstone player sees, as numbers: the own seat first, then clockwise, the ball turned to the own tower."""

from __future__ import annotations

import numpy as np

from coven.games.core.kernels import kernel
from coven.games.core.layout import Layout, Slice, split
from coven.games.core.record import NOBODY, PLAYER_AT
from coven.games.core.words import (
    TURN_DOWN,
    by_seat,
    clear,
    copy,
    copy_turned,
    halved,
    one_hots_writer,
    read4,
    read8,
    two_by_seat,
    write1,
    write4,
    write8,
    write_16,
    write_32,
)
from coven.games.witchstone.geometry import (
    CONNECTION_AT,
    CONNECTION_POINTS,
    CONNECTIONS,
    EXIT_COST,
    LAYS,
    LENGTH,
    LOCATION_AT,
    LOCATIONS,
    NUM_CONNECTIONS,
    NUM_LOCATIONS,
    NUM_SPACES,
    NUM_SYMBOLS,
    NUM_TOWERS,
    STONE,
    SYMBOLS,
    SYMMETRIC,
    only,
)
from coven.games.witchstone.state import (
    ACTION,
    ALL_TILES,
    BLACK_CODE,
    CAPACITY,
    CHIP,
    CHIP_BONUS,
    CHIP_KINDS,
    CODE_NAMES,
    COLOURED_CODE,
    DARK,
    DISPLAY,
    HEX,
    HEX_BONUS,
    HEX_CODE,
    HEX_COPIES,
    HEX_SPACES,
    LAY,
    LEADER_FACTOR,
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
    SPACE_AMOUNT,
    SPACE_COLOUR,
    SPELLS,
    SYMBOL_CODE,
    TILE_NAMES,
    TILE_PAIR,
    TURNS,
    UNITS,
    VIAL_BONUS,
    WAND_END,
    WAND_SPACES,
    space_name,
)
from coven.games.witchstone.wand import leader_factor

MOST_POINTS = 600  # more than all that scores in the box
_MOST_ACTIONS = 100  # more than one turn can bring of one type
_RIVALS = MOST_PLAYERS - 1
_SEATS = tuple(f"seat {i}" for i in range(MOST_PLAYERS))
_SPACE_NAMES = tuple(map(space_name, range(NUM_SPACES)))
_PLANES = (*SYMBOLS, "coloured", "black")
_NUM_PLANES = len(_PLANES)


def _by_seat(name: str, high: int, meaning: str) -> Slice:
    return Slice(name, MOST_PLAYERS, 0, high, f"{meaning}, by seat", labels=_SEATS)


# In a net without fourfold symmetry nothing is turned, and it must be said whose tower is which.
_TOWERS = [
    Slice(
        "tower",
        MOST_PLAYERS * NUM_TOWERS,
        0,
        1,
        "seat by seat: one-hot, its tower",
        labels=LOCATIONS[:NUM_TOWERS],
        rows=_SEATS,
    )
]
if SYMMETRIC:
    _TOWERS.clear()

RAW = (
    Slice("num_players", 1, 0, PLAYERS[-1], "players at the table"),
    Slice("round", 1, 0, TURNS, "0 in set-up, then 1 to 11"),
    Slice("phase", len(PHASES), 0, 1, "one-hot: what is to be decided", labels=PHASES),
    Slice("current", MOST_PLAYERS, 0, 1, "one-hot: the seat that decides", labels=_SEATS),
    Slice("first_player", MOST_PLAYERS, 0, 1, "one-hot: the seat of the first player", labels=_SEATS),
    # What runs and waits for the seat that decides.
    Slice("running", NUM_SYMBOLS, 0, 1, "one-hot: the action type that runs", labels=SYMBOLS),
    Slice("actions", 1, 0, _MOST_ACTIONS, "how many actions of it are left"),
    Slice(
        "chip_waits",
        NUM_SYMBOLS,
        0,
        _MOST_ACTIONS,
        "actions of the strongest chip that waits",
        labels=SYMBOLS,
        about=("use chip",),
    ),
    Slice(
        "vial_waits",
        NUM_SYMBOLS,
        0,
        _MOST_ACTIONS,
        "actions of the strongest vial that waits",
        labels=SYMBOLS,
        about=("use vial",),
    ),
    Slice(
        "hex_waits", NUM_PAIRS, 0, int(HEX_COPIES.max()), "special hexes that wait", labels=PAIR_NAMES, about=("hex",)
    ),
    Slice("choice_waits", 1, 0, _MOST_ACTIONS, "free choices that wait"),
    Slice("below", NUM_SYMBOLS, 0, _MOST_ACTIONS, "actions left in what goes on afterwards", labels=SYMBOLS),
    Slice("waits_below", 1, 0, _MOST_ACTIONS, "bonuses that wait there"),
    Slice("second", NUM_SYMBOLS, 0, 1, "one-hot: the half of the tile still to come", labels=SYMBOLS),
    Slice("spaces", WAND_END, 0, LEADER_FACTOR, "wand spaces still to be resolved: how often their actions count"),
    Slice("crystal", NUM_SPACES, 0, 1, "one-hot, in move: the crystal chosen", labels=_SPACE_NAMES),
    Slice("exit", NUM_SYMBOLS, 0, 1, "one-hot, in rack: the symbol by which it left", labels=SYMBOLS),
    Slice("black", 1, 0, 1, "in rack and chip: 1 if it is the black one"),
    Slice("hex", NUM_PAIRS, 0, 1, "one-hot, in hex: the special hex chosen", labels=PAIR_NAMES),
    Slice("tile", NUM_PAIRS, 0, 1, "one-hot, in lay: the own tile chosen", labels=PAIR_NAMES),
    # The table.
    Slice("stone", MOST_PLAYERS**2, 0, 1, "seat by seat: one-hot, its place at the Witchstone", rows=_SEATS),
    Slice(
        "display",
        DISPLAY * NUM_SCROLL_KINDS,
        0,
        1,
        "position by position: one-hot, the scroll",
        labels=SCROLLS,
        about=("scroll",),
    ),
    Slice(
        "chip_at",
        STONE * NUM_CHIP_KINDS,
        0,
        1,
        "location by location, from the own tower: one-hot, its chip",
        labels=CHIP_KINDS,
        rows=LOCATIONS[:STONE],
    ),
    Slice(
        "hex_at",
        NUM_HEX_SPACES * NUM_SYMBOLS,
        0,
        1,
        "hex space by hex space: 1 for both symbols of its hex",
        labels=SYMBOLS,
        rows=tuple(map(str, HEX_SPACES)),
    ),
    Slice("owls_left", NUM_OWL_SPACES, 0, NUM_OWLS, "owls on each stack", labels=tuple(map(str, OWL_SPACES))),
    Slice("hex_pile", 1, 0, NUM_HEXES, "special hexes in the pile"),
    Slice("scroll_pile", 1, 0, NUM_SCROLLS, "scrolls in the pile"),
    Slice(
        "table_chips", NUM_CHIP_KINDS, 0, NUM_CHIPS, "chips on the table by kind", labels=CHIP_KINDS, about=("chip",)
    ),
    Slice("shelf_room", NUM_SHELVES, 0, int(CAPACITY.max()), "empty vials on each shelf", labels=SHELF_NAMES),
    *_TOWERS,
    # The observer.
    Slice("hand", NUM_TILES, 0, 1, "1 for every tile in the own hand", labels=TILE_NAMES),
    Slice(
        "cauldron",
        NUM_SPACES * _NUM_PLANES,
        0,
        1,
        "own cauldron, space by space: symbols, coloured, black crystal",
        labels=_PLANES,
        rows=_SPACE_NAMES,
        about=("to", "spoil"),
    ),
    # Everyone, seat by seat.
    Slice(
        "rival_cauldron",
        _RIVALS * NUM_SPACES,
        0,
        len(CODE_NAMES) - 1,
        "the others' cauldrons, seat by seat: a code for each space: "
        + ", ".join(f"{code} {name}" for code, name in enumerate(CODE_NAMES) if name),
        labels=_SPACE_NAMES,
        rows=_SEATS[1:],
    ),
    Slice(
        "unlaid",
        MOST_PLAYERS * NUM_TILES,
        0,
        1,
        "seat by seat: 1 for every tile not laid yet",
        labels=TILE_NAMES,
        rows=_SEATS,
    ),
    Slice(
        "group",
        MOST_PLAYERS * NUM_SYMBOLS,
        0,
        NUM_SPACES,
        "seat by seat: largest group of each symbol",
        labels=SYMBOLS,
        rows=_SEATS,
        about=("use chip", "use vial", "choose", "use", "exit"),
    ),
    Slice(
        "standing",
        MOST_PLAYERS * NUM_LOCATIONS,
        0,
        1,
        "seat by seat: 1 for locations with a witch, from the own tower",
        labels=LOCATIONS,
        rows=_SEATS,
        about=("stand",),
    ),
    Slice(
        "units",
        MOST_PLAYERS * NUM_CONNECTIONS,
        0,
        int(LENGTH.max()),
        "seat by seat: units on connections, from the own tower",
        labels=CONNECTIONS,
        rows=_SEATS,
        about=("energy",),
    ),
    Slice(
        "spells", MOST_PLAYERS * NUM_SPELLS, 0, NUM_SCROLLS, "seat by seat: unused spells", labels=SPELLS, rows=_SEATS
    ),
    Slice(
        "prophecies",
        MOST_PLAYERS * NUM_PROPHECIES,
        0,
        1,
        "seat by seat: 1 for every prophecy",
        labels=PROPHECIES,
        rows=_SEATS,
    ),
    *split("score", MOST_PLAYERS, 255, MOST_POINTS, "the track, by seat", labels=_SEATS),
    _by_seat("supply", NUM_TILES, "tiles still to be drawn"),
    _by_seat("energy", UNITS, "units left"),
    _by_seat("lying", SMALL_WITCHES, "lying witches"),
    _by_seat("reserve", SMALL_WITCHES, "small witches left"),
    _by_seat("wand", WAND_END, "space on the wand"),
    _by_seat("wand_behind", _RIVALS, "players who were on the same wand space before"),
    _by_seat("pentagram", PENTAGRAM_SPACES - 1, "space on the pentagram"),
    _by_seat("owls", int(OWLS.sum()) * NUM_OWL_SPACES, "points of owls taken"),
    _by_seat("chips", NUM_CHIPS, "chips taken"),
    _by_seat("hexes", NUM_HEXES, "special hexes taken"),
    _by_seat("scrolls", NUM_SCROLLS, "scrolls taken"),
    _by_seat("racked", NUM_CRYSTALS, "coloured crystals in the rack"),
    _by_seat("spoiled", NUM_CRYSTALS, "crystals spoiled"),
)
MOST_STEPS_SHOWN = 12  # of pentagram and wand; more are very rare
MOST_SILVER = 100  # stands for more
_MOST_DARK = LEADER_FACTOR * int(SPACE_AMOUNT[SPACE_COLOUR == DARK].sum())
# The printed symbol, and every tile and special hex that has it.
LARGEST_GROUP = 1 + max(
    int((PAIRS[TILE_PAIR] == symbol).sum() + HEX_COPIES @ np.any(symbol == PAIRS, axis=1))
    for symbol in range(NUM_SYMBOLS)
)


def _derived(name: str, high: int, meaning: str, labels: tuple[str, ...], *about: str) -> Slice:
    return Slice(name, len(labels), 0, high, meaning, derived=True, labels=labels, about=about)


_LAY_NAMES = tuple(f"{_SPACE_NAMES[i]} {_SPACE_NAMES[j]}" for i, j in LAYS)
_STEPS = tuple(str(i + 1) for i in range(MOST_STEPS_SHOWN))
DERIVED = (
    _derived(
        "start_actions", LARGEST_GROUP, "in start: the actions that each half of the tile brings", SYMBOLS, "start"
    ),
    _derived(
        "tile_first",
        LARGEST_GROUP,
        "in tile, by tile in hand: in its lay with most actions, the first half's",
        PAIR_NAMES,
        "tile",
    ),
    _derived("tile_second", LARGEST_GROUP, "the same: actions of the second half", PAIR_NAMES, "tile"),
    _derived(
        "owl_points",
        int(OWLS.max()) * NUM_OWL_SPACES,
        "in tile, lay, start and pentagram actions, by steps: points of owls passed",
        _STEPS,
    ),
    _derived("hexes_passed", MOST_STEPS_SHOWN, "the same, by steps: special hexes passed", _STEPS),
    _derived("silver_points", MOST_SILVER, "in tile, lay, start and wand actions, by steps: silver spaces", _STEPS),
    _derived("dark_actions", _MOST_DARK, "the same, by steps: actions of dark spaces", _STEPS),
    _derived(
        "stand_price", NUM_LOCATIONS, "in witch actions: actions to stand there, 0 if one cannot", LOCATIONS, "stand"
    ),
    _derived(
        "join_first", LARGEST_GROUP, "in lay and hex: the group that the first symbol would join", _SPACE_NAMES, "place"
    ),
    _derived("join_second", LARGEST_GROUP, "the same: that the second symbol would join", _SPACE_NAMES, "place"),
    _derived("lay_first", LARGEST_GROUP, "in lay: the actions of the first half, for each place", _LAY_NAMES, "lay"),
    _derived("lay_second", LARGEST_GROUP, "in lay: the actions of the second half, for each place", _LAY_NAMES, "lay"),
    Slice(
        "exit_cost",
        NUM_SYMBOLS * NUM_SPACES,
        0,
        int(EXIT_COST.max()),
        "in crystal actions and move: actions to leave by each symbol, for each crystal that may move",
        derived=True,
        labels=_SPACE_NAMES,
        rows=SYMBOLS,
        about=("crystal", "to"),
    ),
    _derived(
        "finish_units", int(LENGTH.max()), "in energy actions: units missing where one may go", CONNECTIONS, "energy"
    ),
    _derived(
        "finish_points", int(CONNECTION_POINTS.max()), "the same: the points for finishing it", CONNECTIONS, "energy"
    ),
    _derived("finish_joins", 1, "the same: 1 if that joins a new location", CONNECTIONS, "energy"),
)
LAYOUT = Layout(*RAW, *DERIVED)

_NUM_PLAYERS, _ROUND, _PHASE = LAYOUT.starts("num_players", "round", "phase")
_CURRENT, _FIRST = LAYOUT.starts("current", "first_player")
_RUNNING, _ACTIONS, _BELOW = LAYOUT.starts("running", "actions", "below")
_CHIP_WAITS, _VIAL_WAITS = LAYOUT.starts("chip_waits", "vial_waits")
_HEX_WAITS, _CHOICE_WAITS = LAYOUT.starts("hex_waits", "choice_waits")
_WAITS_BELOW, _SECOND, _WAND_SPACES = LAYOUT.starts("waits_below", "second", "spaces")
_CRYSTAL, _EXIT, _BLACK = LAYOUT.starts("crystal", "exit", "black")
_HEX, _TILE = LAYOUT.starts("hex", "tile")
_CHIP_AT, _STONE, _OWLS_LEFT = LAYOUT.starts("chip_at", "stone", "owls_left")
_HEX_AT, _HEX_PILE = LAYOUT.starts("hex_at", "hex_pile")
_DISPLAY, _SCROLL_PILE = LAYOUT.starts("display", "scroll_pile")
_TABLE_CHIPS, _SHELF_ROOM = LAYOUT.starts("table_chips", "shelf_room")
_HAND, _CAULDRON, _RIVAL_CAULDRON = LAYOUT.starts("hand", "cauldron", "rival_cauldron")
_UNLAID, _GROUP, _STANDING = LAYOUT.starts("unlaid", "group", "standing")
_UNITS, _SPELLS, _PROPHECIES = LAYOUT.starts("units", "spells", "prophecies")
_SCORE, _SCORE_255, _SCORE_510 = LAYOUT.starts("score", "score_above_255", "score_above_510")
_SUPPLY, _ENERGY, _LYING, _RESERVE = LAYOUT.starts("supply", "energy", "lying", "reserve")
_WAND, _WAND_BEHIND, _PENTAGRAM = LAYOUT.starts("wand", "wand_behind", "pentagram")
_OWLS, _CHIPS, _HEXES, _SCROLLS = LAYOUT.starts("owls", "chips", "hexes", "scrolls")
_RACKED, _SPOILED = LAYOUT.starts("racked", "spoiled")
_TOWER = _HAND if SYMMETRIC else LAYOUT.starts("tower")[0]

# Rows of bytes, as words. By chip: one-hot. By special hex, and by code of a space: its symbols and crystals. As an
# unsigned byte NONE is the last entry: all 0.
_CHIP_ROW, _HEX_ROW, _CELL = (np.zeros(256, np.uint64) for _ in range(3))
for _chip in range(NUM_CHIP_KINDS):
    _CHIP_ROW[_chip] = 1 << 8 * _chip
for _i, (_a, _b) in enumerate(PAIRS.tolist()):
    _HEX_ROW[_i] = _CELL[HEX_CODE + _i] = 1 << 8 * _a | 1 << 8 * _b
for _symbol in range(NUM_SYMBOLS):
    _CELL[SYMBOL_CODE + _symbol] = 1 << 8 * _symbol
_CELL[COLOURED_CODE], _CELL[BLACK_CODE] = 1 << 8 * NUM_SYMBOLS, 1 << 8 * (NUM_SYMBOLS + 1)

# As a rule locations and connections come in fours that a turn changes into each other; then they are turned as words.
_FOURS = np.array([[i - i % 4 + (i + turn) % 4 for i in range(NUM_CONNECTIONS)] for turn in range(4)])
IN_FOURS = bool(
    NUM_TOWERS == 4 and SYMMETRIC and STONE == 16 and NUM_CONNECTIONS == 32 and np.array_equal(CONNECTION_AT, _FOURS)
)
_write_chips = one_hots_writer(STONE, NUM_CHIP_KINDS)
# By tower: of the bits of a set, those that a turn shifts down; it brings the others around.
_BITS_DOWN = np.array([sum(1 << i for i in range(16) if i % 4 + t < 4) for t in range(NUM_TOWERS)], np.int64)
_7, _8, _24, _32, _32_BITS = (np.uint64(n) for n in (7, 8, 24, 32, 0xFFFFFFFF))
_ONES, _SEVEN_BITS, _TOP_BITS = np.uint64(0x01010101), np.uint64(0x7F7F7F7F), np.uint64(0x80808080)
_HIGH_BYTES = np.uint64(0xFF00FF00FF00FF00)

# By number of players, the first and the last four shelves, a byte for each: the vials on them.
_ROOM = np.zeros((MOST_PLAYERS + 1, 2), np.uint64)
for _n in PLAYERS:
    for _i, _first_shelf in enumerate((0, NUM_SHELVES - 4)):
        _ROOM[_n, _i] = sum(int(CAPACITY[_n, _first_shelf + i]) << 8 * i for i in range(4))

# By number of players and turn: the round.
_ROUNDS = np.array(
    [[-(-turn // max(n, 1)) for turn in range(TURNS * MOST_PLAYERS + 1)] for n in range(MOST_PLAYERS + 1)], np.uint8
)


@kernel
def observe(s, player, out):
    """Write what a player sees, in rising order where a row's last word reaches into what comes next."""
    clear(out, _NUM_PLAYERS, _CHIP_AT)  # up to there hardly anything is not 0
    turned = max(s.tower[player], 0)  # before it has a tower: not turned
    observe_moment(s, player, out)
    observe_stack(s, out)
    observe_board(s, player, turned, out)
    observe_table(s, out)
    observe_own(s, player, out)
    observe_pieces(s, player, turned, out)
    observe_numbers(s, player, out)


@kernel(inline=True)
def seat_of(s, player, p):
    """How many seats after this player another one sits."""
    seat = p - player
    return seat + s.num_players if seat < 0 else seat


@kernel(inline=True)
def observe_moment(s, player, out):
    """Where the game stands, and the first half of a decision in two halves; a tile chosen is its owner's secret."""
    phase = s.phase
    write1(out, _NUM_PLAYERS, s.num_players)
    write1(out, _ROUND, game_round(s))
    write1(out, _PHASE + phase, 1)
    write1(out, _FIRST + seat_of(s, player, s.first), 1)
    if s.current != NOBODY:
        write1(out, _CURRENT + seat_of(s, player, s.current), 1)
    write1(out, _TILE + s.tile, (phase == LAY) & (s.current == player))
    write1(out, _CRYSTAL + s.crystal, phase == MOVE)
    write1(out, _HEX + s.hex, phase == HEX)
    write1(out, _EXIT + s.exit, phase == RACK)
    write1(out, _BLACK, ((phase == RACK) | (phase == CHIP)) & s.black)


@kernel(inline=True)
def game_round(s):
    """0 in set-up, then 1 to 11."""
    return _ROUNDS[s.num_players, s.turn]


@kernel(inline=True)
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


@kernel(inline=True)
def turn(word, turned):
    """Eight bytes by locations or connections, which come in fours, turned to a tower."""
    shift, down = _8 * np.uint64(turned), TURN_DOWN[np.uint8(turned)]
    return ((word >> shift) & down) | ((word << (_32 - shift)) & ~down)


@kernel(inline=True)
def observe_board(s, player, turned, out):
    """Places at the Witchstone, scrolls on display, chips and special hexes on the board."""
    for place in range(s.num_players):
        if s.stone[place] == NONE:
            break
        write1(out, _STONE + seat_of(s, player, s.stone[place]) * MOST_PLAYERS + place, 1)
    for i in range(s.display_size):
        write1(out, _DISPLAY + i * NUM_SCROLL_KINDS + s.display[i], 1)
    observe_chips(s, turned, out)
    for space in range(NUM_HEX_SPACES):
        write8(out, _HEX_AT + space * NUM_SYMBOLS, _HEX_ROW[np.uint8(s.hex_at[space])])


@kernel(inline=True)
def observe_chips(s, turned, out):
    """The chip of each location."""
    if IN_FOURS:
        _write_chips(turn(read8(s.chip_at, 0), turned), turn(read8(s.chip_at, 8), turned), out, _CHIP_AT)
    else:
        for i in range(STONE):
            chip = s.chip_at[LOCATION_AT[turned, i]]
            write8(out, _CHIP_AT + i * NUM_CHIP_KINDS, _CHIP_ROW[np.uint8(chip)])


@kernel(inline=True)
def observe_table(s, out):
    """What lies beside the board, in numbers."""
    for stack in range(NUM_OWL_SPACES):
        out[_OWLS_LEFT + stack] = NUM_OWLS - s.owls_taken[stack]
    out[_HEX_PILE] = s.hex_pile_size
    out[_SCROLL_PILE] = s.scroll_pile_size
    copy(s.table_chips, 0, out, _TABLE_CHIPS, NUM_CHIP_KINDS)
    room = _ROOM[np.uint8(s.num_players)]
    write4(out, _SHELF_ROOM, room[0] - read4(s.shelf_size, 0))
    write4(out, _SHELF_ROOM + NUM_SHELVES - 4, room[1] - read4(s.shelf_size, NUM_SHELVES - 4))


@kernel(inline=True)
def observe_own(s, player, out):
    """The observer's hand and cauldron."""
    write_set(s.hand[player], out, _HAND, NUM_TILES)
    cauldron = s.cauldron[player]
    for i in range(NUM_SPACES):
        write8(out, _CAULDRON + i * _NUM_PLANES, _CELL[cauldron[i]])


@kernel(inline=True)
def write_set(bits, out, first, size):
    """Write a set of at most 32, a byte for each; up to what is a whole 16 bytes it reaches into what comes next."""
    if size <= 16:
        write_16(bits, out, first)
    else:
        write_32(bits, out, first)


@kernel(inline=True)
def observe_pieces(s, player, turned, out):
    """What everyone has, piece by piece; who is not there has nothing."""
    players = PLAYER_AT[np.uint8(s.num_players), np.uint8(player)]
    for seat in range(1, MOST_PLAYERS):
        copy(s.cauldron[players[seat]], 0, out, _RIVAL_CAULDRON + (seat - 1) * NUM_SPACES, NUM_SPACES)
    for seat in range(MOST_PLAYERS):
        unlaid = ALL_TILES & ~s.gone[players[seat]] if seat < s.num_players else 0
        write_set(unlaid, out, _UNLAID + seat * NUM_TILES, NUM_TILES)
    for seat in range(MOST_PLAYERS):
        copy(s.group[players[seat]], 0, out, _GROUP + seat * NUM_SYMBOLS, NUM_SYMBOLS)
    for seat in range(MOST_PLAYERS):
        observe_standing(s.standing[players[seat]], turned, out, _STANDING + seat * NUM_LOCATIONS)
    observe_units(s, players, turned, out)
    for seat in range(MOST_PLAYERS):
        copy(s.spells[players[seat]], 0, out, _SPELLS + seat * NUM_SPELLS, NUM_SPELLS)
    for seat in range(MOST_PLAYERS):
        write_set(s.prophecies[players[seat]], out, _PROPHECIES + seat * NUM_PROPHECIES, NUM_PROPHECIES)
    if not SYMMETRIC:
        for seat in range(MOST_PLAYERS):
            for tower in range(NUM_TOWERS):
                there = (seat < s.num_players) & (s.tower[players[seat]] == tower)
                write1(out, _TOWER + seat * NUM_TOWERS + tower, there)


@kernel(inline=True)
def turn_set(locations, turned):
    """A set of locations, those in fours, turned to a tower."""
    down = _BITS_DOWN[np.uint8(turned)]
    return ((locations >> turned) & down) | ((locations << (4 - turned)) & _BITS_DOWN[0] & ~down)


@kernel(inline=True)
def observe_standing(standing, turned, out, first):
    """A set of locations."""
    if IN_FOURS:
        write_16(turn_set(standing, turned), out, first)
        write1(out, first + STONE, standing >> STONE)
    else:
        for i in range(NUM_LOCATIONS):
            write1(out, first + i, (standing >> LOCATION_AT[turned, i]) & 1)


@kernel(inline=True)
def observe_units(s, players, turned, out):
    """Everyone's units on connections."""
    for seat in range(MOST_PLAYERS):
        p = players[seat]
        own = s.finished[p] | (only(s.begun[p]) if s.begun[p] != NONE else 0)
        first = _UNITS + seat * NUM_CONNECTIONS
        if IN_FOURS:
            copy_turned(s.filled, own, turned, out, first)
        else:
            for i in range(NUM_CONNECTIONS):
                c = CONNECTION_AT[turned, i]
                write1(out, first + i, s.filled[c] * ((own >> c) & 1))


@kernel(inline=True)
def observe_numbers(s, player, out):
    """What everyone has, in numbers."""
    n = s.num_players
    write8(out, _SUPPLY, two_by_seat(read4(s.supply, 0), read4(s.energy, 0), player, n))
    write8(out, _LYING, two_by_seat(read4(s.lying, 0), read4(s.reserve, 0), player, n))
    write8(out, _WAND, two_by_seat(read4(s.wand, 0), wand_behind(s), player, n))
    write8(out, _PENTAGRAM, two_by_seat(read4(s.pentagram, 0), read4(s.owl_points, 0), player, n))
    write8(out, _CHIPS, two_by_seat(read4(s.num_chips, 0), read4(s.num_hexes, 0), player, n))
    write8(out, _SCROLLS, two_by_seat(read4(s.num_scrolls, 0), read4(s.racked, 0), player, n))
    write4(out, _SPOILED, by_seat(read4(s.spoiled, 0), player, n))
    observe_scores(s, player, out)


@kernel(inline=True)
def observe_scores(s, player, out):
    """The points on the track; more than fit into a byte are rare."""
    points = read8(s.score.view(np.uint8), 0)
    if points & _HIGH_BYTES:
        observe_high_scores(s, player, out)
        return
    write4(out, _SCORE, by_seat(halved(points), player, s.num_players))
    clear(out, _SCORE_255, _SUPPLY)


@kernel
def observe_high_scores(s, player, out):
    """The same if somebody has more than 255 points."""
    players = PLAYER_AT[s.num_players, player]
    for seat in range(MOST_PLAYERS):
        points = np.int64(s.score[players[seat]])
        write1(out, _SCORE + seat, min(points, 255))
        write1(out, _SCORE_255 + seat, min(max(points - 255, 0), 255))
        write1(out, _SCORE_510 + seat, max(points - 510, 0))


@kernel(inline=True)
def wand_behind(s):
    """By player, a byte for each: how many players were on its wand space before it; nobody on the hilt."""
    space, since, behind = read4(s.wand, 0), read4(s.wand_since, 0), np.uint64(0)
    for _ in range(1, MOST_PLAYERS):  # beside each player another one; the top bit of a byte says yes
        other_space, other_since = next_byte(space), next_byte(since)
        level = ~((read4(s.wand, 0) ^ other_space) + _SEVEN_BITS)
        later = (read4(s.wand_since, 0) | _TOP_BITS) - other_since - _ONES
        behind += (level & later & _TOP_BITS) >> _7
        space, since = other_space, other_since
    return behind


@kernel(inline=True)
def next_byte(word):
    """Four bytes turned by one."""
    return (word >> _8) | ((word << _24) & _32_BITS)
