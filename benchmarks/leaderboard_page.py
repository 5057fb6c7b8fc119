"""The page of the leaderboard, made from the result files: `python -m coven.benchmarks.ladder page`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from coven.arena import anchors, results
from coven.arena.evaluation import figures
from coven.arena.figure import Anchors
from coven.arena.intervals import Estimate
from coven.arena.results import BadResult, Result
from coven.arena.verify import verify
from coven.games import built_in
from coven.games import game as find_game
from coven.games.core.game import Game

HEAD = """# Leaderboard

Agents evaluated by [protocol 1](evaluation.md). Every line comes from a file in
[benchmarks/leaderboard](../benchmarks/leaderboard) with all games of the evaluation. Anybody can play these games
again: `coven evaluate --verify FILE`. `make leaderboard` makes this page from the files.

Four opponents with fixed ratings, the anchors, define the scale of the ratings. Greedy has the rating 1000, and a lead
of 400 points means odds of ten to one to finish ahead of another player. A rating is the mean over all numbers of
players, with a 95 % interval. Each game has its own scale, so compare agents only within a game. An agent that never
finishes ahead of an anchor, as random in Witchstone, is weaker than its rating says.
"""
TAIL = """
## Send yours in

1. Run `coven evaluate GAME SPEC --name "NAME"` with your agent, for one game or several. If the agent is not part of
   Coven, say where it can be found.
2. Run `coven evaluate --verify FILE`. It must say that everything fits.
3. Put the file into `benchmarks/leaderboard/`, run `make leaderboard`, and open a pull request with both.

A quick evaluation (`--quick`) does not count. Agents with a time limit per decision and outside programs are marked,
because their choices need not be the same on another machine. Agents that failed to decide (*faults*) are marked too: a
random action was played instead.
"""


def page(board: Path, check: bool = True) -> str:
    """The page, from all files in a folder; each is verified first, unless it is known to fit."""
    entries = [_entry(path, check) for path in sorted(board.glob(f"*{results.ENDING}"))]
    parts = [HEAD]
    for name in built_in():
        game = find_game(name)
        scale = anchors.read(game)
        rows = [(found, figures(found, scale)) for found in entries if found.head.game == name]
        if rows and scale:
            parts.append("\n".join(_section(game, scale, rows)))
    return "\n".join([*parts, TAIL.strip(), ""])


def _entry(path: Path, check: bool) -> Result:
    found = verify(path).result if check else results.read(path)
    if found.head.quick:
        raise BadResult(f"{path} is a quick evaluation; the leaderboard has whole ones")
    return found


def _section(game: Game, scale: Anchors, rows: list[tuple[Result, dict[str, Any]]]) -> Iterator[str]:
    """One game: its agents, best first, and the anchors."""
    counts = [f"{n} players" for n in game.players]
    yield f"## {game.title}\n"
    yield f"| | agent | rating | 95 % | {' | '.join(counts)} | ms/decision | games |"
    yield f"|--:|---|--:|---|{'--:|' * len(counts)}--:|--:|"
    for place, (found, known) in enumerate(sorted(rows, key=lambda row: -row[1]["overall"][0]), 1):
        overall = Estimate(*known["overall"])
        cells = (
            str(place),
            _name(found, known),
            f"{overall.value:.0f}",
            f"{overall.low:.0f} to {overall.high:.0f}",
            *(f"{known['players'][str(n)][0]:.0f}" for n in game.players),
            f"{known['milliseconds']:.3g}",
            f"{known['games']:,}",
        )
        yield f"| {' | '.join(cells)} |"
    yield "\nAnchors: " + "; ".join(_anchor(name, scale) for name in next(iter(scale.values()))) + ".\n"


def _name(found: Result, known: dict[str, Any]) -> str:
    """An agent as the table calls it, with what a reader should know about its games."""
    marks = ["not reproducible"] if found.head.timed else []
    if known["faults"]:
        marks.append(f"{known['faults']:,} faults")
    return f"`{found.head.name}`" + (f" ({', '.join(marks)})" if marks else "")


def _anchor(name: str, scale: Anchors) -> str:
    """An anchor with its mean rating and those by number of players."""
    ratings = [row[name] for row in scale.values()]
    return f"`{name}` {sum(ratings) / len(ratings):.0f} ({', '.join(f'{rating:.0f}' for rating in ratings)})"
