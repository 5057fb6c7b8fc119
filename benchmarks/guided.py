"""What a trained network is worth to a search, and how fast it answers in the kernels.

    python -m coven.benchmarks.guided GAME FILE --players 2 --deals 100

FILE is a network with a value, as all training makes them. The first table has the forward passes beside the largest
matrix product that numpy makes on one core; the second has `guided` alone against copies of others, on deals that no
training and no tuning has seen, all rotations of the seats. Times are CPU times, the best of several.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Annotated

import numpy as np
import tyro
from tyro.conf import Positional

from coven.agents.kernels.policy import act, value_batch
from coven.agents.learned import LearnedAgent, load
from coven.agents.play import play
from coven.agents.registry import create
from coven.arena.machine import machine
from coven.games import game as find_game
from coven.games.core.batch import Batch
from coven.games.core.game import Game
from coven.games.core.rng import generator

SEED = 40_000_000
"""The first of the deals; tuning took others."""
VIEWS, REPEATS = 512, 30
MATRIX = 512
ITERATIONS = 400


def main(
    game: Annotated[str, Positional],
    file: Annotated[Path, Positional],
    players: int = 2,
    deals: int = 100,
    budgets: tuple[int, ...] = (100, 400),
    rivals: tuple[str, ...] = ("ppo", "ismcts:100", "ismcts:1000"),
    options: str = "",
) -> None:
    """Print both tables.

    Args:
        game: Which game.
        file: The network.
        players: At how large a table.
        deals: Of each match; every deal is played with all rotations of the seats.
        budgets: Iterations of guided search.
        rivals: Who sits at the other seats; ppo is the network itself.
        options: More of the guided spec, as in :c=0.3.
    """
    g = find_game(game)
    agent, _ = load(file, g)
    print(f"{g.title}, {players} players; {machine()}.\n")
    print("| what | µs | GFLOP/s |\n|---|--:|--:|")
    for what, seconds, flops in speeds(g, agent, players, file):
        print(f"| {what} | {1e6 * seconds:.2f} | {f'{flops / seconds / 1e9:.1f}' if flops else ''} |")
    print("\n| agent | against | games | win share | 95 % within | ms/decision |\n|---|---|--:|--:|--:|--:|")
    for budget in budgets:
        for rival in rivals:
            other = f"ppo:{file}" if rival == "ppo" else rival
            row = match(g, f"guided:{file}:{budget}{options}", other, players, deals)
            print(f"| guided:{budget}{options} | {rival} | {row} |", flush=True)


def match(game: Game, spec: str, rival: str, players: int, deals: int) -> str:
    """One agent alone against copies of another, as the cells of a row."""
    agents = [create(spec, game, players), *[create(rival, game, players)] * (players - 1)]
    begun = time.process_time()
    results = play(game, agents, deals, seed=SEED)
    assert results.seconds is not None
    busy = (time.process_time() - begun) / max(results.seconds.sum(), 1e-9)  # of the clock, where the machine is shared
    wins = results.wins[:, 0].reshape(deals, -1).mean(axis=1)
    within = 1.96 * wins.std(ddof=1) / deals**0.5
    milliseconds = 1e3 * busy * results.seconds[:, 0].sum() / results.moves[:, 0].sum()
    return f"{deals * players} | {wins.mean():.1%} | {within:.1%} | {milliseconds:.2f}"


def speeds(game: Game, agent: LearnedAgent, players: int, file: Path) -> Iterator[tuple[str, float, float]]:
    """What is measured, its seconds and its floating-point operations; 0 where nobody counts them."""
    batch = Batch(game, VIEWS, players, seed=1)
    for _ in range(12 * players):
        batch.step(batch.random_actions())
    views, masks = batch.observations.copy(), batch.padded_masks.copy()
    actions, logits, values = np.zeros(VIEWS, np.int64), np.zeros(game.num_actions, np.float32), np.zeros((VIEWS, 2))
    used, legal = (views != 0).sum() / VIEWS, masks.sum() / VIEWS
    seconds = best(lambda: act(views, masks, agent.policy, logits, False, generator(0), actions))
    yield "policy, of a position with its legal actions", seconds / VIEWS, operations(agent.layers, used, legal)
    seconds = best(lambda: value_batch(views, agent.value, values))
    yield "value, of one seat", seconds / VIEWS, operations(agent.value_layers, used, len(agent.value_layers[-1][1]))
    square = np.random.default_rng(1).normal(size=(MATRIX, MATRIX)).astype(np.float32)
    yield f"numpy's product of {MATRIX} x {MATRIX} matrices", best(lambda: square @ square), 2.0 * MATRIX**3
    search, s = create(f"guided:{file}:{ITERATIONS}", game, players), batch.states[0:1].reshape(())
    yield "an iteration of guided search", best(lambda: search.search(s, generator(1))) / ITERATIONS, 0  # type: ignore[attr-defined]


def operations(layers: list[tuple[np.ndarray, np.ndarray]], used: float, outputs: float) -> float:
    """Multiplications and additions of a forward pass that skips the inputs that are 0, for so many outputs."""
    sizes = [used, *[len(bias) for _, bias in layers[:-1]], outputs]
    return float(sum(2 * before * after for before, after in pairwise(sizes)))


def best(call: Callable[[], object]) -> float:
    """The least CPU seconds of several calls."""
    call()
    found = []
    for _ in range(REPEATS):
        begun = time.process_time()
        call()
        found.append(time.process_time() - begun)
    return min(found)


if __name__ == "__main__":
    tyro.cli(main)
