"""The overall figure of an evaluation: one rating, on a scale that opponents with fixed ratings define.

Each opponent (anchor) has a published rating for every number of players. At each number of players the agent gets the
rating with which it would be expected to finish ahead of these opponents as often as it did: Bradley-Terry with all but
one strength known. One drawn comparison is added, divided among the opponents by how informative each is (Jeffreys'
prior); it keeps the rating finite for agents that always win. The overall figure is the mean over the numbers of
players.

Its variance has two parts. *Chance*: a deal with all its games is one observation, and the variance is at least that of
independent comparisons. *Opponents*: if they disagree about the agent by more than chance, the variance between them
(DerSimonian and Laird's estimate, as in random-effects meta-analysis) is added, with Student's quantile for so few
opponents; so the interval also covers ratings by other opponents of that kind.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from coven.arena.intervals import LEVEL, Estimate
from coven.games.core.errors import extra

with extra("arena", "ratings"):
    from scipy import optimize, special, stats

ELO = 400 / np.log(10)
FAR = 30.0
"""How far beyond the weakest and the strongest opponent a rating is searched for, in natural units."""
TELLS = 0.01
"""Opponents with less weight in a figure are not used to estimate how much opponents disagree."""
FREEDOM = 3
"""The least degrees of freedom of Student's quantile: four anchors minus one."""

Anchors = Mapping[int, Mapping[str, float]]
"""Ratings by number of players and opponent."""


@dataclass(frozen=True)
class Points:
    """How often an agent finished ahead of copies of one opponent, and of how many comparisons, by deal.

    Ties count half.
    """

    players: int
    opponent: str
    ahead: np.ndarray
    of: np.ndarray


@dataclass(frozen=True)
class Figure:
    """The rating of an agent."""

    overall: Estimate
    by_players: dict[int, Estimate]
    disagreement: float
    """The standard deviation between opponents beyond chance, in points of the scale; 0 if there is none."""


@dataclass(frozen=True)
class _Opponent:
    """One opponent at one number of players, seen from the fitted rating."""

    name: str
    surplus: float
    """Points more than expected."""
    information: float
    variance: float
    """The variance of the surplus by chance."""


@dataclass(frozen=True)
class _Fit:
    """The rating at one number of players, in natural units."""

    rating: float
    information: float
    variance: float
    opponents: list[_Opponent]


def figure(points: Sequence[Points], anchors: Anchors) -> Figure | None:
    """The rating of an agent from its matches with anchors; None if a number of players has no such match."""
    counts = sorted({p.players for p in points})
    groups = {n: [p for p in points if p.players == n and p.opponent in anchors.get(n, {})] for n in counts}
    if not counts or not all(groups.values()):
        return None
    fits = {n: _fit(group, anchors[n]) for n, group in groups.items()}
    between, weights = _between(list(fits.values()))
    deals = sum(max(len(p.of) for p in group) for group in groups.values())
    by_chance, by_opponents = (
        stats.t.ppf((1 + LEVEL) / 2, max(FREEDOM, freedom)) for freedom in (deals, len(weights) - 1)
    )

    def estimate(rating: float, variance: float, spread: float) -> Estimate:
        half = np.sqrt(by_chance**2 * variance + by_opponents**2 * between * spread)
        return Estimate(*(float(ELO * end) for end in (rating, rating - half, rating + half)))

    overall = float(np.mean([fit.rating for fit in fits.values()]))
    variance = sum(fit.variance for fit in fits.values()) / len(fits) ** 2
    return Figure(
        overall=estimate(overall, variance, float((weights**2).sum())),
        by_players={n: estimate(fit.rating, fit.variance, _spread(fit)) for n, fit in fits.items()},
        disagreement=float(ELO * np.sqrt(between)),
    )


def _fit(group: Sequence[Points], anchors: Mapping[str, float]) -> _Fit:
    """The rating at one number of players."""
    strengths = np.array([anchors[p.opponent] / ELO for p in group])
    ahead, of = np.array([p.ahead.sum() for p in group]), np.array([p.of.sum() for p in group])

    def expected(rating: float) -> tuple[np.ndarray, np.ndarray]:
        share = special.expit(rating - strengths)
        return share, of * share * (1 - share)

    def surplus(rating: float) -> float:
        share, information = expected(rating)
        total = information.sum()
        told = information / total if total > 0 else np.full(len(of), 1 / len(of))
        return float((ahead - of * share).sum() + (told * (0.5 - share)).sum())

    rating = optimize.brentq(surplus, strengths.min() - FAR, strengths.max() + FAR, xtol=1e-9)
    share, information = expected(rating)
    scatter = np.zeros((len(group), max(len(p.of) for p in group)))  # of the deals around the mean of each match
    for row, p in zip(scatter, group, strict=True):
        deals = len(p.of)
        row[:deals] = (p.ahead - p.of * p.ahead.sum() / p.of.sum()) * np.sqrt(deals / max(1, deals - 1))
    opponents = [
        _Opponent(p.opponent, *numbers)
        for p, *numbers in zip(
            group, ahead - of * share, information, np.maximum((scatter**2).sum(axis=1), information), strict=True
        )
    ]
    total = float(information.sum())
    variance = max(float((scatter.sum(axis=0) ** 2).sum()), total) / total**2
    return _Fit(float(rating), total, variance, opponents)


def _spread(fit: _Fit) -> float:
    """How much of the variance between opponents reaches the rating at one number of players."""
    return float(sum((o.information / fit.information) ** 2 for o in fit.opponents))


def _between(fits: Sequence[_Fit]) -> tuple[float, np.ndarray]:
    """The variance between opponents beyond chance, and the weight of each in the overall rating."""
    names = sorted({o.name for fit in fits for o in fit.opponents})
    weight, surplus, variance = (np.zeros(len(names)) for _ in range(3))
    for fit in fits:
        unit = 1 / (fit.information * len(fits))
        for o in fit.opponents:
            i = names.index(o.name)
            weight[i] += o.information * unit
            surplus[i] += o.surplus * unit
            variance[i] += o.variance * unit**2
    told = weight > TELLS
    if told.sum() < 2:
        return 0.0, weight
    verdict, precision = surplus[told] / weight[told], weight[told] ** 2 / variance[told]
    mean = (precision * verdict).sum() / precision.sum()
    excess = (precision * (verdict - mean) ** 2).sum() - (told.sum() - 1)
    scale = precision.sum() - (precision**2).sum() / precision.sum()
    return max(0.0, float(excess / scale)), weight
