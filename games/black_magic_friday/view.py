"""How Black Magic Friday looks: the observation of a player, `describe` and the table as text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from coven.games.black_magic_friday.rules import clockwise
from coven.games.black_magic_friday.state import (
    ACTIONS,
    BESTOW,
    BOOK_POINTS,
    FETCH_SHOP,
    GRIMOIRE,
    HAND_KINDS,
    IN_BOX,
    KINDS,
    LAST_ROUNDS,
    MOST_CAST,
    MOST_CURSES,
    MOST_IN_PILE,
    MOST_PLAYERS,
    MOST_POINTS,
    MOST_REACH,
    NONE,
    NUM_ARTICLES,
    NUM_BOOKS,
    NUM_KINDS,
    NUM_PARTS,
    NUM_PHASES,
    NUM_PILES,
    NUM_SCROLLS,
    NUM_SHOPS,
    NUM_SPELLS,
    PARTS,
    PHASES,
    PLAYERS,
    POWER,
    RETURN_CARD,
    SCROLLS,
    SPELLS,
    SWAP,
)
from coven.games.core.actions import in_full
from coven.games.core.kernels import kernel
from coven.games.core.layout import Layout, Slice
from coven.games.core.record import NOBODY, after

_MOST_ALIKE = int(IN_BOX.max())
_OTHER_SHOPS = NUM_SHOPS - 1
_OPPONENTS = MOST_PLAYERS - 1

LAYOUT = Layout(
    Slice("num_players", 1, 0, PLAYERS[-1], "players at the table"),
    Slice("phase", NUM_PHASES, 0, 1, f"one-hot: {', '.join(PHASES)}"),
    Slice("on_turn", MOST_PLAYERS, 0, 1, "one-hot: the seat of the witch on turn"),
    Slice("deck_size", 1, 0, NUM_ARTICLES, "cards in the deck"),
    Slice("rounds_left", 1, 0, LAST_ROUNDS, "3, 2, 1 in the last rounds, 0 before them and when over"),
    Slice("last_first", MOST_PLAYERS, 0, 1, "one-hot: the seat that begins each of the last rounds"),
    Slice("hand", HAND_KINDS, 0, _MOST_ALIKE, "own cards: ingredients and grimoires by colour, mandrakes"),
    Slice("book", NUM_BOOKS, 0, 1, "one-hot: the book of the spell being built, by colour, then the mandrake"),
    Slice("laid", NUM_PARTS, 0, _MOST_ALIKE, "its ingredients by colour, then the mandrake"),
    Slice("effect", NUM_SPELLS, 0, 1, f"one-hot: the spell being applied: {', '.join(SPELLS)}"),
    Slice("to_give", NUM_SCROLLS, 0, 1, "one-hot: the scroll to be given, by its curses"),
    Slice("swap_with", MOST_PLAYERS, 0, 1, "one-hot: the seat that waits for a card back"),
    Slice("fetch_from", _OTHER_SHOPS, 0, 1, "one-hot: the shop to pick a card from, clockwise behind the assistant's"),
    Slice("waiting", 1, 0, MOST_REACH, "shops that wait for their card while the marker is decided"),
    Slice("night", NUM_SHOPS, 0, 1, "1 for the shops by night, clockwise from the assistant's"),
    Slice("shop_size", _OTHER_SHOPS, 0, NUM_ARTICLES, "cards in each shop, clockwise behind the assistant's"),
    Slice("shops", _OTHER_SHOPS * NUM_KINDS, 0, _MOST_ALIKE, "shop by shop: its cards by kind, 0 for one by night"),
    Slice("pile_size", NUM_PILES, 0, MOST_IN_PILE, "spells in each pile, 1 to 5"),
    Slice("top", NUM_SPELLS, 0, 1, "1 for every spell on top of a pile"),
    Slice("gone", NUM_KINDS, 0, _MOST_ALIKE, "cards played or removed, by kind"),
    Slice("points", MOST_PLAYERS, 0, MOST_POINTS, "spells and grimoires, by seat"),
    Slice("spells_cast", MOST_PLAYERS, 0, MOST_CAST, "spells cast, by seat"),
    Slice("spells", MOST_PLAYERS * NUM_SPELLS, 0, MOST_IN_PILE, "seat by seat: its spells by name"),
    Slice("scrolls", MOST_PLAYERS * NUM_SCROLLS, 0, _MOST_ALIKE, "seat by seat: its scrolls of 1, 2, 3 curses"),
    Slice("curses", MOST_PLAYERS, 0, MOST_CURSES, "curses, by seat"),
    Slice("marker", MOST_PLAYERS, 0, 1, "one-hot: the seat with the curse marker"),
    Slice("passed", MOST_PLAYERS, 0, 1, "1 for a seat that is out for good"),
    Slice("hand_size", MOST_PLAYERS, 0, NUM_ARTICLES, "cards in hand, by seat"),
    Slice("known", _OPPONENTS * HAND_KINDS, 0, _MOST_ALIKE, "opponent by opponent: cards one knows to be in hand"),
)
_NUM_PLAYERS, _PHASE, _ON_TURN = LAYOUT.start("num_players"), LAYOUT.start("phase"), LAYOUT.start("on_turn")
_DECK_SIZE, _ROUNDS_LEFT = LAYOUT.start("deck_size"), LAYOUT.start("rounds_left")
_LAST_FIRST, _HAND = LAYOUT.start("last_first"), LAYOUT.start("hand")
_BOOK, _LAID, _EFFECT = LAYOUT.start("book"), LAYOUT.start("laid"), LAYOUT.start("effect")
_TO_GIVE, _SWAP_WITH, _FETCH_FROM = LAYOUT.start("to_give"), LAYOUT.start("swap_with"), LAYOUT.start("fetch_from")
_WAITING, _NIGHT = LAYOUT.start("waiting"), LAYOUT.start("night")
_SHOP_SIZE, _SHOPS, _GONE = LAYOUT.start("shop_size"), LAYOUT.start("shops"), LAYOUT.start("gone")
_PILE_SIZE, _TOP, _POINTS = LAYOUT.start("pile_size"), LAYOUT.start("top"), LAYOUT.start("points")
_SPELLS_CAST, _SPELLS, _SCROLLS = LAYOUT.start("spells_cast"), LAYOUT.start("spells"), LAYOUT.start("scrolls")
_CURSES, _MARKER, _PASSED = LAYOUT.start("curses"), LAYOUT.start("marker"), LAYOUT.start("passed")
_HAND_SIZE, _KNOWN = LAYOUT.start("hand_size"), LAYOUT.start("known")


@kernel
def observe(s, player, out):
    """Write what a player sees; the seat of the observer comes first, then clockwise."""
    out[:] = 0
    observe_table(s, out)
    observe_shops(s, out)
    observe_spell(s, player, out)
    seat, p = 0, player
    while seat < s.num_players:
        observe_seat(s, seat, p, out)
        if seat:
            for k in range(HAND_KINDS):
                out[_KNOWN + (seat - 1) * HAND_KINDS + k] = s.known[p, player, k]
        seat, p = seat + 1, after(s, p)
    for k in range(HAND_KINDS):
        out[_HAND + k] = s.hand[player, k]


@kernel
def observe_table(s, out):
    """What lies in the middle of the table, and how far the game is."""
    out[_NUM_PLAYERS] = s.num_players
    out[_PHASE + s.phase] = 1
    out[_DECK_SIZE] = s.deck_size
    out[_ROUNDS_LEFT] = max(s.rounds_left, 0)
    for pile in range(NUM_PILES):
        size = s.pile_size[pile]
        out[_PILE_SIZE + pile] = size
        if size:
            out[_TOP + s.pile[pile, size - 1]] = 1
    for k in range(NUM_KINDS):
        out[_GONE + k] = s.removed[k]
    for k in range(HAND_KINDS):
        out[_GONE + k] += s.played[k]


@kernel
def observe_shops(s, out):
    """The shops clockwise from the assistant's, which is empty; of those by night only the number of cards."""
    out[_WAITING] = s.steps
    out[_NIGHT] = s.night[s.assistant]
    for i in range(_OTHER_SHOPS):
        shop = clockwise(s, i + 1)
        out[_NIGHT + i + 1] = s.night[shop]
        out[_SHOP_SIZE + i] = s.shop_size[shop]
        if not s.night[shop]:
            for k in range(NUM_KINDS):
                out[_SHOPS + i * NUM_KINDS + k] = s.shop[shop, k]


