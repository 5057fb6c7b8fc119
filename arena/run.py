"""Plays a tournament to its end; games that its file already has are not played again."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from coven.arena.engines import Engine, in_this_process
from coven.arena.schedule import Tournament
from coven.arena.store import Store, lock
from coven.games.core.errors import BadOption, extra

FIRST_LOOK = 32
"""Deals before the first look: the means of fewer are not yet normal enough for a t test."""


@dataclass(frozen=True)
class Verdict:
    """How a tournament ended."""

    deals: int
    """Deals that were played."""
    sure: bool | None
    """Whether the order of the agents is certain; None without `until_sure`."""
    error_rate: float | None
    """With `until_sure`: the probability of stopping with a wrong order."""


def run(
    path: Path,
    tournament: Tournament,
    engine: Engine = in_this_process,
    until_sure: float | None = None,
    console: Console | None = None,
    anyway: bool = False,
) -> Verdict:
    """Play all games that the file does not have yet; with a console, show a progress bar.

    If the sources have changed since the file's games were played, that is an error, unless `anyway` is given.

    `until_sure` is an error rate: after some number of deals it is tested whether the order of the agents is certain;
    if not, the tournament goes on to twice as many deals, up to all. The tests are always after the same deals, even if
    a tournament was interrupted, so it always ends after the same deal.
    """
    if until_sure is not None and not 0 < until_sure < 1:
        raise BadOption(f"an error rate of {until_sure} is not allowed; allowed: between 0 and 1, such as 0.05")
    with lock(path), Store(path, tournament, anyway) as store, _progress(console) as progress:
        show = _meter(progress, store)
        if until_sure is None:
            _play(store, engine, tournament.blocks, show)
            return Verdict(tournament.deals, None, None)
        with extra("arena", "looks at the order"):
            from coven.arena.ratings import Games, settled
        for look, blocks in enumerate(looks(tournament), 1):
            _play(store, engine, blocks, show)
            deals = min(tournament.deals, blocks * tournament.block)
            if settled(Games.load(store, deals), look, until_sure):
                return Verdict(deals, True, until_sure)
        return Verdict(tournament.deals, False, until_sure)


def looks(tournament: Tournament) -> Iterator[int]:
    """After how many blocks the order is tested: at about thirty deals, at twice as many each time, and at the end."""
    blocks = -(-FIRST_LOOK // tournament.block)
    while blocks < tournament.blocks:
        yield blocks
        blocks *= 2
    yield tournament.blocks


def _play(store: Store, engine: Engine, blocks: int, show: Callable[[int], None]) -> None:
    """Play the missing units of the first blocks."""
    done = store.done()
    missing = [unit for unit in store.tournament.units() if unit.block < blocks and unit not in done]
    for rows in engine(store.tournament, missing):
        store.add(rows)
        show(len(rows))


def _progress(console: Console | None) -> Progress:
    shown = console is not None and console.is_terminal  # no escape codes in files
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(compact=True),
        console=console if shown else Console(quiet=True),  # else rich before 14.3 prints an empty line
        disable=not shown,
        transient=True,
    )


def _meter(progress: Progress, store: Store) -> Callable[[int], None]:
    """Shows how many games are stored and how many came in a second."""
    before, new, begun = len(store), 0, time.perf_counter()
    t = store.tournament
    label = f"{t.rules.title}, {t.players} players"
    task = progress.add_task(label, total=t.games, completed=before, rate="")

    def show(games: int) -> None:
        nonlocal new
        new += games
        rate = new / (time.perf_counter() - begun)
        progress.update(task, completed=before + new, rate=f"{rate:,.0f} games/s")

    return show
