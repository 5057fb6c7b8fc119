"""The state of Wie verhext!: names, tables computed from the components, the action table and the record."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from coven.games.core.actions import Actions, Kind
from coven.games.core.components import Components
from coven.games.core.options import Flag, Number
from coven.games.core.record import record

FOLDER = Path(__file__).parent
COMPONENTS = Components(FOLDER / "components.toml")

PLAYERS = (3, 4, 5)
MOST_PLAYERS = PLAYERS[-1]
COLOURS = tuple(COMPONENTS["colours"])
NUM_COLOURS = len(COLOURS)
ROLES = tuple(COMPONENTS["roles"])
NUM_ROLES = len(ROLES)
SCROLLS = tuple(COMPONENTS["scrolls"])
NUM_SCROLLS = len(SCROLLS)
HAND = COMPONENTS["hand"]
START_DROPS = COMPONENTS["start"]["drops"]
START_GOLD = COMPONENTS["start"]["gold"]
LAST_RAVENS = COMPONENTS["ravens"]
VIAL_SIZE = COMPONENTS["vial"]
RELIEF = COMPONENTS["relief"]
NONE = -1

CHOOSING, LEADING, FOLLOWING, ACTING, PAYING, GAINING, BOTTLING, TAXING, TAKING, OVER = range(10)
PHASES = ("choose", "lead", "follow", "act", "pay", "gain", "vial", "tax", "take", "over")
SETTLED = len(PHASES)  # inside `apply` only: nobody has anything to decide, the trick goes on

_BANS = {int(n): bans for n, bans in COMPONENTS["bans"].items()}
_MAX_SETS = COMPONENTS["max_sets"]
DEFAULT_SETS, MOST_SETS = _MAX_SETS["default"], _MAX_SETS["most"]
OPTIONS = (
    Flag(
        "banned_roles", False, "each set, 2 roles (3 players) or 1 role (4) are banned at random", players=tuple(_BANS)
    ),
    Number("max_sets", DEFAULT_SETS, "sets after which the game is cut off", low=1, high=MOST_SETS),
    Flag("ask_gifts", False, "gifts, and the favours of cutpurse and begging monk, are asked and may be declined"),
)
BANNED_ROLES, MAX_SETS, ASK_GIFTS = range(len(OPTIONS))
BANS = np.array([_BANS.get(n, 0) for n in range(MOST_PLAYERS + 1)], np.int8)  # roles banned in a set, by players

# The piles: the three cauldrons, then the two shelves.
CAULDRONS, SHELVES = tuple(COMPONENTS["cauldrons"]), tuple(COMPONENTS["shelves"])
PILES = CAULDRONS + SHELVES
NUM_CAULDRONS, NUM_SHELVES, NUM_PILES = len(CAULDRONS), len(SHELVES), len(PILES)
GOLD_SHELF, DROP_SHELF = PILES.index("gold"), PILES.index("drops")

# The cards, pile after pile, top first.
_cards = [
    (pile, card) for pile, name in enumerate(PILES) for card in (COMPONENTS["cauldrons"] | COMPONENTS["shelves"])[name]
]
NUM_CARDS = len(_cards)
NO_CARD = NUM_CARDS  # on top of an empty pile; its row in the tables is all 0
_INITIALS = [colour[0].upper() for colour in COLOURS]

CARD_PILE = np.array([pile for pile, _ in _cards], np.int8)
CARD_DROPS = np.zeros((NUM_CARDS + 1, NUM_COLOURS), np.int8)  # the drops on a cauldron card
CARD_COST = np.zeros(NUM_CARDS + 1, np.int8)  # how many drops or gold in all
CARD_POINTS = np.zeros(NUM_CARDS + 1, np.int8)
CARD_RAVEN = np.zeros(NUM_CARDS + 1, np.int8)
for _i, (_, _card) in enumerate(_cards):
    CARD_POINTS[_i], CARD_RAVEN[_i] = _card["points"], _card.get("raven", False)
    if isinstance(_card["cost"], int):
        CARD_COST[_i] = _card["cost"]
    else:
        CARD_DROPS[_i] = [_card["cost"].count(initial) for initial in _INITIALS]
        CARD_COST[_i] = len(_card["cost"])

PILE_SIZE = np.bincount(CARD_PILE, minlength=NUM_PILES).astype(np.int8)
TOP_CARD = np.full((NUM_PILES, PILE_SIZE.max() + 1), NO_CARD, np.uint8)  # by pile and number of cards gone
for _pile in range(NUM_PILES):
    TOP_CARD[_pile, : PILE_SIZE[_pile]] = np.flatnonzero(_pile == CARD_PILE)

# Effects: favour and action of every role, then the scrolls (see components.toml).
_KINDS = ("gift", "sell", "trade", "brew", "blend", "option", "tax", "relief", "scroll")
GIFT, SELL, TRADE, BREW, BLEND, OPTION, TAX, LESS_TAX, _ = range(len(_KINDS))
WARLOCK = ROLES.index("warlock")
FIRST_SCROLL = 2 * NUM_ROLES  # the effect of the first scroll
_effects: list[dict[str, Any]] = [COMPONENTS["roles"][r][what] for r in ROLES for what in ("favour", "action")]
_effects += [COMPONENTS["scrolls"][scroll] for scroll in SCROLLS]


def _column(key: str, values: tuple[str, ...] | None = None) -> np.ndarray:
    """One property of every effect; a word as its place among the values, NONE where there is none."""
    if values is None:
        return np.array([effect.get(key, 0) for effect in _effects], np.int8)
    return np.array([values.index(effect[key]) if key in effect else NONE for effect in _effects], np.int8)


EFFECT_KIND = _column("kind", _KINDS)
EFFECT_COLOUR = _column("colour", COLOURS)  # of the drop to pay in a trade, or of a gift
EFFECT_PILE = _column("pile", PILES)
EFFECT_GOLD = _column("gold")  # to pay
EFFECT_EARNED = _column("earned")  # gold to get
EFFECT_DROPS = _column("drops")  # to get
EFFECT_VIALS = _column("vials")  # to get
EFFECT_PART = _column("part")  # one of so many is the tax

ACTIONS = Actions(
    Kind("choose", "take a role into the hand for this set", tuple(f"choose {role}" for role in ROLES)),
    Kind("lead", "play a role and claim its action", tuple(f"lead {role}" for role in ROLES)),
    Kind("claim", "play the role led and claim its action", ("claim",)),
    Kind("favour", "play the role led and take its favour", ("favour",)),
    Kind("use", "carry out what the role or scroll offers", ("use",)),
    Kind("decline", "forgo what is offered", ("decline",)),
    Kind("brew", "brew the card that the role or scroll offers", ("brew",)),
    Kind("brew from", "brew the top card of that cauldron", tuple(f"brew {pile}" for pile in CAULDRONS)),
    Kind("pay", "pay a drop of that colour", tuple(f"pay {colour}" for colour in COLOURS)),
    Kind("gain", "gain a drop of that colour", tuple(f"gain {colour}" for colour in COLOURS)),
    Kind("take", "take the shelf's top card, adding what is missing on it", ("take",)),
)
CHOOSE, LEAD, CLAIM, FAVOUR = (ACTIONS.start(name) for name in ("choose", "lead", "claim", "favour"))
USE, DECLINE, BREW_IT, BREW_FROM = (ACTIONS.start(name) for name in ("use", "decline", "brew", "brew from"))
PAY, GAIN, TAKE = (ACTIONS.start(name) for name in ("pay", "gain", "take"))

PLAYED, PASSED = 1, -1  # what a player has shown of a role in this set

RECORD = record(
    len(OPTIONS),
    ("set", np.int16),  # from 1
    ("leader", np.int8),  # of this trick, while choosing of the coming one
    ("claimant", np.int8),  # NONE outside a trick
    ("role", np.int8),  # NONE outside a trick
    ("resolving", np.int8),  # 1 while the last claimant carries the action out
    ("left", np.int16),  # drops still to come in a payment or gain
    ("least", np.int8),  # the colour below which none of them may come
    ("favour", np.int8, (MOST_PLAYERS,)),  # 1 for who took the favour in this trick
    ("full_tax", np.int8, (MOST_PLAYERS,)),  # 1 in place of that for who declined to pay less tax
    ("drops", np.int16, (MOST_PLAYERS, NUM_COLOURS)),
    ("gold", np.int16, (MOST_PLAYERS,)),
    ("vials", np.int16, (MOST_PLAYERS,)),
    ("points", np.int16, (MOST_PLAYERS,)),  # of the cards
    ("hand", np.int8, (MOST_PLAYERS, NUM_ROLES)),
    ("hand_size", np.int8, (MOST_PLAYERS,)),
    ("shown", np.int8, (MOST_PLAYERS, NUM_ROLES)),  # PLAYED, PASSED or 0, in this set
    ("played", np.int8, (MOST_PLAYERS, HAND)),  # the roles of this set, as played
    ("num_played", np.int8, (MOST_PLAYERS,)),
    ("gone", np.uint8, (NUM_PILES,)),  # cards taken from each pile
    ("shelf", np.int16, (NUM_PILES,)),  # what lies on the top card; always 0 for the cauldrons
    ("taken", np.uint8, (NUM_CARDS,)),  # all cards taken, in that order
    ("taken_by", np.int8, (NUM_CARDS,)),  # and by whom
    ("num_taken", np.int8),
    ("ravens", np.int8),
    ("scroll", np.int8, (NUM_SCROLLS,)),  # the pile as shuffled; set after set it is gone through in circles
    ("banned", np.int8, (NUM_ROLES,)),  # 1 for the roles banned in this set
    ("ban_deck", np.int8, (NUM_ROLES,)),  # the spare roles as shuffled
    ("bans_seen", np.int8),  # how many of them have been turned up
)


def longest_game(num_players: int) -> int:
    """A bound on the decisions of a game: each card is chosen, played and used once, each drop gained and paid once."""
    of_roles = EFFECT_DROPS[:FIRST_SCROLL].reshape(NUM_ROLES, 2) @ [num_players - 1, 1]
    drops = int(of_roles.sum() + EFFECT_DROPS[FIRST_SCROLL:].max())  # gained in one set
    each_set = 3 * HAND * num_players + NUM_SHELVES + 2 * drops
    return int(MOST_SETS * each_set + num_players * START_DROPS * NUM_COLOURS + NUM_CARDS)


def most_points() -> int:
    """A bound on a score: all cards, with a vial for each, and in every set the vials of a role and of a scroll."""
    vials = int(EFFECT_VIALS[:FIRST_SCROLL].max() + EFFECT_VIALS[FIRST_SCROLL:].max())
    return int(CARD_POINTS.sum() + NUM_CARDS * VIAL_SIZE + MOST_SETS * vials)
