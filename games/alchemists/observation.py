"""What an Alchemists player sees, as numbers: the seat of the observer comes first, then clockwise."""

from __future__ import annotations

import numpy as np

from coven.games.alchemists.rules import in_bag
from coven.games.alchemists.state import (
    COLOURS,
    CUBES,
    EMPTY,
    MIX,
    MOST_PLAYERS,
    NUM_CAULDRONS,
    NUM_COLOURS,
    NUM_TILES,
    PLAYERS,
    SEALS,
    TILES,
    cauldron_name,
)
from coven.games.core.kernels import kernel
from coven.games.core.layout import Layout, Slice, split
from coven.games.core.record import PLAYER_AT
from coven.games.core.words import by_seat, clear, copy, halved, read4, read8, write1, write4, write8

_MOST_CUBES = CUBES * NUM_COLOURS
MOST_FAME = 765  # more than all turns of the longest game can bring
_SEATS = tuple(f"seat {i}" for i in range(MOST_PLAYERS))
_CAULDRONS = tuple(map(cauldron_name, range(NUM_CAULDRONS)))

RAW = (
    Slice("num_players", 1, 0, PLAYERS[-1], "players at the table"),
    Slice("phase", 1, 0, 2, "0 turn, 1 choosing the tile of a new potion, 2 over"),
    Slice("first_turn", 1, 0, 1, "1 in the very first turn, in which two players must create"),
    Slice("first_player", MOST_PLAYERS, 0, 1, "one-hot: the seat of the first player", labels=_SEATS),
    Slice("hand", NUM_COLOURS, 0, CUBES, "own cubes by colour", labels=COLOURS),
    Slice("school", NUM_COLOURS, 0, 1, "one-hot: own school", labels=COLOURS),
    Slice("reserve", NUM_COLOURS, 0, CUBES, "cubes in the reserve by colour", labels=COLOURS),
    Slice("removed", NUM_COLOURS, 0, CUBES, "cubes out of the game by colour", labels=COLOURS),
    Slice("bag_size", 1, 0, _MOST_CUBES, "cubes in the bag"),
    Slice("tiles", NUM_TILES, 0, 1, "1 for every fame tile that still lies there", labels=tuple(map(str, TILES))),
    Slice("brewing", NUM_CAULDRONS, 0, 1, "one-hot: the cauldron that waits for its tile", labels=_CAULDRONS),
    Slice("value", NUM_CAULDRONS, 0, TILES[-1], "the tile on each cauldron, 0 without", labels=_CAULDRONS),
    Slice(
        "recipe",
        NUM_CAULDRONS * NUM_COLOURS,
        0,
        2,
        "cubes of each colour on each cauldron",
        labels=COLOURS,
        rows=_CAULDRONS,
    ),
    Slice(
        "owner",
        MOST_PLAYERS * NUM_CAULDRONS,
        0,
        1,
        "seat by seat: 1 for the cauldrons with its seal",
        labels=_CAULDRONS,
        rows=_SEATS,
    ),
    *split("fame", MOST_PLAYERS, 255, MOST_FAME, "the fame track, by seat", labels=_SEATS),
    Slice("seals", MOST_PLAYERS, 0, SEALS, "seals left, by seat", labels=_SEATS),
    Slice("hand_size", MOST_PLAYERS, 0, _MOST_CUBES, "cubes behind each screen, by seat", labels=_SEATS),
    Slice(
        "known",
        MOST_PLAYERS * NUM_COLOURS,
        0,
        CUBES,
        "seat by seat: cubes there that everyone saw arrive",
        labels=COLOURS,
        rows=_SEATS,
    ),
    Slice("passed", MOST_PLAYERS, 0, 1, "1 for a seat that passed in this round", labels=_SEATS),
)
DERIVED = (
    Slice(
        "payable",
        NUM_CAULDRONS,
        0,
        1,
        "in turn: 1 for a potion there whose mix one has",
        derived=True,
        labels=_CAULDRONS,
    ),
    Slice(
        "payable_soon",
        NUM_CAULDRONS,
        0,
        1,
        "in turn: 1 for a potion whose mix one has or would have with one more cube",
        derived=True,
        labels=_CAULDRONS,
    ),
    Slice(
        "missing",
        NUM_CAULDRONS * NUM_COLOURS,
        0,
        2,
        "in turn: cubes of each colour that one has too few of for the potion there",
        derived=True,
        labels=COLOURS,
        rows=_CAULDRONS,
    ),
)
LAYOUT = Layout(*RAW, *DERIVED)
_NUM_PLAYERS, _PHASE, _FIRST_TURN = LAYOUT.starts("num_players", "phase", "first_turn")
_FIRST, _HAND, _SCHOOL = LAYOUT.starts("first_player", "hand", "school")
_RESERVE, _REMOVED, _BAG_SIZE = LAYOUT.starts("reserve", "removed", "bag_size")
_TILES, _BREWING, _VALUE = LAYOUT.starts("tiles", "brewing", "value")
_RECIPE, _OWNER = LAYOUT.starts("recipe", "owner")
_FAME, _FAME_255, _FAME_510 = LAYOUT.starts("fame", "fame_above_255", "fame_above_510")
_SEALS, _HAND_SIZE, _KNOWN, _PASSED = LAYOUT.starts("seals", "hand_size", "known", "passed")

