"""Links: which numbers of an observation are about which action, as the game's layout declares (`Slice.about`).

They are the action features of a policy network: to the logit of an action come the numbers about it, each times a
weight. Numbers that mean the same for different actions have the same *slot*, and so the same weight. The weights are
further outputs of the network, so they depend on the observation. Because actions share the weights, what the network
learns about one action holds for all of that kind.
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
    """The numbers of one slice that are about the actions of one kind; each row or each column is about one action."""

    start: int
    """Where the slice begins in the observation."""
    rows: int
    columns: int
    action: int
    """The id of the first action."""
    actions: int
    slot: int
    """The first slot."""
    by_row: bool
    """True: each row is about one action, and each column has a slot. False: the other way round."""

    @property
    def slots(self) -> int:
        """The number of slots of the block."""
        return self.columns if self.by_row else self.rows

    def __iter__(self) -> Iterator[tuple[int, int, int]]:
        """Yield action, position in the observation and slot of every number."""
        for row in range(self.rows):
            for column in range(self.columns):
                number, slot = (row, column) if self.by_row else (column, row)
                if number < self.actions:
                    yield self.action + number, self.start + row * self.columns + column, self.slot + slot


class Links:
    """All links of a game: as `blocks`, and by action.

    The numbers about action `a` are `places[starts[a] : starts[a + 1]]`, positions in an observation; `slot_of` has
    their slots. `slots` is the number of slots.
    """

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
        """A digest of all links: networks with the same digest use the same numbers for the same actions."""
        meaning = json.dumps([(self.starts.tolist(), self.places.tolist(), self.slot_of.tolist())])
        return hashlib.sha256(meaning.encode()).hexdigest()[:16]


def _block(part: Slice, kind: Kind, slot: int) -> Block:
    """The block of a slice about a kind of action: its columns belong to the actions, or else its first rows do."""
    columns = len(part.labels) or part.size
    rows, number = part.size // columns, len(kind.strings)
    if columns != number and rows < number:
        raise ValueError(
            f"observation slice {part.name!r} has {rows} rows of {columns} numbers; {kind.name!r}, which it is about, "
            f"has {number} actions; allowed: so many columns, or as many rows and more"
        )
    return Block(part.start, rows, columns, kind.start, number, slot, by_row=columns != number)
