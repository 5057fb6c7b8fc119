"""Leduc poker, a game in somebody else's package: its rules by example, what is hidden, and truths known elsewhere."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from exploitability import best_response, deals, likeliest, nash_conv, uniform
from leduc import GAME
from leduc.state import SUITS

from coven.envs.aec import CovenEnv
from coven.games.core.errors import IllegalAction
from coven.testing import check_env, check_game, check_same_view

JACK, QUEEN, KING, ACE, TOP = range(5)


def table(*ranks, turned_up=JACK):
    """A new game in which the seats hold these ranks, and the last is turned up in the second round."""
    s = GAME.new(len(ranks), seed=0)
    rest = list(range((len(ranks) + 1) * SUITS))
    for place, rank in enumerate((*ranks, turned_up)):
        s["deck"][place] = next(card for card in rest if card // SUITS == rank)
        rest.remove(int(s["deck"][place]))
    s["deck"][len(ranks) + 1 : len(ranks) + 1 + len(rest)] = rest
    return s


def play(s, words):
    """Make these actions; the state."""
    for word in words.split():
        GAME.apply(s, GAME.string_to_action(s, word))
    return s


def legal(s):
    return [GAME.action_to_string(s, action) for action in GAME.legal_actions(s)]


@pytest.mark.parametrize("players", GAME.players)
def test_everyone_pays_an_ante_and_gets_one_card_of_a_deck_with_one_rank_more_than_players(players):
    s = GAME.new(players, seed=3)
    assert GAME.scores(s) == [-1] * players
    assert GAME.current_player(s) == 0
    cards = s["deck"][: (players + 1) * 2].tolist()
    assert Counter(card // SUITS for card in cards) == dict.fromkeys(range(players + 1), 2)
    assert len(GAME.describe(s)["cards"]) == players


def test_without_a_bet_one_checks_or_raises_but_does_not_fold():
    assert legal(table(JACK, QUEEN)) == ["call", "raise"]
    with pytest.raises(IllegalAction):
        play(table(JACK, QUEEN), "fold")
    assert legal(play(table(JACK, QUEEN), "call")) == ["call", "raise"]
    assert legal(play(table(JACK, QUEEN), "raise")) == ["fold", "call", "raise"]


def test_a_raise_is_two_chips_in_the_first_round_and_four_in_the_second():
    s = play(table(JACK, QUEEN), "raise")
    assert s["paid"].tolist()[:2] == [3, 1]
    play(s, "call raise")
    assert s["paid"].tolist()[:2] == [7, 3]
    play(s, "raise")
    assert s["paid"].tolist()[:2] == [7, 11]


@pytest.mark.parametrize("players", GAME.players)
def test_there_are_two_raises_in_a_round_by_all_together(players):
    s = play(table(*range(players)), "raise raise")
    assert legal(s) == ["fold", "call"]
    play(s, "call " * (players - 1))
    assert GAME.describe(s)["phase"] == "second"
    assert legal(s) == ["call", "raise"]
    play(s, "call raise raise")
    assert legal(s) == ["fold", "call"]


def test_whoever_has_called_answers_a_later_raise():
    s = play(table(JACK, QUEEN, KING), "call call raise")
    assert GAME.current_player(s) == 0
    play(s, "call raise")
    assert GAME.current_player(s) == 2
    play(s, "call call")
    assert GAME.describe(s)["phase"] == "second"
    assert s["paid"][:3].tolist() == [5, 5, 5]


def test_the_second_round_begins_with_the_first_seat_that_has_not_folded():
    s = play(table(JACK, QUEEN, KING, ACE), "call raise call call fold")
    assert GAME.describe(s)["phase"] == "second"
    assert GAME.current_player(s) == 1
    play(s, "call raise fold")
    assert GAME.current_player(s) == 1


def test_the_open_card_is_turned_up_in_the_second_round():
    s = table(JACK, QUEEN, turned_up=KING)
    assert GAME.describe(s, 0)["open_card"] is None
    assert GAME.describe(play(s, "call call"), 0)["open_card"] == KING


@pytest.mark.parametrize(
    ("ranks", "turned_up", "scores"),
    [
        ((JACK, KING), QUEEN, [-1, 1]),  # the higher rank
        ((JACK, KING), JACK, [1, -1]),  # a pair beats it
        ((QUEEN, QUEEN), KING, [0, 0]),  # level: the pot is shared
        ((JACK, QUEEN, KING), ACE, [-1, -1, 2]),
        ((JACK, QUEEN, KING), QUEEN, [-1, 2, -1]),
        ((KING, QUEEN, KING, TOP), ACE, [-1, -1, -1, 3]),
        ((ACE, QUEEN, ACE, JACK), KING, [1, -1, 1, -1]),
    ],
)
def test_a_pair_with_the_open_card_wins_then_the_higher_rank(ranks, turned_up, scores):
    s = play(table(*ranks, turned_up=turned_up), "call " * 2 * len(ranks))
    assert GAME.is_over(s)
    assert GAME.scores(s) == scores


def test_the_last_who_has_not_folded_wins_whatever_the_cards():
    assert GAME.scores(play(table(JACK, KING), "raise fold")) == [1, -1]
    assert GAME.scores(play(table(JACK, KING), "raise raise fold")) == [-3, 3]
    assert GAME.scores(play(table(JACK, KING), "raise call raise fold")) == [3, -3]
    assert GAME.scores(play(table(JACK, QUEEN, KING, ACE), "call raise fold fold fold")) == [-1, 3, -1, -1]


def test_a_folded_hand_wins_nothing_at_the_showdown():
    s = play(table(KING, JACK, QUEEN, turned_up=KING), "call raise call fold call call")
    assert GAME.is_over(s)
    assert GAME.scores(s) == [-1, -3, 4]


def test_an_odd_chip_goes_to_the_lower_seat():
    s = play(table(JACK, KING, KING, turned_up=ACE), "call raise call fold call call")
    assert GAME.scores(s) == [-1, 1, 0]  # a pot of seven


@pytest.mark.parametrize("players", GAME.players)
def test_the_longest_game_and_the_highest_scores_are_as_declared(players):
    one_round = f"{'call ' * (players - 1)} raise {'call ' * (players - 2)} raise {'call ' * (players - 1)}"
    s = play(table(*range(players), turned_up=players), one_round * 2)
    assert GAME.is_over(s)
    assert s["turn"] == GAME.facts.longest[players]
    assert GAME.scores(s) == [-13] * (players - 1) + [13 * (players - 1)]


@pytest.mark.parametrize("players", GAME.players)
def test_the_generic_checks_pass(players):
    check_game(GAME, players)
    check_env(CovenEnv(GAME, players))


@pytest.mark.parametrize("players", GAME.players)
@pytest.mark.parametrize("before", [0, 1, 2])
def test_nobody_sees_a_card_of_another_or_one_that_is_not_turned_up_yet(players, before):
    """Of all cards a player knows its own, and in the second round the open one; exchange any two of the others."""
    s = play(GAME.new(players, seed=5), "call " * (before * players // 2))
    second = GAME.describe(s)["phase"] == "second"
    for player in range(players):
        hidden = [i for i in range((players + 1) * 2) if i != player and not (second and i == players)]
        for one, other in permutations(hidden, 2):
            changed = GAME.clone(s)
            changed["deck"][[one, other]] = s["deck"][[other, one]]
            check_same_view(GAME, s, changed, player)


def test_every_card_that_one_cannot_see_is_as_likely_as_any_other():
    s = play(table(JACK, KING, turned_up=QUEEN), "call call")
    drawn = Counter(int(GAME.determinize(s, 0, seed)["deck"][1]) for seed in range(2000))
    unseen = set(range(6)) - {int(s["deck"][0]), int(s["deck"][2])}
    assert set(drawn) == unseen
    assert all(abs(count - 500) < 5 * np.sqrt(2000 * 0.25 * 0.75) for count in drawn.values())


def test_two_players_have_288_information_sets():
    """As is known of Leduc without suits: 144 for each, of 120 deals."""
    known = set()

    def walk(s, history):
        player = GAME.current_player(s)
        if player is not None:
            known.add((player, GAME.observe(s, player).tobytes(), history))
            for action in GAME.legal_actions(s):
                after = GAME.clone(s)
                GAME.apply(after, action)
                walk(after, (*history, action))

    for s in deals(GAME):
        walk(s, ())
    assert Counter(player for player, *_ in known) == {0: 144, 1: 144}


def test_uniform_play_can_be_exploited_as_much_as_is_known():
    """OpenSpiel's NashConv of uniform play in its own Leduc."""
    assert nash_conv(GAME, uniform) == pytest.approx(4.747222, abs=1e-6)


def test_who_folds_to_every_raise_gives_away_its_ante_at_either_seat():
    folds = likeliest(lambda view, mask: mask * np.array([2, 1, 0]))
    assert [best_response(GAME, folds, player) for player in range(2)] == pytest.approx([1, 1])
