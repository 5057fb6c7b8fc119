"""What a Black Magic Friday player sees, as numbers: the seat of the observer comes first, then clockwise."""

from __future__ import annotations

import numpy as np

from coven.games.black_magic_friday.state import (
    BESTOW,
    COLOURS,
    GRIMOIRE,
    HAND_KINDS,
    IN_BOX,
    KINDS,
    LAST_ROUNDS,
    MOST_CAST,
    MOST_CURSES,
    MOST_IN_PILE,
    MOST_PLAYERS,
    MOST_POINTS,
    MOST_REACH,
    NONE,
    NUM_ARTICLES,
    NUM_BOOKS,
    NUM_KINDS,
    NUM_PARTS,
    NUM_PHASES,
    NUM_PILES,
    NUM_SCROLLS,
    NUM_SHOPS,
    NUM_SPELLS,
    PARTS,
    PHASES,
    PLAYERS,
    SCROLLS,
    SPELLS,
    SWAP,
)
from coven.games.core.kernels import kernel
from coven.games.core.layout import Layout, Slice
from coven.games.core.record import NOBODY, PLAYER_AT
from coven.games.core.words import by_seat, clear, copy, read4, read8, write1, write4, write8

_MOST_ALIKE = int(IN_BOX.max())
_OTHER_SHOPS = NUM_SHOPS - 1
_OPPONENTS = MOST_PLAYERS - 1
_SEATS = tuple(f"seat {i}" for i in range(MOST_PLAYERS))
_SHOPS_BEHIND = tuple(f"shop +{i}" for i in range(1, NUM_SHOPS))
_POWERS = tuple(str(power + 1) for power in range(NUM_PILES))
_CURSE_NAMES = tuple(f"curse {curses}" for curses in SCROLLS)


def _by_seat(name: str, high: int, meaning: str) -> Slice:
    return Slice(name, MOST_PLAYERS, 0, high, f"{meaning}, by seat", labels=_SEATS)


