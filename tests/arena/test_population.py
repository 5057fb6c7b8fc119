"""Nash averaging, alpha-rank and cycles, on fields whose answers are known."""

from __future__ import annotations

import numpy as np
import pytest
from arena_help import small

from coven.arena.population import alpha_rank, nash, population
from coven.arena.ratings import Games
from coven.arena.report import report
from coven.arena.run import run
from coven.arena.store import Store

RING = np.array([[0.5, 0.7, 0.3], [0.3, 0.5, 0.7], [0.7, 0.3, 0.5]])
LADDER = np.array([[0.5, 0.7, 0.9], [0.3, 0.5, 0.7], [0.1, 0.3, 0.5]])


def played(shares, deals=40, games=20, seed=0):
    """Tables by deal of a field with these shares."""
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.binomial(games, shares, size=(deals, *shares.shape)), 1)
    return upper + np.tril(np.swapaxes(games * np.triu(np.ones_like(shares), 1) - upper, 1, 2))


def logit(shares):
    return np.log(shares / (1 - shares))


def test_the_best_of_a_ladder_is_the_whole_equilibrium_and_has_all_the_mass():
    assert nash(logit(LADDER)) == pytest.approx([1, 0, 0], abs=1e-3)
    assert alpha_rank(LADDER) == pytest.approx([1, 0, 0], abs=1e-6)


def test_a_ring_is_shared():
    assert nash(logit(RING)) == pytest.approx([1 / 3] * 3, abs=1e-6)
    assert alpha_rank(RING) == pytest.approx([1 / 3] * 3, abs=1e-6)


def test_rock_paper_scissors_with_unequal_stakes_has_its_textbook_equilibrium():
    stakes = np.array([[0.0, 1.0, -2.0], [-1.0, 0.0, 3.0], [2.0, -3.0, 0.0]])
    assert nash(stakes) == pytest.approx([1 / 2, 1 / 3, 1 / 6], abs=1e-4)


def test_an_agent_entered_twice_changes_nobodys_average():
    twice = np.array([0, 1, 2, 2])
    doubled = logit(RING)[np.ix_(twice, twice)]
    weights = nash(doubled)
    assert weights == pytest.approx([1 / 3, 1 / 3, 1 / 6, 1 / 6], abs=1e-5)
    assert (doubled @ weights)[:3] == pytest.approx(logit(RING) @ nash(logit(RING)), abs=1e-5)


def test_a_random_field_has_an_equilibrium_against_which_nobody_gains():
    rng = np.random.default_rng(4)
    for size in (2, 5, 12):
        noise = rng.normal(size=(size, size))
        weights = nash(noise - noise.T)
        assert weights.sum() == pytest.approx(1)
        assert ((noise - noise.T) @ weights).max() < 2e-3


def test_equal_agents_share_alike():
    assert alpha_rank(np.full((4, 4), 0.5)) == pytest.approx([0.25] * 4)
    assert nash(np.zeros((4, 4))) == pytest.approx([0.25] * 4)
    assert alpha_rank(np.full((1, 1), 0.5)) == pytest.approx([1])


def test_a_cycle_is_found_and_sure_only_with_games_enough():
    names = ("a", "b", "c")
    found = population(names, played(RING)).cycle
    assert set(found.agents) == set(names)
    assert found.sure
    assert 0.1 < found.margin.low < found.margin.value <= found.margin.high < 0.3
    few = population(names, played(0.5 + (RING - 0.5) / 10, deals=5, games=4)).cycle
    assert few is None or not few.sure
    assert population(names, played(LADDER)).cycle is None


def test_agents_who_never_met_are_taken_for_equal():
    found = population(("a", "b"), np.zeros((3, 2, 2)))
    assert [one.weight.value for one in found.standings] == pytest.approx([0.5, 0.5])
    assert found.cycle is None


def test_the_report_shows_it(tmp_path):
    t = small(deals=8)
    run(tmp_path / "t.db", t)
    with Store(tmp_path / "t.db") as store:
        games = Games.load(store)
        text = report(store, tmp_path / "r").read_text(encoding="utf-8")
    best = max(population(t.agents, games.ahead(), t.seed).standings, key=lambda one: one.alpha.value)
    assert best.agent == "greedy"
    assert "Nash" in text
    assert "alpha-rank" in text
    assert "no cycle" in text
