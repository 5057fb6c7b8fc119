"""Evaluates an agent by the protocol: plays its matches, computes its figures, makes the result."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from rich.console import Console

from coven.agents.outside import can_fail
from coven.arena import anchors
from coven.arena.engines import Engine, in_this_process
from coven.arena.figure import Anchors, figure
from coven.arena.intervals import Estimate, mean, share
from coven.arena.machine import machine
from coven.arena.match import GameRow
from coven.arena.protocol import PROTOCOL, Match, matches, tournaments
from coven.arena.reading import list_readers, read_actions
from coven.arena.results import FORMAT, Head, PlayedGame, Result
from coven.arena.run import run
from coven.arena.schedule import Tournament
from coven.arena.store import Store
from coven.games import game as find_game
from coven.games.core.errors import BadOption
from coven.games.core.game import Game

DIGITS = {"rating": 1, "share": 4, "points": 2, "milliseconds": 6}
"""Digits in result files, by kind of figure."""
NO_FORFEITS = "on_fault=forfeit is not allowed in an evaluation; allowed: on_fault=stop or on_fault=random"


def place(folder: Path, game: str, agent: str, quick: bool = False) -> Path:
    """The folder name for the games of an evaluation, made from its spec."""
    readable = re.sub(r"[^\w.=-]+", "_", agent)[:60]
    if readable != agent.replace(":", "_"):  # two specs shall not share a place
        digest = sha256(agent.encode(errors="backslashreplace")).hexdigest()  # a word need not be UTF-8
        readable += f"-{digest[:8]}"
    return folder / f"{game}-{readable}{'-quick' if quick else ''}"


def evaluate(
    game: str,
    agent: str,
    folder: Path,
    quick: bool = False,
    name: str | None = None,
    engine: Engine = in_this_process,
    console: Console | None = None,
    anyway: bool = False,
) -> Result:
    """Play the missing games of an evaluation, store them in a folder, and return the result."""
    played = play(find_game(game), agent, folder, quick, engine, console, anyway)
    return result(find_game(game), agent, played, quick, name)


def play(
    game: Game,
    agent: str,
    folder: Path,
    quick: bool = False,
    engine: Engine = in_this_process,
    console: Console | None = None,
    anyway: bool = False,
) -> list[Path]:
    """Play the missing games; returns the files of all tournaments of the evaluation."""
    if can_fail(agent) and "on_fault=forfeit" in agent:
        raise BadOption(NO_FORFEITS)
    played = []
    for tournament in tournaments(game, agent, quick):
        path = file(folder, tournament)
        run(path, tournament, engine, console=console, anyway=anyway)
        played.append(path)
    return played


def file(folder: Path, tournament: Tournament) -> Path:
    """The file of one tournament of an evaluation."""
    return folder / f"{tournament.players}-{tournament.agents[1].replace(':', '_')}.db"


def result(game: Game, agent: str, played: list[Path], quick: bool = False, name: str | None = None) -> Result:
    """The result of an evaluation whose games have all been played."""
    games: dict[tuple[int, str], list[PlayedGame]] = {}
    digests: dict[str, str] = {}
    changes, timed = [], False
    for path in played:
        with Store(path) as store:
            t = store.tournament
            timed |= t.timed
            other = [name for name, digest in store.sources.items() if digests.setdefault(name, digest) != digest]
            notes = [*store.changes, *([f"other sources of {', '.join(other)}"] if other else [])]
            changes += [f"{t.players} players against {t.agents[1]}: {note}" for note in notes]
            for row in store.games():
                one = _played(t, row)
                games.setdefault((one.players, one.opponent), []).append(one)
    head = Head(
        format=FORMAT,
        protocol=PROTOCOL,
        quick=quick,
        game=game.name,
        version=game.version,
        agent=agent,
        name=name or agent,
        timed=timed,
        coven=version("coven-rl"),
        date=datetime.now(UTC).strftime("%Y-%m-%d"),
        machine=machine(),
        sources=digests,
        changes=changes,
        anchors=anchors.read(game),
        figures={},
    )
    found = Result(head, [one for match in matches(game, agent, quick) for one in games[match.players, match.opponent]])
    return with_figures(found)


def _played(t: Tournament, row: GameRow) -> PlayedGame:
    read = list_readers(t.rules, t.players, t.agents)
    if any(read["forfeits"](row.forfeits)):
        raise BadOption(NO_FORFEITS)
    return PlayedGame(
        players=t.players,
        opponent=t.agents[t.lineups[row.lineup][1]],
        deal=row.deal,
        rotation=row.rotation,
        actions=read_actions(row.actions, t.rules, t.players),
        ranks=read["ranks"](row.ranks),
        scores=read["scores"](row.scores),
        moves=read["moves"](row.moves),
        seconds=float(f"{read['seconds'](row.seconds)[row.rotation]:.4g}"),
        faults=read["faults"](row.faults)[row.rotation],
    )


def with_figures(found: Result) -> Result:
    """The same result with its figures, by the anchors in it."""
    head = msgspec.structs.replace(found.head, figures=figures(found, found.head.anchors))
    return Result(head, found.games)


def figures(found: Result, scale: Anchors) -> dict[str, Any]:
    """All figures of a result, as plain rounded numbers: by match, by number of players, and overall."""
    rated = figure(found.points, scale)
    whole: dict[str, Any] = {"matches": [_match(match, games) for match, games in found.by_match()]}
    seconds = sum(game.seconds for game in found.games)
    moves = sum(game.moves[game.rotation] for game in found.games)
    whole["milliseconds"] = round(1000 * seconds / max(1, moves), DIGITS["milliseconds"])
    whole["games"] = len(found.games)
    whole["faults"] = sum(game.faults for game in found.games)
    if rated is not None:
        whole["overall"] = _ends(rated.overall, "rating")
        whole["players"] = {str(n): _ends(one, "rating") for n, one in rated.by_players.items()}
        whole["disagreement"] = round(rated.disagreement, DIGITS["rating"])
    return whole


def _match(match: Match, games: list[PlayedGame]) -> dict[str, Any]:
    """The figures of one match."""
    n = match.players

    def by_deal(values: list[float]) -> np.ndarray:
        return np.array(values).reshape(match.deals, n).sum(axis=1)

    def first(game: PlayedGame) -> float:
        return (game.ranks[game.rotation] == 1) / game.ranks.count(1)

    count = np.full(match.deals, float(n))
    own = mean(by_deal([float(game.scores[game.rotation]) for game in games]), count)
    theirs = [(sum(game.scores) - game.scores[game.rotation]) / (n - 1) for game in games]
    return {
        "players": n,
        "opponent": match.opponent,
        "games": len(games),
        "wins": _ends(share(by_deal([first(game) for game in games]), count), "share"),
        "score": round(float(own.value), DIGITS["points"]),
        "theirs": round(sum(theirs) / len(games), DIGITS["points"]),
    }


def _ends(estimate: Estimate, kind: str) -> list[float]:
    return [round(float(end), DIGITS[kind]) for end in (estimate.value, estimate.low, estimate.high)]


def estimates(figures: dict[str, Any]) -> Iterator[tuple[str, Estimate]]:
    """The ratings among the figures, by name: each number of players, then the overall one."""
    for n, ends in figures.get("players", {}).items():
        yield f"{n} players", Estimate(*ends)
    if "overall" in figures:
        yield "overall", Estimate(*figures["overall"])
