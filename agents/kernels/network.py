"""A network in machine code: an observation goes through its layers, with tanh between them.

Written out instead of left to numpy, whose matrix products wake a thread of their own for every small batch and stall
where the cores are busy. Most numbers of an observation are 0 and are skipped; of the last layer only the outputs that
somebody asks for are computed. A search asks again and again about positions that differ little from the one where it
began, so it lets the network remember what every seat saw there (`remember`): from then on the first layer adds only
what is different. All sums have a fixed order, so that every machine gets the same answers, and yet are
made of wide instructions: over the units of a layer (`add_rows`) or in 16 lanes (`dot`). Numba would not make them: it
adds the products of a dot up one after the other, and writes and reads all outputs again for every row.
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
    seen: np.ndarray
    sums: np.ndarray
    """Observations, one for each row that can be remembered, and what the first layer makes of them; at first all are 0
    and the sums are the bias."""
    starts: np.ndarray
    about: np.ndarray
    slot_of: np.ndarray
    """Of a policy with action features (`coven.games.core.links`), their parts `starts`, `places`, `slot_of`."""
    weights: np.ndarray
    """Scratch: the weight of each slot, which are its last outputs."""


@kernel
def think(observation, network, row, rectified):
    """All layers but the last: which row of `network.units` holds their answer, and where the last layer's bias is.

    `row` is what was remembered for this kind of observation, 0 if nothing was. Behind every layer comes tanh or, if
    `rectified`, everything below 0 becomes 0.
    """
    sizes, numbers, values, places, units = (
        network.sizes,
        network.numbers,
        network.values,
        network.places,
        network.units,
    )
    count, here = differences(observation, network, row), 0
    if sizes.size == 2:  # no hidden layer: the last one has the inputs themselves
        for j in range(units.shape[1]):
            units[here, j] = 0
        for k in range(count):
            units[here, places[k]] = values[k]
        return here, 0
    size, outputs, sums = sizes[1], units[here], network.sums[row]
    for j in range(size):
        outputs[j] = sums[j]
    add_rows(values, places, count, numbers, size, size, outputs)
    squash(outputs, size, rectified)
    start = size * (sizes[0] + 1)
    for layer in range(2, sizes.size - 1):
        before, size, outputs = sizes[layer - 1], sizes[layer], units[1 - here]
        bias = numbers[start : start + size]
        for j in range(size):
            outputs[j] = bias[j]
        for k in range(before):
            places[k] = k
        start += size
        add_rows(units[here], places, before, numbers, start, size, outputs)
        squash(outputs, size, rectified)
        start += before * size
        here = 1 - here
    return here, start


@kernel
def differences(observation, network, row):
    """Write by how much an observation differs from the remembered one, and where: at how many places."""
    values, places, seen, count = network.values, network.places, network.seen[row], 0
    inputs = network.sizes[0]
    whole = inputs // 8 * 8
    words, known = observation[:whole].view(np.uint64), seen[:whole].view(np.uint64)
    for w in range(words.size):  # eight numbers at a time: most are the same
        if words[w] != known[w]:
            for i in range(8 * w, 8 * w + 8):
                if observation[i] != seen[i]:
                    values[count], places[count] = np.float32(observation[i]) - np.float32(seen[i]), i
                    count += 1
    for i in range(whole, inputs):
        if observation[i] != seen[i]:
            values[count], places[count] = np.float32(observation[i]) - np.float32(seen[i]), i
            count += 1
    return count


@kernel
def remember(observation, network, row):
    """From now on compute only what is different from this observation, in the first layer."""
    if network.sizes.size == 2:
        return
    size, seen, sums = network.sizes[1], network.seen[row], network.sums[row]
    bias = network.numbers[:size]
    for i in range(network.sizes[0]):
        seen[i] = 0
    for j in range(size):
        sums[j] = bias[j]
    count = differences(observation, network, row)
    add_rows(network.values, network.places, count, network.numbers, size, size, sums)
    for i in range(network.sizes[0]):
        seen[i] = observation[i]


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
def squash(values, size, rectified):
    """The tanh of the first values or, if `rectified`, 0 for those below."""
    if rectified:
        for i in range(size):
            values[i] = max(values[i], np.float32(0))
        return
    for i in range(size):
        x = min(max(values[i], -_MOST), _MOST)
        y = x * x
        p = (((((_P[0] * y + _P[1]) * y + _P[2]) * y + _P[3]) * y + _P[4]) * y + _P[5]) * y + _P[6]
        q = ((_Q[0] * y + _Q[1]) * y + _Q[2]) * y + _Q[3]
        values[i] = x * p / q


@kernel(inline=True)
def padded(size):
    """The next multiple of `LANES`."""
    return (size + LANES - 1) // LANES * LANES


@kernel
def answer(network, thought, output):
    """One output of the last layer, from what `think` gave."""
    here, start = thought
    inputs = padded(network.sizes[-2])
    row = start + padded(network.sizes[-1]) + output * inputs
    return network.numbers[start + output] + dot(network.numbers, row, network.units[here], inputs)


def _dot_in_lanes(numbers: np.ndarray, start: int, values: np.ndarray, size: int) -> np.float32:
    """What the intrinsic does, for Python: the same sums in the same order."""
    lanes = np.zeros(LANES, np.float32)
    for k in range(0, size, LANES):
        lanes = lanes + numbers[start + k : start + k + LANES] * values[k : k + LANES]
    while len(lanes) > 1:
        lanes = lanes[: len(lanes) // 2] + lanes[len(lanes) // 2 :]
    return np.float32(lanes[0])


_VECTOR, _INDEX = ir.VectorType(ir.FloatType(), LANES), ir.IntType(64)


def _pointers(context: Any, builder: Any, signature: Any, arguments: Any) -> list[Any]:
    """Of every argument where its numbers are, if it is an array, else the argument itself."""
    return [
        context.make_array(kind)(context, builder, value).data if isinstance(kind, types.Array) else value
        for kind, value in zip(signature.args, arguments, strict=True)
    ]


def _vector_at(builder: Any, data: Any, first: Any) -> Any:
    """Where the vector begins that has the number `first` of an array."""
    return builder.bitcast(builder.gep(data, [first]), _VECTOR.as_pointer())


@intrinsic
def _dot(context: Any, numbers: Any, start: Any, values: Any, size: Any) -> Any:
    """The dot product in 16 lanes."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        left, start, right, size = _pointers(context, builder, signature, arguments)
        total = cgutils.alloca_once_value(builder, ir.Constant(_VECTOR, [0.0] * LANES))
        with cgutils.for_range_slice(builder, _INDEX(0), size, _INDEX(LANES), _INDEX) as (k, _):
            pair = _vector_at(builder, left, builder.add(start, k)), _vector_at(builder, right, k)
            product = builder.fmul(*(builder.load(one, align=4) for one in pair))
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


