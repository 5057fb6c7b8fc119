"""A folder with a training run in it, from which it can go on.

All files of a run are stored without pickle, so that going on with somebody else's folder runs no code of theirs, and
every file is checked in full when it is read (`settings`, `checkpoint`, `network_files`). The checkpoint decides how
far a run is. After an update, the rows of the curve and a past self are written before the checkpoint, and the agents
after it. So a kill at any moment leaves the state after the last update or after this one. Rows and past selves of a
lost update are ignored, and an agent that was not written yet is made from the checkpoint.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, fields
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any, TypedDict

import msgspec
import numpy as np
from msgspec import Meta
from sb3_contrib import MaskablePPO

from coven.agents import checkpoint, learned, lessons, start
from coven.agents.checkpoint import Count
from coven.agents.heads import Standardised, policy_of
from coven.agents.learned import LearnedAgent
from coven.agents.play import play
from coven.agents.registry import create
from coven.agents.selfplay import MOST_NAME, Pool, export, self_play_env
from coven.agents.settings import Settings, is_plain
from coven.agents.standardize import mean_and_spread
from coven.agents.value import fit_file
from coven.games.core import files
from coven.games.core.batch import Batch
from coven.games.core.errors import BadOption, BadState
from coven.games.core.game import Game

FORMAT, SEARCH_FORMAT = "coven-run-1", "coven-search-run-1"
EVALUATION_SEED = 1_000_000  # deals that no training sees
LARGEST = {"settings.json": 1 << 16, "curve.jsonl": 1 << 26}
"""The most bytes that we read of a file."""


class Row(TypedDict):
    """A row of the curve: an evaluation with one number of players."""

    updates: Count
    lessons: Count
    steps: Count
    seconds: Annotated[float, Meta(ge=0, le=1e10)]
    players: Annotated[int, Meta(ge=1, le=100)]
    rival: Annotated[str, Meta(max_length=MOST_NAME)]
    win_share: Annotated[float, Meta(ge=0, le=1)]
    half_width_95: Annotated[float, Meta(ge=0, le=1)]
    mean_score: Annotated[float, Meta(ge=-1e9, le=1e9)]


class Run:
    """A folder with a training run in it, from which it can go on."""

    def __init__(self, game: Game, folder: Path, settings: Settings) -> None:
        self.game, self.folder, self.settings = game, folder, settings
        self.curve_file, self.checkpoint_file = folder / "curve.jsonl", folder / "checkpoint.safetensors"
        self.agent_file, self.last_file = folder / "agent.safetensors", folder / "last.safetensors"
        self.picture_file, self.log_folder = folder / "curve.png", folder / "tensorboard"
        self.model: MaskablePPO
        self.updates, self.seconds, self.minutes = 0, 0.0, 0.0
        self.rate_left = 1.0  # of the learning rates, which fall with the time that is left
        self.rows: list[Row] = []
        self.digest = ""  # of the checkpoint that we read or wrote last
        self.best = -1  # the update that the stored agent is of
        self.pool = Pool(game, settings.against, settings.players)
        self.env = self_play_env(game, self.pool, settings)

    @classmethod
    def begin(cls, game: Game, folder: Path, settings: Settings) -> Run:
        """A new run; the folder must not hold another."""
        settings.check(game)
        must_be_free(folder)
        run = cls(game, folder, settings)
        run.model = run._first_model()  # whatever it names is looked at before anything is written
        keep_settings(folder, game, FORMAT, settings)
        return run

    @classmethod
    def resume(cls, game: Game, folder: Path, **given: Any) -> Run:
        """Go on with a run as of its last update; BadOption or BadState if its folder is damaged or not of this game.

        Given settings must be those of the run. Agents that run code or read files are used only if they are given
        again; those that the folder names are not.
        """
        if not (folder / "settings.json").is_file():
            raise BadOption(f"{folder} holds no run to go on with")
        with lock(folder):
            files.sweep(folder)
            nothing_odd(folder)
            settings = _settings(folder, game)
            check_kept(folder, settings, given)
            _ask_again("against", settings.against, given)
            run = cls(game, folder, settings)
            if run.checkpoint_file.exists():
                run._restore()
            elif run.agent_file.exists():
                raise BadState(f"{run.checkpoint_file} is missing; without it the run cannot go on")
            else:  # killed before its first update
                _ask_again("start", [settings.start] if settings.start else [], given)
                run.model = run._first_model()
            return run

    def _restore(self) -> None:
        """Everything as of the checkpoint."""
        held, facts = checkpoint.read(self.checkpoint_file, self.game, self.settings.parameters(self.game))
        model = self._new_model(checkpoint.usual(held, self.game, self.checkpoint_file))
        checkpoint.restore(model, held, facts, self.checkpoint_file)
        self.model, self.digest = model, facts.digest
        self.updates, self.seconds = facts.updates, facts.seconds
        seed = settings_seed(self.settings.seed, self.updates)
        model.set_random_seed(seed % (1 << 32))
        self.env.seed(seed)
        for path in sorted(self.folder.glob("past-*.safetensors")):
            if re.fullmatch(r"past-\d{6,12}", path.stem) and int(path.stem[5:]) <= self.updates:
                past, _ = learned.load(path, self.game, sampling=True)
                check_hidden(path, past, self.settings.network)
                self.pool.past.append(past)
        self.pool.present = export(model, self.game, sampling=True)
        self.rows = [row for row in read_curve(self.curve_file) if row["updates"] <= self.updates]
        if self.agent_file.exists():
            updates = learned.load(self.agent_file, self.game)[1].get("updates")
            self.best = updates if isinstance(updates, int) else -1
        self._keep_best()

    def _first_model(self) -> MaskablePPO:
        """The model of a run before its first update."""
        model = self._new_model(self._usual())
        if self.settings.start:
            start.put(model, self.settings.start, self.game)
        return model

    def _new_model(self, usual: dict[str, np.ndarray]) -> MaskablePPO:
        s = self.settings
        policy, more = policy_of(self.game)
        return MaskablePPO(
            policy,
            self.env,
            n_steps=s.steps_per_update,
            batch_size=s.batch_size,
            n_epochs=s.epochs,
            learning_rate=s.learning_rate,
            ent_coef=s.entropy,
            gamma=1.0,  # games are short and paid at the end
            gae_lambda=s.gae_lambda,
            policy_kwargs={
                "net_arch": list(s.network),
                "features_extractor_class": Standardised,
                "features_extractor_kwargs": usual | more,
            },
            seed=s.seed,
        )

    def _usual(self) -> dict[str, np.ndarray]:
        """The mean and the spread of observations in games of greedy bots."""
        s = self.settings
        seen = [
            lessons.give(
                Batch(self.game, s.tables, players, seed=s.seed, **s.options),
                self.pool.greedy,
                self.pool.random,
                s.lesson_length * players,
                s.seed,
            ).observations
            for players in s.players
        ]
        mean, spread = mean_and_spread(self.game.layout, np.concatenate(seen))
        return {"usual": mean, "spread": spread}

    def save(self) -> None:
        """Store everything, so that a kill at any moment leaves the last update or this one complete."""
        facts = checkpoint.progress(self.model, self.game, self.updates, self.seconds)
        data, self.digest = checkpoint.pack(checkpoint.tensors(self.model), facts)
        files.write(self.checkpoint_file, data)
        learned.save(export(self.model, self.game), self.last_file, self.about())
        self._keep_best()

    def _keep_best(self) -> None:
        """Store the agent if this update did best in an evaluation so far.

        In self-play without a greedy bot it is always the newest, because the network that wins most against random
        play need not be the best.
        """
        done = {rows[0]["updates"]: success(rows, self.settings.rewards) for rows in self.evaluations()}
        if self.updates not in done or self.best == self.updates:
            return
        newest = self.game.greedy is None and not self.settings.against
        if newest or done[self.updates] >= done.get(self.best, -np.inf):
            learned.save(export(self.model, self.game), self.agent_file, self.about(), half=True)
            self.best = self.updates

    def fit_value(self) -> None:
        """Train a new value network for the stored agent, where its own games and ranks are what counts."""
        s = self.settings
        if s.rewards == "rank" and not s.against:
            rows = min(s.value_rows, int(self.model.num_timesteps))
            fit_file(self.agent_file, self.game, s.players, rows, s.seed, s.options)

    def check_newest(self) -> None:
        """Raise BadOption if another process has gone on with the run since it was read; the caller has its lock."""
        if self.checkpoint_file.exists():
            _, facts = checkpoint.read(self.checkpoint_file, self.game, self.settings.parameters(self.game))
            if facts.digest != self.digest:
                raise BadOption(f"{self.folder} has gone on since it was opened; allowed: open it again with --resume")

    def about(self) -> dict[str, Any]:
        """The metadata of the stored agent."""
        return {
            **asdict(self.settings),
            "updates": self.updates,
            "steps": int(self.model.num_timesteps),
            "seconds": round(self.seconds),
            "command": self.command(),
        }

    def command(self) -> str:
        """The command that makes such a run again, with every setting, so that it does not depend on the preset."""
        minutes = ["--minutes", f"{self.minutes:g}"] if self.minutes else []
        return shlex.join(["coven", "train", self.game.name, "--method", "ppo", *minutes, *self.settings.flags()])

    def keep_past_self(self) -> None:
        """Add the present self to the past ones."""
        agent = export(self.model, self.game, sampling=True)
        learned.save(agent, self.folder / f"past-{self.updates:06}.safetensors", self.about())
        self.pool.past.append(agent)

    def evaluate(self) -> list[Row]:
        """The rows of the curve for this update, one for each player count; save the run to keep them."""
        rows = [row for row in self.rows if row["updates"] == self.updates]
        if not rows:
            rows = [self._evaluate(players) for players in self.settings.players]
            self.rows += rows
            files.write(self.curve_file, b"".join(msgspec.json.encode(row) + b"\n" for row in self.rows))
        return rows

    def evaluations(self) -> list[list[Row]]:
        """The rows of the curve, those of one update together."""
        return [list(rows) for _, rows in groupby(self.rows, lambda row: row["updates"])]

    def _evaluate(self, players: int) -> Row:
        """The share of wins against the fixed opponents or, in self-play, against greedy (or random)."""
        agents = [export(self.model, self.game), *self.pool.rivals(players - 1)]
        deals = self.settings.evaluation_deals
        results = play(self.game, agents, deals, seed=EVALUATION_SEED, **self.settings.options)
        wins = results.wins[:, 0]
        by_deal = wins.reshape(deals, -1).mean(axis=1)  # games of one deal are not independent
        return {
            "updates": self.updates,
            "lessons": min(self.updates, self.settings.lessons),
            "steps": int(self.model.num_timesteps),
            "seconds": round(self.seconds, 1),
            "players": players,
            "rival": self.pool.rival(),
            "win_share": round(float(wins.mean()), 4),
            "half_width_95": round(1.96 * float(by_deal.std(ddof=1)) / deals**0.5, 4),
            "mean_score": round(float(results.scores[:, 0].mean()), 2),
        }

    def study(self) -> None:
        """Give one lesson; a trained network without another teacher only learns the value of its own games."""
        s, seed = self.settings, settings_seed(self.settings.seed, self.updates)
        players = s.players[self.updates % len(s.players)]
        batch = Batch(self.game, s.tables, players, seed=seed, rewards=s.rewards, **s.options)
        pupil = export(self.model, self.game, sampling=True)
        taught = bool(s.teacher) or not s.start
        teacher = create(s.teacher or "greedy", self.game, players) if taught else pupil
        lesson = lessons.give(batch, teacher, pupil, s.lesson_length * players, seed)
        for number in range(s.lesson_passes):
            rate = lessons.RATE * self.rate_left
            lessons.learn(self.model, lesson, self.game.layout, seed + number, imitate=taught, rate=rate)


def check_hidden(path: Path, agent: LearnedAgent, network: Sequence[int]) -> None:
    """BadState unless a network of a run has its layers: what others would take of memory, nobody has reckoned with."""
    for layers in filter(None, (agent.layers, agent.value_layers)):
        if start.units(layers) != list(network):
            raise BadState(f"{path} has hidden layers of {start.units(layers)} units; allowed: {list(network)}")


def lock(folder: Path) -> AbstractContextManager[None]:
    """Keep other processes out of a run's folder, in a `with` block."""
    return files.lock(folder / ".lock", str(folder))


