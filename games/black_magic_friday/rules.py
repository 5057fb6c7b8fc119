"""Black Magic Friday (*Mandragora*, Bruno Cathala and Florian Sirieix, 2021), in the rulebook's order.

2 to 4 witches send one assistant around a circle of shops, by day and by night, to collect ingredients and grimoires,
and cast spells with them. Cursed scrolls come with the shopping. When the deck has run out, three more rounds are
played, and the most points win. RULES.md has the rules in full, with every decision of ours.
"""

from __future__ import annotations

import numpy as np

from coven.games.black_magic_friday.state import (
    ADD,
    AGAIN,
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
    COPIES,
    DISCARD,
    DISCARD_CURSE,
    FETCH,
    FETCH_SHOP,
    FETCH_SPELL,
    FIRST_HAND,
    GRIMOIRE,
    HAND_KINDS,
    HAND_MARKER,
    HASTE,
    HASTE_REACH,
    IN_BOX,
    LAST_ROUNDS,
    LAY_DOWN,
    MANDRAKE,
    MANDRAKE_PART,
    MARKER,
    MARKER_PENALTY,
    MOVE,
    NONE,
    NUM_ARTICLES,
    NUM_COLOURS,
    NUM_INGREDIENTS,
    NUM_KINDS,
    NUM_NIGHT_SHOPS,
    NUM_PARTS,
    NUM_PILES,
    NUM_SCROLLS,
    NUM_SHOPS,
    NUM_SPELLS,
    NUM_VIEWERS,
    OBLIVION,
    ONLOOKER,
    OVER,
    PARTS,
    PASS,
    PICK,
    PICK_CARD,
    PLAY_AGAIN,
    POWER,
    REACH,
    REMOVED,
    RETURN,
    RETURN_CARD,
    SCROLL,
    SCROLLS,
    SPELL,
    SWAP,
    TARGET,
    TURN,
    VANISH,
)
from coven.games.core.kernels import kernel
from coven.games.core.record import NOBODY, after
from coven.games.core.rng import below, draw_kind, reshuffle, seed_generator, shuffle

# Set-up.


@kernel
def deal(s, num_players, seed, options):
    """Lay out shops and spell piles, give each witch a mandrake, shuffle the articles and fill the shops."""
    seed_generator(s, seed)
    s.marker = s.book = s.last_laid = s.effect = s.chosen = s.rounds_left = s.last_first = NONE
    lay_out_shops(s)
    stack_spells(s)
    for p in range(num_players):
        for _ in range(FIRST_HAND):
            gain_openly(s, p, MANDRAKE)
    shuffle_articles(s, num_players)
    for shop in range(NUM_SHOPS):
        if shop != s.assistant:
            place_card(s, shop)
    s.active = below(s, num_players)  # by lot: the book takes any method
    s.current = s.active
    s.phase = TURN


@kernel
def lay_out_shops(s):
    """A random circle; it begins at the start shop, which is one by day and where the assistant stands."""
    for i in range(NUM_NIGHT_SHOPS):
        s.night[1 + i] = 1
    shuffle(s, s.night[1:], NUM_SHOPS - 1)


@kernel
def stack_spells(s):
    """Five face-up piles by value, each shuffled."""
    for spell in range(NUM_SPELLS):
        pile = POWER[spell] - 1
        for _ in range(COPIES[spell]):
            s.pile[pile, s.pile_size[pile]] = spell
            s.pile_size[pile] += 1
    for pile in range(NUM_PILES):
        shuffle(s, s.pile[pile], s.pile_size[pile])


@kernel
def shuffle_articles(s, num_players):
    """All articles, but those that so many players remove and those dealt already, as a face-down deck."""
    for k in range(NUM_KINDS):
        s.removed[k] = REMOVED[num_players, k]
        cards = IN_BOX[k] - s.removed[k]
        if k == MANDRAKE:
            cards -= num_players * FIRST_HAND
        for _ in range(cards):
            s.deck[s.deck_size] = k
            s.deck_size += 1
    shuffle(s, s.deck, s.deck_size)


