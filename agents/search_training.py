"""Training with search: `coven train GAME --method search`. Needs the extra `train`.

A run consists of rounds. In a round all cores play blocks of games by guided search (`generation`), with the last
network that passed its proof. The positions go to a buffer of the newest ones, and the learner learns from it
(`learner`). Then its new network plays against the one that generates games (its proof): if its mean return is above 0
by at least a standard error, it generates the games from now on; otherwise the learner just goes on. The first network
is a trained agent (`start`), or learns from greedy games (`lessons`, a round of its own without a proof), or is
untrained.

With a `teacher` a search with rollouts takes the place of guided searches: it searches every decision of the games, and
the policy learns from all of them. It plays half of the games and the newest network the others. There are no proofs.

The folder of a run has no pickle, and every file is checked when it is read. A block is a file as soon as it is played,
so a kill loses only the blocks that were running. The checkpoint decides how far a run is: networks and rows of the
curve are written before it, and those of a round that was lost are recognised by their number. Blocks, learning and
proofs depend only on the settings, so a run that was interrupted goes on to the same networks.
"""

from __future__ import annotations

import re
import shlex
import time
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from rich.progress import Progress
from stable_baselines3.common.logger import Logger

from coven.agents import checkpoint, curve, learned
from coven.agents.generation import Block, Engine, Networks, Task, in_this_process, is_better, job_of, work
from coven.agents.learned import LearnedAgent
from coven.agents.learner import Learner
from coven.agents.play import play
from coven.agents.positions import Buffer, Positions
from coven.agents.registry import create
from coven.agents.run import (
    EVALUATION_SEED,
    SEARCH_FORMAT,
    Row,
    check_hidden,
    check_kept,
    keep_settings,
    lock,
    must_be_free,
    nothing_odd,
    read_curve,
    read_facts,
)
from coven.agents.search_settings import SearchSettings
from coven.agents.settings import flags_of
from coven.agents.standardize import mean_and_spread
from coven.agents.train import LAST_STEP, LEAST_RATE, progress_bar, set_torch_up, tensorboard
from coven.agents.value import fit_file
from coven.games.core import files
from coven.games.core.errors import BadOption, BadState
from coven.games.core.game import Game

PLAY, PROVE, LEARN, SAMPLE = range(4)  # what seeds are for
SAMPLE_GAMES = 64
"""Games from which the mean and spread of observations are measured."""