def must_be_free(folder: Path) -> None:
    """BadOption if a folder holds a run."""
    if (folder / "settings.json").exists():
        raise BadOption(f"{folder} holds a run already; allowed: another folder (--out), or --resume to go on with it")


def keep_settings(folder: Path, game: Game, form: str, settings: Any) -> None:
    """Write what a new run is; the folder must not hold another."""
    with lock(folder):
        must_be_free(folder)
        about = {"format": form, "game": game.name, "version": game.version, **asdict(settings)}
        files.write(folder / "settings.json", msgspec.json.encode(about))


def check_kept(folder: Path, settings: Any, given: Mapping[str, Any]) -> None:
    """BadOption unless the settings that are given are those of the run."""
    for name, value in given.items():
        held = getattr(settings, name)
        if msgspec.to_builtins(value) != held:
            allowed = "the settings of the run, or a new run in another folder (--out)"
            raise BadOption(f"{folder} holds a run with {name}={held!r}, not {value!r}; allowed: {allowed}")


def _ask_again(name: str, specs: Sequence[str], given: Mapping[str, Any]) -> None:
    """Raise BadOption if only the folder names an agent that runs code or reads a file."""
    for spec in specs:
        if name not in given and not is_plain(spec):
            raise BadOption(
                f"this run has {name}={spec!r}, which runs code or reads a file; if you want that, say it again: "
                f"{shlex.join([f'--{name}', *specs])}"
            )


