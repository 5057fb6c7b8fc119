"""The overall figure of an evaluation, by simulated games of agents whose strength is known."""

from __future__ import annotations

import numpy as np
import pytest

import coven
from coven.arena.figure import ELO, Points, figure
from coven.arena.protocol import ANCHORS, matches

GAME = coven.game("alchemists")
SCALE = {n: {"random": 200.0, "greedy": 1000.0, "ismcts:100": 1300.0, "ismcts:1000": 1500.0} for n in GAME.players}
REPEATS = 80


def simulated(rng, strength, bias=None, luck=0.0, leave_out=()):
    """An evaluation of an agent of this strength: everybody's performance in a game is strength plus Gumbel noise.

    Then any two are ahead of each other as Bradley and Terry say, and all comparisons of a game are correlated. `bias`
    is added to the strength against some opponents, `luck` is shared by all games of a deal.
    """
    found = []
    for n, opponent, deals in matches(GAME, "simulated"):
        if opponent not in ANCHORS or opponent in leave_out:
            continue
        own = (strength + (bias or {}).get(opponent, 0.0) - SCALE[n][opponent]) / ELO
        shared = luck * rng.standard_normal((deals, 1)) / ELO
        mine = own + shared + rng.gumbel(size=(deals, n))
        theirs = rng.gumbel(size=(deals, n, n - 1))
        ahead = (mine[:, :, None] > theirs).sum(axis=(1, 2)).astype(float)
        found.append(Points(n, opponent, ahead, np.full(deals, n * (n - 1.0))))
    return found


@pytest.mark.parametrize(("strength", "luck"), [(200, 0.0), (700, 0.0), (1250, 0.0), (1250, 100.0), (1600, 0.0)])
def test_the_interval_holds_the_true_rating_95_times_in_100(strength, luck):
    rng = np.random.default_rng(int(strength + luck))
    held = [
        f.overall.low <= strength <= f.overall.high
        for f in (figure(simulated(rng, strength, luck=luck), SCALE) for _ in range(REPEATS))
    ]
    assert np.mean(held) >= 0.92


def test_the_figure_is_not_biased_and_its_interval_not_wasteful():
    rng = np.random.default_rng(3)
    found = [figure(simulated(rng, 1250), SCALE).overall for _ in range(REPEATS)]
    values = np.array([one.value for one in found])
    assert abs(values.mean() - 1250) < 3 * values.std() / np.sqrt(REPEATS) + 3
    assert np.mean([one.high - one.low for one in found]) < 1.7 * 2 * 1.96 * values.std()


@pytest.mark.parametrize("left_out", [*ANCHORS, ("random", "ismcts:1000")])
def test_other_opponents_give_the_same_figure(left_out):
    """Two evaluations of one agent, the second without some opponents, on games of their own."""
    rng, gone = np.random.default_rng(5), (left_out,) if isinstance(left_out, str) else left_out
    near = 0
    for _ in range(30):
        whole = figure(simulated(rng, 1250), SCALE).overall
        part = figure(simulated(rng, 1250, leave_out=gone), SCALE).overall
        near += part.low <= whole.value <= part.high or whole.low <= part.value <= whole.high
    assert near >= 26


def test_opponents_who_disagree_widen_the_interval():
    """The truth is then the mean over all opponents that might have been asked."""
    rng, held, widths, even = np.random.default_rng(7), [], [], []
    for _ in range(REPEATS):
        bias = {name: 100 * rng.standard_normal() for name in ANCHORS}
        found = figure(simulated(rng, 1250, bias), SCALE)
        held.append(found.overall.low <= 1250 <= found.overall.high)
        widths.append(found.overall.high - found.overall.low)
        even.append(figure(simulated(rng, 1250), SCALE).overall)
    assert np.mean(held) > 0.75  # few opponents tell little about how much they differ
    assert np.mean(widths) > 1.2 * np.mean([one.high - one.low for one in even])


def test_who_always_wins_or_loses_has_a_finite_figure_with_a_wide_interval():
    for share, beyond in ((1.0, 1500), (0.0, 200)):
        points = [Points(p.players, p.opponent, share * p.of, p.of) for p in simulated(np.random.default_rng(1), 1000)]
        found = figure(points, SCALE).overall
        assert (found.value > beyond) == bool(share)
        assert np.isfinite(found.value)
        assert 100 < found.high - found.low < 5000


def test_an_agent_like_an_anchor_gets_its_rating():
    """Half of all comparisons with it alone: its rating, exactly."""
    points = [
        Points(p.players, p.opponent, 0.5 * p.of, p.of)
        for p in simulated(np.random.default_rng(1), 1000, leave_out=[a for a in ANCHORS if a != "greedy"])
    ]
    assert figure(points, SCALE).overall.value == pytest.approx(1000)
    assert figure(points, {}) is None
    assert figure(points, {2: SCALE[2]}) is None
