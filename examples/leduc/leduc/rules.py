"""The rules of Leduc poker, in the order of RULES.md."""

from coven.games.core.kernels import kernel
from coven.games.core.record import NOBODY, after
from coven.games.core.rng import reshuffle, seed_generator, shuffle
from leduc.state import ANTE, DO_CALL, DO_FOLD, DO_RAISE, FIRST, MOST_RAISES, OVER, RAISE, SECOND, SUITS


@kernel
def deal(s, num_players, seed, options):
    """Antes, a card for everyone and one to be turned up later."""
    seed_generator(s, seed)
    cards = (num_players + 1) * SUITS
    for card in range(cards):
        s.deck[card] = card
    shuffle(s, s.deck, cards)
    for p in range(num_players):
        s.paid[p] = ANTE
    s.raiser[FIRST] = s.raiser[SECOND] = NOBODY
    s.highest, s.left, s.to_act = ANTE, num_players, num_players
    s.phase, s.current = FIRST, 0


@kernel
def rank(s, place):
    """The rank of a card of the deck; that of the open card is at place `num_players`."""
    return s.deck[place] // SUITS


@kernel
def legal(s, mask):
    """Call always; fold if there is something to pay; raise while raises are left."""
    mask[:] = 0
    mask[DO_FOLD] = s.paid[s.current] < s.highest
    mask[DO_CALL] = 1
    mask[DO_RAISE] = s.raises < MOST_RAISES


@kernel
def apply(s, action):
    """Fold, call or raise; then the next player, the second round or the end."""
    p = s.current
    s.turn += 1
    s.to_act -= 1
    if action == DO_FOLD:
        s.folded[p] = 1
        s.left -= 1
    elif action == DO_RAISE:
        s.highest += RAISE[s.phase]
        s.raises += 1
        s.raiser[s.phase] = p
        s.to_act = s.left - 1
    if action != DO_FOLD:
        s.paid[p] = s.highest
    if s.left == 1 or (s.to_act == 0 and s.phase == SECOND):
        s.phase, s.current = OVER, NOBODY
        return
    if s.to_act == 0:
        s.phase, s.raises, s.to_act = SECOND, 0, s.left
        p = s.num_players - 1
    p = after(s, p)
    while s.folded[p]:
        p = after(s, p)
    s.current = p


@kernel
def strength(s, p):
    """What a hand is worth at the showdown: pairs, then ranks; nothing if it was folded."""
    if s.folded[p]:
        return -1
    own = rank(s, p)
    return own + s.deck.size if own == rank(s, s.num_players) else own


@kernel
def score(s, out):
    """What everyone has won or lost; before the end, what everyone has paid."""
    best, winners, pot = -1, 0, 0
    for p in range(s.num_players):
        out[p, 0] = -s.paid[p]
        pot += s.paid[p]
        if strength(s, p) > best:
            best, winners = strength(s, p), 0
        winners += strength(s, p) == best
    if s.current != NOBODY:
        return
    for p in range(s.num_players):
        if strength(s, p) == best:
            share = (pot + winners - 1) // winners  # ours: an odd chip goes to the lower seat
            out[p, 0] += share
            pot, winners = pot - share, winners - 1


@kernel
def determinize(s, player, seed):
    """Shuffle all cards but the own one and, in the second round, the open one; after a showdown none is hidden."""
    seed_generator(s, seed)
    if s.phase == OVER:
        return
    cards, kept = (s.num_players + 1) * SUITS, s.num_players
    s.deck[0], s.deck[player] = s.deck[player], s.deck[0]
    if s.phase == SECOND:
        s.deck[1], s.deck[kept] = s.deck[kept], s.deck[1]
    known = 1 + (s.phase == SECOND)
    reshuffle(s, s.deck[known:], cards - known)
    if s.phase == SECOND:
        s.deck[1], s.deck[kept] = s.deck[kept], s.deck[1]
    s.deck[0], s.deck[player] = s.deck[player], s.deck[0]
