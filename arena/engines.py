"""Engines play units of work in this process, in worker processes or on a Ray cluster. The games are the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from queue import SimpleQueue
from typing import Any

from coven.arena.match import GameRow, play_unit
from coven.arena.schedule import Tournament, Unit
from coven.arena.workers import Worker
from coven.games.core.errors import BadOption, extra

Engine = Callable[[Tournament, Iterable[Unit]], Iterator[list[GameRow]]]
Work = Callable[[Any, Any], Any]
"""The function that does one part of a plan, in any process; it must be importable by name."""
ENGINES = ("local", "ray")
MOST_WORKERS = 1024


def engine(name: str = "local", workers: int = 1, address: str | None = None, work: Work = play_unit) -> Any:
    """The engine `local` (with `workers`) or `ray` (with a cluster's `address`), for tournaments or other work."""
    if name not in ENGINES:
        raise BadOption(f"engine={name!r} is not allowed; allowed: {', '.join(ENGINES)}")
    if not 1 <= workers <= MOST_WORKERS:
        raise BadOption(f"workers={workers} is not allowed; allowed: 1 to {MOST_WORKERS}")
    if name == "ray":
        with extra("ray", "games on a Ray cluster"):
            from coven.arena.cluster import on_ray
        return lambda plan, parts: on_ray(plan, parts, address, work)
    if workers == 1:
        return lambda plan, parts: in_this_process(plan, parts, work)
    return lambda plan, parts: in_processes(plan, parts, workers, work)


def in_this_process(plan: Any, parts: Iterable[Any], work: Work = play_unit) -> Iterator[Any]:
    """Do one part after the other in this process."""
    for part in parts:
        yield work(plan, part)


def in_processes(plan: Any, parts: Iterable[Any], workers: int, work: Work = play_unit) -> Iterator[Any]:
    """Do the parts in worker processes; yields results in the order in which they are finished."""
    waiting = list(parts)[::-1]
    staff = [Worker() for _ in range(min(workers, len(waiting)))]
    idle: SimpleQueue[Worker] = SimpleQueue()
    for worker in staff:
        idle.put(worker)

    def do(part: Any) -> Any:
        worker = idle.get()
        try:
            return worker.do(work, plan, part)
        finally:
            idle.put(worker)

    pool = ThreadPoolExecutor(len(staff) or 1)
    running: set[Future[Any]] = set()
    try:
        while waiting or running:
            while waiting and len(running) < 3 * workers:
                running.add(pool.submit(do, waiting.pop()))
            finished, running = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                yield future.result()
    finally:
        for worker in staff:
            worker.close()
        pool.shutdown(cancel_futures=True)
