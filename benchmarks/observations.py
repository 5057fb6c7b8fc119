"""What observations cost: in-kernel without them, with the raw part, with all of it; beside an older checkout and C.

    python -m coven.benchmarks.observations [--before /path/to/old/python] [--rounds 9]

Every game at its most players, random play. All are measured in turn, a short run each, round after round, in CPU time;
the medians count, so that other work on the machine disturbs all of them alike. `--before` is the interpreter of an
environment with another checkout: its figures come from a process of its own that takes part in every round.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

from coven.games import game as find_game
from coven.games import names

DECISIONS = 40_000


def runs_of(name: str) -> dict[str, Callable[[int], Any]]:
    """What is measured of a game here; an older checkout knows no raw observations."""
    from coven.benchmarks.throughput import Kernel

    game = find_game(name)
    game.prepare()
    n = game.players[-1]
    runs: dict[str, Callable[[int], Any]] = {
        "without": Kernel(game, n, observing=False),
        "whole": Kernel(game, n),
    }
    if hasattr(game.layout, "raw_size"):
        runs["raw"] = Kernel(game, n, derived=False)
    return runs


def nanoseconds(run: Callable[[int], Any]) -> float:
    """CPU time of a decision."""
    begun = time.process_time()
    run(DECISIONS)
    return (time.process_time() - begun) / DECISIONS * 1e9


def sizes() -> dict[str, list[int]]:
    """Of each game: bytes of a raw and of a whole observation, and of a game in a batch with observation and mask."""
    found = {}
    for name in names():
        game = find_game(name)
        whole = game.new_observation()
        raw = getattr(game.layout, "raw_size", whole.size) * whole.itemsize
        found[name] = [raw, whole.nbytes, game.record.itemsize + whole.nbytes + game.new_mask().nbytes]
    return found


def work() -> None:
    """A worker: measures what it is asked for, a line each."""
    runs = {name: runs_of(name) for name in names()}
    for each in runs.values():
        for run in each.values():
            run(DECISIONS)
    for line in sys.stdin:
        asked = line.strip()
        found: Any = sizes() if asked == "sizes" else {kind: nanoseconds(run) for kind, run in runs[asked].items()}
        print(json.dumps(found), flush=True)


def measure(before: str | None, rounds: int) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, list[int]]]]:
    """Medians by game and by what was measured, and the sizes in each checkout."""
    from coven.benchmarks.ceiling import Ceiling, compiler
    from coven.benchmarks.checkouts import Checkout

    pythons = {"now": sys.executable} | ({"before": before} if before else {})
    workers = {when: Checkout(python, __file__) for when, python in pythons.items()}
    ceiling = Ceiling(find_game("alchemists").players[-1]) if compiler() else None
    found: dict[str, dict[str, list[float]]] = {name: {} for name in names()}
    for _ in range(rounds):
        for name in names():
            for when, worker in workers.items():
                for kind, value in worker.ask(name).items():
                    found[name].setdefault(f"{kind} {when}", []).append(value)
            if ceiling and name == "alchemists":
                found[name].setdefault("C", []).append(nanoseconds(ceiling))
    medians = {name: {kind: statistics.median(v) for kind, v in kinds.items()} for name, kinds in found.items()}
    return medians, {when: worker.ask("sizes") for when, worker in workers.items()}


def report(medians: dict[str, dict[str, float]], bytes_of: dict[str, dict[str, list[int]]]) -> str:
    """Tables of nanoseconds, ratios and bytes."""
    lines = [
        "| game | without | raw | whole | raw: ratio | whole: ratio | before | before: ratio | raw against before |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for name, m in medians.items():
        without, raw, whole = m["without now"], m["raw now"], m["whole now"]
        row = [name, f"{without:.0f}", f"{raw:.0f}", f"{whole:.0f}", f"{without / raw:.2f}", f"{without / whole:.2f}"]
        if "before" in bytes_of:
            old, old_without = m["whole before"], m["without before"]
            row += [f"{old:.0f}", f"{old_without / old:.2f}", f"{old / raw:.2f}"]
        lines.append(f"| {' | '.join(row)} |")
    if "C" in medians["alchemists"]:
        c = medians["alchemists"]["C"]
        lines += ["", f"Alchemists in C, the same raw observation: {c:.0f}; ours is"]
        lines[-1] += f" {c / medians['alchemists']['raw now']:.2f} of it."
    lines += ["", "| game | raw bytes | whole bytes | a game in a batch | before: bytes | a game in a batch |"]
    lines += ["|---|--:|--:|--:|--:|--:|"]
    for name, (raw_size, whole_size, game_size) in bytes_of["now"].items():
        cells = [name, f"{raw_size:,}", f"{whole_size:,}", f"{game_size:,}"]
        if "before" in bytes_of:
            cells += [f"{size:,}" for size in bytes_of["before"][name][1:]]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--before")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.work:
        work()
    else:
        print(report(*measure(asked.before, asked.rounds)))
