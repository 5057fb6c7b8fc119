"""What a possible record is: bounds for every field, then what must add up.

A record that comes from a file may hold anything, and kernels take its numbers as indices without looking. So whatever
is read passes here before a kernel sees it. A game declares `Bounds` for the fields of its record and a function that
says what does not add up (`possible.py` in its folder); the head that all games share is always checked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

from coven.games.core.errors import BadOption
from coven.games.core.options import Option
from coven.games.core.record import NOBODY

Check = Callable[[Any], str | None]
"""What does not add up in a record whose fields are all within their bounds; None if it is possible.

It gets the fields as attributes: plain numbers, and arrays of int64 (sets of 64 bits stay uint64).
"""


@dataclass(frozen=True)
class Bounds:
    """The least and the greatest value of a field: numbers, or arrays in the shape of the field."""

    low: Any
    high: Any
    unused: int | None = None
    """Of a field whose first axis is the seats: what it holds where nobody sits."""
    seats: bool = False
    """Are the values players? Then the greatest is the last of those at the table."""


def within(low: Any, high: Any) -> Bounds:
    """Bounds that are the same for all entries of a field."""
    return Bounds(low, high)


def by_seat(low: Any, high: Any, unused: int = 0) -> Bounds:
    """Bounds of a field whose first axis is the seats; empty seats hold `unused`."""
    return Bounds(low, high, unused)


def player(nobody: bool = False) -> Bounds:
    """Bounds of a field whose values are players, or also `NOBODY`."""
    return Bounds(NOBODY if nobody else 0, 0, seats=True)


@dataclass(frozen=True)
class _Run:
    """Fields of one type side by side in a record."""

    kind: np.dtype[Any]
    start: int
    stop: int


class Possible:
    """Tells possible records of a game from all others."""

    def __init__(
        self,
        record: np.dtype[Any],
        players: Sequence[int],
        phases: Sequence[str],
        options: Sequence[Option],
        bounds: Mapping[str, Bounds],
        check: Check | None,
    ) -> None:
        self._record, self._players, self._phases, self._options = record, players, phases, options
        self._bounds, self._check = bounds, check
        unknown = bounds.keys() - set(record.names or ())
        if unknown:
            raise TypeError(f"bounds for fields that the record does not have: {', '.join(sorted(unknown))}")
        self._runs = _runs(record)
        self._ends: dict[int, tuple[np.ndarray, np.ndarray]] = {}  # by number of players, as bytes

    def impossible(self, s: np.ndarray) -> str | None:
        """Why this state cannot occur in any game; None if it can."""
        n = int(s["num_players"])
        if n not in self._players:
            return f"num_players is {n}; allowed: {', '.join(map(str, self._players))}"
        return self._outside(s, n) or self._head(s, n) or (self._check(_fields(s)) if self._check else None)

    def _outside(self, s: np.ndarray, n: int) -> str | None:
        """The first number that is out of its bounds."""
        if n not in self._ends:
            self._ends[n] = self._low_and_high(n)
        data = np.frombuffer(s.tobytes(), np.uint8)
        for run in self._runs:
            part, low, high = (x[run.start : run.stop].view(run.kind) for x in (data, *self._ends[n]))
            wrong = (part < low) | (part > high)
            if wrong.any():
                k = int(wrong.argmax())
                where = _where(self._record, run.start + k * run.kind.itemsize)
                return f"{where} is {part[k]}; allowed: {low[k]} to {high[k]}"
        return None

    def _low_and_high(self, n: int) -> tuple[np.ndarray, np.ndarray]:
        """The least and the greatest record with that many players, as bytes; what nobody declared may be anything."""
        low, high = np.zeros((), self._record), np.zeros((), self._record)
        known = {
            "num_players": within(n, n),
            "current": player(nobody=True),
            "phase": within(0, len(self._phases) - 1),
            "turn": within(0, np.iinfo(np.int32).max),
            "truncated": within(0, 1),
            (self._record.names or ("",))[-1]: within(0, 0),  # what fills the record up to whole words
        } | dict(self._bounds)
        for name in self._record.names or ():
            kind = self._record[name].base
            limits = np.iinfo(np.uint8 if kind == np.bool_ else kind) if kind.kind in "iub" else None
            if name in known:
                given = known[name]
                low[name], high[name] = given.low, n - 1 if given.seats else given.high
                if given.unused is not None:
                    low[name][n:] = high[name][n:] = given.unused
            elif limits is not None:
                low[name], high[name] = limits.min, limits.max
        return np.frombuffer(low.tobytes(), np.uint8), np.frombuffer(high.tobytes(), np.uint8)

    def _head(self, s: np.ndarray, n: int) -> str | None:
        """What does not fit in the head that all games share."""
        over, phase = int(s["current"]) == NOBODY, self._phases[int(s["phase"])]
        if over != (phase == "over"):
            return f"the phase is {phase!r} and player {int(s['current'])} decides"
        if s["truncated"] and not over:
            return "the game is cut off, but not over"
        numbers = s["options"].tolist()
        for option in self._options:
            own, numbers = numbers[: option.width], numbers[option.width :]
            try:
                fits = list(option.encode(option.decode(own, n), n)) == own
            except (BadOption, IndexError):
                fits = False
            if not fits:
                return f"the option {option.name} is stored as {own}; allowed: {option.allowed}"
        return f"there are {len(numbers)} options too many" if any(numbers) else None


def _fields(s: np.ndarray) -> SimpleNamespace:
    """The fields of a record for reading: attributes of numpy's records take many times longer."""
    values = {}
    for name in s.dtype.names or ():
        value = s[name]
        values[name] = (
            value.item() if not value.ndim else value.astype(np.uint64 if value.dtype == np.uint64 else np.int64)
        )
    return SimpleNamespace(**values)


def _runs(record: np.dtype[Any]) -> list[_Run]:
    """The record as runs of whole numbers of one type; other fields, which have no bounds, are left out."""
    runs: list[_Run] = []
    for name in record.names or ():
        kind, start = record.fields[name][:2]  # type: ignore[index]
        base = np.dtype(np.uint8) if kind.base == np.bool_ else kind.base
        stop = start + kind.itemsize
        if base.kind not in "iu":
            continue
        if runs and runs[-1].kind == base and runs[-1].stop == start:
            runs[-1] = _Run(base, runs[-1].start, stop)
        else:
            runs.append(_Run(base, start, stop))
    return runs


def _where(record: np.dtype[Any], at: int) -> str:
    """The field and the index of the byte at which a number begins, as in `hand[2, 3]`."""
    for name in record.names or ():
        kind, start = record.fields[name][:2]  # type: ignore[index]
        if start <= at < start + kind.itemsize:
            if not kind.shape:
                return name
            index = np.unravel_index((at - start) // kind.base.itemsize, kind.shape)
            return f"{name}[{', '.join(map(str, map(int, index)))}]"
    return f"byte {at}"
