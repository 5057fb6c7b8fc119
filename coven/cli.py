"""The `coven` command."""

from __future__ import annotations

import os
import sys
import unicodedata
from collections.abc import Sequence
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro
from tyro.conf import Positional, arg

import coven
from coven import cli_arena, cli_bots, cli_evaluate, cli_train, cli_web, endings, facts
from coven.arena.reading import shortened
from coven.arena.tables import Column, FittedTable
from coven.games import all_games
from coven.games.core import files, processes
from coven.games.core.components import SOURCES
from coven.games.core.errors import BadOption, CovenError, extra
from coven.games.core.game import Game
from coven.playthrough import playthrough, random_game
from coven.terminal import Terminal, print_json

if TYPE_CHECKING:
    from coven.benchmarks.throughput import Throughput

app = tyro.extras.SubcommandApp()
console = Terminal()

Name = Annotated[Positional[str], arg(metavar="GAME", help="One of the names that `coven games` lists.")]
Players = Annotated[int | None, arg(metavar="N", help="How many players; the fewest possible if not given.")]
Options = Annotated[tuple[str, ...], arg(metavar="NAME=VALUE", help="Options of the game, such as setup=german.")]
Json = Annotated[bool, tyro.conf.FlagCreatePairsOff]


MOST_MOVES = 1_000_000
MOST_SECONDS, MOST_REPEATS = 3600, 1000


@app.command
def games(json: Json = False) -> None:
    """List the games.

    Args:
        json: Print JSON, for other programs.
    """
    if json:
        print_json([facts.in_short(game) for game in all_games()])
        return
    rows = [
        (g.name, g.title, f"{g.players[0]} to {g.players[-1]}", str(g.num_actions), str(g.observation_size), g.summary)
        for g in all_games()
    ]
    console.print(_table("", ("game", "title", "players", "actions", "observation", "in short"), rows))


@app.command
def show(game: Name) -> None:
    """Show a game: its rules, action space, observation layout and where its components come from."""
    g = coven.game(game)
    console.print(f"[bold]{g.title}[/bold], {g.players[0]} to {g.players[-1]} players. {g.summary}\n")
    console.print(facts.rules_in_short(g) + "\n", markup=False)
    if g.options:
        console.print(_table("Options", facts.OPTION_COLUMNS, facts.option_rows(g)))
    console.print(_table("Actions", facts.ACTION_COLUMNS, facts.action_rows(g)))
    console.print(_table("Observation (uint8)", facts.LAYOUT_COLUMNS, facts.layout_rows(g)))
    console.print(_table("Components", facts.COMPONENT_COLUMNS, facts.component_rows(g)))
    console.print("Sources: " + "; ".join(f"{mark} {meaning}" for mark, meaning in SOURCES.items()) + ".")


@app.command(name="random")
def random_play(
    game: Name,
    players: Players = None,
    seed: int = 0,
    viewer: int | None = None,
    checks: bool = False,
    options: Options = (),
) -> None:
    """Play a random game and print every move.

    Args:
        game: Which game.
        players: How many players.
        seed: The same seed gives the same game.
        viewer: Show only what this seat may know.
        checks: Add to every move the number of legal actions and a checksum of what all players see.
        options: Options of the game.
    """
    g = coven.game(game)
    for line in playthrough(g, players, seed, checks, viewer, **parse_options(g, options)):
        console.print(line, markup=False, soft_wrap=True)


@app.command
def picture(
    game: Name,
    players: Players = None,
    seed: int = 0,
    moves: int = 20,
    viewer: int | None = None,
    out: Path | None = None,
    scale: float = 1,
    options: Options = (),
) -> None:
    """Draw a picture of the random game that `coven random` plays with the same seed.

    Args:
        game: Which game.
        players: How many players.
        seed: The same seed gives the same game.
        moves: Draw the position after so many moves, or the end of the game if it has fewer.
        viewer: Show only what this seat may know.
        out: The file, .svg or .png; runs/GAME.svg if not given.
        scale: Factor by which a .png is larger than usual.
        options: Options of the game.
    """
    from coven.envs import pictures

    g, file = coven.game(game), out or Path("runs") / f"{game}.svg"
    if file.suffix not in (".svg", ".png"):
        raise BadOption(f"out={str(file)!r} is not allowed; allowed: a file that ends in .svg or .png")
    if not 0 <= moves <= MOST_MOVES:
        raise BadOption(f"moves={moves} is not allowed; allowed: 0 to {MOST_MOVES}")
    files.check(file)
    if file.suffix == ".png":
        pictures.check()  # before a game is compiled for it
    s = g.new(players, seed, **parse_options(g, options))
    for _ in islice(random_game(g, s, seed), moves + 1):  # it yields each action before it is made
        pass
    drawn = g.svg(s, viewer)
    files.write(file, drawn if file.suffix == ".svg" else pictures.png(drawn, scale))
    print(file)


