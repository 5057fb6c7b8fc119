"""A game's action table: consecutive ranges of ids, one for each kind of decision, with strings and meaning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Kind:
    """One kind of action: a range of ids and the string of each."""

    name: str
    meaning: str
    strings: tuple[str, ...]
    start: int = 0

    @property
    def stop(self) -> int:
        """One past the last id."""
        return self.start + len(self.strings)


class Actions:
    """All actions of a game; `legal`, `apply`, the strings and the docs read the same table."""

    def __init__(self, *kinds: Kind) -> None:
        start = 0
        self.kinds: dict[str, Kind] = {}
        for kind in kinds:
            self.kinds[kind.name] = Kind(kind.name, kind.meaning, kind.strings, start)
            start += len(kind.strings)
        self.strings = tuple(string for kind in kinds for string in kind.strings)
        self.ids = {string: i for i, string in enumerate(self.strings)}
        if len(self.ids) != len(self.strings):
            raise ValueError("two actions have the same string")

    def __len__(self) -> int:
        return len(self.strings)

    def start(self, name: str) -> int:
        """The first id of a kind."""
        return self.kinds[name].start

    def stop(self, name: str) -> int:
        """One past the last id of a kind."""
        return self.kinds[name].stop


def in_full(r: Any, string: str) -> str:
    """The full event text of an action of the player to move, such as `player 2: lead witch`."""
    return f"player {r.current}: {string}"
