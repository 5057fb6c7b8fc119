"""A worker measures its subjects when it is asked to: one JSON line in, one out.

It needs nothing but Python, because it runs inside the peers' environment. Everything else that is printed there goes
to the standard error, and a subject that fails says so and harms no other.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

Run = Callable[[int], int]
"""Make at least that many decisions (or iterations, or learner's steps); how many they were."""

# The faces that are measured, in the order of the tables.
KERNEL, KERNEL_OBSERVING = "in-kernel, with mask", "in-kernel, with mask and observation"
PYTHON, AEC = "single games from Python", "AEC"
BATCHES = {size: f"batch of {size:,} from Python" for size in (64, 1024, 16384)}
SEARCH, TRAINING = "search (iterations)", "training (learner's steps)"
FACES = (KERNEL, KERNEL_OBSERVING, PYTHON, AEC, *BATCHES.values(), SEARCH, TRAINING)


@dataclass(frozen=True)
class Subject:
    """One thing to measure: a game behind a face."""

    face: str
    game: str
    make: Callable[[], Run]
    note: str = ""


def measure(run: Run, seconds: float) -> dict[str, float]:
    """Run for about that many seconds of CPU time."""
    made, size = 0, 1
    cpu, wall = time.process_time(), time.perf_counter()
    while True:
        made += run(size)
        spent = time.process_time() - cpu
        if spent >= seconds:
            return {"decisions": made, "cpu": spent, "wall": time.perf_counter() - wall}
        left = int(made / max(spent, 1e-6) * (seconds - spent)) + 1
        size = min(left, 4 * made)  # careful while little is known of its pace


def play_aec(env: Any) -> Run:
    """Random play of an AEC env, the same for everybody's: `last()`, one of the legal actions, `step()`."""
    env.reset(seed=1)
    uniform = random.Random(1).random

    def run(decisions: int) -> int:
        for _ in range(decisions):
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.reset()
                observation, *_ = env.last()
            legal = observation["action_mask"].nonzero()[0]
            env.step(legal[int(uniform() * len(legal))])
        return decisions

    return run


def serve(versions: Sequence[str], subjects: Sequence[Subject]) -> None:
    """Tell what there is, then measure what is asked for until nobody asks any more."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    runs: dict[int, Run] = {}

    def answer(message: dict[str, Any]) -> None:
        print(json.dumps(message), file=answers, flush=True)

    shown = [{"face": s.face, "game": s.game, "note": s.note} for s in subjects]
    answer({"versions": list(versions), "subjects": shown})
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            if asked["subject"] not in runs:
                run = subjects[asked["subject"]].make()
                measure(run, asked["seconds"])  # what is compiled, loaded or allocated at first use is not speed
                runs[asked["subject"]] = run
            answer(measure(runs[asked["subject"]], asked["seconds"]))
        except Exception as error:  # a peer may fail in any way
            answer({"error": f"{type(error).__name__}: {error}".splitlines()[0]})
