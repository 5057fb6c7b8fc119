"""Positions of Black Magic Friday built by hand, as one would lay them out on the table."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import Any

import numpy as np
import words_help

import coven
from coven.games.black_magic_friday.state import (
    HAND_KINDS,
    IN_BOX,
    KINDS,
    NONE,
    NUM_SHOPS,
    SCROLL,
    SPELLS,
    TURN,
)

GAME = coven.game("black_magic_friday")
play, legal = partial(words_help.play, GAME), partial(words_help.legal, GAME)
NIGHTS = (2, 5, 8)
FULL_PILES = {
    "1": "cleanse bestow swap " * 3,
    "2": "fetch " * 6,
    "3": "again haste again haste haste",
    "4": "vanish vanish",
    "5": "oblivion oblivion",
}


def cards(text: str) -> np.ndarray:
    """`2 yellow ingredient, mandrake` as counts by kind."""
    counts = np.zeros(len(KINDS), np.int8)
    for item in filter(None, (part.strip() for part in text.split(","))):
        number, name = item.split(" ", 1) if item[0].isdigit() else ("1", item)
        counts[KINDS.index(name)] += int(number)
    return counts


def position(
    *hands: str,
    shops: dict[int, str] | None = None,
    deck: str = "12 green ingredient",
    curses: tuple[tuple[int, ...], ...] = (),
    marker: int | None = None,
    piles: dict[str, str] | None = None,
    spells: dict[int, str] | None = None,
    points: dict[int, int] | None = None,
    last_rounds: int | None = None,
    last_first: int = 0,
    current: int = 0,
) -> np.ndarray:
    """A state with these hands, one for each player, all of it unknown to the others, and the assistant at shop 0.

    Shops 2, 5 and 8 are by night. `deck` and `piles` are top first, `curses` the scrolls of each player, `spells` those
    in front of some players, without books, worth the `points` given. Cards that are nowhere else are out of the game.
    """
    s = GAME.new(len(hands), seed=0)
    r: Any = s[()]
    r.current, r.active, r.phase, r.turn, r.assistant = current, current, TURN, 10, 0
    for name in ("night", "shop", "shop_size", "hand", "hand_size", "known", "scrolls", "curses", "deck", "removed"):
        r[name][...] = 0
    r.night[list(NIGHTS)] = 1
    for shop, text in (shops or {}).items():
        r.shop[shop] = cards(text)
        r.shop_size[shop] = r.shop[shop].sum()
    top_first = [k for item in deck.split(",") if item.strip() for k in np.repeat(np.arange(len(KINDS)), cards(item))]
    r.deck_size = len(top_first)
    r.deck[: len(top_first)] = top_first[::-1]
    for p, hand in enumerate(hands):
        r.hand[p] = cards(hand)[:HAND_KINDS]
        r.hand_size[p] = r.hand[p].sum()
    for p, scrolls in enumerate(curses):
        for number in scrolls:
            r.scrolls[p, number - 1] += 1
            r.curses[p] += number
    r.marker = NONE if marker is None else marker
    for pile, text in (FULL_PILES | (piles or {})).items():
        stack = [SPELLS.index(name) for name in text.split()][::-1]
        r.pile_size[int(pile) - 1] = len(stack)
        r.pile[int(pile) - 1, : len(stack)] = stack
    for p, text in (spells or {}).items():
        for name in text.split():
            r.spells[p, SPELLS.index(name)] += 1
            r.spells_cast[p] += 1
    for p, number in (points or {}).items():
        r.points[p] = number
    r.rounds_left = NONE if last_rounds is None else last_rounds
    r.last_first = NONE if last_rounds is None else last_first
    r.removed[:] = IN_BOX - articles(s)
    return s


def articles(s: np.ndarray) -> np.ndarray:
    """How many cards of each kind there are, wherever they lie, as `describe` shows the table."""
    d = GAME.describe(s)
    lying = Counter(d["deck"])
    for shop in d["shops"]:
        lying.update(shop["cards"])
    for place in (*d["hands"], d["played"], d["removed"]):
        lying.update(place)
    lying.update(f"curse {number}" for row in d["curses"] for number in row)
    if d["laid"]:
        lying.update([d["laid"]["book"]])
        lying.update(d["laid"]["ingredients"])
    return np.array([lying[kind] for kind in KINDS])


def finish(s: np.ndarray) -> dict[str, Any]:
    """Everybody passes; the table when it is over. Only in the last rounds."""
    while not GAME.is_over(s):
        play(s, "pass")
    return GAME.describe(s)


def known(s: np.ndarray, viewer: int, owner: int) -> dict[str, int]:
    """What a viewer knows to be in a hand, from the observation alone."""
    seat = (owner - viewer) % int(s["num_players"])
    part = GAME.layout["known"]
    counts = GAME.observe(s, viewer)[part.start + (seat - 1) * HAND_KINDS :][:HAND_KINDS]
    return {kind: int(n) for kind, n in zip(KINDS, counts, strict=False) if n}


__all__ = ["GAME", "NIGHTS", "NUM_SHOPS", "SCROLL", "articles", "cards", "finish", "known", "legal", "play", "position"]
