"""Positions of Alchemists built by hand, as one would lay them out on the table."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import words_help

import coven
from coven.games.alchemists.state import ACTIONS, COLOURS, CREATE, CUBES, NUM_CAULDRONS, NUM_RECIPES, TAKES

GAME = coven.game("alchemists")
play, legal = partial(words_help.play, GAME), partial(words_help.legal, GAME)


def cubes(text: str) -> np.ndarray:
    """`2 blue 1 grey` as counts by colour."""
    words = text.split()
    counts = np.zeros(len(COLOURS), np.int8)
    for number, colour in zip(words[::2], words[1::2], strict=True):
        counts[COLOURS.index(colour)] = int(number)
    return counts


def position(
    *hands: str,
    reserve: str = "9 blue 9 grey 9 green 9 orange 9 yellow",
    bag: str = "2 blue 2 grey",
    potions: dict[str, tuple[int, int]] | None = None,
    schools: tuple[str, ...] = COLOURS,
    turn: int = 10,
    current: int = 0,
    first: int = 0,
) -> np.ndarray:
    """A state with these hands, one for each player, all of it unknown to the others.

    `potions` maps a create string without its verb (`blue+grey: 1 green`) to (owner, value). Cubes that are nowhere
    else are out of the game.
    """
    s = GAME.new(len(hands), seed=0)
    r: Any = s[()]
    r.turn, r.current, r.first = turn, current, first
    r.reserve[:], r.bag[:] = cubes(reserve), cubes(bag)
    for p, hand in enumerate(hands):
        r.hand[p], r.known[p] = cubes(hand), 0
        r.hand_size[p] = r.hand[p].sum()
    for p, school in enumerate(schools):
        r.school[p] = COLOURS.index(school)
    for text, (owner, value) in (potions or {}).items():
        create = ACTIONS.ids[f"create {text}"] - CREATE
        cauldron = create // NUM_RECIPES
        r.potion[cauldron], r.owner[cauldron], r.value[cauldron] = create, owner, value
        r.seals[owner] -= 1
        r.tile[value - 1] = 0
    r.removed[:] = CUBES - sum_outside_removed(s)
    return s


def sum_outside_removed(s: np.ndarray) -> np.ndarray:
    """Cubes of each colour everywhere but out of the game."""
    d = GAME.describe(s)
    places = [d["bag"], d["reserve"], *d["hands"], *(c["recipe"] for c in d["cauldrons"])]
    return np.array([sum(place.get(colour, 0) for place in places) for colour in COLOURS])


def shuffled_hidden(s: np.ndarray, viewer: int, rng: np.random.Generator) -> np.ndarray:
    """The same table with all cubes that the viewer cannot place and all schools but its own dealt anew."""
    other = GAME.clone(s)
    r = other[()]
    rivals = [p for p in range(r.num_players) if p != viewer]
    unknown = {p: r.hand[p] - r.known[p] for p in rivals}
    pool = np.repeat(np.arange(5), r.bag + sum(unknown.values()))
    rng.shuffle(pool)
    for p in rivals:
        mine, pool = pool[: unknown[p].sum()], pool[unknown[p].sum() :]
        r.hand[p] = r.known[p] + np.bincount(mine, minlength=5)
    r.bag[:] = np.bincount(pool, minlength=5)
    schools = [p for p in range(5) if p != viewer]
    r.school[schools] = rng.permutation(r.school[schools])
    r.rng = rng.integers(1 << 63)
    return other


__all__ = [
    "COLOURS",
    "GAME",
    "NUM_CAULDRONS",
    "TAKES",
    "cubes",
    "legal",
    "play",
    "position",
    "shuffled_hidden",
    "sum_outside_removed",
]
