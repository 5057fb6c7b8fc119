"""The one running game behind the AEC, Gymnasium and RLlib envs."""

from __future__ import annotations

import numpy as np
import pytest

import coven
from coven.envs.running import RunningGame
from coven.games.core.errors import BadOption, IllegalAction, OutOfOrder
from coven.games.core.record import NOBODY
from coven.games.core.rng import next_seed

GAME = coven.game("alchemists")


def test_deals_without_a_seed_follow_the_last_one():
    running = RunningGame(GAME, 3)
    assert running.deal(5) == 5
    assert running.s.tobytes() == GAME.new(3, seed=5).tobytes()
    following = int(next_seed(np.uint64(5)))
    assert running.deal() == following == running.seed
    assert running.s.tobytes() == GAME.new(3, seed=following).tobytes()
    assert RunningGame(GAME).deal() != RunningGame(GAME).deal()


def test_it_shows_whoever_decides_what_the_rules_say():
    running = RunningGame(GAME, 3, "score")
    running.deal(5)
    while running.player != NOBODY:
        assert running.player == GAME.current_player(running.s)
        assert (running.mask == GAME.legal_mask(running.s)).all()
        assert (running.observation == GAME.observe(running.s, running.player)).all()
        running.step(np.int64(running.mask.argmax()))
    assert not running.mask.any()
    assert running.returns() == GAME.returns(running.s, "score")


@pytest.mark.parametrize("bad", [None, -1, 297, 10**30, 2.0, True, "draw", np.array([1])])
def test_what_is_not_a_legal_action_changes_nothing(bad):
    running = RunningGame(GAME, 3)
    running.deal(5)
    before = running.s.tobytes(), running.player, running.mask.tobytes()
    with pytest.raises(IllegalAction, match=r"allowed|not legal"):
        running.step(bad)
    assert (running.s.tobytes(), running.player, running.mask.tobytes()) == before


def test_calls_out_of_order_and_bad_options_are_refused():
    running = RunningGame(GAME)
    with pytest.raises(OutOfOrder, match="call reset"):
        running.check_begun("render()")
    with pytest.raises(OutOfOrder, match="without a running game"):
        running.check_running()
    with pytest.raises(BadOption, match="seed="):
        running.deal(-1)
    with pytest.raises(BadOption, match="rewards='gold'"):
        RunningGame(GAME, 2, "gold")
