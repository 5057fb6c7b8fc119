"""What a player of Alchemists cannot know, and what holds in every game."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from alchemists_positions import GAME, cubes, legal, play, position, shuffled_hidden

from coven.games.alchemists.state import MIX
from coven.playthrough import random_game
from coven.testing import RandomBatch, check_same_view, random_states

PLAYERS = GAME.players
SETUPS = [(n, "book") for n in PLAYERS] + [(3, "german")]


@pytest.mark.holds("alchemists", 1)
@pytest.mark.parametrize(("players", "setup"), SETUPS)
def test_all_160_cubes_are_somewhere_after_every_step_and_every_game_ends(players, setup):
    """Some two thousand games at once, without a step limit."""
    longest = 150 if (players, setup) == (3, "book") else GAME.facts.longest[players]
    games = RandomBatch(GAME, players, setup=setup)
    while games.finished.min() < 2:
        games.play()
        r = games.states
        places = [r["bag"], r["reserve"], r["removed"], r["hand"].sum(axis=1), MIX[r["potion"]].sum(axis=1)]
        assert (sum(places) == 32).all()
        assert (r["hand"].sum(axis=2) == r["hand_size"]).all()
        assert (r["known"] <= r["hand"]).all()
        assert (r["bag"].sum(axis=1) % 2 == 0).all()
        assert all(r[name].min() >= 0 for name in ("bag", "reserve", "removed", "hand", "known", "seals"))
        assert games.length.max() <= longest


@pytest.mark.parametrize("players", PLAYERS)
def test_an_exhausted_kind_never_comes_back(players):
    for seed in range(100):
        s = GAME.new(players, seed)
        gone = np.zeros(5, bool)
        for _ in random_game(GAME, s, seed):
            now = s[()].reserve == 0
            assert (now >= gone).all()
            gone = now


@pytest.mark.parametrize("players", PLAYERS)
def test_nothing_hidden_shows(players):
    rng = np.random.default_rng(players)
    changed = 0
    for s in random_states(GAME, players, games=20, every=3):
        for viewer in range(players):
            if not GAME.is_over(s):
                other = shuffled_hidden(s, viewer, rng)
                changed += other.tobytes() != s.tobytes()
                check_same_view(GAME, s, other, viewer)
                dealt = [GAME.determinize(table, viewer, changed).tobytes() for table in (s, other)]
                assert dealt[0] == dealt[1]
    assert changed > 100


@pytest.mark.holds("alchemists", 12, 13)
def test_describe_leaves_out_what_a_viewer_cannot_know():
    s = GAME.new(3, seed=2)
    d, all_seen = GAME.describe(s, viewer=1), GAME.describe(s)
    assert d["hands"] == [None, all_seen["hands"][1], None]
    assert d["schools"] == [None, all_seen["schools"][1], None]
    assert d["bag"] is None
    assert d["bag_size"] == 4
    assert d["school_rewards"] is None
    for _ in random_game(GAME, s, 2):
        pass
    assert GAME.describe(s, viewer=1) == GAME.describe(s)


@pytest.mark.parametrize("players", PLAYERS)
def test_determinized_states_keep_all_the_player_has_seen(players):
    for number, s in enumerate(random_states(GAME, players, games=20, every=3)):
        for viewer in range(players):
            r, other = s[()], GAME.determinize(s, viewer, number)[()]
            assert (other.hand[viewer] == r.hand[viewer]).all()
            assert other.school[viewer] == r.school[viewer]
            assert sorted(other.school) == [0, 1, 2, 3, 4]
            assert (other.hand >= other.known).all()
            assert (other.known == r.known).all()
            assert (other.hand_size == r.hand_size).all()
            assert (other.hand.sum(axis=1) == r.hand_size).all()
            assert (other.bag + other.hand.sum(axis=0) == r.bag + r.hand.sum(axis=0)).all()
            assert not other.unknown.any()


def test_determinize_deals_every_hand_that_is_possible_as_often_as_it_should():
    """Three blue and three grey are unknown, the rival holds two of them: 3, 9 and 3 of 15 pairs."""
    s = position("1 yellow", "1 blue 1 grey 1 green", bag="2 blue 2 grey")
    s[()].known[1] = cubes("1 green")
    samples = 20_000
    seen = Counter(int(GAME.determinize(s, 0, seed)[()].hand[1][0]) for seed in range(samples))
    expected = {0: 3 / 15 * samples, 1: 9 / 15 * samples, 2: 3 / 15 * samples}
    assert seen.keys() == expected.keys()
    chi_square = sum((seen[k] - n) ** 2 / n for k, n in expected.items())
    assert chi_square < 13.8  # 0.1 % with two degrees of freedom


def test_determinize_deals_every_school_equally_often():
    s = position("", "", "", schools=("green", "blue", "grey", "orange", "yellow"))
    samples = 4000
    seen = Counter(GAME.describe(GAME.determinize(s, 0, seed))["schools"][1] for seed in range(samples))
    assert seen.keys() == {"blue", "grey", "orange", "yellow"}
    chi_square = sum((n - samples / 4) ** 2 / (samples / 4) for n in seen.values())
    assert chi_square < 16.3  # 0.1 % with three degrees of freedom


def test_determinize_reseeds_the_generator():
    s = position("", "", bag="4 blue 4 grey 4 green 4 orange 4 yellow")
    drawn = {str(play(GAME.determinize(s, 0, seed), "draw")["hands"][0]) for seed in range(50)}
    assert len(drawn) > 5


def test_open_play_is_remembered_and_paid_first():
    s = position("2 blue", "3 green", "", potions={"grey+yellow: 1 blue": (2, 5)})
    play(s, "take blue")
    assert s[()].known[0].tolist() == [1, 0, 0, 0, 0]
    play(s, "take orange", "take grey")
    play(s, "copy grey+yellow: give blue")
    assert s[()].known[0].tolist() == [0, 1, 0, 0, 1]  # the known blue cube was paid, the products are known
    assert s[()].known[2].tolist() == [1, 1, 0, 0, 0]  # the gift is known too
    play(s, "draw")
    assert s[()].known[1].tolist() == [0, 0, 0, 1, 0]  # a draw is not seen


def test_determinize_gives_a_player_who_passed_a_hand_that_could_do_nothing():
    """Player 1 had no seal and could not pay two blue; the unknown cubes are three blue and three grey."""
    s = position(
        "1 yellow", "1 blue 1 grey", "2 blue 2 grey", reserve="", bag="", potions={"green+yellow: 2 blue": (0, 9)}
    )
    s[()].seals[1] = 0
    s[()].current = 1
    assert legal(s) == ["pass"]
    play(s, "pass")
    hands = {tuple(GAME.determinize(s, 0, seed)[()].hand[1]) for seed in range(300)}
    assert hands == {(1, 1, 0, 0, 0), (0, 2, 0, 0, 0)}


def test_a_pass_is_judged_by_what_was_open_then():
    """After the pass a potion of one blue appears; a blue cube in the hand that passed is still possible."""
    s = position("1 yellow", "1 blue", "1 blue 1 grey", reserve="", bag="", current=1, first=1)
    s[()].seals[1] = 0
    play(s, "pass", "create green+yellow: 1 blue", "value 1")
    hands = {tuple(GAME.determinize(s, 0, seed)[()].hand[1]) for seed in range(100)}
    assert hands == {(1, 0, 0, 0, 0), (0, 1, 0, 0, 0)}


def test_determinize_gives_a_player_with_seals_who_passed_only_useless_cubes():
    """One cauldron is empty and takes no blue: a hand that passed with a seal holds nothing but blue and grey."""
    potions = {
        "blue+green: 1 orange": (2, 1),
        "blue+orange: 2 yellow": (2, 2),
        "blue+yellow: 2 green": (2, 3),
        "grey+green: 2 orange": (2, 4),
        "grey+orange: 2 green 1 yellow": (2, 5),
        "grey+yellow: 2 green 2 orange": (0, 6),
        "green+orange: 2 grey 2 yellow": (0, 7),
        "green+yellow: 2 grey 2 orange": (0, 8),
        "orange+yellow: 2 grey 2 green": (0, 9),
    }
    s = position("1 yellow", "1 blue 1 grey", "1 yellow 1 blue", reserve="", bag="", potions=potions, current=1)
    assert legal(s) == ["pass"]
    play(s, "pass")
    hands = {tuple(GAME.determinize(s, 0, seed)[()].hand[1]) for seed in range(300)}
    assert hands == {(1, 1, 0, 0, 0), (2, 0, 0, 0, 0)}


def test_a_pass_is_believed_even_if_such_a_hand_is_very_unlikely():
    """Of 10 million hands of 8 cubes only one is all blue, and only with that one could player 0 do nothing."""
    easy = ("blue+grey: 1 green", "blue+green: 1 grey", "blue+orange: 1 yellow", "blue+yellow: 1 orange")
    rich = "6 grey 6 green 6 orange 6 yellow"
    potions = {potion: (1, value) for value, potion in enumerate(easy, 1)}
    s = position("8 blue", "1 blue", rich, reserve="", bag="", potions=potions, turn=30)
    s[()].seals[0] = 0
    play(s, "pass")
    for seed in range(5):
        d = GAME.describe(GAME.determinize(s, 1, seed))
        assert d["hands"][0]["blue"] == 8
        assert d["hand_sizes"] == [8, 1, 24]
        assert sum(d["hands"][2].values()) == 24
        assert d["bag_size"] == 0
