"""An observation as text that people can read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np

from coven.games.core.errors import BadOption
from coven.games.core.layout import Layout, Slice


@dataclass(frozen=True)
class Number:
    """One number of an observation: its index, name, meaning and value."""

    index: int
    slice: str
    row: str
    label: str
    value: int
    meaning: str
    derived: bool


class Explanation:
    """An explained observation: `rows` has all its numbers, `str()` gives those that are not 0 as text."""

    def __init__(self, name: str, layout: Layout, observation: Any) -> None:
        self.name, self.rows = name, list(_numbers(layout, _checked(name, layout, observation)))

    def __str__(self) -> str:
        shown = [number for number in self.rows if number.value]
        lines = []
        for _, numbers in groupby(shown, lambda number: number.slice):
            part = list(numbers)
            lines.append(f"{part[0].slice}{' (derived)' if part[0].derived else ''}: {part[0].meaning}")
            for row, values in groupby(part, lambda number: number.row):
                words = [f"{number.label} {number.value}".strip() for number in values]
                lines.append(f"    {f'{row}: ' if row else ''}{', '.join(words)}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<explanation of {len(self.rows)} numbers of {self.name}>"


def _checked(name: str, layout: Layout, observation: Any) -> np.ndarray:
    """The numbers of a single observation, with or without the derived part; BadOption for anything else."""
    numbers = np.asarray(observation)
    allowed = f"allowed: {layout.size} whole numbers, or the first {layout.raw_size} of them, as game.observe() gives"
    if numbers.ndim != 1 or numbers.size not in (layout.size, layout.raw_size) or numbers.dtype.kind not in "iu":
        raise BadOption(f"not an observation of {name}: shape {numbers.shape}, type {numbers.dtype}; {allowed}")
    low, high = layout.bounds(derived=numbers.size == layout.size)
    wrong = np.flatnonzero((numbers < low) | (numbers > high))
    if len(wrong):
        i = int(wrong[0])
        raise BadOption(
            f"not an observation of {name}: number {i} is {numbers[i]}; allowed there: {low[i]} to {high[i]}"
        )
    return numbers


def _numbers(layout: Layout, numbers: np.ndarray) -> Iterator[Number]:
    for part in layout:
        if part.start < numbers.size:
            for i in range(part.size):
                value = int(numbers[part.start + i])
                yield Number(part.start + i, part.name, *_names(part, i), value, part.meaning, part.derived)


def _names(part: Slice, i: int) -> tuple[str, str]:
    """What the row and the number within it are called."""
    width = len(part.labels) or (part.size // len(part.rows) if part.rows else part.size)
    label = part.labels[i % width] if part.labels else "" if part.size == 1 else str(i % width)
    if part.size == width:
        return "", label
    return part.rows[i // width] if part.rows else str(i // width), label
