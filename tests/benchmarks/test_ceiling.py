"""The C version of Alchemists plays our Alchemists."""

from __future__ import annotations

import numpy as np
import pytest

from coven.benchmarks.ceiling import Ceiling, build, compiler
from coven.games.alchemists import GAME
from coven.games.core.errors import CovenError
from coven.games.core.rng import next_seed

pytestmark = pytest.mark.skipif(compiler() is None, reason="no C compiler here")
SEED = 7


@pytest.mark.parametrize("num_players", GAME.players)
def test_every_mask_observation_and_score_is_ours(num_players):
    masks, observations, actions, scores = Ceiling(num_players).trace(SEED, 2000)
    seed, games = SEED, 0
    s = GAME.new(num_players, seed)
    for mask, observation, action in zip(masks, observations, actions, strict=True):
        assert np.array_equal(GAME.legal_mask(s), mask)
        assert np.array_equal(GAME.observe(s, GAME.current_player(s))[: GAME.layout.raw_size], observation)
        GAME.apply(s, int(action))
        if GAME.is_over(s):
            assert GAME.scores(s) == scores[games].tolist()
            seed, games = int(next_seed(np.uint64(seed))), games + 1
            s = GAME.new(num_players, seed)
    assert games == len(scores) > 10


def test_a_source_that_does_not_compile_is_named(monkeypatch, tmp_path):
    (tmp_path / "broken.c").write_text("long play(", encoding="utf-8")
    monkeypatch.setattr("coven.benchmarks.ceiling.SOURCE", tmp_path / "broken.c")
    with pytest.raises(CovenError, match=r"does not compile broken\.c"):
        build()
