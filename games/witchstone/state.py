"""The state of Witchstone: names, tables computed from the components, the action table and the record."""

from __future__ import annotations

import numpy as np

from coven.games.core.actions import Actions, Kind
from coven.games.core.options import PerSeat
from coven.games.core.record import record
from coven.games.witchstone.box import COMPONENTS
from coven.games.witchstone.geometry import (
    CONNECTIONS,
    KINDS,
    LAYS,
    LOCATIONS,
    NUM_CONNECTIONS,
    NUM_LOCATIONS,
    NUM_SPACES,
    NUM_SYMBOLS,
    NUM_TOWERS,
    SPACES,
    SYMBOLS,
)

PLAYERS = (2, 3, 4)
MOST_PLAYERS = PLAYERS[-1]
NONE = -1

PHASES = ("tower", "tile", "lay", "start", "act", "move", "rack", "chip", "hex", "over")
TOWER, TILE, LAY, START, ACT, MOVE, RACK, CHIP, HEX, OVER = range(len(PHASES))


def _pairs(names: list[str]) -> list[tuple[int, ...]]:
    """Pairs of symbols, both in the order of the symbols."""
    return sorted(tuple(sorted(SYMBOLS.index(symbol) for symbol in name.split("/"))) for name in names)


# Double tiles, of which each player has the same, and special hexes show pairs of two different symbols. A tile is a
# number among the player's tiles, where equal ones lie side by side; for all else, in actions too, its pair counts.
_tiles, _hexes = _pairs(COMPONENTS["tiles"]), _pairs(COMPONENTS["special_hexes"])
_all_pairs = sorted({*_tiles, *_hexes})
PAIRS = np.array(_all_pairs, np.int8)
NUM_PAIRS = len(PAIRS)
PAIR_NAMES = tuple(f"{SYMBOLS[a]}/{SYMBOLS[b]}" for a, b in PAIRS)
TILE_PAIR = np.array([_all_pairs.index(pair) for pair in _tiles], np.int8)
NUM_TILES = len(TILE_PAIR)
TILE_NAMES = tuple(PAIR_NAMES[pair] for pair in TILE_PAIR)
ALL_TILES = (1 << NUM_TILES) - 1
HEX_COPIES = np.array([_hexes.count(pair) for pair in _all_pairs], np.int8)
NUM_HEXES = len(_hexes)
HAND, TURNS = COMPONENTS["hand"], COMPONENTS["turns"]
ASIDE = COMPONENTS["handicap"]["aside"]

OPTIONS = (
    PerSeat(
        "handicap",
        0,
        f"0, or the number of tiles a player chooses among, who has {ASIDE} set aside unseen",
        values=(0, *COMPONENTS["handicap"]["choices"]),
        width=MOST_PLAYERS,
    ),
)

UNITS, SMALL_WITCHES = COMPONENTS["player"]["energy"], COMPONENTS["player"]["small_witches"]
NUM_CRYSTALS = COMPONENTS["player"]["coloured_crystals"] + COMPONENTS["player"]["black_crystals"]
STAND_POINTS = COMPONENTS["stand_points"]
STONE_PLACES = np.array(COMPONENTS["stone_places"], np.int8)

POINTS = NUM_SYMBOLS  # the chip of points, behind those of the six symbols
CHIP_KINDS = (*SYMBOLS, "points")
NUM_CHIP_KINDS = len(CHIP_KINDS)
CHIP_COPIES = np.array([COMPONENTS["chips"][kind] for kind in CHIP_KINDS], np.int8)
NUM_CHIPS = int(CHIP_COPIES.sum())
CHIP_POINTS, CHIP_END_POINTS = COMPONENTS["chip_points"]["points"], COMPONENTS["chip_points"]["end"]

