"""The settings of a training run with their bounds, and the preset of every game."""

from __future__ import annotations

import contextlib
import os
import tomllib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass, field, fields
from itertools import pairwise
from typing import Annotated, Any, get_type_hints

import msgspec
from msgspec import Meta

from coven.agents import start
from coven.agents.registry import create
from coven.games.core.errors import BadOption
from coven.games.core.game import Game

PRESET = "preset.toml"
METHODS = ("ppo", "search")
"""How agents are trained."""
TEACHERS = ("greedy", "ismcts")
"""Kinds of agents that may give lessons: none that run code or read files, since a run's folder names the teacher."""
PLAIN = ("random", "greedy", "mix", "ismcts")
"""Kinds of agents whose specs name no code to run and no file to read."""
VALUE_LESSONS = 20
"""The number of lessons in a run that begins with a trained network."""
MOST_COUNTS = 8
"""The most player counts of a run."""
GIBIBYTE = 1 << 30

Some = Annotated[int, Meta(ge=1, le=1 << 16)]
Share = Annotated[float, Meta(ge=0, le=1)]
Spec = Annotated[str, Meta(max_length=1000)]


@dataclass(frozen=True)
class Settings:
    """Settings of training; the defaults of a game are its preset."""

    players: Annotated[list[int], Meta(min_length=1, max_length=MOST_COUNTS)]
    """How many players; with several numbers the tables are divided among them."""
    network: Annotated[list[Some], Meta(min_length=1, max_length=8)]
    """Units of each hidden layer."""
    tables: Some
    """Parallel games (num_envs)."""
    steps_per_update: Annotated[int, Meta(ge=2, le=1 << 16)]
    """The learner's decisions at each table between two updates."""
    batch_size: Annotated[int, Meta(ge=2, le=1 << 24)]
    """Decisions of one step of the optimiser."""
    epochs: Annotated[int, Meta(ge=1, le=1000)]
    """How often an update learns from each of its decisions."""
    learning_rate: Share
    """At the beginning. It falls linearly with the time (or updates) left, to a tenth."""
    entropy: Share
    """The entropy bonus."""
    lessons: Annotated[int, Meta(ge=0, le=1_000_000)]
    """Updates in which the teacher is imitated before self-play begins."""
    lesson_length: Some
    """Decisions of each player in a lesson, more than most games have."""
    teacher: Annotated[str, Meta(max_length=200)] = ""
    """Who gives the lessons: greedy (the default), or a search, which plays better and takes longer. With
    --method search: a search that teaches the whole run, or guided for search with the network itself."""
    lesson_passes: Annotated[int, Meta(ge=1, le=1000)] = 1
    """How often each lesson is learned from; use more for a slow teacher."""
    rewards: Annotated[str, Meta(max_length=10)] = "rank"
    """The reward at the end of a game: rank, win or score (see `coven.games.core.ranking`)."""
    evaluation_deals: Annotated[int, Meta(ge=2, le=100_000)] = 100
    """Deals of an evaluation, each with all rotations of the seats."""
    gae_lambda: Share = 0.95
    """GAE's lambda: 1 uses final rewards alone, 0 trusts the value network."""
    against: Annotated[list[Spec], Meta(max_length=16)] = field(default_factory=list)
    """Specs of fixed opponents, drawn for each seat of every game, in place of self-play."""
    start: Spec = ""
    """A trained agent (ppo or ppo:FILE) to begin with; unless a teacher is named, lessons only train
    its value network."""
    value_rows: Annotated[int, Meta(ge=0, le=1 << 24)] = 400_000
    """At the end the agent gets a new value network, trained on at most so many observations from games with itself,
    and on no more than the learner made decisions. 0: the agent keeps the value network of PPO."""
    updates: Annotated[int, Meta(ge=0, le=1_000_000_000)] = 0
    """End after so many updates: then the same settings give the same network. 0: when the time is up."""
    seed: Annotated[int, Meta(ge=0, le=(1 << 32) - 1)] = 0
    """Runs with the same seed begin with the same network and deals."""
    options: dict[str, Any] = field(default_factory=dict)
    """Options of the game."""

    def check(self, game: Game) -> None:
        """Raise BadOption unless a run of this game on this machine can have these settings."""
        self._check_bounds()
        if not (0 < self.learning_rate <= 1 and 0 <= self.entropy <= 1):  # no number (NaN) is neither
            raise BadOption(
                f"learning_rate={self.learning_rate}, entropy={self.entropy} is not allowed; allowed: up to 1"
            )
        unknown = self.options.keys() - game.options.keys()
        if unknown:
            raise BadOption(
                f"options={self.options!r} is not allowed; {game.name} has: {', '.join(game.options) or 'none'}"
            )
        game.reward_kind(self.rewards)
        for number in self.players:
            game.blank(number, **self.options)
        if len(set(self.players)) < len(self.players) or len(self.players) > self.tables:
            raise BadOption(
                f"players={self.players} with tables={self.tables} is not allowed; allowed: each number once, and a "
                "table or more for each"
            )
        check_teacher(self.teacher, TEACHERS, game)
        check_start(self.start)
        check_memory(self.memory(game), "fewer tables, steps_per_update, lesson_length, value_rows or network units")

    def _check_bounds(self) -> None:
        """Raise BadOption if a value is of another type or out of its bounds."""
        for name, value in asdict(self).items():
            try:
                msgspec.convert(value, TYPES[name])
            except msgspec.ValidationError as error:
                raise BadOption(f"{name}={value!r} is not allowed: {error}") from error

    def flags(self) -> list[str]:
        """All settings as words of the command line."""
        return flags_of(self)

    def parameters(self, game: Game) -> int:
        """How many numbers the policy and the value network have."""
        sizes = [game.observation_size, *self.network]
        hidden = sum((before + 1) * after for before, after in pairwise(sizes))
        return 2 * hidden + (self.network[-1] + 1) * (game.num_actions + game.links.slots + 1)

    def memory(self, game: Game) -> int:
        """Bytes that a run takes, roughly: the networks, an update's decisions, a lesson's or the value's last rows."""
        row = 4 * (game.observation_size + game.num_actions)
        lesson = self.tables * self.lesson_length * max(self.players) * row
        last = 2 * self.value_rows * game.observation_size
        return 16 * self.parameters(game) + 2 * self.tables * self.steps_per_update * row + max(lesson, last)


