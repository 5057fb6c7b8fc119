"""What a Wie verhext! player sees, as numbers: the seat of the observer comes first, then clockwise."""

from __future__ import annotations

import numpy as np

from coven.games.core.kernels import kernel
from coven.games.core.layout import Layout, Slice, split
from coven.games.core.record import PLAYER_AT
from coven.games.core.words import by_seat, clear, copy, halved, read4, read8, write1, write4, write8
from coven.games.wie_verhext.state import (
    BANNED_ROLES,
    CARD_COST,
    CARD_DROPS,
    CARD_POINTS,
    CARD_RAVEN,
    CAULDRONS,
    COLOURS,
    DEFAULT_SETS,
    HAND,
    MAX_SETS,
    MOST_PLAYERS,
    NONE,
    NUM_CAULDRONS,
    NUM_COLOURS,
    NUM_PILES,
    NUM_ROLES,
    NUM_SCROLLS,
    NUM_SHELVES,
    PASSED,
    PHASES,
    PILE_SIZE,
    PILES,
    PLAYED,
    PLAYERS,
    ROLES,
    SCROLLS,
    SHELVES,
    TOP_CARD,
)

# Drops, gold and vials have no limit but the length of the game. Sensible play stays below 100, which is the bound for
# scaling; what is above is shown apart, and counts up to 255.
USUAL_MOST = 100
MOST_SHOWN = USUAL_MOST + 255
_MOST_POINTS = int(CARD_POINTS.sum())
_MOST_RAVENS = int(CARD_RAVEN.sum())
_SEATS = tuple(f"seat {i}" for i in range(MOST_PLAYERS))


def _unlimited(name: str, size: int, meaning: str, labels: tuple[str, ...]) -> list[Slice]:
    return split(name, size, USUAL_MOST, MOST_SHOWN, meaning, labels=labels)


_LEFT_SLICES = _unlimited("left", 1, "drops still to come in a payment or gain", ())
_SHELF_SLICES = _unlimited("shelves", NUM_SHELVES, "gold and drops that lie on the shelves' top cards", SHELVES)
_DROP_SLICES = _unlimited("drops", MOST_PLAYERS * NUM_COLOURS, "seat by seat: drops by colour", COLOURS)
_GOLD_SLICES = _unlimited("gold", MOST_PLAYERS, "gold, by seat", _SEATS)
_VIAL_SLICES = _unlimited("vials", MOST_PLAYERS, "vials, by seat", _SEATS)