# What a space of the cauldron can hold: nothing, half a tile, a special hex or a crystal.
EMPTY, SYMBOL_CODE = 0, 1
HEX_CODE = SYMBOL_CODE + NUM_SYMBOLS
COLOURED_CODE = HEX_CODE + NUM_PAIRS
BLACK_CODE = COLOURED_CODE + 1
CODE_NAMES = ("", *SYMBOLS, *PAIR_NAMES, "coloured", "black")
HEX_ACTIONS = COMPONENTS["special_hex_actions"]

# The vial rack: a shelf for each symbol and the bottom one; by players, how many crystals fit.
BOTTOM = NUM_SYMBOLS
NUM_SHELVES = NUM_SYMBOLS + 1
SHELF_NAMES = (*SYMBOLS, "bottom")
CAPACITY = np.zeros((MOST_PLAYERS + 1, NUM_SHELVES), np.int8)
for _n in PLAYERS:
    CAPACITY[_n] = COMPONENTS["shelf"][str(_n)]
    CAPACITY[_n, BOTTOM] = COMPONENTS["bottom_shelf"][str(_n)]
VIAL_ACTIONS, BLACK_MORE = COMPONENTS["vial"]["actions"], COMPONENTS["vial"]["black_more"]

# The wand, by space, 0 the hilt: its colour, what it starts or scores, how many actions or points.
LIGHT, SILVER, DARK = range(3)
_wand = [["light"], *COMPONENTS["wand"]]
WAND_END = len(_wand) - 1
SILVER_KINDS = tuple(COMPONENTS["silver_points"])
CONNECTIONS_SILVER, SCROLLS_SILVER, WITCHES_SILVER, CRYSTALS_SILVER, CHIPS_SILVER, SPECIALS_SILVER = range(
    len(SILVER_KINDS)
)
SPACE_COLOUR = np.array([("light", "silver", "dark").index(space[0]) for space in _wand], np.int8)
SPACE_KIND = np.zeros(len(_wand), np.int8)
SPACE_AMOUNT = np.zeros(len(_wand), np.int8)
for _i, _space in enumerate(_wand):
    if SPACE_COLOUR[_i] == SILVER:
        SPACE_KIND[_i] = SILVER_KINDS.index(_space[1])
        SPACE_AMOUNT[_i] = COMPONENTS["silver_points"][_space[1]]
    elif SPACE_COLOUR[_i] == DARK:
        SPACE_KIND[_i], SPACE_AMOUNT[_i] = SYMBOLS.index(_space[1]), _space[2]
SILVER_UP_TO = np.cumsum(SPACE_COLOUR == SILVER)  # by space: silver ones reached there
LEADER_FACTOR = COMPONENTS["leader_factor"]

# The pentagram, by space: which hex space or owl stack it is, or NONE.
PENTAGRAM_SPACES = COMPONENTS["pentagram"]["spaces"]
HEX_SPACES, OWL_SPACES = tuple(COMPONENTS["pentagram"]["hexes"]), tuple(COMPONENTS["pentagram"]["owls"])
NUM_HEX_SPACES, NUM_OWL_SPACES = len(HEX_SPACES), len(OWL_SPACES)
HEX_AT = np.full(PENTAGRAM_SPACES, NONE, np.int8)
HEX_AT[list(HEX_SPACES)] = range(NUM_HEX_SPACES)
OWL_AT = np.full(PENTAGRAM_SPACES, NONE, np.int8)
OWL_AT[list(OWL_SPACES)] = range(NUM_OWL_SPACES)
OWLS = np.array(COMPONENTS["owls"], np.int8)
NUM_OWLS = len(OWLS)
NO_OWL_POINTS = COMPONENTS["no_owl_points"]

# Scrolls, by kind: spells first (the single one, then one for each symbol), then the prophecies, every copy of one by
# itself: clusters, others, visits and connects.
SINGLE = 0
SPELLS = ("single", *SYMBOLS)
NUM_SPELLS = len(SPELLS)
SPELL_ACTIONS = np.array(
    [COMPONENTS["spell_actions"]["single"], *[COMPONENTS["spell_actions"]["double"]] * NUM_SYMBOLS], np.int8
)
UNUSED_SPELL_POINTS = COMPONENTS["unused_spell_points"]
_prophecies = COMPONENTS["prophecies"]
OTHERS = tuple(_prophecies["other"])
OTHER_STONE, OTHER_WITCHES, OTHER_LYING, OTHER_SILVER, OTHER_SPECIALS, OTHER_SCROLLS, OTHER_CHIPS, OTHER_CRYSTALS = (
    range(len(OTHERS))
)
_scrolls = COMPONENTS["scrolls"]


