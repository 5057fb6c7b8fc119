"""Eight or four bytes at once, wherever they begin: how observations are written.

A kernel cannot see bytes as words unless they are aligned; these functions can. They do not check where they write.
Without Numba the same functions run on numpy.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic, overload
from numba.np import arrayobj

from coven.games.core.bits import EIGHT
from coven.games.core.kernels import OPTIONS, kernel

_0, _1, _8 = np.uint64(0), np.uint64(1), np.uint64(8)


def _place(context: Any, builder: Any, array_type: Any, array: Any, at: Any, bits: int) -> Any:
    """Where a word begins: a pointer that promises no alignment."""
    data = arrayobj.make_array(array_type)(context, builder, array).data
    start = builder.gep(builder.bitcast(data, ir.IntType(8).as_pointer()), [at])
    return builder.bitcast(start, ir.IntType(bits).as_pointer())


def _reader(bits: int) -> Any:
    @intrinsic
    def read(typing_context: Any, array: Any, at: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            place = _place(context, builder, signature.args[0], args[0], args[1], bits)
            return builder.zext(builder.load(place, align=1), ir.IntType(64))

        return types.uint64(array, types.int64), generate

    return read


def _writer(bits: int) -> Any:
    @intrinsic
    def write(typing_context: Any, array: Any, at: Any, word: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            place = _place(context, builder, signature.args[0], args[0], args[1], bits)
            builder.store(builder.trunc(args[2], ir.IntType(bits)), place, align=1)
            return context.get_dummy_value()

        return types.void(array, types.int64, types.uint64), generate

    return write


# A number of bytes that is a constant becomes a few moves of 32 bytes; it is one where the caller has been inlined, too.


@intrinsic
def _copy(typing_context: Any, source: Any, i: Any, out: Any, j: Any, size: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        read = _place(context, builder, signature.args[0], args[0], args[1], 8)
        written = _place(context, builder, signature.args[2], args[2], args[3], 8)
        byte = ir.IntType(8).as_pointer()
        memcpy = builder.module.declare_intrinsic("llvm.memcpy", [byte, byte, ir.IntType(64)])
        builder.call(memcpy, [written, read, args[4], ir.Constant(ir.IntType(1), 0)])
        return context.get_dummy_value()

    return types.void(source, types.int64, out, types.int64, types.int64), generate


@intrinsic
def _clear(typing_context: Any, out: Any, first: Any, size: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = _place(context, builder, signature.args[0], args[0], args[1], 8)
        memset = builder.module.declare_intrinsic("llvm.memset", [ir.IntType(8).as_pointer(), ir.IntType(64)])
        zero, volatile = ir.Constant(ir.IntType(8), 0), ir.Constant(ir.IntType(1), 0)
        builder.call(memset, [place, zero, args[2], volatile])
        return context.get_dummy_value()

    return types.void(out, types.int64, types.int64), generate


_read8, _read4 = _reader(64), _reader(32)
_write8, _write4, _write1 = _writer(64), _writer(32), _writer(8)


def read8(array, at):
    """The eight bytes from `at` on, as one word; `array` is of bytes."""
    return array.reshape(-1)[at : at + 8].view(np.uint64)[0]


def read4(array, at):
    """The four bytes from `at` on, as one word."""
    return np.uint64(array.reshape(-1)[at : at + 4].view(np.uint32)[0])


def write8(array, at, word):
    """Write a word as the eight bytes from `at` on."""
    array.reshape(-1)[at : at + 8].view(np.uint64)[0] = word


def write4(array, at, word):
    """Write the lower half of a word as the four bytes from `at` on."""
    array.reshape(-1)[at : at + 4].view(np.uint32)[0] = int(word) & 0xFFFFFFFF


def copy(source, i, out, j, size):
    """Copy so many bytes from `source[i]` on to `out[j]` on."""
    out[j : j + size] = source.reshape(-1)[i : i + size].view(np.uint8)


def clear(out, first, last):
    """Write 0 from `first` up to, but not including, `last`."""
    out[first:last] = 0


def write1(array, at, value):
    """Write one byte; unlike `array[at] = value` without a test whether `at` counts from the end."""
    array[at] = value


@overload(read8, jit_options=OPTIONS)
def _(array, at):
    return lambda array, at: _read8(array, at)


@overload(read4, jit_options=OPTIONS)
def _(array, at):
    return lambda array, at: _read4(array, at)


@overload(write8, jit_options=OPTIONS)
def _(array, at, word):
    return lambda array, at, word: _write8(array, at, word)


@overload(write4, jit_options=OPTIONS)
def _(array, at, word):
    return lambda array, at, word: _write4(array, at, word)


@overload(copy, jit_options=OPTIONS)
def _(source, i, out, j, size):
    return lambda source, i, out, j, size: _copy(source, i, out, j, size)


@overload(clear, jit_options=OPTIONS)
def _(out, first, last):
    return lambda out, first, last: _clear(out, first, last - first)


@overload(write1, jit_options=OPTIONS)
def _(array, at, value):
    return lambda array, at, value: _write1(array, at, value)


@kernel(inline=True)
def write_set(bits, out, first, size):
    """Write a set of so many members, 8 or more, as a byte of 0 or 1 for each; the last word overlaps."""
    for k in range(0, size - 7, 8):
        write8(out, first + k, EIGHT[(bits >> k) & 255])
    if size & 7:
        write8(out, first + size - 8, EIGHT[(bits >> (size - 8)) & 255])


@kernel(inline=True)
def by_seat(word, player, num_players):
    """Bytes of a word by player, at most seven, as bytes by seat: from this player on, clockwise."""
    shift, size = _8 * np.uint64(player), _8 * np.uint64(num_players)
    return ((word >> shift) | (word << (size - shift))) & ((_1 << size) - _1)


@kernel
def seen(observation, i):
    """A number of an observation to calculate with: differences of bytes would wrap around."""
    return np.int64(observation[i])
