"""The curve of an agent that was trained by several runs, each beginning where the one before ended, as one picture.

python -m coven.benchmarks.curves witchstone runs/first runs/second --out docs/pictures/curve-witchstone.png
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import tyro
from tyro.conf import Positional

from coven.agents import curve, learned
from coven.agents.run import Row, read_curve
from coven.games import game as find_game


def joined(folders: list[Path], game: str) -> list[Row]:
    """The rows of all runs, the time going on from run to run; of each run up to the agent that it kept."""
    rows: list[Row] = []
    seconds = 0.0
    for folder in folders:
        kept = learned.load(folder / "agent.safetensors", find_game(game))[1]["updates"]
        own = [row for row in read_curve(folder / "curve.jsonl") if row["updates"] <= kept]
        for row in own:
            row["seconds"] += seconds
            row["lessons"] = 0  # which of them are lessons, the title says
        rows += own
        seconds = rows[-1]["seconds"]
    return rows


def main(
    game: Annotated[str, Positional],
    runs: Annotated[list[Path], Positional],
    out: Path,
    title: str = "",
) -> None:
    """Draw the curve.

    Args:
        game: Which game.
        runs: The folders of the runs, in order.
        out: The picture, PNG.
        title: Above the curve; the title of the game if not given.
    """
    curve.draw(title or find_game(game).title, joined(runs, game), out)


if __name__ == "__main__":
    tyro.cli(main)
