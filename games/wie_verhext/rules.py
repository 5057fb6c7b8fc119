"""Wie verhext! (Andreas Pelikan, alea 2008; Witch's Brew), in the rulebook's order.

3 to 5 players secretly choose five of twelve roles a set. Whoever leads a role claims its action, but everyone after
him who holds it too may snatch the action away or settle for the small, safe favour. Roles bring drops, gold, vials
and potion cards; after the set with the fourth raven most points win. RULES.md has the rules in full, with every
decision of ours.
"""

from __future__ import annotations

from coven.games.core.kernels import kernel
from coven.games.core.record import NOBODY, after
from coven.games.core.rng import below, reshuffle, seed_generator, shuffle
from coven.games.wie_verhext.state import (
    ACTING,
    ASK_GIFTS,
    BANNED_ROLES,
    BANS,
    BLEND,
    BOTTLING,
    BREW,
    BREW_FROM,
    BREW_IT,
    CARD_COST,
    CARD_DROPS,
    CARD_POINTS,
    CARD_RAVEN,
    CHOOSE,
    CHOOSING,
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
    FOLLOWING,
    GAIN,
    GAINING,
    GIFT,
    HAND,
    LAST_RAVENS,
    LEAD,
    LEADING,
    LESS_TAX,
    MAX_SETS,
    NO_CARD,
    NONE,
    NUM_CAULDRONS,
    NUM_COLOURS,
    NUM_ROLES,
    NUM_SCROLLS,
    OPTION,
    OVER,
    PASSED,
    PAY,
    PAYING,
    PLAYED,
    RELIEF,
    SELL,
    SETTLED,
    START_DROPS,
    START_GOLD,
    TAKE,
    TAKING,
    TAX,
    TAXING,
    TOP_CARD,
    TRADE,
    USE,
    VIAL_SIZE,
    WARLOCK,
)

# Set-up.


@kernel
def deal(s, num_players, seed, options):
    """Shuffle the scrolls, give everyone a drop of each colour and 2 gold, and begin the first set."""
    seed_generator(s, seed)
    for i in range(NUM_SCROLLS):
        s.scroll[i] = i
    shuffle(s, s.scroll, NUM_SCROLLS)
    for p in range(num_players):
        s.gold[p] = START_GOLD
        for c in range(NUM_COLOURS):
            s.drops[p, c] = START_DROPS
    s.bans_seen = NUM_ROLES  # so that the first set that needs them shuffles the spare roles
    s.claimant = s.role = NONE
    s.leader = below(s, num_players)  # ours: by lot instead of the oldest
    begin_set(s)


# A set: choosing the roles.


@kernel
def begin_set(s):
    """A new scroll, perhaps new bans; the leader is the first to choose."""
    s.set += 1
    for p in range(s.num_players):
        s.num_played[p] = 0
        for r in range(NUM_ROLES):
            s.shown[p, r] = 0
    if s.options[BANNED_ROLES]:
        turn_up_bans(s)
    s.current = s.leader
    s.phase = CHOOSING


@kernel
def turn_up_bans(s):
    """The next spare roles are banned for this set; when they have run out, all are shuffled again."""
    if s.bans_seen == NUM_ROLES:
        for r in range(NUM_ROLES):
            s.ban_deck[r] = r
        shuffle(s, s.ban_deck, NUM_ROLES)
        s.bans_seen = 0
    for r in range(NUM_ROLES):
        s.banned[r] = 0
    for _ in range(BANS[s.num_players]):
        s.banned[s.ban_deck[s.bans_seen]] = 1
        s.bans_seen += 1


@kernel
def choose(s, role):
    """Take a role into the hand; with five of them it is the next player's turn to choose."""
    p = s.current
    s.hand[p, role] = 1
    s.hand_size[p] += 1
    if s.hand_size[p] == HAND:
        s.current = after(s, p)
        if s.current == s.leader:
            s.phase = LEADING


# What may be decided.


