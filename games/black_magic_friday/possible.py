"""What a possible record of Black Magic Friday is: bounds of its fields, and what must add up."""

from __future__ import annotations

from typing import Any

import numpy as np

from coven.games.black_magic_friday.state import (
    AGAIN,
    AGAIN_SPELL,
    BESTOW,
    BLACK,
    BOOK_POINTS,
    BOOKS,
    CLEANSE,
    COPIES,
    DISCARD,
    FETCH,
    FETCH_SPELL,
    FIRST_HAND,
    GRIMOIRE,
    HAND_KINDS,
    HASTE,
    HASTE_REACH,
    IN_BOX,
    LAST_ROUNDS,
    MANDRAKE,
    MANDRAKE_PART,
    MARKER,
    MOST_CAST,
    MOST_CURSES,
    MOST_PLAYERS,
    MOST_POINTS,
    MOST_REACH,
    NONE,
    NUM_ARTICLES,
    NUM_INGREDIENTS,
    NUM_KINDS,
    NUM_NIGHT_SHOPS,
    NUM_PILES,
    NUM_SHOPS,
    NUM_SPELLS,
    ONLOOKER,
    OVER,
    PARTS,
    PICK,
    PILE_SIZES,
    PLAYERS,
    POWER,
    REACH,
    REMOVED,
    RETURN,
    SCROLL,
    SCROLLS,
    SPELL,
    SWAP,
    TARGET,
    TURN,
    longest,
)
from coven.games.core.possible import by_seat, player, within
from coven.games.core.record import NOBODY

_CARDS = IN_BOX[:HAND_KINDS]

BOUNDS = {
    "turn": within(0, max(map(longest, PLAYERS))),
    "active": player(),
    "assistant": within(0, NUM_SHOPS - 1),
    "steps": within(0, MOST_REACH),
    "night": within(0, 1),
    "shop_size": within(0, NUM_ARTICLES),
    "shop": within(0, IN_BOX),
    "deck_size": within(0, NUM_ARTICLES),
    "deck": within(0, NUM_KINDS - 1),
    "hand": by_seat(0, _CARDS),
    "hand_size": by_seat(0, NUM_ARTICLES),
    "known": by_seat(0, _CARDS),
    "scrolls": by_seat(0, IN_BOX[SCROLL:]),
    "curses": by_seat(0, MOST_CURSES),
    "marker": player(nobody=True),
    "played": within(0, _CARDS),
    "removed": within(0, IN_BOX),
    "book": within(NONE, MANDRAKE),
    "laid": within(0, IN_BOX[PARTS]),
    "num_laid": within(0, NUM_ARTICLES),
    "last_laid": within(NONE, MANDRAKE_PART),
    "effect": within(NONE, NUM_SPELLS - 1),
    "chosen": within(NONE, NUM_SHOPS - 1),
    "pile_size": within(0, PILE_SIZES),
    "pile": within(0, NUM_SPELLS - 1),
    "spells": by_seat(0, COPIES),
    "spells_cast": by_seat(0, MOST_CAST),
    "points": by_seat(0, MOST_POINTS),
    "num_cast": within(0, MOST_CAST),
    "cast_by": player(),
    "cast_spell": within(NONE, NUM_SPELLS - 1),
    "cast_book": within(0, MANDRAKE),
    "rounds_left": within(NONE, LAST_ROUNDS),
    "last_first": player(nobody=True),
    "passed": by_seat(0, 1),
    "pool": within(0, 0),
}


def impossible(r: Any) -> str | None:
    """What does not add up in a record whose fields are within their bounds."""
    return _articles(r) or _hands(r) or _shops(r) or _casts(r) or _marker(r) or _spell(r) or _order(r) or _phase(r)


def _articles(r: Any) -> str | None:
    """Every article of the box is somewhere, just once."""
    total = np.bincount(r.deck[: r.deck_size], minlength=NUM_KINDS) + r.shop.sum(axis=0) + r.removed
    total[:SCROLL] += r.hand.sum(axis=0) + r.played
    total[SCROLL:] += r.scrolls.sum(axis=0)
    total[PARTS] += r.laid
    if r.book != NONE:
        total[r.book] += 1
    if (total != IN_BOX).any():
        return "the articles are not those of the box"
    cleansed = r.removed - REMOVED[r.num_players]
    if cleansed[:SCROLL].any() or cleansed.min() < 0 or cleansed.sum() > COPIES[CLEANSE]:
        return "other cards are out of the game than set-up and cleanse put there"
    return None


