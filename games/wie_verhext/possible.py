"""What a possible record of Wie verhext! is: bounds of its fields, and what must add up."""

from __future__ import annotations

from typing import Any

import numpy as np

from coven.games.core.possible import by_seat, player, within
from coven.games.core.record import NOBODY
from coven.games.wie_verhext.state import (
    ACTING,
    ASK_GIFTS,
    BANNED_ROLES,
    BANS,
    BLEND,
    BOTTLING,
    BREW,
    CARD_COST,
    CARD_DROPS,
    CARD_PILE,
    CARD_POINTS,
    CARD_RAVEN,
    CHOOSING,
    DROP_SHELF,
    EFFECT_COLOUR,
    EFFECT_DROPS,
    EFFECT_EARNED,
    EFFECT_GOLD,
    EFFECT_KIND,
    EFFECT_PILE,
    EFFECT_VIALS,
    FIRST_SCROLL,
    FOLLOWING,
    GAINING,
    GIFT,
    HAND,
    LAST_RAVENS,
    LEADING,
    LESS_TAX,
    MAX_SETS,
    MOST_PLAYERS,
    MOST_SETS,
    NO_CARD,
    NONE,
    NUM_CARDS,
    NUM_CAULDRONS,
    NUM_COLOURS,
    NUM_PILES,
    NUM_ROLES,
    NUM_SCROLLS,
    OPTION,
    OVER,
    PASSED,
    PAYING,
    PILE_SIZE,
    PLAYED,
    SELL,
    START_DROPS,
    START_GOLD,
    TAKING,
    TAX,
    TAXING,
    TOP_CARD,
    TRADE,
    VIAL_SIZE,
    WARLOCK,
)

_PLENTY = np.iinfo(np.int16).max  # what a player can really have depends on the set: see _wealth

BOUNDS = {
    "turn": within(0, MOST_SETS * HAND * MOST_PLAYERS),
    "set": within(1, MOST_SETS),
    "leader": player(nobody=True),
    "claimant": player(nobody=True),
    "role": within(NONE, NUM_ROLES - 1),
    "resolving": within(0, 1),
    "left": within(0, _PLENTY),
    "least": within(0, NUM_COLOURS - 1),
    "favour": by_seat(0, 1),
    "full_tax": by_seat(0, 1),
    "drops": by_seat(0, _PLENTY),
    "gold": by_seat(0, _PLENTY),
    "vials": by_seat(0, _PLENTY),
    "points": by_seat(0, int(CARD_POINTS.sum())),
    "hand": by_seat(0, 1),
    "hand_size": by_seat(0, HAND),
    "shown": by_seat(min(0, PASSED), max(PLAYED, PASSED)),
    "played": by_seat(0, NUM_ROLES - 1),
    "num_played": by_seat(0, HAND),
    "gone": within(0, PILE_SIZE),
    "shelf": within(0, np.where(np.arange(NUM_PILES) < NUM_CAULDRONS, 0, _PLENTY)),
    "taken": within(0, NUM_CARDS - 1),
    "taken_by": player(),
    "num_taken": within(0, NUM_CARDS),
    "ravens": within(0, int(CARD_RAVEN.sum())),
    "scroll": within(0, NUM_SCROLLS - 1),
    "banned": within(0, 1),
    "ban_deck": within(0, NUM_ROLES - 1),
    "bans_seen": within(0, NUM_ROLES),
}


def impossible(r: Any) -> str | None:
    """What does not add up in a record whose fields are within their bounds."""
    return _cards(r) or _wealth(r) or _scrolls_and_bans(r) or _roles(r) or _set(r) or _trick(r) or _decision(r)


def _cards(r: Any) -> str | None:
    """The cards taken come from the tops of the piles and score for whoever took them."""
    if r.num_taken != r.gone.sum():
        return "the cards taken are not as many as are gone from the piles"
    taken, by = r.taken[: r.num_taken], r.taken_by[: r.num_taken]
    for pile in range(NUM_PILES):
        if taken[CARD_PILE[taken] == pile].tolist() != TOP_CARD[pile, : r.gone[pile]].tolist():
            return "the cards taken are not those from the tops of the piles"
    points = np.bincount(by, CARD_POINTS[taken], minlength=MOST_PLAYERS)
    if (points != r.points).any() or CARD_RAVEN[taken].sum() != r.ravens:
        return "points or ravens are not those of the cards taken"
    return None


