"""Greedy Black Magic Friday: points at once, and what the hand promises, counted in points.

A hand promises the best spell that can be cast from it, then the best one from the rest, and so on, each a bit less
than the one before; what is left over is worth a little a card, and costs a point a colour the nearer the end is. A
spell is worth its value, its grimoire and what it does, less the cards that it takes. A mandrake as the book of one
ingredient of each colour is the shortest way to the high powers. The assistant goes where the cards promise most, with
few curses (they count the more the nearer one is to the marker), and where the next witch finds little within her
reach: that matters most with two players. A spell is cast when it brings so much more at once than it promised that
the turn is well spent: small ones wait and grow, until the last rounds, where the turns that are left go to the best
spells, spare ingredients are laid down to get rid of their colour, and nothing is taken that does not help. Curses,
marker and swaps go to the witch with most points.
"""

from __future__ import annotations

import math

import numpy as np

from coven.games.black_magic_friday.observation import LAYOUT
from coven.games.black_magic_friday.state import (
    ADD,
    AGAIN_SPELL,
    BESTOW,
    BLACK,
    BOOK,
    BOOK_POINTS,
    BOOKS,
    CAST,
    CHOOSE_TARGET,
    CLEANSE,
    COLOUR_PENALTY,
    DISCARD_CURSE,
    FETCH_SHOP,
    FETCH_SPELL,
    GRIMOIRE,
    HAND_KINDS,
    HAND_MARKER,
    HASTE,
    LAY_DOWN,
    MANDRAKE,
    MARKER_PENALTY,
    NUM_BOOKS,
    NUM_COLOURS,
    NUM_INGREDIENTS,
    NUM_KINDS,
    NUM_PARTS,
    NUM_PILES,
    NUM_SCROLLS,
    NUM_SHOPS,
    NUM_SPELLS,
    OBLIVION,
    PARTS,
    PASS,
    PICK_CARD,
    PLAY_AGAIN,
    POWER,
    REACH,
    RETURN_CARD,
    SCROLL,
    SCROLLS,
    SWAP,
    VANISH,
)
from coven.games.core.kernels import kernel
from coven.games.core.rng import below
from coven.games.core.words import seen

_NUM_PLAYERS, _DECK_SIZE = LAYOUT.start("num_players"), LAYOUT.start("deck_size")
_ROUNDS_LEFT, _HAND = LAYOUT.start("rounds_left"), LAYOUT.start("hand")
_BOOK, _LAID, _NIGHT = LAYOUT.start("book"), LAYOUT.start("laid"), LAYOUT.start("night")
_SHOP_SIZE, _SHOPS = LAYOUT.start("shop_size"), LAYOUT.start("shops")
_PILE_SIZE, _TOP, _POINTS = LAYOUT.start("pile_size"), LAYOUT.start("top"), LAYOUT.start("points")
_SPELLS, _CURSES = LAYOUT.start("spells"), LAYOUT.start("curses")

# The rules of thumb, in points, found by playing variants against each other.
_PROMISE = 0.79  # of a spell that can be cast
_NEXT_PROMISE = 0.82  # the same of each further spell, as a share of the one before
_LAST_PROMISE = 0.88  # in place of both in the last rounds, as long as there are turns
_TEMPO = 1.13  # a turn, while the deck lasts
_INGREDIENT = 0.39  # an ingredient left over, while the deck lasts
_GRIMOIRE = 0.42  # a grimoire, besides its points
_MANDRAKE = 0.87  # a mandrake
_BOOK_SHARE = 0.24  # of a grimoire's points, while it is left over
_LATE_DECK = 9.6  # from this size of the deck on the colours in hand count, and cards left over less and less
_COST = 0.21  # an ingredient, when spells are compared
_MANDRAKE_COST = 1.29  # a mandrake, then
_NIGHT_CARD = 0.45  # a card not seen
_CURSE = 0.06  # a curse
_MARGIN = 0.08  # how much a curse more than the others have brings the marker nearer
_LEAVE = 2.0  # of what the next witch can reach, shared by all opponents
_REPELLED = 0.12  # a curse in a shop to others
_CLEAN = 0.19  # a curse less, by cleanse
_SWAPPED = 0.25  # a swap
_FETCHED = 1.7  # a fetch
_AGAIN = 0.51  # another turn
_HASTE = 1.7  # a haste
_VANISHED = 0.42  # a vanish
_OBLIVION = 0.81  # an oblivion

