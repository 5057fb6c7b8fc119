"""How fast `coven data` writes decisions, and how large they are, beside a loop in Python.

    python -m coven.benchmarks.data                # all games, random agents at the most players

Both write the same columns of random games to Parquet, with the same settings of the writer. The loop steps one game
with `game.apply`, asks for mask and observation of every decision and collects them in lists, as one writes it first.
CPU seconds count, compiling does not.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Annotated

import numpy as np
import pyarrow
import tyro
from pyarrow import parquet
from tyro.conf import Positional

from coven.arena import data
from coven.arena.machine import machine
from coven.games import built_in
from coven.games import game as find_game
from coven.games.core import files
from coven.games.core.game import Game

LOOP_DECISIONS = 20_000
RESULTS = Path("benchmarks") / "results" / "data.md"


def kernel(game: Game, players: int, agent: str, decisions: int, folder: Path) -> tuple[float, float]:
    """Decisions a second and bytes a decision of `coven data`."""
    plan = data.plan(game.name, [agent], players)
    data.write(plan, 1, folder / "warm")
    begun = time.process_time()
    done = data.write(plan, decisions, folder / "kernel")
    seconds = time.process_time() - begun
    return done / seconds, sum(path.stat().st_size for path in (folder / "kernel" / "data").iterdir()) / done


def loop(game: Game, players: int, decisions: int, folder: Path) -> tuple[float, float]:
    """The same of a loop in Python, with random agents."""
    rng, rows, seed = np.random.default_rng(0), 0, 0
    columns: dict[str, list] = {name: [] for name in ("observation", "mask", "action", "reward_to_go", "seat", "game")}
    begun = time.process_time()
    while rows < decisions:
        s, seats = game.new(players, seed), []
        while (seat := game.current_player(s)) is not None:
            mask = game.legal_mask(s)
            action = int(rng.choice(np.flatnonzero(mask)))
            columns["observation"].append(game.observe(s, seat).tobytes())
            columns["mask"].append(np.packbits(mask.view(np.uint8), bitorder="little").tobytes())
            columns["action"].append(action)
            seats.append(seat)
            game.apply(s, action)
        returns = game.returns(s)
        columns["reward_to_go"] += [returns[seat] for seat in seats]
        columns["seat"] += seats
        columns["game"] += [seed] * len(seats)
        rows, seed = rows + len(seats), seed + 1
    path = folder / "loop.parquet"
    parquet.write_table(pyarrow.table(columns), path, compression="zstd", compression_level=1)
    return rows / (time.process_time() - begun), path.stat().st_size / rows


def main(games: Annotated[tuple[str, ...], Positional] = (), decisions: int = 1_000_000, out: Path = RESULTS) -> None:
    """Measure and write the table.

    Args:
        games: Of which games; of all if none is named.
        decisions: How many `coven data` writes.
        out: The file, Markdown.
    """
    lines = [
        "# Writing decisions",
        "",
        f"`coven data` with {decisions:,} decisions beside a loop in Python with {LOOP_DECISIONS:,}, both with",
        f"observation and mask of every decision, on one core by CPU time. {machine()}.",
        "",
        "    python -m coven.benchmarks.data",
        "",
        "| game | players | agents | decisions/s | loop, decisions/s | ratio | bytes a decision | before packing |",
        "|---|--:|---|--:|--:|--:|--:|--:|",
    ]
    for name in games or built_in():
        game = find_game(name)
        players = game.players[-1]
        with tempfile.TemporaryDirectory() as folder:
            loop(game, players, 1, Path(folder))  # whatever is compiled or loaded at first use
            slow, _ = loop(game, players, LOOP_DECISIONS, Path(folder))
            for agent in ("random", "greedy"):
                fast, size = kernel(game, players, agent, decisions, Path(folder) / agent)
                beside = (f"{slow:,.0f}", f"{fast / slow:.0f}") if agent == "random" else ("", "")
                raw = game.observation_size + -(-game.num_actions // 8)
                cells = (name, str(players), agent, f"{fast:,.0f}", *beside, f"{size:.0f}", str(raw))
                lines.append(f"| {' | '.join(cells)} |")
                print(lines[-1], flush=True)
    files.write(out, "\n".join(lines) + "\n")


if __name__ == "__main__":
    tyro.cli(main)