def _wealth(r: Any) -> str | None:
    """Nobody has more than so many sets can bring."""
    drops = START_DROPS * NUM_COLOURS + r.set * HAND * int(EFFECT_DROPS.max())
    gold = START_GOLD + r.set * HAND * int(EFFECT_EARNED.max())
    vials = r.set * HAND * max(int(EFFECT_VIALS.max()), VIAL_SIZE)
    rich = r.drops.sum(axis=1).max() > drops or r.gold.max() > gold or r.vials.max() > vials
    piled = r.shelf.max() > r.num_players * max(drops, gold)
    return "a player or a shelf has more than so many sets can bring" if rich or piled else None


def _scrolls_and_bans(r: Any) -> str | None:
    """The scrolls are all there; with banned roles those turned up last are banned."""
    if len(set(r.scroll.tolist())) != NUM_SCROLLS:
        return "the pile of scrolls is not complete"
    bans = int(BANS[r.num_players])
    if not r.options[BANNED_ROLES]:
        none = not r.banned.any() and not r.ban_deck.any() and r.bans_seen == NUM_ROLES
        return None if none else "roles are banned without the option"
    if len(set(r.ban_deck.tolist())) != NUM_ROLES or r.bans_seen < bans or r.bans_seen % bans:
        return "the spare roles are not complete"
    banned = np.flatnonzero(r.banned).tolist()
    turned_up = sorted(r.ban_deck[r.bans_seen - bans : r.bans_seen].tolist())
    return None if banned == turned_up else "other roles are banned than were turned up"


def _roles(r: Any) -> str | None:
    """The roles of a hand and those played are different ones that are not banned."""
    if (r.hand.sum(axis=1) != r.hand_size).any() or (r.hand & r.banned).any():
        return "a hand does not hold as many roles as it is said to, or banned ones"
    for p in range(r.num_players):
        played = r.played[p, : r.num_played[p]].tolist()
        if len(set(played)) < len(played) or np.flatnonzero(r.shown[p] == PLAYED).tolist() != sorted(played):
            return f"the roles that player {p} has played are not those it has shown"
        if r.banned[played].any() or (r.hand[p] & (r.shown[p] != 0)).any():
            return f"player {p} has a role that it cannot have"
    return None


def _set(r: Any) -> str | None:
    """Five roles each; the set with the fourth raven, or the last that is allowed, is the last."""
    n, ended = r.num_players, r.ravens >= LAST_RAVENS
    tricks = r.turn - int((r.shown == PLAYED).any(axis=0).sum())  # before this set: a role is led once in a set
    if r.set > r.options[MAX_SETS] or not (r.set - 1) * HAND <= tricks <= (r.set - 1) * min(HAND * n, NUM_ROLES):
        return f"set {r.set}, trick {r.turn} cannot come up"
    if r.phase == OVER:
        fits = r.leader == NOBODY and not r.hand_size.any() and (ended or r.set == r.options[MAX_SETS])
        return None if fits and r.truncated != ended else "the game is over before its end"
    if r.leader == NOBODY:
        return "nobody leads"
    held = r.hand_size + r.num_played
    if r.phase != CHOOSING:
        return None if (held[:n] == HAND).all() else f"somebody does not have {HAND} roles in a set"
    place = (r.current - r.leader) % n
    for p in range(n):
        chosen = int(held[p])
        behind = (p - r.leader) % n - place
        if chosen != HAND if behind < 0 else chosen if behind > 0 else chosen == HAND:
            return "the roles are not chosen one player after the other"
    return "a set begins after the last one" if ended or r.shown.any() or r.num_played.any() else None


def _trick(r: Any) -> str | None:
    """In a trick the leader and whoever followed have played its role; outside there is none."""
    if r.phase in (CHOOSING, LEADING, OVER):
        none = r.claimant == NOBODY and r.role == NONE and not r.resolving and not (r.favour | r.full_tax).any()
        lead = r.phase != LEADING or (r.current == r.leader and r.hand_size[r.current] > 0)
        return None if none and lead else "there is a trick outside the tricks, or nobody to lead one"
    if r.claimant == NOBODY or r.role == NONE:
        return "there is no trick"
    shown = r.shown[:, r.role]
    asked = r.favour | r.full_tax
    if shown[r.leader] != PLAYED or shown[r.claimant] != PLAYED or (asked & (shown != PLAYED)).any():
        return "somebody takes part in a trick without its role"
    if asked[r.leader] or asked[r.claimant] or (r.favour & r.full_tax).any():
        return "a claimant has the favour too"
    if r.full_tax.any() and not (r.options[ASK_GIFTS] and EFFECT_KIND[2 * r.role] == LESS_TAX):
        return "somebody declined to pay less tax who was not asked"
    return None if _asked_in_turn(r, shown) else "the players are not asked one after the other"


