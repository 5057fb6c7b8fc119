"""`make fuzz`: attack for long, each chunk in a fork of this process, and print what came of it as a table.

python tests/fuzz/run_fuzz.py --tries 10000 --states 25000 --only replays
"""

from __future__ import annotations

import argparse
import faulthandler
import os
import sys
import tempfile
import traceback
from itertools import islice
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "web"))  # where the helper lies that asks a server

from attacks import ATTACKS

CHUNK = 1000
"""Tries with one seed: what went wrong can be repeated with it."""
SECONDS = 60
"""So long one try may take before it counts as a hang."""


def attack(name: str, seed: int, tries: int) -> tuple[int, int]:
    """One chunk, in this process: refused and accepted."""
    refused = accepted = 0
    with tempfile.TemporaryDirectory() as folder:
        faulthandler.dump_traceback_later(SECONDS, exit=True)
        for outcome in islice(ATTACKS[name](seed, Path(folder)), tries):
            refused, accepted = refused + outcome, accepted + (not outcome)
            faulthandler.dump_traceback_later(SECONDS, exit=True)
    faulthandler.cancel_dump_traceback_later()
    return refused, accepted


def chunk(name: str, seed: int, tries: int) -> tuple[int, int, str]:
    """A chunk in a fork: refused, accepted, and what went wrong."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        pid = os.fork()
        if pid == 0:
            os.dup2(out.fileno(), 1)
            os.dup2(err.fileno(), 2)
            code = 1
            try:
                print(*attack(name, seed, tries), flush=True)
                code = 0
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(code)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        out.seek(0)
        err.seek(0)
        said, wrong = out.read().split(), err.read()
    if code == 0:
        return int(said[-2]), int(said[-1]), ""
    what = "crash" if code < 0 else "hang" if "Timeout" in wrong else "traceback"
    return 0, 0, f"{what} (seed {seed}):\n{wrong[-3000:]}"


def main() -> int:
    """Attack, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tries", type=int, default=10_000, help="for each attack")
    parser.add_argument("--states", type=int, default=25_000, help="for from_bytes of each game")
    parser.add_argument("--seed", type=int, default=0, help="of the first chunk")
    parser.add_argument("--only", default="", help="attacks whose names contain this")
    given = parser.parse_args()
    failed = False
    print(
        "| attack | tries | refused | accepted and used | failures | CPU seconds |\n|---|--:|--:|--:|--:|--:|",
        flush=True,
    )
    for name in ATTACKS:
        if given.only not in name:
            continue
        tries = given.states if name.startswith("from_bytes") else given.tries
        begun, sums, failures = os.times(), [0, 0], []
        for seed in range(given.seed, given.seed + -(-tries // CHUNK)):
            *outcome, failure = chunk(name, seed, min(CHUNK, tries))
            sums = [a + b for a, b in zip(sums, outcome, strict=True)]
            failures += [failure] if failure else []
            if failure:
                print(failure, file=sys.stderr, flush=True)
        took = os.times()
        seconds = took.children_user + took.children_system - begun.children_user - begun.children_system
        row = (name, f"{sum(sums):,}", f"{sums[0]:,}", f"{sums[1]:,}", len(failures), f"{seconds:.0f}")
        print("| " + " | ".join(map(str, row)) + " |", flush=True)
        failed |= bool(failures)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
