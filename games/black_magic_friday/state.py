"""The state of Black Magic Friday: names, tables computed from the components, the action table and the record."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from coven.games.core.actions import Actions, Kind
from coven.games.core.components import Components
from coven.games.core.options import Option
from coven.games.core.record import record

FOLDER = Path(__file__).parent
COMPONENTS = Components(FOLDER / "components.toml")

PLAYERS = (2, 3, 4)
MOST_PLAYERS = PLAYERS[-1]
OPTIONS: tuple[Option, ...] = ()

PHASES = ("turn", "spell", "discard", "target", "return", "fetch", "pick", "again", "marker", "over")
TURN, SPELL, DISCARD, TARGET, RETURN, FETCH, PICK, AGAIN, MARKER, OVER = range(len(PHASES))
NUM_PHASES = len(PHASES)
NONE = -1

# The articles by kind: ingredients and grimoires by colour, the mandrake, then the cursed scrolls, which never come
# into a hand.
COLOURS = tuple(COMPONENTS["colours"])
NUM_COLOURS = len(COLOURS)
NUM_INGREDIENTS = sum(n > 0 for n in COMPONENTS["ingredients"].values())  # all colours but black, the last
SCROLLS = tuple(int(curses) for curses in COMPONENTS["scrolls"])
NUM_SCROLLS = len(SCROLLS)
KINDS = (
    *(f"{colour} ingredient" for colour in COLOURS[:NUM_INGREDIENTS]),
    *(f"{colour} grimoire" for colour in COLOURS),
    "mandrake",
    *(f"curse {curses}" for curses in SCROLLS),
)
NUM_KINDS = len(KINDS)
GRIMOIRE = NUM_INGREDIENTS  # the first grimoire, of the first colour
BLACK = GRIMOIRE + NUM_COLOURS - 1  # the grimoire of black magic
MANDRAKE = BLACK + 1
SCROLL = MANDRAKE + 1  # the first scroll
HAND_KINDS = SCROLL  # kinds that can be in a hand

# What a spell is built of, by number: ingredients by colour, then the mandrake; and grimoires by colour, then it.
PARTS = np.array([*range(NUM_INGREDIENTS), MANDRAKE], np.uint8)
NUM_PARTS = len(PARTS)
MANDRAKE_PART = NUM_PARTS - 1
BOOKS = np.array([*range(GRIMOIRE, MANDRAKE), MANDRAKE], np.uint8)
NUM_BOOKS = len(BOOKS)

# How many articles of each kind are in the box, and are removed at set-up by number of players.
IN_BOX = np.array(
    [
        *(COMPONENTS["ingredients"][colour] for colour in COLOURS[:NUM_INGREDIENTS]),
        *(COMPONENTS["grimoires"][colour]["cards"] for colour in COLOURS),
        COMPONENTS["mandrakes"],
        *COMPONENTS["scrolls"].values(),
    ],
    np.int8,
)
NUM_ARTICLES = int(IN_BOX.sum())
REMOVED = np.zeros((MOST_PLAYERS + 1, NUM_KINDS), np.int8)
for _n in PLAYERS:
    _out = COMPONENTS["removed"][str(_n)]
    for _colour, _cards in _out["grimoires"].items():
        REMOVED[_n, GRIMOIRE + COLOURS.index(_colour)] = _cards
    for _colour in _out["colours"]:
        for _kind in (f"{_colour} ingredient", f"{_colour} grimoire"):
            REMOVED[_n, KINDS.index(_kind)] = IN_BOX[KINDS.index(_kind)]
    REMOVED[_n, MANDRAKE] = _out["mandrakes"]
FIRST_HAND = COMPONENTS["first_hand"]

# Points of the grimoires by kind; a mandrake in place of one is worth nothing.
BOOK_POINTS = np.zeros(HAND_KINDS, np.int8)
for _i, _colour in enumerate(COLOURS):
    BOOK_POINTS[GRIMOIRE + _i] = COMPONENTS["grimoires"][_colour]["points"]
COLOUR_PENALTY, MARKER_PENALTY = COMPONENTS["penalty"]["colour"], COMPONENTS["penalty"]["marker"]

# The spells, and the pile that each power is taken from.
SPELLS = tuple(COMPONENTS["spells"])
NUM_SPELLS = len(SPELLS)
CLEANSE, BESTOW, SWAP, FETCH_SPELL, AGAIN_SPELL, HASTE, VANISH, OBLIVION = range(NUM_SPELLS)
POWER = np.array([spell["power"] for spell in COMPONENTS["spells"].values()], np.int8)
COPIES = np.array([spell["copies"] for spell in COMPONENTS["spells"].values()], np.int8)
NUM_PILES = int(POWER.max())
PILE_SIZES = np.array([COPIES[power == POWER].sum() for power in range(1, NUM_PILES + 1)], np.int8)
MOST_IN_PILE = int(PILE_SIZES.max())

NUM_SHOPS = COMPONENTS["shops"]["day"] + COMPONENTS["shops"]["night"]
NUM_NIGHT_SHOPS = COMPONENTS["shops"]["night"]
REACH, HASTE_REACH = COMPONENTS["reach"], COMPONENTS["haste"]
MOST_REACH = REACH + HASTE_REACH * int(COPIES[HASTE])
LAST_ROUNDS = COMPONENTS["last_rounds"]

# Bounds that follow: every spell needs a grimoire or a mandrake of its own; all colours left in hand and the marker at
# worst, all spells with all grimoires at best.
MOST_CAST = int(IN_BOX[GRIMOIRE : MANDRAKE + 1].sum())
LEAST_SCORE = -COLOUR_PENALTY * (NUM_COLOURS + 1) - MARKER_PENALTY
MOST_POINTS = int((POWER * COPIES).sum() + (BOOK_POINTS * IN_BOX[:HAND_KINDS]).sum())
MOST_CURSES = sum(curses * copies for curses, copies in zip(SCROLLS, IN_BOX[SCROLL:].tolist(), strict=True))


def longest(num_players: int) -> int:
    """More decisions than this a game cannot have.

    Every move before the last rounds takes a card from the deck; every grimoire, mandrake and ingredient is laid once;
    of each book comes one spell with its decisions, of every change of scrolls one of the marker.
    """
    cards = IN_BOX - REMOVED[num_players]
    books = int(cards[GRIMOIRE : MANDRAKE + 1].sum())
    deck = int(cards.sum()) - num_players * FIRST_HAND - (NUM_SHOPS - 1)
    asked = {CLEANSE: 1, BESTOW: 2, SWAP: 2, FETCH_SPELL: 2, AGAIN_SPELL: 1}
    effects = sorted((n for spell, n in asked.items() for _ in range(COPIES[spell])), reverse=True)
    changes = int(cards[SCROLL:].sum() + COPIES[CLEANSE] + COPIES[BESTOW]) if num_players > 2 else 0
    turns: int = deck + books + LAST_ROUNDS * num_players + int(COPIES[AGAIN_SPELL])
    return turns + int(cards[:GRIMOIRE].sum()) + books + sum(effects[:books]) + changes


ACTIONS = Actions(
    Kind("move", "send the assistant that many shops", tuple(f"move {i + 1}" for i in range(MOST_REACH))),
    Kind("book", "begin a spell with this grimoire", tuple(f"book {name}" for name in (*COLOURS, "mandrake"))),
    Kind("pass", "be out for good, in the last rounds", ("pass",)),
    Kind(
        "add",
        "add an ingredient to the spell, by rising colour, the mandrake last",
        tuple(f"add {name}" for name in (*COLOURS[:NUM_INGREDIENTS], "mandrake")),
    ),
    Kind("cast", "take the top spell of that power", tuple(f"cast {i + 1}" for i in range(NUM_PILES))),
    Kind("lay_down", "lay the cards down without a spell, if there is none to take", ("lay down",)),
    Kind("discard", "the own scroll to remove or to give", tuple(f"discard curse {curses}" for curses in SCROLLS)),
    Kind(
        "target",
        "the opponent, by seats clockwise, who gets the scroll or loses a card",
        tuple(f"target {i}" for i in range(1, MOST_PLAYERS)),
    ),
    Kind("return", "the card to give back in a swap", tuple(f"return {kind}" for kind in KINDS[:HAND_KINDS])),
    Kind(
        "fetch",
        "the shop to fetch a card from, clockwise from the assistant",
        tuple(f"fetch shop {i}" for i in range(1, NUM_SHOPS)),
    ),
    Kind("pick", "the card to fetch from a shop by day", tuple(f"pick {kind}" for kind in KINDS)),
    Kind("again", "play another turn at once, or not", ("play again", "end turn")),
    Kind(
        "marker",
        "who gets the curse marker, by seats clockwise from the holder",
        tuple(f"marker to {i}" for i in range(1, MOST_PLAYERS)),
    ),
)
MOVE, BOOK, PASS, ADD = (ACTIONS.start(kind) for kind in ("move", "book", "pass", "add"))
CAST, LAY_DOWN, DISCARD_CURSE = (ACTIONS.start(kind) for kind in ("cast", "lay_down", "discard"))
CHOOSE_TARGET, RETURN_CARD = ACTIONS.start("target"), ACTIONS.start("return")
FETCH_SHOP, PICK_CARD = ACTIONS.start("fetch"), ACTIONS.start("pick")
PLAY_AGAIN, HAND_MARKER = ACTIONS.start("again"), ACTIONS.start("marker")

ONLOOKER = MOST_PLAYERS  # in `known`, behind the players: one who sees only what is open to all
NUM_VIEWERS = MOST_PLAYERS + 1

RECORD = record(
    len(OPTIONS),
    ("active", np.int8),  # the witch on turn; `current` is another when the holder of the marker decides
    ("assistant", np.int8),  # his shop
    ("steps", np.int8),  # shops that he left in this turn and that still wait for their card
    ("night", np.int8, (NUM_SHOPS,)),  # 1 for the shops by night, clockwise
    ("shop_size", np.int8, (NUM_SHOPS,)),
    ("shop", np.int8, (NUM_SHOPS, NUM_KINDS)),  # the cards in each shop
    ("deck_size", np.int8),
    ("deck", np.uint8, (NUM_ARTICLES,)),  # kinds, the top at deck_size - 1
    ("hand", np.int8, (MOST_PLAYERS, HAND_KINDS)),
    ("hand_size", np.int8, (MOST_PLAYERS,)),
    ("known", np.int8, (MOST_PLAYERS, NUM_VIEWERS, HAND_KINDS)),  # of that hand, by that viewer; 0 by the owner
    ("scrolls", np.int8, (MOST_PLAYERS, NUM_SCROLLS)),  # in front of each witch, by number of curses
    ("curses", np.int8, (MOST_PLAYERS,)),  # their sum
    ("marker", np.int8),  # the witch with the curse marker, or NOBODY
    ("played", np.int8, (HAND_KINDS,)),  # cards of finished spells
    ("removed", np.int8, (NUM_KINDS,)),  # cards out of the game, from set-up and cleanse
    ("book", np.int8),  # the grimoire or mandrake of the spell being built, or NONE
    ("laid", np.int8, (NUM_PARTS,)),  # its ingredients
    ("num_laid", np.int8),
    ("last_laid", np.int8),  # the colour added last, or NONE
    ("effect", np.int8),  # the spell being applied, or NONE
    ("chosen", np.int8),  # for it: the scroll to give, the opponent of the swap, the shop to fetch from, or NONE
    ("pile_size", np.int8, (NUM_PILES,)),
    ("pile", np.uint8, (NUM_PILES, MOST_IN_PILE)),  # spells, the top at pile_size - 1
    ("spells", np.int8, (MOST_PLAYERS, NUM_SPELLS)),  # in front of each witch
    ("spells_cast", np.int8, (MOST_PLAYERS,)),  # with those laid down without a spell
    ("points", np.int8, (MOST_PLAYERS,)),  # spells and their grimoires
    ("num_cast", np.int8),  # entries of the three lists below: every spell of the game in turn
    ("cast_by", np.int8, (MOST_CAST,)),
    ("cast_spell", np.int8, (MOST_CAST,)),  # NONE if laid down without a spell
    ("cast_book", np.uint8, (MOST_CAST,)),
    ("rounds_left", np.int8),  # of the last rounds with the present one, NONE before them, 0 when over
    ("last_first", np.int8),  # who begins the last rounds, or NONE
    ("passed", np.int8, (MOST_PLAYERS,)),
    ("pool", np.int8, (NUM_KINDS,)),  # cards still to be dealt while determinize works, else 0
)
