"""Estimates with 95 % intervals, where games come in clusters.

All games of one deal share its cards, so they are not independent, but different deals are. Every interval here treats
a deal, with all its lineups and rotations, as one observation. A mean is a ratio of sums over deals; its standard error
comes from the scatter of the deals around it (the linearised ratio estimator), and its quantile from Student's t with
one degree of freedom less than there are deals.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import stats

LEVEL = 0.95


@dataclass(frozen=True)
class Estimate:
    """A number with its 95 % interval; nan if unknown."""

    value: float
    low: float
    high: float

    def __format__(self, spec: str) -> str:
        low, high = (format(end, spec) if np.isfinite(end) else "?" for end in (self.low, self.high))
        return f"{self.value:{spec}} [{low}, {high}]" if np.isfinite(self.value) else "-"


def mean(sums: np.ndarray, counts: np.ndarray) -> Estimate:
    """The mean over all games, from the sum and the number of games of every deal: plus or minus t standard errors."""
    value, error, t = _ratio(sums, counts)
    return Estimate(value, value - t * error, value + t * error)


def share(sums: np.ndarray, counts: np.ndarray) -> Estimate:
    """A share between 0 and 1, such as of games won: Wilson's interval for the effective number of independent games.

    With that number a binomial share would have the standard error that was found over the deals. If all deals have
    the same result (a share of 0 or 1), it is the number of deals.
    """
    value, error, t = _ratio(sums, counts)
    if not np.isfinite(value) or not np.isfinite(t):
        return Estimate(value, 0.0, 1.0)
    deals = np.count_nonzero(counts)
    games = value * (1 - value) / error**2 if error > 0 and 0 < value < 1 else deals
    centre = (value + t * t / (2 * games)) / (1 + t * t / games)
    half = t / (1 + t * t / games) * np.sqrt(value * (1 - value) / games + t * t / (4 * games * games))
    return Estimate(value, max(0.0, centre - half), min(1.0, centre + half))


def _ratio(sums: np.ndarray, counts: np.ndarray) -> tuple[float, float, float]:
    """The ratio of the totals, its standard error, and the quantile for an interval."""
    met = counts > 0
    sums, counts, deals = sums[met], counts[met], int(np.count_nonzero(met))
    if deals == 0:
        return np.nan, np.nan, np.nan
    value = float(sums.sum() / counts.sum())
    if deals == 1:
        return value, np.inf, np.inf
    scatter = sums - value * counts
    error = float(np.sqrt(deals / (deals - 1) * (scatter**2).sum()) / counts.sum())
    return value, error, float(stats.t.ppf((1 + LEVEL) / 2, deals - 1))
