"""Where the units of a tournament are played: in this process, in worker processes, or on a Ray cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from queue import SimpleQueue

from coven.arena.match import GameRow, play_unit
from coven.arena.schedule import Tournament, Unit
from coven.arena.workers import Worker
from coven.games.core.errors import BadOption, extra

Engine = Callable[[Tournament, Iterable[Unit]], Iterator[list[GameRow]]]
ENGINES = ("local", "ray")
MOST_WORKERS = 1024


def engine(name: str = "local", workers: int = 1, address: str | None = None) -> Engine:
    """An engine by its name, `local` (with `workers`) or `ray` (with the `address` of a cluster)."""
    if name not in ENGINES:
        raise BadOption(f"engine={name!r} is not allowed; allowed: {', '.join(ENGINES)}")
    if not 1 <= workers <= MOST_WORKERS:
        raise BadOption(f"workers={workers} is not allowed; allowed: 1 to {MOST_WORKERS}")
    if name == "ray":
        with extra("ray", "tournaments on a Ray cluster"):
            from coven.arena.cluster import on_ray
        return lambda tournament, units: on_ray(tournament, units, address)
    if workers == 1:
        return in_this_process
    return lambda tournament, units: in_processes(tournament, units, workers)


def in_this_process(tournament: Tournament, units: Iterable[Unit]) -> Iterator[list[GameRow]]:
    """Play one unit after the other."""
    for unit in units:
        yield play_unit(tournament, unit)


def in_processes(tournament: Tournament, units: Iterable[Unit], workers: int) -> Iterator[list[GameRow]]:
    """Play units in worker processes; they are given in the order in which they finish."""
    waiting = list(units)[::-1]
    staff = [Worker() for _ in range(min(workers, len(waiting)))]
    idle: SimpleQueue[Worker] = SimpleQueue()
    for worker in staff:
        idle.put(worker)

    def play(unit: Unit) -> list[GameRow]:
        worker = idle.get()
        try:
            return worker.play(tournament, unit)
        finally:
            idle.put(worker)

    pool = ThreadPoolExecutor(len(staff) or 1)
    running: set[Future[list[GameRow]]] = set()
    try:
        while waiting or running:
            while waiting and len(running) < 3 * workers:
                running.add(pool.submit(play, waiting.pop()))
            finished, running = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                yield future.result()
    finally:
        for worker in staff:
            worker.close()
        pool.shutdown(cancel_futures=True)
