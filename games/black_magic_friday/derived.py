"""What the rules compute for the witch on turn: her strongest spells, and what the assistant could bring."""

from __future__ import annotations

import numpy as np

from coven.games.black_magic_friday.observation import LAYOUT
from coven.games.black_magic_friday.rules import clockwise, reach
from coven.games.black_magic_friday.state import (
    BLACK,
    GRIMOIRE,
    MANDRAKE,
    NUM_BOOKS,
    NUM_COLOURS,
    NUM_INGREDIENTS,
    NUM_PILES,
    NUM_SCROLLS,
    SCROLL,
    SCROLLS,
    TURN,
)
from coven.games.core.kernels import kernel
from coven.games.core.words import clear, write1

_POWER, _CASTABLE = LAYOUT.starts("power", "castable")
_END = np.int64(LAYOUT.size)
_REACH_CARDS, _REACH_CURSES, _REACH_CASTABLE = LAYOUT.starts("reach_cards", "reach_curses", "reach_castable")
_CURSES = np.array(SCROLLS, np.int64)


@kernel
def derive(s, player, out):
    """Write the derived part; 0 but for the witch who begins her turn."""
    clear(out, _POWER, _END)
    if s.current != player or s.phase != TURN:
        return
    left, hand = strongest_left(s), s.hand[player]
    most, colours = ingredients(hand, hand, 0)
    for book in range(NUM_BOOKS):
        power = power_of(hand, hand, 0, book, most, colours)
        write1(out, _POWER + book, power)
        write1(out, _CASTABLE + book, strongest(left, power))
    derive_reach(s, player, left, out)


@kernel(inline=True)
def strongest_left(s):
    """By number of ingredients, a byte for each: the power of the strongest spell left for so many."""
    left, strongest = 0, 0
    for pile in range(NUM_PILES):
        if s.pile_size[pile]:
            strongest = pile + 1
        left |= strongest << (8 * (pile + 1))
    return left


@kernel(inline=True)
def strongest(left, ingredients):
    """The power of the strongest spell left for so many ingredients."""
    return (left >> (8 * np.int64(min(ingredients, NUM_PILES)))) & 255


@kernel(inline=True)
def ingredients(hand, more, times):
    """Of a hand with so many times the cards of a shop: the most of one colour, and how many colours there are."""
    most, colours = 0, 0
    for c in range(NUM_INGREDIENTS):
        number = hand[c] + times * more[c]
        most = max(most, number)
        colours += number > 0
    return most, colours


@kernel(inline=True)
def power_of(hand, more, times, book, most, colours):
    """The most ingredients that such a hand can lay to one of its books; at most one of them is a mandrake."""
    kind = GRIMOIRE + book
    if hand[kind] + times * more[kind] == 0:
        return 0
    if kind == MANDRAKE:  # as the book of any basic magic, or of black magic; then no other one is an ingredient
        return max(most, colours)
    mandrake = hand[MANDRAKE] + times * more[MANDRAKE] > 0
    if kind == BLACK:
        return min(colours + mandrake, NUM_INGREDIENTS)
    return hand[book] + times * more[book] + mandrake


@kernel(inline=True)
def derive_reach(s, player, left, out):
    """What lies in each shop that the assistant can go to, and the strongest spell with it."""
    hand = s.hand[player]
    for i in range(reach(s, player)):
        shop = clockwise(s, i + 1)
        write1(out, _REACH_CARDS + i, s.shop_size[shop])
        by_day, cards = 1 - s.night[shop], s.shop[shop]
        curses = 0
        for k in range(NUM_SCROLLS):
            curses += _CURSES[k] * cards[SCROLL + k]
        write1(out, _REACH_CURSES + i, curses * by_day)
        most, colours = ingredients(hand, cards, by_day)
        best = 0
        for book in range(NUM_COLOURS + 1):
            best = max(best, power_of(hand, cards, by_day, book, most, colours))
        write1(out, _REACH_CASTABLE + i, strongest(left, best))
