"""Agents at a table: asked in threads, with what their seat may know, while the server goes on."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from coven.web.store import Kept
from coven.web.table import Table

PACE = 0.5
"""Seconds between two moves of agents, so that a person can follow."""


def ask_later(table: Table) -> Callable[[], int]:
    """A call, for any thread, that asks the agent on turn about the table as it is now."""
    assert table.current is not None
    bot, state = table.bots[table.current], table.game.clone(table.state)
    events = [event for event in table.shown_log(table.current) if event is not None]
    return lambda: bot.choose(state, events=events)


async def play_agents(kept: Kept, pool: ThreadPoolExecutor, pace: float, changed: Callable[[], None]) -> None:
    """Make the moves of agents until a person is to decide or the game is over; what fails is said on the page."""
    table, loop = kept.table, asyncio.get_running_loop()
    while table.trouble is None and not table.over and not table.waits_for_human:
        begun, moment, player = time.monotonic(), table.moment, table.current
        try:
            action = await loop.run_in_executor(pool, ask_later(table))
            if pace:
                await asyncio.sleep(max(0.0, pace - (time.monotonic() - begun)))
            if table.moment != moment:  # a move was taken back in the meantime
                continue
            table.act(action)
            kept.save()
        except Exception as error:  # an agent is anybody's program: the game must not end with it
            table.trouble = f"player {player} ({table.setup.seats[player or 0]}) cannot go on: {error}"
            table.moment += 1
        changed()
