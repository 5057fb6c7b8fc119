"""The random generator: exact, unbiased, and the same everywhere."""

from __future__ import annotations

from collections import Counter

import numba
import numpy as np
import pytest

import coven
from coven.games.core.rng import GENERATOR, below, draw_kind, generator, mix, next_bits, next_seed, shuffle


def splitmix64(state: int) -> tuple[int, int]:
    """The published algorithm, in Python's whole numbers."""
    mask = (1 << 64) - 1
    state = (state + 0x9E3779B97F4A7C15) & mask
    z = state
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
    return state, z ^ (z >> 31)


def test_the_generator_is_splitmix64():
    dice = generator(5)
    state = int(dice["rng"][0])
    for _ in range(100):
        state, expected = splitmix64(state)
        assert int(next_bits(dice[0])) == expected


def test_known_values_stay_as_they_are():
    """Seeds in papers and replays must give the same games for ever."""
    assert int(mix(np.uint64(1))) == 0x5692161D100B05E5
    assert int(next_seed(np.uint64(7))) == splitmix64(7)[1]


@pytest.mark.parametrize("n", [1, 2, 3, 6, 7, 100, 1000])
def test_bounded_draws_are_uniform(n):
    dice, samples = generator(n), 20_000
    seen = Counter(int(below(dice[0], n)) for _ in range(samples))
    assert set(seen) <= set(range(n))
    chi_square = sum((seen[k] - samples / n) ** 2 / (samples / n) for k in range(n))
    assert chi_square < n + 5 * (2 * n) ** 0.5 + 5


def test_shuffles_reach_every_order_equally_often():
    dice, samples = generator(1), 24_000
    seen: Counter[tuple[int, ...]] = Counter()
    for _ in range(samples):
        items = np.arange(5)
        shuffle(dice[0], items, 4)
        assert items[4] == 4
        seen[tuple(items[:4].tolist())] += 1
    assert len(seen) == 24
    assert sum((n - 1000) ** 2 / 1000 for n in seen.values()) < 50  # 0.1 % with 23 degrees of freedom: 49.7


def test_kinds_are_drawn_by_their_numbers():
    dice, counts, samples = generator(2), np.array([3, 0, 1]), 8000
    seen = Counter(int(draw_kind(dice[0], counts, 4)) for _ in range(samples))
    assert seen.keys() == {0, 2}
    assert abs(seen[0] - 6000) < 200
    assert counts.tolist() == [3, 0, 1]


@pytest.mark.parametrize("name", coven.games.built_in())
def test_numba_does_not_take_a_record_for_a_generator(name):
    record = numba.from_dtype(coven.game(name).record)
    assert record.can_convert_to(None, numba.from_dtype(GENERATOR)) is None
