"""The components of a game, read from its `components.toml`; every entry has its source.

An entry is a table with a `value`, a `from` (one of `SOURCES`) and an optional `note`; tables without a `value` group
entries.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SOURCES = {
    "book": "stands in the rulebook",
    "fact": "comes from another public source",
    "sum": "follows from the rulebook by arithmetic",
    "rec": "reconstructed, because only a lost picture showed it",
    "ours": "our decision where all sources are silent",
}


@dataclass(frozen=True)
class Entry:
    """One fact about the components and its source."""

    name: str
    value: Any
    source: str
    note: str


class Components:
    """The values of a component file, by name, and the source of each."""

    def __init__(self, path: Path) -> None:
        self.entries: list[Entry] = []
        self._values = self._read(tomllib.loads(path.read_text(encoding="utf-8")), "", path)

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def _read(self, table: dict[str, Any], prefix: str, path: Path) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for key, item in table.items():
            name = f"{prefix}{key}"
            if not isinstance(item, dict):
                raise ValueError(f"{path}: {name} must be a table with a value and its source (from)")
            if "value" not in item:
                values[key] = self._read(item, f"{name}.", path)
                continue
            if item.get("from") not in SOURCES or not item.keys() <= {"value", "from", "note"}:
                raise ValueError(f"{path}: {name} needs value, from (one of {', '.join(SOURCES)}) and perhaps a note")
            self.entries.append(Entry(name, item["value"], item["from"], item.get("note", "")))
            values[key] = item["value"]
        return values