def _asked_in_turn(r: Any, shown: np.ndarray) -> bool:
    """From the leader clockwise all have shown whether they hold the role, up to the one who is asked."""
    n = r.num_players
    if r.resolving:
        return bool(shown[:n].all()) and r.phase != FOLLOWING and (r.phase == TAXING) == (r.current != r.claimant)
    place = (r.current - r.leader) % n
    if place == 0 or (not r.hand[r.current, r.role] if r.phase == FOLLOWING else not r.favour[r.current]):
        return False
    for p in range(n):
        behind = (p - r.leader) % n - place
        asked = behind < 0 or (behind == 0 and r.phase != FOLLOWING)
        if (shown[p] != 0) != asked:
            return False
        if behind > 0 and (r.favour[p] or r.full_tax[p] or r.claimant == p):
            return False
    return True


def _decision(r: Any) -> str | None:
    """What is asked for can be paid, and belongs to what the role or the scroll does."""
    drops = {ACTING, PAYING, GAINING, BOTTLING, TAXING}
    if r.phase not in drops and (r.left or r.least):
        return "drops are asked for at the wrong time"
    if r.phase in (CHOOSING, LEADING, FOLLOWING, OVER):
        return None
    effect = _effect(r)
    if r.phase == ACTING:
        return None if _offered(r, effect) else "something is offered that cannot be done"
    return None if _fits(r, effect) else "a payment or gain does not belong to what the role or scroll does"


def _effect(r: Any) -> int:
    if r.resolving and r.role == WARLOCK:
        return int(FIRST_SCROLL + r.scroll[(r.set - 1) % NUM_SCROLLS])
    return int(2 * r.role + r.resolving)


def _top(r: Any, pile: int) -> int:
    return int(TOP_CARD[pile, r.gone[pile]])


def _can_brew(r: Any, pile: int, gold: int) -> bool:
    card = _top(r, pile)
    return bool(card != NO_CARD and r.gold[r.current] >= gold and (r.drops[r.current] >= CARD_DROPS[card]).all())


def _offered(r: Any, effect: int) -> bool:
    """Can the current player do what is offered?"""
    kind, pile, colour, p = EFFECT_KIND[effect], int(EFFECT_PILE[effect]), EFFECT_COLOUR[effect], r.current
    if (r.left, r.least) != ((1, 0) if kind == SELL else (0, 0)):
        return False
    if kind == SELL:
        return bool(r.drops[p].sum() > 0)
    if kind == TRADE:
        return bool(r.gold[p] >= EFFECT_GOLD[effect] and (colour == NONE or r.drops[p, colour] > 0))
    if kind == BREW:
        return _can_brew(r, pile, int(EFFECT_GOLD[effect]))
    if kind == OPTION:
        return any(_can_brew(r, cauldron, 0) for cauldron in range(NUM_CAULDRONS))
    if kind == BLEND:
        return _top(r, pile) != NO_CARD and bool(r.drops[p].sum() >= CARD_COST[_top(r, pile)])
    if kind == GIFT:
        return bool(r.options[ASK_GIFTS])
    return bool((kind == TAX or (kind == LESS_TAX and r.options[ASK_GIFTS])) and _top(r, pile) != NO_CARD)


def _fits(r: Any, effect: int) -> bool:
    """Does a phase in the middle of an effect fit it, and is there enough to pay?"""
    kind, pile, p = EFFECT_KIND[effect], int(EFFECT_PILE[effect]), r.current
    payable = bool(1 <= r.left <= r.drops[p, r.least :].sum())
    if r.phase == GAINING:
        most = EFFECT_DROPS[effect]
        return bool(kind == TRADE and 1 <= r.left <= most and (r.left < most or not r.least))
    if r.phase == BOTTLING:
        last = r.taken[r.num_taken - 1] if r.num_taken and r.taken_by[r.num_taken - 1] == p else NONE
        return bool(kind == BREW and payable and (r.left, r.least) == (1, 0) and last >= 0 and CARD_PILE[last] == pile)
    if r.phase == TAXING:
        return bool(kind == TAX and pile == DROP_SHELF and payable and _top(r, pile) != NO_CARD)
    if kind not in (BLEND, TAX) or _top(r, pile) == NO_CARD or not r.resolving:
        return False
    missing = max(int(CARD_COST[_top(r, pile)] - r.shelf[pile]), 0)
    if r.phase == TAKING:
        held = r.drops[p].sum() if pile == DROP_SHELF else r.gold[p]
        return bool(kind == TAX and held >= missing)
    return payable and (r.left <= missing if kind == BLEND else pile == DROP_SHELF and r.left == missing)
