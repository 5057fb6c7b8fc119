"""Networks of plain arrays: packed for the kernels, and evaluated in numpy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from coven.agents.kernels.network import LANES, Network
from coven.games.core.layout import DTYPE, Layout
from coven.games.core.links import Links

Layers = Sequence[tuple[np.ndarray, np.ndarray]]
"""Weights (outputs x inputs) and bias of each layer."""


def pack(layers: Layers, layout: Layout, links: Links | None = None, rows: int = 1) -> Network:
    """A network as the kernels take it; the scaling of observations becomes part of the first layer.

    A policy with `links` uses action features: those among its inputs. It can remember so many `rows`.
    """
    inputs, last = layers[0][0].shape[1], len(layers) - 1
    sizes, numbers, before = [inputs], [], inputs
    for number, (weight, bias) in enumerate(layers):
        if number == 0:
            weight = weight * layout.factor[:inputs]
            bias = bias - weight @ layout.low[:inputs]
        across = before if number == 0 and last else _padded(before)
        units = len(bias) if number == last else _padded(len(bias))
        room = np.zeros((units, across), np.float32)
        room[: len(bias), : weight.shape[1]] = weight
        numbers += [np.pad(bias, (0, _padded(units) - len(bias))), (room if number == last else room.T).ravel()]
        sizes.append(units)
        before = units
    widest = _padded(max(inputs, *sizes[:-1]))
    return Network(
        sizes=np.array(sizes, np.int64),
        numbers=_aligned(np.concatenate(numbers)),
        observation=np.zeros(inputs, DTYPE),
        values=np.zeros(widest, np.float32),
        places=np.zeros(widest, np.int64),
        units=_aligned(np.zeros((2, widest))),
        seen=np.zeros((rows, inputs), DTYPE),
        sums=_aligned(np.tile(numbers[0], (rows, 1))),
        **_link_arrays(links, inputs),
    )


def _link_arrays(links: Links | None, inputs: int) -> dict[str, np.ndarray]:
    """The links between the first `inputs` numbers of an observation and the actions."""
    if links is None:
        none = np.zeros(0, np.int64)
        return {"starts": none, "about": none.copy(), "slot_of": none.copy(), "weights": np.zeros(0, np.float32)}
    seen = links.places < inputs
    before = np.concatenate([[0], np.cumsum(seen)])
    return {
        "starts": before[links.starts],
        "about": links.places[seen],
        "slot_of": links.slot_of[seen],
        "weights": np.zeros(links.slots, np.float32),
    }


def nothing() -> Network:
    """An empty network of the same types, for searches that use none."""
    none = np.zeros(0, np.float32)
    places, units, seen = np.zeros(0, np.int64), np.zeros((0, 0), np.float32), np.zeros((0, 0), DTYPE)
    rest = (none.copy(), places, units, seen, units.copy())
    return Network(np.zeros(0, np.int64), none, np.zeros(0, DTYPE), *rest, **_link_arrays(None, 0))


def forward(layers: Layers, scaled: np.ndarray) -> np.ndarray:
    """All outputs for scaled observations, one per row or a single one."""
    outputs = scaled
    for number, (weight, bias) in enumerate(layers):
        outputs = (np.tanh(outputs) if number else outputs) @ weight.T + bias
    return outputs


def add_action_features(outputs: np.ndarray, observation: np.ndarray, links: Links) -> np.ndarray:
    """The logits of the actions: their outputs plus the numbers about them, each times the weight of its slot."""
    actions = len(links.starts) - 1
    found, weights = outputs[:actions].copy(), outputs[actions:]
    seen = links.places < len(observation)
    by_action = np.repeat(np.arange(actions), np.diff(links.starts))[seen]
    np.add.at(found, by_action, weights[links.slot_of[seen]] * observation[links.places[seen]])
    return found


def widen(layer: tuple[np.ndarray, np.ndarray], outputs: int) -> tuple[np.ndarray, np.ndarray]:
    """A layer with that many outputs; those that it did not have are 0."""
    weight, bias = layer
    more = outputs - len(bias)
    return np.pad(weight, ((0, more), (0, 0))), np.pad(bias, (0, more))


def _aligned(array: np.ndarray) -> np.ndarray:
    """The numbers, with vectors of `LANES` at the beginning of cache lines: products are a quarter faster so."""
    room = np.zeros(array.size + LANES, np.float32)
    first = -room.ctypes.data // room.itemsize % LANES
    found = room[first : first + array.size].reshape(array.shape)
    found[...] = array
    return found


def _padded(size: int) -> int:
    return -(-size // LANES) * LANES
