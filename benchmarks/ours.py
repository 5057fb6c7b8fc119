"""Our side of the comparison: a worker like those of the peers, every game at its most players, and the C ceiling."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numba
import numpy as np

from coven.agents.search import SearchAgent, SearchConfig
from coven.benchmarks.ceiling import Ceiling
from coven.benchmarks.envs import Ppo, Vector
from coven.benchmarks.peers.worker import (
    AEC,
    BATCHES,
    KERNEL,
    KERNEL_OBSERVING,
    PYTHON,
    SEARCH,
    TRAINING,
    Run,
    Subject,
    play_aec,
    serve,
)
from coven.benchmarks.throughput import Kernel
from coven.envs.aec import CovenEnv
from coven.games import built_in
from coven.games import game as find_game
from coven.games.core.game import Game
from coven.games.core.rng import generator

CEILING = "C, by hand"


def counted(run: Callable[[int], Any], whole: int = 1) -> Run:
    """A run that tells what it made: as many as asked for, rounded up to whole batches."""

    def count(decisions: int) -> int:
        made = -(-decisions // whole) * whole
        run(made)
        return made

    return count


def from_python(game: Game, num_players: int) -> Run:
    """Uniform play of single games, every action chosen in Python."""
    uniform = random.Random(1).random

    def run(decisions: int) -> None:
        s = game.new(num_players)
        for _ in range(decisions):
            legal = game.legal_actions(s)
            game.apply(s, legal[int(uniform() * len(legal))])
            if game.is_over(s):
                s = game.new(num_players)

    return counted(run)


def search(game: Game, num_players: int) -> Run:
    """Iterations of our search with random rollouts, from after the deal."""
    s, dice = game.new(num_players, seed=1), generator(1)

    def run(iterations: int) -> None:
        config = SearchConfig(iterations=iterations, rollout="random", order="random")
        SearchAgent(game, num_players, config).search(s, dice)

    return counted(run)


def training(game: Game, num_players: int) -> Run:
    """Learner's steps of MaskablePPO, rollouts and updates together."""
    model = Ppo(game, num_players)
    return counted(model, model.model.n_steps * model.model.n_envs)


def subjects(game: Game) -> Iterator[Subject]:
    """All faces of a game."""
    n = game.players[-1]
    yield Subject(KERNEL, game.name, lambda: counted(Kernel(game, n, observing=False)))
    yield Subject(KERNEL_OBSERVING, game.name, lambda: counted(Kernel(game, n, derived=False)))
    yield Subject(PYTHON, game.name, partial(from_python, game, n))
    yield Subject(AEC, game.name, lambda: play_aec(CovenEnv(game, n)))
    for size, face in BATCHES.items():
        yield Subject(face, game.name, partial(_batch, game, n, size))
    yield Subject(SEARCH, game.name, partial(search, game, n), "ISMCTS")
    yield Subject(TRAINING, game.name, partial(training, game, n), "MaskablePPO, 128 tables")


def _batch(game: Game, num_players: int, size: int) -> Run:
    return counted(Vector(game, num_players, size), size)


def _ceiling(observing: bool) -> Run:
    return counted(Ceiling(find_game("alchemists").players[-1], observing))


def all_subjects() -> list[Subject]:
    """Every game, and Alchemists in C."""
    ours = [subject for name in built_in() for subject in subjects(find_game(name))]
    ceiling = [
        Subject(KERNEL, "alchemists", partial(_ceiling, False), CEILING),
        Subject(KERNEL_OBSERVING, "alchemists", partial(_ceiling, True), CEILING),
    ]
    return ours + ceiling


if __name__ == "__main__":
    serve([f"numba {numba.__version__}", f"numpy {np.__version__}"], all_subjects())
