"""The layout of a game's observation: named slices of one flat array, with bounds and meaning."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

DTYPE = np.int16


@dataclass(frozen=True)
class Slice:
    """A run of numbers in an observation that mean the same kind of thing."""

    name: str
    size: int
    low: int
    high: int
    meaning: str
    start: int = 0

    @property
    def stop(self) -> int:
        """One past the last number."""
        return self.start + self.size


class Layout:
    """The slices of an observation, in order; everything in them is relative to the seat of the observer."""

    def __init__(self, *slices: Slice) -> None:
        start = 0
        self.slices: dict[str, Slice] = {}
        for part in slices:
            if part.name in self.slices or part.low > part.high:
                raise ValueError(f"bad observation slice {part.name!r}")
            self.slices[part.name] = Slice(part.name, part.size, part.low, part.high, part.meaning, start)
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

    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """The least and the greatest value of every number."""
        low = [part.low for part in self for _ in range(part.size)]
        high = [part.high for part in self for _ in range(part.size)]
        return np.array(low, DTYPE), np.array(high, DTYPE)

    def scale(self, observation: np.ndarray) -> np.ndarray:
        """Observations scaled to 0..1 by the bounds, as float32, for those who want it."""
        scaled: np.ndarray = (observation - self.low) * self.factor
        return scaled
