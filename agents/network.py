"""Networks of plain arrays: packed for the kernels, checked, and asked in numpy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from coven.agents.kernels.network import LANES, Network
from coven.games.core.layout import DTYPE

Layers = Sequence[tuple[np.ndarray, np.ndarray]]
"""Weights (outputs x inputs) and bias of each layer."""


def pack(layers: Layers, factor: np.ndarray) -> Network:
    """A network as the kernels take it; inputs are scaled by the factors, which become part of the first layer."""
    inputs, last = layers[0][0].shape[1], len(layers) - 1
    sizes, numbers, before = [inputs], [], inputs
    for number, (weight, bias) in enumerate(layers):
        if number == 0:
            weight = weight * factor[:inputs]
        across = before if number == 0 and last else _padded(before)
        units = len(bias) if number == last else _padded(len(bias))
        room = np.zeros((units, across), np.float32)
        room[: len(bias), : weight.shape[1]] = weight
        numbers += [np.pad(bias, (0, units - len(bias))), (room if number == last else room.T).ravel()]
        sizes.append(units)
        before = units
    widest = _padded(max(inputs, *sizes[:-1]))
    return Network(
        sizes=np.array(sizes, np.int64),
        numbers=np.ascontiguousarray(np.concatenate(numbers), np.float32),
        observation=np.zeros(inputs, DTYPE),
        values=np.zeros(widest, np.float32),
        places=np.zeros(widest, np.int64),
        units=np.zeros((2, widest), np.float32),
    )


def nothing() -> Network:
    """In place of a network where nobody will ask one; the same types."""
    none = np.zeros(0, np.float32)
    places, units = np.zeros(0, np.int64), np.zeros((0, 0), np.float32)
    return Network(np.zeros(0, np.int64), none, np.zeros(0, DTYPE), none.copy(), places, units)


def forward(layers: Layers, scaled: np.ndarray) -> np.ndarray:
    """All outputs for observations that are scaled already, one a row or a single one."""
    outputs = scaled
    for number, (weight, bias) in enumerate(layers):
        outputs = (np.tanh(outputs) if number else outputs) @ weight.T + bias
    return outputs


def _padded(size: int) -> int:
    return -(-size // LANES) * LANES