_LATE_LOSS = 0.5  # of what a card left over is worth, when the deck has run out
_EVEN = 0.5  # the chance to get the marker if one is level with the others
_SPELLS_AHEAD = 3  # how many spells a hand promises
_BITS = 5  # a hand as one number: so many bits for each kind
_ONES = (1 << _BITS) - 1
_DEMAND = 100.0  # above all other ratings


@kernel
def choose(observation, mask, generator):
    """The action that brings most, ties by lot."""
    hand = own_hand(observation)
    best, most, level = -1, -math.inf, 0
    for action in range(mask.size):
        if mask[action]:
            gain = rate(observation, hand, action)
            if gain > most:
                best, most, level = action, gain, 1
            elif gain == most:
                level += 1
                if below(generator, level) == 0:
                    best = action
    return best


@kernel
def rate(observation, hand, action):
    """What an action brings, compared with the other actions of the same decision."""
    if action < BOOK:
        return rate_move(observation, hand, action + 1)
    if action < PASS:
        return rate_book(observation, hand, BOOKS[action - BOOK])
    if action == PASS:
        return -penalty(observation, hand, 1.0)
    if action < DISCARD_CURSE:
        return rate_build(observation, hand, action)
    if action < CHOOSE_TARGET:
        return float(action)  # the scroll with most curses
    if action < RETURN_CARD:
        return float(seen(observation, _POINTS + action - CHOOSE_TARGET + 1))
    if action < FETCH_SHOP:
        return promise(observation, hand - one(action - RETURN_CARD), turns_left(observation))
    if action < PICK_CARD:
        return rate_fetch(observation, hand, action - FETCH_SHOP)
    if action < PLAY_AGAIN:
        return rate_card(observation, hand, action - PICK_CARD)
    if action < HAND_MARKER:
        return 1.0 if action == PLAY_AGAIN else 0.0
    return float(seen(observation, _POINTS + action - HAND_MARKER + 1))


# A hand as one number.


@kernel
def own_hand(observation):
    """The own hand, packed."""
    hand = np.int64(0)
    for k in range(HAND_KINDS):
        hand += seen(observation, _HAND + k) << (_BITS * k)
    return hand


@kernel
def held(hand, k):
    """How many cards of a kind are in a hand."""
    return hand >> (_BITS * k) & _ONES


@kernel
def one(k):
    """A single card of a kind, as a hand."""
    return np.int64(1) << (_BITS * k)


# The time.


@kernel
def lateness(observation):
    """0 while the deck is large, 1 when it has run out."""
    return max(0.0, 1.0 - seen(observation, _DECK_SIZE) / _LATE_DECK)


@kernel
def turns_left(observation):
    """The turns after this one, or as many spells as one looks ahead."""
    if seen(observation, _ROUNDS_LEFT):
        return seen(observation, _ROUNDS_LEFT) - 1
    return _SPELLS_AHEAD


# What a hand promises.


@kernel
def promise(observation, hand, turns):
    """The best spells of a hand, one after the other, and what is left over."""
    last = seen(observation, _ROUNDS_LEFT) > 0
    share = _LAST_PROMISE if last else _PROMISE
    total = 0.0
    for _ in range(turns):
        gain, used = best_spell(observation, hand)
        if gain <= 0.0:
            break
        total += share * gain
        share *= _LAST_PROMISE if last else _NEXT_PROMISE
        hand -= used
    late = lateness(observation)
    if not last:
        total += (1.0 - _LATE_LOSS * late) * leftovers(hand)
    return total - penalty(observation, hand, late)


@kernel
def leftovers(hand):
    """What the cards of a hand are worth by themselves."""
    total = _MANDRAKE * held(hand, MANDRAKE)
    for c in range(NUM_COLOURS):
        books = held(hand, GRIMOIRE + c)
        total += books * (_GRIMOIRE + _BOOK_SHARE * BOOK_POINTS[GRIMOIRE + c])
        if c < NUM_INGREDIENTS:
            total += _INGREDIENT * held(hand, c)
    return total


@kernel
def penalty(observation, hand, late):
    """What the colours of a hand will cost."""
    if seen(observation, _SPELLS + OBLIVION):
        return 0.0
    colours = 1 if held(hand, MANDRAKE) else 0
    for c in range(NUM_COLOURS):
        cards = held(hand, GRIMOIRE + c)
        if c < NUM_INGREDIENTS:
            cards += held(hand, c)
        colours += cards > 0
    return late * COLOUR_PENALTY * max(0, colours - seen(observation, _SPELLS + VANISH))


