"""Greedy Wie verhext!: points at once, and what is left in drops, gold and roles, counted in points.

A position is worth its drops and gold (the first of a colour more than the next, all of them less with every raven,
and next to nothing in the last set), and a share of every card that a role still in hand could brew, with the drops
there or with those that gatherers and assistant in hand should bring. What a role brings is the difference that it
makes to that: so drops are gathered for the cards one can brew, a card is brewed whenever its points are worth its
drops, a spare drop becomes a vial, and payments are made in the colours one misses least. Roles are chosen one by
one, each for what its action and its favour would bring beside those chosen before, the action with the chance that
nobody snatches it (who can pay for a card is likely to hold its brewer), and swayed by lot a little: where all choose
alike, nobody gets much. A leader plays the role that brings most now, but keeps brewers whose card is out of reach. A
follower claims if the action, times the chance that nobody behind holds the role too, is worth more than the favour,
which is safe; to lead the next trick is worth a little as well. Whoever is ahead likes ravens, the others do not.
"""

from __future__ import annotations

import math

import numpy as np

from coven.games.core.kernels import kernel
from coven.games.core.rng import below
from coven.games.core.words import seen
from coven.games.wie_verhext.observation import LAYOUT
from coven.games.wie_verhext.state import (
    ACTING,
    BLEND,
    BREW,
    BREW_FROM,
    BREW_IT,
    CLAIM,
    DECLINE,
    DROP_SHELF,
    EFFECT_COLOUR,
    EFFECT_DROPS,
    EFFECT_EARNED,
    EFFECT_GOLD,
    EFFECT_KIND,
    EFFECT_PART,
    EFFECT_PILE,
    EFFECT_VIALS,
    FAVOUR,
    FIRST_SCROLL,
    GAIN,
    GIFT,
    HAND,
    LAST_RAVENS,
    LEAD,
    NUM_CAULDRONS,
    NUM_COLOURS,
    NUM_ROLES,
    NUM_SCROLLS,
    OPTION,
    PAY,
    RELIEF,
    SELL,
    TAKE,
    TAX,
    TRADE,
    USE,
    VIAL_SIZE,
    WARLOCK,
)

_PHASE, _LEADER, _CLAIMANT = LAYOUT.start("phase"), LAYOUT.start("leader"), LAYOUT.start("claimant")
_ROLE, _SCROLL, _BANNED = LAYOUT.start("role"), LAYOUT.start("scroll"), LAYOUT.start("banned")
_NUM_PLAYERS, _SETS_LEFT, _RAVENS = LAYOUT.start("num_players"), LAYOUT.start("sets_left"), LAYOUT.start("ravens")
_LEFT, _CARDS_LEFT = LAYOUT.start("left"), LAYOUT.start("cards_left")
_TOP_DROPS, _TOP_COST, _TOP_POINTS = LAYOUT.start("top_drops"), LAYOUT.start("top_cost"), LAYOUT.start("top_points")
_TOP_RAVEN, _SHELVES, _HAND = LAYOUT.start("top_raven"), LAYOUT.start("shelves"), LAYOUT.start("hand")
_DROPS, _GOLD, _VIALS = LAYOUT.start("drops"), LAYOUT.start("gold"), LAYOUT.start("vials")
_POINTS, _HAND_SIZE, _SHOWN = LAYOUT.start("points"), LAYOUT.start("hand_size"), LAYOUT.start("shown")
_NOTHING_SHOWN = 1  # of a role: neither played nor passed on

# The rules of thumb, in points, found by playing variants against each other.
_DROP = 0.76  # the first drops of a colour, while there is time
_DROPS_USED = 4.4  # the greater, the longer further drops of the same colour keep their worth
_GOLD_PIECE = 0.88  # the first gold
_GOLD_USED = 1.7  # the same for gold
_PER_RAVEN = 0.07  # with every raven drops and gold lose this share of their worth
_AT_END = 0.1  # what is left of it in the last set
_READY = 0.43  # of a card that a role in hand can brew
_SOON = 0.23  # of a card that it can brew with what other roles in hand should bring
_HOLD = 1.15  # of that share, lost by leading the role
_RIVALRY = 0.94  # how often those who chose a role too will snatch its action
_SETTLE = 0.76  # of what a role brings without the action: its favour
_NEXT_LEAD = 0.12  # to lead the next trick
_HARM = 0.61  # of a tax, on average, to each of the others
_EAGER = 3.0  # how much more often somebody has chosen a brewer whose card he can pay for
_VARIETY = 0.18  # by how much chance sways the choice of a role: where all choose alike, nobody gets much
_RUSH = 0.05  # a raven, for every point that one is ahead of the best of the others

