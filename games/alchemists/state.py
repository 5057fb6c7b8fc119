"""The state of Alchemists: names, tables computed from the components, the action table and the record."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from coven.games.core.actions import Actions, Kind
from coven.games.core.components import Components
from coven.games.core.options import Choice
from coven.games.core.record import record

FOLDER = Path(__file__).parent
COMPONENTS = Components(FOLDER / "components.toml")

PLAYERS = (2, 3, 4, 5)
MOST_PLAYERS = PLAYERS[-1]
COLOURS = tuple(COMPONENTS["colours"])
NUM_COLOURS = len(COLOURS)
CUBES = COMPONENTS["cubes"]
TILES = tuple(COMPONENTS["tiles"])
NUM_TILES = len(TILES)
SEALS = COMPONENTS["seals"]
HAND = COMPONENTS["hand"]
DRAW_SIZE = COMPONENTS["draw"]
EXHAUSTED_KINDS = COMPONENTS["exhausted"]
FIRST_VALUE = COMPONENTS["first_value"]
MOST_ALIKE = COMPONENTS["recipe"]["alike"]

TURN, VALUE, OVER = range(3)
PHASES = ("turn", "value", "over")

OPTIONS = (
    Choice("setup", "book", "cubes in bag and reserve; they differ only with 3 players", values=("book", "german")),
)

# Set-up and rewards by option and number of players.
BAG = np.zeros((len(OPTIONS[0].values), MOST_PLAYERS + 1), np.int8)
RESERVE = np.zeros_like(BAG)
SCHOOL_REWARDS = np.zeros((MOST_PLAYERS + 1, MOST_PLAYERS), np.int8)
for _n in PLAYERS:
    SCHOOL_REWARDS[_n, :_n] = COMPONENTS["school_rewards"][str(_n)]
    for _i, _setup in enumerate(OPTIONS[0].values):
        BAG[_i, _n], RESERVE[_i, _n] = COMPONENTS["supply"][_setup][str(_n)]

# The cauldrons: the pair each produces, and the three other kinds that its recipes are made of.
NUM_CAULDRONS = len(COMPONENTS["cauldrons"])
PRODUCES = np.array([[COLOURS.index(c) for c in pair] for pair in COMPONENTS["cauldrons"]], np.int8)
TAKES = np.array([[c for c in range(NUM_COLOURS) if c not in pair] for pair in PRODUCES], np.int8)
NUM_TAKES = TAKES.shape[1]

# A recipe of a cauldron is how many cubes of each of its three kinds; the same 25 for every cauldron.
RECIPES = tuple(
    r for r in product(range(MOST_ALIKE + 1), repeat=NUM_TAKES) if 1 <= sum(r) <= COMPONENTS["recipe"]["cubes"]
)
NUM_RECIPES = len(RECIPES)
NUM_CREATES = NUM_CAULDRONS * NUM_RECIPES
EMPTY = NUM_CREATES  # in place of a potion: its row in the tables is all 0, so that an empty cauldron needs no test
NONE = -1

# By create action (cauldron x recipe): the cubes of each colour; and whether each of the cauldron's kinds is in it.
MIX = np.zeros((NUM_CREATES + 1, NUM_COLOURS), np.int16)
CONTAINS = np.zeros((NUM_CREATES + 1, NUM_TAKES), np.int8)
for _cauldron in range(NUM_CAULDRONS):
    for _i, _recipe in enumerate(RECIPES):
        MIX[_cauldron * NUM_RECIPES + _i, TAKES[_cauldron]] = _recipe
        CONTAINS[_cauldron * NUM_RECIPES + _i] = np.array(_recipe) > 0


def _as_bits(flags: Any) -> np.ndarray:
    """Rows of flags as rows of 64-bit words."""
    padded = np.zeros((len(flags), -(-flags.shape[1] // 64) * 64), np.uint8)
    padded[:, : flags.shape[1]] = flags
    return np.packbits(padded, axis=1, bitorder="little").view(np.uint64)


# By potion: the creates that it rules out, in its own cauldron and of its mix anywhere.
_creates = np.arange(NUM_CREATES)
_same_cauldron = _creates[:, None] // NUM_RECIPES == _creates // NUM_RECIPES
_same_mix = (MIX[:NUM_CREATES, None] == MIX[:NUM_CREATES]).all(axis=2)
RULED_OUT = _as_bits(np.vstack([_same_cauldron | _same_mix, np.zeros((1, NUM_CREATES), bool)]))

# By hand, each colour cut to what a recipe can use and read as one number in base 3: which mixes it can pay.
CODE_WEIGHTS = (MOST_ALIKE + 1) ** np.arange(NUM_COLOURS)
_codes = np.arange((MOST_ALIKE + 1) ** NUM_COLOURS)
_hands = _codes[:, None] // CODE_WEIGHTS % (MOST_ALIKE + 1)
PAYABLE = _as_bits(np.all(MIX[:NUM_CREATES] <= _hands[:, None], axis=2))
WORDS = PAYABLE.shape[1]


def cauldron_name(cauldron: int) -> str:
    """A cauldron by what it produces, as in `blue+grey`."""
    return "+".join(COLOURS[c] for c in PRODUCES[cauldron])


def mix_name(create: int) -> str:
    """A mix as in `2 green 1 yellow`."""
    return " ".join(f"{n} {COLOURS[c]}" for c, n in enumerate(MIX[create]) if n)


ACTIONS = Actions(
    Kind(
        "create",
        "create a potion: cauldron and mix",
        tuple(f"create {cauldron_name(i // NUM_RECIPES)}: {mix_name(i)}" for i in range(NUM_CREATES)),
    ),
    Kind("value", "the fame tile for the potion just created", tuple(f"value {v}" for v in TILES)),
    Kind(
        "copy",
        "copy a potion and give one of its cubes to the creator",
        tuple(f"copy {cauldron_name(i)}: give {COLOURS[c]}" for i in range(NUM_CAULDRONS) for c in TAKES[i]),
    ),
    Kind("take", "take a cube of that colour from the reserve", tuple(f"take {c}" for c in COLOURS)),
    Kind("draw", "draw 2 cubes from the bag", ("draw",)),
    Kind("pass", "only where nothing else is possible", ("pass",)),
)
CREATE, TILE, COPY = ACTIONS.start("create"), ACTIONS.start("value"), ACTIONS.start("copy")
TAKE, DRAW, PASS = ACTIONS.start("take"), ACTIONS.start("draw"), ACTIONS.start("pass")

RECORD = record(
    len(OPTIONS),
    ("first", np.int8),  # the first player
    ("brewing", np.int8),  # the cauldron that waits for its tile, or NONE
    ("bag", np.int8, (NUM_COLOURS,)),
    ("reserve", np.int8, (NUM_COLOURS,)),
    ("removed", np.int8, (NUM_COLOURS,)),
    ("hand", np.int8, (MOST_PLAYERS, NUM_COLOURS)),
    ("known", np.int8, (MOST_PLAYERS, NUM_COLOURS)),  # cubes in hand that everyone saw get there
    ("hand_size", np.int8, (MOST_PLAYERS,)),
    ("unknown", np.int8, (MOST_PLAYERS,)),  # cubes still to be drawn while determinize deals, else 0
    ("school", np.int8, (NUM_COLOURS,)),  # by player; behind them the cards nobody drew
    ("seals", np.int8, (MOST_PLAYERS,)),
    ("fame", np.int16, (MOST_PLAYERS,)),
    ("potion", np.uint8, (NUM_CAULDRONS,)),  # the create action that filled it, or EMPTY
    ("owner", np.int8, (NUM_CAULDRONS,)),
    ("value", np.int8, (NUM_CAULDRONS,)),  # of its tile, 0 without
    ("tile", np.int8, (NUM_TILES,)),  # 1 while it lies there
    # Who passed in this last round, and what was open then: such a hand could do nothing (see determinize).
    ("passed", np.int8, (MOST_PLAYERS,)),
    ("known_at_pass", np.int8, (MOST_PLAYERS, NUM_COLOURS)),
    ("potion_at_pass", np.uint8, (MOST_PLAYERS, NUM_CAULDRONS)),
)
