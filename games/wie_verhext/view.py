"""How Wie verhext! looks: the observation of a player, `describe` and the table as text."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np

from coven.games.core.actions import in_full
from coven.games.core.kernels import kernel
from coven.games.core.layout import Layout, Slice
from coven.games.core.record import NOBODY, after
from coven.games.wie_verhext.rules import active_scroll, top_card
from coven.games.wie_verhext.state import (
    ACTIONS,
    BANNED_ROLES,
    BANS,
    CARD_COST,
    CARD_DROPS,
    CARD_PILE,
    CARD_POINTS,
    CARD_RAVEN,
    CAULDRONS,
    COLOURS,
    DEFAULT_SETS,
    DROP_SHELF,
    GAINING,
    GOLD_SHELF,
    HAND,
    LEAD,
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
    PAYING,
    PHASES,
    PILE_SIZE,
    PILES,
    PLAYED,
    PLAYERS,
    ROLES,
    SCROLLS,
    TAXING,
    TOP_CARD,
)

# Drops, gold and vials have no limit but the length of the game; an observation counts them up to here, so that its
# bounds are of use for scaling. Sensible play stays far below.
MOST_SHOWN = 100
_MOST_POINTS = int(CARD_POINTS.sum())
_MOST_RAVENS = int(CARD_RAVEN.sum())
_UPTO = f", {MOST_SHOWN} standing for more"

LAYOUT = Layout(
    Slice("phase", len(PHASES), 0, 1, f"one-hot: {', '.join(PHASES)}"),
    Slice("current", MOST_PLAYERS, 0, 1, "one-hot: the seat that decides"),
    Slice("leader", MOST_PLAYERS, 0, 1, "one-hot: the seat that leads this trick, while choosing the coming one"),
    Slice("claimant", MOST_PLAYERS, 0, 1, "one-hot: the seat that claims the action of this trick"),
    Slice("role", NUM_ROLES, 0, 1, "one-hot: the role of this trick"),
    Slice("scroll", NUM_SCROLLS, 0, 1, "one-hot: the active scroll"),
    Slice("favours", MOST_PLAYERS, 0, 1, "1 for a seat that took the favour in this trick"),
    Slice("num_players", 1, 0, PLAYERS[-1], "players at the table"),
    Slice("sets_left", 1, 0, DEFAULT_SETS, f"sets after this one until the game is cut off, {DEFAULT_SETS} for more"),
    Slice("ravens", 1, 0, _MOST_RAVENS, "ravens in front of all players together"),
    Slice("left", 1, 0, MOST_SHOWN, f"drops still to come in a payment or gain{_UPTO}"),
    Slice("least", 1, 0, NUM_COLOURS - 1, "the colour below which none of them may come"),
    Slice("next_scrolls", NUM_SCROLLS, 0, NUM_SCROLLS, "sets until each scroll is active, 0 now, 8 not known"),
    Slice("banned", NUM_ROLES, 0, 1, "1 for a role banned in this set"),
    Slice("ban_deck", NUM_ROLES, 0, 1, "1 for a role among the spare ones still to be banned"),
    Slice("cards_left", NUM_PILES, 0, int(PILE_SIZE.max()), "cards in each pile"),
    Slice("top_drops", NUM_CAULDRONS * NUM_COLOURS, 0, int(CARD_DROPS.max()), "cauldrons: drops on each top card"),
    Slice("top_cost", NUM_SHELVES, 0, int(CARD_COST.max()), "shelves: gold or drops that each top card costs"),
    Slice("top_points", NUM_PILES, 0, int(CARD_POINTS.max()), "points of each top card"),
    Slice("top_raven", NUM_PILES, 0, 1, "1 for a raven on a top card"),
    Slice("shelves", NUM_SHELVES, 0, MOST_SHOWN, f"gold and drops that lie on the shelves' top cards{_UPTO}"),
    Slice("hand", NUM_ROLES, 0, 1, "1 for a role in the own hand"),
    Slice("drops", MOST_PLAYERS * NUM_COLOURS, 0, MOST_SHOWN, f"seat by seat: drops by colour{_UPTO}"),
    Slice("gold", MOST_PLAYERS, 0, MOST_SHOWN, f"gold, by seat{_UPTO}"),
    Slice("vials", MOST_PLAYERS, 0, MOST_SHOWN, f"vials, by seat{_UPTO}"),
    Slice("points", MOST_PLAYERS, 0, _MOST_POINTS, "points of the cards, by seat"),
    Slice("hand_size", MOST_PLAYERS, 0, HAND, "cards in each hand, by seat"),
    Slice("shown", MOST_PLAYERS * NUM_ROLES, PASSED, PLAYED, "seat by seat: 1 role played in this set, -1 passed on"),
)
_PHASE, _CURRENT, _LEADER = LAYOUT.start("phase"), LAYOUT.start("current"), LAYOUT.start("leader")
_CLAIMANT, _ROLE, _SCROLL = LAYOUT.start("claimant"), LAYOUT.start("role"), LAYOUT.start("scroll")
_FAVOURS, _NUM_PLAYERS, _SETS_LEFT = LAYOUT.start("favours"), LAYOUT.start("num_players"), LAYOUT.start("sets_left")
_RAVENS, _LEFT, _LEAST = LAYOUT.start("ravens"), LAYOUT.start("left"), LAYOUT.start("least")
_NEXT_SCROLLS, _BANNED, _BAN_DECK = LAYOUT.start("next_scrolls"), LAYOUT.start("banned"), LAYOUT.start("ban_deck")
_CARDS_LEFT, _TOP_DROPS, _TOP_COST = LAYOUT.start("cards_left"), LAYOUT.start("top_drops"), LAYOUT.start("top_cost")
_TOP_POINTS, _TOP_RAVEN, _SHELVES = LAYOUT.start("top_points"), LAYOUT.start("top_raven"), LAYOUT.start("shelves")
_HAND, _DROPS, _GOLD = LAYOUT.start("hand"), LAYOUT.start("drops"), LAYOUT.start("gold")
_VIALS, _POINTS, _HAND_SIZE = LAYOUT.start("vials"), LAYOUT.start("points"), LAYOUT.start("hand_size")
_SHOWN = LAYOUT.start("shown")


@kernel
def observe(s, player, out):
    """Write what a player sees; the seat of the observer comes first, then clockwise."""
    out[:] = 0
    observe_trick(s, out)
    observe_decks(s, out)
    observe_piles(s, out)
    seat, p = 0, player
    while seat < s.num_players:
        observe_seat(s, seat, p, out)
        seat, p = seat + 1, after(s, p)
    for r in range(NUM_ROLES):
        out[_HAND + r] = s.hand[player, r]


@kernel
def observe_trick(s, out):
    """What is going on."""
    out[_PHASE + s.phase] = 1
    out[_NUM_PLAYERS] = s.num_players
    out[_SETS_LEFT] = min(s.options[MAX_SETS] - s.set, DEFAULT_SETS)
    out[_RAVENS] = s.ravens
    out[_LEFT] = min(s.left, MOST_SHOWN)
    out[_LEAST] = s.least
    if s.role != NONE:
        out[_ROLE + s.role] = 1


@kernel
def observe_decks(s, out):
    """The scrolls, those seen and when they come again; the spare roles of the option."""
    out[_SCROLL + active_scroll(s)] = 1
    place = (s.set - 1) % NUM_SCROLLS
    for i in range(NUM_SCROLLS):
        ahead = i - place if i >= place else i - place + NUM_SCROLLS
        out[_NEXT_SCROLLS + np.int64(s.scroll[i])] = ahead if i < s.set else NUM_SCROLLS
    if s.options[BANNED_ROLES]:
        for r in range(NUM_ROLES):
            out[_BANNED + r] = s.banned[r]
        for i in range(s.bans_seen, NUM_ROLES):
            out[_BAN_DECK + np.int64(s.ban_deck[i])] = 1


@kernel
def observe_piles(s, out):
    """The top card of each pile and what lies on it."""
    for pile in range(NUM_PILES):
        card = top_card(s, pile)
        out[_CARDS_LEFT + pile] = PILE_SIZE[pile] - s.gone[pile]
        out[_TOP_POINTS + pile] = CARD_POINTS[card]
        out[_TOP_RAVEN + pile] = CARD_RAVEN[card]
        if pile < NUM_CAULDRONS:
            for c in range(NUM_COLOURS):
                out[_TOP_DROPS + pile * NUM_COLOURS + c] = CARD_DROPS[card, c]
        else:
            out[_TOP_COST + pile - NUM_CAULDRONS] = CARD_COST[card]
            out[_SHELVES + pile - NUM_CAULDRONS] = min(s.shelf[pile], MOST_SHOWN)


@kernel
def observe_seat(s, seat, p, out):
    """What everyone sees of a player."""
    out[_CURRENT + seat] = p == s.current
    out[_LEADER + seat] = p == s.leader
    out[_CLAIMANT + seat] = p == s.claimant
    out[_FAVOURS + seat] = s.favour[p]
    for c in range(NUM_COLOURS):
        out[_DROPS + seat * NUM_COLOURS + c] = min(s.drops[p, c], MOST_SHOWN)
    out[_GOLD + seat] = min(s.gold[p], MOST_SHOWN)
    out[_VIALS + seat] = min(s.vials[p], MOST_SHOWN)
    out[_POINTS + seat] = s.points[p]
    out[_HAND_SIZE + seat] = s.hand_size[p]
    for r in range(NUM_ROLES):
        out[_SHOWN + seat * NUM_ROLES + r] = s.shown[p, r]


def _card(card: int) -> dict[str, Any]:
    """A card as it lies in its pile."""
    cost: Any = int(CARD_COST[card])
    if CARD_PILE[card] < NUM_CAULDRONS:
        cost = {COLOURS[c]: int(n) for c, n in enumerate(CARD_DROPS[card]) if n}
    return {"cost": cost, "points": int(CARD_POINTS[card]), "raven": bool(CARD_RAVEN[card])}


_PILED = {pile: [_card(card) for card in TOP_CARD[i, : PILE_SIZE[i]]] for i, pile in enumerate(PILES)}
_TAKEN = [{"pile": pile, "points": card["points"], "raven": card["raven"]} for pile in PILES for card in _PILED[pile]]


def _roles(roles: list[int]) -> list[str]:
    return [ROLES[role] for role in roles]


def _hand(r: Any, p: int, viewer: int | None) -> list[str | None]:
    if viewer is None or viewer == p:
        return [ROLES[role] for role, held in enumerate(r.hand[p].tolist()) if held]
    return [None] * int(r.hand_size[p])


def _piles(r: Any) -> dict[str, Any]:
    """What is left of each pile, top first, in fresh dicts."""
    left = zip(PILES, r.gone.tolist(), strict=True)
    return {pile: [{**card, "cost": copy(card["cost"])} for card in _PILED[pile][gone:]] for pile, gone in left}


def _cards(r: Any) -> list[list[dict[str, Any]]]:
    """What lies in front of each player, as taken."""
    cards: list[list[dict[str, Any]]] = [[] for _ in range(r.num_players)]
    for card, by in zip(r.taken[: r.num_taken].tolist(), r.taken_by.tolist(), strict=False):
        cards[by].append(dict(_TAKEN[card]))
    return cards


def _scrolls(r: Any, viewer: int | None) -> list[str | None]:
    """The pile from the active scroll on; unseen are those that no set has come to yet."""
    number, order = int(r.set), r.scroll.tolist()
    places = [(number - 1 + i) % NUM_SCROLLS for i in range(NUM_SCROLLS)]
    return [SCROLLS[order[i]] if viewer is None or i < number else None for i in places]


def _bans(r: Any, viewer: int | None) -> dict[str, Any]:
    if not r.options[BANNED_ROLES]:
        return {"banned": [], "ban_deck": []}
    seen, deck = int(r.bans_seen), r.ban_deck.tolist()
    banned = _roles(deck[seen - BANS[r.num_players] : seen])
    return {"banned": banned, "ban_deck": _roles(deck[seen:]) if viewer is None else None}


def _pending(r: Any) -> dict[str, Any] | None:
    if r.phase not in (PAYING, GAINING, TAXING):
        return None
    return {"kind": PHASES[r.phase], "left": int(r.left), "least": COLOURS[r.least]}


def describe(r: Any, viewer: int | None) -> dict[str, Any]:
    """The game's own part of `describe`."""
    n, leader, favour = int(r.num_players), int(r.leader), (r.favour | r.full_tax).tolist()
    clockwise = [(leader + i) % n for i in range(n)]  # the order in which players are asked
    return {
        "set": int(r.set),
        "leader": None if leader == NOBODY else leader,
        "claimant": None if r.claimant == NONE else int(r.claimant),
        "role": None if r.role == NONE else ROLES[r.role],
        "favours": [p for p in clockwise if favour[p]],
        "pending": _pending(r),
        "drops": [dict(zip(COLOURS, drops, strict=True)) for drops in r.drops[:n].tolist()],
        "gold": r.gold[:n].tolist(),
        "vials": r.vials[:n].tolist(),
        "cards": _cards(r),
        "hands": [_hand(r, p, viewer) for p in range(n)],
        "played": [_roles(r.played[p, : r.num_played[p]].tolist()) for p in range(n)],
        "piles": _piles(r),
        "shelf_gold": int(r.shelf[GOLD_SHELF]),
        "shelf_drops": int(r.shelf[DROP_SHELF]),
        "scrolls": _scrolls(r, viewer),
        "ravens": int(r.ravens),
    } | _bans(r, viewer)