RAW = (
    Slice("phase", len(PHASES), 0, 1, "one-hot: what is to be decided", labels=PHASES),
    Slice("role", NUM_ROLES, 0, 1, "one-hot: the role of this trick", labels=ROLES),
    Slice("scroll", NUM_SCROLLS, 0, 1, "one-hot: the active scroll", labels=SCROLLS),
    Slice("banned", NUM_ROLES, 0, 1, "1 for a role banned in this set", labels=ROLES),
    Slice("ban_deck", NUM_ROLES, 0, 1, "1 for a role among the spare ones still to be banned", labels=ROLES),
    *(parts[1] for parts in (_LEFT_SLICES, _SHELF_SLICES, _DROP_SLICES, _GOLD_SLICES, _VIAL_SLICES)),
    Slice("current", MOST_PLAYERS, 0, 1, "one-hot: the seat that decides", labels=_SEATS),
    Slice("leader", MOST_PLAYERS, 0, 1, "one-hot: who leads this trick, while choosing the coming one", labels=_SEATS),
    Slice("claimant", MOST_PLAYERS, 0, 1, "one-hot: the seat that claims the action of this trick", labels=_SEATS),
    Slice("favours", MOST_PLAYERS, 0, 1, "1 for a seat that took the favour in this trick", labels=_SEATS),
    Slice("hand_size", MOST_PLAYERS, 0, HAND, "cards in each hand, by seat", labels=_SEATS),
    Slice("num_players", 1, 0, PLAYERS[-1], "players at the table"),
    Slice("sets_left", 1, 0, DEFAULT_SETS, f"sets after this one until the game is cut off, {DEFAULT_SETS} for more"),
    Slice("ravens", 1, 0, _MOST_RAVENS, "ravens in front of all players together"),
    Slice("least", 1, 0, NUM_COLOURS - 1, "the colour below which no drop of a payment or gain may come"),
    _LEFT_SLICES[0],
    Slice("next_scrolls", NUM_SCROLLS, 0, NUM_SCROLLS, "sets until a scroll is active, 8 not known", labels=SCROLLS),
    Slice("cards_left", NUM_PILES, 0, int(PILE_SIZE.max()), "cards in each pile", labels=PILES),
    Slice("top_points", NUM_PILES, 0, int(CARD_POINTS.max()), "points of each top card", labels=PILES),
    Slice("top_raven", NUM_PILES, 0, 1, "1 for a raven on a top card", labels=PILES),
    Slice(
        "top_drops",
        NUM_CAULDRONS * NUM_COLOURS,
        0,
        int(CARD_DROPS.max()),
        "cauldrons: drops on each top card",
        labels=COLOURS,
        rows=CAULDRONS,
    ),
    Slice("top_cost", NUM_SHELVES, 0, int(CARD_COST.max()), "shelves: what each top card costs", labels=SHELVES),
    _SHELF_SLICES[0],
    Slice("hand", NUM_ROLES, 0, 1, "1 for a role in the own hand", labels=ROLES),
    _DROP_SLICES[0],
    _GOLD_SLICES[0],
    _VIAL_SLICES[0],
    Slice("points", MOST_PLAYERS, 0, _MOST_POINTS, "points of the cards, by seat", labels=_SEATS),
    Slice(
        "shown",
        MOST_PLAYERS * NUM_ROLES,
        0,
        PLAYED - PASSED,
        "seat by seat: 0 for a role passed on in this set, 2 for one played, else 1",
        labels=ROLES,
        rows=_SEATS,
    ),
)
_MOST_COST = int(CARD_COST.max())
DERIVED = (
    Slice(
        "payable",
        NUM_PILES,
        0,
        1,
        "1 for a top card that one can pay now, gold for its role apart",
        derived=True,
        labels=PILES,
    ),
    Slice("missing", NUM_PILES, 0, _MOST_COST, "drops or gold that one is short of for it", derived=True, labels=PILES),
    Slice(
        "blendable",
        NUM_CAULDRONS,
        0,
        1,
        "1 for a cauldron's top card that one can pay with drops of any colour",
        derived=True,
        labels=CAULDRONS,
    ),
    Slice(
        "holders",
        NUM_ROLES,
        0,
        MOST_PLAYERS - 1,
        "in lead and follow: how many others may still hold each role",
        derived=True,
        labels=ROLES,
    ),
)
LAYOUT = Layout(*RAW, *DERIVED)
_PHASE, _ROLE, _SCROLL = LAYOUT.starts("phase", "role", "scroll")
_BANNED, _BAN_DECK, _LEFT_ABOVE = LAYOUT.starts("banned", "ban_deck", "left_above_100")
_SHELVES_ABOVE, _DROPS_ABOVE = LAYOUT.starts("shelves_above_100", "drops_above_100")
_GOLD_ABOVE, _VIALS_ABOVE = LAYOUT.starts("gold_above_100", "vials_above_100")
_CURRENT, _LEADER, _CLAIMANT = LAYOUT.starts("current", "leader", "claimant")
_FAVOURS, _HAND_SIZE = LAYOUT.starts("favours", "hand_size")
_NUM_PLAYERS, _SETS_LEFT, _RAVENS = LAYOUT.starts("num_players", "sets_left", "ravens")
_LEAST, _LEFT, _NEXT_SCROLLS = LAYOUT.starts("least", "left", "next_scrolls")
_CARDS_LEFT, _SHELVES, _HAND = LAYOUT.starts("cards_left", "shelves", "hand")
_DROPS, _GOLD, _VIALS = LAYOUT.starts("drops", "gold", "vials")
_POINTS, _SHOWN = LAYOUT.starts("points", "shown")

_ONE_HOT = np.zeros(256, np.uint64)  # by player; as an unsigned byte NONE is the last entry: all 0
_ONE_HOT[:8] = [1 << 8 * i for i in range(8)]
_32 = np.uint64(32)
# Four numbers of 16 bits, and in each the bits that only numbers have of which some are above the usual.
_MUCH = np.uint64(0x0001000100010001 * (0x10000 - (1 << (USUAL_MOST + 1).bit_length() - 1)))
_ONES, _SIGNS = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)