@kernel
def legal(s, mask):
    """The legal actions, by phase."""
    mask[:] = 0
    if s.phase == CHOOSING:
        for r in range(NUM_ROLES):
            mask[CHOOSE + r] = 1 - (s.hand[s.current, r] | s.banned[r])
    elif s.phase == LEADING:
        for r in range(NUM_ROLES):
            mask[LEAD + r] = s.hand[s.current, r]
    elif s.phase == FOLLOWING:
        mask[CLAIM] = mask[FAVOUR] = 1
    elif s.phase == ACTING:
        legal_acts(s, mask)
    elif s.phase == GAINING:
        for c in range(s.least, NUM_COLOURS):
            mask[GAIN + c] = 1
    elif s.phase == TAKING:
        mask[TAKE] = mask[DECLINE] = 1
    else:
        legal_pays(s, mask)
        mask[DECLINE] = s.phase == BOTTLING


@kernel
def legal_acts(s, mask):
    """What was offered, or to forgo it."""
    effect = effect_of(s)
    kind = EFFECT_KIND[effect]
    mask[DECLINE] = 1
    if kind == SELL:
        legal_pays(s, mask)
    elif kind == OPTION:
        for pile in range(NUM_CAULDRONS):
            mask[BREW_FROM + pile] = can_brew(s, s.current, pile, 0)
    elif kind in (BREW, BLEND):
        mask[BREW_IT] = 1
    else:
        mask[USE] = 1


@kernel
def legal_pays(s, mask):
    """Colours rise within a payment, so one may be paid only if it and the later ones suffice for the rest."""
    held = 0
    for c in range(NUM_COLOURS - 1, s.least - 1, -1):
        drops = s.drops[s.current, c]
        held += drops
        mask[PAY + c] = drops > 0 and held >= s.left


# Doing it.


@kernel
def apply(s, action):
    """Carry out a decision, then let the trick go on to the next one."""
    if s.phase == CHOOSING:
        choose(s, action - CHOOSE)
        return
    if s.phase == LEADING:
        lead(s, action - LEAD)
    elif s.phase == FOLLOWING:
        follow(s, action)
    elif s.phase == ACTING:
        act(s, action)
    elif s.phase == PAYING:
        pay_for_card(s, action - PAY)
    elif s.phase == GAINING:
        gain_drop(s, action - GAIN)
    elif s.phase == BOTTLING:
        fill_vial(s, action)
    elif s.phase == TAXING:
        pay_drop_tax(s, action - PAY)
    else:
        take_from_shelf(s, action)
    go_on(s)


@kernel
def go_on(s):
    """Until somebody has to decide: the next follower, after the last one the action, after it the next trick."""
    while s.phase == SETTLED:
        s.left = 0  # a payment that was offered may have been declined
        if s.resolving:
            end_trick(s)
        elif not ask_next_follower(s):
            s.resolving = 1
            s.current = s.claimant
            offer(s)


# A trick.


@kernel
def lead(s, role):
    """Play a role and claim its action."""
    s.turn += 1
    s.leader = s.claimant = s.current
    s.role = role
    play_card(s)


@kernel
def play_card(s):
    """Put the role of this trick from the current player's hand on the table."""
    p = s.current
    s.hand[p, s.role] = 0
    s.hand_size[p] -= 1
    s.shown[p, s.role] = PLAYED
    s.played[p, s.num_played[p]] = s.role
    s.num_played[p] += 1
    s.phase = SETTLED


@kernel
def ask_next_follower(s):
    """Clockwise once round the table, whoever holds the role must play it and the others pass; is there one left?"""
    p = after(s, s.current)
    while p != s.leader:
        if s.hand[p, s.role]:
            s.current = p
            s.phase = FOLLOWING
            return True
        s.shown[p, s.role] = PASSED
        p = after(s, p)
    return False


@kernel
def follow(s, action):
    """Snatch the action from the claimant, or take the favour at once."""
    play_card(s)
    if action == CLAIM:
        s.claimant = s.current
    else:
        s.favour[s.current] = 1
        offer(s)


