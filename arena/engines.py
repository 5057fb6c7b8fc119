"""Where units are played: in this process, in worker processes, or on a Ray cluster. The games are the same."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import connection

from coven.arena.match import GameRow, play_unit
from coven.arena.schedule import Tournament, Unit
from coven.games.core.errors import BadOption, CovenError, MissingExtra

Engine = Callable[[Tournament, Iterable[Unit]], Iterator[list[GameRow]]]
ENGINES = ("local", "ray")
DEATHS = 3
"""So often in a row workers may die without finishing a unit before we give up."""


def engine(name: str = "local", workers: int = 1, address: str | None = None) -> Engine:
    """An engine by its name; `workers` is for `local`, the address of a cluster for `ray`."""
    if name not in ENGINES:
        raise BadOption(f"engine={name!r} is not allowed; allowed: {', '.join(ENGINES)}")
    if workers < 1:
        raise BadOption(f"workers={workers} is not allowed; allowed: 1 and more")
    if name == "ray":
        try:
            from coven.arena.cluster import on_ray
        except ImportError as error:
            raise MissingExtra("ray", "tournaments on a Ray cluster", error) from error
        return lambda tournament, units: on_ray(tournament, units, address)
    if workers == 1:
        return in_this_process
    return lambda tournament, units: in_processes(tournament, units, workers)


def in_this_process(tournament: Tournament, units: Iterable[Unit]) -> Iterator[list[GameRow]]:
    """One unit after the other."""
    for unit in units:
        yield play_unit(tournament, unit)


def in_processes(tournament: Tournament, units: Iterable[Unit], workers: int) -> Iterator[list[GameRow]]:
    """Units in worker processes, in whatever order they are finished; a worker that dies is replaced."""
    waiting, deaths = list(units)[::-1], 0
    while waiting:
        running: dict[Future[list[GameRow]], Unit] = {}
        pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _end_with_parent)
        try:
            while waiting or running:
                while waiting and len(running) < 3 * workers:
                    unit = waiting.pop()
                    running[pool.submit(play_unit, tournament, unit)] = unit
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    rows = future.result()
                    del running[future]
                    deaths = 0
                    yield rows
        except BrokenProcessPool as error:
            waiting.extend(running.values())
            deaths += 1
            if deaths > DEATHS:
                raise CovenError(f"worker processes died {deaths} times in a row: {error}") from error
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _end_with_parent() -> None:
    """In a worker: end when the process that started it ends, however that happens."""
    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            connection.wait([parent.sentinel])
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
