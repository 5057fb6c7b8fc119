"""Make a trained agent the baseline of its game: its file with all commands that made it, and its curve as a picture.

    python -m coven.benchmarks.baselines witchstone runs/witchstone-1 runs/witchstone-2 --rows 400000

The runs are named in order, each begun with the agent of the one before (`--start`). If the first began with the
present baseline (`--start ppo`), the commands of that come before.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import tyro
from tyro.conf import Positional

from coven.agents import curve, learned
from coven.agents.run import Row, read_curve
from coven.agents.value import fit_value
from coven.games import game as find_game
from coven.games.core.game import Game

AGENT = "agent.safetensors"


def main(
    game: Annotated[str, Positional],
    runs: Annotated[list[Path], Positional],
    rows: int = 0,
    games: Path = Path("games"),
    pictures: Path = Path("docs") / "pictures",
) -> None:
    """Write the file and the picture.

    Args:
        game: Which game.
        runs: The folders of the runs, in order.
        rows: Observations for each player count that train a new value network (`coven fit --agent`); 0: the agent
            keeps its own.
        games: The folder with the folders of the games.
        pictures: The folder of the pictures.
    """
    g = find_game(game)
    kept = [learned.load(run / AGENT, g) for run in runs]
    agent, about = kept[-1]
    commands = [_as_if_typed(g, about["command"], runs, kept) for _, about in kept]
    if kept[0][1]["start"] == "ppo":
        _, old = learned.load(learned.baseline(g), g)
        commands[0] = commands[0].replace("--start ppo ", f"--start ppo:runs/{game}-{old['seed']}/{AGENT} ")
        commands = [*old.get("before", []), old["command"], *commands]
    if rows:
        counts = about["players"]
        agent, about["explained"] = fit_value(agent, counts, rows * len(counts), 0)
        commands.append(f"coven fit {game} --agent ppo:runs/{game}-{about['seed']}/{AGENT} --rows {rows} --seed 0")
    about |= {"command": commands[-1], "before": commands[:-1], "start": ""}
    learned.save(agent, games / game / learned.BASELINE, about, half=True)
    curve.draw(g.title, joined(runs, kept), pictures / f"curve-{game}.png")
    print("\n".join(commands))


def _as_if_typed(g: Game, command: str, runs: list[Path], kept: list[tuple[Any, dict[str, Any]]]) -> str:
    """A command with the folders where runs are stored unless one says otherwise."""
    for run, (_, about) in zip(runs, kept, strict=True):
        command = command.replace(str(run), f"runs/{g.name}-{about['seed']}")
    return command


def joined(runs: list[Path], kept: list[tuple[Any, dict[str, Any]]]) -> list[Row]:
    """The rows of all runs, the time going on from run to run; of each run up to the agent that it kept."""
    rows: list[Row] = []
    seconds = 0.0
    for run, (_, about) in zip(runs, kept, strict=True):
        last = about["rounds"] if about.get("method") == "search" else about["updates"]
        own = [row for row in read_curve(run / "curve.jsonl") if row["updates"] <= last]
        for row in own:
            row["seconds"] += seconds
            row["lessons"] = 0  # the lessons of a later run are not at the beginning of the picture
        rows += own
        seconds = rows[-1]["seconds"]
    return rows


if __name__ == "__main__":
    tyro.cli(main)
