"""Folders of training runs with something in them changed: nothing but our own errors, or a run that can go on."""

from __future__ import annotations

import json
import os
import shutil
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import junk
import msgspec
import numpy as np
from safetensors import safe_open
from safetensors.numpy import save

import coven
from coven.agents import checkpoint, search_training, train
from coven.agents.search_settings import search_preset
from coven.games.core.errors import CovenError
from coven.games.core.game import Game

Run = train.Run | search_training.SearchRun
GAMES = coven.game("alchemists"), coven.game("black_magic_friday")
"""By seed: a game without action features, and one with them."""
TINY = {"players": [2], "network": [4], "tables": 2, "steps_per_update": 4, "batch_size": 8, "epochs": 1}
TINY |= {"lessons": 2, "lesson_length": 2, "evaluation_deals": 2}
TINY_SEARCH = {"players": [2], "network": [4], "full": 2, "quick": 1, "games": 1, "blocks": 2, "lessons": 1}
TINY_SEARCH |= {"lesson_games": 1, "window": 1000, "batch_size": 8, "passes": 0.1, "proof_blocks": 2}
TINY_SEARCH |= {"evaluation_deals": 2, "rounds": 2, "teacher": "guided"}


def attack_run_folders(seed: int, folder: Path) -> Iterator[bool]:
    """What is accepted goes on: the network is finite, and learns."""
    game = GAMES[seed % 2]
    run = train.Run.begin(game, folder / "good", train.preset(game, **TINY))
    run.evaluate()
    run.study()
    run.updates += 1
    run.keep_past_self()
    run.evaluate()
    run.save()
    yield from _attack(train.Run, game, folder, np.random.default_rng(seed), go_on)


def attack_search_run_folders(seed: int, folder: Path) -> Iterator[bool]:
    """The same for training with search, killed in the middle of its second round."""
    game = GAMES[seed % 2]
    run = search_training.SearchRun.begin(game, folder / "good", search_preset(game, **TINY_SEARCH))
    run.evaluate()
    run.save()
    run.play_round(search_training.in_this_process, np.inf)
    run.learn()
    run.end_round(True, 1.0)
    run.play_round(search_training.in_this_process, 0)
    yield from _attack(search_training.SearchRun, game, folder, np.random.default_rng(seed), search_on)


def _attack(
    kind: Any, game: Game, folder: Path, rng: np.random.Generator, use: Callable[[Any], None]
) -> Iterator[bool]:
    """Spoil copies of the good run; 1 of 20 that are accepted goes on."""
    good, bad = folder / "good", folder / "bad"
    whole = {path.name: path.read_bytes() for path in good.iterdir() if path.is_file()}
    while True:
        shutil.rmtree(bad, ignore_errors=True)
        bad.mkdir()
        for name, data in whole.items():
            (bad / name).write_bytes(data)
        _spoil(bad, rng)
        try:
            with mock.patch.object(search_training, "SAMPLE_GAMES", 2):
                run = kind.resume(game, bad)
            for name, values in checkpoint.tensors(run.model if kind is train.Run else run.learner).items():
                assert np.isfinite(values).all(), name
            if rng.random() < 0.05:
                use(run)
        except CovenError:
            yield True
            continue
        yield False


def go_on(run: train.Run) -> None:
    """One more lesson, and everything is stored."""
    if run.settings.tables * run.settings.lesson_length <= 64:
        run.study()
        run.updates += 1
        run.save()


def search_on(run: search_training.SearchRun) -> None:
    """The rest of a round, and everything is stored."""
    s = run.settings
    small = (s.games * s.blocks <= 8, s.lesson_games * s.lessons <= 8, s.proof_blocks <= 8, s.passes <= 10)
    if not all((*small, max(s.full, s.quick) <= 100, s.batch_size <= 1000, s.evaluation_deals <= 20)):
        return  # such a run is possible, but takes its time
    if run.play_round(search_training.in_this_process, np.inf):
        run.learn()
        run.end_round(run.is_lesson or bool(run.prove(search_training.in_this_process).size), 1.0)
        run.save()


def _spoil(folder: Path, rng: np.random.Generator) -> None:
    """Change one file of a run: its bytes, what it says, what it is, or that it is there."""
    paths = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    path, kind = paths[rng.integers(len(paths))], rng.random()
    data = path.read_bytes()
    if kind < 0.05:
        path.unlink()
        how = rng.integers(4)
        if how == 0:
            path.mkdir()
        elif how == 1:
            path.symlink_to("/etc/passwd")
        elif how == 2:
            os.mkfifo(path)
    elif kind < 0.1:
        path.rename(path.with_name(paths[rng.integers(len(paths))].name))
    elif kind < 0.3:
        path.write_bytes(junk.damaged(data, rng))
    elif path.suffix == ".json":
        path.write_bytes(junk.text_of(junk.changed(json.loads(data), rng)))
    elif path.suffix == ".jsonl":
        lines = data.splitlines()
        k = int(rng.integers(len(lines)))
        lines[k] = junk.text_of(junk.changed(json.loads(lines[k]), rng))
        path.write_bytes(b"\n".join(lines))
    elif path.suffix == ".safetensors":
        path.write_bytes(_tensors(path, data, rng))


def _tensors(path: Path, data: bytes, rng: np.random.Generator) -> bytes:
    """Another header, or other tensors; those of a checkpoint with the right digest."""
    size = struct.unpack("<Q", data[:8])[0]
    if rng.random() < 0.3:
        header = junk.text_of(junk.changed(json.loads(data[8 : 8 + size]), rng))
        return struct.pack("<Q", len(header)) + header + data[8 + size :]
    with safe_open(path, "np") as file:
        about: Any = json.loads((file.metadata() or {}).get("about", "{}"))
        held = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118, it is no mapping
    name = list(held)[rng.integers(len(held))]
    kind = int(rng.integers(7))
    if kind == 6:  # outputs are missing, in the weights and the bias alike
        rows, fewer = held[name].shape[:1], int(rng.integers(1, 4))
        held = {name: part[:-fewer] if part.shape[:1] == rows != () else part for name, part in held.items()}
    elif kind == 0:
        held[name] = held[name].reshape(-1)[: int(rng.integers(20))].astype(rng.choice(["f4", "f8", "i8"]))
    elif kind == 1:
        held[f"{name}{junk.TEXTS[1]}"] = held.pop(name)
    elif kind == 2:
        value = rng.choice([np.nan, np.inf, 3e38, -1.0, 0.0, 1.0])
        held[name] = np.full_like(held[name], value if held[name].dtype.kind == "f" else int(rng.integers(256)))
    elif kind == 3:
        del held[name]
    elif kind == 4:
        held = {name: part[:0] if part.ndim else part for name, part in held.items()}
    else:
        about = junk.changed(about, rng)
    if path.name == "checkpoint.safetensors" and rng.random() < 0.9:
        try:
            return checkpoint.pack(held, msgspec.convert(about, checkpoint.Progress))[0]
        except msgspec.ValidationError:
            pass  # facts of a kind that a checkpoint cannot hold: written as they are
    return save(held, {"about": json.dumps(about)})
