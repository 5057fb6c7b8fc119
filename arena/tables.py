"""Tables that fit a terminal: names are never cut, and columns for which there is no room follow below."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from rich.box import SIMPLE
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions
from rich.table import Table
from rich.text import Text

PADDING = 3  # beside every column: spaces, as the box below draws them
LEAST_NAME, LEAST_TEXT = 20, 24
INTERVAL = "95 %"  # how the title of an interval begins


@dataclass(frozen=True)
class Column:
    """A column: a `name` comes first in every part of a table, a `number` stays on one line, a `text` is wrapped."""

    title: str
    kind: Literal["name", "number", "text"] = "number"

    @property
    def joined(self) -> bool:
        """Whether it must be next to the column before it, as an interval next to its number."""
        return self.title.startswith(INTERVAL)

    def width(self, cells: Sequence[str], room: int) -> int:
        """How wide it is in a table with so much room; long names and texts go on in the next line."""
        natural = max(cell_len(cell) for cell in (self.title, *cells))
        if self.kind == "number":
            return natural
        return min(natural, max(LEAST_NAME, room // 2) if self.kind == "name" else LEAST_TEXT)


@dataclass(frozen=True)
class FittedTable:
    """A table that a console prints in parts of some columns each, with the names in all of them, if it is narrow."""

    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[str]]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text | Table]:
        room = options.max_width
        widths = [column.width([row[i] for row in self.rows], room) for i, column in enumerate(self.columns)]
        if self.title:
            yield Text(self.title, style="italic")
        for part in parts(self.columns, widths, room):
            yield self._part(part, widths)
            yield Text()

    def _part(self, part: list[int], widths: list[int]) -> Table:
        table = Table(box=SIMPLE, show_edge=False)
        for i in part:
            column = self.columns[i]
            table.add_column(
                Text(column.title),
                justify="right" if column.kind == "number" else "left",
                overflow="fold",
                width=None if column.kind == "text" else widths[i],
            )
        for row in self.rows:
            table.add_row(*(Text(row[i]) for i in part))
        return table


def parts(columns: Sequence[Column], widths: Sequence[int], room: int) -> Iterator[list[int]]:
    """Which columns stand together: the names, and as many of the others as have room; at least one."""
    names = [i for i, column in enumerate(columns) if column.kind == "name"]
    taken = [width + PADDING for width in widths]
    free = room - sum(taken[i] for i in names)
    part: list[int] = []
    for group in _groups(columns, taken, free):
        if part and sum(taken[i] for i in (*part, *group)) > free:
            yield sorted(names + part)
            part = []
        part += group
    yield sorted(names + part)


def _groups(columns: Sequence[Column], taken: Sequence[int], free: int) -> list[list[int]]:
    """The columns other than names, each with those that are joined to it if both have room."""
    groups: list[list[int]] = []
    for i, column in enumerate(columns):
        if column.kind == "name":
            continue
        if groups and column.joined and sum(taken[j] for j in (*groups[-1], i)) <= free:
            groups[-1].append(i)
        else:
            groups.append([i])
    return groups