def _hands(r: Any) -> str | None:
    """Sums that the record keeps; nobody knows of more cards in a hand than there are, or less than an onlooker."""
    if (r.hand.sum(axis=1) != r.hand_size).any() or (r.scrolls @ SCROLLS != r.curses).any():
        return "a hand or the curses of a witch are not as many as they are said to be"
    own = np.arange(MOST_PLAYERS)
    if (r.known > r.hand[:, None]).any() or r.known[own, own].any():
        return "somebody knows of cards that are not in that hand"
    if (r.known[:, r.num_players : ONLOOKER] != r.known[:, [ONLOOKER]]).any():
        return "a seat where nobody sits knows other cards than an onlooker"
    forgotten = r.known < r.known[:, [ONLOOKER]]
    forgotten[own, own] = False
    return "somebody has forgotten cards that all have seen" if forgotten.any() else None


def _shops(r: Any) -> str | None:
    """Three shops by night, none at the start; the assistant's shop is empty."""
    if r.night[0] or r.night.sum() != NUM_NIGHT_SHOPS:
        return f"there are not {NUM_NIGHT_SHOPS} shops by night, or the first is one"
    if (r.shop.sum(axis=1) != r.shop_size).any() or r.shop_size[r.assistant]:
        return "a shop does not hold as many cards as it is said to"
    return None


def _casts(r: Any) -> str | None:
    """Every spell is in its pile or in front of the witch who cast it, with her points."""
    cast = slice(r.num_cast)
    by, spell, book = r.cast_by[cast], r.cast_spell[cast], r.cast_book[cast]
    in_piles = np.zeros(NUM_SPELLS, int)
    for pile in range(NUM_PILES):
        spells = r.pile[pile, : r.pile_size[pile]]
        if (POWER[spells] != pile + 1).any():
            return f"a spell lies in pile {pile + 1} that is not of this power"
        np.add.at(in_piles, spells, 1)
    owned, points = np.zeros_like(r.spells), np.zeros_like(r.points)
    np.add.at(owned, (by[spell != NONE], spell[spell != NONE]), 1)
    np.add.at(points, by, np.where(spell == NONE, 0, POWER[spell]) + BOOK_POINTS[book])
    if (owned != r.spells).any() or (in_piles + owned.sum(axis=0) != COPIES).any():
        return "the spells in the piles and in front of the witches are not those of the box"
    if (np.bincount(by, minlength=MOST_PLAYERS) != r.spells_cast).any() or (points != r.points).any():
        return "a witch does not have the points of her spells"
    books = np.bincount(book, minlength=HAND_KINDS)
    if (book < GRIMOIRE).any() or (books[GRIMOIRE:MANDRAKE] != r.played[GRIMOIRE:MANDRAKE]).any():
        return "the grimoires of the spells cast are not those played"
    return "more mandrakes were grimoires than were played" if books[MANDRAKE] > r.played[MANDRAKE] else None


def _marker(r: Any) -> str | None:
    """The curse marker lies with a witch who has most curses, or with nobody while there are none."""
    n, most = r.num_players, r.curses.max()
    others = sum(int(r.curses[p] == most) for p in range(n) if p != r.marker)
    if r.phase == MARKER:
        return None if n > 2 and most and others > 1 else "there is nobody to choose between for the curse marker"
    right = r.marker == NOBODY if most == 0 else r.marker != NOBODY and r.curses[r.marker] == most
    return None if right else "the curse marker does not lie with a witch who has most curses"


def _spell(r: Any) -> str | None:
    """The ingredients of a spell fit its book and were added by rising colour."""
    if r.phase != SPELL:
        idle = r.book == NONE and not r.num_laid and not r.laid.any() and r.last_laid == NONE
        return None if idle else "a spell is being built outside its phase"
    laid, mandrakes = r.laid[:NUM_INGREDIENTS], r.laid[MANDRAKE_PART]
    used = np.flatnonzero(r.laid)
    if r.book not in BOOKS or r.num_laid != r.laid.sum() or r.last_laid != (used[-1] if len(used) else NONE):
        return "the spell being built does not have as many ingredients as it is said to"
    many = laid.max() > 1
    if r.book < BLACK:
        fits = laid.sum() == laid[r.book - GRIMOIRE] and mandrakes <= 1
    elif r.book == BLACK:
        fits = not many and mandrakes <= 1 and r.num_laid <= NUM_INGREDIENTS
    else:
        fits = not mandrakes and not (many and (laid > 0).sum() > 1)
    if not fits:
        return "the ingredients of the spell do not fit its grimoire"
    return None if r.num_laid or _has_fitting(r) else "a spell was begun without an ingredient for it"


