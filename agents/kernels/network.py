"""A network in machine code: an observation goes through its layers, with tanh between them.

Written out instead of left to numpy, whose matrix products wake a thread of their own for every small batch and stall
where the cores are busy. Most numbers of an observation are 0 and are skipped; of the last layer only the outputs that
somebody asks for are computed. All sums have a fixed order, so that every machine gets the same answers, and yet are
made of wide instructions: over the units of a layer (`add_rows`) or in 16 lanes (`dot`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from coven.games.core.kernels import kernel

LANES = 16
"""The units of every layer but the last are padded to a multiple of this."""


class Network(NamedTuple):
    """A network and all that asking it needs: kernels take it whole."""

    sizes: np.ndarray
    """The inputs, then the units of each layer."""
    numbers: np.ndarray
    """Of each layer the bias and the weights: a row for each input or, in the last layer, for each output."""
    observation: np.ndarray
    """Scratch: an observation with as many numbers as there are inputs."""
    values: np.ndarray
    places: np.ndarray
    """Scratch: the inputs that are not 0, and which they are."""
    units: np.ndarray
    """Scratch: two rows, each for the units of one layer; behind the units that a layer has there is 0."""
    starts: np.ndarray
    about: np.ndarray
    slot_of: np.ndarray
    """Of a policy with action features (`coven.games.core.links`), their parts `starts`, `places`, `slot_of`."""
    weights: np.ndarray
    """Scratch: the weight of each slot, which are its last outputs."""


@kernel
def think(observation, network):
    """All layers but the last: which row of `network.units` holds their answer, and where the last layer's bias is."""
    sizes, numbers, values, places, units = (
        network.sizes,
        network.numbers,
        network.values,
        network.places,
        network.units,
    )
    count = 0
    for i in range(sizes[0]):
        if observation[i] != 0:
            values[count], places[count] = observation[i], i
            count += 1
    here, start = 0, 0
    if sizes.size == 2:  # no hidden layer: the last one has the inputs themselves
        for j in range(units.shape[1]):
            units[here, j] = 0
        for k in range(count):
            units[here, places[k]] = values[k]
    for layer in range(1, sizes.size - 1):
        before, size, outputs = sizes[layer - 1], sizes[layer], units[1 - here]
        bias = numbers[start : start + size]
        for j in range(size):
            outputs[j] = bias[j]
        start += size
        if layer == 1:
            add_rows(values, places, count, numbers[start:], size, outputs)
        else:
            for k in range(before):
                places[k] = k
            add_rows(units[here], places, before, numbers[start:], size, outputs)
        squash(outputs, size)
        start += before * size
        here = 1 - here
    return here, start


@kernel
def add_rows(values, places, count, weights, size, outputs):
    """Add every value times its row of weights; four at a time, so that the outputs are read and written less often.

    Rows are slices, whose indices are known not to be negative: else numba makes no wide instructions.
    """
    k = 0
    while k + 4 <= count:
        a, b, c, d = places[k] * size, places[k + 1] * size, places[k + 2] * size, places[k + 3] * size
        first, second = weights[a : a + size], weights[b : b + size]
        third, fourth = weights[c : c + size], weights[d : d + size]
        w, x, y, z = values[k], values[k + 1], values[k + 2], values[k + 3]
        for j in range(size):
            outputs[j] = outputs[j] + w * first[j] + x * second[j] + y * third[j] + z * fourth[j]
        k += 4
    while k < count:
        a, w = places[k] * size, values[k]
        first = weights[a : a + size]
        for j in range(size):
            outputs[j] = outputs[j] + w * first[j]
        k += 1


# A quotient of polynomials that differs from tanh by less than 5e-7, with the coefficients that Eigen uses: it takes
# wide instructions, and does not depend on the machine's library.
_MOST = np.float32(7.90531110763549805)  # tanh is 1 from here on
_P = tuple(
    np.float32(x)
    for x in (
        -2.76076847742355e-16,
        2.00018790482477e-13,
        -8.60467152213735e-11,
        5.12229709037114e-08,
        1.48572235717979e-05,
        6.37261928875436e-04,
        4.89352455891786e-03,
    )
)
_Q = tuple(
    np.float32(x) for x in (1.19825839466702e-06, 1.18534705686654e-04, 2.26843463243900e-03, 4.89352518554385e-03)
)


@kernel
def squash(values, size):
    """The tanh of the first values."""
    for i in range(size):
        x = min(max(values[i], -_MOST), _MOST)
        y = x * x
        p = (((((_P[0] * y + _P[1]) * y + _P[2]) * y + _P[3]) * y + _P[4]) * y + _P[5]) * y + _P[6]
        q = ((_Q[0] * y + _Q[1]) * y + _Q[2]) * y + _Q[3]
        values[i] = x * p / q


@kernel
def answer(network, thought, output):
    """One output of the last layer, from what `think` gave."""
    here, start = thought
    outputs, inputs = network.sizes[-1], (network.sizes[-2] + LANES - 1) // LANES * LANES
    row = start + outputs + output * inputs
    return network.numbers[start + output] + dot(network.numbers, row, network.units[here], inputs)


def _dot_in_lanes(numbers: np.ndarray, start: int, values: np.ndarray, size: int) -> np.float32:
    """What the intrinsic does, for Python: the same sums in the same order."""
    lanes = np.zeros(LANES, np.float32)
    for k in range(0, size, LANES):
        lanes = lanes + numbers[start + k : start + k + LANES] * values[k : k + LANES]
    while len(lanes) > 1:
        lanes = lanes[: len(lanes) // 2] + lanes[len(lanes) // 2 :]
    return np.float32(lanes[0])


@intrinsic
def _dot(context: Any, numbers: Any, start: Any, values: Any, size: Any) -> Any:
    """The dot product in 16 lanes: numba would add the products up one after the other."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lanes, index = ir.VectorType(ir.FloatType(), LANES), ir.IntType(64)
        left, right = (context.make_array(signature.args[i])(context, builder, arguments[i]).data for i in (0, 2))
        start, size = arguments[1], arguments[3]

        def load(data: Any, first: Any) -> Any:
            return builder.load(builder.bitcast(builder.gep(data, [first]), lanes.as_pointer()), align=4)

        total = cgutils.alloca_once_value(builder, ir.Constant(lanes, [0.0] * LANES))
        with cgutils.for_range_slice(builder, index(0), size, index(LANES), index) as (k, _):
            product = builder.fmul(load(left, builder.add(start, k)), load(right, k))
            builder.store(builder.fadd(builder.load(total), product), total)
        summed, width = builder.load(total), LANES
        while width > 1:  # fold the upper half onto the lower
            width //= 2
            halves = [
                ir.Constant(ir.VectorType(ir.IntType(32), width), list(range(first, first + width)))
                for first in (0, width)
            ]
            nothing = ir.Constant(summed.type, ir.Undefined)
            summed = builder.fadd(*(builder.shuffle_vector(summed, nothing, half) for half in halves))
        return builder.extract_element(summed, ir.IntType(32)(0))

    return types.float32(numbers, types.int64, values, types.int64), codegen


if numba.config.DISABLE_JIT:
    dot = _dot_in_lanes
else:

    @kernel(inline=True)
    def dot(numbers, start, values, size):
        """The dot product of `size` numbers from `start` on with the first values; `size` is a multiple of `LANES`."""
        return _dot(numbers, start, values, size)
