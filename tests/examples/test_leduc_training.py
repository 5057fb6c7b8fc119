"""Training of a game without a greedy bot, paid in chips: it is measured by what the best response wins."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from exploitability import nash_conv, uniform
from leduc import GAME

from coven.agents import learned, train
from coven.agents.run import success
from coven.games.core.errors import BadOption

UPDATES = 16


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A short run with the preset, for two players."""
    torch.set_num_threads(1)
    run = train.Run.begin(GAME, tmp_path_factory.mktemp("runs") / "run", train.preset(GAME, players=[2]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(train._Clock, "time_left", property(lambda clock: clock.run.updates < UPDATES))
        patch.setattr(train, "EVALUATE_EVERY", 8)
        train.train(run, 60, quiet=True)
    return run


def test_it_is_paid_in_chips(run):
    run.env.reset()
    paid = set()
    for _ in range(10):
        _, rewards, _, _ = run.env.step(np.ones(run.env.num_envs, np.int64))  # call
        paid |= set(rewards.tolist())
    assert max(map(abs, paid)) > 1  # by rank it would be 1
    with pytest.raises(BadOption, match="rewards='gold' is not allowed"):
        train.preset(GAME, rewards="gold").check(GAME)


def test_what_it_learns_can_be_exploited_less_than_uniform_play(run):
    agent, about = learned.load(run.agent_file, GAME)
    assert about["rewards"] == "score"
    assert nash_conv(GAME, agent.probabilities) < 0.75 * nash_conv(GAME, uniform)


def test_the_agent_is_the_newest_whoever_took_most_from_random_play(run):
    for row in run.rows:
        row["mean_score"] = 10.0 - row["updates"]
    _, about = learned.load(run.agent_file, GAME)
    assert about["updates"] == run.updates == UPDATES
    run.updates += 1
    run.evaluate()
    run.save()
    assert learned.load(run.agent_file, GAME)[1]["updates"] == UPDATES + 1


def test_without_a_greedy_bot_the_others_share_its_seats():
    pool = train.Pool(GAME)
    assert sum(pool.shares.values()) == pytest.approx(1)
    assert set(pool.shares) == {"present", "past", "random"}
    assert pool.shares["random"] * train.SHARES["past"] == pytest.approx(pool.shares["past"] * train.SHARES["random"])
    assert {agent.name for agent in pool.opponents(50, np.random.default_rng(0))} == {"random"}  # until there is a self


def test_where_chips_count_they_decide_what_is_best():
    one, other = ({"players": 2, "win_share": wins, "mean_score": score} for wins, score in ((0.9, 1.0), (0.4, 2.0)))
    assert success([one], "rank") > success([other], "rank")
    assert success([one], "score") < success([other], "score")
