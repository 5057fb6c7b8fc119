"""What a game's rulebook says, statement by statement in our own words, read from its `statements.toml`.

Every statement says whether the game keeps it and, if it does not just keep it, why. Tests name the statements they
hold; `coven.statements` brings both together.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

KEPT = {
    "yes": "the game does what the rulebook says",
    "departs": "the game differs on purpose",
    "reconstructed": "a lost picture told it",
    "without effect": "nothing in the game depends on it",
}
_TESTED = ("yes", "departs")


@dataclass(frozen=True)
class Statement:
    """One statement of a rulebook."""

    id: int
    says: str
    kept: str
    why: str = ""

    @property
    def needs_test(self) -> bool:
        """Must a test hold it?"""
        return self.kept in _TESTED


def read(folder: Path) -> dict[int, Statement]:
    """The statements of the game in this folder, by number; none if it has no such file."""
    path = folder / "statements.toml"
    if not path.is_file():
        return {}
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    rows = content.get("statement")
    if content.keys() != {"statement"} or not isinstance(rows, list):
        raise ValueError(f"{path} must hold an array of tables [[statement]] and nothing else")
    statements: dict[int, Statement] = {}
    for row in rows:
        found = _statement(row, path)
        if found.id in statements:
            raise ValueError(f"{path}: two statements have the id {found.id}")
        statements[found.id] = found
    return statements


def _statement(row: dict[str, Any], path: Path) -> Statement:
    if type(row.get("id")) is not int or row["id"] < 1:
        raise ValueError(f"{path}: a statement needs an id, a whole number from 1; this one has none: {row}")
    words = {key: value for key, value in row.items() if key != "id"}
    if not {"says", "kept"} <= words.keys() <= {"says", "kept", "why"} or not all(
        isinstance(word, str) and word for word in words.values()
    ):
        raise ValueError(f"{path}: statement {row['id']} needs the texts says and kept, perhaps why, and nothing else")
    if words["kept"] not in KEPT:
        allowed = ", ".join(map(repr, KEPT))
        raise ValueError(f"{path}: statement {row['id']} has kept={words['kept']!r}; allowed: {allowed}")
    if words["kept"] != "yes" and "why" not in words:
        raise ValueError(f"{path}: statement {row['id']} is kept={words['kept']!r} and must say why")
    return Statement(**row)
