"""How Wie verhext! looks to people: `describe` and the table as text."""

from __future__ import annotations

from copy import copy
from typing import Any

from coven.games.core.actions import in_full
from coven.games.core.record import NOBODY
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
    DROP_SHELF,
    GAINING,
    GOLD_SHELF,
    LEAD,
    NONE,
    NUM_CAULDRONS,
    NUM_SCROLLS,
    PAYING,
    PHASES,
    PILE_SIZE,
    PILES,
    ROLES,
    SCROLLS,
    TAXING,
    TOP_CARD,
)


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