RAW = (
    Slice("phase", NUM_PHASES, 0, 1, "one-hot: what is to be decided", labels=PHASES),
    Slice("on_turn", MOST_PLAYERS, 0, 1, "one-hot: the seat of the witch on turn", labels=_SEATS),
    Slice("last_first", MOST_PLAYERS, 0, 1, "one-hot: the seat that begins each of the last rounds", labels=_SEATS),
    Slice("marker", MOST_PLAYERS, 0, 1, "one-hot: the seat with the curse marker", labels=_SEATS),
    Slice("book", NUM_BOOKS, 0, 1, "one-hot: the book of the spell being built", labels=(*COLOURS, "mandrake")),
    Slice("effect", NUM_SPELLS, 0, 1, "one-hot: the spell being applied", labels=SPELLS),
    Slice("to_give", NUM_SCROLLS, 0, 1, "one-hot: the scroll to be given", labels=_CURSE_NAMES),
    Slice("swap_with", MOST_PLAYERS, 0, 1, "one-hot: the seat that waits for a card back", labels=_SEATS),
    Slice(
        "fetch_from",
        _OTHER_SHOPS,
        0,
        1,
        "one-hot: the shop to pick a card from, clockwise behind the assistant's",
        labels=_SHOPS_BEHIND,
    ),
    Slice("top", NUM_SPELLS, 0, 1, "1 for every spell on top of a pile", labels=SPELLS),
    Slice("num_players", 1, 0, PLAYERS[-1], "players at the table"),
    Slice("deck_size", 1, 0, NUM_ARTICLES, "cards in the deck"),
    Slice("rounds_left", 1, 0, LAST_ROUNDS, "3, 2, 1 in the last rounds, 0 before them and when over"),
    Slice("waiting", 1, 0, MOST_REACH, "shops that wait for their card while the marker is decided"),
    Slice("hand", HAND_KINDS, 0, _MOST_ALIKE, "own cards", labels=KINDS[:HAND_KINDS], about=("return",)),
    Slice(
        "laid",
        NUM_PARTS,
        0,
        _MOST_ALIKE,
        "ingredients of the spell being built",
        labels=[KINDS[k] for k in PARTS],
        about=("add",),
    ),
    Slice("night", NUM_SHOPS, 0, 1, "1 for the shops by night, clockwise from the assistant's"),
    Slice(
        "shop_size",
        _OTHER_SHOPS,
        0,
        NUM_ARTICLES,
        "cards in each shop, clockwise behind the assistant's",
        labels=_SHOPS_BEHIND,
        about=("fetch",),
    ),
    Slice(
        "shops",
        _OTHER_SHOPS * NUM_KINDS,
        0,
        _MOST_ALIKE,
        "shop by shop: its cards by kind, 0 for one by night",
        labels=KINDS,
        rows=_SHOPS_BEHIND,
        about=("move", "fetch", "pick"),
    ),
    Slice("pile_size", NUM_PILES, 0, MOST_IN_PILE, "spells in each pile", labels=_POWERS, about=("cast",)),
    Slice("gone", NUM_KINDS, 0, _MOST_ALIKE, "cards played or removed, by kind", labels=KINDS, about=("pick",)),
    _by_seat("points", MOST_POINTS, "spells and grimoires"),
    _by_seat("spells_cast", MOST_CAST, "spells cast"),
    _by_seat("curses", MOST_CURSES, "curses"),
    _by_seat("passed", 1, "1 for a seat that is out for good"),
    _by_seat("hand_size", NUM_ARTICLES, "cards in hand"),
    Slice(
        "spells",
        MOST_PLAYERS * NUM_SPELLS,
        0,
        MOST_IN_PILE,
        "seat by seat: its spells by name",
        labels=SPELLS,
        rows=_SEATS,
    ),
    Slice(
        "scrolls",
        MOST_PLAYERS * NUM_SCROLLS,
        0,
        _MOST_ALIKE,
        "seat by seat: its scrolls",
        labels=_CURSE_NAMES,
        rows=_SEATS,
        about=("discard",),
    ),
    Slice(
        "known",
        _OPPONENTS * HAND_KINDS,
        0,
        _MOST_ALIKE,
        "opponent by opponent: cards one knows to be in hand",
        labels=KINDS[:HAND_KINDS],
        rows=_SEATS[1:],
        about=("target",),
    ),
)
_REACHES = tuple(f"move {i + 1}" for i in range(MOST_REACH))
DERIVED = (
    Slice(
        "power",
        NUM_BOOKS,
        0,
        NUM_ARTICLES,
        "in turn: the most ingredients of a spell with each book in hand, 0 without the book or an ingredient",
        derived=True,
        labels=(*COLOURS, "mandrake"),
        about=("book",),
    ),
    Slice(
        "castable",
        NUM_BOOKS,
        0,
        NUM_PILES,
        "in turn: the power of the strongest spell left that each book in hand can cast",
        derived=True,
        labels=(*COLOURS, "mandrake"),
        about=("book",),
    ),
    Slice(
        "reach_cards",
        MOST_REACH,
        0,
        NUM_ARTICLES,
        "in turn: cards there, scrolls too",
        derived=True,
        labels=_REACHES,
        about=("move",),
    ),
    Slice(
        "reach_curses",
        MOST_REACH,
        0,
        MOST_CURSES,
        "in turn: curses there, by day",
        derived=True,
        labels=_REACHES,
        about=("move",),
    ),
    Slice(
        "reach_castable",
        MOST_REACH,
        0,
        NUM_PILES,
        "in turn: the strongest spell that one could cast with the cards there, by day",
        derived=True,
        labels=_REACHES,
        about=("move",),
    ),
)
LAYOUT = Layout(*RAW, *DERIVED)
_PHASE, _ON_TURN, _LAST_FIRST, _MARKER = LAYOUT.starts("phase", "on_turn", "last_first", "marker")
_BOOK, _EFFECT, _TO_GIVE = LAYOUT.starts("book", "effect", "to_give")
_SWAP_WITH, _FETCH_FROM, _TOP = LAYOUT.starts("swap_with", "fetch_from", "top")
_NUM_PLAYERS, _DECK_SIZE = LAYOUT.starts("num_players", "deck_size")
_ROUNDS_LEFT, _WAITING = LAYOUT.starts("rounds_left", "waiting")
_HAND, _LAID, _NIGHT = LAYOUT.starts("hand", "laid", "night")
_SHOP_SIZE, _SHOPS, _PILE_SIZE, _GONE = LAYOUT.starts("shop_size", "shops", "pile_size", "gone")
_POINTS, _SPELLS_CAST, _CURSES = LAYOUT.starts("points", "spells_cast", "curses")
_PASSED, _HAND_SIZE = LAYOUT.starts("passed", "hand_size")
_SPELLS, _SCROLLS, _KNOWN = LAYOUT.starts("spells", "scrolls", "known")

_LAST_WORD = NUM_KINDS - 8  # where the last eight kinds of articles begin
_PLAYED_EARLIER = np.uint64(8 * (_LAST_WORD - (HAND_KINDS - 8)))  # the last eight kinds of hands begin earlier
_1 = np.uint64(1)