@app.command
def bench(
    game: Name,
    players: Players = None,
    seconds: float = 0.2,
    repeats: int = 5,
    active: bool = False,
    json: Json = False,
) -> None:
    """Measure how fast a game runs on one core.

    Args:
        game: Which game.
        players: How many players; every number that the game allows if not given.
        seconds: How long each measurement runs.
        repeats: How many times each is measured; the median is printed.
        active: Choose an idle action (stop, decline and the like) only when nothing else is legal.
        json: Print JSON, for other programs; rates are decisions per CPU second.
    """
    from coven.arena.machine import machine

    g = coven.game(game)
    if players is not None:
        g.blank(players)
    if not 0 < seconds <= MOST_SECONDS or not 1 <= repeats <= MOST_REPEATS:
        raise BadOption(
            f"seconds={seconds}, repeats={repeats} is not allowed; allowed: seconds above 0, up to {MOST_SECONDS}, "
            f"and 1 to {MOST_REPEATS} repeats"
        )
    measured = measure([(g, n) for n in ([players] if players else g.players)], seconds, repeats, active)
    if json:
        print_json({"machine": machine(), "repeats": repeats, "active": active, "rates": [asdict(t) for t in measured]})
        return
    print_throughput(measured, active)
    console.print(f"Medians of {repeats} runs; {machine()}.", markup=False)


def measure(what: list[tuple[Game, int]], seconds: float, repeats: int, active: bool = False) -> list[Throughput]:
    """The throughput of games at player counts."""
    from coven.benchmarks.throughput import measure

    found = []
    with console.status("measuring") as status:
        for g, n in what:
            status.update(f"measuring {g.title}, {n} players")
            found.append(measure(g, n, seconds, repeats, active))
    return found


def print_throughput(measured: list[Throughput], active: bool = False) -> None:
    """A table of measured throughput."""
    from coven.benchmarks.throughput import BATCH

    rows = []
    for t in measured:
        rates = (t.kernel, t.kernel_raw, t.kernel_without_observation, t.batch, t.aec, t.games)
        cells = (_rate(rate) for rate in rates)
        rows.append((t.game, str(t.players), *cells, f"{t.decisions_per_game:.0f}", f"{t.mask_share:.0%}"))
    title = "Decisions per CPU second, each with mask and observation unless said otherwise"
    rated = ("in-kernel", "raw obs.", "no obs.", f"batch {BATCH}", "AEC", "games/s")
    names, numbers = ("game", "players"), (*rated, "length", "mask")
    console.print(FittedTable(title, [*(Column(c, "name") for c in names), *map(Column, numbers)], rows))
    play = "idle actions only when nothing else is legal" if active else "uniform among the legal actions"
    console.print(f"Random play, {play}; raw: without the derived part; length: decisions per game; mask: its share.")


def _rate(rate: float) -> str:
    return f"{rate / 1e6:.2f} M" if rate >= 1e6 else f"{rate / 1e3:.0f} k"


@app.command
def fit(
    game: Name,
    rows: int = 250_000,
    hidden: int = 64,
    passes: int = 4,
    horizon: int = 1,
    seed: int = 0,
    agent: Annotated[str, tyro.conf.arg(metavar="SPEC")] = "",
    out: Path | None = None,
) -> None:
    """Fit an estimate for search: a small value network, learned from greedy games (needs the extra `train`).

    With --agent: train a new value network for that agent, from games with itself, for guided search.

    Args:
        game: Which game.
        rows: Positions for each player count.
        hidden: Units of the hidden layer, of an estimate.
        passes: Passes over all positions, of an estimate.
        horizon: How many turns a rollout plays before the estimate takes over.
        seed: The same seed gives the same positions.
        agent: A trained agent (ppo or ppo:FILE); the file then has its policy and the new value network.
        out: The file; runs/GAME-estimate.safetensors or, with --agent, runs/GAME-agent.safetensors if not given. Search
            uses the estimate in the game's folder.
    """
    g = coven.game(game)
    with extra("train", "fits"):
        from coven.agents import fit as fitting
        from coven.agents import value
    if agent:
        path = out or Path("runs") / f"{g.name}-agent.safetensors"
        files.check(path)
        for players, share in value.refit(agent, g, path, rows, seed).items():
            console.print(f"{g.title}, {players} players: explains {share:.1%} of the variance of the returns")
        console.print(f"The agent: ppo:{path}, or guided:{path}:200", markup=False, soft_wrap=True)
        return
    from coven.agents.estimate import FILE

    path = out or Path("runs") / f"{g.name}-{FILE}"  # search goes on with the one in the game's folder
    files.check(path)
    explained = fitting.fit(g, path, fitting.FitSettings(rows, hidden, passes, horizon, seed))
    for players, share in explained.items():
        console.print(f"{g.title}, {players} players: explains {share:.1%} of the variance of the final margins")
    console.print(f"The estimate: {path}", markup=False)


