"""What a possible record of Alchemists is: bounds of its fields, and what must add up."""

from __future__ import annotations

from typing import Any

import numpy as np

from coven.games.alchemists.state import (
    BAG,
    CUBES,
    DRAW_SIZE,
    EMPTY,
    EXHAUSTED_KINDS,
    HAND,
    MIX,
    NONE,
    NUM_CAULDRONS,
    NUM_COLOURS,
    NUM_CREATES,
    NUM_RECIPES,
    NUM_TILES,
    OVER,
    RESERVE,
    SEALS,
    TILES,
    VALUE,
)
from coven.games.core.possible import by_seat, player, within
from coven.games.core.record import NOBODY

_MOST_FAME = 1000
_MOST_IN_HAND = np.iinfo(np.int8).max
_LONGEST = 1000  # turns

BOUNDS = {
    "turn": within(0, _LONGEST),
    "first": player(),
    "brewing": within(NONE, NUM_CAULDRONS - 1),
    "bag": within(0, CUBES),
    "reserve": within(0, CUBES),
    "removed": within(0, CUBES),
    "hand": by_seat(0, CUBES),
    "known": by_seat(0, CUBES),
    "hand_size": by_seat(0, _MOST_IN_HAND),
    "unknown": by_seat(0, 0),
    "school": within(0, NUM_COLOURS - 1),
    "seals": by_seat(0, SEALS),
    "fame": by_seat(0, _MOST_FAME),
    "potion": within(0, EMPTY),
    "owner": player(nobody=True),
    "value": within(0, TILES[-1]),
    "tile": within(0, 1),
    "passed": by_seat(0, 1),
    "known_at_pass": by_seat(0, CUBES),
    "potion_at_pass": by_seat(0, EMPTY),
}


def impossible(r: Any) -> str | None:
    """What does not add up in a record whose fields are within their bounds."""
    return _cubes(r) or _cauldrons(r) or _order(r) or _passes(r)


def _cubes(r: Any) -> str | None:
    """Every cube of the box is somewhere, just once; bag and reserve only shrink."""
    n, setup = r.num_players, r.options[0]
    hands, brewed = r.hand.sum(axis=0), MIX[r.potion].sum(axis=0)
    if (r.bag + r.reserve + r.removed + hands + brewed != CUBES).any():
        return f"the cubes of a colour are not {CUBES}"
    if (r.hand.sum(axis=1) != r.hand_size).any() or (r.known > r.hand).any():
        return "a hand does not hold as many cubes as it is said to"
    drawn = NUM_COLOURS * int(BAG[setup, n]) - n * HAND - int(r.bag.sum())
    if (r.bag > BAG[setup, n]).any() or (r.reserve > RESERVE[setup, n]).any() or drawn < 0 or drawn % DRAW_SIZE:
        return "bag and reserve do not hold what is left of the set-up"
    if len(set(r.school.tolist())) != NUM_COLOURS:
        return "two players have the same school"
    return None


def _cauldrons(r: Any) -> str | None:
    """A potion stands on its own cauldron with a seal and a tile; no mix stands on two of them."""
    filled = np.flatnonzero(r.potion != EMPTY)
    if (r.potion[filled] // NUM_RECIPES != filled).any() or len({tuple(MIX[i]) for i in r.potion[filled]}) < len(
        filled
    ):
        return "a potion stands on the wrong cauldron, or a mix on two"
    if ((r.owner == NOBODY) != (r.potion == EMPTY)).any():
        return "a cauldron has a potion or a seal, but not both"
    seals = np.bincount(r.owner[filled], minlength=len(r.seals))
    if (seals + r.seals != np.where(np.arange(len(r.seals)) < r.num_players, SEALS, 0)).any():
        return f"a player does not have {SEALS} seals"
    brewing = r.phase == VALUE
    if brewing != (r.brewing != NONE) or (
        brewing and (r.potion[r.brewing] == EMPTY or r.owner[r.brewing] != r.current)
    ):
        return "the cauldron that waits for its tile is not one of the player on turn"
    valued = [i for i in filled.tolist() if i != r.brewing]
    tiles = np.ones(NUM_TILES, int)
    tiles[r.value[valued] - 1] = 0
    if (r.value[valued] == 0).any() or (r.value != 0).sum() != len(valued) or (r.tile != tiles).any():
        return "the tiles on the cauldrons and on the table do not make the set"
    if tiles.sum() + len(valued) != NUM_TILES or (_earned(r, valued) > r.fame).any():
        return "two potions have the same tile, or a creator has less fame than it is worth"
    return None


def _earned(r: Any, valued: list[int]) -> np.ndarray:
    """The fame of every player from potions that are its own."""
    earned = np.zeros(len(r.fame), int)
    np.add.at(earned, r.owner[valued], r.value[valued])
    return earned


def _order(r: Any) -> str | None:
    """Turns go round from the first player, and the round in which three kinds are gone is the last."""
    n, exhausted = r.num_players, (r.reserve == 0).sum() >= EXHAUSTED_KINDS
    if r.phase == OVER:
        return None if r.turn % n == 0 and exhausted else "the game is over before its end"
    if (r.current - r.first) % n != r.turn % n:
        return f"in turn {r.turn} it cannot be the decision of player {r.current}"
    if r.turn % n == 0 and exhausted:
        return "the game should be over"
    begun = r.hand_size[:n].sum() != n * HAND or r.fame.any() or (r.potion != EMPTY).any()
    if r.turn == 0 and r.phase != VALUE and begun:
        return "something happened before the first turn"
    return None


def _passes(r: Any) -> str | None:
    """Whoever passed did so in this last round, with nothing left to take, and could really do nothing."""
    n = r.num_players
    for p in np.flatnonzero(r.passed).tolist():
        early = r.phase != OVER and (p - r.first) % n >= (r.current - r.first) % n
        if r.bag.any() or r.reserve.any() or early or (r.known_at_pass[p] > r.known[p]).any():
            return f"player {p} cannot have passed yet"
        potions = r.potion_at_pass[p]
        if ((potions != r.potion) & (potions != EMPTY)).any() or _could_brew(r, p):
            return f"player {p} passed, but could have brewed"
    idle = r.passed == 0
    if r.known_at_pass[idle].any() or r.potion_at_pass[idle].any():
        return "something is remembered of a pass that never was"
    return None


def _could_brew(r: Any, p: int) -> bool:
    """Could the hand that p had at its pass have created or copied a potion?"""
    held = r.hand[p] - r.known[p] + r.known_at_pass[p]
    potions = r.potion_at_pass[p]
    standing = [int(i) for i in np.flatnonzero(potions != EMPTY)]
    payable = (MIX[:NUM_CREATES] <= held).all(axis=1)
    if any(payable[potions[i]] and r.owner[i] != p for i in standing):
        return True
    taken = {tuple(MIX[potions[i]]) for i in standing}
    return bool(r.seals[p]) and any(
        tuple(MIX[i]) not in taken for i in np.flatnonzero(payable) if i // NUM_RECIPES not in standing
    )
