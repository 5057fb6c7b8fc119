"""`coven train` and `coven exploit`: agents that learn, by self-play or against somebody."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import fields, make_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Optional

from tyro.conf import FlagCreatePairsOff, OmitArgPrefixes, Positional, Suppress, arg

from coven.agents.search_settings import TYPES as SEARCH_TYPES
from coven.agents.search_settings import SearchSettings, search_preset
from coven.agents.settings import TYPES, Settings, is_network, usual_method
from coven.arena.tables import Column, FittedTable
from coven.endings import going_on
from coven.games import game as find_game
from coven.games.core.errors import BadOption, extra
from coven.games.core.game import Game
from coven.terminal import Terminal, print_json

if TYPE_CHECKING:
    from coven.agents.run import Run
    from coven.arena.exploit import Found

console = Terminal()

METAVARS = {"players": "N ...", "network": "N ...", "teacher": "SPEC", "against": "SPEC ...", "start": "SPEC"}
METAVARS |= {"rewards": "rank|win|score", "options": "NAME=VALUE ..."}
RESPONSE_ENTROPY = 0.01
"""The entropy bonus of `coven exploit`: a best response need not be mixed."""


def as_flags(*hidden: str, of: Any = Settings) -> Any:
    """A flag for each of the settings but some; None where it is not given. What each means is said in their class."""
    flags: list[tuple[str, Any, Any]] = []
    for field in fields(of):
        name, kind = field.name, (TYPES if of is Settings else SEARCH_TYPES)[field.name]
        if name == "options":
            kind = tuple[str, ...]
        shown = arg(metavar=METAVARS.get(name, "N"), help_behavior_hint="")
        kind = Annotated[Any, Suppress] if name in hidden else Annotated[Optional[kind], shown]  # noqa: UP045, kind is a variable
        flags.append((name, kind, None))
    return make_dataclass("settings" if of is Settings else "search", flags, bases=(of,), frozen=True)


SHARED = [name for name in SEARCH_TYPES if name in TYPES]
"""Settings that both methods have."""


Name = Annotated[Positional[str], arg(metavar="GAME", help="One of the names that `coven games` lists.")]
Spec = Annotated[Positional[str], arg(metavar="SPEC")]


def train(
    game: Name,
    minutes: float = 10.0,
    out: Path | None = None,
    resume: bool = False,
    method: Literal["ppo", "search"] | None = None,
    workers: int | None = None,
    engine: Literal["local", "ray"] = "local",
    address: str | None = None,
    settings: Annotated[Any, arg(constructor=as_flags()), OmitArgPrefixes] = None,
    search: Annotated[Any, arg(constructor=as_flags(*SHARED, of=SearchSettings)), OmitArgPrefixes] = None,
) -> None:
    """Train an agent by self-play, or against others (needs the extra `train`).

    Args:
        game: Which game.
        minutes: How long, unless --updates or --rounds sets the end.
        out: The folder of the run; runs/GAME-SEED if not given.
        resume: Go on with the run in that folder, with its settings.
        method: ppo: MaskablePPO by self-play. search: learn from searches (with --teacher from ismcts). If not given,
            what the preset of the game recommends; with --resume, that of the run.
        workers: With search: processes that play; as many as there are cores if not given.
        engine: With search: play on this machine, or as tasks of Ray (needs the extra `ray`).
        address: With search: the address of a Ray cluster; without it Ray runs on this machine.
        settings: Settings of training. Others are as in the preset of the game.
        search: Settings of training with search.
    """
    g = find_game(game)
    given = _given(g, settings) | _given(g, search, SearchSettings)
    folder = out or Path("runs") / f"{game}-{given.get('seed', 0)}"
    chosen = method or (_method_of(folder) if resume else None) or usual_method(g)
    unknown = [name for name in given if name not in (SEARCH_TYPES if chosen == "search" else TYPES)]
    if unknown:
        flags = ", ".join("--" + name.replace("_", "-") for name in unknown)
        allowed = "the flags that --help lists for it, or the other method"
        raise BadOption(f"--method {chosen} has no {flags}; allowed: {allowed}")
    if chosen == "search":
        _train_with_search(g, folder, given, minutes, resume, (engine, workers, address))
        return
    run = _train(g, folder, given, minutes, resume, ["coven", "train", game])
    console.print(f"The agent: ppo:{run.agent_file}", markup=False)


def _method_of(folder: Path) -> str | None:
    """By which method the run in a folder is trained; None if that cannot be read."""
    with extra("train", "training runs"):
        from coven.agents.run import method_of
    return method_of(folder)


def _train_with_search(
    g: Game,
    folder: Path,
    given: dict[str, Any],
    minutes: float,
    resume: bool,
    where: tuple[str, int | None, str | None],
) -> None:
    """Begin a run of training with search or go on with one, and train."""
    with extra("train", "training runs"):
        from coven.agents import search_training as training
        from coven.agents.train import check_minutes
    from coven.agents.generation import work
    from coven.arena.engines import engine

    check_minutes(minutes)
    name, workers, address = where
    chosen = engine(name, (os.cpu_count() or 1) if workers is None else workers, address, work)
    if resume:
        run = training.SearchRun.resume(g, folder, **given)
    else:
        run = training.SearchRun.begin(g, folder, search_preset(g, **given))
    again = ["coven", "train", g.name, "--method", "search", "--minutes", f"{minutes:g}", "--out", str(folder)]
    with going_on(f"what is done is in {folder}, go on with: {shlex.join([*again, '--resume'])}"):
        curve = training.train(run, minutes, chosen)
    print_curve(g, curve)
    console.print(f"The curve as a picture: {run.picture_file}", markup=False)
    console.print(f"The agent: ppo:{run.agent_file}, or guided:{run.agent_file}:200", markup=False, soft_wrap=True)


def exploit(
    game: Name,
    spec: Spec,
    minutes: float = 10.0,
    games: int = 2000,
    out: Path | None = None,
    resume: bool = False,
    json: Annotated[bool, FlagCreatePairsOff] = False,
    settings: Annotated[Any, arg(constructor=as_flags("against")), OmitArgPrefixes] = None,
) -> None:
    """Measure how exploitable an agent is: train a response to it, and measure what that wins on new deals.

    No response wins more than the best one, so this is a lower bound (needs the extras `train` and `arena`).

    Args:
        game: Which game.
        spec: The agent, which plays all other seats. The response starts from its network (ppo, ppo:FILE), or from
            lessons if it is not a network.
        minutes: How long to train, unless --updates sets the end.
        games: Games in which the response is measured, at each player count.
        out: The folder of the run; runs/exploit/GAME-SPEC if not given.
        resume: Go on with the run in that folder, with its settings.
        json: Print the result as JSON, for other programs, and nothing else.
        settings: Settings of training. Others are as in the preset of the game, but with the fewest players.
    """
    g = find_game(game)
    with extra("arena", "measurements"):
        from coven.arena import exploit as measuring
    measuring.check_games(games)
    response: dict[str, Any] = {"against": [spec]} | ({"start": spec} if is_network(spec) else {})
    if not resume:
        response |= {"players": [g.players[0]], "entropy": RESPONSE_ENTROPY}
    folder = out or measuring.place(g, spec)
    run = _train(g, folder, response | _given(g, settings), minutes, resume, ["coven", "exploit", game, spec], json)
    found = measuring.measure(run, spec, games)
    path = measuring.write(found, run.folder)
    if json:
        print_json(measuring.as_json(found))
        return
    _print_found(g, found)
    console.print(f"The response: ppo:{run.agent_file}", markup=False, soft_wrap=True)
    console.print(f"The result: {path}", markup=False, soft_wrap=True)


def _given(g: Game, settings: Any, of: Any = Settings) -> dict[str, Any]:
    """The settings that are on the command line."""
    from coven.cli import parse_options

    given = {field.name: getattr(settings, field.name) for field in fields(of)}
    if given["options"]:
        given["options"] = parse_options(g, given["options"])
    return {name: value for name, value in given.items() if value is not None and value != ()}


def _train(
    g: Game,
    folder: Path,
    given: Mapping[str, Any],
    minutes: float,
    resume: bool,
    words: Sequence[str],
    quiet: bool = False,
) -> Run:
    """Begin a run or go on with one, and train; the words are those of the command."""
    with extra("train", "training runs"):
        from coven.agents import train as training
    training.check_minutes(minutes)
    if resume:
        run = training.Run.resume(g, folder, **given)
    else:
        settings = training.preset(g, **given)
        for what in [] if quiet else without(g, settings):
            console.print(what, markup=False)
        run = training.Run.begin(g, folder, settings)
    again = [*words, "--minutes", f"{minutes:g}", "--out", str(folder), "--resume"]
    if words[1] == "train" and run.settings.against:
        again += ["--against", *run.settings.against]  # said again, see `Run.resume`
    with going_on(f"what is done is in {folder}, go on with: {shlex.join(again)}"):
        curve = training.train(run, minutes, quiet)
    if not quiet:
        print_curve(g, curve)
        console.print(f"The curve as a picture: {run.picture_file}", markup=False)
    return run


def without(g: Game, settings: Settings) -> list[str]:
    """What training does without where a game does not bring it, in words."""
    said = []
    if g.file("preset.toml") is None:
        said.append(f"{g.title} has no preset: general default settings are used.")
    if g.greedy is None:
        measure = "" if settings.against else ", and evaluations are against random"
        said.append(f"{g.title} has no greedy bot: there are no lessons{measure}.")
    return said


def print_curve(g: Game, curve: Sequence[Mapping[str, Any]]) -> None:
    """The curve of a training run as a table."""
    rival = curve[-1]["rival"] if curve else "greedy"
    columns = ("steps", "wins", "95 % within", "fair share", "mean score")
    rows = [
        (
            f"{row['seconds'] / 60:.1f}",
            f"{row['players']}",
            f"{row['steps']:,}",
            f"{row['win_share']:.1%}",
            f"{row['half_width_95']:.1%}",
            f"{1 / row['players']:.1%}",
            f"{row['mean_score']:.1f}",
        )
        for row in curve
    ]
    names = [Column("minutes", "name"), Column("players", "name")]
    title = f"{g.title}: the share of games won against {rival}"
    console.print(FittedTable(title, [*names, *map(Column, columns)], rows))


def _print_found(g: Game, found: Found) -> None:
    """What a response won, as a table and in words."""
    columns = ("games", "win share", "95 %", "fair share", "margin", "95 %", "score", "theirs")
    rows = []
    for row in found.rows:
        (wins, *wins_within), (margin, *margin_within) = row.wins, row.margin
        cells = (
            f"{row.players}",
            f"{row.games:,}",
            f"{wins:.1%}",
            "{:.1%} to {:.1%}".format(*wins_within),
            f"{1 / row.players:.1%}",
            f"{margin:+.2f}",
            "{:+.2f} to {:+.2f}".format(*margin_within),
            f"{row.score:.2f}",
            f"{row.theirs:.2f}",
        )
        rows.append(cells)
    title = f"{g.title}: a trained response to {found.agent}"
    console.print(FittedTable(title, [Column("players", "name"), *map(Column, columns)], rows))
    for row in found.rows:
        console.print(row.words(found.rewards), markup=False, soft_wrap=True)