def _of_family(family: tuple[str, ...]) -> list[str]:
    """The prophecies that begin with one of these words, in the order of the box, every copy of one."""
    return [name for name, copies in _scrolls.items() for _ in range(copies) if name.split()[0] in family]


_families = tuple(map(_of_family, (("cluster",), OTHERS, ("visit",), ("connect",))))
PROPHECIES = tuple(name for family in _families for name in family)
NUM_PROPHECIES = len(PROPHECIES)
FIRST_OTHER = len(_families[0])
FIRST_VISIT = FIRST_OTHER + len(_families[1])
FIRST_CONNECT = FIRST_VISIT + len(_families[2])
# By prophecy: its symbol, which of the others it is, or its route.
PROPHECY_WHAT = np.array(
    [
        *(SYMBOLS.index(name.split()[1]) for name in _families[0]),
        *(OTHERS.index(name) for name in _families[1]),
        *range(NUM_PROPHECIES - FIRST_VISIT),
    ],
    np.int8,
)
THRESHOLDS = np.array(
    [
        *[_prophecies["cluster"]] * FIRST_OTHER,
        *(_prophecies["other"][name] for name in _families[1]),
        *[_prophecies["steps"]] * (NUM_PROPHECIES - FIRST_VISIT),
    ],
    np.int8,
)
PROPHECY_POINTS = np.array(_prophecies["points"], np.int8)
# Of visit and connect prophecies, step by step: the set of locations that count, and how many of them it takes.
_routes = [name.split()[1].split("-") for name in PROPHECIES[FIRST_VISIT:]]
ROUTE_STEPS = THRESHOLDS.shape[1]
ROUTE_KIND = np.array([[KINDS[kind] for kind in route] for route in _routes], np.int64)
ROUTE_NEED = np.array([[route[: i + 1].count(kind) for i, kind in enumerate(route)] for route in _routes], np.int8)

SCROLLS = (*(f"spell {name}" for name in SPELLS), *PROPHECIES)
NUM_SCROLL_KINDS = len(SCROLLS)
SCROLL_COPIES = np.ones(NUM_SCROLL_KINDS, np.int8)
SCROLL_COPIES[:NUM_SPELLS] = [_scrolls.get(name, 0) for name in SCROLLS[:NUM_SPELLS]]
NUM_SCROLLS = int(SCROLL_COPIES.sum())
DISPLAY = COMPONENTS["display"]

# What runs and waits lies on one stack: running actions, each with the bonuses that wait on it right above it, the
# second half of the tile, and wand spaces still to be resolved in place of the wand action.
ACTION, SECOND, WAND_SPACES, CHIP_BONUS, VIAL_BONUS, HEX_BONUS, CHOICE_BONUS = range(7)


def hexes_passed(steps: int) -> int:
    """The most hex spaces that so many steps on the pentagram can pass or reach, from wherever they start."""
    starts = range(PENTAGRAM_SPACES)
    return max(sum((start + i) % PENTAGRAM_SPACES in HEX_SPACES for i in range(steps)) for start in starts)


def most_pentagram_steps(groups: int) -> int:
    """More steps (or other actions) than a player can get from so many groups, all but special hexes included."""
    pieces = [*_tiles, *_hexes]
    largest_group = 1 + max(sum(symbol in pair for pair in pieces) for symbol in range(NUM_SYMBOLS))  # 1 is printed
    wand = [int(SPACE_AMOUNT[i]) for i in range(WAND_END + 1) if SPACE_COLOUR[i] == DARK]
    doubles = int(SCROLL_COPIES[SINGLE + 1 : NUM_SPELLS].max())
    spells = SCROLL_COPIES[SINGLE] * SPELL_ACTIONS[SINGLE] + doubles * SPELL_ACTIONS[-1]
    return int(
        groups * largest_group
        + CHIP_COPIES.max()
        + NUM_CRYSTALS * VIAL_ACTIONS
        + BLACK_MORE
        + max(wand) * LEADER_FACTOR
        + spells
    )


