"""The first fields (the head) of every game's record."""

from __future__ import annotations

from typing import Any

import numpy as np

from coven.games.core.kernels import kernel

NOBODY = -1
_ALIGNMENT = 8
_FILLING = "padding"
_SEATS = 8  # more than any of our games has

# By number of players, observer and seat: who sits there, clockwise from the observer; behind the last seat come the
# players whom the record has room for and who are not there.
PLAYER_AT = np.array(
    [
        [[(player + seat) % n if seat < n else seat for seat in range(_SEATS)] for player in range(_SEATS)]
        for n in range(_SEATS + 1)
    ],
    np.uint8,
)


def record(options: int, *fields: tuple[Any, ...]) -> np.dtype[Any]:
    """The record type of a game: the head that all games share, and the game's own fields.

    Fields of wide numbers come first, and padding is a field too, so that every byte belongs to a field: numpy does not
    copy other bytes, and equal states would differ in them.
    """
    head = [
        ("rng", np.uint64),  # the random generator
        ("options", np.int32, (max(options, 1),)),  # the options in force, encoded
        ("turn", np.int32),  # turns finished or begun, as the game's rules page says
        ("num_players", np.int8),
        ("current", np.int8),  # the player who decides now, NOBODY when the game is over
        ("phase", np.int8),  # what kind of decision it is
        ("truncated", np.bool_),  # cut off by a limit instead of ended by the rules
    ]
    taken = [name for name, *_ in fields if hasattr(np.record, name)]
    if taken:
        raise TypeError(f"a field cannot be called {taken[0]}: without the compiler that is numpy's own attribute")
    by_width = sorted([*head, *fields], key=lambda field: -np.dtype(field[1]).itemsize)
    size = np.dtype(by_width).itemsize
    filled = [*by_width, (_FILLING, np.int8, (-size % _ALIGNMENT or _ALIGNMENT,))]
    return np.dtype((np.record, np.dtype(filled, align=True)))


def own(dtype: np.dtype[Any], name: str) -> np.dtype[Any]:
    """The record type of one game alone: kernels are found by it, and another game may well have the same fields."""
    if dtype.names is None or _FILLING not in dtype.names:
        raise TypeError(f"the record of {name} was not made by coven.games.core.record.record")
    parts = [dtype.fields[field] for field in dtype.names] if dtype.fields else []
    described = {
        "names": [f"of_{name}" if field == _FILLING else field for field in dtype.names],
        "formats": [part[0] for part in parts],
        "offsets": [part[1] for part in parts],
        "itemsize": dtype.itemsize,
    }
    return np.dtype((np.record, np.dtype(described, align=True)))  # type: ignore[call-overload]


@kernel
def after(s, player):
    """The next seat clockwise."""
    player += 1
    return player if player < s.num_players else 0