@kernel
def observe_spell(s, player, out):
    """The spell being built, or the one being applied with what has been chosen for it."""
    if s.book != NONE:
        out[_BOOK + s.book - GRIMOIRE] = 1
        for part in range(NUM_PARTS):
            out[_LAID + part] = s.laid[part]
    if s.effect != NONE:
        out[_EFFECT + s.effect] = 1
    if s.chosen == NONE:
        return
    if s.effect == BESTOW:
        out[_TO_GIVE + s.chosen] = 1
    elif s.effect == SWAP:
        out[_SWAP_WITH + (s.chosen - player) % s.num_players] = 1
    else:
        out[_FETCH_FROM + (s.chosen - s.assistant - 1) % NUM_SHOPS] = 1


@kernel
def observe_seat(s, seat, p, out):
    """What everyone sees of a player."""
    out[_ON_TURN + seat] = p == s.active
    out[_LAST_FIRST + seat] = p == s.last_first
    out[_POINTS + seat] = s.points[p]
    out[_SPELLS_CAST + seat] = s.spells_cast[p]
    out[_CURSES + seat] = s.curses[p]
    out[_MARKER + seat] = p == s.marker
    out[_PASSED + seat] = s.passed[p]
    out[_HAND_SIZE + seat] = s.hand_size[p]
    for spell in range(NUM_SPELLS):
        out[_SPELLS + seat * NUM_SPELLS + spell] = s.spells[p, spell]
    for i in range(NUM_SCROLLS):
        out[_SCROLLS + seat * NUM_SCROLLS + i] = s.scrolls[p, i]


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
