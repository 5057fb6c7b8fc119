"""How fast agents learn here, and how much of the machine's arithmetic that uses.

    python -m coven.benchmarks.learning --out benchmarks/results/learning.md
    python -m coven.benchmarks.learning alchemists --engines ray          # where Ray is installed

Training with PPO: the learner's decisions per second at the player counts and settings of the preset, self-play against
the newest network and bots as in every run. Training with search: games per second that worker processes or Ray play,
with the baseline's networks and the teacher and settings of the preset, and what the learner makes of their positions
on one core. The
arithmetic counted is that of the networks that learn, two operations for each weight forward and four backward, beside
the largest matrix product that torch makes on one core. Rates are by the clock: run it on a quiet machine.
"""

from __future__ import annotations

import cProfile
import os
import pstats
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import torch
import tyro
from stable_baselines3.common.logger import Logger
from tyro.conf import Positional

from coven.agents import learned
from coven.agents.generation import Networks, Task, job_of, work
from coven.agents.learner import Learner
from coven.agents.positions import Buffer, Positions
from coven.agents.search_settings import search_preset
from coven.agents.standardize import mean_and_spread
from coven.agents.train import Run, preset, set_torch_up
from coven.arena.engines import engine
from coven.arena.machine import machine
from coven.games import built_in
from coven.games import game as find_game
from coven.games.core import files
from coven.games.core.game import Game

MATRIX, REPEATS = 1024, 5
FORWARD, BACKWARD = 2, 4
"""Operations for each weight."""
UPDATES, GAMES, BATCHES = 3, 96, 100
PPO_PARTS = {
    "games and opponents": ("learner_batch.py", "step"),
    "choosing actions": ("policies.py", "forward"),
    "updates": ("ppo_mask.py", "train"),
}
SEARCH_PARTS = {
    "searches": ("agents/search.py", "search"),
    "positions kept": ("agents/positions.py", "see"),
    "rules asked from Python": ("core/game.py", "legal_actions"),
}


def main(
    games: Annotated[Positional[tuple[str, ...]], tyro.conf.arg(metavar="GAME")] = (),
    engines: tuple[str, ...] = ("1", "2"),
    out: Path | None = None,
) -> None:
    """Measure both methods.

    Args:
        games: Which games; all if none is named.
        engines: Who plays the games of training with search: so many worker processes, or `ray`.
        out: Write the tables as Markdown here as well.
    """
    torch.set_num_threads(1)
    peak, lines = matrix_product(), []

    def say(line: str = "") -> None:
        print(line, flush=True)
        lines.append(line)

    product = f"A product of {MATRIX} x {MATRIX} matrices: {peak / 1e9:.0f} GFLOP/s a core."
    say(f"{machine()}; the machine has {os.cpu_count()} cores. {product}")
    for name in games or built_in():
        g = find_game(name)
        say(f"\n## {g.title}\n\n| what | per second | GFLOP/s | of a core's |\n|---|--:|--:|--:|")
        shares = []
        for what, rate, flops, parts in (*ppo(g), *search(g, engines)):
            say(f"| {what} | {rate} | {f'{flops / 1e9:.1f} | {flops / peak:.0%}' if flops else '|'} |")
            if parts:
                shares.append(f"{what}: " + ", ".join(f"{part} {share:.0%}" for part, share in parts.items()) + ".")
        say("\nWhere the time goes (under a profiler). " + " ".join(shares))
    if out:
        files.write(out, "\n".join(["# Learning per second", "", *lines, ""]))


Line = tuple[str, str, float, dict[str, float]]
"""What was measured, its rate in words, operations per second, and the shares of its parts."""


def matrix_product() -> float:
    """Operations per second of torch's largest product, on one core."""
    a, best = torch.rand(MATRIX, MATRIX), float("inf")
    for _ in range(REPEATS):
        begun = time.perf_counter()
        a @ a
        best = min(best, time.perf_counter() - begun)
    return float(2 * MATRIX**3 / best)


def ppo(game: Game) -> Iterator[Line]:
    """Training with PPO."""
    settings = preset(game, lessons=0, evaluation_deals=2, value_rows=0)
    with tempfile.TemporaryDirectory() as folder:
        run = Run.begin(game, Path(folder) / "run", settings)
        run.model.set_logger(Logger(None, []))
        set_torch_up(game)
        decisions, threads = UPDATES * settings.tables * settings.steps_per_update, torch.get_num_threads()
        run.model.learn(1)  # compiled, and warm
        seconds = _seconds(lambda: run.model.learn(decisions))
        parts = _profile(lambda: run.model.learn(1), PPO_PARTS)
    torch.set_num_threads(1)
    weights = settings.parameters(game) * (FORWARD + settings.epochs * (FORWARD + BACKWARD))
    threads_said = f", updates on {threads} threads" if threads > 1 else ""
    yield f"PPO{threads_said}", f"{decisions / seconds:,.0f} decisions", weights * decisions / seconds, parts


def search(game: Game, engines: tuple[str, ...]) -> Iterator[Line]:
    """Training with search: games, then what is learned from them."""
    agent, _ = learned.load(learned.baseline(game), game)
    settings, networks = search_preset(game), Networks(agent.layers, agent.value_layers)
    job, what = job_of(game, settings, networks), f"search ({settings.teacher})"
    tasks = [Task(number, number) for number in range(-(-GAMES // settings.games))]
    blocks: list[Positions] = []
    for name in engines:
        play = engine("ray", work=work) if name == "ray" else engine(workers=int(name), work=work)
        list(play(job, tasks[: len(engines)]))  # compiled, and Ray up
        begun = time.perf_counter()
        blocks += [block.positions for block in play(job, tasks)]
        seconds = time.perf_counter() - begun
        who = "Ray" if name == "ray" else "one process" if name == "1" else f"{name} processes"
        yield f"{what}, games by {who}", f"{len(tasks) * settings.games / seconds:.1f} games", 0.0, {}
    parts = _profile(lambda: work(job, tasks[0]), SEARCH_PARTS)
    buffer = Buffer(game, settings.window)
    for number, block in enumerate(blocks[: len(tasks)]):
        buffer.add(str(number), block)
    rows = buffer.blocks[0][1].views
    mean, spread = mean_and_spread(game.layout, rows)
    learner = Learner(game, settings.network, {"usual": mean, "spread": spread}, 1.0, 1e-9, 0)
    batches = buffer.batches(BATCHES, settings.batch_size, np.random.default_rng(0))
    learns = [agent.layers, agent.value_layers] if settings.learns_values else [agent.layers]
    seconds = _seconds(lambda: learner.learn(batches, values=settings.learns_values)) / (BATCHES * settings.batch_size)
    flops = sum(weight.size for layers in learns for weight, _ in layers) * (FORWARD + BACKWARD) / seconds
    yield f"{what}, learning", f"{1 / seconds:,.0f} positions", flops, parts


def _seconds(what: Callable[[], Any]) -> float:
    begun = time.perf_counter()
    what()
    return time.perf_counter() - begun


def _profile(what: Callable[[], Any], parts: dict[str, tuple[str, str]]) -> dict[str, float]:
    """The shares of the parts in the time that something takes, by the functions that do them."""
    profiler = cProfile.Profile()
    profiler.runcall(what)
    stats = pstats.Stats(profiler).stats  # type: ignore[attr-defined]
    total = sum(row[2] for row in stats.values())
    found = {}
    for part, (file, function) in parts.items():
        rows = [row[3] for (path, _, name), row in stats.items() if path.endswith(file) and name == function]
        found[part] = sum(rows) / total
    return found


if __name__ == "__main__":
    tyro.cli(main)