def _add_rows_in_order(
    values: np.ndarray,
    places: np.ndarray,
    count: int,
    weights: np.ndarray,
    start: int,
    size: int,
    outputs: np.ndarray,
) -> None:
    """What the intrinsic does, for Python: the same sums in the same order."""
    for k in range(count):
        row = start + places[k] * size
        outputs[:size] += values[k] * weights[row : row + size]


@intrinsic
def _add_rows(
    context: Any, values: Any, places: Any, count: Any, weights: Any, start: Any, size: Any, outputs: Any
) -> Any:
    """Add rows with the sums of up to four vectors of outputs in registers."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        values, places, count, weights, start, size, outputs = _pointers(context, builder, signature, arguments)

        def some(first: Any, vectors: int) -> None:
            """So many vectors of the outputs, from the output `first` on."""
            offsets = [builder.add(first, _INDEX(LANES * i)) for i in range(vectors)]
            where = [_vector_at(builder, outputs, offset) for offset in offsets]
            sums = [cgutils.alloca_once_value(builder, builder.load(one, align=4)) for one in where]
            with cgutils.for_range(builder, count, intp=_INDEX) as loop:
                row = builder.add(start, builder.mul(builder.load(builder.gep(places, [loop.index])), size))
                value = builder.load(builder.gep(values, [loop.index]))
                one = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), value, ir.IntType(32)(0))
                same = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
                spread = builder.shuffle_vector(one, ir.Constant(_VECTOR, ir.Undefined), same)
                for offset, total in zip(offsets, sums, strict=True):
                    weight = builder.load(_vector_at(builder, weights, builder.add(row, offset)), align=4)
                    builder.store(builder.fadd(builder.load(total), builder.fmul(spread, weight)), total)
            for one, total in zip(where, sums, strict=True):
                builder.store(builder.load(total), one, align=4)

        most = _INDEX(4 * LANES)
        whole = builder.mul(builder.udiv(size, most), most)
        with cgutils.for_range_slice(builder, _INDEX(0), whole, most, _INDEX) as (first, _):
            some(first, 4)
        with cgutils.for_range_slice(builder, whole, size, _INDEX(LANES), _INDEX) as (first, _):
            some(first, 1)
        return context.get_dummy_value()

    return types.none(values, places, types.int64, weights, types.int64, types.int64, outputs), codegen


if numba.config.DISABLE_JIT:
    dot, add_rows = _dot_in_lanes, _add_rows_in_order
else:

    @kernel(inline=True)
    def dot(numbers, start, values, size):
        """The dot product of `size` numbers from `start` on with the first values; `size` is a multiple of `LANES`."""
        return _dot(numbers, start, values, size)

    @kernel
    def add_rows(values, places, count, weights, start, size, outputs):
        """Add every value times its row of weights, of which row 0 begins at `start`; `size` is as for `dot`."""
        _add_rows(values, places, count, weights, start, size, outputs)
