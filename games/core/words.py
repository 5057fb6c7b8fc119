"""Many bytes at once, wherever they begin: how observations are written.

A kernel cannot see bytes as words unless they are aligned; these functions can. They do not check where they write.
Without Numba the same functions run on numpy.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic, overload
from numba.np import arrayobj

from coven.games.core.kernels import OPTIONS, kernel

_1, _8, _16, _32 = np.uint64(1), np.uint64(8), np.uint64(16), np.uint64(32)
_LOW_BYTES, _LOW_HALF, _HIGH_HALF = np.uint64(0x00FF00FF00FF00FF), np.uint64(0xFFFF), np.uint64(0xFFFF0000)

# By turn: of eight bytes, which come in fours, those that a turn shifts down; it brings the others around.
TURN_DOWN = np.array([sum(255 << 8 * i for i in range(8) if i % 4 + turn < 4) for turn in range(4)], np.uint64)
# The same for rows of four players, by their number and the observer: what comes around, too, and nobody behind them.
_SEATS_DOWN, _SEATS_UP = np.zeros((2, 5, 4), np.uint64)
for _n in range(1, 5):
    for _player in range(_n):
        for _i in range(8):
            _SEATS_DOWN[_n, _player] |= np.uint64(255 * (_i % 4 + _player < _n) << 8 * _i)
            _SEATS_UP[_n, _player] |= np.uint64(255 * (_n - _player <= _i % 4 < _n) << 8 * _i)


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


# A number of bytes that is a constant, as it is where the caller has been inlined too, becomes a few moves of 32 bytes;
# more than so many of them would become a call.
_MOVED_AT_ONCE = 512


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


def _flags(builder: Any, bits: Any, size: int) -> Any:
    """The lowest bits of a word as a vector."""
    return builder.bitcast(builder.trunc(bits, ir.IntType(size)), ir.VectorType(ir.IntType(1), size))


def _flags_writer(size: int) -> Any:
    @intrinsic
    def write(typing_context: Any, bits: Any, out: Any, at: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            place = _place(context, builder, signature.args[1], args[1], args[2], 8)
            bytes_of = ir.VectorType(ir.IntType(8), size)
            flags = builder.zext(_flags(builder, args[0], size), bytes_of)
            builder.store(flags, builder.bitcast(place, bytes_of.as_pointer()), align=1)
            return context.get_dummy_value()

        return types.void(types.uint64, out, types.int64), generate

    return write


def pairs_writer(pairs: Sequence[tuple[int, int]]) -> Any:
    """A function that writes two numbers for each of these pairs of places below 32, or twice 0 if one of them is 0."""

    @intrinsic
    def write(typing_context: Any, source: Any, i: Any, j: Any, out: Any, first: Any, second: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            source, i, j, out, *places = args
            bytes_of, number = ir.VectorType(ir.IntType(8), 32), ir.VectorType(ir.IntType(8), len(pairs))
            zeros, found = ir.Constant(number, [0] * len(pairs)), []
            for at, chosen in zip((i, j), zip(*pairs, strict=True), strict=True):
                place = _place(context, builder, signature.args[0], source, at, 8)
                row = builder.load(builder.bitcast(place, bytes_of.as_pointer()), align=1)
                order = ir.Constant(ir.VectorType(ir.IntType(32), len(pairs)), list(chosen))
                found.append(builder.shuffle_vector(row, row, order))
            both = builder.and_(*(builder.icmp_unsigned("!=", numbers, zeros) for numbers in found))
            for at, numbers in zip(places, found, strict=True):
                place = _place(context, builder, signature.args[3], out, at, 8)
                builder.store(
                    builder.select(both, numbers, zeros), builder.bitcast(place, number.as_pointer()), align=1
                )
            return context.get_dummy_value()

        place = types.int64
        return types.void(source, place, place, out, place, place), generate

    def write_pairs(source, i, j, out, first, second):
        for k, (a, b) in enumerate(pairs):
            both = source[i + a] and source[j + b]
            out[first + k], out[second + k] = (source[i + a], source[j + b]) if both else (0, 0)

    @overload(write_pairs, jit_options=OPTIONS)
    def _(source, i, j, out, first, second):
        return lambda source, i, j, out, first, second: write(source, i, j, out, first, second)

    return write_pairs


def one_hots_writer(rows: int, kinds: int) -> Any:
    """A function that writes a row of so many kinds for each byte of two words: 1 for the kind that the byte is."""

    @intrinsic
    def write(typing_context: Any, low: Any, high: Any, out: Any, at: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            low, high, out, at = args
            byte, index, number = ir.IntType(8), ir.IntType(32), rows * kinds
            words = ir.Constant(ir.VectorType(ir.IntType(64), 2), ir.Undefined)
            for k, word in enumerate((low, high)):
                words = builder.insert_element(words, word, ir.Constant(index, k))
            sixteen = builder.bitcast(words, ir.VectorType(byte, 16))
            repeated = ir.Constant(ir.VectorType(index, number), [k // kinds for k in range(number)])
            wanted = ir.Constant(ir.VectorType(byte, number), [k % kinds for k in range(number)])
            flags = builder.icmp_unsigned("==", builder.shuffle_vector(sixteen, sixteen, repeated), wanted)
            place = _place(context, builder, signature.args[2], out, at, 8)
            bytes_of = ir.VectorType(byte, number)
            builder.store(builder.zext(flags, bytes_of), builder.bitcast(place, bytes_of.as_pointer()), align=1)
            return context.get_dummy_value()

        return types.void(types.uint64, types.uint64, out, types.int64), generate

    def write_one_hots(low, high, out, at):
        values = np.array([low, high], np.uint64).view(np.uint8)[:rows]
        out[at : at + rows * kinds] = (values[:, None] == np.arange(kinds)).ravel()

    @overload(write_one_hots, jit_options=OPTIONS)
    def _(low, high, out, at):
        return lambda low, high, out, at: write(low, high, out, at)

    return write_one_hots


@intrinsic
def _copy_turned(
    typing_context: Any, source: Any, bits: Any, right: Any, down: Any, left: Any, out: Any, at: Any
) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array, bits, right, down, left, out, at = args
        as_bytes, as_words = ir.VectorType(ir.IntType(8), 32), ir.VectorType(ir.IntType(64), 4)
        zero = ir.Constant(ir.IntType(64), 0)
        read = _place(context, builder, signature.args[0], array, zero, 8)
        numbers = builder.load(builder.bitcast(read, as_bytes.as_pointer()), align=1)
        chosen = builder.and_(numbers, builder.sext(_flags(builder, bits, 32), as_bytes))
        words = builder.bitcast(chosen, as_words)

        def each(word: Any) -> Any:
            first = builder.insert_element(ir.Constant(as_words, ir.Undefined), word, ir.Constant(ir.IntType(32), 0))
            return builder.shuffle_vector(first, first, ir.Constant(ir.VectorType(ir.IntType(32), 4), [0] * 4))

        moved_down = builder.and_(builder.lshr(words, each(right)), each(down))
        moved_up = builder.and_(builder.shl(words, each(left)), each(builder.not_(down)))
        place = _place(context, builder, signature.args[5], out, at, 8)
        builder.store(builder.or_(moved_down, moved_up), builder.bitcast(place, as_words.as_pointer()), align=1)
        return context.get_dummy_value()

    word = types.uint64
    return types.void(source, word, word, word, word, out, types.int64), generate


_read8, _read4 = _reader(64), _reader(32)
_write8, _write4, _write1 = _writer(64), _writer(32), _writer(8)
_write_32, _write_16 = _flags_writer(32), _flags_writer(16)


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


def write_32(bits, out, at):
    """Write the 32 lowest bits of a set as 32 bytes of 0 or 1."""
    out[at : at + 32] = [int(bits) >> i & 1 for i in range(32)]


def write_16(bits, out, at):
    """Write the 16 lowest bits of a set as 16 bytes of 0 or 1."""
    out[at : at + 16] = [int(bits) >> i & 1 for i in range(16)]


def copy_turned(source, bits, turned, out, at):
    """Copy 32 bytes, with 0 for what is not in a set, each four of them turned by so many places."""
    numbers = [source[i] if int(bits) >> i & 1 else 0 for i in range(32)]
    out[at : at + 32] = [numbers[i - i % 4 + (i + turned) % 4] for i in range(32)]


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
    def clear(out, first, last):
        _clear(out, first, min(last - first, _MOVED_AT_ONCE))
        if last - first > _MOVED_AT_ONCE:
            _clear(out, first + _MOVED_AT_ONCE, last - first - _MOVED_AT_ONCE)

    return clear


@overload(write_32, jit_options=OPTIONS)
def _(bits, out, at):
    return lambda bits, out, at: _write_32(np.uint64(bits), out, at)


@overload(write_16, jit_options=OPTIONS)
def _(bits, out, at):
    return lambda bits, out, at: _write_16(np.uint64(bits), out, at)


@overload(copy_turned, jit_options=OPTIONS)
def _(source, bits, turned, out, at):
    def turn(source, bits, turned, out, at):
        right = _8 * np.uint64(turned)
        _copy_turned(source, np.uint64(bits), right, TURN_DOWN[np.uint8(turned)], _32 - right, out, at)

    return turn


@overload(write1, jit_options=OPTIONS)
def _(array, at, value):
    return lambda array, at, value: _write1(array, at, value)


@kernel(inline=True)
def by_seat(word, player, num_players):
    """Bytes of a word by player, at most seven, as bytes by seat: from this player on, clockwise."""
    shift, size = _8 * np.uint64(player), _8 * np.uint64(num_players)
    return ((word >> shift) | (word << (size - shift))) & ((_1 << size) - _1)


@kernel(inline=True)
def two_by_seat(first, second, player, num_players):
    """Two rows of four bytes by player, as one word of bytes by seat."""
    n, p = np.uint8(num_players), np.uint8(player)
    word, right = first | (second << _32), _8 * np.uint64(p)
    left = _8 * np.uint64(n) - right
    return ((word >> right) & _SEATS_DOWN[n, p]) | ((word << left) & _SEATS_UP[n, p])


@kernel(inline=True)
def halved(word):
    """Four numbers of 16 bits as four bytes; what is above 255 is lost."""
    pairs = (word & _LOW_BYTES) | ((word & _LOW_BYTES) >> _8)
    return (pairs & _LOW_HALF) | ((pairs >> _16) & _HIGH_HALF)


@kernel(inline=True)
def seen(observation, i):
    """A number of an observation to calculate with: differences of bytes would wrap around."""
    return np.int64(observation[i])
