"""What training makes, from several seeds: `coven train` for some minutes each, then games on deals nobody has seen.

    python -m coven.benchmarks.training alchemists --minutes 10 --seeds 0 1 2

Runs are kept in runs/training, and one that is there already is only rated. Every agent plays alone against copies of
greedy, with all rotations of the seats, at the player counts that it was trained for.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import numpy as np
import tyro
from rich.console import Console
from tyro.conf import Positional

from coven.agents import learned
from coven.agents.play import play
from coven.agents.registry import create
from coven.agents.train import Run, preset, train
from coven.arena.intervals import share
from coven.arena.machine import machine
from coven.games import game as find_game
from coven.games.core import files
from coven.games.core.game import Game

console = Console(highlight=False, width=120)
GAMES, SEED = 2000, 2027
"""Games of each agent at each player count, and the deals, which are none of those of training and evaluation."""


def main(
    game: Annotated[str, Positional],
    minutes: float = 10.0,
    seeds: tuple[int, ...] = (0, 1, 2),
    folder: Path = Path("runs") / "training",
    out: Path = Path("benchmarks") / "results" / "training.md",
) -> None:
    """Train from every seed, rate the agents and write the table.

    Args:
        game: Which game.
        minutes: How long each run trains.
        seeds: One run for each.
        folder: Where the runs are.
        out: The file, Markdown.
    """
    g, rows = find_game(game), []
    for seed in seeds:
        path = folder / f"{game}-{seed}"
        if not (path / "curve.png").exists():
            train(Run.begin(g, path, preset(g, seed=seed)), minutes)
        rows += rate(g, seed, path)
    words = f"python -m coven.benchmarks.training {game} --minutes {minutes:g} --seeds {' '.join(map(str, seeds))}"
    lines = [
        f"# What {minutes:g} minutes of training make",
        "",
        f"`coven train {game} --minutes {minutes:g} --seed N`, then {GAMES:,} games of the agent alone against copies",
        "of greedy, all rotations of the seats, on deals of which training saw none. 95 % intervals in which a deal",
        f"with all its rotations counts as one observation. {machine()}.",
        "",
        f"    {words}",
        "",
        "| seed | players | fair share | won against greedy | 95 % | score | theirs | learner steps | updates |",
        "|--:|--:|--:|--:|---|--:|--:|--:|--:|",
        *rows,
    ]
    files.write(out, "\n".join(lines) + "\n")
    console.print("\n".join(rows))
    console.print(f"written: {out}")


def rate(g: Game, seed: int, path: Path) -> list[str]:
    """The rows of one run."""
    agent, about = learned.load(path / "agent.safetensors", g)
    steps = json.loads((path / "curve.jsonl").read_text(encoding="utf-8").splitlines()[-1])
    rows = []
    for players in about["players"]:
        agents = [agent, *[create("greedy", g, players)] * (players - 1)]
        results = play(g, agents, GAMES // players, seed=SEED)
        by_deal = results.wins[:, 0].reshape(-1, players).sum(axis=1)
        wins = share(by_deal, np.full(len(by_deal), players))
        cells = (
            f"{seed}",
            f"{players}",
            f"{1 / players:.1%}",
            f"**{wins.value:.1%}**" if wins.low > 1 / players else f"{wins.value:.1%}",
            f"{wins.low:.1%} to {wins.high:.1%}",
            f"{results.scores[:, 0].mean():.1f}",
            f"{results.scores[:, 1:].mean():.1f}",
            f"{steps['steps']:,}",
            f"{steps['updates']:,}",
        )
        rows.append(f"| {' | '.join(cells)} |")
    return rows


if __name__ == "__main__":
    tyro.cli(main)
