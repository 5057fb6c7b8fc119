"""How the cost of a decision grows: with players, batch size, threads and the course of a game; compiling; memory."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from coven.benchmarks.envs import Vector
from coven.benchmarks.peers.worker import measure
from coven.benchmarks.throughput import Kernel
from coven.games.core.batch import Batch
from coven.games.core.game import Game

SIZES = (1, 4, 16, 64, 256, 1024, 4096, 16384)
THREADS = (1, 2)
THREADED = (1024, 16384)
STAGES = ("first quarter", "second", "third", "last")
_STAGE_GAMES = 2048


def nanoseconds(
    runs: Mapping[Any, Callable[[int], Any]], seconds: float, rounds: int, by: str = "cpu"
) -> dict[Any, float]:
    """The median nanoseconds of a decision for every run, all measured in turn."""
    costs: dict[Any, list[float]] = {key: [] for key in runs}
    for _ in range(rounds):
        for key, run in runs.items():
            result = measure(_counting(run), seconds)
            costs[key].append(result[by] / result["decisions"] * 1e9)
    return {key: statistics.median(values) for key, values in costs.items()}


def _counting(run: Callable[[int], Any]) -> Callable[[int], int]:
    size = run.env.num_envs if isinstance(run, Vector) else 1

    def count(decisions: int) -> int:
        made = -(-decisions // size) * size
        run(made)
        return made

    return count


def by_players(game: Game, seconds: float, rounds: int) -> dict[int, float]:
    """Nanoseconds of CPU time inside the kernel, with mask and observation."""
    return nanoseconds({n: Kernel(game, n) for n in game.players}, seconds, rounds)


def by_batch(game: Game, seconds: float, rounds: int) -> dict[int, float]:
    """Nanoseconds of CPU time in a batch from Python, without copies."""
    runs = {size: Vector(game, game.players[-1], size, copy=False) for size in SIZES}
    return nanoseconds(runs, seconds, rounds)


def by_threads(game: Game, seconds: float, rounds: int) -> dict[str, float]:
    """Nanoseconds by the clock in a batch of that size with that many threads."""
    n = game.players[-1]
    runs = {
        f"{size:,} games, {t} thread{'s'[: t - 1]}": Vector(game, n, size, threads=t, copy=False)
        for size in THREADED
        for t in THREADS
    }
    return nanoseconds(runs, seconds, rounds, by="wall")


def decisions_per_game(game: Game, num_players: int) -> float:
    """The mean length of random games."""
    return 500_000 / max(1, Kernel(game, num_players, observing=False)(500_000))


def by_stage(game: Game, rounds: int) -> dict[str, float]:
    """Nanoseconds of CPU time as games go on: 2,048 games in step, from the deal to their mean length."""
    batch = Batch(game, _STAGE_GAMES, game.players[-1], seed=1)
    quarter = max(1, int(decisions_per_game(game, game.players[-1]) / len(STAGES)))
    costs: dict[str, list[float]] = {stage: [] for stage in STAGES}
    for seed in range(rounds):
        batch.deal(seed)
        for stage in STAGES:
            begun = time.process_time()
            for _ in range(quarter):
                batch.step(batch.random_actions())
            costs[stage].append((time.process_time() - begun) / quarter / _STAGE_GAMES * 1e9)
    return {stage: statistics.median(values) for stage, values in costs.items()}


def start_times(name: str, more_warm: int = 2) -> tuple[float, float]:
    """Seconds from nothing to a first decision in a new process: with an empty cache, and with a filled one."""
    code = (
        "import sys; from coven.games import game; g = game(sys.argv[1]); s = g.new(seed=1);"
        "g.apply(s, g.legal_actions(s)[0])"
    )

    def once(cache: str) -> float:
        begun = time.perf_counter()
        env = os.environ | {"COVEN_CACHE_DIR": cache}
        subprocess.run([sys.executable, "-c", code, name], env=env, check=True, capture_output=True)
        return time.perf_counter() - begun

    with tempfile.TemporaryDirectory() as cache:
        cold = once(cache)
        return cold, statistics.median(once(cache) for _ in range(1 + more_warm))


def memory(game: Game) -> dict[str, int]:
    """Bytes that one game of a batch takes, by what they hold."""
    batch = Batch(game, 1, game.players[-1], seed=1)
    arrays = {name: array.nbytes for name, array in batch._buffers[0]._asdict().items() if np.ndim(array)}
    main = {"state": "states", "mask": "masks", "observation": "observations"}
    sizes = {name: arrays.pop(array) for name, array in main.items()}
    del arrays["keys"]  # of a thread, not of a game
    return sizes | {"other": sum(arrays.values()) + batch._all.nbytes}
