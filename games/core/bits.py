"""Masks as words: a mask in a kernel is a run of bytes, 0 or 1, that is a whole number of aligned 64-bit words.

So a mask buffer has `mask_bytes(num_actions)` entries, of which those behind the last action are always 0; users see
it cut to the actions.
"""

from __future__ import annotations

import numpy as np

from coven.games.core.kernels import kernel

_ONES = np.uint64(0x0101010101010101)  # 1 in each byte
EIGHT = np.array([sum((b >> i & 1) << 8 * i for i in range(8)) for b in range(256)], np.uint64)  # bits as bytes
_BYTE, _EVEN_BYTES, _ONES_16 = np.uint64(0xFF), np.uint64(0x00FF00FF00FF00FF), np.uint64(0x0001000100010001)
_8, _48, _56 = np.uint64(8), np.uint64(48), np.uint64(56)


def mask_bytes(num_actions: int) -> int:
    """The size of a mask buffer for that many actions."""
    return -(-num_actions // 8) * 8


def pad_masks(masks: np.ndarray) -> np.ndarray:
    """Masks, one in each row, as kernels want them: those of users end with the last action."""
    rows, columns = masks.shape
    if columns % 8 == 0:
        return np.ascontiguousarray(masks, np.int8)
    padded = np.zeros((rows, mask_bytes(columns)), np.int8)
    padded[:, :columns] = masks
    return padded


@kernel(inline=True)
def spread(bits, words, first):
    """Write 64 bits as 64 bytes of 0 or 1, into the eight words from `first` on."""
    for i in range(8):
        words[first + i] = EIGHT[(bits >> np.uint64(8 * i)) & _BYTE]


@kernel(inline=True)
def count(words):
    """How many bytes of a mask are 1."""
    lanes = np.uint64(0)  # eight sums side by side: enough for 255 words
    for i in range(words.size):
        lanes += words[i]
    pairs = (lanes & _EVEN_BYTES) + ((lanes >> _8) & _EVEN_BYTES)
    return np.int64((pairs * _ONES_16) >> _48)


@kernel(inline=True)
def find(words, k):
    """The position of the k-th byte that is 1, from 0."""
    i = 0
    while True:
        here = np.int64((words[i] * _ONES) >> _56)
        if k < here:
            break
        k -= here
        i += 1
    upto = words[i] * _ONES  # byte j: how many of the bytes 0..j are 1
    position = 8 * i
    for _ in range(8):
        position += np.int64(upto & _BYTE) <= k
        upto >>= _8
    return position