@app.command
def prepare(agents: bool = False) -> None:
    """Compile all games now, several at a time, and not each at its first use.

    Args:
        agents: Compile their bots and searches too.
    """
    found = [g.name for g in all_games()]  # a broken game shows its error here
    more = ("agents",) if agents else ()
    running = [processes.start("coven.prepare", name, *more) for name in found]
    try:
        with endings.going_on("what is compiled is kept; go on with: coven prepare"):
            if sum(process.wait() for process in running):
                raise CovenError("a game could not be compiled; its error is printed above")
    finally:
        for process in running:
            process.kill()
            process.wait()


@app.command
def demo(out: Path = Path("runs") / "demo", seconds: int = 45) -> None:
    """Show what Coven does, at a small scale: throughput, a training run, a league table.

    Args:
        out: The folder for the files; an earlier demo in it is replaced.
        seconds: How long to train.
    """
    from coven.demo import run

    run(console, out, seconds)


_NAMES = {"game", "name", "kind", "what"}
_TEXTS = {"title", "in short", "default", "allowed", "as in", "value", "note", "meaning"}


def _table(title: str, columns: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> FittedTable:
    """A table of which all columns but those of names and texts hold numbers."""
    kinds = [Column(c, "name" if c in _NAMES else "text" if c in _TEXTS else "number") for c in columns]
    return FittedTable(title, kinds, rows)


def parse_options(g: Game, given: tuple[str, ...]) -> dict[str, Any]:
    """`name=value` words as options; a value is read as Python would, or as a word."""
    import ast

    options = {}
    for word in given:
        name, equals, value = word.partition("=")
        if not equals or name not in g.options:
            allowed = ", ".join(g.options) or "none"
            raise BadOption(f"an option is written NAME=VALUE, not {word[:200]!r}; {g.name} has: {allowed}")
        try:
            options[name] = ast.literal_eval(value)
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):  # as ast says, for odd or deep words
            options[name] = value
    return g.known_options(options)


app.command(cli_arena.app, name="arena", help="Rate agents against each other: tournaments, tables and reports.")
app.command(cli_arena.replay)
app.command(name="check-bot")(cli_bots.check_bot)
app.command(cli_train.train)
app.command(cli_train.exploit)
app.command(cli_evaluate.data)
app.command(cli_evaluate.evaluate)
app.command(cli_web.play)
app.command(cli_web.watch)


def _check_words(words: Sequence[str]) -> None:
    """BadOption for words that a terminal would obey: what is wrong with a command line is told with its words."""
    for word in words:
        if any(unicodedata.category(c) == "Cc" and c not in "\t\n" for c in word):
            raise BadOption(f"{shortened(word)} holds control characters; no word of a command may")


def main() -> None:
    """Run the command; a user's mistake, a full disk and the like end it with one line and exit code 2."""
    if sys.argv[1:] == ["--version"]:
        print(f"coven-rl {coven.__version__}")
        return
    endings.listen()
    code = 0
    try:
        _check_words(sys.argv[1:])
        app.cli(prog="coven", description="Four hidden-information magic board games for reinforcement learning.")
        sys.stdout.flush()
    except BrokenPipeError:  # whoever reads what we print has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (CovenError, OSError, MemoryError) as error:
        print(f"coven: {endings.last_words(error)}", file=sys.stderr)
        code = 2
    except KeyboardInterrupt as error:
        print(f"coven: {endings.last_words(error)}", file=sys.stderr)
        code = getattr(error, "exit_code", 130)
    finally:
        endings.rest()
    if code:
        sys.exit(code)
