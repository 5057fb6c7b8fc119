"""Self-play training with sb3-contrib's MaskablePPO: `coven train GAME`. Needs the extra `train`.

A run begins with some lessons from a bot (`lessons`), greedy or a search; then the network plays itself. One network
plays all seats; its own seat rotates from game to game. Who sits at the other seats is drawn for each seat at the start
of every game: the present self (as of the last update), one of the past selves, greedy or random, with the chances in
`SHARES`; any past self is as likely as another, and one is kept every `KEEP_EVERY` updates. Every `EVALUATE_EVERY`
updates, lessons included, the network plays the same deals against greedy, all seats rotated. If a game has no greedy
bot, random stands in for it; where it has no preset, the settings are `usual_settings`.

The learning rate falls with the time that is left. The agent of a run is the one that did best in an evaluation.

After every update the run's folder holds all that is needed to go on (`--resume`): the optimiser and the network, the
past selves, the curve. What a killed run loses is the update that was running.
"""

from __future__ import annotations

import json
import os
import time
import tomllib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import torch
from gymnasium import Space
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import configure
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.utils import FloatSchedule

from coven.agents import curve, learned, lessons
from coven.agents.learned import LearnedAgent
from coven.agents.play import play
from coven.agents.registry import create
from coven.agents.standardize import fold, mean_and_spread
from coven.envs.agent import Agent
from coven.envs.mixed import MixedVecEnv
from coven.envs.sb3 import SelfPlayVecEnv
from coven.games.core.batch import Batch
from coven.games.core.errors import BadOption
from coven.games.core.game import Game

PRESET = "preset.toml"
SHARES = {"present": 0.35, "past": 0.15, "greedy": 0.45, "random": 0.05}
KEEP_EVERY, EVALUATE_EVERY = 20, 20  # updates
EVALUATION_DEALS, EVALUATION_SEED = 100, 1_000_000  # deals that no training sees
LARGE_OBSERVATION = 1000  # numbers
LEAST_RATE = 0.1  # of the learning rate, which falls with the time that is left


@dataclass(frozen=True)
class Settings:
    """How to train; the defaults of a game are its preset."""

    players: list[int]
    """How many players; with several numbers the tables are shared out among them."""
    network: list[int]
    """Units of each hidden layer."""
    tables: int
    """Games side by side."""
    steps_per_update: int
    """The learner's decisions at each table between two updates."""
    batch_size: int
    epochs: int
    learning_rate: float
    entropy: float
    lessons: int
    """Updates in which the teacher is imitated before self-play begins."""
    lesson_length: int
    """Decisions of each player in a lesson: more than in most games."""
    teacher: str = "greedy"
    """Who gives the lessons: greedy, or a search, which knows better and takes longer."""
    lesson_passes: int = 1
    """How often each lesson is learned from: more often where the teacher is slow."""
    seed: int = 0
    options: dict[str, Any] = field(default_factory=dict)
    """Options of the game."""


def preset(game: Game, **changes: Any) -> Settings:
    """The settings of a game's preset, or usual ones for a game without, with some of them changed."""
    path = game.file(PRESET)
    values = tomllib.loads(path.read_text(encoding="utf-8")) if path else usual_settings(game)
    known = {f.name for f in fields(Settings)}
    unknown = changes.keys() - known
    if unknown:
        raise BadOption(f"there is no setting {', '.join(sorted(unknown))}; allowed: {', '.join(sorted(known))}")
    return Settings(**{**values, **changes})


