"""Self-play training with sb3-contrib's MaskablePPO: `coven train GAME`. Needs the extra `train`.

A run begins with some lessons from a bot (`lessons`), greedy or a search; then the network plays itself. One network
plays all seats; the learner's seat rotates from game to game. The opponents are drawn for each seat at the start of
every game: the present self (after the last update), one of the past selves, greedy or random, with the probabilities
in `SHARES`. All past selves are equally likely, and one is stored every `KEEP_EVERY` updates. Every `EVALUATE_EVERY`
updates, lessons included, the network plays the same deals against greedy, with all rotations of the seats. If a game
has no greedy bot, evaluations are against random, and the other opponents share greedy's part (`shares`). If it has no
preset, the settings are `usual_settings`.

With `against` there is no self-play: fixed opponents play the other seats, also in evaluations. With `start` the first
network is a trained one; unless a teacher is named, lessons then only train the value network.

Learning rates fall with the time that is left. The agent of a run is the network that did best in an evaluation, or the
newest one if evaluations are only against random.

At the end the agent gets a new value network, trained on games that it plays with itself (`value`).

After every update the run's folder (`run`) has everything that is needed to go on (`--resume`). A killed run loses only
the update that was running.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import torch
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger, configure
from stable_baselines3.common.utils import FloatSchedule

from coven.agents import curve
from coven.agents.run import Row, Run, lock
from coven.agents.selfplay import SHARES, Pool, export
from coven.agents.settings import Settings, preset
from coven.games.core.errors import BadOption, CannotWrite
from coven.games.core.game import Game

__all__ = ["KEEP_EVERY", "SHARES", "Pool", "Row", "Run", "Settings", "export", "preset", "train"]

KEEP_EVERY, EVALUATE_EVERY = 20, 20  # updates
LARGE_OBSERVATION = 1000  # numbers
LEAST_RATE = 0.1  # of the learning rates, which fall with the time that is left
MOST_MINUTES = 1_000_000
LAST_STEP = "at last a new value network, from games of the agent with itself"


class _Clock:
    """What happens between two updates: save, keep past selves, evaluate, show progress, see whether time is up."""

    def __init__(self, run: Run, minutes: float, progress: Progress) -> None:
        self.run, self.limit, self.progress = run, run.seconds + 60 * minutes, progress
        self.updates = run.settings.updates  # if these are given, only they count, or two runs would differ
        self.task = progress.add_task(run.game.title, total=self.updates or 60 * minutes, figures="")
        self.base, self.last = run.seconds, time.monotonic()
        self.rows = run.evaluate()
        run.save()
        self._set_rate()
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
        if run.updates % KEEP_EVERY == 0 and not run.settings.against:
            run.keep_past_self()
        run.save()
        run.pool.present = export(run.model, run.game, sampling=True)
        self._set_rate()
        self.show()

    def _set_rate(self) -> None:
        run = self.run
        run.rate_left = max(LEAST_RATE, self.share_left)
        run.model.lr_schedule = FloatSchedule(run.settings.learning_rate * run.rate_left)

    def show(self) -> None:
        """The figures that matter, on the terminal."""
        run = self.run
        part = "against others" if run.settings.against else "self-play"
        part = "lesson" if run.updates < run.settings.lessons else part
        wins = ", ".join(f"{row['win_share']:.0%} of {row['players']}" for row in self.rows)
        rival = run.pool.rival()
        figures = f"{part}: {wins} against {rival}; update {run.updates}, {run.model.num_timesteps:,} steps"
        done = run.updates if self.updates else run.seconds - self.base
        self.progress.update(self.task, completed=done, figures=escape(figures))

    @property
    def share_left(self) -> float:
        """The share of the run that is left, 1 at the beginning."""
        if self.updates:
            return 1 - self.run.updates / self.updates
        return (self.limit - self.run.seconds) / (self.limit - self.base)

    @property
    def time_left(self) -> bool:
        """Whether there is time for another update."""
        if self.updates:
            return self.run.updates < self.updates
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
    """Use one thread, since small networks are slower on more; two if the observation is large and there are cores.

    Measured on two quiet cores, learner steps/s with one and two threads: Witchstone 6,350 and 9,200.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    torch.set_num_threads(min(cores, 2) if game.observation_size > LARGE_OBSERVATION else 1)
    torch.distributions.Distribution.set_default_validate_args(False)  # our masks are right: it only costs time


def check_minutes(minutes: float) -> None:
    """Raise BadOption unless one can train for that long."""
    if not 0 < minutes <= MOST_MINUTES:  # no number (NaN) is neither
        raise BadOption(f"minutes={minutes} is not allowed; allowed: above 0, up to {MOST_MINUTES}")


def train(run: Run, minutes: float = 10.0, quiet: bool = False) -> list[Row]:
    """Train for that long, or to the end of its `updates`, with a progress bar unless `quiet`; the curve.

    The agent, the network at its best evaluation, is in the run's folder.
    """
    check_minutes(minutes)
    run.minutes = 0.0 if run.settings.updates else run.seconds / 60 + minutes
    set_torch_up(run.game)
    with lock(run.folder), tensorboard(run.log_folder) as log, progress_bar(quiet) as progress:
        run.model.set_logger(log)
        run.check_newest()
        clock = _Clock(run, minutes, progress)
        while run.updates < run.settings.lessons and clock.time_left:
            run.study()
            clock.tick()
        if clock.time_left:
            run.model.learn(1 << 40, callback=_Loop(clock), reset_num_timesteps=False)
        run.evaluate()
        run.save()
        progress.update(clock.task, figures=LAST_STEP)
        run.fit_value()
        curve.draw(run.game.title, run.rows, run.picture_file)
    return run.rows


def progress_bar(quiet: bool) -> Progress:
    """How far a run is, on the terminal, or nothing."""
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TextColumn("{task.fields[figures]}"))
    console = Console(quiet=True) if quiet else None  # else rich before 14.3 prints an empty line
    return Progress(*columns, console=console, disable=quiet)


@contextlib.contextmanager
def tensorboard(folder: Path) -> Iterator[Logger]:
    """TensorBoard's log in a run's folder; if it cannot be written, the run raises CannotWrite."""
    usual = threading.excepthook

    def quietly(what: threading.ExceptHookArgs) -> None:
        """What its thread cannot write the run cannot write either, and says so in one line."""
        if not isinstance(what.exc_value, OSError):
            usual(what)

    threading.excepthook = quietly
    try:
        logger = configure(str(folder), ["tensorboard"])
        try:
            yield logger
        finally:
            logger.close()
    except CannotWrite:
        raise
    except OSError as error:
        raise CannotWrite(folder.parent, error) from error
    finally:
        threading.excepthook = usual