class SearchRun:
    """A folder with a run of training with search in it, from which it can go on."""

    def __init__(self, game: Game, folder: Path, settings: SearchSettings) -> None:
        self.game, self.folder, self.settings = game, folder, settings
        self.curve_file, self.checkpoint_file = folder / "curve.jsonl", folder / "checkpoint.safetensors"
        self.agent_file, self.picture_file = folder / "agent.safetensors", folder / "curve.png"
        self.log_folder = folder / "tensorboard"
        self.rounds, self.seconds, self.minutes = 0, 0.0, 0.0
        self.rows: list[Row] = []
        self.digest = ""  # of the checkpoint that we read or wrote last
        self.buffer = Buffer(game, settings.window)
        self.learner: Learner
        self.networks: Networks
        """The last networks that passed their proof."""

    @classmethod
    def begin(cls, game: Game, folder: Path, settings: SearchSettings) -> SearchRun:
        """A new run; the folder must not hold another."""
        settings.check(game)
        must_be_free(folder)
        run = cls(game, folder, settings)
        run._first()  # whatever the settings name is looked at before anything is written
        keep_settings(folder, game, SEARCH_FORMAT, settings)
        return run

    @classmethod
    def resume(cls, game: Game, folder: Path, **given: Any) -> SearchRun:
        """Go on with a run as of its last round; BadOption or BadState if its folder is damaged or not of this game."""
        with lock(folder):
            files.sweep(folder)
            nothing_odd(folder)
            stored = read_facts(folder, game, SEARCH_FORMAT, {f.name for f in fields(SearchSettings)})
            try:
                settings = msgspec.convert(stored, SearchSettings)
            except msgspec.ValidationError as error:
                raise BadState(f"{folder / 'settings.json'} is damaged: {error}") from error
            settings.check(game)
            check_kept(folder, settings, given)
            run = cls(game, folder, settings)
            if run.checkpoint_file.exists():
                run._restore()
            elif settings.start and "start" not in given:
                raise BadOption(f"this run reads a file; if you want that, say it again: --start {settings.start}")
            else:
                run._first()
            return run

    def _first(self) -> None:
        """The networks before the first round."""
        s = self.settings
        seen, points = self._sample()
        mean, spread = mean_and_spread(self.game.layout, seen)
        self.learner = self._learner({"usual": mean, "spread": spread}, points)
        if s.start:
            agent = create(s.start, self.game, s.players[0])
            assert isinstance(agent, LearnedAgent)
            self.learner.begin_with(agent)
        self.networks = self.learner.networks()

    def _learner(self, usual: dict[str, np.ndarray], points: float) -> Learner:
        s = self.settings
        return Learner(self.game, s.network, usual, points, s.learning_rate, s.seed)

    def _sample(self) -> tuple[np.ndarray, float]:
        """Observations in some games of greedy bots (or random ones), and the spread of the margins."""
        job, counts = job_of(self.game, self.settings, None), range(len(self.settings.players))
        games = -(-SAMPLE_GAMES // len(counts))
        tasks = [Task(number, self._seed(SAMPLE, number)) for number in counts]
        blocks = [work(replace(job, games=games), task).positions for task in tasks]
        found = [block for block in blocks if block is not None]
        points = float(np.concatenate([block.targets[:, 1] for block in found]).std())
        return np.concatenate([block.views for block in found]), max(points, 1.0)

    def _restore(self) -> None:
        """Everything as of the checkpoint."""
        held, facts = checkpoint.read(self.checkpoint_file, self.game, self.settings.parameters(self.game))
        _, points = self._sample()
        self.learner = self._learner(checkpoint.usual(held, self.game, self.checkpoint_file), points)
        checkpoint.restore(self.learner, held, facts, self.checkpoint_file)
        self.rounds, self.seconds, self.digest = facts.updates, facts.seconds, facts.digest
        proven = [
            path for number, path in _numbered(self.folder, "network-*", r"network-(\d{6})") if number <= self.rounds
        ]
        if not proven:
            raise BadState(f"{self.folder} holds no network; without one the run cannot go on")
        agent, _ = learned.load(proven[-1], self.game)
        check_hidden(proven[-1], agent, self.settings.network)
        if not agent.tells_margin:
            raise BadState(f"{proven[-1]} does not predict return and margin, as the networks of such a run do")
        self.networks = Networks(agent.layers, agent.value_layers)
        for number, path in _numbered(self.folder, "block-*", r"block-(\d{6})-\d{5}"):
            if number < self.rounds:
                self.buffer.add(path.name, Positions.load(path, self.game))
        self.rows = [row for row in read_curve(self.curve_file) if row["updates"] <= self.rounds]
        self._write_agent()

    @property
    def is_lesson(self) -> bool:
        """Whether this is the round of lessons."""
        return self.rounds == 0 and self.settings.lessons > 0

    def play_round(self, engine: Engine, deadline: float) -> bool:
        """Play the missing blocks of this round; False if the time was up before.

        What a teacher has shown until then is learned from all the same: there is no proof that takes more time.
        """
        number = self.settings.lessons if self.is_lesson else self.settings.blocks
        missing = [n for n in range(number) if not self._block_file(n).exists()]
        tasks = (Task(n, self._seed(PLAY, n)) for n in missing)
        left = len(missing)
        for block in engine(job_of(self.game, self.settings, None if self.is_lesson else self.networks), tasks):
            assert block.positions is not None
            block.positions.save(self._block_file(block.number))
            left -= 1
            if left and time.monotonic() >= deadline:
                return self.settings.taught
        return True

    def learn(self, rate_left: float = 1.0) -> dict[str, float]:
        """Learn from the newest positions, those of this round among them; the losses."""
        s, rows = self.settings, 0
        for path in sorted(self.folder.glob(f"block-{self.rounds:06}-*.safetensors")):
            block = Positions.load(path, self.game)
            rows += block.size
            self.buffer.add(path.name, block)
        if s.taught and s.lessons and not self.is_lesson:  # greedy and the teacher tell the policy different things
            self.buffer.drop({path.name for path in self.folder.glob("block-000000-*.safetensors")})
        number = max(1, round(s.passes * rows / s.batch_size))
        rng = np.random.default_rng(self._seed(LEARN, 0))
        self.learner.num_timesteps += (s.lessons * s.lesson_games) if self.is_lesson else s.blocks * s.games
        batches = self.buffer.batches(number, s.batch_size, rng)
        return self.learner.learn(batches, s.learning_rate * rate_left, s.learns_values)

    def prove(self, engine: Engine) -> np.ndarray:
        """The returns of the learner's networks against those that generate games, by deal."""
        job = job_of(self.game, self.settings, self.learner.networks(), self.networks)
        tasks = (Task(n, self._seed(PROVE, n)) for n in range(self.settings.proof_blocks))
        found: dict[int, Block] = {block.number: block for block in engine(job, tasks)}
        return np.concatenate([np.asarray(found[n].returns) for n in sorted(found)])

    def end_round(self, proven: bool, seconds: float) -> None:
        """Store everything, so that a kill at any moment leaves the last round or this one complete."""
        self.rounds, self.seconds = self.rounds + 1, self.seconds + seconds
        if proven:
            self.networks = self.learner.networks()
            self._write_network()
            self.evaluate()
        self.save()
        kept = {name for name, _ in self.buffer.blocks}
        for path in self.folder.glob("block-*.safetensors"):
            if path.name not in kept:
                path.unlink()

    def save(self) -> None:
        """Store how far the run is."""
        if not self._network_file(0).exists():
            self._write_network()
        facts = checkpoint.progress(self.learner, self.game, self.rounds, self.seconds)
        data, self.digest = checkpoint.pack(checkpoint.tensors(self.learner), facts)
        files.write(self.checkpoint_file, data)
        self._write_agent()

    def check_newest(self) -> None:
        """Raise BadOption if another process has gone on with the run since it was read; the caller has its lock."""
        if self.checkpoint_file.exists():
            _, facts = checkpoint.read(self.checkpoint_file, self.game, self.settings.parameters(self.game))
            if facts.digest != self.digest:
                raise BadOption(f"{self.folder} has gone on since it was opened; allowed: open it again with --resume")

    def fit_value(self) -> None:
        """Train a new value network for the stored agent."""
        s = self.settings
        fit_file(self.agent_file, self.game, s.players, min(s.value_rows, self.buffer.rows), s.seed, s.options)

    def agent(self) -> LearnedAgent:
        """The last network that passed its proof."""
        return LearnedAgent(self.game, self.networks.policy, value_layers=self.networks.value)

    def evaluate(self) -> list[Row]:
        """The rows of the curve for this round: the network alone, without search, against the bot of the game."""
        rows = [row for row in self.rows if row["updates"] == self.rounds]
        if not rows:
            rows = [self._evaluate(players) for players in self.settings.players]
            self.rows += rows
            files.write(self.curve_file, b"".join(msgspec.json.encode(row) + b"\n" for row in self.rows))
        return rows

    def _evaluate(self, players: int) -> Row:
        rival = "random" if self.game.greedy is None else "greedy"
        agents = [self.agent(), *[create(rival, self.game, players)] * (players - 1)]
        deals = self.settings.evaluation_deals
        results = play(self.game, agents, deals, seed=EVALUATION_SEED, **self.settings.options)
        wins = results.wins[:, 0]
        by_deal = wins.reshape(deals, -1).mean(axis=1)  # games of one deal are not independent
        return {
            "updates": self.rounds,
            "lessons": min(self.rounds, 1) if self.settings.lessons else 0,
            "steps": self.learner.num_timesteps,
            "seconds": round(self.seconds, 1),
            "players": players,
            "rival": rival,
            "win_share": round(float(wins.mean()), 4),
            "half_width_95": round(1.96 * float(by_deal.std(ddof=1)) / deals**0.5, 4),
            "mean_score": round(float(results.scores[:, 0].mean()), 2),
        }

    def _seed(self, what: int, number: int) -> int:
        """A seed of its own for everything that a round does."""
        drawn = np.random.SeedSequence([self.settings.seed, what, self.rounds, number])
        return int(drawn.generate_state(1, np.uint64)[0] >> 1)

    def _block_file(self, number: int) -> Path:
        return self.folder / f"block-{self.rounds:06}-{number:05}.safetensors"

    def _network_file(self, number: int) -> Path:
        return self.folder / f"network-{number:06}.safetensors"

    def _about(self) -> dict[str, Any]:
        return {
            **asdict(self.settings),
            "method": "search",
            "command": self.command(),
            "rounds": self.rounds,
            "steps": self.learner.num_timesteps,
            "seconds": round(self.seconds),
        }

    def command(self) -> str:
        """The command that makes such a run again, with every setting, so that it does not depend on the preset."""
        minutes = ["--minutes", f"{self.minutes:g}"] if self.minutes else []
        words = ["coven", "train", self.game.name, "--method", "search", *minutes, *flags_of(self.settings)]
        return shlex.join(words)

    def _write_network(self) -> None:
        learned.save(self.agent(), self._network_file(self.rounds), self._about())

    def _write_agent(self) -> None:
        value = self.networks.value if self.settings.learns_values else ()
        agent = LearnedAgent(self.game, self.networks.policy, value_layers=value)
        learned.save(agent, self.agent_file, self._about(), half=True)


def _numbered(folder: Path, pattern: str, form: str) -> list[tuple[int, Path]]:
    """The files of a form in a folder, with the number of their round, in order."""
    paths = sorted(folder.glob(f"{pattern}.safetensors"))
    found = [(re.fullmatch(form, path.stem), path) for path in paths]
    return [(int(match[1]), path) for match, path in found if match]


class _Clock:
    """How long a run goes on, and its figures on the terminal and in TensorBoard."""

    def __init__(self, run: SearchRun, minutes: float, progress: Progress, logger: Logger) -> None:
        self.run, self.progress, self.logger = run, progress, logger
        self.begun = self.last = time.monotonic()
        self.deadline = float("inf") if run.settings.rounds else self.begun + 60 * minutes
        total = run.settings.rounds or 60 * minutes
        self.task = progress.add_task(run.game.title, total=total, figures="")
        self.games = run.learner.num_timesteps
        self.show("")

    @property
    def rate_left(self) -> float:
        """The share of the learning rate that is left: that of the run, but at least a tenth."""
        most, passed = self.run.settings.rounds, time.monotonic() - self.begun
        left = 1 - self.run.rounds / most if most else 1 - passed / (self.deadline - self.begun)
        return max(LEAST_RATE, left)

    @property
    def time_left(self) -> bool:
        """Whether there is time for another round."""
        most = self.run.settings.rounds
        return self.run.rounds < most if most else time.monotonic() < self.deadline

    def lap(self) -> float:
        """Seconds since this was asked last."""
        now = time.monotonic()
        passed, self.last = now - self.last, now
        return passed

    def show(self, said: str) -> None:
        """The figures that matter."""
        run, passed = self.run, time.monotonic() - self.begun
        newest = [row for row in run.rows if row["updates"] == run.rows[-1]["updates"]]
        wins = ", ".join(f"{row['win_share']:.0%} of {row['players']}" for row in newest)
        rate = (run.learner.num_timesteps - self.games) / max(passed, 1e-3)
        figures = f"round {run.rounds}, {rate:.1f} games/s; {said}wins against {newest[0]['rival']}: {wins}"
        self.progress.update(self.task, completed=run.rounds if run.settings.rounds else passed, figures=figures)

    def log(self, losses: dict[str, float], returns: np.ndarray | None) -> None:
        """A round is done."""
        run = self.run
        for name, loss in losses.items():
            self.logger.record(f"loss/{name}", loss)
        if returns is not None:
            self.logger.record("coven/return_against_the_last_network", float(returns.mean()))
        for row in run.rows:
            if row["updates"] == run.rounds:
                self.logger.record(f"coven/win_share_against_{row['rival']}_{row['players']}_players", row["win_share"])
        self.logger.record("coven/positions", run.buffer.rows)
        self.logger.dump(run.learner.num_timesteps)
        proof = "" if returns is None else f"return {returns.mean():+.2f} against the last network; "
        self.show(f"loss {', '.join(f'{loss:.2f} {name}' for name, loss in losses.items())}; {proof}")


def train(run: SearchRun, minutes: float = 10.0, engine: Engine = in_this_process, quiet: bool = False) -> list[Row]:
    """Train for that long, or for all of its rounds, with a progress bar unless `quiet`; the curve.

    The agent, the last network that passed its proof, is in the run's folder.
    """
    set_torch_up(run.game)
    run.minutes = 0.0 if run.settings.rounds else run.seconds / 60 + minutes
    with lock(run.folder), tensorboard(run.log_folder) as logger, progress_bar(quiet) as progress:
        run.check_newest()
        if not run.rows:
            run.evaluate()
        run.save()
        clock = _Clock(run, minutes, progress, logger)
        while clock.time_left and run.play_round(engine, clock.deadline):
            losses = run.learn(clock.rate_left)
            returns = None if run.is_lesson or run.settings.taught else run.prove(engine)
            run.end_round(returns is None or is_better(returns), clock.lap())
            clock.log(losses, returns)
        run.seconds += clock.lap()
        run.save()
        progress.update(clock.task, figures=LAST_STEP)
        run.fit_value()
        curve.draw(run.game.title, run.rows, run.picture_file)
    return run.rows
