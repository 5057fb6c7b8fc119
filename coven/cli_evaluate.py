"""`coven evaluate` and `coven data`: figures that others can check, and decisions for others to learn from."""

from __future__ import annotations

import os
import shlex
import time
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from tyro.conf import Positional, arg

from coven.arena.tables import Column, FittedTable
from coven.endings import going_on
from coven.games import game as find_game
from coven.games.core.errors import BadOption, extra
from coven.terminal import Terminal

if TYPE_CHECKING:
    from coven.arena.results import Result

console = Terminal()

RUNS = Path("runs") / "evaluate"


def evaluate(
    game: Annotated[Positional[str | None], arg(metavar="GAME")] = None,
    spec: Annotated[Positional[str | None], arg(metavar="SPEC")] = None,
    verify: Annotated[tuple[Path, ...], arg(metavar="FILE")] = (),
    quick: bool = False,
    name: str | None = None,
    out: Path | None = None,
    workers: int | None = None,
    engine: Literal["local", "ray"] = "local",
    address: str | None = None,
    anyway: bool = False,
    on_fault: Literal["stop", "random"] | None = None,
) -> None:
    """Evaluate an agent by a fixed protocol, or verify a result file; see docs/evaluation.md.

    Run the same command again to go on with an evaluation that was stopped.

    Args:
        game: One of the names that `coven games` lists.
        spec: The agent, such as greedy or ppo:FILE.
        verify: Evaluate nothing; play all games of these result files again and compute their figures again.
        quick: Play only a few games against fast opponents, for development; not for comparison.
        name: The agent's name on the leaderboard; its spec if not given.
        out: The result file; runs/evaluate/GAME-SPEC.jsonl.xz if not given.
        workers: Processes that play; as many as there are cores if not given.
        engine: Play here, or as tasks of Ray (needs the extra `ray`).
        address: The address of a Ray cluster; without it Ray runs on this machine.
        anyway: Go on although the rules or an agent have changed since the first games; the result says so.
        on_fault: What happens when an outside agent (cmd:, llm:) fails to decide. stop (default): everything stops.
            random: a random action is played, and the result counts it as a fault.
    """
    if verify:
        if game is not None:
            raise BadOption("give either GAME and SPEC, or --verify with files")
        for path in verify:
            _verify(path)
        return
    if game is None or spec is None:
        raise BadOption("say what to evaluate: coven evaluate GAME SPEC, or coven evaluate --verify FILE")
    with extra("arena", "evaluations"):
        from coven.arena import evaluation, results
    from coven.agents.outside import with_rule
    from coven.arena import engines
    from coven.arena.reading import check_name
    from coven.games.core import files

    check_name(name or spec, "name")
    spec = with_rule(spec, on_fault)
    folder = evaluation.place(RUNS, find_game(game).name, spec, quick)
    path = out or folder.with_name(folder.name + results.ENDING)
    if not path.name.endswith(results.ENDING):
        raise BadOption(f"out={str(path)!r} is not allowed; allowed: a file that ends in {results.ENDING}")
    files.check(path)
    chosen = engines.engine(engine, (os.cpu_count() or 1) if workers is None else workers, address)
    with going_on(f"games played so far are in {folder}; run the same command again to go on"):
        found = evaluation.evaluate(game, spec, folder, quick, name, chosen, console, anyway)
    results.write(found, path)
    _print(found)
    console.print(f"The result: {path} (coven evaluate --verify {path})", markup=False, soft_wrap=True)


def _verify(path: Path) -> None:
    with extra("arena", "evaluations"):
        from coven.arena.verify import verify

    found = verify(path)
    _print(found.result)
    for notice in found.notices:
        console.print(f"Note: {notice}.", markup=False)
    console.print(f"{path}: all {len(found.result.games):,} games and all figures fit.", markup=False, soft_wrap=True)


def _print(found: Result) -> None:
    """The figures of a result as a table."""
    from coven.arena.evaluation import estimates
    from coven.arena.intervals import Estimate
    from coven.arena.league import NOT_REPRODUCIBLE

    head, figures = found.head, found.head.figures
    title = f"{head.rules.title}, protocol {head.protocol}{', quick' if head.quick else ''}: {head.name}"
    columns = ("games", "win share", "95 %", "fair share", "score", "theirs")
    rows = []
    for row in figures["matches"]:
        wins = Estimate(*row["wins"])
        rows.append(
            (
                str(row["players"]),
                row["opponent"],
                str(row["games"]),
                f"{wins.value:.1%}",
                f"{wins.low:.1%} to {wins.high:.1%}",
                f"{1 / row['players']:.1%}",
                f"{row['score']:.1f}",
                f"{row['theirs']:.1f}",
            )
        )
    names = [Column("players", "name"), Column("against", "name")]
    console.print(FittedTable(title, [*names, *map(Column, columns)], rows))
    for what, rating in estimates(figures):
        console.print(f"{what}: [bold]{rating.value:.0f}[/bold] ({rating.low:.0f} to {rating.high:.0f})")
    if "overall" not in figures:
        console.print("This game has no anchors: there is no overall figure.")
    console.print(
        f"{figures['games']:,} games, {figures['milliseconds']:.3g} ms a decision; {head.machine}", markup=False
    )
    if figures["faults"]:
        moves = sum(game.moves[game.rotation] for game in found.games)
        console.print(f"{figures['faults']:,} faults in {moves:,} decisions: a random action was played instead.")
    if head.timed:
        console.print(NOT_REPRODUCIBLE)
    console.print(f"Digest of all games without timings: {found.digest()}")


def data(
    game: Annotated[Positional[str], arg(metavar="GAME")],
    agents: Annotated[tuple[str, ...], arg(metavar="AGENT")],
    decisions: int = 1_000_000,
    out: Path | None = None,
    players: int | None = None,
    seed: int = 0,
    options: Annotated[tuple[str, ...], arg(metavar="NAME=VALUE")] = (),
) -> None:
    """Write decisions of agents as Parquet files, for offline learning; run the same command again to go on.

    Args:
        game: One of the names that `coven games` lists.
        agents: Specs of the agents, seat by seat, repeated if there are fewer than seats; every deal is played with
            all rotations of the seats.
        decisions: How many decisions at least. Whole games are written: 64 deals with all rotations at a time, 4 if an
            agent searches.
        out: The folder; runs/data/GAME if not given.
        players: How many play together; the fewest that the game allows if not given.
        seed: The same seed gives the same decisions.
        options: Options of the game.
    """
    with extra("arena", "Parquet files"):
        import_module("pyarrow.parquet")  # before a game is compiled for it
    from coven.arena import data as writing
    from coven.cli import parse_options

    folder, given = out or Path("runs") / "data" / game, parse_options(find_game(game), options)
    wanted = writing.plan(game, agents, players, seed, given)
    words = ["coven", "data", game, "--agents", *agents, "--decisions", str(decisions), "--seed", str(seed)]
    words += ["--players", str(len(wanted.agents)), *(["--options", *options] if options else [])]
    begun, before = time.perf_counter(), -1

    def show(done: int) -> None:
        nonlocal before
        before = done if before < 0 else before
        rate = (done - before) / (time.perf_counter() - begun)
        status.update(f"{done:,} of {decisions:,} decisions, {rate:,.0f}/s")

    with (
        console.status("playing") as status,
        going_on(f"what is done is in {folder}; run the same command again to go on"),
    ):
        done = writing.write(wanted, decisions, folder, shlex.join(words), show)
    said = f"{done:,} decisions: {folder / 'data'} (described in {folder / 'README.md'})"
    console.print(said, markup=False, soft_wrap=True)
