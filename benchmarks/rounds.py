"""Measuring ourselves and the peers in one run: workers wait for their turn, and every round asks each of them once.

So whatever disturbs the machine disturbs all alike. All workers run on the same one core, one at a time, each a process
that stays, with everything compiled. A peer that is missing or breaks is reported in its rows and stops nobody.
"""

from __future__ import annotations

import json
import os
import select
import statistics
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from coven.benchmarks.peers.worker import FACES

LONGEST_WAIT = 600.0
"""Seconds until a worker that does not answer is given up."""
ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
    "JAX_PLATFORMS": "cpu",
}


class WorkerFailed(Exception):
    """The worker is gone; the text says why, as far as it is known."""


@dataclass
class Row:
    """The measurements of one subject; rates are medians over the rounds."""

    peer: str
    face: str
    game: str
    note: str = ""
    problem: str = ""
    samples: list[dict[str, float]] = field(default_factory=list)

    @property
    def per_cpu_second(self) -> float:
        """Decisions per second of CPU time."""
        return statistics.median(self._rates("cpu"))

    @property
    def per_second(self) -> float:
        """Decisions per second by the clock."""
        return statistics.median(self._rates("wall"))

    @property
    def spread(self) -> tuple[float, float]:
        """The least and the greatest rate per CPU second."""
        rates = self._rates("cpu")
        return min(rates), max(rates)

    def _rates(self, seconds: str) -> list[float]:
        return [sample["decisions"] / sample[seconds] for sample in self.samples]


class Worker:
    """One process that measures; started again after a crash."""

    def __init__(self, peer: str, command: Sequence[str], folder: Path, core: int | None = None) -> None:
        self.peer, self.command, self.folder, self.core = peer, list(command), folder, core
        self.versions: list[str] = []
        self.rows: list[Row] = []
        self._said = tempfile.TemporaryFile(mode="w+")  # noqa: SIM115  lives as long as the worker
        self._begin()

    def _begin(self) -> None:
        def on_one_core() -> None:
            if self.core is not None:
                os.sched_setaffinity(0, {self.core})

        try:
            self._process = subprocess.Popen(
                self.command,
                cwd=self.folder,
                env=os.environ | ONE_THREAD,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._said,
                text=True,
                preexec_fn=on_one_core,
            )
        except OSError as error:
            raise WorkerFailed(str(error)) from error
        hello = self._answer()
        self.versions = hello["versions"]
        if not self.rows:
            self.rows = [Row(self.peer, **subject) for subject in hello["subjects"]]

    def measure(self, number: int, seconds: float) -> None:
        """Measure one of the subjects once and keep the result in its row."""
        row = self.rows[number]
        if row.problem:
            return
        try:
            if self._process.poll() is not None:
                self._begin()
            assert self._process.stdin
            print(json.dumps({"subject": number, "seconds": seconds}), file=self._process.stdin, flush=True)
            answer = self._answer()
        except (WorkerFailed, OSError) as error:
            row.problem = str(error)
            return
        if "error" in answer:
            row.problem = answer["error"]
        else:
            row.samples.append(answer)

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()
        self._said.close()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout
        ready, _, _ = select.select([self._process.stdout], [], [], LONGEST_WAIT)
        line = self._process.stdout.readline() if ready else ""
        if line:
            answer: dict[str, Any] = json.loads(line)
            return answer
        self._process.kill()
        code = self._process.wait()
        raise WorkerFailed(f"no answer within {LONGEST_WAIT:.0f} s" if not ready else self._last_words(code))

    def _last_words(self, code: int) -> str:
        self._said.seek(0)
        words = self._said.read().strip().splitlines()
        return words[-1] if words and code > 0 else f"ended with code {code}"


def start(commands: Mapping[str, Sequence[str]], folder: Path, core: int | None) -> tuple[list[Worker], dict[str, str]]:
    """The workers that start, and why the others do not."""
    workers, missing = [], {}
    for peer, command in commands.items():
        try:
            workers.append(Worker(peer, command, folder, core))
        except WorkerFailed as error:
            missing[peer] = str(error)
    return workers, missing


def in_turn(
    workers: Iterable[Worker],
    rounds: int,
    seconds: float,
    faces: Sequence[str] = FACES,
    tell: Callable[[str], None] = lambda _: None,
) -> list[Row]:
    """Measure all subjects `rounds` times, face by face: what is compared is measured at nearly the same time."""
    turns = [(worker, i) for worker in workers for i in range(len(worker.rows)) if worker.rows[i].face in faces]
    turns.sort(key=lambda turn: FACES.index(turn[0].rows[turn[1]].face))
    for number in range(rounds):
        for worker, i in turns:
            row = worker.rows[i]
            tell(f"round {number + 1} of {rounds}: {row.face}: {row.peer} {row.game}")
            worker.measure(i, seconds)
    return [worker.rows[i] for worker, i in turns]
