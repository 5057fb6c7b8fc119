"""How Black Magic Friday looks to people: `describe` and the table as text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from coven.games.black_magic_friday.state import (
    ACTIONS,
    BOOK_POINTS,
    FETCH_SHOP,
    KINDS,
    NONE,
    NUM_PILES,
    NUM_SHOPS,
    PARTS,
    POWER,
    RETURN_CARD,
    SCROLLS,
    SPELLS,
)
from coven.games.core.actions import in_full
from coven.games.core.record import NOBODY


def _by_name(counts: Iterable[int]) -> dict[str, int]:
    """Cards counted by kind as {name: number}, without those that are not there."""
    return {kind: int(n) for kind, n in zip(KINDS, counts, strict=False) if n}


def _shop(r: Any, shop: int, viewer: int | None) -> dict[str, Any]:
    kind = "night" if r.night[shop] else "day"
    if r.night[shop] and viewer is not None:
        return {"kind": kind, "cards": [None] * int(r.shop_size[shop])}
    return {"kind": kind, "cards": [name for name, n in _by_name(r.shop[shop]).items() for _ in range(n)]}


def _pile(r: Any, pile: int, viewer: int | None) -> list[str | None]:
    spells = [SPELLS[spell] for spell in r.pile[pile, : r.pile_size[pile]][::-1]]
    return spells if viewer is None else [*spells[:1], *[None] * (len(spells) - 1)]


def _spells_of(r: Any, p: int) -> list[dict[str, Any]]:
    return [
        {
            "spell": None if r.cast_spell[i] == NONE else SPELLS[r.cast_spell[i]],
            "value": 0 if r.cast_spell[i] == NONE else int(POWER[r.cast_spell[i]]),
            "book": KINDS[r.cast_book[i]],
            "book_points": int(BOOK_POINTS[r.cast_book[i]]),
        }
        for i in range(r.num_cast)
        if r.cast_by[i] == p
    ]


def _laid(r: Any) -> dict[str, Any] | None:
    if r.book == NONE:
        return None
    ingredients = {KINDS[PARTS[part]]: int(n) for part, n in enumerate(r.laid) if n}
    return {"book": KINDS[r.book], "ingredients": ingredients}


def describe(r: Any, viewer: int | None) -> dict[str, Any]:
    """The game's own part of `describe`."""
    players, over = range(r.num_players), r.current == NOBODY
    deck = [KINDS[k] for k in r.deck[: r.deck_size][::-1]]
    scrolls = [zip(SCROLLS, r.scrolls[p], strict=True) for p in players]
    return {
        "assistant": int(r.assistant),
        "shops": [_shop(r, shop, viewer) for shop in range(NUM_SHOPS)],
        "deck": deck if viewer is None else [None] * len(deck),
        "hands": [_by_name(r.hand[p]) if over or viewer in (None, p) else None for p in players],
        "hand_sizes": r.hand_size[: r.num_players].tolist(),
        "curses": [[curses for curses, n in row for _ in range(n)] for row in scrolls],
        "marker": None if r.marker == NOBODY else int(r.marker),
        "spells": [_spells_of(r, p) for p in players],
        "piles": {str(pile + 1): _pile(r, pile, viewer) for pile in range(NUM_PILES)},
        "laid": _laid(r),
        "played": _by_name(r.played),
        "removed": _by_name(r.removed),
        "last_rounds": None if r.rounds_left == NONE else int(r.rounds_left),
        "passed": [bool(r.passed[p]) for p in players],
    }


def event(r: Any, action: int, viewer: int | None) -> str:
    """What a viewer sees of an action: all is open but a card given back in a swap, which only the two of it see."""
    returned = RETURN_CARD <= action < FETCH_SHOP
    if returned and viewer not in (None, r.current, r.chosen):
        return f"player {r.current} returns a card"
    return in_full(r, ACTIONS.strings[action])


def _counts(cards: dict[str, int] | None) -> str:
    if cards is None:
        return "hidden"
    return ", ".join(f"{n} {name}" for name, n in cards.items()) or "nothing"


def _shop_line(i: int, d: dict[str, Any]) -> str:
    shop, mark = d["shops"][i], "A" if i == d["assistant"] else " "
    hidden = shop["cards"] and shop["cards"][0] is None
    cards = f"{len(shop['cards'])} face down" if hidden else ", ".join(shop["cards"]) or "empty"
    return f" {mark} shop {i} {shop['kind']:<6} {cards}"


def _player_lines(p: int, d: dict[str, Any]) -> list[str]:
    mark = ">" if p == d["current_player"] else " "
    place = f", rank {d['ranks'][p]}" if d["ranks"] else ""
    curses = f", curses {' '.join(map(str, d['curses'][p]))}" if d["curses"][p] else ""
    marker = ", MARKER" if d["marker"] == p else ""
    out = ", passed" if d["passed"][p] else ""
    spells = [f"{x['spell'] or 'none'} {x['value']} ({x['book']} {x['book_points']})" for x in d["spells"][p]]
    lines = [
        f"{mark} player {p}: {d['scores'][p]:>3} points{place}{curses}{marker}{out}, "
        f"{d['hand_sizes'][p]} cards: {_counts(d['hands'][p])}"
    ]
    return [*lines, f"    spells  {', '.join(spells)}"] if spells else lines


def text(d: dict[str, Any]) -> str:
    """The table as text, from what `describe` shows."""
    deck = f"{len(d['deck'])} cards"
    if d["last_rounds"] is not None:
        deck += f", last rounds: {d['last_rounds']} to go"
    piles = [
        f"{pile}: {spells[0]} ({len(spells)})" if spells else f"{pile}: none" for pile, spells in d["piles"].items()
    ]
    lines = [
        f"Black Magic Friday, {d['num_players']} players, turn {d['turn']}, "
        + ("over" if d["over"] else f"player {d['current_player']} decides ({d['phase']})"),
        *(_shop_line(i, d) for i in range(NUM_SHOPS)),
        f"   deck    {deck}",
        f"   spells  {'  '.join(piles)}",
    ]
    if d["laid"]:
        lines.append(f"   laid    {d['laid']['book']}: {_counts(d['laid']['ingredients'])}")
    return "\n".join([*lines, *(line for p in range(d["num_players"]) for line in _player_lines(p, d))])
