"""Masks as words."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from coven.games.core.bits import count, find, mask_bytes, spread
from coven.games.core.drivers import avoid, pick
from coven.games.core.rng import generator


@given(st.integers(0, (1 << 64) - 1))
def test_bits_become_bytes(bits):
    mask = np.full(80, 7, np.int8)
    spread(np.uint64(bits), mask.view(np.uint64), 1)
    assert mask[8:72].tolist() == [bits >> i & 1 for i in range(64)]
    assert set(mask[:8]) | set(mask[72:]) == {7}


@given(st.lists(st.booleans(), min_size=1, max_size=500))
def test_counting_and_finding_what_is_legal(flags):
    mask = np.zeros(mask_bytes(len(flags)), np.int8)
    mask[: len(flags)] = flags
    words = mask.view(np.uint64)
    legal = [i for i, flag in enumerate(flags) if flag]
    assert count(words) == len(legal)
    assert [find(words, k) for k in range(len(legal))] == legal


def test_every_legal_action_is_picked_equally_often():
    mask = np.zeros(304, np.int8)
    mask[[3, 64, 200, 296]] = 1
    dice = generator(0)
    seen = np.bincount([pick(dice[0], mask) for _ in range(8000)], minlength=304)
    assert seen.sum() == seen[[3, 64, 200, 296]].sum()
    assert (abs(seen[[3, 64, 200, 296]] - 2000) < 200).all()


def test_idle_actions_are_avoided_unless_nothing_else_is_left():
    idle = np.array([1, 0, 0, 0, 0, 0, 0, 1], np.int8)
    mask = np.array([1, 1, 0, 0, 0, 0, 0, 0], np.int8)
    avoid(mask, idle)
    assert mask.tolist() == [0, 1, 0, 0, 0, 0, 0, 0]
    mask = np.array([1, 0, 0, 0, 0, 0, 0, 1], np.int8)
    avoid(mask, idle)
    assert mask.tolist() == [1, 0, 0, 0, 0, 0, 0, 1]