@kernel
def observe(s, player, out):
    """Write what a player sees."""
    clear(out, _PHASE, _NUM_PLAYERS)  # up to there hardly anything is not 0
    observe_moment(s, player, out)
    observe_spell(s, player, out)
    observe_table(s, player, out)
    observe_shops(s, out)
    observe_seats(s, player, out)


@kernel(inline=True)
def seat_of(s, player, p):
    """How many seats after this player another one sits."""
    seat = p - player
    return seat + s.num_players if seat < 0 else seat


@kernel(inline=True)
def observe_moment(s, player, out):
    """Where the game stands: one-hots in what is 0 already."""
    write1(out, _PHASE + s.phase, 1)
    write1(out, _ON_TURN + seat_of(s, player, s.active), 1)
    if s.last_first != NONE:
        write1(out, _LAST_FIRST + seat_of(s, player, s.last_first), 1)
    if s.marker != NOBODY:
        write1(out, _MARKER + seat_of(s, player, s.marker), 1)
    for pile in range(NUM_PILES):
        size = s.pile_size[pile]
        if size:
            write1(out, _TOP + s.pile[pile, size - 1], 1)


@kernel(inline=True)
def observe_spell(s, player, out):
    """The spell being built, or the one being applied with what has been chosen for it."""
    if s.book != NONE:
        write1(out, _BOOK + s.book - GRIMOIRE, 1)
    if s.effect != NONE:
        write1(out, _EFFECT + s.effect, 1)
    if s.chosen == NONE:
        return
    if s.effect == BESTOW:
        write1(out, _TO_GIVE + s.chosen, 1)
    elif s.effect == SWAP:
        write1(out, _SWAP_WITH + (s.chosen - player) % s.num_players, 1)
    else:
        write1(out, _FETCH_FROM + (s.chosen - s.assistant - 1) % NUM_SHOPS, 1)


@kernel(inline=True)
def observe_table(s, player, out):
    """What lies in the middle of the table, how far the game is, and the own hand."""
    write1(out, _NUM_PLAYERS, s.num_players)
    write1(out, _DECK_SIZE, s.deck_size)
    write1(out, _ROUNDS_LEFT, max(s.rounds_left, 0))
    write1(out, _WAITING, s.steps)
    copy(s.hand[player], 0, out, _HAND, HAND_KINDS)
    copy(s.laid, 0, out, _LAID, NUM_PARTS)
    copy(s.pile_size, 0, out, _PILE_SIZE, NUM_PILES)
    # Eight sums side by side: counts of cards are far too small to run over.
    write8(out, _GONE, read8(s.removed, 0) + read8(s.played, 0))
    later = read8(s.played, HAND_KINDS - 8) >> _PLAYED_EARLIER
    write8(out, _GONE + _LAST_WORD, read8(s.removed, _LAST_WORD) + later)


@kernel(inline=True)
def observe_shops(s, out):
    """The shops clockwise from the assistant's, which is empty; of those by night only the number of cards."""
    shop = s.assistant
    write1(out, _NIGHT, s.night[shop])
    for i in range(_OTHER_SHOPS):
        shop = shop + 1 if shop + 1 < NUM_SHOPS else 0
        night = s.night[shop]
        write1(out, _NIGHT + 1 + i, night)
        write1(out, _SHOP_SIZE + i, s.shop_size[shop])
        shown, cards, first = np.uint64(night) - _1, s.shop[shop], _SHOPS + i * NUM_KINDS
        write8(out, first, read8(cards, 0) & shown)
        write8(out, first + _LAST_WORD, read8(cards, _LAST_WORD) & shown)


@kernel(inline=True)
def observe_seats(s, player, out):
    """What a player sees of everyone; who is not there has nothing."""
    n, players = s.num_players, PLAYER_AT[s.num_players, player]
    write4(out, _POINTS, by_seat(read4(s.points, 0), player, n))
    write4(out, _SPELLS_CAST, by_seat(read4(s.spells_cast, 0), player, n))
    write4(out, _CURSES, by_seat(read4(s.curses, 0), player, n))
    write4(out, _PASSED, by_seat(read4(s.passed, 0), player, n))
    write4(out, _HAND_SIZE, by_seat(read4(s.hand_size, 0), player, n))
    for seat in range(MOST_PLAYERS):
        p = players[seat]
        write8(out, _SPELLS + seat * NUM_SPELLS, read8(s.spells[p], 0))
        for i in range(NUM_SCROLLS):
            write1(out, _SCROLLS + seat * NUM_SCROLLS + i, s.scrolls[p, i])
        if seat:
            copy(s.known[p, player], 0, out, _KNOWN + (seat - 1) * HAND_KINDS, HAND_KINDS)
