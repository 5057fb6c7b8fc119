"""How well a flat network imitates greedy from what an observation shows: what can be learned from the layout alone.

    python -m coven.benchmarks.imitation witchstone --decisions 3000000

Greedy plays against itself, with a random action now and then so that the network sees how to go on from mistakes too,
and the network (two hidden layers of 256) learns what greedy would do, from every decision once or a few times. Then
the network, taking its most likely action, plays against greedy: one of it in every game, in every seat equally often.
`--raw` leaves the derived part of the observations out. With `--own-games` one seat of every game is the network's, as
it is then, and greedy only says what it would have done there: so it learns from the positions that its own errors
lead to (DAgger; Ross, Gordon, Bagnell 2011).
"""

from __future__ import annotations

import argparse
import time

import numpy as np
import torch
from scipy.stats import binomtest

from coven.agents.learned import LearnedAgent
from coven.agents.registry import create
from coven.agents.standardize import fold, mean_and_spread
from coven.games import game as find_game
from coven.games.core.batch import Batch
from coven.games.core.game import Game
from coven.games.core.layout import DTYPE
from coven.games.core.rng import generator

HIDDEN, TABLES, MINIBATCH, STRAY, CHUNK = 256, 512, 512, 0.03, 256


class Teacher:
    """Games of greedy against itself, or against a pupil in one seat of each, in chunks of decisions."""

    def __init__(self, game: Game, num_players: int, seed: int, derived: bool) -> None:
        self.batch = Batch(game, TABLES, num_players, seed, derived=derived)
        self.agent, self.dice = create("greedy", game, num_players), generator(seed)
        self.rng, self.pupils_seats = np.random.default_rng(seed), np.arange(TABLES) % num_players

    def chunk(self, steps: int, pupil: LearnedAgent | None = None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """What was seen and allowed, and what greedy did or would have done."""
        batch = self.batch
        seen = np.zeros((steps, batch.size, batch.observations.shape[1]), DTYPE)
        masks = np.zeros((steps, batch.size, batch.game.num_actions), np.bool_)
        actions = np.zeros((steps, batch.size), np.int64)
        for t in range(steps):
            seen[t], masks[t] = batch.observations, batch.masks
            actions[t] = self.agent.act_batch(batch.observations, batch.padded_masks, self.dice)
            played = actions[t].copy()
            if pupil:
                own = np.flatnonzero(batch.players == self.pupils_seats)
                played[own] = pupil.act_batch(batch.observations[own], batch.padded_masks[own], self.dice)
            stray = self.rng.random(batch.size) < STRAY
            batch.step(np.where(stray, batch.random_actions(), played))
            self.pupils_seats[batch.ends != 0] += 1
            self.pupils_seats %= batch.num_players
        rows = steps * batch.size
        return seen.reshape(rows, -1), masks.reshape(rows, -1), actions.ravel()


def imitate(
    game: Game, num_players: int, decisions: int, passes: int, seed: int, derived: bool, own_games: bool
) -> tuple[LearnedAgent, float]:
    """The network, and how often it does what greedy does, on decisions that it has not learned from."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    teacher = Teacher(game, num_players, seed, derived)
    usual, spread = mean_and_spread(game.layout, teacher.chunk(100)[0])
    network = torch.nn.Sequential(
        torch.nn.Linear(len(usual), HIDDEN),
        torch.nn.Tanh(),
        torch.nn.Linear(HIDDEN, HIDDEN),
        torch.nn.Tanh(),
        torch.nn.Linear(HIDDEN, game.num_actions),
    )
    optimizer = torch.optim.Adam(network.parameters(), 1e-3)
    chunks, rng, correct = max(1, decisions // (TABLES * CHUNK)), np.random.default_rng(seed), 0.0

    def logits(seen: np.ndarray, masks: np.ndarray) -> torch.Tensor:
        scaled = (game.layout.scale(seen) - usual) / spread
        return network(torch.from_numpy(scaled)).masked_fill(torch.from_numpy(~masks), -1e9)

    def plain_layers() -> list[tuple[np.ndarray, np.ndarray]]:
        linear = [layer for layer in network if isinstance(layer, torch.nn.Linear)]
        layers = [(layer.weight.detach().numpy(), layer.bias.detach().numpy()) for layer in linear]
        return [fold(*layers[0], usual, spread), *layers[1:]]

    for number in range(chunks):
        rate = 1e-3 * (1 - number / chunks) + 1e-5
        for group in optimizer.param_groups:
            group["lr"] = rate
        pupil = LearnedAgent(game, plain_layers()) if own_games and number else None
        seen, masks, actions = teacher.chunk(CHUNK, pupil)
        with torch.no_grad():
            part = slice(0, 8192)
            correct = float((logits(seen[part], masks[part]).argmax(1).numpy() == actions[part]).mean())
        for _ in range(passes):
            order = rng.permutation(len(actions))
            for first in range(0, len(order), MINIBATCH):
                rows = order[first : first + MINIBATCH]
                loss = torch.nn.functional.cross_entropy(
                    logits(seen[rows], masks[rows]), torch.from_numpy(actions[rows])
                )
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    return LearnedAgent(game, plain_layers()), correct


def play(game: Game, agent: LearnedAgent, num_players: int, games: int, seed: int, derived: bool) -> np.ndarray:
    """A row for each finished game: the network's share of the win, its points and the best of the others'."""
    batch = Batch(game, min(games, 256), num_players, seed, derived=derived)
    greedy, dice = create("greedy", game, num_players), generator(seed)
    seats = np.arange(batch.size) % num_players
    rows: list[tuple[float, ...]] = []
    while len(rows) < games:
        mine = batch.players == seats
        actions = np.zeros(batch.size, np.int64)
        for which, player in ((np.flatnonzero(mine), agent), (np.flatnonzero(~mine), greedy)):
            if len(which):
                actions[which] = player.act_batch(batch.observations[which], batch.padded_masks[which], dice)
        before = batch.states.copy()
        batch.step(actions)
        for i in np.flatnonzero(batch.ends):
            last = before[i : i + 1].reshape(())
            game.apply(last, int(actions[i]))
            ranks, scores = game.ranks(last) or [], game.scores(last)
            best = [p for p in range(num_players) if ranks[p] == 1]
            others = [score for p, score in enumerate(scores) if p != seats[i]]
            rows.append(((seats[i] in best) / len(best), scores[seats[i]], max(others)))
            seats[i] = (seats[i] + 1) % num_players
    return np.array(rows[:games])


def main() -> None:
    """Print a row of a table for each number of players."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("game")
    parser.add_argument("--players", type=int, nargs="*")
    parser.add_argument("--decisions", type=int, default=3_000_000)
    parser.add_argument("--passes", type=int, default=2, help="how often every decision is learned from")
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--raw", action="store_true", help="no derived part")
    parser.add_argument("--own-games", action="store_true", help="one seat of every game is played by the network")
    asked = parser.parse_args()
    game = find_game(asked.game)
    kind = f"{'raw' if asked.raw else 'whole'} | {'its own' if asked.own_games else 'greedy'}"
    print("| players | observation | games | decisions | as greedy | wins | 95 % | even | points | best rival | min |")
    print("|--:|---|---|--:|--:|--:|---|--:|--:|--:|--:|")
    for n in asked.players or game.players:
        begun = time.perf_counter()
        agent, correct = imitate(game, n, asked.decisions, asked.passes, asked.seed, not asked.raw, asked.own_games)
        rows = play(game, agent, n, asked.games, asked.seed + 1000, not asked.raw)
        wins = float(rows[:, 0].sum())
        low, high = binomtest(round(wins), len(rows)).proportion_ci(method="wilson")
        print(
            f"| {n} | {kind} | {asked.decisions:,} | {correct:.1%} | {wins / len(rows):.1%}"
            f" | {low:.1%} to {high:.1%} | {1 / n:.0%} | {rows[:, 1].mean():.0f} | {rows[:, 2].mean():.0f}"
            f" | {(time.perf_counter() - begun) / 60:.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
