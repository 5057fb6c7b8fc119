"""The options of a game: they are checked, and stored in the record as whole numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coven.games.core.errors import BadOption
from coven.games.core.numbers import whole


@dataclass(frozen=True)
class Option:
    """What all options have: a name, a default and a meaning."""

    name: str
    default: Any
    meaning: str

    width = 1

    @property
    def allowed(self) -> str:
        """The allowed values, in words."""
        raise TypeError(f"{type(self).__name__} does not say what it allows")

    def encode(self, value: Any, num_players: int) -> tuple[int, ...]:
        """The value as `width` whole numbers; BadOption if it is not allowed."""
        raise TypeError(f"{type(self).__name__} cannot be encoded")

    def decode(self, numbers: Sequence[int], num_players: int) -> Any:
        """The value that these numbers stand for."""
        return int(numbers[0])

    def refuse(self, value: Any) -> BadOption:
        """The error for a value that is not allowed."""
        return BadOption(f"option {self.name}={value!r} is not allowed; allowed: {self.allowed}")


@dataclass(frozen=True)
class Choice(Option):
    """One of a few words."""

    values: tuple[str, ...] = ()

    @property
    def allowed(self) -> str:
        return " or ".join(repr(v) for v in self.values)

    def encode(self, value: Any, num_players: int) -> tuple[int, ...]:
        if not isinstance(value, str) or value not in self.values:
            raise self.refuse(value)
        return (self.values.index(value),)

    def decode(self, numbers: Sequence[int], num_players: int) -> str:
        return self.values[int(numbers[0])]


@dataclass(frozen=True)
class Flag(Option):
    """On or off; `players` are the player counts at which it may be on, all if none is given."""

    players: tuple[int, ...] = ()

    @property
    def allowed(self) -> str:
        if not self.players:
            return "False or True"
        return f"False, or True with {' or '.join(map(str, self.players))} players"

    def encode(self, value: Any, num_players: int) -> tuple[int, ...]:
        possible = not self.players or num_players in self.players
        if not isinstance(value, bool | np.bool_) or (value and not possible):
            raise self.refuse(value)
        return (int(value),)

    def decode(self, numbers: Sequence[int], num_players: int) -> bool:
        return bool(numbers[0])


@dataclass(frozen=True)
class Number(Option):
    """A whole number between two bounds."""

    low: int = 0
    high: int = 0

    @property
    def allowed(self) -> str:
        return f"a whole number from {self.low} to {self.high}"

    def encode(self, value: Any, num_players: int) -> tuple[int, ...]:
        number = whole(value)
        if number is None or not self.low <= number <= self.high:
            raise self.refuse(value)
        return (number,)


@dataclass(frozen=True)
class PerSeat(Option):
    """A list with one of a few numbers for each seat; the default is the same for every seat."""

    values: tuple[int, ...] = ()
    width: int = 1

    @property
    def allowed(self) -> str:
        return f"a list with one of {', '.join(map(str, self.values))} for each player"

    def encode(self, value: Any, num_players: int) -> tuple[int, ...]:
        given = [value] * num_players if whole(value) == self.default else value
        flat = isinstance(given, list | tuple) or (isinstance(given, np.ndarray) and given.ndim == 1)
        listed = flat and len(given) == num_players
        numbers = [whole(v) for v in given] if listed else []
        if len(numbers) != num_players or any(n not in self.values for n in numbers):
            raise self.refuse(value)
        return (*[n for n in numbers if n is not None], *(0,) * (self.width - num_players))

    def decode(self, numbers: Sequence[int], num_players: int) -> list[int]:
        return [int(n) for n in numbers[:num_players]]
