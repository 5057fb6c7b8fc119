"""Alchemists (Carlo A. Rossi, 2007), in the rulebook's order.

2 to 5 players brew potions. A turn creates a new potion, copies somebody else's, or takes ingredients. When three
kinds are gone from the reserve at the end of a round, the cubes left decide which school has done best, and most fame
wins. RULES.md has the rules in full, with every decision of ours.
"""

from __future__ import annotations

import numpy as np

from coven.games.alchemists.state import (
    BAG,
    CODE_WEIGHTS,
    CONTAINS,
    COPY,
    CREATE,
    CUBES,
    DRAW,
    DRAW_SIZE,
    EMPTY,
    EXHAUSTED_KINDS,
    FIRST_VALUE,
    HAND,
    MIX,
    MOST_ALIKE,
    NONE,
    NUM_CAULDRONS,
    NUM_COLOURS,
    NUM_CREATES,
    NUM_RECIPES,
    NUM_TAKES,
    NUM_TILES,
    OVER,
    PASS,
    PAYABLE,
    PRODUCES,
    RESERVE,
    RULED_OUT,
    SCHOOL_REWARDS,
    SEALS,
    TAKE,
    TAKES,
    TILE,
    TURN,
    VALUE,
    WORDS,
)
from coven.games.core.bits import count, spread
from coven.games.core.kernels import kernel
from coven.games.core.record import NOBODY, after
from coven.games.core.rng import below, draw_kind, reshuffle, seed_generator, shuffle

# Set-up.


@kernel
def deal(s, num_players, seed, options):
    """Fill bag and reserve, draw 12 cubes and a school for each player, and the first player."""
    seed_generator(s, seed)
    for c in range(NUM_COLOURS):
        s.bag[c] = BAG[options[0], num_players]
        s.reserve[c] = RESERVE[options[0], num_players]
        s.removed[c] = CUBES - s.bag[c] - s.reserve[c]
        s.school[c] = c
    shuffle(s, s.school, NUM_COLOURS)
    for p in range(num_players):
        s.seals[p] = SEALS
        for _ in range(HAND):
            draw_from_bag(s, p)
    for i in range(NUM_CAULDRONS):
        s.potion[i] = EMPTY
        s.owner[i] = NOBODY
    for i in range(NUM_TILES):
        s.tile[i] = 1
    s.brewing = NONE
    s.first = below(s, num_players)  # by lot: the book takes any custom
    s.current = s.first
    s.phase = TURN


@kernel(inline=True)
def draw_from_bag(s, p):
    """Draw one cube from the bag, unseen by the others."""
    c = draw_kind(s, s.bag, in_bag(s))
    s.bag[c] -= 1
    s.hand[p, c] += 1
    s.hand_size[p] += 1


@kernel(inline=True)
def in_bag(s):
    """How many cubes are in the bag."""
    total = 0
    for c in range(NUM_COLOURS):
        total += s.bag[c]
    return total


# A turn: what may be done.


@kernel
def legal(s, mask):
    """The legal actions: one of the three actions of a turn, or the tile of the potion just created."""
    mask[:] = 0
    if s.phase == VALUE:
        legal_tiles(s, mask)
        return
    payable = PAYABLE[hand_code(s.hand[s.current])]
    if s.seals[s.current]:
        legal_creates(s, payable, mask)
    if first_must_create(s):
        return
    legal_copies(s, payable, mask)
    if not legal_takes(s, mask) and not count(mask.view(np.uint64)):
        mask[PASS] = 1  # ours: the book does not say what a player does who can do nothing


@kernel(inline=True)
def first_must_create(s):
    """Two players: the very first action must create a potion of value 5 or more."""
    return s.num_players == 2 and s.turn == 0


@kernel(inline=True)
def hand_code(hand):
    """A hand as an index into PAYABLE: no recipe takes more than two of a kind."""
    code = 0
    for c in range(NUM_COLOURS):
        code += min(hand[c], MOST_ALIKE) * CODE_WEIGHTS[c]
    return code


@kernel(inline=True)
def can_pay(payable, potion):
    """Is the mix of this potion among the payable ones? Never that of an empty cauldron."""
    return np.int64(payable[potion >> 6] >> np.uint64(potion & 63)) & 1


@kernel(inline=True)
def legal_creates(s, payable, mask):
    """Any mix one can pay, in an empty cauldron, that stands on no other cauldron."""
    words = mask.view(np.uint64)
    for w in range(WORDS):
        ruled_out = np.uint64(0)
        for i in range(NUM_CAULDRONS):
            ruled_out |= RULED_OUT[s.potion[i], w]
        spread(payable[w] & ~ruled_out, words, 8 * w)


@kernel(inline=True)
def legal_tiles(s, mask):
    """Any tile still there; the first potion of two players is worth 5 or more."""
    for i in range(NUM_TILES):
        mask[TILE + i] = s.tile[i]
    if first_must_create(s):
        for i in range(FIRST_VALUE - 1):
            mask[TILE + i] = 0