def most_hexes(steps: int) -> int:
    """More hex spaces than a player can pass with so many steps, and those that the special hexes themselves give."""
    hexes = hexes_passed(steps)
    while hexes_passed(steps + HEX_ACTIONS * hexes) > hexes:
        hexes = hexes_passed(steps + HEX_ACTIONS * hexes)
    return hexes


# A turn is at most this high: both halves of the tile, and of all bonuses it can bring each either waits or runs. They
# are a chip for every small witch, a vial or chip for every crystal, every dark space, and special hexes.
STACK = 2 + SMALL_WITCHES + NUM_CRYSTALS + int((SPACE_COLOUR == DARK).sum()) + most_hexes(most_pentagram_steps(1))

# More decisions than a player can make in a game; a bonus is used, split, carried out and stopped, a crystal action is
# at best one of two decisions, and no type gets more actions than the pentagram could.
_bonuses = (
    SMALL_WITCHES + NUM_CRYSTALS + int((SPACE_COLOUR == DARK).sum()) + most_hexes(most_pentagram_steps(NUM_SYMBOLS))
)
_crystal_actions = most_pentagram_steps(NUM_SYMBOLS) + HEX_ACTIONS * most_hexes(most_pentagram_steps(NUM_SYMBOLS))
LONGEST = 1 + 3 * TURNS + 2 * (1 + 2 * TURNS) + 4 * _bonuses + UNITS + 2 * SMALL_WITCHES
LONGEST += 2 * _crystal_actions + 3 * NUM_CRYSTALS + int(SCROLL_COPIES[:NUM_SPELLS].sum())


def space_name(i: int) -> str:
    """A space of the cauldron as in `(1,-2)`."""
    return "({},{})".format(*SPACES[i])


_spaces = tuple(map(space_name, range(NUM_SPACES)))
ACTIONS = Actions(
    Kind("tower", "set-up: the tower of the big witch", tuple(f"tower {LOCATIONS[i]}" for i in range(NUM_TOWERS))),
    Kind("tile", "choose the tile to lay", tuple(f"tile {pair}" for pair in PAIR_NAMES)),
    Kind("discard", "give up a tile that fits nowhere", tuple(f"discard {pair}" for pair in PAIR_NAMES)),
    Kind(
        "lay", "where the tile's first and second symbol go", tuple(f"lay {_spaces[i]} {_spaces[j]}" for i, j in LAYS)
    ),
    Kind("start", "the symbol to carry out first", tuple(f"start {symbol}" for symbol in SYMBOLS)),
    Kind("energy", "a unit on a connection, turned to the own tower", tuple(f"energy {name}" for name in CONNECTIONS)),
    Kind("lay witch", "lay a small witch beside the tower", ("lay witch",)),
    Kind(
        "stand", "stand a witch up at a location, turned to the own tower", tuple(f"stand {name}" for name in LOCATIONS)
    ),
    Kind("advance", "take all steps on pentagram or wand", ("advance",)),
    Kind("crystal", "choose the crystal to move", tuple(f"crystal {space}" for space in _spaces)),
    Kind("scroll", "take the scroll at that position", tuple(f"scroll {i + 1}" for i in range(DISPLAY))),
    Kind("use chip", "start the action of a waiting chip", tuple(f"use chip {symbol}" for symbol in SYMBOLS)),
    Kind("use vial", "start the actions of a waiting vial", tuple(f"use vial {symbol}" for symbol in SYMBOLS)),
    Kind("hex", "take up a waiting special hex", tuple(f"hex {pair}" for pair in PAIR_NAMES)),
    Kind("choose", "the free actions of an empty hex space", tuple(f"choose {symbol}" for symbol in SYMBOLS)),
    Kind("spell", "raise the running action", tuple(f"spell {name}" for name in SPELLS)),
    Kind("stop", "end the running action", ("stop",)),
    Kind("to", "where the chosen crystal goes", tuple(f"to {space}" for space in _spaces)),
    Kind("exit", "the symbol by which the chosen crystal leaves", tuple(f"exit {symbol}" for symbol in SYMBOLS)),
    Kind("rack", "the symbol's shelf or the bottom one", ("shelf", "bottom")),
    Kind("chip", "the chip from the table", tuple(f"chip {kind}" for kind in CHIP_KINDS)),
    Kind("use", "use the special hex once", tuple(f"use {symbol}" for symbol in SYMBOLS)),
    Kind("place", "place the special hex for good", tuple(f"place {space}" for space in _spaces)),
    Kind("spoil", "take a crystal out of the cauldron, for points", tuple(f"spoil {space}" for space in _spaces)),
)