@kernel
def place_card(s, shop):
    """The top card of the deck goes to a shop, face down by night."""
    s.deck_size -= 1
    s.shop[shop, s.deck[s.deck_size]] += 1
    s.shop_size[shop] += 1


# What may be done.


@kernel
def legal(s, mask):
    """The legal actions, by the kind of decision."""
    mask[:] = 0
    if s.phase == TURN:
        legal_turns(s, mask)
    elif s.phase == SPELL:
        legal_ingredients(s, mask)
        legal_casts(s, mask)
    elif s.phase == DISCARD:
        for i in range(NUM_SCROLLS):
            mask[DISCARD_CURSE + i] = s.scrolls[s.current, i] > 0
    elif s.phase == TARGET:
        legal_targets(s, mask)
    elif s.phase == RETURN:
        for k in range(HAND_KINDS):
            mask[RETURN_CARD + k] = s.hand[s.current, k] > 0
    elif s.phase == FETCH:
        for i in range(1, NUM_SHOPS):
            mask[FETCH_SHOP + i - 1] = s.shop_size[clockwise(s, i)] > 0
    elif s.phase == PICK:
        for k in range(NUM_KINDS):
            mask[PICK_CARD + k] = s.shop[s.chosen, k] > 0
    elif s.phase == AGAIN:
        mask[PLAY_AGAIN] = mask[PLAY_AGAIN + 1] = 1
    else:
        legal_markers(s, mask)


@kernel
def legal_turns(s, mask):
    """Send the assistant or begin a spell; in the last rounds also pass."""
    for i in range(reach(s, s.current)):
        mask[MOVE + i] = 1
    legal_books(s, mask)
    mask[PASS] = s.rounds_left != NONE


@kernel
def reach(s, p):
    """How far this witch can send the assistant."""
    return REACH + HASTE_REACH * s.spells[p, HASTE]


@kernel
def legal_books(s, mask):
    """Any grimoire with an ingredient to go with it; black takes any, a mandrake in its place any but a mandrake."""
    p = s.current
    ingredients = 0
    for c in range(NUM_INGREDIENTS):
        ingredients += s.hand[p, c]
        mask[BOOK + c] = (s.hand[p, GRIMOIRE + c] > 0) & (s.hand[p, c] + s.hand[p, MANDRAKE] > 0)
    mask[BOOK + NUM_COLOURS - 1] = (s.hand[p, BLACK] > 0) & (ingredients + s.hand[p, MANDRAKE] > 0)
    mask[BOOK + NUM_COLOURS] = (s.hand[p, MANDRAKE] > 0) & (ingredients > 0)


@kernel
def legal_ingredients(s, mask):
    """Any number of fitting ingredients, in the order of their colours; a mandrake among them comes last."""
    if s.laid[MANDRAKE_PART]:
        return
    first, last = fitting_colours(s)
    for c in range(first, last + 1):
        mask[ADD + c] = s.hand[s.current, c] > 0
    if s.book != MANDRAKE and s.hand[s.current, MANDRAKE]:
        mask[ADD + MANDRAKE_PART] = stands_for_a_colour(s)


@kernel
def fitting_colours(s):
    """The first and the last colour that may be added: of basic magic the one, of black magic those not yet passed."""
    if s.book < BLACK:
        return s.book - GRIMOIRE, s.book - GRIMOIRE
    highest, latest = NUM_INGREDIENTS - 1, np.int64(s.last_laid)
    if s.num_laid == 0:
        return 0, highest
    if s.book == BLACK or (s.num_laid > 1 and s.laid[latest] == 1):
        return latest + 1, highest
    if s.num_laid == 1:  # a mandrake as the book: the second ingredient decides which magic it is
        return latest, highest
    return latest, latest


@kernel
def stands_for_a_colour(s):
    """ours: in black magic a mandrake is an ingredient of a colour not otherwise used, so there must be one."""
    return s.book != BLACK or s.num_laid < NUM_INGREDIENTS