@kernel(inline=True)
def legal_copies(s, payable, mask):
    """Anybody else's potion whose exact mix one can pay, with each kind in it to give."""
    for i in range(NUM_CAULDRONS):
        copyable = can_pay(payable, s.potion[i]) & (s.owner[i] != s.current)
        for k in range(NUM_TAKES):
            mask[COPY + i * NUM_TAKES + k] = CONTAINS[s.potion[i], k] & copyable


@kernel(inline=True)
def legal_takes(s, mask):
    """A cube that is in the reserve, or two from a bag that is not empty; is there any?"""
    possible = False
    for c in range(NUM_COLOURS):
        mask[TAKE + c] = s.reserve[c] > 0
        possible |= s.reserve[c] > 0
    drawable = in_bag(s) > 0
    mask[DRAW] = drawable
    return possible or drawable


# A turn: doing it.


@kernel
def apply(s, action):
    """Carry out an action and pass the turn on."""
    if action < TILE:
        create_potion(s, action - CREATE)
        return  # the same player picks the tile
    if action < COPY:
        choose_value(s, action - TILE)
    elif action < TAKE:
        copy_potion(s, (action - COPY) // NUM_TAKES, (action - COPY) % NUM_TAKES)
    elif action < DRAW:
        take_from_reserve(s, s.current, action - TAKE)
    elif action == DRAW:
        for _ in range(DRAW_SIZE):
            draw_from_bag(s, s.current)
    else:
        remember_pass(s, s.current)
    end_turn(s)


@kernel(inline=True)
def create_potion(s, create):
    """Put a seal and the cubes on an empty cauldron; they stay there to the end."""
    cauldron = create // NUM_RECIPES
    pay(s, s.current, create)
    s.seals[s.current] -= 1
    s.potion[cauldron] = create
    s.owner[cauldron] = s.current
    s.brewing = cauldron
    s.phase = VALUE


@kernel(inline=True)
def choose_value(s, tile):
    """Give the new potion its fame tile, score it and take what it produces."""
    s.tile[tile] = 0
    s.value[s.brewing] = tile + 1
    earn(s, s.current, s.brewing)
    s.brewing = NONE
    s.phase = TURN


@kernel(inline=True)
def copy_potion(s, cauldron, k):
    """Pay the exact mix, one cube of it to the creator and the rest out of the game; score it and take its products."""
    potion, creator, gift = s.potion[cauldron], s.owner[cauldron], TAKES[cauldron, k]
    pay(s, s.current, potion)
    for c in range(NUM_COLOURS):
        s.removed[c] += MIX[potion, c]
    s.removed[gift] -= 1
    gain_openly(s, creator, gift)
    earn(s, s.current, cauldron)


@kernel(inline=True)
def pay(s, p, potion):
    """Take a mix out of a hand, the cubes that everyone knew of first."""
    for c in range(NUM_COLOURS):
        cubes = MIX[potion, c]
        s.hand[p, c] -= cubes
        s.hand_size[p] -= cubes
        s.known[p, c] -= min(cubes, s.known[p, c])


@kernel(inline=True)
def earn(s, p, cauldron):
    """Score a potion and take one cube of each kind it produces, as far as the reserve has it."""
    s.fame[p] += s.value[cauldron]
    for c in PRODUCES[cauldron]:
        if s.reserve[c]:
            take_from_reserve(s, p, c)


@kernel(inline=True)
def take_from_reserve(s, p, c):
    """Take one cube in the open."""
    s.reserve[c] -= 1
    gain_openly(s, p, c)


@kernel(inline=True)
def gain_openly(s, p, c):
    """A cube goes behind a screen and everyone sees its colour."""
    s.hand[p, c] += 1
    s.hand_size[p] += 1
    s.known[p, c] += 1


@kernel(inline=True)
def remember_pass(s, p):
    """Note what was open when this player could do nothing."""
    s.passed[p] = 1
    for c in range(NUM_COLOURS):
        s.known_at_pass[p, c] = s.known[p, c]
    for i in range(NUM_CAULDRONS):
        s.potion_at_pass[p, i] = s.potion[i]


@kernel(inline=True)
def end_turn(s):
    """Clockwise; back at the first player the game ends if three kinds are gone from the reserve."""
    s.turn += 1
    s.current = after(s, s.current)
    if s.current != s.first:
        return
    gone = 0
    for c in range(NUM_COLOURS):
        gone += s.reserve[c] == 0
    if gone >= EXHAUSTED_KINDS:
        s.current = NOBODY
        s.phase = OVER


# The end.


@kernel
def score(s, out):
    """Fame, at the end with 1 point for every 2 cubes in hand and the school's reward, which also breaks ties."""
    for p in range(s.num_players):
        out[p, 0] = s.fame[p]
        out[p, 1] = 0
        if s.current == NOBODY:
            out[p, 1] = school_reward(s, p)
            out[p, 0] += s.hand_size[p] // 2 + out[p, 1]


@kernel(inline=True)
def school_reward(s, p):
    """The reward by place: one place further down for every lower count among the schools in play."""
    place = 0
    for q in range(s.num_players):
        if left_of(s, s.school[q]) < left_of(s, s.school[p]) and not counted_before(s, q):
            place += 1
    return SCHOOL_REWARDS[s.num_players, place]


@kernel(inline=True)
def counted_before(s, q):
    """Does a player before q have a school with the same count? Equal counts share a place and none is skipped."""
    for earlier in range(q):
        if left_of(s, s.school[earlier]) == left_of(s, s.school[q]):
            return True
    return False


@kernel(inline=True)
def left_of(s, c):
    """Cubes of a colour in the reserve once all hands are counted into it."""
    total = s.reserve[c]
    for p in range(s.num_players):
        total += s.hand[p, c]
    return total


# What one player cannot know.

_TRIES = 1000


@kernel
def determinize(s, player, seed):
    """Deal the unknown cubes of the others and the bag anew, and the schools; once over, all is known."""
    seed_generator(s, seed)
    if s.current == NOBODY:
        return
    deal_schools(s, player)
    if someone_passed(s, player):
        deal_around_passes(s, player)
    else:
        deal_unknown(s, player)


@kernel
def deal_schools(s, player):
    """Shuffle all schools but the player's own; those behind the last player were not drawn."""
    own, last = s.school[player], NUM_COLOURS - 1
    s.school[player] = s.school[last]
    reshuffle(s, s.school, last)
    s.school[last] = s.school[player]
    s.school[player] = own


@kernel
def deal_unknown(s, player):
    """Put the cubes that the player cannot place into the bag, then draw every other hand's unknown part from it."""
    collect_unknown(s, player)
    draw_unknown(s)


@kernel
def collect_unknown(s, player):
    """Put the cubes that the player cannot place into the bag and count how many each hand lacks then."""
    for p in range(s.num_players):
        if p != player:
            for c in range(NUM_COLOURS):
                cubes = s.hand[p, c] - s.known[p, c]
                s.bag[c] += cubes
                s.hand_size[p] -= cubes
                s.unknown[p] += cubes
                s.hand[p, c] = s.known[p, c]


@kernel
def draw_unknown(s):
    """Draw what the hands lack."""
    for p in range(s.num_players):
        while s.unknown[p]:
            draw_from_bag(s, p)
            s.unknown[p] -= 1


@kernel
def deal_around_passes(s, player):
    """Deal until every hand that passed could really do nothing then.

    Random play accepts within a few deals. After many rejections the hands are dealt with care: not each as often as it
    should be, but none that contradicts a pass.
    """
    for _ in range(_TRIES):
        deal_unknown(s, player)
        if passes_make_sense(s, player):
            return
    while not deal_with_care(s, player):
        continue


@kernel
def deal_with_care(s, player):
    """Give the hands that passed only cubes with which they could still do nothing; False if there is none left."""
    collect_unknown(s, player)
    for p in range(s.num_players):
        while s.passed[p] and s.unknown[p]:
            if not draw_useless(s, p):
                return False
            s.unknown[p] -= 1
    draw_unknown(s)
    return True


@kernel
def draw_useless(s, p):
    """Draw one of the cubes in the bag with which p could do nothing at its pass; is there one?"""
    total = 0
    for c in range(NUM_COLOURS):
        total += useless(s, p, c)
    if total == 0:
        return False
    c, k = 0, below(s, total)
    while k >= useless(s, p, c):
        k -= useless(s, p, c)
        c += 1
    s.bag[c] -= 1
    s.hand[p, c] += 1
    s.hand_size[p] += 1
    return True


@kernel
def useless(s, p, c):
    """The cubes of a colour in the bag, none if one of them had let p do something at its pass."""
    s.hand[p, c] += 1
    useful = could_brew_at_pass(s, p)
    s.hand[p, c] -= 1
    return 0 if useful else s.bag[c]


@kernel
def someone_passed(s, player):
    """Has any other player passed in this round?"""
    for p in range(s.num_players):
        if p != player and s.passed[p]:
            return True
    return False


@kernel
def passes_make_sense(s, player):
    """Could none of the others who passed have done anything else?"""
    for p in range(s.num_players):
        if p != player and s.passed[p] and could_brew_at_pass(s, p):
            return False
    return True


@kernel
def could_brew_at_pass(s, p):
    """Could the hand that p had at its pass have created or copied a potion? (Reserve and bag were empty.)"""
    code = 0
    for c in range(NUM_COLOURS):
        held = s.hand[p, c] - s.known[p, c] + s.known_at_pass[p, c]
        code += min(held, MOST_ALIKE) * CODE_WEIGHTS[c]
    for i in range(NUM_CREATES):
        if not can_pay(PAYABLE[code], i):
            continue
        cauldron = stands_in(s.potion_at_pass[p], i)
        if cauldron == NONE and s.potion_at_pass[p, i // NUM_RECIPES] == EMPTY and s.seals[p]:
            return True
        if cauldron != NONE and s.owner[cauldron] != p:
            return True
    return False


@kernel
def stands_in(potion, create):
    """The cauldron on which the mix of a create action stands, or NONE."""
    for i in range(NUM_CAULDRONS):
        same = True
        for c in range(NUM_COLOURS):
            same &= MIX[potion[i], c] == MIX[create, c]
        if same:
            return i
    return NONE
