"""Folders of `coven play` and of `coven data` with something in them changed."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import junk
import numpy as np
import pyarrow
from pyarrow import parquet

import coven
from coven.arena import data
from coven.games.core.errors import CovenError
from coven.web import store
from coven.web.table import Setup


def attack_tables(seed: int, folder: Path) -> Iterator[bool]:
    """What is accepted goes on, prints nothing that a terminal obeys, and names seats that there are."""
    rng, kept = np.random.default_rng(seed), folder / "tables"
    shutil.rmtree(kept, ignore_errors=True)
    (table,) = store.begin(Setup(coven.game("alchemists"), ("human", "human", "random")), kept, seed=seed)
    for _ in range(9):
        table.table.act(table.table.game.legal_actions(table.table.state)[0])
    table.save()
    whole = json.loads(table.file.read_bytes())
    while True:
        document = junk.text_of(junk.changed(whole, rng))
        table.file.write_bytes(junk.damaged(document, rng) if rng.random() < 0.4 else document)
        try:
            for found in store.load(kept):
                told = [*found.links, found.library, *found.table.setup.seats]
                assert all(word.isprintable() for word in told), "escape codes for the terminal"
                assert all(seats and set(seats) <= set(found.table.setup.humans) for seats in found.links.values())
                found.table.act(found.table.game.legal_actions(found.table.state)[0])
                found.save()
        except CovenError:
            yield True
            continue
        yield False


def attack_data(seed: int, folder: Path) -> Iterator[bool]:
    """What is accepted has as many rows as it says, and goes on with the same games."""
    rng, out = np.random.default_rng(seed), folder / "data"
    shutil.rmtree(out, ignore_errors=True)
    wanted = data.plan("alchemists", ["random"])
    done = data.write(wanted, 50, out)
    shard = out / "data" / "part-00000.parquet"
    whole, table = shard.read_bytes(), parquet.read_table(shard)
    about = json.loads(table.schema.metadata[b"coven"])
    while True:
        shard.write_bytes(_shard(table, about, whole, rng))
        try:
            assert data.write(wanted, 50, out) == done
        except CovenError:
            yield True
            continue
        yield False


def _shard(table: pyarrow.Table, about: Any, whole: bytes, rng: np.random.Generator) -> bytes:
    """A damaged file, or one that says something else of itself, or holds something else."""
    kind = rng.random()
    if kind < 0.3:
        return junk.damaged(whole, rng)
    if kind < 0.4:
        table = table.slice(0, int(rng.integers(len(table) + 1)))
    elif kind < 0.5:
        table = table.drop_columns(table.column_names[rng.integers(len(table.column_names))])
    else:
        about = junk.changed(about, rng)
    said = table.replace_schema_metadata({"coven": junk.text_of(about)})
    buffer = pyarrow.BufferOutputStream()
    parquet.write_table(said, buffer)
    packed: bytes = buffer.getvalue().to_pybytes()
    return packed
