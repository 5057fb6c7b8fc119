"""How fast one game runs on one core: inside the kernel, through the batch driver, and as an AEC env.

Random legal play, uniform or never idle; every decision writes the mask and the observation. They are measured in
turn, several times over, and the median counts: other work on the machine then disturbs all of them alike.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from coven.envs.aec import CovenEnv
from coven.games.core import drivers
from coven.games.core.batch import Batch
from coven.games.core.game import Game
from coven.games.core.rng import generator

BATCH = 1024


@dataclass(frozen=True)
class Throughput:
    """Medians over the repeats; rates in decisions per second of CPU time."""

    game: str
    players: int
    kernel: float
    """With the whole observation."""
    kernel_raw: float
    """Without its derived part."""
    kernel_without_observation: float
    batch: float
    aec: float
    decisions_per_game: float
    mask_share: float
    """Of the time in the kernel that goes into writing masks."""

    @property
    def games(self) -> float:
        """Games per second inside the kernel."""
        return self.kernel / self.decisions_per_game


class Kernel:
    """Games one after the other in one kernel call."""

    def __init__(
        self, game: Game, num_players: int, observing: bool = True, active: bool = False, derived: bool = True
    ) -> None:
        self.game, self.observing = game, observing
        self.idle = game.idle if active else np.zeros_like(game.idle)
        self.state, self.seeds = np.zeros(1, game.record), np.ones(1, np.uint64)
        self.blank, self.dice = game.blank(num_players), generator(1)
        self.mask, self.observation = game.new_mask(), game.new_observation(derived)

    def __call__(self, decisions: int) -> int:
        """Make that many decisions; the number of games finished."""
        return int(
            drivers.play_random(
                self.state,
                self.seeds,
                self.blank,
                self.dice,
                self.mask,
                self.observation,
                self.idle,
                self.observing,
                decisions,
            )
        )


class Batched:
    """A batch of games, one decision in each at every call from Python; actions are chosen and checked each time."""

    def __init__(self, game: Game, num_players: int, active: bool = False) -> None:
        self.batch, self.active = Batch(game, BATCH, num_players, seed=1), active

    def __call__(self, decisions: int) -> None:
        """Make that many decisions, rounded down to whole batches."""
        for _ in range(decisions // self.batch.size):
            self.batch.step(self.batch.random_actions(self.active))


class Aec:
    """One AEC env as users get it: `last()`, choose, `step()`."""

    def __init__(self, game: Game, num_players: int, active: bool = False) -> None:
        self.env, self.random = CovenEnv(game, num_players), random.Random(1).random
        self.busy = 1 - game.idle[: game.num_actions] if active and game.idle.any() else None
        self.env.reset(seed=1)

    def __call__(self, decisions: int) -> None:
        """Make that many decisions."""
        env, uniform = self.env, self.random
        for _ in range(decisions):
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.reset()
                observation, *_ = env.last()
            mask = observation["action_mask"]
            legal = mask.nonzero()[0] if self.busy is None else (mask & self.busy).nonzero()[0]
            if not len(legal):
                legal = mask.nonzero()[0]
            env.step(legal[int(uniform() * len(legal))])


def _rate(run: Callable[[int], object], decisions: int) -> float:
    begun = time.process_time()
    run(decisions)
    return decisions / (time.process_time() - begun)


def _mask_seconds(game: Game, states: np.ndarray) -> float:
    """CPU seconds to write one mask, over states from the middle of many random games."""
    mask = game.new_mask()
    drivers.legal_each(states, mask)
    begun = time.process_time()
    for _ in range(20):
        drivers.legal_each(states, mask)
    return (time.process_time() - begun) / 20 / len(states)


def measure(game: Game, num_players: int, seconds: float = 0.2, repeats: int = 5, active: bool = False) -> Throughput:
    """Measure one game at one player count; each of the measurements runs `repeats` times about `seconds` long.

    Play is uniform or, if `active`, never idle as long as anything else is legal.
    """
    game.prepare()
    kernel, batch = Kernel(game, num_players, active=active), Batched(game, num_players, active)
    runs: dict[str, Callable[[int], object]] = {
        "kernel": kernel,
        "raw": Kernel(game, num_players, active=active, derived=False),
        "bare": Kernel(game, num_players, observing=False, active=active),
        "batch": batch,
        "aec": Aec(game, num_players, active),
    }
    sizes = {}
    for name, run in runs.items():
        run(BATCH)
        sizes[name] = max(BATCH, int(_rate(run, 20 * BATCH) * seconds)) // BATCH * BATCH
    rates: dict[str, list[float]] = {name: [] for name in runs}
    masks = []
    for _ in range(repeats):
        for name, run in runs.items():
            rates[name].append(_rate(run, sizes[name]))
        masks.append(_mask_seconds(game, batch.batch.states))
    median = {name: statistics.median(values) for name, values in rates.items()}
    decisions = sizes["kernel"]
    return Throughput(
        game=game.name,
        players=num_players,
        kernel=median["kernel"],
        kernel_raw=median["raw"],
        kernel_without_observation=median["bare"],
        batch=median["batch"],
        aec=median["aec"],
        decisions_per_game=decisions / max(1, kernel(decisions)),
        mask_share=statistics.median(masks) * median["kernel"],
    )