# By pile and cards gone: what that pile adds to the slices from cards_left up to top_cost, which follow each other, as
# words; the last one reaches into what comes next.
_TOP_WORDS = range(0, LAYOUT["top_cost"].stop - LAYOUT.start("cards_left"), 8)
_TOPS = np.zeros((NUM_PILES, TOP_CARD.shape[1], len(_TOP_WORDS)), np.uint64)
for _pile in range(NUM_PILES):
    for _gone in range(PILE_SIZE[_pile] + 1):
        _row, _card = np.zeros(LAYOUT.raw_size, np.uint8), TOP_CARD[_pile, _gone]
        _row[LAYOUT.start("cards_left") + _pile] = PILE_SIZE[_pile] - _gone
        _row[LAYOUT.start("top_points") + _pile] = CARD_POINTS[_card]
        _row[LAYOUT.start("top_raven") + _pile] = CARD_RAVEN[_card]
        if _pile < NUM_CAULDRONS:
            _first = LAYOUT.start("top_drops") + _pile * NUM_COLOURS
            _row[_first : _first + NUM_COLOURS] = CARD_DROPS[_card]
        else:
            _row[LAYOUT.start("top_cost") + _pile - NUM_CAULDRONS] = CARD_COST[_card]
        for _i, _word in enumerate(_TOP_WORDS):
            _first = LAYOUT.start("cards_left") + _word
            _TOPS[_pile, _gone, _i] = _row[_first : _first + 8].view(np.uint64)[0]

# By set, up to when all scrolls have been seen and then in circles, and place in the pile: sets until it is active.
_AHEAD = np.array(
    [
        [(i - place) % NUM_SCROLLS if i < number else NUM_SCROLLS for i in range(NUM_SCROLLS)]
        for number in range(1, 2 * NUM_SCROLLS + 1)
        for place in [(number - 1) % NUM_SCROLLS]
    ],
    np.uint8,
)


@kernel(inline=True)
def observe(s, player, out):
    """Write what a player sees, in rising order where a row's last word reaches into what comes next."""
    clear(out, _PHASE, _CURRENT)  # up to there hardly anything is not 0
    observe_trick(s, player, out)
    observe_decks(s, out)
    observe_piles(s, out)
    observe_seats(s, player, out)


@kernel(inline=True)
def five(numbers):
    """Five bytes as one word."""
    return read4(numbers, 0) | (np.uint64(np.uint8(numbers[4])) << _32)


@kernel(inline=True)
def observe_trick(s, player, out):
    """What is going on."""
    n = s.num_players
    write1(out, _PHASE + s.phase, 1)
    if s.role != NONE:
        write1(out, _ROLE + s.role, 1)
    write8(out, _CURRENT, by_seat(_ONE_HOT[np.uint8(s.current)], player, n))
    write8(out, _LEADER, by_seat(_ONE_HOT[np.uint8(s.leader)], player, n))
    write8(out, _CLAIMANT, by_seat(_ONE_HOT[np.uint8(s.claimant)], player, n))
    write8(out, _FAVOURS, by_seat(five(s.favour), player, n))
    write8(out, _HAND_SIZE, by_seat(five(s.hand_size), player, n))
    write1(out, _NUM_PLAYERS, n)
    write1(out, _SETS_LEFT, min(s.options[MAX_SETS] - s.set, DEFAULT_SETS))
    write1(out, _RAVENS, s.ravens)
    write1(out, _LEAST, s.least)
    write1(out, _LEFT, min(s.left, USUAL_MOST))
    if s.left > USUAL_MOST:
        write1(out, _LEFT_ABOVE, above(s.left))


@kernel(inline=True)
def above(value):
    """What is above the usual, as far as it is shown."""
    return min(value - USUAL_MOST, 255)


