"""How much of a game's speed reaches each env: `make bench-envs`.

All rows of a game are measured in turn, several times over, and medians count. Rates are decisions per second of wall
time, because threads and training are about wall time: run it on a quiet machine. The last rows train MaskablePPO with
a 128x128 network against random opponents, and a profile says where that time goes.
"""

from __future__ import annotations

import cProfile
import pstats
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import tyro
from rich.console import Console
from tyro.conf import Positional

from coven.agents.random import RandomAgent
from coven.arena.machine import machine
from coven.benchmarks.throughput import Aec, Kernel
from coven.envs.gym import CovenGymEnv
from coven.envs.learner_vector import CovenLearnerVectorEnv
from coven.envs.vector import CovenVectorEnv
from coven.games import built_in
from coven.games import game as find_game
from coven.games.core import files
from coven.games.core.drivers import pick_batch
from coven.games.core.game import Game

SIZES = (1, 64, 1024, 16384)
LEARNERS = 128  # games side by side of the learner's vector envs


class Vector:
    """The native vector env with random legal actions."""

    def __init__(self, game: Game, num_players: int, size: int, threads: int = 1, copy: bool = True) -> None:
        self.env = CovenVectorEnv(game, size, num_players, seed=1, threads=threads, copy=copy)
        self.env.reset()

    def __call__(self, decisions: int) -> None:
        """Make that many decisions."""
        for _ in range(-(-decisions // self.env.num_envs)):
            self.env.step(self.env.random_actions())


class Gym:
    """The Gymnasium env against random opponents; a decision is the learner's."""

    def __init__(self, game: Game, num_players: int) -> None:
        self.env = CovenGymEnv(game, [RandomAgent()] * (num_players - 1), num_players)
        _, self.info = self.env.reset(seed=1)
        self.rng = np.random.default_rng(1)

    def __call__(self, decisions: int) -> None:
        """Make that many decisions."""
        for _ in range(decisions):
            legal = self.info["action_mask"].nonzero()[0]
            _, _, terminated, truncated, self.info = self.env.step(legal[int(self.rng.random() * len(legal))])
            if terminated or truncated:
                _, self.info = self.env.reset()


class GymVector:
    """The learner's vector env against random opponents; a decision is the learner's."""

    def __init__(self, game: Game, num_players: int) -> None:
        self.env = CovenLearnerVectorEnv(game, LEARNERS, [RandomAgent()] * (num_players - 1), num_players)
        self.env.reset(seed=1)

    def __call__(self, decisions: int) -> None:
        """Make that many decisions."""
        actions, games = np.empty(LEARNERS, np.int64), self.env.games
        for _ in range(-(-decisions // LEARNERS)):
            pick_batch(games._dice, games.batch.padded_masks, actions)
            self.env.step(actions)


class Sb3:
    """The SB3 VecEnv against random opponents; a decision is the learner's."""

    def __init__(self, game: Game, num_players: int) -> None:
        from coven.envs.sb3 import SelfPlayVecEnv

        opponents = [RandomAgent()] * (num_players - 1)
        self.env = SelfPlayVecEnv(game, LEARNERS, opponents, num_players, seed=1)
        self.env.reset()

    def __call__(self, decisions: int) -> None:
        """Make that many decisions."""
        actions, games = np.empty(LEARNERS, np.int64), self.env.games
        for _ in range(-(-decisions // LEARNERS)):
            pick_batch(games._dice, games.batch.padded_masks, actions)
            self.env.step(actions)


class Ppo:
    """MaskablePPO, rollouts and updates together; a decision is the learner's."""

    def __init__(self, game: Game, num_players: int) -> None:
        from sb3_contrib import MaskablePPO

        from coven.agents.train import set_torch_up

        set_torch_up(game)
        self.model = MaskablePPO(
            "MlpPolicy",
            Sb3(game, num_players).env,
            n_steps=64,
            batch_size=2048,
            n_epochs=2,
            policy_kwargs={"net_arch": [128, 128]},
            seed=1,
        )

    def __call__(self, decisions: int) -> None:
        """Train for that many learner steps, rounded up to whole rollouts."""
        self.model.learn(decisions)


def faces(game: Game, num_players: int) -> dict[str, Callable[[int], Any]]:
    """Everything that is measured, by its name in the table."""
    runs: dict[str, Callable[[int], Any]] = {
        "in-kernel": Kernel(game, num_players),
        "AEC": Aec(game, num_players),
        "Gymnasium (learner's)": Gym(game, num_players),
    }
    for size in SIZES:
        runs[f"vector {size}"] = Vector(game, num_players, size)
    for size in SIZES[2:]:
        runs[f"vector {size}, no copies"] = Vector(game, num_players, size, copy=False)
    for size in SIZES[1:]:
        runs[f"vector {size}, 2 threads, no copies"] = Vector(game, num_players, size, threads=2, copy=False)
    runs[f"Gymnasium vector {LEARNERS} (learner's)"] = GymVector(game, num_players)
    runs[f"SB3 VecEnv {LEARNERS} (learner's)"] = Sb3(game, num_players)
    return runs


def _rate(run: Callable[[int], Any], decisions: int) -> float:
    begun = time.perf_counter()
    run(decisions)
    return decisions / (time.perf_counter() - begun)


def measure(runs: dict[str, Callable[[int], Any]], seconds: float, repeats: int) -> dict[str, list[float]]:
    """Rates of every run, `repeats` times in turn."""
    sizes = {}
    for name, run in runs.items():
        run(1)
        sizes[name] = max(1, int(_rate(run, 16384 if name.startswith("vector") else 1000) * seconds))
    rates: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(repeats):
        for name, run in runs.items():
            rates[name].append(_rate(run, sizes[name]))
    return rates


def profile(train: Ppo, decisions: int) -> list[tuple[str, float]]:
    """The share of training time in its main parts."""
    profiler = cProfile.Profile()
    profiler.runcall(train, decisions)
    stats = pstats.Stats(profiler).stats  # type: ignore[attr-defined]
    total = sum(row[2] for row in stats.values())
    parts = {
        "the games and the opponents": ("learner_batch.py", "step"),
        "observations scaled to floats": ("sb3.py", "_observations"),
        "choosing actions (network forward)": ("policies.py", "forward"),
        "updates (all of train)": ("ppo_mask.py", "train"),
        "of which backward": ("_tensor.py", "backward"),
    }
    shares = []
    for part, (file, function) in parts.items():
        cumulative = [row[3] for (path, _, name), row in stats.items() if path.endswith(file) and name == function]
        shares.append((part, sum(cumulative) / total))
    return shares


def main(
    games: Annotated[Positional[tuple[str, ...]], tyro.conf.arg(metavar="GAME")] = (),
    seconds: float = 0.3,
    repeats: int = 5,
    train: bool = True,
    out: Path | None = None,
) -> None:
    """Measure every env of the games (of all games if none is named) at their most players.

    Args:
        games: Which games.
        seconds: How long each measurement runs.
        repeats: How often each is repeated; the median counts.
        train: Measure training too (needs the extra `train`).
        out: Write the tables as Markdown here as well.
    """
    console, lines = Console(highlight=False), []

    def say(line: str = "") -> None:
        console.print(line, markup=False, soft_wrap=True)
        lines.append(line)

    say(
        f"Decisions per second, medians of {repeats} runs of about {seconds} s, spread from least to most; {machine()}."
    )
    for name in games or built_in():
        game = find_game(name)
        players = game.players[-1]
        rates = measure(faces(game, players), seconds, repeats)
        kernel = statistics.median(rates["in-kernel"])
        say()
        say(f"## {game.title}, {players} players")
        say()
        say("| env | decisions/s | share of in-kernel | spread |")
        say("|---|--:|--:|---|")
        for face, values in rates.items():
            median = statistics.median(values)
            say(f"| {face} | {median:,.0f} | {median / kernel:.1%} | {min(values):,.0f} to {max(values):,.0f} |")
        if train:
            ppo = Ppo(game, players)
            ppo(LEARNERS * 64)
            values = [_rate(ppo, LEARNERS * 64 * 4) for _ in range(3)]
            spread = f"{min(values):,.0f} to {max(values):,.0f}"
            say(f"| MaskablePPO training (learner's) | {statistics.median(values):,.0f} | | {spread} |")
            say()
            shares = "; ".join(f"{part} {share:.0%}" for part, share in profile(ppo, LEARNERS * 64 * 4))
            say(f"Where training time goes (under a profiler): {shares}.")
    if out:
        files.write(out, "\n".join(["# What each env costs", "", *lines, ""]))


if __name__ == "__main__":
    tyro.cli(main)
