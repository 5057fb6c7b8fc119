"""`coven arena` and `coven replay`: tournaments, their tables, reports and games."""

from __future__ import annotations

import importlib
import os
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro
from tyro.conf import Positional, arg

from coven.endings import going_on
from coven.games.core import files
from coven.games.core.errors import MissingExtra, extra
from coven.terminal import Terminal, print_json

app = tyro.extras.SubcommandApp()
console = Terminal()

Db = Annotated[Positional[Path], arg(metavar="DB", help="The file of a tournament.")]
Agents = Annotated[tuple[str, ...], arg(metavar="AGENT", help="Specs of the agents, such as greedy or ismcts:200.")]


@app.command
def run(
    game: Annotated[Positional[str], arg(metavar="GAME")],
    agents: Agents,
    players: int | None = None,
    deals: int = 100,
    seed: int = 0,
    db: Path | None = None,
    workers: int | None = None,
    engine: Literal["local", "ray"] = "local",
    address: str | None = None,
    until_sure: bool = False,
    error_rate: float = 0.05,
    schedule: Literal["all", "drawn", "alone", "against"] | None = None,
    block: int | None = None,
    on_fault: Literal["stop", "random", "forfeit"] | None = None,
    anyway: bool = False,
    options: Annotated[tuple[str, ...], arg(metavar="NAME=VALUE")] = (),
) -> None:
    """Play a tournament, or go on with one that was stopped: run the same command again.

    Args:
        game: One of the names that `coven games` lists.
        agents: Specs of the agents.
        players: How many play together; the fewest that the game allows if not given.
        deals: How many deals every lineup plays, each with all rotations of the seats; with --until-sure at most so
            many.
        seed: The same seed gives the same games.
        db: The file of the tournament; runs/arena/GAME-PLAYERS-SEED.db if not given.
        workers: Processes that play; as many as there are cores if not given.
        engine: Play here, or as tasks of Ray (needs the extra `ray`).
        address: The address of a Ray cluster; without it Ray runs on this machine.
        until_sure: Stop as soon as the order of all agents is certain.
        error_rate: With --until-sure: the probability of stopping with a wrong order.
        schedule: Which lineups play: all combinations of agents (all), some drawn at random (drawn), each agent alone
            against copies of the first (alone), or the first alone against copies of each other (against). If
            not given: all if they are few, otherwise drawn.
        block: Deals that are played and stored together.
        on_fault: What happens when an outside agent (cmd:, llm:) fails to decide. stop (default): everything stops.
            random: a random action is played. forfeit: it loses the game, which random actions play to the end.
        anyway: Go on although the rules or an agent have changed since the first games; the file and reports say so.
        options: Options of the game.
    """
    from coven.agents.outside import with_rule
    from coven.arena import engines
    from coven.arena.run import run as play
    from coven.arena.schedule import plan
    from coven.cli import parse_options
    from coven.games import game as find_game

    given = parse_options(find_game(game), options)
    agents = tuple(with_rule(spec, on_fault) for spec in agents)
    tournament = plan(game, agents, players, deals, seed, given, schedule, block)
    path = db or Path("runs") / "arena" / f"{game}-{tournament.players}-{seed}.db"
    chosen = engines.engine(engine, (os.cpu_count() or 1) if workers is None else workers, address)
    lacking = _lacking()
    if lacking:
        console.print(f"The games will be stored, but no table can be printed: {lacking}", markup=False)
    with going_on(f"games played so far are in {path}; run the same command again to go on"):
        verdict = play(path, tournament, chosen, error_rate if until_sure else None, console, anyway)
    if not lacking:
        _print_table(path, verdict)
    console.print(f"Games: {path} (coven arena report {path}, coven replay {path} --game 0)", markup=False)


@app.command
def table(db: Db, openskill: bool = False, json: Annotated[bool, tyro.conf.FlagCreatePairsOff] = False) -> None:
    """Print the league table of a tournament, finished or not.

    Args:
        db: The file of a tournament.
        openskill: Add the ratings of openskill's Plackett-Luce model, which are updated game by game.
        json: Print JSON, for other programs.
    """
    _print_table(db, None, openskill, json)