def _has_fitting(r: Any) -> bool:
    """Is there an ingredient in the hand for the book that has none yet?"""
    hand = r.hand[r.current]
    fitting = hand[r.book - GRIMOIRE] if r.book < BLACK else hand[:NUM_INGREDIENTS].sum()
    return bool(fitting + (0 if r.book == MANDRAKE else hand[MANDRAKE]))


def _order(r: Any) -> str | None:
    """The last rounds begin when the deck has run out, and only there witches pass."""
    last = r.rounds_left != NONE
    if last != (r.deck_size == 0) or last != (r.last_first != NOBODY):
        return "the last rounds do not begin with the end of the deck"
    if (r.rounds_left == 0) != (r.phase == OVER):
        return "the game is over before its end, or goes on after it"
    if r.turn > 1 + _most_turns(r):
        return f"turn {r.turn} comes too early in the game"
    if r.passed.any() and (not last or (r.phase != OVER and r.passed[r.active])):
        return "a witch passed who cannot have passed"
    return None


def _most_turns(r: Any) -> int:
    """Every turn before the last rounds took a card from the deck or cast a spell; in those each witch has one."""
    cards = IN_BOX - REMOVED[r.num_players]
    deck = int(cards.sum()) - r.num_players * FIRST_HAND - (NUM_SHOPS - 1)
    turns = deck - r.deck_size + r.num_cast + int(r.spells[:, AGAIN_SPELL].sum())
    if r.rounds_left == NONE:
        return turns
    return int(turns + (LAST_ROUNDS - r.rounds_left) * r.num_players + (r.active - r.last_first) % r.num_players)


def _phase(r: Any) -> str | None:
    """What a decision is about is there: the effect of the spell just cast, and what it needs."""
    if r.phase != MARKER and r.phase != OVER and r.current != r.active:
        return "another witch than the one on turn decides"
    if r.phase == MARKER and r.current != (r.active if r.marker == NOBODY else r.marker):
        return "another witch than the holder of the curse marker decides"
    if r.effect != NONE and not (
        r.num_cast and r.cast_spell[r.num_cast - 1] == r.effect and r.cast_by[r.num_cast - 1] == r.active
    ):
        return "a spell is being applied that was not cast just now"
    moved = r.phase == MARKER and r.effect == NONE
    reach = REACH + HASTE_REACH * r.spells[r.active, HASTE]
    if not (1 <= r.steps <= reach if moved else r.steps == 0):
        return "the assistant left shops that wait for their cards at the wrong time"
    return None if _asked(r) else "a decision is asked for that there is nothing to decide about"


def _asked(r: Any) -> bool:
    """Does the phase fit the effect, and is there something to choose?"""
    me, scroll_held = r.current, lambda i: 0 <= i < len(SCROLLS) and bool(r.scrolls[me, i])
    if r.phase in (TURN, SPELL, OVER):
        return bool(r.effect == NONE and r.chosen == NONE)
    if r.phase == DISCARD:
        return bool(r.effect in (CLEANSE, BESTOW) and r.chosen == NONE and r.curses[me])
    if r.phase == TARGET and r.effect == BESTOW:
        return scroll_held(r.chosen)
    if r.phase == TARGET:
        return bool(r.effect == SWAP and r.chosen == NONE and r.hand_size.sum() > r.hand_size[me])
    if r.phase == RETURN:
        return bool(r.effect == SWAP and 0 <= r.chosen < r.num_players and r.chosen != me and r.hand_size[me])
    if r.phase == FETCH:
        return bool(r.effect == FETCH_SPELL and r.chosen == NONE and r.shop_size.any())
    if r.phase == PICK:
        return bool(r.effect == FETCH_SPELL and r.chosen >= 0 and not r.night[r.chosen] and r.shop_size[r.chosen])
    if r.phase == AGAIN:
        return bool(r.effect == AGAIN_SPELL and r.chosen == NONE)
    return bool(r.effect in (NONE, CLEANSE, BESTOW, FETCH_SPELL))
