"""Which numbers of an observation are about which action, as a game's layout says (`Slice.about`).

A network may heed them: to the output of an action comes the sum of the numbers that are about it, each times a weight.
Numbers that mean the same for different actions share that weight, their *slot*, which the network chooses anew for
every observation. So what it learns of one place it knows of all.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from coven.games.core.actions import Actions, Kind
from coven.games.core.layout import Layout, Slice


@dataclass(frozen=True)
class Block:
    """The numbers of one slice that are about the actions of one kind: rows of columns, one of the two by action."""

    start: int
    """Of the slice, in the observation."""
    rows: int
    columns: int
    action: int
    """The first action."""
    actions: int
    slot: int
    """The first slot."""
    by_row: bool
    """Is a row about one action, with a slot for each column? Else a column is, with a slot for each row."""

    @property
    def slots(self) -> int:
        """How many slots the block has."""
        return self.columns if self.by_row else self.rows

    def __iter__(self) -> Iterator[tuple[int, int, int]]:
        """Action, place in the observation and slot, number by number."""
        for row in range(self.rows):
            for column in range(self.columns):
                number, slot = (row, column) if self.by_row else (column, row)
                if number < self.actions:
                    yield self.action + number, self.start + row * self.columns + column, self.slot + slot


class Links:
    """All of a game's blocks, and the same by action: those of `a` are in places `starts[a]` to `starts[a + 1]`."""

    def __init__(self, layout: Layout, actions: Actions) -> None:
        self.blocks: list[Block] = []
        self.slots = 0
        for part in layout:
            for name in part.about:
                if name not in actions.kinds:
                    raise ValueError(f"observation slice {part.name!r} is about {name!r}, which is no kind of action")
                self.blocks.append(_block(part, actions.kinds[name], self.slots))
                self.slots += self.blocks[-1].slots
        found = sorted(link for block in self.blocks for link in block)
        by_action = [action for action, _, _ in found]
        self.starts = np.searchsorted(by_action, np.arange(len(actions) + 1)).astype(np.int64)
        self.places = np.array([place for _, place, _ in found], np.int64)
        self.slot_of = np.array([slot for _, _, slot in found], np.int64)

    @property
    def digest(self) -> str:
        """A digest of what every slot means."""
        meaning = json.dumps([(self.starts.tolist(), self.places.tolist(), self.slot_of.tolist())])
        return hashlib.sha256(meaning.encode()).hexdigest()[:16]


def _block(part: Slice, kind: Kind, slot: int) -> Block:
    """A slice about a kind of action: its columns are the actions, or else its first rows."""
    columns = len(part.labels) or part.size
    rows, number = part.size // columns, len(kind.strings)
    if columns != number and rows < number:
        raise ValueError(
            f"observation slice {part.name!r} has {rows} rows of {columns} numbers; {kind.name!r}, which it is about, "
            f"has {number} actions; allowed: so many columns, or as many rows and more"
        )
    return Block(part.start, rows, columns, kind.start, number, slot, by_row=columns != number)
