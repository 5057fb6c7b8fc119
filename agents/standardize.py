"""Standardising: networks get every number of an observation minus its mean, divided by its spread."""

from __future__ import annotations

import numpy as np

from coven.games.core.layout import Layout

LEAST_SPREAD = 0.1  # of a number scaled to 0..1: one that hardly ever varies must not shout when it does


def mean_and_spread(layout: Layout, observations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The mean and the standard deviation of every number of some observations, scaled to 0..1."""
    scaled = layout.scale(observations)
    return scaled.mean(axis=0), np.maximum(scaled.std(axis=0), np.float32(LEAST_SPREAD))


def fold(weight: np.ndarray, bias: np.ndarray, mean: np.ndarray, spread: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A first layer that takes numbers as they are, from one that takes them standardized."""
    return weight / spread, bias - weight @ (mean / spread)


def unfold(weight: np.ndarray, bias: np.ndarray, mean: np.ndarray, spread: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A first layer that takes numbers standardized, from one that takes them as they are."""
    return weight * spread, bias + weight @ mean
