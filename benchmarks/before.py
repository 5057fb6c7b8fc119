"""Speeds of this checkout beside those of an older one, in one run: what a change cost, or brought.

    python -m coven.benchmarks.before OLD/bin/python [--rounds 7] [--only Gymnasium AEC] [--out FILE]

Both checkouts work in processes of their own and are measured in turn, a short run each, round after round, in CPU
time; the medians of the ratios count, so that other work on the machine disturbs both alike. Random play.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

SECONDS = 0.05
"""Of CPU time for one short run."""


KINDS = ("in-kernel, no observation", "in-kernel", "batch 1,024", "vector 1,024", "AEC", "Gymnasium")


def runs_of(name: str, num_players: int, kinds: Collection[str]) -> dict[str, Callable[[int], Any]]:
    """What is measured of a game; every name here is in the older checkout too."""
    from coven.benchmarks.envs import Gym, Vector
    from coven.benchmarks.throughput import Aec, Batched, Kernel
    from coven.games import game as find_game

    game = find_game(name)
    make: tuple[Callable[[], Callable[[int], Any]], ...] = (
        lambda: Kernel(game, num_players, observing=False),
        lambda: Kernel(game, num_players),
        lambda: Batched(game, num_players),
        lambda: Vector(game, num_players, 1024),
        lambda: Aec(game, num_players),
        lambda: Gym(game, num_players),
    )
    return {kind: made() for kind, made in zip(KINDS, make, strict=True) if kind in kinds}


class Runs:
    """The runs of one game at one player count, each with as many decisions as take some SECONDS."""

    def __init__(self, name: str, num_players: int, kinds: Collection[str]) -> None:
        self.runs = runs_of(name, num_players, kinds)
        self.decisions = {kind: self._enough(run) for kind, run in self.runs.items()}

    def _enough(self, run: Callable[[int], Any]) -> int:
        decisions = 1024
        run(decisions)
        while (took := self._took(run, decisions)) < SECONDS:
            decisions *= max(2, min(16, round(SECONDS / max(took, 1e-4))))
        return decisions

    def _took(self, run: Callable[[int], Any], decisions: int) -> float:
        begun = time.process_time()
        run(decisions)
        return time.process_time() - begun

    def measure(self) -> dict[str, float]:
        """Decisions a second."""
        return {kind: self.decisions[kind] / self._took(run, self.decisions[kind]) for kind, run in self.runs.items()}


def work() -> None:
    """A worker: a line with a game, a number of players and what to measure in, its speeds out."""
    runs: dict[str, Runs] = {}
    for line in sys.stdin:
        name, players, *kinds = json.loads(line)
        if line not in runs:
            runs.clear()  # one game in memory at a time
            runs[line] = Runs(name, players, kinds)
        print(json.dumps(runs[line].measure()), flush=True)


def compare(python: str, rounds: int, kinds: Collection[str]) -> list[str]:
    """The table."""
    from coven.benchmarks.checkouts import Checkout
    from coven.games import built_in
    from coven.games import game as find_game

    before, now = (Checkout(each, __file__) for each in (python, sys.executable))
    lines = ["| game | players | what | before | now | now / before |", "|---|--:|---|--:|--:|--:|"]
    for name in built_in():
        players = find_game(name).players
        for n in (players[0], players[-1]):
            both = [tuple(each.ask(json.dumps([name, n, *kinds])) for each in (before, now)) for _ in range(rounds)]
            for kind in both[0][0]:
                old, new = ([each[i][kind] for each in both] for i in (0, 1))
                ratio = statistics.median(b / a for a, b in zip(old, new, strict=True))
                speeds = f"{statistics.median(old):,.0f} | {statistics.median(new):,.0f}"
                lines.append(f"| {name} | {n} | {kind} | {speeds} | {ratio:.2f} |")
    return lines


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("before", nargs="?", help="the interpreter of an environment with the older checkout")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", nargs="+", choices=KINDS, default=KINDS, metavar="WHAT", help=", ".join(KINDS))
    parser.add_argument("--out", type=Path, help="a file for the table as well")
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.work:
        work()
    elif asked.before is None:
        parser.error("which interpreter has the older checkout?")
    else:
        table = "\n".join(compare(asked.before, asked.rounds, asked.only))
        print(table)
        if asked.out:
            asked.out.write_text(table + "\n", encoding="utf-8")