@kernel
def legal_casts(s, mask):
    """Any power up to the number of ingredients whose pile is not empty; if all of them are, laying down."""
    possible = False
    for pile in range(min(s.num_laid, NUM_PILES)):
        mask[CAST + pile] = s.pile_size[pile] > 0
        possible |= s.pile_size[pile] > 0
    mask[LAY_DOWN] = s.num_laid > 0 and not possible


@kernel
def legal_targets(s, mask):
    """Any opponent, even one who has passed; a swap needs one with a card."""
    q = s.current
    for i in range(s.num_players - 1):
        q = after(s, q)
        mask[CHOOSE_TARGET + i] = s.effect == BESTOW or s.hand_size[q] > 0


@kernel
def legal_markers(s, mask):
    """Any other witch with most curses."""
    most = most_curses(s)
    q = s.current
    for i in range(s.num_players - 1):
        q = after(s, q)
        mask[HAND_MARKER + i] = s.curses[q] == most


# Doing it.


@kernel
def apply(s, action):
    """Carry out an action."""
    if action < BOOK:
        send_assistant(s, action - MOVE + 1)
    elif action < PASS:
        lay_book(s, BOOKS[action - BOOK])
    elif action < ADD:
        pass_for_good(s)
    elif action < CAST:
        add_ingredient(s, action - ADD)
    elif action < LAY_DOWN:
        cast_spell(s, action - CAST)
    elif action < DISCARD_CURSE:
        lay_down(s)
    elif action < CHOOSE_TARGET:
        discard_scroll(s, action - DISCARD_CURSE)
    elif action < RETURN_CARD:
        choose_target(s, seat(s, action - CHOOSE_TARGET + 1))
    elif action < FETCH_SHOP:
        return_card(s, action - RETURN_CARD)
    elif action < PICK_CARD:
        choose_shop(s, clockwise(s, action - FETCH_SHOP + 1))
    elif action < PLAY_AGAIN:
        fetch_card(s, action - PICK_CARD)
    elif action < HAND_MARKER:
        choose_again(s, action == PLAY_AGAIN)
    else:
        hand_marker(s, seat(s, action - HAND_MARKER + 1))


@kernel
def seat(s, i):
    """The player that many seats clockwise from the one who decides."""
    p = s.current + i
    return p if p < s.num_players else p - s.num_players


@kernel
def clockwise(s, i):
    """The shop that many shops clockwise from the assistant."""
    shop = s.assistant + i
    return shop if shop < NUM_SHOPS else shop - NUM_SHOPS


# Sending the assistant.


@kernel
def send_assistant(s, steps):
    """Go that many shops, take all cards there, settle the marker, then refill the shops that he left and passed."""
    s.assistant = clockwise(s, steps)
    s.steps = steps
    if take_all(s, s.current, s.assistant):
        settle_marker(s)
    else:
        end_turn(s)


@kernel
def take_all(s, p, shop):
    """The cards of a shop go to the hand, seen by the others only by day, and scrolls lie open; were there any?"""
    for k in range(HAND_KINDS):
        cards = s.shop[shop, k]
        if cards:
            gain(s, p, k, cards, s.night[shop] == 0)
            s.shop[shop, k] = 0
    cursed = False
    for i in range(NUM_SCROLLS):
        cards = s.shop[shop, SCROLL + i]
        if cards:
            gain_scrolls(s, p, i, cards)
            s.shop[shop, SCROLL + i] = 0
            cursed = True
    s.shop_size[shop] = 0
    return cursed


@kernel
def gain(s, p, k, cards, seen):
    """Cards come into a hand; if seen, every viewer but the owner remembers them."""
    s.hand[p, k] += cards
    s.hand_size[p] += cards
    if seen:
        for v in range(NUM_VIEWERS):
            if v != p:
                s.known[p, v, k] += cards


@kernel
def gain_openly(s, p, k):
    """One card comes into a hand and all see it."""
    gain(s, p, k, 1, True)


@kernel
def gain_scrolls(s, p, i, cards):
    """Cursed scrolls lie face up in front of a witch; a negative number goes away."""
    s.scrolls[p, i] += cards
    s.curses[p] += cards * SCROLLS[i]


