"""Is any seat favoured? Random games of any game, by seat and by turn order: points, wins and how sure one can be.

`python -m coven.benchmarks.seats GAME` prints a table for every player count, with uniform random play and with
play that is never idle.
"""

from __future__ import annotations

import argparse

import numpy as np

from coven.games import game as find_game
from coven.games import names
from coven.games.core.drivers import avoid, pick
from coven.games.core.game import Game
from coven.games.core.generic import apply, deal, legal, score
from coven.games.core.kernels import kernel
from coven.games.core.ranking import RANK, reward
from coven.games.core.record import NOBODY
from coven.games.core.rng import generator, next_seed


@kernel
def play_games(state, blank, seed, generators, mask, idle, keys, points, rewards, first):
    """Play a game for every row of `points` and `rewards`; `first` is who made the first decision."""
    for i in range(points.shape[0]):
        state[0] = blank[()]
        s = state[0]
        deal(s, s.num_players, seed, s.options)
        first[i] = s.current
        while s.current != NOBODY:
            legal(s, mask)
            avoid(mask, idle)
            apply(s, pick(generators[0], mask))
        score(s, keys)
        reward(keys, s.num_players, RANK, rewards[i])
        for p in range(s.num_players):
            points[i, p] = keys[p, 0]
        seed = next_seed(seed)


def play(game: Game, players: int, games: int, active: bool, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points and rank rewards of that many random games, by game and seat, and who began."""
    game.prepare()
    points, rewards = np.zeros((games, players), np.int32), np.zeros((games, players), np.float32)
    first = np.zeros(games, np.int8)
    idle = game.idle if active else np.zeros_like(game.idle)
    state, dice = np.zeros(1, game.record), generator(seed)
    blank, mask, keys = game.blank(players), game.new_mask(), game.new_keys()
    play_games(state, blank, np.uint64(seed), dice, mask, idle, keys, points, rewards, first)
    return points, rewards, first


def line(label: str, points: np.ndarray, rewards: np.ndarray) -> str:
    """One row of the table: by place mean points, mean rank reward and how many standard errors that is from none."""
    means = rewards.mean(axis=0)
    errors = rewards.std(axis=0) / np.sqrt(len(rewards))
    sigmas = " ".join(f"{m:+.3f} ({m / e:+.1f}s)" for m, e in zip(means, errors, strict=True))
    return f"  {label:<12} points {' '.join(f'{p:6.2f}' for p in points.mean(axis=0))}   reward {sigmas}"


def report(game: Game, games: int, seed: int) -> None:
    """Print the table of one game; a reward of 0 is an even share, and s its standard error."""
    for players in game.players:
        for active in (False, True) if game.idle.any() else (False,):
            points, rewards, first = play(game, players, games, active, seed)
            print(f"{game.title}, {players} players, {games} games, {'never idle' if active else 'uniform'}:")
            print(line("by seat", points, rewards))
            order = (first[:, None] + np.arange(players)) % players
            rows = np.arange(games)[:, None]
            print(line("by turn", points[rows, order], rewards[rows, order]))


def main() -> None:
    """Read the command line and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("game", choices=names())
    parser.add_argument("--games", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    report(find_game(given.game), given.games, given.seed)


if __name__ == "__main__":
    main()
