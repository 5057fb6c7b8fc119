"""The layout of a game's observation: named slices of one flat array of bytes, with bounds and meaning.

The raw part is what the observer can see, its own hand included. After it may come a derived part: what the rules
compute from that for the player to move (sizes, prices, what it can pay), all 0 for every other seat. The first
`raw_size` numbers of an observation are its raw part.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

DTYPE = np.uint8
_MOST = int(np.iinfo(DTYPE).max)


@dataclass(frozen=True)
class Slice:
    """Consecutive numbers of an observation under one name, such as the prices of all cards."""

    name: str
    size: int
    low: int
    high: int
    meaning: str
    start: int = 0
    derived: bool = False
    """Whether the rules compute these numbers from the rest of the observation."""
    labels: Sequence[str] = ()
    """The names of the numbers or, if there are several rows, of the numbers in a row."""
    rows: Sequence[str] = ()
    """The names of the rows; without names they are counted from 0."""
    about: Sequence[str] = ()
    """The kinds of actions that these numbers are about, such as the prices of cards about buying these cards.

    If a row has as many numbers as the kind has actions, each number in it is about one action, in the same order.
    Otherwise each of the first rows is about one action, in the same order. Policy networks then use the numbers with
    weights that all actions of the kind share (see `coven.games.core.links`)."""

    @property
    def stop(self) -> int:
        """One past the last number."""
        return self.start + self.size


def split(name: str, size: int, first: int, most: int, meaning: str, labels: Sequence[str] = ()) -> list[Slice]:
    """Slices for numbers that may exceed 255: one for the value up to `first`, then one for every further 255."""
    slices = [Slice(name, size, 0, first, meaning if most <= first else f"{meaning}, up to {first}", labels=labels)]
    below = first
    while below < most:
        high = min(most - below, _MOST)
        above = f"{name}: what is above {below}"
        slices.append(Slice(f"{name}_above_{below}", size, 0, high, above, labels=labels))
        below += high
    return slices


class Layout:
    """The slices of an observation, in order; everything in them is relative to the seat of the observer."""

    def __init__(self, *slices: Slice) -> None:
        start = 0
        self.slices: dict[str, Slice] = {}
        self.raw_size = sum(part.size for part in slices if not part.derived)
        """How many numbers come before the derived part."""
        for part in slices:
            if part.name in self.slices or not 0 <= part.low <= part.high <= _MOST:
                raise ValueError(f"bad observation slice {part.name!r}")
            if part.derived != (start >= self.raw_size):
                raise ValueError(f"observation slice {part.name!r}: derived ones come last")
            self.slices[part.name] = replace(part, start=start)
            start += part.size
        self.size = start
        low, high = self.bounds()
        self.low = low.astype(np.float32)
        self.factor = 1 / np.maximum(high.astype(np.float32) - self.low, 1)

    def __iter__(self) -> Iterator[Slice]:
        return iter(self.slices.values())

    def __getitem__(self, name: str) -> Slice:
        return self.slices[name]

    def start(self, name: str) -> int:
        """Where a slice begins."""
        return self.slices[name].start

    def starts(self, *names: str) -> tuple[np.int64, ...]:
        """Where slices begin, as int64, to which a byte of a record can be added without overflow."""
        return tuple(np.int64(self.start(name)) for name in names)

    def length(self, derived: bool = True) -> int:
        """How many numbers an observation has, with or without the derived part."""
        return self.size if derived else self.raw_size

    def bounds(self, derived: bool = True) -> tuple[np.ndarray, np.ndarray]:
        """The least and the greatest value of every number."""
        parts = [part for part in self if derived or not part.derived]
        low = [part.low for part in parts for _ in range(part.size)]
        high = [part.high for part in parts for _ in range(part.size)]
        return np.array(low, DTYPE), np.array(high, DTYPE)

    def scale(self, observation: np.ndarray) -> np.ndarray:
        """Observations scaled to 0..1 by the bounds, as float32, with or without the derived part."""
        size = np.shape(observation)[-1]
        scaled: np.ndarray = (observation - self.low[:size]) * self.factor[:size]
        return scaled