@kernel
def refill(s):
    """One card to the shop that the assistant left and to each that he passed, in that order, while there are any."""
    for i in range(s.steps, 0, -1):
        if s.deck_size:  # ours: the remaining shops get nothing
            place_card(s, clockwise(s, NUM_SHOPS - i))
    s.steps = 0


# The curse marker.


@kernel
def most_curses(s):
    """The most curses in front of any witch."""
    most = 0
    for p in range(s.num_players):
        most = max(most, s.curses[p])
    return most


@kernel
def settle_marker(s):
    """The marker goes to the witch with most curses; of several level the holder hands it to another one.

    ours: with no curses anywhere nobody holds it; a holder who is not among several level ones chooses between them.
    """
    most = most_curses(s)
    others, other = 0, NONE
    for p in range(s.num_players):
        if s.curses[p] == most and p != s.marker:
            others += 1
            other = p
    if most == 0:
        s.marker = NOBODY
    elif others == 1:
        s.marker = other
    elif others > 1:
        s.phase = MARKER
        s.current = s.active if s.marker == NOBODY else s.marker
        return
    end_turn(s)


@kernel
def hand_marker(s, p):
    """The holder has decided; back to the witch on turn."""
    s.marker = p
    s.current = s.active
    end_turn(s)


# Casting a spell.


@kernel
def lay_book(s, k):
    """Begin a spell with a grimoire or with a mandrake in its place."""
    lay(s, s.current, k)
    s.book = k
    s.phase = SPELL


@kernel
def add_ingredient(s, part):
    """Put one more ingredient to the spell."""
    lay(s, s.current, PARTS[part])
    s.laid[part] += 1
    s.num_laid += 1
    s.last_laid = part


@kernel
def lay(s, p, k):
    """A card leaves a hand in the open: the others know of one less there."""
    s.hand[p, k] -= 1
    s.hand_size[p] -= 1
    for v in range(NUM_VIEWERS):
        s.known[p, v, k] -= s.known[p, v, k] > 0


@kernel
def cast_spell(s, pile):
    """Take the top spell of the pile and apply it."""
    s.pile_size[pile] -= 1
    spell = s.pile[pile, s.pile_size[pile]]
    s.spells[s.current, spell] += 1
    finish_spell(s, spell, pile + 1)
    apply_spell(s, spell)


@kernel
def lay_down(s):
    """No spell to take: the grimoire's points count, and it is a spell cast (ours)."""
    finish_spell(s, NONE, 0)
    end_turn(s)


@kernel
def finish_spell(s, spell, value):
    """The cards of the spell lie in front of the witch for good and score with it."""
    p = s.current
    s.points[p] += value + BOOK_POINTS[s.book]
    s.spells_cast[p] += 1
    s.cast_by[s.num_cast] = p
    s.cast_spell[s.num_cast] = spell
    s.cast_book[s.num_cast] = s.book
    s.num_cast += 1
    s.played[s.book] += 1
    for part in range(NUM_PARTS):
        s.played[PARTS[part]] += s.laid[part]
        s.laid[part] = 0
    s.num_laid = 0
    s.book = s.last_laid = NONE


@kernel
def apply_spell(s, spell):
    """What works at once is asked for if it can be applied, else it is lost; the rest works later."""
    s.effect = spell
    if spell in (CLEANSE, BESTOW) and s.curses[s.current]:
        s.phase = DISCARD
    elif spell == SWAP and someone_has_cards(s):
        s.phase = TARGET
    elif spell == FETCH_SPELL and some_shop_has_cards(s):
        s.phase = FETCH
    elif spell == AGAIN_SPELL:
        s.phase = AGAIN
    else:
        end_turn(s)


@kernel
def someone_has_cards(s):
    """Has any opponent a card in hand?"""
    cards = 0
    for p in range(s.num_players):
        cards += s.hand_size[p]
    return cards > s.hand_size[s.current]


@kernel
def some_shop_has_cards(s):
    """Is there a card in any shop?"""
    cards = 0
    for shop in range(NUM_SHOPS):
        cards += s.shop_size[shop]
    return cards > 0


