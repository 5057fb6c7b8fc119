"""Positions of Wie verhext! built by hand, as one would lay them out on the table."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import words_help

import coven
from coven.games.wie_verhext.state import COLOURS, LEADING, PILES, ROLES, SCROLLS

GAME = coven.game("wie_verhext")
play, legal = partial(words_help.play, GAME), partial(words_help.legal, GAME)
NOTHING = dict.fromkeys(COLOURS, 0)


def drops(text: str) -> dict[str, int]:
    """`RRW` as counts by colour."""
    return {colour: text.count(colour[0].upper()) for colour in COLOURS}


def position(
    *hands: str,
    leader: int = 0,
    goods: dict[int, tuple[str, int]] | None = None,
    scroll: str = "copia",
    gone: dict[str, int] | None = None,
    shelf_gold: int = 0,
    shelf_drops: int = 0,
    ravens: int = 0,
    **options: Any,
) -> np.ndarray:
    """A state in which the leader is about to lead: a hand for each player, its roles divided by commas.

    `goods` gives players drops and gold (`{0: ("RRG", 2)}`), the others have none; `gone` says how many cards are gone
    from a pile.
    """
    s = GAME.new(len(hands), seed=0, **options)
    r: Any = s[()]
    r.phase, r.leader, r.current, r.ravens = LEADING, leader, leader, ravens
    for p, hand in enumerate(hands):
        for role in filter(None, hand.split(", ")):
            r.hand[p, ROLES.index(role)] = 1
        r.hand_size[p] = r.hand[p].sum()
        text, r.gold[p] = (goods or {}).get(p, ("", 0))
        r.drops[p] = list(drops(text).values())
    for pile, number in (gone or {}).items():
        r.gone[PILES.index(pile)] = number
    r.shelf[PILES.index("gold")], r.shelf[PILES.index("drops")] = shelf_gold, shelf_drops
    others = [i for i, name in enumerate(SCROLLS) if name != scroll]
    r.scroll[:] = [SCROLLS.index(scroll), *others]
    return s


def goods_of(d: dict[str, Any], p: int) -> tuple[str, int, int]:
    """A player's drops by their first letters in colour order, gold and vials."""
    return "".join(n * colour[0].upper() for colour, n in d["drops"][p].items()), d["gold"][p], d["vials"][p]