@kernel
def end_trick(s):
    """The last claimant leads the next trick, or the next player clockwise who has cards; without any the set ends."""
    s.leader = p = s.claimant
    s.claimant = s.role = NONE
    s.resolving = 0
    for q in range(s.num_players):
        s.favour[q] = s.full_tax[q] = 0
    for _ in range(s.num_players):
        if s.hand_size[p]:
            s.leader = s.current = p
            s.phase = LEADING
            return
        p = after(s, p)
    end_set(s)


@kernel
def end_set(s):
    """With four ravens in front of all players together the game is over; else the last claimant leads a new set."""
    if s.ravens < LAST_RAVENS and s.set < s.options[MAX_SETS]:
        begin_set(s)
        return
    s.truncated = s.ravens < LAST_RAVENS  # ours: cut off, since nobody has to brew
    s.leader = s.current = NOBODY
    s.phase = OVER


# The roles and the scrolls: what they offer.


@kernel
def effect_of(s):
    """The effect that the current player is about: the favour or the action of the role, or the active scroll."""
    if s.resolving and s.role == WARLOCK:
        return FIRST_SCROLL + active_scroll(s)
    return 2 * s.role + s.resolving


@kernel
def active_scroll(s):
    """The top scroll: after every set it goes under the pile."""
    return s.scroll[(s.set - 1) % NUM_SCROLLS]


@kernel
def offer(s):
    """Ask whether to use what a role or scroll offers, unless it cannot be paid for; carry a gift out at once."""
    effect, p = effect_of(s), s.current
    kind, gold, pile = EFFECT_KIND[effect], EFFECT_GOLD[effect], EFFECT_PILE[effect]
    possible = False
    if kind == GIFT:
        possible = s.options[ASK_GIFTS] != 0
        if not possible:
            give(s, p, effect)  # ours: not asked without the option
    elif kind == SELL:
        possible = total_drops(s, p) > 0
        ask_drops(s, ACTING, 1)
    elif kind == TRADE:
        possible = can_trade(s, p, gold, EFFECT_COLOUR[effect])
    elif kind == BREW:
        possible = can_brew(s, p, pile, gold)
    elif kind == BLEND:
        possible = can_blend(s, p, pile)
    elif kind == OPTION:
        for cauldron in range(NUM_CAULDRONS):
            possible |= can_brew(s, p, cauldron, 0)
    elif kind == TAX:
        possible = top_card(s, pile) != NO_CARD  # ours: an empty shelf raises no tax
    elif kind == LESS_TAX:
        possible = s.options[ASK_GIFTS] != 0 and top_card(s, pile) != NO_CARD
    s.phase = ACTING if possible else SETTLED


@kernel
def act(s, action):
    """Do what was offered, or forgo it."""
    s.phase = SETTLED
    effect, p = effect_of(s), s.current
    kind, pile = EFFECT_KIND[effect], EFFECT_PILE[effect]
    if kind == LESS_TAX:
        decide_on_less_tax(s, p, action)
    elif action == DECLINE:
        return
    elif kind == GIFT:
        give(s, p, effect)
    elif kind == SELL:
        sell_drop(s, p, action - PAY, effect)
    elif kind == TRADE:
        trade(s, p, effect)
    elif kind == BREW:
        brew(s, p, pile)
        s.gold[p] -= EFFECT_GOLD[effect]
        offer_vial(s, p)
    elif kind == BLEND:
        ask_drops(s, PAYING, CARD_COST[top_card(s, pile)])
    elif kind == OPTION:
        brew(s, p, action - BREW_FROM)
    elif pile == DROP_SHELF:
        tax_drops(s)
    else:
        tax_gold(s)


# Green and yellow roles, the warlock's favour; copia, herba, lupus, serpens.


@kernel
def give(s, p, effect):
    """Drops of one colour, or gold."""
    s.gold[p] += EFFECT_EARNED[effect]
    if EFFECT_DROPS[effect]:
        s.drops[p, EFFECT_COLOUR[effect]] += EFFECT_DROPS[effect]


@kernel
def sell_drop(s, p, colour, effect):
    """The alchemist: any drop for gold."""
    pay_drop(s, p, colour)
    s.gold[p] += EFFECT_EARNED[effect]


