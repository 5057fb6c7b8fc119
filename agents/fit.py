"""Fits the estimate of a game to the outcomes of greedy games: `coven fit GAME`. Needs the extra `train`.

Every player count has the same number of positions. A twentieth of them is held out; how much of the variance of the
outcomes the network explains there (R²) is stored with it. A fit takes one or two minutes.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch

from coven.agents.estimate import FORMAT
from coven.agents.greedy import GreedyAgent
from coven.agents.kernels.estimate import gather
from coven.agents.network_files import MOST_UNITS, save_layers
from coven.agents.outcomes import deal
from coven.agents.settings import check_memory
from coven.agents.standardize import fold, mean_and_spread
from coven.games.core.errors import BadOption
from coven.games.core.game import Game
from coven.games.core.layout import DTYPE
from coven.games.core.rng import generator

GAMES_AT_ONCE = 256
MOST_SEED = (1 << 22) - 1  # deals begin at 2**40 times the seed
BATCH = 1024
RATE, LEAST_RATE = 1e-3, 0.02  # the learning rate, and the share of it that is left in the end


@dataclass(frozen=True)
class Lessons:
    """Positions of one player count: what a seat saw, and its return by rank and margin in points in the end."""

    players: int
    views: np.ndarray
    targets: np.ndarray

    def part(self, rows: slice) -> Lessons:
        """Some of the rows."""
        return Lessons(self.players, self.views[rows], self.targets[rows])


def lessons(game: Game, players: int, rows: int, seed: int) -> Lessons:
    """Positions of games that are played for this, so many rows."""
    GreedyAgent(game)  # compiled and known
    views, targets = np.zeros((rows, game.layout.raw_size), DTYPE), np.zeros((rows, 2), np.float32)
    buffers = (
        game.new_mask(),
        game.new_observation(derived=False),
        game.new_keys(),
        np.zeros(players),
        np.zeros(players),
    )
    dice, used, blank = generator(seed), np.zeros(1, np.int64), game.blank(players)

    def play(first: int, turns: int) -> np.ndarray:
        states = deal(game, blank, GAMES_AT_ONCE, first)
        gather(states, turns, *buffers, dice, views, targets, used)
        return states

    turns = int(play(seed, 1)["turn"].mean()) + 1  # how many a game has
    used[0], number = 0, 1
    while used[0] + players <= rows:
        play(seed + number * GAMES_AT_ONCE, turns)
        number += 1
    return Lessons(players, views[: used[0]], targets[: used[0]])


@dataclass(frozen=True)
class FitSettings:
    """How to fit an estimate."""

    rows: int
    """Positions for each player count."""
    hidden: int
    """Units of the hidden layer."""
    passes: int
    """Passes over all positions."""
    horizon: int
    """How many turns a rollout plays before the estimate takes over."""
    seed: int
    """The same seed gives the same positions."""

    def __post_init__(self) -> None:
        for name, least in (("rows", 1000), ("hidden", 1), ("passes", 1), ("horizon", 1), ("seed", 0)):
            if getattr(self, name) < least:
                raise BadOption(f"{name}={getattr(self, name)!r} is not allowed; allowed: {least} and more")
        for name, most in (("hidden", MOST_UNITS), ("seed", MOST_SEED)):
            if getattr(self, name) > most:
                raise BadOption(f"{name}={getattr(self, name)} is not allowed; allowed: up to {most}")

    def memory(self, game: Game) -> int:
        """Bytes that a fit takes, roughly: the positions twice, and what the network makes of a tenth of them."""
        rows = self.rows * len(game.players)
        return rows * (2 * game.layout.raw_size + 64) + rows // 10 * 8 * (game.layout.raw_size + self.hidden)

    @property
    def words(self) -> str:
        """As on the command line."""
        return " ".join(f"--{name} {value}" for name, value in asdict(self).items())


def fit(game: Game, path: Path, settings: FitSettings) -> dict[str, float]:
    """Fit an estimate and store it; returns how much of the variance of the margins it explains, by player count."""
    check_memory(settings.memory(game), "fewer rows or hidden units")
    torch.set_num_threads(1)
    torch.manual_seed(settings.seed)
    taught, tests = [], []
    for players in game.players:
        found = lessons(game, players, settings.rows, (settings.seed + 1) << 40)
        kept_out = len(found.views) // 20
        taught.append(found.part(slice(kept_out, None)))
        tests.append(found.part(slice(kept_out)))
    views = np.concatenate([part.views for part in taught])
    targets = np.concatenate([part.targets for part in taught])
    network = Network(game, settings.hidden, views, float(targets[:, 1].std()), settings.seed)
    network.learn(views, targets, settings.passes)
    explained = {str(test.players): network.explained(test) for test in tests}
    command = f"coven fit {game.name} {settings.words}"
    about = {"horizon": settings.horizon, "rows": len(views), "explained": explained, "command": command}
    save_layers(path, network.layers(), game, FORMAT, about)
    return explained


class Network:
    """The network that is fitted: standardised inputs, one hidden layer, two outputs."""

    def __init__(self, game: Game, hidden: int, views: np.ndarray, points: float, seed: int) -> None:
        self.layout, self.points, self.rng = game.layout, points, np.random.default_rng(seed)
        self.usual, self.spread = mean_and_spread(self.layout, views[self.rng.integers(len(views), size=20_000)])
        self.first, self.last = torch.nn.Linear(game.layout.raw_size, hidden), torch.nn.Linear(hidden, 2)

    def answers(self, views: np.ndarray) -> tuple[torch.Tensor, torch.Tensor]:
        """Returns by rank, and margins in units of `points`."""
        scaled = torch.from_numpy((self.layout.scale(views) - self.usual) / self.spread)
        out = self.last(torch.relu(self.first(scaled)))
        return torch.tanh(out[:, 0]), out[:, 1]

    def learn(self, views: np.ndarray, targets: np.ndarray, passes: int) -> None:
        """Fit by least squares, both outputs at once."""
        optimizer = torch.optim.Adam([*self.first.parameters(), *self.last.parameters()], RATE)
        orders = (self.rng.permutation(len(views)) for _ in range(passes))
        batches = [rows for order in orders for rows in np.array_split(order, -(-len(views) // BATCH))]
        for done, rows in enumerate(batches):
            for group in optimizer.param_groups:
                group["lr"] = RATE * max(LEAST_RATE, 1 - done / len(batches))
            (ranks, margins), wanted = self.answers(views[rows]), torch.from_numpy(targets[rows])
            loss = ((ranks - wanted[:, 0]) ** 2).mean() + ((margins - wanted[:, 1] / self.points) ** 2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

    def explained(self, test: Lessons) -> float:
        """How much of the variance of the margins it explains."""
        with torch.no_grad():
            margins = self.points * self.answers(test.views)[1].numpy()
        return round(float(1 - ((margins - test.targets[:, 1]) ** 2).mean() / test.targets[:, 1].var()), 3)

    def layers(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """The layers, which include the scaling of inputs and outputs."""
        (first, first_bias), (last, last_bias) = (
            (layer.weight.detach().numpy(), layer.bias.detach().numpy()) for layer in (self.first, self.last)
        )
        scale = np.array([1, self.points], np.float32)
        return [fold(first, first_bias, self.usual, self.spread), (last * scale[:, None], last_bias * scale)]