@kernel(inline=True)
def observe_decks(s, out):
    """The scrolls, those seen and when they come again; the spare roles of the option."""
    seen = s.set - 1 if s.set <= NUM_SCROLLS else NUM_SCROLLS + (s.set - 1) % NUM_SCROLLS
    ahead = _AHEAD[seen]
    write1(out, _SCROLL + s.scroll[seen if seen < NUM_SCROLLS else seen - NUM_SCROLLS], 1)
    for i in range(NUM_SCROLLS):
        write1(out, _NEXT_SCROLLS + s.scroll[i], ahead[i])
    if s.options[BANNED_ROLES]:
        copy(s.banned, 0, out, _BANNED, NUM_ROLES)
        for i in range(s.bans_seen, NUM_ROLES):
            write1(out, _BAN_DECK + s.ban_deck[i], 1)


@kernel(inline=True)
def observe_piles(s, out):
    """The top card of each pile and what lies on it."""
    first = second = third = fourth = np.uint64(0)
    for pile in range(NUM_PILES):
        top = _TOPS[pile, s.gone[pile]]
        first, second, third, fourth = first | top[0], second | top[1], third | top[2], fourth | top[3]
    write8(out, _CARDS_LEFT, first)
    write8(out, _CARDS_LEFT + 8, second)
    write8(out, _CARDS_LEFT + 16, third)
    write8(out, _CARDS_LEFT + 24, fourth)
    for shelf in range(NUM_SHELVES):
        lies = s.shelf[NUM_CAULDRONS + shelf]
        write1(out, _SHELVES + shelf, min(lies, USUAL_MOST))
        if lies > USUAL_MOST:
            write1(out, _SHELVES_ABOVE + shelf, above(lies))


@kernel(inline=True)
def observe_seats(s, player, out):
    """The own hand, and what everyone sees of the players; who is not there has nothing."""
    copy(s.hand[player], 0, out, _HAND, NUM_ROLES)
    n, players, most = s.num_players, PLAYER_AT[np.uint8(s.num_players), np.uint8(player)], np.uint64(0)
    for seat in range(MOST_PLAYERS):
        drops = drops_of(s, players[seat])
        most |= drops
        write4(out, _DROPS + seat * NUM_COLOURS, halved(drops))
    most |= read8(s.gold.view(np.uint8), 0) | np.uint64(s.gold[4])
    most |= read8(s.vials.view(np.uint8), 0) | np.uint64(s.vials[4])
    write8(out, _GOLD, by_seat(five_halved(s.gold), player, n))
    write8(out, _VIALS, by_seat(five_halved(s.vials), player, n))
    write8(out, _POINTS, by_seat(five_halved(s.points), player, n))
    for seat in range(MOST_PLAYERS):
        shown = s.shown[players[seat]]
        for at in (0, NUM_ROLES - 8):
            write8(out, _SHOWN + seat * NUM_ROLES + at, one_more(read8(shown, at)))
    if most & _MUCH:  # perhaps: bits of several numbers together
        observe_riches(s, players, out)


@kernel(inline=True)
def drops_of(s, p):
    """The drops of a player by colour, 16 bits each, and something of the next player above."""
    at = 2 * NUM_COLOURS * int(p)
    start = min(at, 2 * NUM_COLOURS * MOST_PLAYERS - 8)  # the last word of all drops
    return read8(s.drops.view(np.uint8), start) >> np.uint64(8 * (at - start))


@kernel(inline=True)
def five_halved(numbers):
    """Five numbers of 16 bits as five bytes of one word."""
    return halved(read8(numbers.view(np.uint8), 0)) | (np.uint64(np.uint8(numbers[4])) << _32)


@kernel(inline=True)
def one_more(word):
    """Eight bytes with a sign, each with 1 added; none of them carries into the next."""
    return ((word & ~_SIGNS) + _ONES) ^ (word & _SIGNS)


@kernel
def observe_riches(s, players, out):
    """Drops, gold and vials again where somebody has more than the usual."""
    for seat in range(s.num_players):
        p = players[seat]
        for c in range(NUM_COLOURS):
            observe_much(s.drops[p, c], out, _DROPS + seat * NUM_COLOURS + c, _DROPS_ABOVE + seat * NUM_COLOURS + c)
        observe_much(s.gold[p], out, _GOLD + seat, _GOLD_ABOVE + seat)
        observe_much(s.vials[p], out, _VIALS + seat, _VIALS_ABOVE + seat)


@kernel(inline=True)
def observe_much(value, out, at, at_above):
    """A number in two parts."""
    write1(out, at, min(value, USUAL_MOST))
    write1(out, at_above, max(above(value), 0))