def settings_seed(seed: int, updates: int) -> int:
    """The seed of the deals after so many updates, so that a resumed run does not see the first ones again."""
    return (seed + updates * 1_000_003) % (1 << 63)


def success(rows: Sequence[Row], rewards: str) -> float:
    """The result of an evaluation, the mean over the player counts: points, or wins as multiples of the fair share."""
    if rewards == "score":
        return sum(row["mean_score"] for row in rows) / len(rows)
    return sum(row["win_share"] * row["players"] for row in rows) / len(rows)


def nothing_odd(folder: Path) -> None:
    """Raise BadState if anything in the folder is a link out of it, a pipe or a device (a reader might hang)."""
    for path in folder.rglob("*"):
        if path.is_symlink() or not (path.is_file() or path.is_dir()):
            kind = "a link" if path.is_symlink() else "a pipe or a device"
            raise BadState(f"{path} is {kind}, which no run makes; take it away to go on")


def _read(path: Path) -> bytes:
    """A small file of a run."""
    most = LARGEST[path.name]
    try:
        with path.open("rb") as file:
            data = file.read(most + 1)
    except OSError as error:
        raise BadState(f"{path} cannot be read: {error.strerror}") from error
    if len(data) > most:
        raise BadState(f"{path} is larger than {most} bytes, which no run makes")
    return data