_ONE_HOT = np.array([1 << 8 * i for i in range(8)], np.uint64)
# By potion: its mix as a row of bytes.
MIX_ROW = np.array([sum(int(n) << 8 * c for c, n in enumerate(mix)) for mix in MIX], np.uint64)
_32, _HIGH_BYTES = np.uint64(32), np.uint64(0xFF00FF00FF00FF00)


@kernel
def observe(s, player, out):
    """Write what a player sees, in rising order: the last word of a row may reach into what comes next."""
    observe_table(s, player, out)
    observe_cauldrons(s, player, out)
    observe_seats(s, player, out)


@kernel(inline=True)
def observe_table(s, player, out):
    """What lies in the middle of the table, and what the observer has."""
    write1(out, _NUM_PLAYERS, s.num_players)
    write1(out, _PHASE, s.phase)
    write1(out, _FIRST_TURN, s.turn == 0)
    seat = s.first - player
    write8(out, _FIRST, _ONE_HOT[np.uint8(seat + s.num_players if seat < 0 else seat)])
    copy(s.hand[player], 0, out, _HAND, NUM_COLOURS)
    write8(out, _SCHOOL, _ONE_HOT[np.uint8(s.school[player])])
    copy(s.reserve, 0, out, _RESERVE, NUM_COLOURS)
    copy(s.removed, 0, out, _REMOVED, NUM_COLOURS)
    write1(out, _BAG_SIZE, in_bag(s))
    copy(s.tile, 0, out, _TILES, NUM_TILES)


@kernel(inline=True)
def observe_cauldrons(s, player, out):
    """The potions: value, recipe, and whose they are; nobody's seat would be beyond the last of an empty one."""
    clear(out, _BREWING, _VALUE)
    write1(out, _BREWING + max(s.brewing, 0), s.brewing >= 0)
    copy(s.value, 0, out, _VALUE, NUM_CAULDRONS)
    for i in range(NUM_CAULDRONS):
        write8(out, _RECIPE + i * NUM_COLOURS, MIX_ROW[s.potion[i]])
    clear(out, _OWNER, _FAME)
    for i in range(NUM_CAULDRONS):
        seat = s.owner[i] - player
        seat += s.num_players if seat < 0 else 0
        write1(out, _OWNER + seat * NUM_CAULDRONS + i, s.potion[i] != EMPTY)


@kernel(inline=True)
def five(numbers):
    """Five bytes as one word."""
    return read4(numbers, 0) | (np.uint64(np.uint8(numbers[4])) << _32)


@kernel(inline=True)
def observe_seats(s, player, out):
    """What everyone sees of the players; who is not there has nothing."""
    n, players = s.num_players, PLAYER_AT[np.uint8(s.num_players), np.uint8(player)]
    fame = read8(s.fame.view(np.uint8), 0)
    write8(out, _FAME, by_seat(halved(fame) | (np.uint64(np.uint8(s.fame[4])) << _32), player, n))
    clear(out, _FAME_255, _SEALS)
    if fame & _HIGH_BYTES or s.fame[4] > 255:
        observe_much_fame(s, players, out)
    write8(out, _SEALS, by_seat(five(s.seals), player, n))
    write8(out, _HAND_SIZE, by_seat(five(s.hand_size), player, n))
    for seat in range(MOST_PLAYERS):
        copy(s.known[players[seat]], 0, out, _KNOWN + seat * NUM_COLOURS, NUM_COLOURS)
    passed = by_seat(five(s.passed), player, n)
    write4(out, _PASSED, passed)
    write1(out, _PASSED + 4, passed >> _32)


@kernel
def observe_much_fame(s, players, out):
    """Fame again if somebody has more than a byte holds."""
    for seat in range(MOST_PLAYERS):
        fame = np.int64(s.fame[players[seat]])
        write1(out, _FAME + seat, min(fame, 255))
        write1(out, _FAME_255 + seat, min(max(fame - 255, 0), 255))
        write1(out, _FAME_510 + seat, max(fame - 510, 0))
