"""The state of Leduc poker: names, actions and the record."""

from pathlib import Path

import numpy as np

from coven.games.core.actions import Actions, Kind
from coven.games.core.components import Components
from coven.games.core.record import record

FOLDER = Path(__file__).parent
COMPONENTS = Components(FOLDER / "components.toml")

PLAYERS = (2, 3, 4)
MOST_PLAYERS = PLAYERS[-1]
SUITS, ANTE, MOST_RAISES = COMPONENTS["suits"], COMPONENTS["ante"], COMPONENTS["most_raises"]
RAISE = np.array(COMPONENTS["raises"], np.int64)
NUM_RANKS = MOST_PLAYERS + 1
NUM_CARDS = NUM_RANKS * SUITS
MOST_CHIPS = ANTE + MOST_RAISES * int(RAISE.sum())

FIRST, SECOND, OVER = range(3)
PHASES = ("first", "second", "over")

ACTIONS = Actions(
    Kind("fold", "give up", ("fold",)),
    Kind("call", "pay up to the highest bet", ("call",)),
    Kind("raise", "bet more", ("raise",)),
)
DO_FOLD, DO_CALL, DO_RAISE = (ACTIONS.start(kind) for kind in ("fold", "call", "raise"))

RECORD = record(
    0,
    ("deck", np.int8, (NUM_CARDS,)),  # shuffled: card p is player p's, the one behind them is turned up
    ("paid", np.int8, (MOST_PLAYERS,)),
    ("folded", np.int8, (MOST_PLAYERS,)),
    ("raiser", np.int8, (2,)),  # who raised last in each round, NOBODY at first
    ("highest", np.int8),  # bet
    ("left", np.int8),  # players who have not folded
    ("raises", np.int8),  # in this round
    ("to_act", np.int8),  # players who must still answer the last raise
)