@kernel
def discard_scroll(s, i):
    """Cleanse: one own scroll leaves the game. Bestow: it goes to the opponent who is chosen next."""
    if s.effect == BESTOW:
        s.chosen = i
        s.phase = TARGET
        return
    gain_scrolls(s, s.current, i, -1)
    s.removed[SCROLL + i] += 1
    settle_marker(s)


@kernel
def choose_target(s, target):
    """Bestow: this opponent gets the scroll. Swap: a random card of hers is drawn."""
    if s.effect == BESTOW:
        gain_scrolls(s, s.current, s.chosen, -1)
        gain_scrolls(s, target, s.chosen, 1)
        settle_marker(s)
        return
    pass_card(s, target, s.current, draw_kind(s, s.hand[target], s.hand_size[target]))
    s.chosen = target
    s.phase = RETURN


@kernel
def return_card(s, k):
    """Swap: give any card back, the drawn one too."""
    pass_card(s, s.current, s.chosen, k)
    end_turn(s)


@kernel
def pass_card(s, giver, taker, k):
    """A card goes from hand to hand; giver and taker know which, to all others any card of the giver's may be gone."""
    s.hand[giver, k] -= 1
    s.hand_size[giver] -= 1
    s.known[giver, taker, k] -= s.known[giver, taker, k] > 0
    for v in range(NUM_VIEWERS):
        if v != taker:
            for kind in range(HAND_KINDS):
                s.known[giver, v, kind] -= s.known[giver, v, kind] > 0
    gain(s, taker, k, 1, False)
    s.known[taker, giver, k] += 1


@kernel
def choose_shop(s, shop):
    """Fetch: by day the card is chosen next, by night it is a random one (ours)."""
    s.chosen = shop
    if s.night[shop]:
        fetch_card(s, draw_kind(s, s.shop[shop], s.shop_size[shop]))
    else:
        s.phase = PICK


@kernel
def fetch_card(s, k):
    """Fetch: take one card of a shop; it is not replaced."""
    s.shop[s.chosen, k] -= 1
    s.shop_size[s.chosen] -= 1
    if k < SCROLL:
        gain(s, s.current, k, 1, s.night[s.chosen] == 0)
        end_turn(s)
    else:
        gain_scrolls(s, s.current, k - SCROLL, 1)
        settle_marker(s)


@kernel
def choose_again(s, wanted):
    """Again: another turn at once, or not."""
    if wanted:
        s.turn += 1
        s.effect = NONE
        s.phase = TURN
    else:
        end_turn(s)


# The end of a turn and of the game.


@kernel
def pass_for_good(s):
    """In the last rounds: out of the game."""
    s.passed[s.current] = 1
    end_turn(s)


@kernel
def end_turn(s):
    """The turn is over: refill, see whether the deck has run out, and go on clockwise."""
    refill(s)
    s.effect = s.chosen = NONE
    s.turn += 1
    if s.rounds_left == NONE and s.deck_size == 0:
        s.rounds_left = LAST_ROUNDS
        s.last_first = s.active = after(s, s.active)
    else:
        next_witch(s)
    s.current = s.active if s.rounds_left else NOBODY
    s.phase = TURN if s.rounds_left else OVER


@kernel
def next_witch(s):
    """Clockwise to the next one who has not passed; in the last rounds every return to the first begins a round."""
    for _ in range(s.num_players):
        s.active = after(s, s.active)
        s.rounds_left -= s.active == s.last_first
        if s.rounds_left == 0 or not s.passed[s.active]:
            return
    s.rounds_left = 0  # all have passed


@kernel
def score(s, out):
    """Spells and grimoires less the marker, at the end less the colours in hand; most spells cast breaks ties."""
    for p in range(s.num_players):
        out[p, 0] = s.points[p]
        out[p, 1] = s.spells_cast[p]
        if p == s.marker:
            out[p, 0] -= MARKER_PENALTY
        if s.current == NOBODY:
            out[p, 0] -= COLOUR_PENALTY * colours_left(s, p)


