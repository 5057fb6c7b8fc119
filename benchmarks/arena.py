"""The arena at work: `python -m coven.benchmarks.arena throughput` and `... killed`.

`throughput` plays greedy against three random players in lineups of four, with every game stored, on one process and on
several, and compares with the same games inside one kernel call that stores nothing. Starting workers does not count.

`killed` plays a tournament of six agents on each game, kills it (-9) three times at random moments, resumes it, and
compares its games with those of a tournament left alone.
"""

from __future__ import annotations

import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Annotated

import tyro
from rich.console import Console
from rich.table import Table
from tyro.conf import Positional

from coven.agents.play import InKernel
from coven.agents.registry import create_all
from coven.arena.engines import engine
from coven.arena.machine import machine
from coven.arena.run import run
from coven.arena.schedule import Tournament, plan
from coven.arena.store import Store
from coven.games import built_in
from coven.games import game as find_game

app = tyro.extras.SubcommandApp()
console = Console(highlight=False, width=120)
Games = Annotated[tuple[str, ...], Positional]
PLAYERS = 4
SIX = ("random", "mix:0.25", "mix:0.5", "mix:0.75", "greedy", "ismcts:3")


@app.command
def throughput(games: Games = (), workers: tuple[int, ...] = (1, 2), deals: int = 20_000, repeats: int = 3) -> None:
    """Games a second, stored, and as a share of the rate inside the kernel.

    Args:
        games: Which; all if none is named.
        workers: Numbers of processes to measure.
        deals: Deals of a measurement, four games each.
        repeats: How often each is measured; the median counts.
    """
    columns = [f"{n} process{'es' if n > 1 else ''}" for n in workers]
    table = Table("game", "in-kernel", *(word for column in columns for word in (column, "share")))
    for name in games or built_in():
        kernel = statistics.median(in_kernel(name, deals // 10) for _ in range(repeats))
        cells = []
        for n in workers:
            rate = statistics.median(stored(name, n, deals) for _ in range(repeats))
            cells += [f"{rate:,.0f}", f"{rate / kernel:.0%}"]
        table.add_row(name, f"{kernel:,.0f}", *cells)
    console.print(table)
    console.print(f"Games a second, greedy against three random players; medians of {repeats}; {machine()}.")


def in_kernel(name: str, deals: int) -> float:
    """Games a second inside one kernel call, on one core."""
    game = find_game(name)
    agents = create_all(["greedy", *["random"] * (PLAYERS - 1)], game)
    InKernel(game, agents, game.blank(PLAYERS), 1, 0, 0, True).play()
    games = InKernel(game, agents, game.blank(PLAYERS), deals, 0, 0, True)
    begun = time.perf_counter()
    games.run(len(games.states))
    return len(games.states) / (time.perf_counter() - begun)


def stored(name: str, workers: int, deals: int) -> float:
    """Games a second in a tournament."""
    tournament = plan(name, ["random", "greedy"], PLAYERS, deals, schedule="alone")
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "a.db", tournament) as store:
        units = engine(workers=workers)(tournament, tournament.units())
        for rows in islice(units, 4 * workers):  # until all workers are at work
            store.add(rows)
        begun, games = time.perf_counter(), 0
        for rows in units:
            store.add(rows)
            games += len(rows)
        return games / (time.perf_counter() - begun)


@app.command
def killed(games: Games = (), workers: int = 2, deals: int = 16, kills: int = 3, seed: int = 0) -> None:
    """A killed and resumed tournament against one left alone.

    Args:
        games: Which; all if none is named.
        workers: Processes.
        deals: Deals of the tournament.
        kills: How often it is killed.
        seed: Of the tournament, and of the moments at which it is killed.
    """
    wrong = [name for name in games or built_in() if not survives(name, workers, deals, kills, seed)]
    if wrong:
        sys.exit(f"different games: {', '.join(wrong)}")


def survives(name: str, workers: int, deals: int, kills: int, seed: int) -> bool:
    """Do the games of a tournament that was killed agree with those of one that was not?"""
    tournament = plan(name, SIX, find_game(name).players[-1], deals, seed, block=1)
    dice = random.Random(f"{name} {seed}")
    with tempfile.TemporaryDirectory() as folder:
        whole, broken = Path(folder) / "whole.db", Path(folder) / "broken.db"
        run(whole, tournament)
        moments = sorted(dice.uniform(0.05, 0.9) for _ in range(kills))
        found = list(killed_at(broken, tournament, workers, moments))
        subprocess.run(command(broken, tournament, workers), check=True)
        with Store(whole) as left_alone, Store(broken) as resumed:
            same = left_alone.digest() == resumed.digest()
            digests = f"{resumed.digest()} {'is' if same else 'IS NOT'} {left_alone.digest()}"
            console.print(
                f"{name}: killed after {found} of {len(left_alone)} games, {len(resumed)} in the end; {digests}"
            )
    return same


def killed_at(path: Path, tournament: Tournament, workers: int, moments: list[float]) -> Iterator[int]:
    """Start the tournament and kill it at these shares of its games; how many it had then."""
    for moment in moments:
        process = subprocess.Popen(command(path, tournament, workers))
        while process.poll() is None and games_in(path) < moment * tournament.games:
            time.sleep(0.01)
        process.kill()
        process.wait()
        yield games_in(path)


def games_in(path: Path) -> int:
    """How many games a file holds by now."""
    try:
        with Store(path) as store:
            return len(store)
    except ValueError:  # it is not there yet
        return 0


def command(path: Path, tournament: Tournament, workers: int) -> list[str]:
    """A process that plays a tournament."""
    words = ["_play", str(path), json.dumps(tournament.to_dict()), str(workers)]
    return [sys.executable, "-m", "coven.benchmarks.arena", *words]


def main() -> None:
    """Read the command line."""
    if sys.argv[1:2] == ["_play"]:
        path, tournament, workers = sys.argv[2:]
        run(Path(path), Tournament.from_dict(json.loads(tournament)), engine(workers=int(workers)))
    else:
        app.cli(description=(__doc__ or "").split("\n")[0])


if __name__ == "__main__":
    main()
