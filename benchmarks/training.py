"""What training makes, from several seeds: `coven train` for some minutes each, then games on deals nobody has seen.

    python -m coven.benchmarks.training alchemists wie_verhext --minutes 10 --seeds 0 1 2

Every game is trained by the method that its preset recommends, with the settings of the preset. Runs are kept in
runs/training, and one that is there already is only rated. Every agent plays alone against copies of greedy, with all
rotations of the seats, at all player counts that it was trained for.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import numpy as np
import tyro
from rich.console import Console
from tyro.conf import Positional

from coven.agents import learned, search_training
from coven.agents.generation import work
from coven.agents.play import play
from coven.agents.registry import create
from coven.agents.run import read_curve
from coven.agents.search_settings import search_preset
from coven.agents.settings import usual_method
from coven.agents.train import Run, preset, train
from coven.arena.engines import engine
from coven.arena.intervals import share
from coven.arena.machine import machine
from coven.games import built_in
from coven.games import game as find_game
from coven.games.core import files
from coven.games.core.game import Game

console = Console(highlight=False, width=120)
GAMES, SEED = 2000, 2027
"""Games of each agent at each player count, and the deals, which are none of those of training and evaluation."""
HEAD = """\
| seed | minutes | players | fair share | won against greedy | 95 % | score | theirs | learned from |
|--:|--:|--:|--:|---|--:|--:|--:|--:|"""


def main(
    games: Annotated[Positional[tuple[str, ...]], tyro.conf.arg(metavar="GAME")] = (),
    minutes: float = 10.0,
    seeds: tuple[int, ...] = (0, 1, 2),
    workers: int | None = None,
    folder: Path = Path("runs") / "training",
    out: Path = Path("benchmarks") / "results" / "training.md",
) -> None:
    """Train from every seed, rate the agents and write the tables.

    Args:
        games: Which games; all if none is named.
        minutes: How long each run trains.
        seeds: One run for each.
        workers: Processes that play where a search teaches; as many as there are cores if not given.
        folder: Where the runs are.
        out: The file, Markdown.
    """
    names = games or tuple(built_in())
    lines = [
        "# What training makes, seed by seed",
        "",
        f"`coven train GAME --minutes N --seed S`, then {GAMES:,} games of the agent alone against copies of greedy,",
        "all rotations of the seats, on deals of which training saw none. 95 % intervals in which a deal with all its",
        f"rotations counts as one observation; bold where the whole interval is above the fair share. {machine()}.",
        "",
        f"    python -m coven.benchmarks.training {' '.join(names)} --minutes {minutes:g}",
    ]
    for name in names:
        g, runs = find_game(name), [folder / f"{name}-{seed}" for seed in seeds]
        for seed, path in zip(seeds, runs, strict=True):
            if not (path / "curve.png").exists():
                make(g, path, seed, minutes, workers or os.cpu_count() or 1)
        rows = [row for seed, path in zip(seeds, runs, strict=True) for row in rate(g, seed, path)]
        lines += ["", f"## {g.title}", "", f"    {command(g, runs[0])}", "", *HEAD.splitlines(), *rows]
        console.print("\n".join(rows))
    files.write(out, "\n".join(lines) + "\n")
    console.print(f"written: {out}")


def make(g: Game, path: Path, seed: int, minutes: float, workers: int) -> None:
    """Train an agent as the preset of its game recommends."""
    if usual_method(g) == "search":
        run = search_training.SearchRun.begin(g, path, search_preset(g, seed=seed))
        search_training.train(run, minutes, engine(workers=workers, work=work))
    else:
        train(Run.begin(g, path, preset(g, seed=seed)), minutes)


def command(g: Game, path: Path) -> str:
    """The command of a run, with all settings but its seed."""
    words = shlex.split(learned.load(path / "agent.safetensors", g)[1]["command"])
    at = words.index("--seed")
    return shlex.join(words[:at] + words[at + 2 :])


def rate(g: Game, seed: int, path: Path) -> Iterator[str]:
    """The rows of one run."""
    agent, about = learned.load(path / "agent.safetensors", g)
    last, unit = read_curve(path / "curve.jsonl")[-1], "games" if about.get("method") == "search" else "decisions"
    for players in about["players"]:
        agents = [agent, *[create("greedy", g, players)] * (players - 1)]
        results = play(g, agents, -(-GAMES // players), seed=SEED)
        by_deal = results.wins[:, 0].reshape(-1, players).sum(axis=1)
        wins = share(by_deal, np.full(len(by_deal), players))
        cells = (
            f"{seed}",
            f"{last['seconds'] / 60:.1f}",
            f"{players}",
            f"{1 / players:.1%}",
            f"**{wins.value:.1%}**" if wins.low > 1 / players else f"{wins.value:.1%}",
            f"{wins.low:.1%} to {wins.high:.1%}",
            f"{results.scores[:, 0].mean():.1f}",
            f"{results.scores[:, 1:].mean():.1f}",
            f"{last['steps']:,} {unit}",
        )
        yield f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    tyro.cli(main)
