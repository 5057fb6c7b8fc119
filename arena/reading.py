"""Checks every value that is read from a tournament file or a replay, since these may come from strangers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from coven.games.core.errors import CovenError
from coven.games.core.game import Game

MOST_TEXT = 1 << 20
"""Characters of one value in a tournament, bytes of a line of replays."""
MOST_NAME = 500
"""Characters of the name of an agent: a spec may hold the path of a file."""
MOST_SECONDS = 1e9


class BadFile(CovenError):
    """A file with contents that cannot be right."""


def check_name(name: Any, what: str = "agent") -> None:
    """Raise ValueError unless it is printable text: other characters can control a terminal."""
    if not isinstance(name, str) or not 0 < len(name) <= MOST_NAME or not name.isprintable():
        raise BadFile(f"the {what} {shortened(name)} cannot be shown; allowed: 1 to {MOST_NAME} printable characters")


def shortened(value: Any) -> str:
    """A value from a stranger as part of a message."""
    try:
        text = repr(value)
    except (RecursionError, ValueError):  # lists within lists, numbers of thousands of digits
        return f"a {type(value).__name__}"
    return text if len(text) <= 80 else f"{text[:77]}..."


def decode(text: Any, kind: Any, what: str) -> Any:
    """Decode JSON of a given type; BadFile for anything else."""
    if not isinstance(text, str | bytes) or len(text) > MOST_TEXT:
        raise BadFile(f"{what} is not text of at most {MOST_TEXT} characters, but {shortened(text)}")
    try:
        return msgspec.json.decode(text, type=kind)
    except (msgspec.DecodeError, UnicodeError, RecursionError, ValueError) as error:
        raise BadFile(f"{what} is not what it should be: {error}") from error


def _numbers(text: Any, what: str, players: int, low: float, high: float, kind: Any = int) -> list[Any]:
    """A number for each seat."""
    numbers: list[Any] = decode(text, list[kind], what)
    if len(numbers) != players or not all(math.isfinite(x) and low <= x <= high for x in numbers):
        raise BadFile(f"{what} are {shortened(numbers)}; allowed: {players} numbers from {low:g} to {high:g}")
    return numbers


def read_ranks(text: Any, players: int) -> list[int]:
    """The final ranks by seat: 1 for the best, level players share, then 1 1 3."""
    ranks = _numbers(text, "ranks", players, 1, players)
    if any(rank != 1 + sum(other < rank for other in ranks) for rank in ranks):
        raise BadFile(f"{ranks} are no ranks; allowed: 1 for the best, level players share, then 1 1 3")
    return ranks


def list_readers(game: Game, players: int, agents: Sequence[str]) -> dict[str, Callable[[Any], list[Any]]]:
    """How the lists of a stored game are read, by column."""
    known = set(agents)

    def names(text: Any) -> list[str]:
        specs: list[str] = decode(text, list[str], "agents")
        if len(specs) != players or not known.issuperset(specs):
            raise BadFile(f"agents are {shortened(specs)}; allowed: {players} of those of the tournament")
        return specs

    longest, (least, most) = game.facts.longest[players], game.facts.scores
    return {
        "agents": names,
        "ranks": lambda text: read_ranks(text, players),
        "scores": lambda text: _numbers(text, "scores", players, least, most),
        "moves": lambda text: _numbers(text, "moves", players, 0, longest),
        "faults": lambda text: _numbers(text, "faults", players, 0, longest),
        "forfeits": lambda text: _numbers(text, "forfeits", players, 0, 1),
        "seconds": lambda text: _numbers(text, "seconds", players, 0, MOST_SECONDS, float),
    }


def read_actions(data: Any, game: Game, players: int) -> list[int]:
    """The decisions of a stored game."""
    longest = game.facts.longest[players]
    if not isinstance(data, bytes) or len(data) % 2 or len(data) > 2 * longest:
        raise BadFile(f"the actions are not at most {longest} numbers of 16 bits")
    return [int.from_bytes(data[i : i + 2], "little") for i in range(0, len(data), 2)]
