"""Exports the games of a tournament for other tools: Parquet, CSV, or replays as JSON Lines."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

from coven.arena.match import GameRow
from coven.arena.reading import BadFile, decode, list_readers, read_actions
from coven.arena.replay import of_row, write
from coven.arena.schedule import Tournament
from coven.arena.store import COLUMNS, BadStore, Store
from coven.games.core import files
from coven.games.core.errors import BadOption, extra


def export(store: Store, path: Path) -> None:
    """Write all games to a file: .parquet and .csv have a row per game, .jsonl a replay per line."""
    writers = {".parquet": _parquet, ".csv": _csv, ".jsonl": _replays}
    if path.suffix not in writers:
        raise BadOption(f"{path} is not allowed; allowed: a file that ends in {', '.join(writers)}")
    try:
        writers[path.suffix](store, path)
    except BadFile as error:
        raise BadStore(f"{store.path} is damaged: {error}") from error


def _values(t: Tournament, row: GameRow) -> dict[str, Any]:
    """A row with its actions as a list of numbers and its lists as lists."""
    values, readers = row._asdict(), list_readers(t.rules, t.players, t.agents)
    decode(row.options, dict[str, Any], "options")
    actions = read_actions(row.actions, t.rules, t.players)
    return values | {"actions": actions} | {name: read(values[name]) for name, read in readers.items()}


def _csv(store: Store, path: Path) -> None:
    with files.writing(path) as partial, partial.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(("game", *COLUMNS))
        for row in store.games():
            actions = json.dumps(_values(store.tournament, row)["actions"])  # all is looked at: sheets obey some cells
            writer.writerow((store.tournament.game, *row._replace(actions=actions)))  # type: ignore[arg-type]


def _parquet(store: Store, path: Path) -> None:
    with extra("arena", "Parquet files"):
        import pyarrow
        from pyarrow import parquet
    whole = {name: pyarrow.int64() for name in ("number", "deal", "lineup", "rotation", "seed", "truncated")}
    kinds = whole | {
        "options": pyarrow.string(),
        "agents": pyarrow.list_(pyarrow.string()),
        "actions": pyarrow.list_(pyarrow.uint16()),
        "seconds": pyarrow.list_(pyarrow.float64()),
    }
    number = pyarrow.list_(pyarrow.int32())
    schema = pyarrow.schema([(name, kinds.get(name, number)) for name in COLUMNS])
    about = {"game": store.tournament.game, "tournament": json.dumps(store.tournament.to_dict())}
    with files.writing(path) as partial, parquet.ParquetWriter(partial, schema.with_metadata(about)) as writer:
        chunk: list[dict[str, Any]] = []
        for row in store.games():
            chunk.append(_values(store.tournament, row))
            if len(chunk) == 10_000:
                writer.write_table(pyarrow.Table.from_pylist(chunk, schema))
                chunk = []
        writer.write_table(pyarrow.Table.from_pylist(chunk, schema))


def _replays(store: Store, path: Path) -> None:
    write((of_row(store.tournament, row) for row in store.games()), path)