@kernel
def can_trade(s, p, gold, colour):
    """Is the gold there, or the drop, that a trade costs?"""
    return s.gold[p] >= gold and (colour == NONE or s.drops[p, colour] > 0)


@kernel
def trade(s, p, effect):
    """Fortune teller and assistant, copia, herba, lupus and serpens: vials, or drops of any colours."""
    s.gold[p] -= EFFECT_GOLD[effect]
    if EFFECT_COLOUR[effect] != NONE:
        s.drops[p, EFFECT_COLOUR[effect]] -= 1
    s.vials[p] += EFFECT_VIALS[effect]
    if EFFECT_DROPS[effect]:
        ask_drops(s, GAINING, EFFECT_DROPS[effect])


@kernel
def ask_drops(s, phase, count):
    """Ask the current player for so many drops, one after the other in rising colour order."""
    s.phase = phase
    s.left = count
    s.least = 0


@kernel
def count_drop(s, colour):
    """One of the drops asked for has come; is that all?"""
    s.left -= 1
    s.least = colour if s.left else 0
    return s.left == 0


@kernel
def gain_drop(s, colour):
    """One of the drops that the player may pick."""
    s.drops[s.current, colour] += 1
    if count_drop(s, colour):
        s.phase = SETTLED


@kernel
def pay_drop(s, p, colour):
    """Pay one drop that was asked for; was it the last?"""
    s.drops[p, colour] -= 1
    return count_drop(s, colour)


@kernel
def total_drops(s, p):
    """All drops of a player."""
    total = 0
    for c in range(NUM_COLOURS):
        total += s.drops[p, c]
    return total


# Blue roles; optio, magus, sanatio, strix.


@kernel
def top_card(s, pile):
    """The card on top of a pile, or NO_CARD."""
    return TOP_CARD[pile, s.gone[pile]]


@kernel
def can_brew(s, p, pile, gold):
    """Are the drops on the top card there, and the gold on top of them? Never for an empty pile."""
    card = top_card(s, pile)
    possible = card != NO_CARD and s.gold[p] >= gold
    for c in range(NUM_COLOURS):
        possible &= s.drops[p, c] >= CARD_DROPS[card, c]
    return possible


@kernel
def brew(s, p, pile):
    """Pay the drops on the top card of a cauldron and take it."""
    card = top_card(s, pile)
    for c in range(NUM_COLOURS):
        s.drops[p, c] -= CARD_DROPS[card, c]
    take_card(s, p, pile)


@kernel
def take_card(s, p, pile):
    """Put the top card of a pile in front of a player."""
    card = top_card(s, pile)
    s.gone[pile] += 1
    s.taken[s.num_taken] = card
    s.taken_by[s.num_taken] = p
    s.num_taken += 1
    s.points[p] += CARD_POINTS[card]
    s.ravens += CARD_RAVEN[card]


@kernel
def offer_vial(s, p):
    """With a cauldron card of wizard, witch or druid, one more drop of any colour may be paid for a vial."""
    if total_drops(s, p):
        ask_drops(s, BOTTLING, 1)


@kernel
def fill_vial(s, action):
    """The extra drop for a vial, or not."""
    if action != DECLINE:
        pay_drop(s, s.current, action - PAY)
        s.vials[s.current] += VIAL_SIZE
    s.phase = SETTLED


@kernel
def can_blend(s, p, pile):
    """Are there as many drops, of whatever colours, as on the top card? Never for an empty pile."""
    card = top_card(s, pile)
    return card != NO_CARD and total_drops(s, p) >= CARD_COST[card]


@kernel
def pay_for_card(s, colour):
    """One of the drops of a blend, or of those missing on the drop shelf; with the last one the card is taken."""
    p, pile = s.current, EFFECT_PILE[effect_of(s)]
    last = pay_drop(s, p, colour)
    if pile == DROP_SHELF:
        s.shelf[pile] += 1
    if last:
        s.shelf[pile] = 0
        take_card(s, p, pile)
        s.phase = SETTLED


# Red roles.