TYPES = get_type_hints(Settings, include_extras=True)


def is_network(spec: str) -> bool:
    """Whether a spec names a trained network, which can be trained further."""
    return spec.partition(":")[0] == "ppo"


def is_plain(spec: str) -> bool:
    """Whether a spec names no code to run and no file to read."""
    return spec == "ppo" or spec.partition(":")[0] in PLAIN


def flags_of(settings: Any) -> list[str]:
    """All settings, in a dataclass, as words of the command line."""
    words = []
    for name, value in asdict(settings).items():
        values = [f"{k}={v}" for k, v in value.items()] if isinstance(value, dict) else value
        values = values if isinstance(values, list) else [values]
        if values and values != [""]:
            words += ["--" + name.replace("_", "-"), *map(str, values)]
    return words


def preset(game: Game, **changes: Any) -> Settings:
    """The settings of a game's preset (or general defaults), with some of them changed."""
    values = {name: value for name, value in preset_file(game).items() if name not in ("method", "search")}
    values = values or usual_settings(game)
    check_names([*values, *changes], {f.name for f in fields(Settings)})
    if is_network(changes.get("start", "")):
        values |= {"network": start.hidden_layers(changes["start"], game), "lessons": VALUE_LESSONS}
    return Settings(**{**values, **changes})


def preset_file(game: Game) -> dict[str, Any]:
    """What the game's preset says: settings of PPO, the `method` that is best for it, and settings of the `search`."""
    path = game.file(PRESET)
    return tomllib.loads(path.read_text(encoding="utf-8")) if path else {}


def usual_method(game: Game) -> str:
    """How a game is trained unless told otherwise: ppo or search."""
    method = preset_file(game).get("method", METHODS[0])
    if method not in METHODS:
        raise BadOption(f"{game.file(PRESET)}: method={method!r} is not allowed; allowed: {', '.join(METHODS)}")
    return str(method)


def check_names(names: Iterable[str], known: Collection[str]) -> None:
    """Raise BadOption if there is no such setting."""
    unknown = sorted(name for name in names if name not in known)
    if unknown:
        raise BadOption(f"there is no setting {', '.join(unknown)}; allowed: {', '.join(sorted(known))}")


def usual_settings(game: Game) -> dict[str, Any]:
    """Default settings for a game without a preset: all player counts; lessons only if there is a greedy bot."""
    decisions = max(-(-longest // players) for players, longest in game.facts.longest.items())
    return {
        "players": list(game.players)[:MOST_COUNTS],
        "network": [128, 128],
        "tables": 128,
        "steps_per_update": 64,
        "batch_size": 1024,
        "epochs": 4,
        "learning_rate": 7e-4,
        "entropy": 0.01,
        "lessons": 0 if game.greedy is None else 120,
        "lesson_length": min(decisions, 64),
    }


def check_start(spec: str) -> None:
    """Raise BadOption unless this names a trained network, or is empty."""
    if spec and not is_network(spec):
        raise BadOption(f"start={spec!r} is not allowed; allowed: ppo or ppo:FILE, a trained network")


def check_teacher(spec: str, kinds: Sequence[str], game: Game) -> None:
    """BadOption unless this names a bot of such a kind with settings that it knows, or nothing."""
    if spec and spec.partition(":")[0] not in kinds:
        raise BadOption(f"teacher={spec!r} is not allowed; allowed: {', '.join(kinds)} with its settings")
    if spec:
        create(spec, game, game.players[0])


def check_memory(needed: float, smaller: str) -> None:
    """Raise BadOption, which says what to make smaller, unless so many bytes of this machine's memory are free."""
    free = free_memory()
    if needed > free:
        raise BadOption(
            f"these settings need about {needed / GIBIBYTE:.1f} GiB of memory, this machine has "
            f"{free / GIBIBYTE:.1f} GiB free; allowed: {smaller}"
        )


def free_memory() -> int:
    """Bytes of memory that a process can still get; all that the machine has if that is unknown, or 64 GiB."""
    with contextlib.suppress(OSError, ValueError, StopIteration), open("/proc/meminfo", encoding="utf-8") as lines:
        return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable:"))
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 64 * GIBIBYTE
