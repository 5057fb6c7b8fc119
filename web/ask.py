"""The addresses of analysis: answers stream as lines of JSON while agents think."""

from __future__ import annotations

import asyncio
import json
import os
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import StreamingResponse

from coven.games.core.errors import CovenError
from coven.web import guard

MOST_AT_ONCE = 4
"""Analyses of one page at the same time."""


class Ask(msgspec.Struct, forbid_unknown_fields=True):
    """Which agent is asked."""

    agent: str


class Analyses:
    """Runs analyses in threads, only so many for each page, and stops those that nobody reads any more."""

    def __init__(self) -> None:
        self.pool = ThreadPoolExecutor(max(2, os.cpu_count() or 1), thread_name_prefix="coven-analysis")
        self._running: dict[str, int] = {}

    async def agent(self, request: Request) -> str:
        """The agent that a request asks."""
        return msgspec.json.decode(await guard.body(request), type=Ask).agent

    def stream(self, page: str, work: Callable[[], Iterator[dict[str, Any]]]) -> StreamingResponse:
        """The lines of some work in a thread."""
        if self._running.get(page, 0) >= MOST_AT_ONCE:
            raise CovenError(f"at most {MOST_AT_ONCE} analyses run at once; wait for one")
        plain = {"content-encoding": "identity"}  # compressed, lines would wait for each other
        return StreamingResponse(self._lines(page, work), media_type="application/x-ndjson", headers=plain)

    async def _lines(self, page: str, work: Callable[[], Iterator[dict[str, Any]]]) -> AsyncIterator[str]:
        loop, stop = asyncio.get_running_loop(), threading.Event()
        lines: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()

        def run() -> None:
            try:
                for line in work():
                    loop.call_soon_threadsafe(lines.put_nowait, line)
                    if stop.is_set():
                        break
            except Exception as error:  # it may come from anybody's agent, and is said on the page
                loop.call_soon_threadsafe(lines.put_nowait, {"error": str(error), "done": True})
            loop.call_soon_threadsafe(lines.put_nowait, None)

        self._running[page] = self._running.get(page, 0) + 1
        try:
            self.pool.submit(run)
            while (line := await lines.get()) is not None:
                yield json.dumps(line) + "\n"
        finally:
            stop.set()
            self._running[page] -= 1