# Spells.


@kernel
def best_spell(observation, hand):
    """The spell of a hand that gains most beyond the cards that it costs: what it gains, and its cards."""
    best, gain, used = -math.inf, 0.0, 0
    for i in range(NUM_BOOKS):
        if held(hand, BOOKS[i]):
            g, u, net = spell_with(observation, hand, BOOKS[i])
            if net > best:
                best, gain, used = net, g, u
    return gain, used


@kernel
def spell_with(observation, hand, book):
    """The best spell with this book: its gain, its cards, and the gain beyond what the cards cost."""
    rest = hand - one(book)
    best, gain, used = -math.inf, 0.0, one(book)
    for magic in range(NUM_COLOURS):  # by the colour of the ingredients, the last: all different
        if not fits(book, magic):
            continue
        wild = book != MANDRAKE and held(rest, MANDRAKE) > 0
        same = available(rest, magic)
        most = same + wild if magic < NUM_INGREDIENTS else min(same + wild, NUM_INGREDIENTS)
        for power in range(1, min(most, NUM_PILES) + 1):
            if not seen(observation, _PILE_SIZE + power - 1):
                continue
            value = spell_value(observation, power) + BOOK_POINTS[book]
            cost = _COST * min(power, same) + _MANDRAKE_COST * (power > same or book == MANDRAKE)
            if value - cost > best:
                best, gain = value - cost, value
                used = one(book) + ingredients(rest, magic, min(power, same)) + (power > same) * one(MANDRAKE)
    return gain, used, best


@kernel
def fits(book, magic):
    """May ingredients of this colour, or of different colours, go with a book?"""
    if book == MANDRAKE:
        return True
    return magic == book - GRIMOIRE


@kernel
def available(hand, magic):
    """Ingredients of a colour, or the number of different ones."""
    if magic < NUM_INGREDIENTS:
        return held(hand, magic)
    colours = 0
    for c in range(NUM_INGREDIENTS):
        colours += held(hand, c) > 0
    return colours


@kernel
def ingredients(hand, magic, count):
    """So many ingredients of a colour, or of different colours, the commonest first."""
    if magic < NUM_INGREDIENTS:
        return count * one(magic)
    cards = 0
    for c in range(NUM_INGREDIENTS - 1, -1, -1):
        if count and held(hand, c):
            cards += one(c)
            count -= 1
    return cards


@kernel
def spell_value(observation, power):
    """The value of the top spell of a pile and what it does."""
    for spell in range(NUM_SPELLS):
        if POWER[spell] == power and seen(observation, _TOP + spell):
            return power + effect_value(observation, spell)
    return 0.0


@kernel
def effect_value(observation, spell):
    """What a spell does, in points."""
    late = lateness(observation)
    if spell in (CLEANSE, BESTOW):
        return _CLEAN * min(seen(observation, _CURSES), SCROLLS[NUM_SCROLLS - 1])
    if spell == SWAP:
        return _SWAPPED
    if spell == FETCH_SPELL:
        return _FETCHED * (1.0 - late)
    if spell == AGAIN_SPELL:
        return _AGAIN
    if spell == HASTE:
        return _HASTE * (1.0 - late)
    if seen(observation, _SPELLS + OBLIVION):
        return 0.0
    return _VANISHED if spell == VANISH else _OBLIVION


@kernel
def rate_book(observation, hand, book):
    """The best spell with this book and what the rest of the hand promises."""
    gain, used, _ = spell_with(observation, hand, book)
    used = with_spares(observation, hand, book, used)
    tempo = 0.0 if seen(observation, _ROUNDS_LEFT) else _TEMPO
    return gain - tempo + promise(observation, hand - used, turns_left(observation)) - appeal(observation, 0)


@kernel
def with_spares(observation, hand, book, used):
    """The cards of a spell, with all others of its colour too if it has one and the hand is better off without them."""
    colour = colour_of(book, used)
    if colour < NUM_INGREDIENTS:
        spare = (held(hand, colour) - held(used, colour)) * one(colour)
        turns = turns_left(observation)
        if promise(observation, hand - used - spare, turns) > promise(observation, hand - used, turns):
            return used + spare
    return used


@kernel
def colour_of(book, used):
    """The colour of a spell's ingredients, NUM_INGREDIENTS for black magic and for what may yet become it."""
    if book < BLACK:
        return np.int64(book) - GRIMOIRE
    if book == MANDRAKE:
        for c in range(NUM_INGREDIENTS):
            if held(used, c) > 1:
                return c
    return NUM_INGREDIENTS


