"""The random generator of every record: splitmix64 in the 64-bit field `rng`.

All functions take any record with a field `rng`, so a policy outside of a game can use them too (see `generator`).
"""

from __future__ import annotations

import secrets

import numpy as np

from coven.games.core.errors import BadOption
from coven.games.core.kernels import kernel

# Named uint64s: numba turns int64 mixed with uint64 into float64.
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_27, _30, _31, _32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)
_LOW_32 = np.uint64(0xFFFFFFFF)
_TWO_32 = np.uint64(1 << 32)

# Not at the front, as in a game's record: numba would take the record for a generator with something added, run it
# through the code compiled for generators and warn that this is experimental.
GENERATOR = np.dtype((np.record, [("padding", np.uint64), ("rng", np.uint64)]))


@kernel
def mix(x):
    """Scramble 64 bits: a bijection whose outputs look independent."""
    x = (x ^ (x >> _30)) * _MIX_1
    x = (x ^ (x >> _27)) * _MIX_2
    return x ^ (x >> _31)


@kernel
def next_seed(seed):
    """The seed of the next game after the game with this seed, where games follow each other without new seeds."""
    return mix(seed + _GOLDEN)


@kernel
def seed_generator(s, seed):
    """Start the generator; nearby seeds give unrelated streams."""
    s.rng = mix(seed ^ _MIX_1)


@kernel
def next_bits(s):
    """The next 64 random bits."""
    s.rng += _GOLDEN
    return mix(s.rng)


@kernel
def below(s, n):
    """A uniform whole number in 0..n-1, without modulo bias (Lemire's multiplication with rejection); n < 2**32."""
    bound = np.uint64(n)
    product = (next_bits(s) >> _32) * bound
    if (product & _LOW_32) < bound:
        reject = (_TWO_32 - bound) % bound
        while (product & _LOW_32) < reject:
            product = (next_bits(s) >> _32) * bound
    return np.int64(product >> _32)


@kernel
def shuffle(s, items, count):
    """Shuffle the first `count` entries in place."""
    for i in range(count - 1, 0, -1):
        j = below(s, i + 1)
        items[i], items[j] = items[j], items[i]


@kernel
def reshuffle(s, items, count):
    """Sort, then shuffle, so that the result depends only on the generator and not on the former order.

    `determinize` uses it for orders that nobody may know: the same seed gives the same state, whatever was hidden.
    """
    for i in range(1, count):
        for j in range(i, 0, -1):
            if items[j] >= items[j - 1]:
                break
            items[j], items[j - 1] = items[j - 1], items[j]
    shuffle(s, items, count)


@kernel
def draw_kind(s, counts, total):
    """Draw one of `total` pieces that are counted by kind; returns its kind and leaves the counts unchanged."""
    k = below(s, total)
    kind = 0
    while k >= counts[kind]:
        k -= counts[kind]
        kind += 1
    return kind


def generator(seed: int) -> np.ndarray:
    """A separate random generator, as an array of one record: the `dice` of agents."""
    one = np.zeros(1, GENERATOR)
    one["rng"] = mix(np.uint64(seed))
    return one


def as_seed(seed: int | None) -> np.uint64:
    """A seed as uint64, a random one for None; BadOption for anything that is not a seed."""
    if seed is None:
        seed = secrets.randbits(64)
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or not 0 <= seed < 1 << 64:
        raise BadOption(f"seed={seed!r} is not allowed; allowed: a whole number from 0 to 2**64 - 1, or None")
    return np.uint64(seed)
