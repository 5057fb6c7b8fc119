from __future__ import annotations

import numpy as np
import pytest
from arena_help import small

from coven.arena.intervals import mean, share
from coven.arena.ratings import Games, bradley_terry, openskill, settled, standings
from coven.arena.run import run
from coven.arena.store import BadStore, Store


def games_of(tournament, folder):
    path = folder / f"{tournament.seed}.db"
    run(path, tournament)
    with Store(path) as store:
        return Games.load(store)


KNOWN = ("mix:0.5", "mix:0.1", "mix:0.9", "mix:0.3", "mix:0.7")
GROUPS, DEALS = 200, 30


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Many small tournaments of three mixtures as one of many deals, and a large one that knows the truth."""
    folder = tmp_path_factory.mktemp("table")
    one, other = (
        small(players=3, agents=("mix:0.4", "mix:0.8", "random"), deals=GROUPS * DEALS, seed=seed, block=500)
        for seed in (1, 2)
    )
    return games_of(one, folder), games_of(other, folder)


def test_agents_of_known_strength_come_out_in_order(tmp_path):
    found = standings(games_of(small(players=3, agents=KNOWN, deals=60, block=20), tmp_path))
    assert [line.agent for line in found.lines] == sorted(KNOWN, reverse=True)
    for better, worse in zip(found.lines, found.lines[1:], strict=False):
        assert better.rating.low > worse.rating.high
        assert better.win_share.value > worse.win_share.value
        assert better.reward.value > worse.reward.value
        assert better.score.value > worse.score.value
        assert found.head_to_head[better.agent, worse.agent].low > 0.5
        assert found.head_to_head[worse.agent, better.agent].high < 0.5


def cover(estimates, truth):
    return np.mean([estimate.low <= truth <= estimate.high for estimate in estimates])


def test_intervals_hold_the_truth_95_times_in_100(table):
    games, large = table
    groups = [games.of_deals(range(k * DEALS, (k + 1) * DEALS)) for k in range(GROUPS)]
    at = {
        "win": lambda g, a: share(*_by_agent(g, g.wins, a)),
        "reward": lambda g, a: mean(*_by_agent(g, g.rewards, a)),
        "score": lambda g, a: mean(*_by_agent(g, g.scores, a)),
        "margin": lambda g, a: mean(*_by_agent(g, g.margins, a)),
        "ahead": lambda g, a: share(*_head_to_head(g, a, (a + 1) % 3)),
    }
    for name, estimate in at.items():
        for agent in range(3):
            found = cover([estimate(group, agent) for group in groups], estimate(large, agent).value)
            assert 0.90 <= found <= 0.99, (name, agent, found)


def _by_agent(games, values, agent):
    return tuple(games.by(games.agents, 3, x)[:, agent] for x in (values, np.ones(values.shape)))


def _head_to_head(games, a, b):
    ahead = games.ahead()
    return ahead[:, a, b], ahead[:, a, b] + ahead[:, b, a]


def test_intervals_that_take_games_for_independent_would_be_wrong():
    deals, rng = 2000, np.random.default_rng(1)
    luck = rng.normal(size=(deals, 1)) + rng.normal(size=(deals, 4))  # four games of a deal share its luck
    whole = mean(luck.sum(axis=1), np.full(deals, 4))
    alone = mean(luck.ravel(), np.ones(luck.size))
    assert whole.value == pytest.approx(alone.value)
    assert (whole.high - whole.low) / (alone.high - alone.low) == pytest.approx(np.sqrt(1.25 / 0.5), rel=0.05)


def test_intervals_of_ratings_hold_the_truth_95_times_in_100(table):
    games, large = table
    truth = bradley_terry(large.ahead(), samples=2)
    fits = [
        bradley_terry(games.of_deals(range(k * DEALS, (k + 1) * DEALS)).ahead(), seed=k, samples=120) for k in range(80)
    ]
    for agent in range(3):
        assert cover([fit[agent] for fit in fits], truth[agent].value) >= 0.86


def test_the_order_of_equals_is_seldom_called_settled(tmp_path):
    games = games_of(small(agents=("mix:0.5", "mix:0.5000001"), deals=6400, block=400), tmp_path)
    stopped = 0
    for k in range(100):
        looks = (games.of_deals(range(64 * k, 64 * k + deals)) for deals in (32, 64))
        stopped += any(settled(group, look, 0.2) for look, group in enumerate(looks, 1))
    assert stopped <= 20 + 10  # of a hundred, at an error rate of 0.2
    assert stopped > 2  # and the test can find something


def test_ratings_are_on_the_scale_of_elo():
    ahead = np.zeros((1000, 2, 2))
    ahead[:, 0, 1], ahead[:, 1, 0] = 10, 1
    first, second = bradley_terry(ahead, samples=10)
    assert first.value - second.value == pytest.approx(400, abs=1)
    assert first.value + second.value == pytest.approx(3000)


def test_who_always_wins_has_a_finite_rating():
    ahead = np.zeros((20, 3, 3))
    ahead[:, 0, 1] = ahead[:, 0, 2] = ahead[:, 1, 2] = 1
    values = [estimate.value for estimate in bradley_terry(ahead)]
    assert np.isfinite(values).all()
    assert values == sorted(values, reverse=True)


def test_a_share_of_none_or_all_still_has_an_interval():
    for wins in (0, 1):
        found = share(np.full(50, wins), np.ones(50))
        assert found.value == wins
        assert 0.05 < found.high - found.low < 0.15


def test_one_deal_says_nothing_about_scatter(tmp_path):
    found = standings(games_of(small(deals=1), tmp_path))
    assert all(not np.isfinite(line.rating.low) and line.win_share.high == 1 for line in found.lines)


def test_numbers_are_those_of_the_games(tmp_path):
    t = small(players=3, deals=3)
    games, found = games_of(t, tmp_path), None
    found = standings(games)
    assert found.games == t.games == len(games.deals)
    for line in found.lines:
        mine = games.agents == t.agents.index(line.agent)
        assert line.games == mine.sum()
        assert line.score.value == pytest.approx(games.scores[mine].mean())
        assert line.win_share.value == pytest.approx(games.wins[mine].mean())
        assert line.milliseconds > 0
    margins = [s - np.delete(row, i).max() for row in games.scores for i, s in enumerate(row)]
    assert games.margins.ravel().tolist() == margins
    assert sum(win.value for win, _ in found.seats) == pytest.approx(1)
    a, b = t.agents[0], t.agents[3]
    assert found.head_to_head[a, b].value + found.head_to_head[b, a].value == pytest.approx(1)


def test_rewards_are_those_of_the_games(tmp_path):
    games = games_of(small(players=5, agents=("random", "greedy"), schedule="alone", deals=20), tmp_path)
    assert np.allclose(games.rewards.sum(axis=1), 0)
    sole = (games.ranks == 1).sum(axis=1) == 1
    assert (games.rewards[(games.ranks == 1) & sole[:, None]] == 1).all()


def test_copies_at_a_table_are_not_compared_with_each_other(tmp_path):
    games = games_of(small(players=3, agents=("random", "greedy"), schedule="alone"), tmp_path)
    assert (games.ahead()[:, [0, 1], [0, 1]] == 0).all()
    assert standings(games).lines[0].agent == "greedy"


def test_openskill_agrees_on_the_order(tmp_path):
    games = games_of(small(players=3, agents=KNOWN, deals=30, block=20), tmp_path)
    skills = openskill(games)
    assert sorted(skills, key=lambda agent: -skills[agent][0]) == sorted(KNOWN, reverse=True)


def test_no_games_no_table(tmp_path):
    with Store(tmp_path / "a.db", small()) as store, pytest.raises(BadStore, match="no games yet"):
        Games.load(store)
