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


@overload(write1, jit_options=OPTIONS)
def _(array, at, value):
    return lambda array, at, value: _write1(array, at, value)


@kernel
def copy(source, i, out, j, size):
    """Copy so many bytes, 4 or more, from `source[i]` on to `out[j]` on; the last word overlaps the one before."""
    if size < 8:
        write4(out, j, read4(source, i))
        write4(out, j + size - 4, read4(source, i + size - 4))
        return
    for k in range(0, size - 7, 8):
        write8(out, j + k, read8(source, i + k))
    if size & 7:
        write8(out, j + size - 8, read8(source, i + size - 8))


@kernel
def clear(out, first, last):
    """Write 0 from `first` up to, but not including, `last`, 8 bytes or more."""
    for i in range(first, last - 63, 64):  # not all at once: a call of memset costs more than that
        for k in range(0, 64, 8):
            write8(out, i + k, _0)
    for i in range(last - (last - first) % 64, last - 7, 8):
        write8(out, i, _0)
    write8(out, last - 8, _0)


@kernel
def write_set(bits, out, first, size):
    """Write a set of so many members, 8 or more, as a byte of 0 or 1 for each; the last word overlaps."""
    for k in range(0, size - 7, 8):
        write8(out, first + k, EIGHT[(bits >> k) & 255])
    if size & 7:
        write8(out, first + size - 8, EIGHT[(bits >> (size - 8)) & 255])


@kernel
def by_seat(word, player, num_players):
    """Bytes of a word by player, at most seven, as bytes by seat: from this player on, clockwise."""
    shift, size = _8 * np.uint64(player), _8 * np.uint64(num_players)
    return ((word >> shift) | (word << (size - shift))) & ((_1 << size) - _1)


@kernel
def seen(observation, i):
    """A number of an observation to calculate with: differences of bytes would wrap around."""
    return np.int64(observation[i])
