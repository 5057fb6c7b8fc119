"""Coven beside its peers, in one run on one machine: `make bench`.

Writes `peers.md`, its pictures and every single measurement (`peers.json`) into benchmarks/results.
"""

from __future__ import annotations

import datetime
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import tyro
from rich.console import Console

from coven.arena.machine import machine
from coven.benchmarks import plots, scaling
from coven.benchmarks.ceiling import compiler
from coven.benchmarks.peers.worker import AEC, BATCHES, FACES, KERNEL, KERNEL_OBSERVING, PYTHON, SEARCH, TRAINING
from coven.benchmarks.report import Comparison, Scaling, markdown
from coven.benchmarks.rounds import Row, Worker, in_turn, start
from coven.benchmarks.targets import US
from coven.games import built_in
from coven.games import game as find_game
from coven.games.core import files
from coven.games.core.errors import BadOption, CovenError

HERE = Path(__file__).parent
PEERS = ("open_spiel", "pettingzoo", "rlcard", "pgx", "catanatron", "envpool")


def commands(python: Path, peers: Sequence[str]) -> dict[str, list[str]]:
    """How each worker is started: ours with this Python, the others with the peers'."""
    ours = {US: [sys.executable, "-m", "coven.benchmarks.ours"]}
    return ours | {peer: [str(python.absolute()), "-m", f"peers.{peer}"] for peer in peers}


def one_core() -> int | None:
    """The core that all workers share, where the system lets us choose."""
    return max(os.sched_getaffinity(0)) if hasattr(os, "sched_setaffinity") else None


def scale(seconds: float, rounds: int, compiling: bool, tell: Console) -> Scaling:
    """How our costs grow, for every game."""
    found = Scaling()
    for name in built_in():
        game = find_game(name)
        game.prepare()
        with tell.status(f"scaling: {name}"):
            found.players[name] = scaling.by_players(game, seconds, rounds)
            found.batch[name] = scaling.by_batch(game, seconds, rounds)
            found.threads[name] = scaling.by_threads(game, seconds, rounds)
            found.lengths[name] = scaling.decisions_per_game(game, game.players[-1])
            found.stages[name] = scaling.by_stage(game, rounds)
            found.memory[name] = scaling.memory(game)
            if compiling:
                found.starts[name] = scaling.start_times(name)
    return found


def draw(rows: Sequence[Row], found: Scaling, out: Path) -> list[tuple[str, str]]:
    """All pictures; their titles and file names."""
    by_face = {face: [row for row in rows if row.face == face] for face in FACES}
    files = {
        "inside the kernel and one game at a time": ("peers-single.png", (KERNEL, KERNEL_OBSERVING, PYTHON, AEC)),
        "batches from Python": ("peers-batches.png", tuple(BATCHES.values())),
        "search and training": ("peers-agents.png", (SEARCH, TRAINING)),
    }
    for file, faces in files.values():
        plots.bars({face: by_face[face] for face in faces}, out / file)
    growing: Mapping[str, Mapping[str, Mapping[Any, float]]] = {
        "by players": found.players,
        "by batch size": found.batch,
        "as the game goes on": found.stages,
    }
    plots.growth(growing, out / "scaling.png")
    pictures = [(title, file) for title, (file, _) in files.items()] + [("how costs grow", "scaling.png")]
    return [(title, file) for title, file in pictures if (out / file).is_file()]


def _versions(workers: Sequence[Worker]) -> list[str]:
    versions = [version for worker in workers for version in worker.versions]
    cc = compiler()
    if cc:
        said = subprocess.run([cc, "--version"], capture_output=True, text=True, check=False).stdout
        versions.append(said.splitlines()[0] if said else cc)
    return versions


def main(
    quick: bool = False,
    seconds: float = 0.5,
    rounds: int = 5,
    peers: tuple[str, ...] = PEERS,
    python: Path = Path(".venv-peers/bin/python"),
    grow: bool = True,
    compiling: bool = True,
    train: bool = True,
    out: Path = HERE / "results",
) -> None:
    """Measure Coven and its peers in turn and write a page with tables and pictures.

    Args:
        quick: One short round of everything but training and compiling: does it all work here?
        seconds: CPU seconds of each measurement.
        rounds: How often each is made; medians count.
        peers: Which peers.
        python: The Python of the peers' environment.
        grow: Measure also how our costs grow with players, batch size, threads and length.
        compiling: Measure also how long compiling takes (minutes).
        train: Measure training too (needs the extra `train`).
        out: The folder for the results.
    """
    unknown = sorted(set(peers) - set(PEERS))
    if unknown:
        raise BadOption(f"there is no peer {', '.join(unknown)}; allowed: {', '.join(PEERS)}")
    if rounds < 1 or seconds <= 0:
        raise BadOption(f"rounds={rounds}, seconds={seconds} is not allowed; allowed: rounds from 1, seconds above 0")
    if quick:
        seconds, rounds, compiling, train = 0.05, 1, False, False
    console = Console(highlight=False)
    faces = FACES if train else tuple(face for face in FACES if face != TRAINING)
    workers, missing = start(commands(python, peers), HERE, one_core())
    if US in missing:
        raise CovenError(f"our own worker does not start: {missing[US]}")
    try:
        with console.status("measuring") as status:
            rows = in_turn(workers, rounds, seconds, faces, status.update)
        versions = _versions(workers)
    finally:
        for worker in workers:
            worker.close()
    found = scale(seconds / 2, rounds, compiling, console) if grow else Scaling()
    files.folder(out)
    arguments = f' ARGS="{" ".join(sys.argv[1:])}"' if sys.argv[1:] else ""
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    head = (
        f"{today}, {machine()}. Medians of {rounds} rounds of about {seconds} CPU seconds, measured in turn, all on "
        f"the same one core; spread from least to most. Command: `make bench{arguments}`."
    )
    comparison = Comparison(head, versions, rows, missing, found, draw(rows, found, out))
    files.write(out / "peers.md", markdown(comparison))
    raw = {"head": head, "versions": versions, "missing": missing, "rows": [asdict(row) for row in rows]}
    raw["scaling"] = asdict(found)
    files.write(out / "peers.json", json.dumps(raw, indent=1) + "\n")
    console.print(f"{out / 'peers.md'} and its pictures are written.", markup=False, soft_wrap=True)


if __name__ == "__main__":
    try:
        tyro.cli(main)
    except CovenError as error:
        print(f"compare: {error}", file=sys.stderr)
        sys.exit(2)