def event(r: Any, action: int, viewer: int | None) -> str:
    """What a viewer sees of an action: all is open but the choice of roles."""
    if action < LEAD and viewer not in (None, r.current):
        return f"player {r.current} chooses a role"
    return in_full(r, ACTIONS.strings[action])


def _cost(cost: Any, unit: str) -> str:
    return " ".join(f"{n} {c}" for c, n in cost.items()) if isinstance(cost, dict) else f"{cost} {unit}"


def _pile_line(d: dict[str, Any], pile: str) -> str:
    cards = d["piles"][pile]
    if not cards:
        return f"  {pile:<8} empty"
    on_it = "" if pile in CAULDRONS else f", {d['shelf_' + pile]} on it"
    raven = ", raven" if cards[0]["raven"] else ""
    return f"  {pile:<8} {_cost(cards[0]['cost'], pile)} for {cards[0]['points']}{raven}{on_it}, {len(cards)} left"


def _player_lines(d: dict[str, Any], p: int) -> list[str]:
    mark = ">" if p == d["current_player"] else " "
    place = f", rank {d['ranks'][p]}" if d["ranks"] else ""
    goods = ", ".join(f"{n} {colour}" for colour, n in d["drops"][p].items())
    hand = ", ".join(role or "hidden" for role in d["hands"][p]) or "empty"
    doing = " claims the action" if p == d["claimant"] else " took the favour" if p in d["favours"] else ""
    return [
        f"{mark} player {p}: {d['scores'][p]:>3} points{place}, {len(d['cards'][p])} cards, {d['vials'][p]} vials, "
        f"{d['gold'][p]} gold, {goods}{doing}",
        f"    hand {hand}; played {', '.join(d['played'][p]) or 'nothing'}",
    ]


def text(d: dict[str, Any]) -> str:
    """The table as text, from what `describe` shows."""
    doing = "over" if d["over"] else f"player {d['current_player']} decides ({d['phase']})"
    trick = "" if d["role"] is None else f", {d['role']} led by player {d['leader']}"
    pending = "" if d["pending"] is None else f", {d['pending']['left']} drops to {d['pending']['kind']}"
    lines = [
        f"Wie verhext!, {d['num_players']} players, set {d['set']}, trick {d['turn']}{trick}, {doing}{pending}",
        f"  scroll   {d['scrolls'][0]}; then {', '.join(name or 'hidden' for name in d['scrolls'][1:])}",
    ]
    lines += [_pile_line(d, pile) for pile in PILES]
    lines.append(f"  ravens   {d['ravens']}")
    if d["banned"]:
        lines.append(f"  banned   {', '.join(d['banned'])}")
    for p in range(d["num_players"]):
        lines += _player_lines(d, p)
    return "\n".join(lines)