def _first(*kinds: str) -> tuple[np.int64, ...]:
    """The first ids of kinds of actions, as numbers that an int8 of the record can be added to without Numba, too."""
    return tuple(np.int64(ACTIONS.start(kind)) for kind in kinds)


DO_TOWER, DO_TILE, DO_DISCARD = _first("tower", "tile", "discard")
DO_LAY, DO_START = _first("lay", "start")
DO_ENERGY, DO_LAY_WITCH, DO_STAND = _first("energy", "lay witch", "stand")
DO_ADVANCE, DO_CRYSTAL, DO_SCROLL = _first("advance", "crystal", "scroll")
DO_USE_CHIP, DO_USE_VIAL, DO_HEX = _first("use chip", "use vial", "hex")
DO_CHOOSE, DO_SPELL, DO_STOP = _first("choose", "spell", "stop")
DO_TO, DO_EXIT, DO_RACK, DO_CHIP = _first("to", "exit", "rack", "chip")
DO_USE, DO_PLACE, DO_SPOIL = _first("use", "place", "spoil")

RECORD = record(
    sum(option.width for option in OPTIONS),
    ("first", np.int8),  # the first player
    ("score", np.int16, (MOST_PLAYERS,)),  # on the track
    # What runs and waits, bottom first, and what a decision in two halves has chosen.
    ("height", np.int8),
    ("running", np.int8),  # the topmost action, NONE if something else is on top
    ("item_kind", np.int8, (STACK,)),
    ("item_what", np.int8, (STACK,)),  # symbol, special hex, or the next wand space
    ("item_number", np.int8, (STACK,)),  # actions; of wand spaces the last one
    ("item_vial", np.int8, (STACK,)),  # of actions: did a vial start it, or a crystal vial join it?
    ("tile", np.int8),  # in lay: the pair of the chosen tile
    ("crystal", np.int8),  # in move: the space of the chosen crystal
    ("exit", np.int8),  # in rack and chip: the symbol by which the crystal left
    ("black", np.int8),  # in rack and chip: is it the black one?
    ("hex", np.int8),  # in hex: the chosen special hex
    ("half_at", np.int8, (NUM_SYMBOLS,)),  # where the tile of this turn has that symbol, NONE if it has not
    # Tiles, as sets; the supply is what is in neither set, and with a handicap so is what was set aside.
    ("hand", np.int16, (MOST_PLAYERS,)),
    ("gone", np.int16, (MOST_PLAYERS,)),  # laid or discarded
    ("supply", np.int8, (MOST_PLAYERS,)),  # how many are still to be drawn
    # The cauldrons.
    ("cauldron", np.uint8, (MOST_PLAYERS, NUM_SPACES)),  # what lies on each space, as a code
    ("free", np.uint64, (MOST_PLAYERS,)),  # and as sets of spaces: what is free, each symbol, the crystals
    ("symbol", np.uint64, (MOST_PLAYERS, NUM_SYMBOLS)),
    ("crystals", np.uint64, (MOST_PLAYERS,)),
    ("group", np.int8, (MOST_PLAYERS, NUM_SYMBOLS)),  # the largest group of each symbol
    # The crystal ball. Locations and connections are sets, too.
    ("tower", np.int8, (MOST_PLAYERS,)),
    ("chip_at", np.int8, (NUM_LOCATIONS,)),
    ("standing", np.int64, (MOST_PLAYERS,)),  # locations with a witch, the tower with the big one included
    ("lying", np.int8, (MOST_PLAYERS,)),
    ("reserve", np.int8, (MOST_PLAYERS,)),
    ("stone", np.int8, (MOST_PLAYERS,)),  # players by place at the Witchstone
    ("energy", np.int8, (MOST_PLAYERS,)),  # units left
    ("filled", np.int8, (NUM_CONNECTIONS,)),
    ("touched", np.int64),  # connections that anybody began or finished
    ("begun", np.int8, (MOST_PLAYERS,)),  # the one connection begun and not finished, or NONE
    ("finished", np.int64, (MOST_PLAYERS,)),
    ("joined", np.int64, (MOST_PLAYERS,)),  # locations joined to the tower by own finished connections, itself included
    ("open_to", np.int64, (MOST_PLAYERS,)),  # connections at these, whoever has them
    # Wand and pentagram.
    ("wand", np.int8, (MOST_PLAYERS,)),
    ("wand_moves", np.int8),  # so far, by all
    ("wand_since", np.int8, (MOST_PLAYERS,)),  # the move that brought each player to its space
    ("pentagram", np.int8, (MOST_PLAYERS,)),
    ("owls_taken", np.int8, (NUM_OWL_SPACES,)),
    ("owl_owner", np.int8, (NUM_OWL_SPACES, NUM_OWLS)),
    ("owl_points", np.int8, (MOST_PLAYERS,)),
    ("hex_at", np.int8, (NUM_HEX_SPACES,)),  # the special hex on each space, or NONE
    ("hex_pile", np.int8, (NUM_HEXES,)),  # the top one last
    ("hex_pile_size", np.int8),
    # What players collected, by kind and in all.
    ("chips", np.int8, (MOST_PLAYERS, NUM_CHIP_KINDS)),
    ("num_chips", np.int8, (MOST_PLAYERS,)),
    ("table_chips", np.int8, (NUM_CHIP_KINDS,)),
    ("hexes_used", np.int8, (MOST_PLAYERS, NUM_PAIRS)),  # used once or laid aside, and placed
    ("hexes_placed", np.int8, (MOST_PLAYERS, NUM_PAIRS)),
    ("num_hexes", np.int8, (MOST_PLAYERS,)),  # taken, those that still wait included
    ("display", np.int8, (DISPLAY,)),  # scrolls, position 1 first
    ("display_size", np.int8),
    ("scroll_pile", np.int8, (NUM_SCROLLS,)),  # the top one last
    ("scroll_pile_size", np.int8),
    ("spells", np.int8, (MOST_PLAYERS, NUM_SPELLS)),  # unused
    ("spells_used", np.int8, (MOST_PLAYERS, NUM_SPELLS)),
    ("prophecies", np.int32, (MOST_PLAYERS,)),  # a set
    ("num_scrolls", np.int8, (MOST_PLAYERS,)),
    # Crystals out of the cauldrons.
    ("shelf", np.int8, (NUM_SHELVES, MOST_PLAYERS)),  # coloured ones
    ("shelf_black", np.int8, (NUM_SHELVES, MOST_PLAYERS)),
    ("shelf_size", np.int8, (NUM_SHELVES,)),
    ("racked", np.int8, (MOST_PLAYERS,)),  # coloured crystals on all shelves
    ("spoiled", np.int8, (MOST_PLAYERS,)),
    ("beside", np.int8, (MOST_PLAYERS, 2)),  # crystals the rack had no room for: coloured, black
)
