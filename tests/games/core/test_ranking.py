"""Ranks and rewards from final scores."""

from __future__ import annotations

import numpy as np
import pytest

from coven.games.core.ranking import RANK, SCORE, WIN, rank, reward


def ranks(*rows):
    keys, out = np.array(rows, np.int32), np.zeros(len(rows), np.int64)
    rank(keys, len(rows), out)
    return out.tolist()


def rewards(kind, *rows):
    keys, out = np.array(rows, np.int32), np.zeros(len(rows), np.float32)
    reward(keys, len(rows), kind, out)
    return out.tolist()


def test_most_points_is_first_and_ties_go_to_the_tie_breaker():
    assert ranks((5, 0), (9, 0), (5, 1)) == [3, 1, 2]


def test_level_players_share_a_rank_and_the_next_is_skipped():
    assert ranks((5, 1), (5, 1), (3, 9)) == [1, 1, 3]
    assert ranks((5, 1), (3, 1), (3, 1), (1, 0)) == [1, 2, 2, 4]


def test_places_are_evenly_spread_from_plus_to_minus_one():
    assert rewards(RANK, (9, 0), (5, 0), (1, 0)) == [1, 0, -1]
    assert rewards(RANK, (9, 0), (5, 0)) == [1, -1]
    assert rewards(RANK, (1, 0), (9, 0), (5, 0), (7, 0), (3, 0)) == [-1, 1, 0, 0.5, -0.5]


def test_level_players_share_the_places_they_fill():
    assert rewards(RANK, (9, 0), (9, 0), (1, 0)) == [0.5, 0.5, -1]
    assert rewards(RANK, (9, 0), (9, 0)) == [0, 0]


def test_a_sole_winner_gets_one_and_the_others_share_the_loss():
    assert rewards(WIN, (9, 0), (5, 0), (1, 0)) == pytest.approx([1, -0.5, -0.5])
    assert rewards(WIN, (9, 0), (9, 0), (1, 0)) == pytest.approx([0.25, 0.25, -0.5])
    assert rewards(WIN, (9, 0), (9, 0)) == pytest.approx([0, 0])


def test_scores_are_paid_less_their_mean():
    assert rewards(SCORE, (9, 0), (5, 0), (1, 0)) == [4, 0, -4]
