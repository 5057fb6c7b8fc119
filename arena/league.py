"""The league table on the terminal, and a small tournament in one call."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console

from coven.agents.outside import can_fail
from coven.arena.engines import engine
from coven.arena.intervals import Estimate
from coven.arena.ratings import Games, Line, Standings, standings
from coven.arena.run import Verdict, run
from coven.arena.schedule import plan
from coven.arena.store import Store
from coven.arena.tables import Column, FittedTable

NOT_REPRODUCIBLE = (
    "An agent here has a time limit or is an outside program: the same seed need not give the same games."
)


def league(
    game: str,
    agents: Sequence[str],
    players: int | None = None,
    deals: int = 64,
    seed: int = 0,
    db: Path | None = None,
    workers: int = 1,
    console: Console | None = None,
    **options: Any,
) -> Standings:
    """Play a small tournament and print its league table; with `db` it is stored in a file and can be resumed."""
    console = console or Console(highlight=False)
    tournament = plan(game, agents, players, deals, seed, options)
    with tempfile.TemporaryDirectory() as folder:
        path = db or Path(folder) / "league.db"
        verdict = run(path, tournament, engine(workers=workers), console=console)
        with Store(path) as store:
            found = standings(Games.load(store))
    print_league(console, found, verdict)
    return found


def print_league(
    console: Console,
    found: Standings,
    verdict: Verdict | None = None,
    openskill: Mapping[str, tuple[float, float]] | None = None,
) -> None:
    """Print a league table."""
    console.print(league_table(found, openskill))
    console.print("All intervals are 95 % intervals; all games of a deal count as one observation.", markup=False)
    if found.tournament.timed:
        console.print(NOT_REPRODUCIBLE)
    if verdict is not None and verdict.error_rate is not None:
        console.print(sureness(verdict), markup=False)


def sureness(verdict: Verdict) -> str:
    """The outcome of `until_sure`, in words."""
    if verdict.sure:
        return (
            f"The order is certain after {verdict.deals} deals: the chance that any two agents stand in the wrong "
            f"order is at most {verdict.error_rate:.1%}."
        )
    return f"The order is not certain after {verdict.deals} deals at an error rate of {verdict.error_rate:.1%}."


def league_table(found: Standings, openskill: Mapping[str, tuple[float, float]] | None = None) -> FittedTable:
    """The league table, for a terminal."""
    t = found.tournament
    title = f"{t.rules.title}, {t.players} players: {found.games:,} games, {found.deals:,} deals, seed {t.seed}"
    numbers = ["rating", "95 %", "win share", "95 %", "mean score", "margin", "ms/decision"]
    numbers += [] if openskill is None else ["openskill"]
    numbers += ["faults"] if counts_faults(found) else []
    rows = [
        [
            str(place),
            line.agent,
            f"{line.rating.value:.0f}",
            ends(line.rating, ".0f"),
            f"{line.win_share.value:.1%}",
            ends(line.win_share, ".1%"),
            f"{line.score.value:.1f} ± {(line.score.high - line.score.low) / 2:.1f}",
            f"{line.margin.value:+.1f}",
            f"{line.milliseconds:.3g}",
            *([] if openskill is None else ["{:.1f} ± {:.1f}".format(*openskill[line.agent])]),
            *([faults(line)] if counts_faults(found) else []),
        ]
        for place, line in enumerate(found.lines, 1)
    ]
    return FittedTable(title, [Column("", "name"), Column("agent", "name"), *map(Column, numbers)], rows)


def as_json(found: Standings, openskill: Mapping[str, tuple[float, float]] | None = None) -> dict[str, Any]:
    """The league table for other programs: the same figures, each interval with its value and both ends."""
    t = found.tournament
    skills = openskill or {}
    return {
        "game": t.rules.name,
        "players": t.players,
        "games": found.games,
        "deals": found.deals,
        "seed": t.seed,
        "timed": t.timed,
        "agents": [
            asdict(line) | ({"openskill": list(skills[line.agent])} if line.agent in skills else {})
            for line in found.lines
        ],
    }


def counts_faults(found: Standings) -> bool:
    """Whether a table needs a column for faults: there is an outside agent, or one that had faults."""
    return any(line.faults or can_fail(line.agent) for line in found.lines)


def faults(line: Line) -> str:
    """The faults of an agent and the games that it forfeited, as text."""
    if not can_fail(line.agent) and not line.faults:
        return ""
    return f"{line.faults:,} ({line.forfeits:,} forfeits)" if line.forfeits else f"{line.faults:,}"


def ends(estimate: Estimate, spec: str) -> str:
    """The interval of an estimate, as text."""
    return f"{estimate.low:{spec}} to {estimate.high:{spec}}"
