"""How many iterations of search a second, per game, rollout and number of threads, from the middle of random games.

    python -m coven.benchmarks.search [game ...]

Rates are medians. `per core` counts the CPU seconds of all threads, which other work on the machine hardly disturbs.
`in all` is by the clock, and `cores` is how many cores the run really got: `in all` tells how root parallelism scales
only if `cores` is near the number of threads. On a busy machine it is not, and then it tells about the other work.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from coven.agents.estimate import estimate_of
from coven.agents.search import SearchAgent, SearchConfig
from coven.arena.machine import machine
from coven.games import built_in
from coven.games import game as find_game
from coven.games.core.drivers import avoid, pick
from coven.games.core.game import Game, State
from coven.games.core.rng import generator

ITERATIONS = 20_000
POSITIONS = 5
THREADS = (1, 2)
ROLLOUTS: dict[str, dict[str, Any]] = {
    "random": {"rollout": "random", "order": "random"},
    "greedy": {"horizon": "end"},
    "estimate": {},  # greedy for some turns, then the game's estimate
}


@dataclass(frozen=True)
class SearchSpeed:
    """Medians over positions from the middle of random games; rates in iterations per second."""

    game: str
    players: int
    rollout: str
    threads: int
    per_core: float
    in_all: float

    @property
    def cores(self) -> float:
        """How many cores were at work; fewer than threads if the machine had other things to do."""
        return self.in_all / self.per_core


def middle_of_a_game(game: Game, num_players: int, seed: int) -> State:
    """The state after half the decisions of a random game in which nobody is idle."""
    s, dice, mask, history = game.new(num_players, seed), generator(seed), game.new_mask(), []
    while not game.is_over(s):
        history.append(game.clone(s))
        mask[: game.num_actions] = game.legal_mask(s)
        avoid(mask, game.idle)
        game.apply(s, int(pick(dice[0], mask)))
    return history[len(history) // 2]


def measure(game: Game, num_players: int, rollout: str, threads: int, iterations: int = ITERATIONS) -> SearchSpeed:
    """Search several positions with one setting."""
    config = SearchConfig(iterations=iterations, threads=threads, **ROLLOUTS[rollout])
    agent, dice = SearchAgent(game, num_players, config), generator(1)
    per_core, in_all = [], []
    agent.search(middle_of_a_game(game, num_players, 0), dice)  # loads what is compiled
    for seed in range(POSITIONS):
        s = middle_of_a_game(game, num_players, seed)
        cpu, clock = time.process_time(), time.perf_counter()
        agent.search(s, dice)
        per_core.append(iterations / (time.process_time() - cpu))
        in_all.append(iterations / (time.perf_counter() - clock))
    return SearchSpeed(game.name, num_players, rollout, threads, statistics.median(per_core), statistics.median(in_all))


def measurements(games: Sequence[str]) -> Iterator[SearchSpeed]:
    """Every game at its fewest and most players, with every rollout it has and every number of threads."""
    for name in games:
        game = find_game(name)
        rollouts = ["random", *["greedy"] * bool(game.greedy), *["estimate"] * bool(estimate_of(game))]
        for num_players in (game.players[0], game.players[-1]):
            for rollout in rollouts:
                for threads in THREADS:
                    yield measure(game, num_players, rollout, threads)


def main(games: Sequence[str]) -> None:
    """Print the table."""
    print(f"Iterations of search per second, from the middle of random games; {machine()}")
    print(f"{'game':<20} {'players':>7} {'rollout':>8} {'threads':>7} {'per core':>9} {'in all':>9} {'cores':>5}")
    for m in measurements(games or built_in()):
        rates = f"{m.per_core:>9,.0f} {m.in_all:>9,.0f} {m.cores:>5.2f}"
        print(f"{m.game:<20} {m.players:>7} {m.rollout:>8} {m.threads:>7} {rates}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
