"""How strong the bots are: one against copies of another, on the same deals with all rotations of the seats.

    python -m coven.benchmarks.strength play --minutes 10      # for each match at the most; resumes
    python -m coven.benchmarks.strength report
    python -m coven.benchmarks.strength play --agents ppo guided:200        # only what these two play

A match has 400 games if its minutes allow, 2,000 where nobody searches; the table tells how many it has. The games of
`play` are kept in runs/strength, and playing on with more minutes adds to them.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import tyro
from rich.console import Console
from tyro.conf import Positional

from coven.arena.engines import engine
from coven.arena.machine import machine
from coven.arena.ratings import Games, standings
from coven.arena.run import run
from coven.arena.schedule import Tournament, plan
from coven.arena.store import Store
from coven.games import built_in
from coven.games import game as find_game
from coven.games.core import files

app = tyro.extras.SubcommandApp()
console = Console(highlight=False, width=120)
Names = Annotated[tuple[str, ...], Positional]
Folder = Path("runs") / "strength"
GAMES, QUICK_GAMES = 400, 2000
"""Games of a match, and of one in which nobody searches."""
SEED = 2026
EVERYWHERE = (("greedy", "random"), ("ppo", "greedy"))
"""The first alone against copies of the second, at all player counts."""
MATCHES = (
    ("ismcts:100", "greedy"),
    ("ismcts:1000", "greedy"),
    ("ismcts:5000", "greedy"),
    ("guided:50", "greedy"),
    ("guided:200", "greedy"),
    ("guided:200", "ppo"),
    ("guided:200", "ismcts:1000"),
    ("guided:1000", "ismcts:5000"),
)
"""With the fewest and the most players."""
MORE = (("ismcts:1000", "ismcts:100"), ("ppo", "ismcts:100"), ("guided:1000", "guided:200"))
"""Only with the fewest players: at larger tables most of the time would go to the copies."""
SEARCHES = ("ismcts", "guided")


@dataclass(frozen=True)
class Match:
    """One agent alone against copies of another."""

    game: str
    players: int
    agent: str
    base: str

    @property
    def deals(self) -> int:
        """How many deals make enough games."""
        searching = any(spec.startswith(SEARCHES) for spec in (self.agent, self.base))
        return -(-(GAMES if searching else QUICK_GAMES) // self.players)

    def file(self, folder: Path) -> Path:
        """Where its games are."""
        return folder / f"{self.game}-{self.players}-{self.agent}-{self.base}.db".replace(":", "_")

    def tournament(self, deals: int) -> Tournament:
        """The match as a tournament."""
        return plan(self.game, (self.base, self.agent), self.players, deals, SEED, schedule="alone")


def matches(games: tuple[str, ...], agents: tuple[str, ...] = ()) -> Iterator[Match]:
    """The matches of these games, or of all; only those of these agents alone against others, if any are named."""
    for name in games or built_in():
        counts = find_game(name).players
        for players in counts:
            pairs: tuple[tuple[str, str], ...] = EVERYWHERE
            pairs += MATCHES if players in (counts[0], counts[-1]) else ()
            pairs += MORE if players == counts[0] else ()
            yield from (Match(name, players, *pair) for pair in pairs if not agents or pair[0] in agents)


@app.command
def play(
    games: Names = (),
    agents: tuple[str, ...] = (),
    minutes: float = 10.0,
    workers: int | None = None,
    folder: Path = Folder,
) -> None:
    """Play all matches.

    Args:
        games: Of which games; of all if none is named.
        agents: Only those in which one of these sits alone.
        minutes: The most for each match.
        workers: Processes that play; as many as there are cores if not given.
        folder: Where the games are kept.
    """
    for match in matches(games, agents):
        _play(match, 60 * minutes, workers or os.cpu_count() or 1, folder)


def _play(match: Match, seconds: float, workers: int, folder: Path) -> None:
    """Play as many deals as the time allows, judged by the first ones."""
    path = match.file(folder)
    all_deals, first = match.deals, match.tournament(1)
    first = replace(first, deals=min(all_deals, first.block * workers))
    begun = time.monotonic()
    if not path.exists():
        run(path, first, engine(workers=workers))
    with Store(path) as store:
        played = max(first.deals, store.tournament.deals)
        spent = max(time.monotonic() - begun, 1e-3)
        deals = all_deals if spent * all_deals / first.deals < seconds else int(first.deals * seconds / spent)
    deals = min(all_deals, max(played, deals // first.block * first.block))
    console.print(f"{match.game}, {match.players} players: {match.agent} against {match.base}, {deals} deals")
    run(path, replace(first, deals=deals), engine(workers=workers), console=console)


@app.command
def report(
    games: Names = (),
    agents: tuple[str, ...] = (),
    folder: Path = Folder,
    out: Path = Path("benchmarks") / "results" / "strength.md",
) -> None:
    """Write the table of what was played.

    Args:
        games: Of which games; of all if none is named.
        agents: Only the matches in which one of these sits alone.
        folder: Where the games are kept.
        out: The file, Markdown.
    """
    played = [match for match in matches(games, agents) if _games(match, folder)]
    alone = f" --agents {' '.join(agents)}" if agents else ""
    lines = [
        f"# How strong {', '.join(agents) or 'the bots'} are",
        "",
        "One agent alone against copies of another, the same deals for every match, all rotations of the seats.",
        "The win share (level winners share a win) has a 95 % interval in which a deal with all its rotations counts",
        f"as one observation; bold where the whole interval is above the fair share, 1 / players. {machine()}.",
        "",
        f"    python -m coven.benchmarks.strength play{alone} && python -m coven.benchmarks.strength report{alone}",
    ]
    for title, group in _groups(played):
        lines += [
            "",
            f"## {title}",
            "",
            "| agent | against | games | win share | 95 % | score | theirs | ms/decision |",
        ]
        lines += ["|---|---|--:|--:|---|--:|--:|--:|", *[_row(match, folder) for match in group]]
    files.write(out, "\n".join(lines) + "\n")
    console.print(f"written: {out}")


def _games(match: Match, folder: Path) -> int:
    """How many games of a match there are."""
    if not match.file(folder).exists():
        return 0
    with Store(match.file(folder)) as store:
        return len(store)


def _groups(played: list[Match]) -> Iterator[tuple[str, list[Match]]]:
    """The matches of each game and player count, under a title."""
    for key in dict.fromkeys((match.game, match.players) for match in played):
        title = f"{find_game(key[0]).title}, {key[1]} players (fair share {1 / key[1]:.1%})"
        yield title, [match for match in played if (match.game, match.players) == key]


def _row(match: Match, folder: Path) -> str:
    """A match as a row of the table."""
    with Store(match.file(folder)) as store:
        found = Games.load(store)
    line = {line.agent: line for line in standings(found).lines}
    agent, base = line[match.agent], line[match.base]
    wins = agent.win_share
    mark = "**" if wins.low > 1 / match.players else ""
    cells = (
        match.agent,
        match.base,
        f"{len(found.deals):,}",
        f"{mark}{wins.value:.1%}{mark}",
        f"{wins.low:.1%} to {wins.high:.1%}",
        f"{agent.score.value:.1f}",
        f"{base.score.value:.1f}",
        f"{agent.milliseconds:.3g}",
    )
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    app.cli()