@kernel
def tax_on(s, p, held):
    """A third of the gold, a quarter of the drops, rounded down; less by the favour."""
    return max(held // EFFECT_PART[effect_of(s)] - RELIEF * s.favour[p], 0)


@kernel
def decide_on_less_tax(s, p, action):
    """The favour of cutpurse and begging monk, where it is asked: who declines it pays the whole tax."""
    if action == DECLINE:
        s.favour[p] = 0
        s.full_tax[p] = 1


@kernel
def tax_gold(s):
    """The cutpurse: every other player puts gold on the top card of the gold shelf."""
    pile = EFFECT_PILE[effect_of(s)]
    for p in range(s.num_players):
        if p != s.claimant:
            gold = tax_on(s, p, s.gold[p])
            s.gold[p] -= gold
            s.shelf[pile] += gold
    offer_card(s, pile, s.gold[s.claimant])


@kernel
def tax_drops(s):
    """The begging monk: clockwise, every other player who owes drops picks which; then comes the card."""
    p = after(s, s.current)
    while p != s.claimant:
        drops = tax_on(s, p, total_drops(s, p))
        if drops:
            s.current = p
            ask_drops(s, TAXING, drops)
            return
        p = after(s, p)
    s.current = p
    offer_card(s, DROP_SHELF, total_drops(s, p))


@kernel
def pay_drop_tax(s, colour):
    """Put a drop on the top card of the drop shelf; after the last one the next player pays."""
    s.shelf[DROP_SHELF] += 1
    if pay_drop(s, s.current, colour):
        tax_drops(s)


@kernel
def missing(s, pile):
    """What a shelf's top card costs beyond what lies on it."""
    return max(CARD_COST[top_card(s, pile)] - s.shelf[pile], 0)


@kernel
def offer_card(s, pile, held):
    """The claimant may take the card if enough lies on it, or if he can add what is missing."""
    s.phase = TAKING if held >= missing(s, pile) else SETTLED


@kernel
def take_from_shelf(s, action):
    """Add what is missing and take the card; all that lies on it goes to the supply. Or leave it all lying."""
    s.phase = SETTLED
    if action == DECLINE:
        return
    p, pile = s.current, EFFECT_PILE[effect_of(s)]
    if pile == DROP_SHELF and missing(s, pile):
        ask_drops(s, PAYING, missing(s, pile))
        return
    if pile != DROP_SHELF:
        s.gold[p] -= missing(s, pile)
    s.shelf[pile] = 0
    take_card(s, p, pile)


# The end.


@kernel
def score(s, out):
    """The points of the cards and 1 for every vial; ties are broken by drops and gold together."""
    for p in range(s.num_players):
        out[p, 0] = s.points[p] + s.vials[p]
        out[p, 1] = total_drops(s, p) + s.gold[p]


# What one player cannot know.


@kernel
def determinize(s, player, seed):
    """Draw the roles in the other hands anew, and the order of scrolls and spare roles not yet turned up."""
    seed_generator(s, seed)
    for p in range(s.num_players):
        if p != player:
            draw_hand(s, p)
    if s.set < NUM_SCROLLS:
        reshuffle(s, s.scroll[s.set :], NUM_SCROLLS - s.set)
    reshuffle(s, s.ban_deck[s.bans_seen :], NUM_ROLES - s.bans_seen)


@kernel
def draw_hand(s, p):
    """As many roles as there are in this hand, any set of possible ones as likely as any other."""
    wanted, candidates = s.hand_size[p], 0
    for r in range(NUM_ROLES):
        wanted -= must_hold(s, p, r)
        candidates += may_hold(s, p, r)
    for r in range(NUM_ROLES):
        s.hand[p, r] = must_hold(s, p, r)
        if may_hold(s, p, r):
            s.hand[p, r] = below(s, candidates) < wanted
            wanted -= s.hand[p, r]
            candidates -= 1


@kernel
def must_hold(s, p, role):
    """Does everyone know that this role is in that hand? Only while he is asked to play it."""
    return s.phase == FOLLOWING and s.current == p and s.role == role


@kernel
def may_hold(s, p, role):
    """May this role be in that hand, for all that the others know, without being certain?"""
    return not s.banned[role] and s.shown[p, role] == 0 and not must_hold(s, p, role)
