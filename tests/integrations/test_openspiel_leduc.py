"""Leduc poker, a game of another package, in OpenSpiel: it is the Leduc that OpenSpiel knows, to the last chip."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import pyspiel
import pytest
from exploitability import nash_conv, uniform
from foreign_help import run, ship

import coven
import coven.envs.openspiel

RULES = coven.game("leduc")
VALUE = -0.0856  # what the first of two players wins, known from OpenSpiel
ITERATIONS = 150


def ranks(s):
    """Of the card of either player and of the one that is turned up: all that ever counts of a deal."""
    return tuple((s["deck"][:3] // 2).tolist())


def weights():
    """How many of the 120 deals there are of each kind: 8 with three ranks, 4 with a pair."""
    return Counter(tuple(card // 2 for card in cards) for cards in permutations(range(6), 3))


def seeds():
    """A seed for every four deals: two for each kind with three ranks, one for each with a pair."""
    wanted, found = weights(), []
    for seed in range(1000):
        kind = ranks(RULES.new(2, seed))
        if wanted[kind]:
            wanted[kind] -= 4
            found.append(seed)
    return found


@pytest.fixture(scope="module")
def game():
    """Two-player Leduc, paid in chips."""
    chosen = " ".join(map(str, seeds()))
    return pyspiel.load_game("coven_leduc", {"players": 2, "seeds": chosen, "rewards": "score"})


def test_thirty_deals_stand_for_all_120(game):
    """Each of the 24 kinds of deals is as frequent among them as in the deck."""
    assert game.deals == 30
    assert {kind: 4 * count for kind, count in Counter(ranks(game.deal(i)) for i in range(30)).items()} == weights()


def test_only_the_ranks_of_a_deal_count():
    """Whatever is played: who is on turn, what is legal, seen and paid."""

    def everything(s):
        player = RULES.current_player(s)
        seen = tuple(RULES.observe(s, p).tobytes() for p in range(2))
        if player is None:
            return seen, tuple(RULES.scores(s))
        after = []
        for action in RULES.legal_actions(s):
            after.append((action, RULES.clone(s)))
            RULES.apply(after[-1][1], action)
        return seen, player, tuple((action, everything(t)) for action, t in after)

    trees = {}
    for cards in permutations(range(6), 3):
        s = RULES.new(2, seed=0)
        s["deck"][:3] = cards
        trees.setdefault(ranks(s), set()).add(everything(s))
    assert len(trees) == 24
    assert all(len(different) == 1 for different in trees.values())


def solved(game):
    """What the first player wins when both play the average policy of CFR+, and how far that is from an equilibrium."""
    solver = pyspiel.CFRPlusSolver(game)
    for _ in range(ITERATIONS):
        solver.evaluate_and_update_policy()
    policy = solver.average_policy()
    returns = pyspiel.expected_returns(game.new_initial_state(), policy, -1, True)
    return returns[0], pyspiel.nash_conv(game, policy)


def test_cfr_converges_to_the_known_value_just_as_in_openspiels_own_leduc(game):
    value, distance = solved(game)
    assert value == pytest.approx(VALUE, abs=1e-3)
    assert 0 < distance < 0.02
    theirs = solved(pyspiel.load_game("leduc_poker"))  # iteration by iteration the same, but for rounding
    assert (value, distance) == pytest.approx(theirs, abs=2e-4)


def test_uniform_play_is_as_exploitable_as_in_openspiels_own_leduc(game):
    ours, theirs = (
        pyspiel.nash_conv(g, pyspiel.UniformRandomPolicy(g)) for g in (game, pyspiel.load_game("leduc_poker"))
    )
    assert ours == pytest.approx(theirs)
    assert ours == pytest.approx(nash_conv(RULES, uniform))


def test_a_broken_game_does_not_keep_the_others_from_openspiel(tmp_path):
    (ship(tmp_path, "potions") / "rules.py").write_text("import nothing_of_the_kind\n", encoding="utf-8")
    ship(tmp_path, "remedies")  # behind it
    code = """
import pyspiel, coven, coven.envs.openspiel
print(*(name for name in pyspiel.registered_names() if name.startswith("coven_")))
"""
    said = run(tmp_path, code, check=False)
    assert "the game 'potions' of the package potions_package cannot be loaded: ModuleNotFoundError" in said
    registered = {f"coven_{name}" for name in (*coven.games(), "remedies")}
    assert registered == {word for word in said.split() if word.startswith("coven_")}
