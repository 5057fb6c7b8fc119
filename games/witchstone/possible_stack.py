"""What can run and wait in a possible record of Witchstone, and what a decision in two halves can be about."""

from __future__ import annotations

from typing import Any

import numpy as np

from coven.games.witchstone.geometry import BIT, CRYSTAL, DISTANCE, EXIT_COST, NUM_SYMBOLS, SPACES, hex_distance
from coven.games.witchstone.state import (
    ACT,
    ACTION,
    BLACK_MORE,
    BOTTOM,
    CAPACITY,
    CHIP,
    CHIP_BONUS,
    CHOICE_BONUS,
    DARK,
    HEX,
    HEX_ACTIONS,
    HEX_BONUS,
    LAY,
    MOVE,
    NONE,
    NUM_PAIRS,
    NUM_TILES,
    OVER,
    PAIRS,
    RACK,
    SECOND,
    SPACE_COLOUR,
    START,
    SYMBOL_CODE,
    TILE,
    TILE_PAIR,
    TOWER,
    VIAL_ACTIONS,
    VIAL_BONUS,
    WAND_SPACES,
    most_hexes,
    most_pentagram_steps,
)

_MOST_HEXES = most_hexes(most_pentagram_steps(1))  # that can wait in one turn


def impossible_stack(r: Any) -> str | None:
    """What does not add up in what runs and waits."""
    return _halves(r) or _stack(r) or _decision(r)


def _halves(r: Any) -> str | None:
    """The tile of this turn lies with both its symbols in the cauldron."""
    laid = np.flatnonzero(r.half_at != NONE)
    if r.turn == 0:
        return None if not r.half_at.any() else "a tile lies before the first turn"
    if r.phase in (TILE, LAY):
        return "a tile of this turn lies already" if len(laid) else None
    if r.phase == OVER:
        return None
    if len(laid) != 2:
        return "no tile of this turn lies in the cauldron"
    spaces = r.half_at[laid]
    gone = PAIRS[TILE_PAIR[np.flatnonzero(r.gone[r.current] >> np.arange(NUM_TILES) & 1)]]
    apart = hex_distance(SPACES[spaces[0]], SPACES[spaces[1]]) != 1
    if apart or (r.cauldron[r.current, spaces] != SYMBOL_CODE + laid).any() or laid.tolist() not in gone.tolist():
        return "the tile of this turn does not lie where it is said to"
    return None


def _stack(r: Any) -> str | None:
    """Actions with what waits on them, at the bottom the second half of the tile; it is not higher than it can be."""
    if r.phase in (TOWER, TILE, LAY, START, OVER):
        return None if r.height == 0 and r.running == NONE else "something runs between two turns"
    kinds = r.item_kind[: r.height]
    running = np.flatnonzero(kinds < CHIP_BONUS)
    if not len(running) or r.running != running[-1] or kinds[r.running] != ACTION:
        return "no action is running"
    for i in range(r.height):
        if not _item(r, i):
            return f"item {i} of the stack cannot lie there"
    p = r.current
    hexes = int((kinds >= HEX_BONUS).sum())
    witches = int(r.standing[p]).bit_count()
    crystals = int(r.racked[p] + r.shelf_black[:, p].sum())
    dark = int((SPACE_COLOUR[: r.wand[p] + 1] == DARK).sum())
    most = 2 + witches + crystals + dark + _MOST_HEXES
    return "the stack is higher than a turn can make it" if r.height > most or hexes > _MOST_HEXES else None


def _item(r: Any, i: int) -> bool:
    """Can this lie at that height?"""
    kind, what, number = int(r.item_kind[i]), int(r.item_what[i]), int(r.item_number[i])
    symbol = 0 <= what < NUM_SYMBOLS
    if kind == ACTION:
        return symbol
    if kind == SECOND:
        return i == 0 and symbol and number == 0 and r.turn > 0 and r.half_at[what] != NONE
    if kind == WAND_SPACES:
        return 1 <= what <= number == r.wand[r.current] and (r.item_kind[:i] != WAND_SPACES).all()
    if i == 0 or r.item_kind[i - 1] in (SECOND, WAND_SPACES):
        return False  # a bonus waits on an action
    if kind == CHIP_BONUS:
        return symbol and number in (1, 1 + BLACK_MORE)
    if kind == VIAL_BONUS:
        return symbol and number in (VIAL_ACTIONS, VIAL_ACTIONS + BLACK_MORE)
    if kind == HEX_BONUS:
        return 0 <= what < NUM_PAIRS and number == HEX_ACTIONS
    return kind == CHOICE_BONUS and what == NONE and number == HEX_ACTIONS and r.hex_pile_size == 0


def _decision(r: Any) -> str | None:
    """The chosen crystal can be moved, and one that left the cauldron shelved."""
    if r.phase in (MOVE, RACK, CHIP) and r.item_what[r.running] != CRYSTAL:
        return "a crystal is moved without the action"
    if r.phase == MOVE:
        number, here = r.item_number[r.running], BIT[r.crystal]
        reach = (DISTANCE[r.crystal] <= number) & ((r.free[r.current] & BIT) != 0)
        if not r.crystals[r.current] & here or not (reach.any() or EXIT_COST[r.crystal].min() <= number):
            return "the chosen crystal cannot be moved"
    if r.phase == RACK:
        room = r.shelf_size < CAPACITY[r.num_players]
        if not room[r.exit] and not room[BOTTOM]:
            return "the crystal on the rim has no place"
    if r.phase == CHIP and not (r.shelf_black if r.black else r.shelf)[BOTTOM, r.current]:
        return "a chip is taken without a crystal on the bottom shelf"
    return None if r.phase in (ACT, MOVE, RACK, CHIP, HEX) or r.height == 0 else "something runs outside its phase"
