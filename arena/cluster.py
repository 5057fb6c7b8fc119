"""Units on a Ray cluster; needs the extra `ray`. Every game is stored by the process that started the tournament."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import ray
from ray.exceptions import RayError, RayTaskError

from coven.arena.match import GameRow, play_unit
from coven.arena.schedule import Tournament, Unit
from coven.games.core.errors import CovenError

RETRIES = 5
"""So often Ray plays a unit again whose worker died."""


def on_ray(tournament: Tournament, units: Iterable[Unit], address: str | None = None) -> Iterator[list[GameRow]]:
    """Units as Ray tasks, in whatever order they are finished; on this machine, or on the cluster at an address."""
    if not ray.is_initialized():
        ray.init(address=address, logging_level="error", log_to_driver=False)
    task: Any = ray.remote(max_retries=RETRIES, num_cpus=1)(play_unit)
    stored, waiting, running = ray.put(tournament), iter(units), set()
    most = 3 * max(1, int(ray.cluster_resources().get("CPU", 1)))
    while True:
        for unit in waiting:
            running.add(task.remote(stored, unit))
            if len(running) >= most:
                break
        if not running:
            return
        finished, _ = ray.wait(list(running))
        for reference in finished:
            running.remove(reference)
            yield _rows(reference)


def _rows(reference: Any) -> list[GameRow]:
    """The games of a finished task, or what went wrong without Ray's words around it."""
    try:
        rows: list[GameRow] = ray.get(reference)
    except RayTaskError as error:
        raise (error.cause if isinstance(error.cause, CovenError) else error) from None
    except RayError as error:
        raise CovenError(f"Ray gave up on a unit: {error}") from error
    return rows
