"""Folders of training runs with something in them changed: nothing but our own errors, or a run that can go on."""

from __future__ import annotations

import json
import shutil
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import junk
import msgspec
import numpy as np
from safetensors import safe_open
from safetensors.numpy import save

import coven
from coven.agents import checkpoint, train
from coven.games.core.errors import CovenError

TINY = {"players": [2], "network": [4], "tables": 2, "steps_per_update": 4, "batch_size": 8, "epochs": 1}
TINY |= {"lessons": 2, "lesson_length": 2, "evaluation_deals": 2}


def attack_run_folders(seed: int, folder: Path) -> Iterator[bool]:
    """What is accepted goes on: the network is finite, and learns."""
    rng, game = np.random.default_rng(seed), coven.game("alchemists")
    good, bad = folder / "good", folder / "bad"
    run = train.Run.begin(game, good, train.preset(game, **TINY))
    run.evaluate()
    run.study()
    run.updates += 1
    run.keep_past_self()
    run.evaluate()
    run.save()
    whole = {path.name: path.read_bytes() for path in good.iterdir() if path.is_file()}
    while True:
        shutil.rmtree(bad, ignore_errors=True)
        bad.mkdir()
        for name, data in whole.items():
            (bad / name).write_bytes(data)
        _spoil(bad, rng)
        try:
            use(train.Run.resume(game, bad), rng)
        except CovenError:
            yield True
            continue
        yield False


def use(run: train.Run, rng: np.random.Generator) -> None:
    """One more lesson now and then, and everything is stored."""
    for name, values in checkpoint.tensors(run.model).items():
        assert np.isfinite(values).all(), name
    if rng.random() < 0.05 and run.settings.tables * run.settings.lesson_length <= 64:
        run.study()
        run.updates += 1
        run.save()


def _spoil(folder: Path, rng: np.random.Generator) -> None:
    """Change one file of a run: its bytes, what it says, what it is, or that it is there."""
    paths = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    path, kind = paths[rng.integers(len(paths))], rng.random()
    data = path.read_bytes()
    if kind < 0.05:
        path.unlink()
        if rng.random() < 0.5:
            path.mkdir()
        elif rng.random() < 0.5:
            path.symlink_to("/etc/passwd")
    elif kind < 0.3:
        path.write_bytes(junk.damaged(data, rng))
    elif path.suffix == ".json":
        path.write_bytes(junk.text_of(junk.changed(json.loads(data), rng)))
    elif path.suffix == ".jsonl":
        lines = data.splitlines()
        k = int(rng.integers(len(lines)))
        lines[k] = junk.text_of(junk.changed(json.loads(lines[k]), rng))
        path.write_bytes(b"\n".join(lines))
    else:
        path.write_bytes(_network(path, data, rng))


def _network(path: Path, data: bytes, rng: np.random.Generator) -> bytes:
    """Another header, or other tensors; those of a checkpoint with the right digest."""
    size = struct.unpack("<Q", data[:8])[0]
    if rng.random() < 0.3:
        header = junk.text_of(junk.changed(json.loads(data[8 : 8 + size]), rng))
        return struct.pack("<Q", len(header)) + header + data[8 + size :]
    with safe_open(path, "np") as file:
        about: Any = json.loads(file.metadata()["about"])
        held = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118, it is no mapping
    name = list(held)[rng.integers(len(held))]
    kind = int(rng.integers(5))
    if kind == 0:
        held[name] = held[name].reshape(-1)[: int(rng.integers(20))].astype(rng.choice(["f4", "f8", "i8"]))
    elif kind == 1:
        held[f"{name}{junk.TEXTS[1]}"] = held.pop(name)
    elif kind == 2:
        held[name] = np.full_like(held[name], rng.choice([np.nan, np.inf, 3e38, -1.0, 0.0, 1.0]))
    elif kind == 3:
        del held[name]
    else:
        about = junk.changed(about, rng)
    if path.name == "checkpoint.safetensors" and rng.random() < 0.9:
        try:
            return checkpoint.pack(held, msgspec.convert(about, checkpoint.Progress))[0]
        except msgspec.ValidationError:
            pass  # facts of a kind that a checkpoint cannot hold: written as they are
    return save(held, {"about": json.dumps(about)})
