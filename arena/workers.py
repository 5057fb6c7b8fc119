"""Worker processes that play games: `python -P -m coven.arena.workers`, controlled through pipes.

They are plain processes, because multiprocessing would run the caller's main program again in each of them. A worker
makes every agent once, and ends when the process that started it does (`processes`).
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import traceback
from collections.abc import Callable
from typing import IO, Any

from coven.games.core import processes
from coven.games.core.errors import CovenError

DEATHS = 3
"""How often a worker may die while it plays one unit before we give up."""


class Worker:
    """A worker process, as its parent sees it; if it dies, a new one plays its unit again."""

    def __init__(self) -> None:
        self._closed = False
        self._start()

    def _start(self) -> None:
        self._process = processes.start("coven.arena.workers", stdout=subprocess.PIPE)

    def do(self, work: Callable[[Any, Any], Any], plan: Any, part: Any) -> Any:
        """The result of a part of a plan."""
        for _ in range(DEATHS):
            try:
                _send(self._process.stdin, (sys.path, pickle.dumps((work, plan, part))))
                answer = pickle.load(self._process.stdout)  # type: ignore[arg-type]
            except (EOFError, OSError, pickle.UnpicklingError):  # it died, perhaps in the middle of its answer
                if self._closed:
                    break
                self._process.kill()
                self._process.wait()
                self._start()
                continue
            if isinstance(answer, Exception):
                raise answer
            return answer
        raise CovenError(f"worker processes died {DEATHS} times over {part}")

    def close(self) -> None:
        """End the process."""
        self._closed = True
        self._process.kill()
        self._process.wait()


def _send(pipe: IO[bytes] | None, what: Any) -> None:
    assert pipe is not None
    pickle.dump(what, pipe)
    pipe.flush()


def main() -> None:
    """Read parts, do them, and write each result, or what went wrong."""
    processes.end_with_parent()
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what agents print does not come in between
    while True:
        try:
            path, packed = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        sys.path[:] = path  # the same modules as the employer has
        answer: Any
        try:
            work, plan, part = pickle.loads(packed)
            answer = work(plan, part)
        except CovenError as error:
            answer = CovenError(str(error))
        except Exception:
            answer = RuntimeError(f"in a worker process:\n{traceback.format_exc()}")
        try:
            _send(answers, answer)
        except BrokenPipeError:  # nobody is there any more
            os._exit(0)


if __name__ == "__main__":
    main()
