"""Positions of Witchstone built by hand, as one would lay them out on the table."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import words_help

import coven
from coven.games.witchstone.cauldron import cover, put_crystal
from coven.games.witchstone.energy import place_energy
from coven.games.witchstone.geometry import BESIDE, CONNECTIONS, LENGTH, LOCATIONS, SPACES, STONE, SYMBOLS
from coven.games.witchstone.scrolls import reveal_scroll, take_scroll
from coven.games.witchstone.stack import push, start_action
from coven.games.witchstone.state import (
    ACT,
    BLACK_CODE,
    CHIP_KINDS,
    COLOURED_CODE,
    HEX_SPACES,
    NONE,
    PAIR_NAMES,
    SCROLLS,
    SECOND,
    TILE,
    UNITS,
)

GAME = coven.game("witchstone")
play, legal = partial(words_help.play, GAME), partial(words_help.legal, GAME)
ALL_SYMBOLS = list(SYMBOLS)


def space(text: str) -> int:
    """`(1,-2)` as the number of that space."""
    q, r = text.strip("()").split(",")
    return SPACES.index((int(q), int(r)))


def position(
    players: int = 3,
    *,
    current: int = 0,
    last_turn: bool = False,
    towers: tuple[str, ...] = ("T0", "T1", "T2", "T3"),
    hand: tuple[str, ...] = ("energy/wand",),
    running: str = "",
    second: str = "",
    score: tuple[int, ...] = (0, 0, 0, 0),
    chips: dict[str, str] | None = None,
    table_chips: tuple[str, ...] = (),
    hexes: tuple[str | None, ...] = ("energy/witch", "energy/pentagram", "energy/crystal"),
    hex_pile: tuple[str, ...] = ("energy/wand", "energy/scroll"),
    display: tuple[str, ...] = SCROLLS[7:13],
    scroll_pile: tuple[str, ...] = SCROLLS[13:15],
    **options: Any,
) -> np.ndarray:
    """A state in the middle of the game with little on the table; `cauldron`, `owns` and `sits` put more there.

    The current player chooses a tile, or is in the action `running` (`witch 3`), with the half `second` to come. Only
    the chips named lie there. Piles and display are top first.
    """
    s = GAME.new(players, seed=0, **options)
    r: Any = s[()]
    r.turn = 11 * players if last_turn else 5 * players + 1
    r.first = (current + 1) % players if last_turn else current
    r.current, r.phase, r.half_at[:] = current, TILE, NONE
    for p in range(players):
        tower = LOCATIONS.index(towers[p])
        r.tower[p], r.standing[p], r.joined[p], r.open_to[p] = tower, 1 << tower, 1 << tower, BESIDE[tower]
        r.score[p] = score[p]
    r.chip_at[:] = NONE
    for location, kind in (chips or {}).items():
        r.chip_at[LOCATIONS.index(location)] = CHIP_KINDS.index(kind)
    r.table_chips[:] = [table_chips.count(kind) for kind in CHIP_KINDS]
    r.hand[current] = sum(1 << PAIR_NAMES.index(tile) for tile in hand)
    set_hexes(r, hexes, hex_pile)
    set_scrolls(r, display, scroll_pile)
    if second:
        push(r, SECOND, SYMBOLS.index(second), 0)
        r.half_at[SYMBOLS.index(second)] = space("(0,0)")
    if running:
        symbol, number = running.split()
        start_action(r, SYMBOLS.index(symbol), int(number))
        r.phase = ACT
    return s


def set_hexes(r: Any, hexes: tuple[str | None, ...], pile: tuple[str, ...]) -> None:
    """Special hexes on the pentagram and in the pile, top first."""
    assert len(hexes) == len(HEX_SPACES)
    r.hex_at[:] = [NONE if name is None else PAIR_NAMES.index(name) for name in hexes]
    r.hex_pile_size = len(pile)
    r.hex_pile[: len(pile)] = [PAIR_NAMES.index(name) for name in reversed(pile)]


def set_scrolls(r: Any, display: tuple[str, ...], pile: tuple[str, ...]) -> None:
    """Scrolls on display and in the pile, top first."""
    cards = [SCROLLS.index(name) for name in (*display, *pile)]
    r.display[:], r.display_size, r.scroll_pile_size = NONE, 0, len(cards)
    r.scroll_pile[: len(cards)] = cards[::-1]
    for _ in display:
        reveal_scroll(r)


def cauldron(
    s: np.ndarray,
    p: int = 0,
    *,
    coloured: tuple[str, ...] = (),
    black: str | None = None,
    **symbols: str,
) -> np.ndarray:
    """Empty a cauldron and fill it: `witch="(0,1) (1,1)"`, `energy_witch="(0,2)"` for a special hex."""
    r: Any = s[()]
    fresh = GAME.new(int(r.num_players), seed=0)[()]
    r.symbol[p], r.group[p] = fresh.symbol[p], fresh.group[p]
    r.free[p], r.crystals[p], r.cauldron[p] = fresh.free[p] | fresh.crystals[p], 0, 0
    for at in coloured:
        put_crystal(r, p, space(at), COLOURED_CODE)
    if black:
        put_crystal(r, p, space(black), BLACK_CODE)
    for name, cells in symbols.items():
        halves = name.split("_")
        code = 1 + SYMBOLS.index(name) if len(halves) == 1 else 1 + len(SYMBOLS) + PAIR_NAMES.index("/".join(halves))
        for at in cells.split():
            cover(r, p, space(at), code)
    return s


def owns(s: np.ndarray, p: int, *, connections: str = "", scrolls: tuple[str, ...] = (), chips: int = 0) -> np.ndarray:
    """Give a player finished connections (in an order in which they can be built, worth nothing), scrolls and chips."""
    r: Any = s[()]
    before = int(r.score[p])
    for name in connections.split():
        c = CONNECTIONS.index(name)
        for _ in range(LENGTH[c]):
            assert r.energy[p] <= UNITS
            place_energy(r, p, c)
    r.score[p] = before
    display, size = r.display.copy(), int(r.display_size)
    pile_size = int(r.scroll_pile_size)
    for name in scrolls:
        r.display[0], r.display_size, r.scroll_pile_size = SCROLLS.index(name), 1, 0
        take_scroll(r, p, 0)
    r.display[:], r.display_size, r.scroll_pile_size = display, size, pile_size
    r.chips[p, 0] += chips
    r.num_chips[p] += chips
    return s


def sits(s: np.ndarray, p: int, *, standing: str = "", lying: int = 0, wand: int = 0, pentagram: int = 0) -> np.ndarray:
    """Put a player's witches and counters where they are; the stone's places are given in the order of the calls."""
    r: Any = s[()]
    for name in standing.split():
        location = LOCATIONS.index(name)
        r.standing[p] |= 1 << location
        r.reserve[p] -= 1
        if location == STONE:
            r.stone[int((r.stone != NONE).sum())] = p
    r.lying[p] += lying
    r.reserve[p] -= lying
    r.pentagram[p] = pentagram
    if wand:
        r.wand[p] = wand
        r.wand_moves += 1
        r.wand_since[p] = r.wand_moves
    return s


def pending(s: np.ndarray) -> list[str]:
    """What runs and waits, top first."""
    strings: list[str] = GAME.describe(s)["pending"]
    return strings


def choices(s: np.ndarray) -> list[str]:
    """The strings of the legal actions without those that spoil."""
    return [text for text in legal(s) if not text.startswith("spoil")]