def _lacking() -> str | None:
    """What is missing on this machine for a league table; None if nothing is."""
    try:
        with extra("arena", "league tables"):
            for name in ("choix", "coven.arena.league"):
                importlib.import_module(name)
    except MissingExtra as error:
        return str(error)
    return None


def _print_table(db: Path, verdict: Any, openskill: bool = False, json: bool = False) -> None:
    with extra("arena", "league tables"):
        from coven.arena import ratings
        from coven.arena.league import as_json, print_league
    from coven.arena.store import Store

    with Store(db) as store:
        games = ratings.Games.load(store)
        skills = ratings.openskill(games) if openskill else None
        if json:
            missing = store.tournament.games - len(store)
            more = {"missing": missing, "changes": list(store.changes), "digest": store.digest()}
            print_json(as_json(ratings.standings(games), skills) | more)
            return
        print_league(console, ratings.standings(games), verdict, skills)
        missing = store.tournament.games - len(store)
        if missing and not (verdict and verdict.sure):
            console.print(f"{missing:,} games are not played yet.")
        if store.changes:
            console.print(f"Games of different programs: {'; '.join(store.changes)}.", markup=False)
        console.print(f"Digest of all games without timings: {store.digest()}")


@app.command
def report(db: Db, out: Path | None = None, games: int = 2) -> None:
    """Write a report: one HTML file that works without others, and plots.

    Args:
        db: The file of a tournament.
        out: The folder; DB without its ending if not given.
        games: Write so many of the first games next to it, as pages to watch.
    """
    with extra("arena", "reports"):
        from coven.arena.report import report as write
    from coven.arena.store import Store

    with Store(db) as store:
        folder = out or db.with_suffix("")
        print(write(store, folder, _pages(db, folder, min(games, len(store)))))


def _pages(db: Path, folder: Path, count: int) -> dict[int, str]:
    """Write the first games as pages to watch: their files by number."""
    from coven.web import export as pages
    from coven.web.library import Library

    library, names = Library(db), {}
    files.folder(folder)
    for number in range(count):
        film, names[number] = library.film(number), f"game-{number}.html"
        files.write(folder / names[number], pages.html(film, pages.draw(film, pages.everybody(film))))
    return names


@app.command
def export(db: Db, out: Annotated[Positional[Path], arg(metavar="FILE")]) -> None:
    """Write all games to a file for other tools.

    Args:
        db: The file of a tournament.
        out: A .parquet or .csv file with a row for each game, or a .jsonl file with a replay on each line.
    """
    from coven.arena.export import export as write
    from coven.arena.store import Store

    with Store(db) as store:
        write(store, out)
    print(out)


def replay(
    file: Annotated[Positional[Path], arg(metavar="FILE", help="A tournament or a file of replays.")],
    game: int = 0,
    viewer: int | None = None,
    tables: bool = False,
    step: bool = False,
    check: bool = False,
    export: Path | None = None,
) -> None:
    """Show a recorded game move by move; a record that does not fit the rules is refused.

    Args:
        file: A tournament or a file of replays (JSON Lines).
        game: The number of the game in the file, from 0.
        viewer: Show only what this seat may know.
        tables: Show the whole position before every move.
        step: Step through it, forward and back.
        check: Only say whether the record fits the rules.
        export: Write the game to this file as JSON, and do not show it.
    """
    from coven.arena import replay as replays

    found = replays.read(file, game)
    if export is not None:
        found.check()
        replays.write([found], export)
        print(export)
    elif check:
        found.check()
        print(f"all {len(found.actions)} moves fit; scores {found.scores}, ranks {found.ranks}")
    elif step:
        from coven.web.library import Film
        from coven.web.terminal import step as step_through

        step_through(Film(found), viewer)
    else:
        for line in replays.lines(found, viewer, tables):
            console.print(line, markup=False, soft_wrap=True)