@kernel
def colours_left(s, p):
    """Colours in hand at the end, mandrakes as one of their own, after vanish and oblivion."""
    if s.spells[p, OBLIVION]:
        return 0
    colours = 0
    for c in range(NUM_COLOURS):
        held = s.hand[p, GRIMOIRE + c] > 0
        if c < NUM_INGREDIENTS:
            held |= s.hand[p, c] > 0
        colours += held
    colours += s.hand[p, MANDRAKE] > 0
    return max(colours - s.spells[p, VANISH], 0)


# What one player cannot know.


@kernel
def determinize(s, player, seed):
    """Deal deck, night shops and the unknown cards of the others anew, and the spells below the tops."""
    seed_generator(s, seed)
    shuffle_spells(s)
    forget_private_memories(s, player)
    collect_face_down(s)
    if s.current != NOBODY:  # once over, all hands are shown
        deal_unknown(s, player)
    deal_face_down(s)


@kernel
def shuffle_spells(s):
    """Shuffle all spells but the top of each pile, so that nothing is left of their order."""
    for pile in range(NUM_PILES):
        reshuffle(s, s.pile[pile], s.pile_size[pile] - 1)


@kernel
def forget_private_memories(s, player):
    """Of what the others know about each other, a player can tell only what every onlooker knows."""
    for p in range(s.num_players):
        for v in range(s.num_players):
            if p != player and v != player and p != v:
                for k in range(HAND_KINDS):
                    s.known[p, v, k] = s.known[p, ONLOOKER, k]


@kernel
def collect_face_down(s):
    """Take the cards of the deck and of the night shops into the pool; their numbers stay."""
    for i in range(NUM_ARTICLES):
        if i < s.deck_size:
            s.pool[s.deck[i]] += 1
        s.deck[i] = 0
    for shop in range(NUM_SHOPS):
        if s.night[shop]:
            for k in range(NUM_KINDS):
                s.pool[k] += s.shop[shop, k]
                s.shop[shop, k] = 0


@kernel
def deal_unknown(s, player):
    """Deal what the player does not know of the other hands, until a spell that was begun can be finished."""
    while True:  # ends soon: the chance is never less than that of one certain card of the pool to be in the hand
        collect_hands(s, player)
        deal_hands(s, player)
        if spell_can_be_finished(s):
            return


@kernel
def collect_hands(s, player):
    """Take all cards of the other hands that the player does not know of into the pool; their numbers stay."""
    for p in range(s.num_players):
        if p != player:
            for k in range(HAND_KINDS):
                s.pool[k] += s.hand[p, k] - s.known[p, player, k]
                s.hand[p, k] = s.known[p, player, k]


@kernel
def deal_hands(s, player):
    """Fill the other hands from the pool, where no scroll can be."""
    total = 0
    for k in range(HAND_KINDS):
        total += s.pool[k]
    for p in range(s.num_players):
        if p != player:
            missing = s.hand_size[p]
            for k in range(HAND_KINDS):
                missing -= s.hand[p, k]
            for _ in range(missing):
                k = draw_kind(s, s.pool, total)
                s.pool[k] -= 1
                s.hand[p, k] += 1
                total -= 1


@kernel
def spell_can_be_finished(s):
    """Is there an ingredient in the hand for a book that has none yet? Nobody lays one down without."""
    if s.phase != SPELL or s.num_laid:
        return True
    cards = 0 if s.book == MANDRAKE else s.hand[s.current, MANDRAKE]
    first, last = fitting_colours(s)
    for c in range(first, last + 1):
        cards += s.hand[s.current, c]
    return cards > 0


@kernel
def deal_face_down(s):
    """Shuffle what is left in the pool; the night shops get their cards, and the rest is the deck."""
    total = 0
    for k in range(NUM_KINDS):
        for _ in range(s.pool[k]):
            s.deck[total] = k
            total += 1
        s.pool[k] = 0
    shuffle(s, s.deck, total)
    for shop in range(NUM_SHOPS):
        if s.night[shop]:
            for _ in range(s.shop_size[shop]):
                total -= 1
                s.shop[shop, s.deck[total]] += 1
                s.deck[total] = 0