def usual_settings(game: Game) -> dict[str, Any]:
    """For a game without a preset: the fewest and the most players; lessons only if a greedy bot can give them."""
    decisions = max(-(-longest // players) for players, longest in game.facts.longest.items())
    return {
        "players": sorted({game.players[0], game.players[-1]}),
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


def yardstick(game: Game) -> str:
    """Who an agent is measured by: greedy, or random where nobody has written a greedy strategy."""
    return "random" if game.greedy is None else "greedy"


class Pool:
    """Who sits opposite the learner: the present self, past selves and bots."""

    def __init__(self, game: Game) -> None:
        self.greedy, self.random = (create(spec, game, game.players[0]) for spec in (yardstick(game), "random"))
        self.past: list[Agent] = []
        self.present: Agent = self.greedy  # until there is a self

    def opponents(self, number: int, rng: np.random.Generator) -> Sequence[Agent]:
        """So many opponents for one game."""
        return [self._draw(rng) for _ in range(number)]

    def _draw(self, rng: np.random.Generator) -> Agent:
        who = rng.choice(list(SHARES), p=list(SHARES.values()))
        if who == "past":
            return self.past[rng.integers(len(self.past))] if self.past else self.present
        drawn: Agent = getattr(self, who)
        return drawn


def self_play_env(game: Game, pool: Pool, settings: Settings) -> MixedVecEnv:
    """The tables of a run, shared out among its player counts."""

    def part(tables: int, players: int) -> SelfPlayVecEnv:
        def opponents(_: int, rng: np.random.Generator) -> Sequence[Agent]:
            return pool.opponents(players - 1, rng)

        return SelfPlayVecEnv(game, tables, opponents, players, seed=settings.seed, **settings.options)

    shares = [len(share) for share in np.array_split(np.arange(settings.tables), len(settings.players))]
    return MixedVecEnv([part(*both) for both in zip(shares, settings.players, strict=True)])


class Standardised(BaseFeaturesExtractor):
    """Takes the usual value off every number of an observation and measures the rest by how much it usually varies."""

    def __init__(self, observation_space: Space[Any], usual: np.ndarray, spread: np.ndarray) -> None:
        super().__init__(observation_space, len(usual))
        self.usual, self.spread = torch.from_numpy(usual), torch.from_numpy(spread)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """The numbers as the first layer gets them."""
        return (observations - self.usual) / self.spread


def export(model: MaskablePPO, game: Game, sampling: bool = False) -> LearnedAgent:
    """The policy of a model as an agent that needs no torch; what its first layer is fed becomes part of that layer."""
    policy: Any = model.policy
    linear = [m for m in policy.mlp_extractor.policy_net if isinstance(m, torch.nn.Linear)] + [policy.action_net]
    layers = [(m.weight.detach().numpy().copy(), m.bias.detach().numpy().copy()) for m in linear]
    usual, spread = policy.features_extractor.usual.numpy(), policy.features_extractor.spread.numpy()
    layers[0] = fold(*layers[0], usual, spread)
    return LearnedAgent(game, layers, sampling)


class Run:
    """A folder with a training run in it, from which it can go on."""

    def __init__(self, game: Game, folder: Path, settings: Settings) -> None:
        self.game, self.folder, self.settings = game, folder, settings
        self.curve_file, self.progress_file = folder / "curve.jsonl", folder / "progress.json"
        self.agent_file, self.last_file = folder / "agent.safetensors", folder / "last.safetensors"
        self.picture_file = folder / "curve.png"
        self.model: MaskablePPO
        self.updates, self.seconds, self.minutes = 0, 0.0, 0.0
        self.pool = Pool(game)
        self.env = self_play_env(game, self.pool, settings)

    @classmethod
    def begin(cls, game: Game, folder: Path, settings: Settings) -> Run:
        """A new run; the folder must not hold another."""
        if (folder / "settings.json").exists():
            raise BadOption(f"{folder} holds a run already; allowed: another folder, or --resume to go on with it")
        folder.mkdir(parents=True, exist_ok=True)
        stored = {"game": game.name, "version": game.version, **asdict(settings)}
        (folder / "settings.json").write_text(json.dumps(stored), encoding="utf-8")
        run = cls(game, folder, settings)
        run.model = run._new_model()
        return run

    @classmethod
    def resume(cls, game: Game, folder: Path) -> Run:
        """Go on with a run as of its last update."""
        try:
            stored = json.loads((folder / "settings.json").read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise BadOption(f"{folder} holds no run to go on with: {error}") from error
        if stored.pop("game") != game.name:
            raise BadOption(f"{folder} holds a run of another game than {game.name}")
        version = stored.pop("version", None)
        if version != game.version:
            raise BadOption(f"{folder} holds a run of {game.name}_v{version}; the game is now {game.id}: begin anew")
        run = cls(game, folder, Settings(**stored))
        if not run.progress_file.exists():
            run.model = run._new_model()  # killed before its first update
            return run
        progress = json.loads(run.progress_file.read_text(encoding="utf-8"))
        run.updates, run.seconds = progress["updates"], progress["seconds"]
        run.env.seed(settings_seed(run.settings.seed, run.updates))
        run.model = MaskablePPO.load(folder / progress["checkpoint"], env=run.env)
        for path in sorted(folder.glob("past-*.safetensors")):
            if int(path.stem.split("-")[1]) <= run.updates:
                run.pool.past.append(learned.load(path, game, sampling=True)[0])
        run.pool.present = export(run.model, game, sampling=True)
        run._cut_curve()
        return run

    def _new_model(self) -> MaskablePPO:
        s = self.settings
        return MaskablePPO(
            "MlpPolicy",
            self.env,
            n_steps=s.steps_per_update,
            batch_size=s.batch_size,
            n_epochs=s.epochs,
            learning_rate=s.learning_rate,
            ent_coef=s.entropy,
            gamma=1.0,  # games are short and paid at the end
            policy_kwargs={
                "net_arch": list(s.network),
                "features_extractor_class": Standardised,
                "features_extractor_kwargs": self._usual(),
            },
            seed=s.seed,
        )

    def _usual(self) -> dict[str, np.ndarray]:
        """What numbers are usual in an observation, and their spread, by games of greedy bots."""
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
        """Store everything, so that a kill at any moment leaves the last update or this one."""
        checkpoint = f"checkpoint-{self.updates % 2}.zip"  # the one before stays whole while this is written
        self.model.save(self.folder / checkpoint)
        learned.save(export(self.model, self.game), self.last_file, self.about())
        partial = self.progress_file.with_suffix(".partial")
        facts = {"updates": self.updates, "seconds": self.seconds, "checkpoint": checkpoint}
        partial.write_text(json.dumps(facts), encoding="utf-8")
        partial.replace(self.progress_file)

    def about(self) -> dict[str, Any]:
        """What the stored agent says of itself."""
        return {
            **asdict(self.settings),
            "updates": self.updates,
            "steps": int(self.model.num_timesteps),
            "seconds": round(self.seconds),
            "command": f"coven train {self.game.name} --players {' '.join(map(str, self.settings.players))}"
            f" --seed {self.settings.seed} --minutes {self.minutes:g}",
        }

    def keep_past_self(self) -> None:
        """Add the present self to the past ones."""
        agent = export(self.model, self.game, sampling=True)
        learned.save(agent, self.folder / f"past-{self.updates:06}.safetensors", self.about())
        self.pool.past.append(agent)

    def evaluate(self) -> list[dict[str, Any]]:
        """The rows of the curve for this update, one for each player count."""
        rows = [row for row in self.curve() if row["updates"] == self.updates]
        if not rows:
            rows = [self._evaluate(players) for players in self.settings.players]
            if success(rows) >= max((success(old) for old in self.evaluations()), default=0.0):
                learned.save(export(self.model, self.game), self.agent_file, self.about())
            with self.curve_file.open("a", encoding="utf-8") as file:
                file.write("".join(json.dumps(row) + "\n" for row in rows))
        return rows

    def evaluations(self) -> list[list[dict[str, Any]]]:
        """The rows of the curve, those of one update together."""
        return [list(rows) for _, rows in groupby(self.curve(), lambda row: row["updates"])]

    def _evaluate(self, players: int) -> dict[str, Any]:
        """The share of wins against the bot that agents are measured by, at all other seats."""
        agents = [export(self.model, self.game), *[self.pool.greedy] * (players - 1)]
        results = play(self.game, agents, EVALUATION_DEALS, seed=EVALUATION_SEED, **self.settings.options)
        wins = results.wins[:, 0]
        by_deal = wins.reshape(EVALUATION_DEALS, -1).mean(axis=1)  # games of one deal are not independent
        return {
            "updates": self.updates,
            "lessons": min(self.updates, self.settings.lessons),
            "steps": int(self.model.num_timesteps),
            "seconds": round(self.seconds, 1),
            "players": players,
            "rival": yardstick(self.game),
            "win_share": round(float(wins.mean()), 4),
            "half_width_95": round(1.96 * float(by_deal.std(ddof=1)) / EVALUATION_DEALS**0.5, 4),
            "mean_score": round(float(results.scores[:, 0].mean()), 2),
        }

    def study(self) -> None:
        """One lesson from the teacher."""
        s, seed = self.settings, settings_seed(self.settings.seed, self.updates)
        players = s.players[self.updates % len(s.players)]
        teacher = create(s.teacher, self.game, players)
        batch = Batch(self.game, s.tables, players, seed=seed, **s.options)
        pupil = export(self.model, self.game, sampling=True)
        lesson = lessons.give(batch, teacher, pupil, s.lesson_length * players, seed)
        for number in range(s.lesson_passes):
            lessons.learn(self.model, lesson, self.game.layout, seed + number)

    def curve(self) -> list[dict[str, Any]]:
        """All rows so far."""
        if not self.curve_file.exists():
            return []
        return [json.loads(line) for line in self.curve_file.read_text(encoding="utf-8").splitlines()]

    def _cut_curve(self) -> None:
        """Forget rows of updates that were lost."""
        rows = [row for row in self.curve() if row["updates"] <= self.updates]
        self.curve_file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def settings_seed(seed: int, updates: int) -> int:
    """The seed of the deals after so many updates, so that a resumed run does not see the first ones again."""
    return (seed + updates * 1_000_003) % (1 << 63)


def success(rows: Sequence[dict[str, Any]]) -> float:
    """How good an evaluation is: wins as multiples of the fair share, the mean over the player counts."""
    return sum(row["win_share"] * row["players"] for row in rows) / len(rows)


class _Clock:
    """What happens between two updates: save, keep past selves, evaluate, show progress, see whether time is up."""

    def __init__(self, run: Run, minutes: float, progress: Progress) -> None:
        self.run, self.limit, self.progress = run, run.seconds + 60 * minutes, progress
        self.task = progress.add_task(run.game.title, total=60 * minutes, figures="")
        self.base, self.last = run.seconds, time.monotonic()
        self.rows = run.evaluate()
        self.show()

    def tick(self) -> None:
        """An update is done."""
        run, now = self.run, time.monotonic()
        run.seconds, self.last, run.updates = run.seconds + now - self.last, now, run.updates + 1
        if run.updates % EVALUATE_EVERY == 0 or run.updates == run.settings.lessons:
            self.rows = run.evaluate()
            for row in self.rows:
                name = f"coven/win_share_against_{row['rival']}_{row['players']}_players"
                run.model.logger.record(name, row["win_share"])
        if run.updates % KEEP_EVERY == 0:
            run.keep_past_self()
        run.save()
        run.pool.present = export(run.model, run.game, sampling=True)
        run.model.lr_schedule = FloatSchedule(run.settings.learning_rate * max(LEAST_RATE, self.share_left))
        self.show()

    def show(self) -> None:
        """The figures that matter, on the terminal."""
        run = self.run
        part = "lesson" if run.updates < run.settings.lessons else "self-play"
        wins = ", ".join(f"{row['win_share']:.0%} of {row['players']}" for row in self.rows)
        rival = yardstick(run.game)
        figures = f"{part}, update {run.updates}, {run.model.num_timesteps:,} steps; wins against {rival}: {wins}"
        self.progress.update(self.task, completed=run.seconds - self.base, figures=figures)

    @property
    def share_left(self) -> float:
        """How much of the time is left, 1 at the beginning."""
        return (self.limit - self.run.seconds) / (self.limit - self.base)

    @property
    def time_left(self) -> bool:
        """Is there time for more?"""
        return self.run.seconds + time.monotonic() - self.last < self.limit


class _Loop(BaseCallback):
    """Lets the clock tick after every update of self-play."""

    def __init__(self, clock: _Clock) -> None:
        super().__init__()
        self.clock, self.begun = clock, False

    def _on_rollout_start(self) -> None:
        if self.begun:
            self.clock.tick()
        self.begun = True

    def _on_step(self) -> bool:
        return self.clock.time_left


def set_torch_up(game: Game) -> None:
    """One thread, since small networks are slower on more; two where the observation is large and there are cores.

    Measured on two quiet cores, learner steps/s with one and two threads: Witchstone 6,350 and 9,200.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    torch.set_num_threads(min(cores, 2) if game.observation_size > LARGE_OBSERVATION else 1)
    torch.distributions.Distribution.set_default_validate_args(False)  # our masks are right: it only costs time


def train(run: Run, minutes: float, quiet: bool = False) -> list[dict[str, Any]]:
    """Train for that long, with a progress bar unless `quiet`; the curve.

    The agent, as of its best evaluation, is in the run's folder.
    """
    run.minutes = run.seconds / 60 + minutes
    set_torch_up(run.game)
    run.model.set_logger(configure(str(run.folder / "tensorboard"), ["tensorboard"]))
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TextColumn("{task.fields[figures]}"))
    with Progress(*columns, disable=quiet) as progress:
        clock = _Clock(run, minutes, progress)
        while run.updates < run.settings.lessons and clock.time_left:
            run.study()
            clock.tick()
        if clock.time_left:
            run.model.learn(1 << 40, callback=_Loop(clock), reset_num_timesteps=False)
    run.evaluate()
    run.save()
    curve.draw(run.game.title, run.curve(), run.picture_file)
    return run.curve()
