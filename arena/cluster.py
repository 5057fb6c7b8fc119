"""Work on a Ray cluster; needs the extra `ray`. The process that started it stores the results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import ray
from ray.exceptions import RayError, RayTaskError

from coven.arena.match import play_unit
from coven.games.core.errors import CovenError

RETRIES = 5
"""How often Ray repeats a unit whose worker died."""


def on_ray(
    plan: Any, parts: Iterable[Any], address: str | None = None, work: Callable[[Any, Any], Any] = play_unit
) -> Iterator[Any]:
    """Parts as Ray tasks, in whatever order they are finished; on this machine, or on the cluster at an address."""
    if not ray.is_initialized():
        ray.init(address=address, logging_level="error", log_to_driver=False)
    task: Any = ray.remote(max_retries=RETRIES, num_cpus=1)(work)
    stored, waiting, running = ray.put(plan), iter(parts), set()
    most = 3 * max(1, int(ray.cluster_resources().get("CPU", 1)))
    while True:
        for part in waiting:
            running.add(task.remote(stored, part))
            if len(running) >= most:
                break
        if not running:
            return
        finished, _ = ray.wait(list(running))
        for reference in finished:
            running.remove(reference)
            yield _result(reference)


def _result(reference: Any) -> Any:
    """The result of a finished task, or its error without Ray's text around it."""
    try:
        return ray.get(reference)
    except RayTaskError as error:
        raise (error.cause if isinstance(error.cause, CovenError) else error) from None
    except RayError as error:
        raise CovenError(f"Ray gave up on a task: {error}") from error