@kernel
def rate_build(observation, hand, action):
    """The next card of the spell that was planned, or the power that it was planned for."""
    book, whole = spell_begun(observation, hand)
    _, used, _ = spell_with(observation, whole, book)
    used = with_spares(observation, whole, book, used) - one(book)
    for part in range(NUM_PARTS):
        if seen(observation, _LAID + part) < held(used, PARTS[part]):
            return _DEMAND if action == ADD + part else 0.0
    if CAST <= action < LAY_DOWN:
        return _DEMAND + spell_value(observation, action - CAST + 1)
    return 0.0


@kernel
def spell_begun(observation, hand):
    """The book of the spell being built, and the hand before it was begun."""
    book = MANDRAKE
    for i in range(NUM_BOOKS):
        if seen(observation, _BOOK + i):
            book = BOOKS[i]
    whole = hand + one(book)
    for part in range(NUM_PARTS):
        whole += seen(observation, _LAID + part) * one(PARTS[part])
    return book, whole


# Shopping.


@kernel
def rate_move(observation, hand, steps):
    """What the hand promises with the cards of the shop that is reached, less the curses and what is left behind."""
    curses, night, at = 0, 0, _SHOPS + (steps - 1) * NUM_KINDS
    for k in range(HAND_KINDS):
        hand += seen(observation, at + k) * one(k)
    for i in range(NUM_SCROLLS):
        curses += seen(observation, at + SCROLL + i) * SCROLLS[i]
    if seen(observation, _NIGHT + steps):
        night = seen(observation, _SHOP_SIZE + steps - 1)
    gain = _NIGHT_CARD * night * (1.0 - lateness(observation)) - danger(observation, curses)
    return gain + promise(observation, hand, turns_left(observation)) - appeal(observation, steps)


@kernel
def danger(observation, curses):
    """What it costs to have so many curses more."""
    if curses == 0:
        return 0.0
    most = 0
    for seat in range(1, seen(observation, _NUM_PLAYERS)):
        most = max(most, seen(observation, _CURSES + seat))
    margin = seen(observation, _CURSES) - most
    nearer = min(1.0, _EVEN + _MARGIN * (margin + curses)) - max(0.0, min(1.0, _EVEN + _MARGIN * margin))
    return _CURSE * curses + MARKER_PENALTY * max(0.0, nearer)


@kernel
def appeal(observation, steps):
    """What the next witch finds within her reach if the assistant stands there."""
    most = 0.0
    for i in range(steps + 1, min(steps + REACH, NUM_SHOPS - 1) + 1):
        most = max(most, shop_appeal(observation, i))
    return _LEAVE * most / (seen(observation, _NUM_PLAYERS) - 1)


@kernel
def shop_appeal(observation, steps):
    """What anybody would find the cards of a shop worth."""
    if seen(observation, _NIGHT + steps):
        return _NIGHT_CARD * seen(observation, _SHOP_SIZE + steps - 1)
    at = _SHOPS + (steps - 1) * NUM_KINDS
    total = _MANDRAKE * seen(observation, at + MANDRAKE)
    for c in range(NUM_COLOURS):
        total += seen(observation, at + GRIMOIRE + c) * (_GRIMOIRE + _BOOK_SHARE * BOOK_POINTS[GRIMOIRE + c])
        if c < NUM_INGREDIENTS:
            total += _INGREDIENT * seen(observation, at + c)
    for i in range(NUM_SCROLLS):
        total -= _REPELLED * SCROLLS[i] * seen(observation, at + SCROLL + i)
    return total


@kernel
def rate_card(observation, hand, k):
    """What one card more brings."""
    if k >= SCROLL:
        return promise(observation, hand, turns_left(observation)) - danger(observation, SCROLLS[k - SCROLL])
    return promise(observation, hand + one(k), turns_left(observation))


@kernel
def rate_fetch(observation, hand, shop):
    """The best card of a shop, or a card not seen."""
    if seen(observation, _NIGHT + shop + 1):
        return promise(observation, hand, turns_left(observation)) + _NIGHT_CARD * (1.0 - lateness(observation))
    best = -math.inf
    for k in range(NUM_KINDS):
        if seen(observation, _SHOPS + shop * NUM_KINDS + k):
            best = max(best, rate_card(observation, hand, k))
    return best