_FINE = 1 << 16  # steps of chance
_GATHERED = 2  # drops that a gatherer or the assistant in hand should bring
_BREWER = np.array([np.flatnonzero((EFFECT_KIND == BREW) & (i == EFFECT_PILE))[0] // 2 for i in range(NUM_CAULDRONS)])
_GATHERER = np.array([np.flatnonzero((EFFECT_KIND == GIFT) & (c == EFFECT_COLOUR))[0] // 2 for c in range(NUM_COLOURS)])
_ASSISTANT = np.flatnonzero((EFFECT_KIND == TRADE) & (EFFECT_DROPS > 0) & (EFFECT_GOLD > 0))[0] // 2


@kernel
def choose(observation, mask, generator):
    """The action that brings most, ties by lot."""
    hand = roles_in_hand(observation)
    best, most, level = -1, -math.inf, 0
    for action in range(mask.size):
        if mask[action]:
            gain = rate(observation, hand, action)
            if action < LEAD:
                gain += _VARIETY * below(generator, _FINE) / _FINE
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
    if action < LEAD:
        return rate_choice(observation, hand, action)
    if action < CLAIM:
        return rate_lead(observation, hand, action - LEAD)
    if action == CLAIM:
        return rate_claim(observation, hand, role_led(observation))
    if action == FAVOUR:
        return after_favour(observation, hand & ~(1 << role_led(observation)), role_led(observation))
    return rate_effect(observation, hand, action)


# What there is.


@kernel
def roles_in_hand(observation):
    """The own roles as bits."""
    hand = 0
    for role in range(NUM_ROLES):
        hand |= (1 if seen(observation, _HAND + role) else 0) << role
    return hand


@kernel
def role_led(observation):
    """The role of this trick."""
    for role in range(NUM_ROLES):
        if seen(observation, _ROLE + role):
            return role
    return 0


@kernel
def effect_of_action(observation, role):
    """What the action of a role does: with the warlock the active scroll."""
    if role != WARLOCK:
        return 2 * role + 1
    for scroll in range(NUM_SCROLLS):
        if seen(observation, _SCROLL + scroll):
            return FIRST_SCROLL + scroll
    return FIRST_SCROLL


@kernel
def own_drops(observation):
    """The own drops by colour."""
    return seen(observation, _DROPS), seen(observation, _DROPS + 1), seen(observation, _DROPS + 2)


@kernel
def more(drops, colour, count):
    """The drops with so many more of a colour."""
    red, green, white = drops
    return red + count * (colour == 0), green + count * (colour == 1), white + count * (colour == 2)


@kernel
def drops_on(observation, pile):
    """The drops on the top card of a cauldron."""
    at = _TOP_DROPS + pile * NUM_COLOURS
    return seen(observation, at), seen(observation, at + 1), seen(observation, at + 2)


# What a position is worth.


@kernel
def worth(observation, hand, drops, gold):
    """Drops and gold, and a share of the cards that the roles in hand can brew with them."""
    spread = saturating(drops[0], _DROPS_USED) + saturating(drops[1], _DROPS_USED) + saturating(drops[2], _DROPS_USED)
    total = time_left(observation) * (_DROP * spread + _GOLD_PIECE * saturating(gold, _GOLD_USED))
    return total + prospects(observation, hand, drops, gold)


@kernel
def saturating(count, used):
    """A number of things of which the later ones are worth less."""
    return count / (1.0 + max(0.0, count - 1.0) / (2.0 * used))


@kernel
def time_left(observation):
    """1 at the beginning, less with every raven, almost nothing in the last set."""
    if seen(observation, _RAVENS) >= LAST_RAVENS or seen(observation, _SETS_LEFT) == 0:
        return _AT_END
    return 1.0 - _PER_RAVEN * seen(observation, _RAVENS)


@kernel
def prospects(observation, hand, drops, gold):
    """What wizard, witch and druid in hand can brew: first what is ready, then what may soon be."""
    total = 0.0
    rest = drops
    for pile in range(NUM_CAULDRONS):
        if hand >> _BREWER[pile] & 1 and seen(observation, _CARDS_LEFT + pile):
            needed = drops_on(observation, pile)
            if enough(rest, needed):
                total += _READY * brewing_gain(observation, pile)
                rest = (rest[0] - needed[0], rest[1] - needed[1], rest[2] - needed[2])
            elif lacking(expected(hand, rest), needed) <= any_colour(hand, gold):
                total += _SOON * brewing_gain(observation, pile)
    return total


@kernel
def brewing_gain(observation, pile):
    """The points of a card beyond the drops that it costs."""
    needed = drops_on(observation, pile)
    return seen(observation, _TOP_POINTS + pile) - time_left(observation) * _DROP * (needed[0] + needed[1] + needed[2])


@kernel
def expected(hand, drops):
    """The drops with those that the gatherers in hand should bring."""
    return (
        drops[0] + _GATHERED * (hand >> _GATHERER[0] & 1),
        drops[1] + _GATHERED * (hand >> _GATHERER[1] & 1),
        drops[2] + _GATHERED * (hand >> _GATHERER[2] & 1),
    )


@kernel
def any_colour(hand, gold):
    """Drops of any colour that the assistant in hand should bring."""
    return _GATHERED if gold and hand >> _ASSISTANT & 1 else 0


@kernel
def lacking(drops, needed):
    """How many of the drops needed are not there."""
    return max(0, needed[0] - drops[0]) + max(0, needed[1] - drops[1]) + max(0, needed[2] - drops[2])


@kernel
def enough(drops, needed):
    """Are all drops there that are needed?"""
    return lacking(drops, needed) == 0


@kernel
def card_points(observation, pile):
    """The points of a pile's top card; a raven on it is good for whoever is ahead and bad for the others."""
    best = 0
    for seat in range(1, seen(observation, _NUM_PLAYERS)):
        best = max(best, seen(observation, _POINTS + seat) + seen(observation, _VIALS + seat))
    ahead = seen(observation, _POINTS) + seen(observation, _VIALS) - best
    return seen(observation, _TOP_POINTS + pile) + _RUSH * seen(observation, _TOP_RAVEN + pile) * ahead


# What an effect brings: the points at once and the worth of the position after it, at least that of forgoing it.


@kernel
def after_effect(observation, hand, effect):
    """The best that can be made of an effect with what one has now."""
    drops, gold = own_drops(observation), seen(observation, _GOLD)
    kind, pile = EFFECT_KIND[effect], EFFECT_PILE[effect]
    forgone = worth(observation, hand, drops, gold)
    if kind == GIFT:
        drops = more(drops, EFFECT_COLOUR[effect], EFFECT_DROPS[effect])
        return worth(observation, hand, drops, gold + EFFECT_EARNED[effect])
    if kind == SELL:
        return max(forgone, best_change(observation, hand, drops, gold + EFFECT_EARNED[effect], -1, 1, 0))
    if kind == TRADE:
        return max(forgone, after_trade(observation, hand, effect, drops, gold))
    if kind == BREW:
        return max(forgone, after_brewing(observation, hand, pile, drops, gold - EFFECT_GOLD[effect], True))
    if kind == BLEND:
        return max(forgone, after_blending(observation, hand, pile, drops, gold))
    if kind == OPTION:
        for cauldron in range(NUM_CAULDRONS):
            forgone = max(forgone, after_brewing(observation, hand, cauldron, drops, gold, False))
        return forgone
    if kind == TAX:
        return max(forgone, after_tax(observation, hand, effect, drops, gold))
    return forgone


@kernel
def after_favour(observation, hand, role):
    """The favour of a role; that of cutpurse and begging monk saves what the tax would take."""
    action = 2 * role + 1
    if EFFECT_KIND[action] != TAX:
        return after_effect(observation, hand, 2 * role)
    drops, gold = own_drops(observation), seen(observation, _GOLD)
    saved = worth(observation, hand, drops, gold)
    if owed(observation, action, 0):
        if EFFECT_PILE[action] == DROP_SHELF:
            return saved + saved - best_change(observation, hand, drops, gold, -1, RELIEF, 0)
        return saved + saved - worth(observation, hand, drops, gold - RELIEF)
    return saved


@kernel
def best_change(observation, hand, drops, gold, sign, count, least):
    """The worth after gaining (sign 1) or paying (-1) so many drops in the best colours, none below `least`."""
    best = -math.inf
    for red in range(count + 1 if least == 0 else 1):
        for green in range(count - red + 1 if least <= 1 else 1):
            changed = (drops[0] + sign * red, drops[1] + sign * green, drops[2] + sign * (count - red - green))
            if min(changed[0], changed[1], changed[2]) >= 0:
                best = max(best, worth(observation, hand, changed, gold))
    return best


@kernel
def after_trade(observation, hand, effect, drops, gold):
    """Gold or a drop for vials or for drops of any colour."""
    gold -= EFFECT_GOLD[effect]
    if EFFECT_COLOUR[effect] >= 0:
        drops = more(drops, EFFECT_COLOUR[effect], -1)
    if min(drops[0], drops[1], drops[2], gold) < 0:
        return -math.inf
    return EFFECT_VIALS[effect] + best_change(observation, hand, drops, gold, 1, EFFECT_DROPS[effect], 0)


@kernel
def after_brewing(observation, hand, pile, drops, gold, vial):
    """The top card of a cauldron for its drops, perhaps with a vial for one more."""
    needed = drops_on(observation, pile)
    if not seen(observation, _CARDS_LEFT + pile) or gold < 0 or not enough(drops, needed):
        return -math.inf
    drops = (drops[0] - needed[0], drops[1] - needed[1], drops[2] - needed[2])
    best = worth(observation, hand, drops, gold)
    if vial:
        best = max(best, VIAL_SIZE + best_change(observation, hand, drops, gold, -1, 1, 0))
    return card_points(observation, pile) + best


@kernel
def after_blending(observation, hand, pile, drops, gold):
    """The top card of a cauldron for as many drops of any colours."""
    needed = drops_on(observation, pile)
    count = needed[0] + needed[1] + needed[2]
    return card_points(observation, pile) + best_change(observation, hand, drops, gold, -1, count, 0)


@kernel
def after_tax(observation, hand, effect, drops, gold):
    """The shelf's top card, if the tax of the others and what one has are enough; the tax hurts them in any case."""
    pile = EFFECT_PILE[effect]
    taxed = 0
    for seat in range(1, seen(observation, _NUM_PLAYERS)):
        taxed += owed(observation, effect, seat)
    hurt = _HARM * taxed / (seen(observation, _NUM_PLAYERS) - 1)
    missing = max(0, missing_on(observation, pile) - taxed)
    if pile == DROP_SHELF:
        taken = best_change(observation, hand, drops, gold, -1, missing, 0)
    else:
        taken = worth(observation, hand, drops, gold - missing) if gold >= missing else -math.inf
    return hurt + max(worth(observation, hand, drops, gold), card_points(observation, pile) + taken)


@kernel
def owed(observation, effect, seat):
    """What the player on a seat owes of a tax, the favour aside."""
    if EFFECT_PILE[effect] != DROP_SHELF:
        return seen(observation, _GOLD + seat) // EFFECT_PART[effect]
    at = _DROPS + seat * NUM_COLOURS
    return (seen(observation, at) + seen(observation, at + 1) + seen(observation, at + 2)) // EFFECT_PART[effect]


@kernel
def missing_on(observation, pile):
    """What a shelf's top card costs beyond what lies on it."""
    shelf = pile - NUM_CAULDRONS
    return max(0, seen(observation, _TOP_COST + shelf) - seen(observation, _SHELVES + shelf))


# Choosing, leading, claiming.


@kernel
def rate_choice(observation, hand, role):
    """What action and favour should bring, and what the role does for those chosen before."""
    now = worth(observation, hand, own_drops(observation), seen(observation, _GOLD))
    action = after_effect(observation, hand, effect_of_action(observation, role)) - now
    favour = after_favour(observation, hand, role) - now
    rivals = 0.0
    for seat in range(1, seen(observation, _NUM_PLAYERS)):
        rivals += HAND / NUM_ROLES * liking(observation, seat, role)
    chance = 1.0 / (1.0 + _RIVALRY * rivals)
    with_it = worth(observation, hand | 1 << role, own_drops(observation), seen(observation, _GOLD))
    return chance * action + (1.0 - chance) * _SETTLE * favour + with_it - now


@kernel
def rate_lead(observation, hand, role):
    """What the action brings if nobody snatches it, less what the role would promise if kept."""
    kept = worth(observation, hand, own_drops(observation), seen(observation, _GOLD))
    rest = hand & ~(1 << role)
    spent = worth(observation, rest, own_drops(observation), seen(observation, _GOLD))
    action = after_effect(observation, rest, effect_of_action(observation, role)) - spent + _NEXT_LEAD
    return unsnatched(observation, role) * action - _HOLD * (kept - spent)


@kernel
def rate_claim(observation, hand, role):
    """The worth of what comes of claiming, to be compared with the favour."""
    rest = hand & ~(1 << role)
    spent = worth(observation, rest, own_drops(observation), seen(observation, _GOLD))
    action = after_effect(observation, rest, effect_of_action(observation, role)) - spent + _NEXT_LEAD
    return spent + unsnatched(observation, role) * action


@kernel
def unsnatched(observation, role):
    """The chance that nobody who is still to be asked holds the role: the last who does will claim it."""
    chance = 1.0
    for seat in range(1, seen(observation, _NUM_PLAYERS)):
        if seen(observation, _LEADER + seat) and seen(observation, _ROLE + role):
            break
        chance *= 1.0 - chance_to_hold(observation, seat, role)
    return chance


@kernel
def chance_to_hold(observation, seat, role):
    """The chance that a player holds a role, of all those that he may hold."""
    if seen(observation, _SHOWN + seat * NUM_ROLES + role) != _NOTHING_SHOWN:
        return 0.0
    candidates = 0
    for r in range(NUM_ROLES):
        unknown = seen(observation, _SHOWN + seat * NUM_ROLES + r) == _NOTHING_SHOWN
        candidates += unknown and not seen(observation, _BANNED + r)
    return min(1.0, liking(observation, seat, role) * seen(observation, _HAND_SIZE + seat) / max(candidates, 1))


@kernel
def liking(observation, seat, role):
    """How much more often than other roles a player chooses this one: a brewer whose card he can pay for."""
    effect, at = 2 * role + 1, _DROPS + seat * NUM_COLOURS
    if EFFECT_KIND[effect] != BREW:
        return 1.0
    lacks = 0
    for c in range(NUM_COLOURS):
        lacks += seen(observation, at + c) < seen(observation, _TOP_DROPS + EFFECT_PILE[effect] * NUM_COLOURS + c)
    return 1.0 if lacks or not seen(observation, _CARDS_LEFT + EFFECT_PILE[effect]) else _EAGER


# Carrying out.


@kernel
def rate_effect(observation, hand, action):
    """The points and the worth of the position after a decision about an action or favour."""
    drops, gold = own_drops(observation), seen(observation, _GOLD)
    if action == DECLINE:
        return worth(observation, hand, drops, gold)
    if action in (USE, BREW_IT, TAKE):
        return rate_use(observation, hand, action)
    if action < PAY:
        return after_brewing(observation, hand, action - BREW_FROM, drops, gold, False)
    if action < GAIN:
        return rate_drop(observation, hand, action - PAY, -1)
    return rate_drop(observation, hand, action - GAIN, 1)


@kernel
def rate_use(observation, hand, action):
    """What the role or scroll offers; the favour of a role unless one is the claimant."""
    role = role_led(observation)
    if not seen(observation, _CLAIMANT):
        return after_favour(observation, hand, role)
    effect = effect_of_action(observation, role)
    return after_taking(observation, hand, effect) if action == TAKE else after_effect(observation, hand, effect)


@kernel
def after_taking(observation, hand, effect):
    """The shelf's top card, for what is missing on it."""
    pile, drops, gold = EFFECT_PILE[effect], own_drops(observation), seen(observation, _GOLD)
    missing = missing_on(observation, pile)
    if pile == DROP_SHELF:
        taken = best_change(observation, hand, drops, gold, -1, missing, 0)
    else:
        taken = worth(observation, hand, drops, gold - missing)
    return card_points(observation, pile) + taken


@kernel
def rate_drop(observation, hand, colour, sign):
    """The best payment or gain that goes on with this colour; a drop sold or bottled brings what it brings."""
    drops, gold = more(own_drops(observation), colour, sign), seen(observation, _GOLD)
    if sign < 0 and seen(observation, _PHASE + ACTING):
        effect = 2 * role_led(observation) + seen(observation, _CLAIMANT)
        return worth(observation, hand, drops, gold + EFFECT_EARNED[effect])
    rest = max(0, seen(observation, _LEFT) - 1)
    return VIAL_SIZE + best_change(observation, hand, drops, gold, sign, rest, colour)
