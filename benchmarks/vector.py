"""How much of a game's speed reaches the vector env, and what two threads can bring: `make bench-vector`.

Random legal play at the most players. All rows of a game are measured in turn, several times over, and medians count.
Rates are decisions per second of wall time, because threads are about wall time: run it on a quiet machine. The profile
times the parts of one step of 1,024 games by themselves: what only one thread does (checking actions, Python and the
copies) bounds what two threads can bring, however well they share the rest.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

import tyro
from rich.console import Console
from tyro.conf import Positional

from coven.arena.machine import machine
from coven.benchmarks.envs import Vector, measure
from coven.benchmarks.throughput import Kernel
from coven.games import built_in
from coven.games import game as find_game
from coven.games.core import drivers
from coven.games.core.game import Game

SMALL, LARGE = 1024, 16384


@dataclass(frozen=True)
class Target:
    """A ratio of two runs that should be reached."""

    run: str
    to: str
    least: float


TARGETS = (
    Target("no copies", "in-kernel", 0.8),
    Target("copies", "in-kernel", 0.75),
    Target("16384 games", "no copies", 1.0),
    Target("2 threads", "no copies", 1.7),
)


def runs_of(game: Game, players: int) -> dict[str, Callable[[int], Any]]:
    """Everything that is measured, by its name in the table."""
    return {
        "in-kernel": Kernel(game, players),
        "copies": Vector(game, players, SMALL),
        "no copies": Vector(game, players, SMALL, copy=False),
        "16384 games": Vector(game, players, LARGE, copy=False),
        "2 threads": Vector(game, players, SMALL, threads=2, copy=False),
        "16384 games, 2 threads": Vector(game, players, LARGE, threads=2, copy=False),
    }


@dataclass(frozen=True)
class Profile:
    """Microseconds of CPU time of the parts of one step on one thread, with random actions and without copies."""

    pick: float
    check: float
    play: float
    rest: float
    """Python."""

    @property
    def total(self) -> float:
        """Of the whole step."""
        return self.pick + self.check + self.play + self.rest

    @property
    def bound(self) -> float:
        """How many times as fast two threads could be if they shared picking and playing without any loss."""
        return self.total / (self.rest + self.check + (self.pick + self.play) / 2)


def profile(game: Game, players: int, steps: int = 200) -> Profile:
    """Time the parts of a step by themselves, on games from the middle of random play."""
    run = Vector(game, players, SMALL, copy=False)
    run(50 * SMALL)
    b = run.env.batch._buffers[0]
    seconds: dict[str, list[float]] = {"pick": [], "check": [], "play": [], "whole": []}
    for _ in range(steps):
        marks = [time.thread_time()]
        drivers.pick_each(b.dice, b.masks, b.actions)
        marks.append(time.thread_time())
        drivers.first_illegal(b.masks, b.which, b.actions)
        marks.append(time.thread_time())
        drivers.do_part(b, drivers.STEP, 0, SMALL)
        marks.append(time.thread_time())
        run(SMALL)
        marks.append(time.thread_time())
        for part, (begun, ended) in zip(seconds, pairwise(marks), strict=True):
            seconds[part].append(ended - begun)
    pick, check, play, whole = (statistics.median(values) * 1e6 for values in seconds.values())
    return Profile(pick, check, play, max(0.0, whole - pick - check - play))


def main(
    games: Annotated[Positional[tuple[str, ...]], tyro.conf.arg(metavar="GAME")] = (),
    seconds: float = 0.3,
    repeats: int = 7,
    out: Path | None = None,
) -> None:
    """Measure the vector env of the games (of all games if none is named) at their most players.

    Args:
        games: Which games.
        seconds: How long each measurement runs.
        repeats: How often each is repeated; the median counts.
        out: Write the tables as Markdown here as well.
    """
    console, lines = Console(highlight=False), ["# The vector env", ""]

    def say(*new: str) -> None:
        for line in new:
            console.print(line, markup=False, soft_wrap=True)
        lines.extend(new)

    say(f"Medians of {repeats} runs of about {seconds} s; {SMALL:,} games unless another number is named; {machine()}.")
    for name in games or built_in():
        game = find_game(name)
        players = game.players[-1]
        rates = {
            run: statistics.median(values) for run, values in measure(runs_of(game, players), seconds, repeats).items()
        }
        say("", f"## {game.title}, {players} players", "", "| run | decisions/s | of in-kernel |", "|---|--:|--:|")
        say(*(f"| {run} | {rate:,.0f} | {rate / rates['in-kernel']:.2f} |" for run, rate in rates.items()))
        say("", "| ratio | wanted | found |", "|---|--:|--:|")
        say(*(f"| {t.run} to {t.to} | {t.least:g} | {rates[t.run] / rates[t.to]:.2f} |" for t in TARGETS))
        p = profile(game, players)
        say(
            "",
            f"A step of {SMALL:,} games on one thread takes {p.total:.0f} microseconds: picking actions {p.pick:.0f}, "
            f"checking them {p.check:.0f}, playing and observing {p.play:.0f}, Python {p.rest:.0f}. If two threads "
            f"shared picking and playing without any loss they would be {p.bound:.2f} times as fast.",
        )
    if out:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text("\n".join([*lines, ""]), encoding="utf-8")


if __name__ == "__main__":
    tyro.cli(main)
