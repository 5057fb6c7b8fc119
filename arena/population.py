"""What one rating per agent cannot show: Nash averaging, alpha-rank, and cycles of agents.

All three look at the matrix of who finishes ahead of whom. OpenSpiel has the first two, but needs a C++ build, and
for Nash averaging a modelling language for convex programs; here each takes a page of numpy and scipy.

- *Nash averaging* (Balduzzi and others, 2018): the agents play a game in which each of two sides picks one of them and
  is paid the log odds of finishing ahead. The maximum-entropy equilibrium is a mixture of agents against which nobody
  gains; an agent's average against it does not change when some agent is entered twice.
- *alpha-rank* (Omidshafiei and others, 2019): the share of time that a population spends with each agent if it changes
  over to whoever beats it. Agents on a cycle share it.
- A *cycle* is three agents of which each finishes ahead of the next more often than not, and the last of the first.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from coven.arena.intervals import LEVEL, Estimate
from coven.games.core.errors import extra

with extra("arena", "reports"):
    from scipy import optimize, special

SELECTION, POPULATION = 100.0, 50
"""Of alpha-rank: how strongly the better is preferred (two agents differ if their shares do by some percent)."""
SAMPLES = 100
"""Bootstrap samples of deals behind the intervals."""
MANY = 40
"""With more agents than these fewer samples are drawn, because work grows with the third power."""


@dataclass(frozen=True)
class Standing:
    """One agent in the population."""

    agent: str
    weight: Estimate
    """The weight in the equilibrium."""
    average: Estimate
    """Log odds against the equilibrium, on the scale of Elo: 0 for those in it, below for the others."""
    alpha: Estimate
    """The mass of alpha-rank."""


@dataclass(frozen=True)
class Cycle:
    """The strongest cycle: each finishes ahead of the next, and the last of the first."""

    agents: tuple[str, str, str]
    margin: Estimate
    """The smallest of its three shares, minus one half; if its interval is above 0, all three are significant."""

    @property
    def sure(self) -> bool:
        """Whether this cycle is significant at the 95 % level."""
        return self.margin.low > 0


@dataclass(frozen=True)
class Population:
    """What the pairwise results say about all agents together."""

    standings: tuple[Standing, ...]
    cycle: Cycle | None
    """None if there is no cycle."""


def population(agents: tuple[str, ...], ahead: np.ndarray, seed: int = 0, samples: int = SAMPLES) -> Population:
    """Nash averaging, alpha-rank and cycles, from how often each agent finished ahead of each, by deal."""
    deals, size, rng = len(ahead), len(agents), np.random.default_rng(seed)
    whole = _shares(ahead.sum(axis=0))
    drawn = rng.multinomial(deals, np.full(deals, 1 / deals), size=samples if size < MANY else max(1, samples // 10))
    tables = [_shares(np.tensordot(weights, ahead, axes=1)) for weights in drawn]
    found = [_numbers(whole), *(_numbers(table) for table in tables)]
    rows = tuple(
        Standing(agent, *(_estimate([numbers[k][i] for numbers in found], deals) for k in range(3)))
        for i, agent in enumerate(agents)
    )
    return Population(rows, _cycle(agents, whole, tables, deals))


def _shares(ahead: np.ndarray) -> np.ndarray:
    """Who finishes ahead of whom, with half a win added on each side; one half for those who never met."""
    shares: np.ndarray = (ahead + 0.5) / (ahead + ahead.T + 1)
    return shares


def _numbers(shares: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    odds = special.logit(shares)
    weights = nash(odds)
    return weights, 400 / np.log(10) * odds @ weights, alpha_rank(shares)


def _estimate(values: list[float], deals: int) -> Estimate:
    """The first value, with the middle 95 % of the others."""
    tail = 100 * (1 - LEVEL) / 2
    low, high = np.percentile(values[1:], [tail, 100 - tail]) if deals > 1 else (np.nan, np.nan)
    return Estimate(float(values[0]), min(float(low), values[0]), max(float(high), values[0]))


def nash(payoffs: np.ndarray) -> np.ndarray:
    """The equilibrium of most entropy of a symmetric zero-sum game (the matrix is antisymmetric)."""
    left = np.arange(len(payoffs))
    while True:  # whoever does worse than another against everybody has no part in it
        rest = payoffs[np.ix_(left, left)]
        dominated = (rest[:, None, :] > rest[None, :, :]).all(axis=2).any(axis=0)
        if not dominated.any():
            break
        left = left[~dominated]
    weights = np.zeros(len(payoffs))
    weights[left] = _most_entropy(rest)
    return weights


def _most_entropy(payoffs: np.ndarray) -> np.ndarray:
    """The p of most entropy with payoffs @ p <= 0, against which nobody gains.

    By duality it is a softmax of payoffs @ x for the x >= 0 that minimise its normaliser, a smooth problem with bounds
    alone.
    """

    def softmax(x: np.ndarray) -> tuple[float, np.ndarray]:
        outputs = payoffs @ x
        powers = np.exp(outputs - outputs.max())
        return float(outputs.max() + np.log(powers.sum())), powers / powers.sum()

    def normaliser(x: np.ndarray) -> tuple[float, np.ndarray]:
        value, weights = softmax(x)
        return value, -payoffs @ weights

    size, limits = len(payoffs), {"maxiter": 200, "ftol": 1e-10}
    found = optimize.minimize(normaliser, np.zeros(size), jac=True, bounds=[(0, None)] * size, options=limits)
    return softmax(found.x)[1]


def alpha_rank(shares: np.ndarray, selection: float = SELECTION, population: int = POPULATION) -> np.ndarray:
    """The stationary distribution of a population in which now and then a single agent of another kind turns up.

    It takes over with the chance of a Moran process whose payoffs are the shares (a constant-sum game).
    """
    size = len(shares)
    if size == 1:
        return np.ones(1)
    step = selection * population / (population - 1) * (shares.T - 0.5)  # row: who is there, column: who turns up
    with np.errstate(over="ignore", invalid="ignore"):
        chance = np.expm1(-step) / np.expm1(-population * step)
    chance = np.where(np.abs(step) < 1e-9, 1 / population, np.nan_to_num(chance, nan=0.0))
    moves = np.maximum(chance, 1e-12) / (size - 1)  # nobody is left out for good, so that there is one answer
    np.fill_diagonal(moves, 0)
    np.fill_diagonal(moves, 1 - moves.sum(axis=1))
    balance = np.vstack([moves.T - np.eye(size), np.ones(size)])
    mass: np.ndarray = np.linalg.lstsq(balance, np.append(np.zeros(size), 1.0), rcond=None)[0]
    return np.maximum(mass, 0) / np.maximum(mass, 0).sum()


def _cycle(agents: tuple[str, ...], whole: np.ndarray, tables: list[np.ndarray], deals: int) -> Cycle | None:
    """The strongest cycle of the whole, and how strong the same three are in the samples."""
    if len(agents) < 3:
        return None
    size, best, found = len(agents), 0.0, None
    lead = whole - 0.5
    for a in range(size):
        chains = np.minimum(np.minimum(lead[a][:, None], lead), lead[:, a][None, :])  # a ahead of b, b of c, c of a
        b, c = divmod(int(chains.argmax()), size)
        if chains[b, c] > best + 1e-12:
            best, found = float(chains[b, c]), (a, b, c)
    if found is None:
        return None
    a, b, c = found
    margins = [float(min(t[a, b], t[b, c], t[c, a]) - 0.5) for t in (whole, *tables)]
    return Cycle((agents[a], agents[b], agents[c]), _estimate(margins, deals))
