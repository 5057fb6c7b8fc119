"""The ladder of our own agents: their evaluations, the anchors of the scale, and the leaderboard page.

    python -m coven.benchmarks.ladder play        # everybody by the protocol, cheap matches first; resumes
    python -m coven.benchmarks.ladder anchors     # the ratings of the anchors from these games: games/GAME/anchors.json
    python -m coven.benchmarks.ladder write       # a result file for every agent whose games are all there
    python -m coven.benchmarks.ladder page        # docs/leaderboard.md from all files, each verified first
    python -m coven.benchmarks.ladder anchoring   # every agent again, with opponents left out

The games of `play` are kept in runs/ladder.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import numpy as np
import tyro
from rich.console import Console
from tyro.conf import Positional

from coven.arena import anchors as scale
from coven.arena import evaluation, results
from coven.arena.engines import engine
from coven.arena.figure import figure
from coven.arena.protocol import ANCHORS, BASELINE, PROTOCOL, SEED, tournaments
from coven.arena.ratings import Games, bradley_terry
from coven.arena.run import run
from coven.arena.schedule import Tournament, plan
from coven.arena.store import Store
from coven.benchmarks import leaderboard_page
from coven.games import built_in
from coven.games import game as find_game
from coven.games.core import files
from coven.games.core.game import Game

app = tyro.extras.SubcommandApp()
console = Console(highlight=False, width=120)
Names = Annotated[tuple[str, ...], Positional]
AGENTS = ("random", "greedy", BASELINE, "ismcts:100", "ismcts:1000")
RUNS = Path("runs") / "ladder"
BOARD = Path("benchmarks") / "leaderboard"
STEPS = ("mix:0.25", "mix:0.5", "mix:0.75")
"""Between random and greedy, who never wins against the other: their distance is that of the steps."""
STEP_DEALS = 250


@app.command
def play(
    games: Names = (),
    agents: tuple[str, ...] = AGENTS,
    opponents: tuple[str, ...] = AGENTS,
    workers: int = 1,
    folder: Path = RUNS,
    anyway: bool = False,
) -> None:
    """Play the evaluations of our agents, match by match, cheap ones first.

    Args:
        games: Of which games; of all if none is named.
        agents: Whose.
        opponents: Only their matches against these.
        workers: Processes that play.
        folder: Where the games are kept.
        anyway: Go on although sources have changed since the first games; results will say so.
    """
    waiting = [
        (_cost(t), path, t)
        for name in games or built_in()
        for agent in agents
        for t in tournaments(find_game(name), agent)
        if t.agents[1] in opponents
        for path in [evaluation.file(evaluation.place(folder, name, agent), t)]
    ]
    for _, path, tournament in sorted(waiting, key=lambda one: one[0]):
        if _complete(path, tournament):
            continue
        console.print(f"{tournament.game}, {tournament.players} players: {' '.join(tournament.agents)}")
        run(path, tournament, engine(workers=workers), console=console, anyway=anyway)


def _cost(t: Tournament) -> float:
    """A rough measure of how long a tournament takes: iterations of search in games of average length."""

    def iterations(spec: str) -> int:
        return int(spec.partition(":")[2]) if spec.startswith("ismcts") else 1

    seats = [iterations(t.agents[agent]) for lineup in t.lineups for agent in lineup]
    return sum(seats) * t.players * t.deals * t.rules.facts.longest[t.players]


@app.command
def anchors(games: Names = (), folder: Path = RUNS) -> None:
    """Rate the anchors by their games with each other and by steps between random and greedy.

    Args:
        games: Of which games; of all if none is named.
        folder: Where the games are kept.
    """
    for name in games or built_in():
        game = find_game(name)
        ratings = {n: _rate(game, n, folder) for n in game.players}
        text = scale.text(game, PROTOCOL, f"python -m coven.benchmarks.ladder anchors {name}", ratings)
        path = Path("games") / name / scale.FILE
        files.write(path, text)
        console.print(f"written: {path}")


def _rate(game: Game, players: int, folder: Path) -> dict[str, float]:
    """The ratings of the anchors at one number of players."""
    everybody = (*ANCHORS, *STEPS)
    ahead = np.zeros((len(everybody), len(everybody)))
    for path, t in _between_anchors(game, players, folder):
        if not _complete(path, t):
            run(path, t)
        with Store(path) as store:
            total = Games.load(store).ahead().sum(axis=0)
        at = [everybody.index(agent) for agent in t.agents]
        ahead[np.ix_(at, at)] += total
    found = [rating.value for rating in bradley_terry(ahead[None], samples=1)]
    zero = found[everybody.index(scale.ZERO)]
    return {name: scale.AT + found[everybody.index(name)] - zero for name in ANCHORS}


def _between_anchors(game: Game, players: int, folder: Path) -> Iterator[tuple[Path, Tournament]]:
    """The tournaments that say how far the anchors are apart."""
    for agent in ANCHORS:
        for t in tournaments(game, agent):
            if t.players == players and t.agents[1] in ANCHORS:
                yield evaluation.file(evaluation.place(folder, game.name, agent), t), t
    chain = ("random", *STEPS, "greedy")
    for below, step, above in zip(chain[:-2:2], chain[1:-1:2], chain[2::2], strict=True):
        t = plan(game.name, (step, below, above), players, STEP_DEALS, SEED, schedule="against")
        yield evaluation.file(evaluation.place(folder, game.name, step), t), t


@app.command
def write(games: Names = (), folder: Path = RUNS, out: Path = BOARD) -> None:
    """Write the result files of all agents whose games are all there.

    Args:
        games: Of which games; of all if none is named.
        folder: Where the games are kept.
        out: Where the files go.
    """
    for name in games or built_in():
        game = find_game(name)
        if not scale.read(game):
            console.print(f"{name} has no anchors yet: python -m coven.benchmarks.ladder anchors {name}")
            continue
        for agent in AGENTS:
            place = evaluation.place(folder, name, agent)
            played = [(evaluation.file(place, t), t) for t in tournaments(game, agent)]
            missing = sum(not _complete(path, t) for path, t in played)
            if missing:
                console.print(f"{place.name}: {missing} of {len(played)} tournaments are not played yet")
                continue
            path = out / f"{place.name}{results.ENDING}"
            results.write(evaluation.result(game, agent, [path for path, _ in played]), path)
            console.print(f"written: {path}")


def _complete(path: Path, tournament: Tournament) -> bool:
    if not path.exists():
        return False
    with Store(path) as store:
        return len(store) == tournament.games


@app.command
def page(board: Path = BOARD, out: Path = Path("docs") / "leaderboard.md") -> None:
    """Write the leaderboard page from all result files, each verified first.

    Args:
        board: Where the files are.
        out: The page.
    """
    files.write(out, leaderboard_page.page(board))
    console.print(f"written: {out}")


@app.command
def anchoring(board: Path = BOARD, out: Path = Path("benchmarks") / "results" / "anchoring.md") -> None:
    """Rate every agent of the leaderboard again with each opponent left out: does the figure stay in its interval?

    Args:
        board: Where the files are.
        out: The table, Markdown.
    """
    lines = [
        "# The same agents with other opponents",
        "",
        "Every agent of the leaderboard, rated by all its games with anchors and again with each anchor left out.",
        "Bold: the figure is outside the 95 % interval of the whole evaluation.",
        "",
        "    python -m coven.benchmarks.ladder anchoring",
        "",
        "| game | agent | all | 95 % | left out | figure | 95 % |",
        "|---|---|--:|---|---|--:|---|",
    ]
    inside = rows = 0
    for path in sorted(board.glob(f"*{results.ENDING}")):
        found = results.read(path)
        fixed = scale.read(found.head.rules)
        whole = figure(found.points, fixed)
        for gone in ANCHORS:
            points = [p for p in found.points if p.opponent != gone]
            part = figure(points, fixed)
            if whole is None or part is None or len(points) == len(found.points):
                continue
            within = whole.overall.low <= part.overall.value <= whole.overall.high
            inside, rows = inside + within, rows + 1
            mark = "" if within else "**"
            cells = (
                found.head.game,
                found.head.name,
                f"{whole.overall.value:.0f}",
                f"{whole.overall.low:.0f} to {whole.overall.high:.0f}",
                gone,
                f"{mark}{part.overall.value:.0f}{mark}",
                f"{part.overall.low:.0f} to {part.overall.high:.0f}",
            )
            lines.append(f"| {' | '.join(cells)} |")
    lines += ["", f"{inside} of {rows} figures with an opponent left out are inside the interval of the whole."]
    files.write(out, "\n".join(lines) + "\n")
    console.print(f"written: {out} ({inside} of {rows} inside)")


if __name__ == "__main__":
    app.cli()
