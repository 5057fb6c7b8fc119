"""How the numbers of an observation usually vary, which is what networks measure them by."""

from __future__ import annotations

import numpy as np

from coven.games.core.layout import Layout

LEAST_SPREAD = 0.1  # of a number scaled to 0..1: one that hardly ever varies must not shout when it does


def usual_numbers(layout: Layout, observations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What is usual among some observations, scaled to 0..1, and by how much they usually differ from it."""
    scaled = layout.scale(observations)
    return scaled.mean(axis=0), np.maximum(scaled.std(axis=0), np.float32(LEAST_SPREAD))


def fold(weight: np.ndarray, bias: np.ndarray, mean: np.ndarray, spread: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A first layer that does the measuring itself, from one that gets what was measured."""
    return weight / spread, bias - weight @ (mean / spread)
