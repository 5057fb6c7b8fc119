"""`make fuzz`: attack for long, each attack in a process of its own, and print what came of it as a table.

python tests/fuzz/run_fuzz.py --tries 10000 --states 25000 --only replays
"""

from __future__ import annotations

import argparse
import faulthandler
import subprocess
import sys
import tempfile
import time
import traceback
from itertools import islice
from pathlib import Path

CHUNK = 1000
"""Tries with one seed: what went wrong can be repeated with it."""
SECONDS = 60
"""So long one try may take before it counts as a hang."""


def attack(name: str, seed: int, tries: int) -> None:
    """One chunk, in this process: refused and accepted on the last line."""
    from attacks import ATTACKS

    refused = accepted = 0
    with tempfile.TemporaryDirectory() as folder:
        faulthandler.dump_traceback_later(SECONDS, exit=True)
        for outcome in islice(ATTACKS[name](seed, Path(folder)), tries):
            refused, accepted = refused + outcome, accepted + (not outcome)
            faulthandler.dump_traceback_later(SECONDS, exit=True)
    faulthandler.cancel_dump_traceback_later()
    print(refused, accepted)


def chunk(name: str, seed: int, tries: int) -> tuple[int, int, str]:
    """A chunk in a process of its own: refused, accepted, and what went wrong."""
    command = [sys.executable, __file__, "--chunk", name, str(seed), str(tries)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        refused, accepted = map(int, done.stdout.split()[-2:])
        return refused, accepted, ""
    what = "crash" if done.returncode < 0 else "hang" if "Timeout" in done.stderr else "traceback"
    return 0, 0, f"{what} (seed {seed}):\n{done.stderr[-3000:]}"


def main() -> int:
    """Attack, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tries", type=int, default=10_000, help="for each attack")
    parser.add_argument("--states", type=int, default=25_000, help="for from_bytes of each game")
    parser.add_argument("--seed", type=int, default=0, help="of the first chunk")
    parser.add_argument("--only", default="", help="attacks whose names contain this")
    parser.add_argument("--chunk", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    sys.path.insert(0, str(Path(__file__).parent))
    if given.chunk:
        try:
            attack(given.chunk[0], int(given.chunk[1]), int(given.chunk[2]))
        except Exception:
            traceback.print_exc()
            return 1
        return 0
    from attacks import ATTACKS

    failed = False
    print(
        "| attack | tries | refused | accepted and used | failures | seconds |\n|---|---|---|---|---|---|", flush=True
    )
    for name in ATTACKS:
        if given.only not in name:
            continue
        tries = given.states if name.startswith("from_bytes") else given.tries
        begun, sums, failures = time.perf_counter(), [0, 0], []
        for seed in range(given.seed, given.seed + -(-tries // CHUNK)):
            *outcome, failure = chunk(name, seed, min(CHUNK, tries))
            sums = [a + b for a, b in zip(sums, outcome, strict=True)]
            failures += [failure] if failure else []
        took = time.perf_counter() - begun
        row = (name, f"{sum(sums):,}", f"{sums[0]:,}", f"{sums[1]:,}", len(failures), f"{took:.0f}")
        print("| " + " | ".join(map(str, row)) + " |", flush=True)
        for failure in failures:
            print(failure, file=sys.stderr, flush=True)
        failed |= bool(failures)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