def _settings(folder: Path, game: Game) -> Settings:
    """The settings of the run in a folder."""
    stored = read_facts(folder, game, FORMAT, {f.name for f in fields(Settings)})
    try:
        settings = msgspec.convert(stored, Settings)
    except msgspec.ValidationError as error:
        raise BadState(f"{folder / 'settings.json'} is damaged: {error}") from error
    settings.check(game)
    return settings


def method_of(folder: Path) -> str | None:
    """By which method the run in a folder is trained; None if that cannot be read."""
    try:
        stored = msgspec.json.decode(_read(folder / "settings.json"), type=dict[str, Any])
    except (BadState, msgspec.MsgspecError, UnicodeError, RecursionError):
        return None
    return {FORMAT: "ppo", SEARCH_FORMAT: "search"}.get(str(stored.get("format")))


def read_facts(folder: Path, game: Game, form: str, names: set[str]) -> dict[str, Any]:
    """The settings of the run in a folder: some of these names, in that format, for this game."""
    path = folder / "settings.json"
    if not path.is_file():
        raise BadOption(f"{folder} holds no run to go on with")
    try:
        stored: Any = msgspec.json.decode(_read(path), type=dict[str, Any])
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise BadState(f"{path} is damaged: {error}") from error
    found, of, version = (stored.pop(name, None) for name in ("format", "game", "version"))
    if found != form:
        raise BadState(
            f"{path} is of format {found!r}, not {form!r}: begin a new run in another folder, or say its --method"
        )
    if of != game.name:
        raise BadOption(f"{folder} holds a run of another game than {game.name}")
    if version != game.version:
        raise BadOption(f"{folder} holds a run of {game.name}_v{version}; the game is now {game.id}: begin anew")
    unknown = stored.keys() - names
    if unknown:
        raise BadState(f"{path} has unknown settings: {', '.join(map(repr, sorted(unknown)))}")
    facts: dict[str, Any] = stored
    return facts


def read_curve(path: Path) -> list[Row]:
    """The rows of a curve's file."""
    rows: list[Row] = []
    for number, line in enumerate(_read(path).splitlines() if path.exists() else [], 1):
        try:
            rows.append(msgspec.json.decode(line, type=Row))
        except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
            raise BadState(f"line {number} of {path} is damaged: {error}") from error
        if number > 1 and rows[-1]["updates"] < rows[-2]["updates"]:
            raise BadState(f"line {number} of {path} is damaged: its updates come before those of the line above")
    return rows
