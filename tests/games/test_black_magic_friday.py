"""The rules of Black Magic Friday, in the rulebook's order: set-up, the assistant, the marker, the end."""

from __future__ import annotations

import pytest
from black_magic_friday_positions import GAME, articles, cards, finish, legal, play, position

from coven.games.black_magic_friday.state import KINDS, MARKER
from coven.games.core.errors import IllegalAction
from coven.testing import random_states

PLAYERS = GAME.players
COLOURS = ("purple", "red", "yellow", "green", "blue", "black")


# The box and the set-up.


@pytest.mark.holds("black_magic_friday", 2, 11)
@pytest.mark.parametrize(("players", "in_play", "deck"), [(4, 82, 69), (3, 77, 65), (2, 56, 45)])
def test_articles_by_number_of_players(players, in_play, deck):
    s = GAME.new(players, seed=1)
    d = GAME.describe(s)
    assert articles(s).sum() == 82
    assert 82 - sum(d["removed"].values()) == in_play
    assert len(d["deck"]) == deck
    assert sum(map(len, d["piles"].values())) + 82 == 106


@pytest.mark.holds("black_magic_friday", 15, 16, 17, 18, 19, 31, 40)
def test_the_box():
    box = dict(zip(KINDS, articles(GAME.new(4, 0)), strict=True))
    assert [box[f"{c} ingredient"] for c in COLOURS[:-1]] == [3, 6, 9, 12, 12]
    assert [box[f"{c} grimoire"] for c in COLOURS] == [4, 4, 4, 4, 4, 1]
    assert box["mandrake"] == 7
    assert [box[f"curse {n}"] for n in (1, 2, 3)] == [4, 4, 4]


@pytest.mark.holds("black_magic_friday", 7)
def test_four_players_remove_nothing():
    assert GAME.describe(GAME.new(4, 0))["removed"] == {}


@pytest.mark.holds("black_magic_friday", 8)
def test_three_players_remove_one_grimoire_of_each_colour_but_black():
    assert GAME.describe(GAME.new(3, 0))["removed"] == {f"{c} grimoire": 1 for c in COLOURS[:-1]}


@pytest.mark.holds("black_magic_friday", 9)
def test_two_players_remove_all_blue_cards_and_ten_more():
    assert GAME.describe(GAME.new(2, 0))["removed"] == {
        "blue ingredient": 12,
        "purple grimoire": 2,
        "red grimoire": 2,
        "yellow grimoire": 2,
        "green grimoire": 2,
        "blue grimoire": 4,
        "mandrake": 2,
    }


@pytest.mark.holds("black_magic_friday", 1, 5, 10, 12, 13)
@pytest.mark.parametrize("players", PLAYERS)
def test_everyone_begins_with_a_mandrake_and_every_shop_but_the_assistants_with_a_card(players):
    for seed in range(20):
        d = GAME.describe(GAME.new(players, seed))
        assert d["hands"] == [{"mandrake": 1}] * players
        assert [shop["kind"] for shop in d["shops"]].count("night") == 3
        assert len(d["shops"]) == 10
        assert d["shops"][d["assistant"]] == {"kind": "day", "cards": []}
        assert sorted(len(shop["cards"]) for shop in d["shops"]) == [0] + [1] * 9
        assert d["phase"] == "turn"
        assert d["turn"] == 0
        assert d["marker"] is None
        assert d["last_rounds"] is None


@pytest.mark.holds("black_magic_friday", 3, 21)
def test_the_circle_and_the_first_player_are_drawn_by_lot():
    games = [GAME.describe(GAME.new(4, seed)) for seed in range(300)]
    assert {d["current_player"] for d in games} == {0, 1, 2, 3}
    nights = {tuple(i for i, shop in enumerate(d["shops"]) if shop["kind"] == "night") for d in games}
    assert len(nights) > 70  # of 84
    assert {i for three in nights for i in three} == set(range(1, 10))


@pytest.mark.holds("black_magic_friday", 2, 4, 14)
def test_spells_lie_in_five_shuffled_piles():
    piles = [GAME.describe(GAME.new(4, seed))["piles"] for seed in range(30)]
    for pile in piles:
        assert {power: len(spells) for power, spells in pile.items()} == {"1": 9, "2": 6, "3": 5, "4": 2, "5": 2}
        assert sorted(pile["1"]) == ["bestow"] * 3 + ["cleanse"] * 3 + ["swap"] * 3
        assert set(pile["2"]) == {"fetch"}
        assert sorted(pile["3"]) == ["again"] * 2 + ["haste"] * 3
        assert set(pile["4"]) == {"vanish"}
        assert set(pile["5"]) == {"oblivion"}
    assert {pile["1"][0] for pile in piles} == {"cleanse", "bestow", "swap"}
    assert {pile["3"][0] for pile in piles} == {"again", "haste"}


def test_there_are_73_actions():
    assert GAME.num_actions == 73


# A turn.


@pytest.mark.holds("black_magic_friday", 20)
def test_turns_go_clockwise():
    s = position("", "", "")
    assert [play(s, "move 1")["current_player"] for _ in range(4)] == [1, 2, 0, 1]


@pytest.mark.holds("black_magic_friday", 22)
def test_a_turn_is_a_move_or_a_spell():
    s = position("red grimoire, 2 red ingredient", "")
    assert {text.split()[0] for text in legal(s)} == {"move", "book"}
    assert play(s, "move 1")["current_player"] == 1


# Sending the assistant.


@pytest.mark.holds("black_magic_friday", 23)
def test_the_assistant_goes_one_to_three_shops():
    assert legal(position("", ""), "move") == ["move 1", "move 2", "move 3"]


@pytest.mark.holds("black_magic_friday", 24, 25, 27, 28, 29, 30, 36)
def test_the_rulebooks_move_of_three_takes_four_cards_and_refills_three_shops_one_by_night():
    s = position(
        "mandrake",
        "mandrake",
        shops={3: "red ingredient, blue grimoire, mandrake, green ingredient", 2: "yellow ingredient"},
        deck="purple ingredient, red grimoire, blue ingredient, 3 green ingredient",
    )
    d = play(s, "move 3")
    assert d["assistant"] == 3
    assert d["hands"][0] == {"red ingredient": 1, "green ingredient": 1, "blue grimoire": 1, "mandrake": 2}
    assert d["shops"][0]["cards"] == ["purple ingredient"]  # the shop he left comes first
    assert d["shops"][1]["cards"] == ["red grimoire"]
    assert d["shops"][2] == {"kind": "night", "cards": ["yellow ingredient", "blue ingredient"]}
    assert d["shops"][3]["cards"] == []
    assert d["deck"] == ["green ingredient"] * 3
    seen = GAME.describe(s, viewer=0)["shops"]
    assert seen[1]["cards"] == ["red grimoire"]
    assert seen[2]["cards"] == [None, None]
    assert (d["current_player"], d["turn"], d["phase"]) == (1, 11, "turn")


@pytest.mark.holds("black_magic_friday", 23, 27)
def test_the_circle_closes():
    s = position("", "")
    s[()].assistant = 9
    d = play(s, "move 2")
    assert d["assistant"] == 1
    assert [i for i, shop in enumerate(d["shops"]) if shop["cards"]] == [0, 9]


@pytest.mark.holds("black_magic_friday", 25)
def test_a_hand_has_no_limit():
    s = position("12 blue ingredient, 12 green ingredient", "", shops={1: "4 red ingredient, mandrake"})
    assert play(s, "move 1")["hand_sizes"] == [29, 0]


def test_an_empty_shop_may_be_visited():
    d = play(position("", ""), "move 2")
    assert d["hand_sizes"] == [0, 0]
    assert len(d["deck"]) == 10


@pytest.mark.holds("black_magic_friday", 26, 31)
def test_scrolls_lie_open_in_front_of_the_witch():
    d = play(position("", "", shops={1: "curse 3, curse 1, yellow ingredient"}), "move 1")
    assert d["curses"] == [[1, 3], []]
    assert d["hands"][0] == {"yellow ingredient": 1}
    assert d["marker"] == 0


def test_the_deck_runs_out_in_the_middle_of_a_refill():
    d = play(position("", "", deck="red ingredient, blue ingredient"), "move 3")
    assert [len(shop["cards"]) for shop in d["shops"]] == [1, 1, 0, 0, 0, 0, 0, 0, 0, 0]
    assert d["last_rounds"] == 3
    assert d["deck"] == []


@pytest.mark.holds("black_magic_friday", 63)
@pytest.mark.parametrize("hastes", [1, 2, 3])
def test_each_haste_lets_the_assistant_go_one_shop_further(hastes):
    s = position("", "", spells={0: "haste " * hastes})
    assert len(legal(s, "move")) == 3 + hastes
    d = play(s, f"move {3 + hastes}")
    assert d["assistant"] == 3 + hastes
    assert [len(shop["cards"]) for shop in d["shops"]][: 4 + hastes] == [1] * (3 + hastes) + [0]
    assert len(legal(s, "move")) == 3  # in her turns only


# The curse marker.


@pytest.mark.holds("black_magic_friday", 33)
def test_the_witch_with_most_curses_takes_the_marker_unasked():
    s = position("", "", "", shops={1: "curse 3"}, curses=((1,), (3,), ()), marker=1)
    d = play(s, "move 1")
    assert d["marker"] == 0
    assert (d["phase"], d["current_player"]) == ("turn", 1)


def test_a_change_that_leaves_the_holder_alone_on_top_leaves_the_marker():
    assert play(position("", "", shops={1: "curse 1"}, curses=((), (3,)), marker=1), "move 1")["marker"] == 1


@pytest.mark.holds("black_magic_friday", 34)
def test_the_holder_level_with_one_other_hands_the_marker_over():
    d = play(position("", "", "", shops={1: "curse 2"}, curses=((), (2,), ()), marker=1), "move 1")
    assert d["marker"] == 0
    assert d["phase"] == "turn"


@pytest.mark.holds("black_magic_friday", 32, 34)
def test_a_level_holder_hands_the_marker_over_at_every_change_even_of_a_third_witch():
    s = position("", "", "", "", shops={1: "curse 1", 5: "curse 1"}, curses=((), (), (3,), (3,)), marker=2)
    assert play(s, "move 1")["marker"] == 3
    s[()].assistant = 4
    assert play(s, "move 1")["marker"] == 2


@pytest.mark.holds("black_magic_friday", 32)
def test_turns_without_a_change_of_scrolls_leave_the_marker():
    d = play(position("", "", shops={1: "red ingredient"}, curses=((2,), (2,)), marker=1), "move 1")
    assert d["marker"] == 1


@pytest.mark.holds("black_magic_friday", 34)
def test_a_holder_level_with_several_decides_in_anothers_turn_before_the_refill():
    s = position("", "", "", "", shops={1: "curse 2"}, curses=((), (2,), (2,), (1,)), marker=2)
    d = play(s, "move 1")
    assert (d["phase"], d["current_player"], d["turn"]) == ("marker", 2, 10)
    assert d["shops"][0]["cards"] == []  # not refilled yet
    assert legal(s) == ["marker to 2", "marker to 3"]  # seats 0 and 1 from seat 2
    d = play(s, "marker to 2")
    assert d["marker"] == 0
    assert (d["phase"], d["current_player"], d["turn"]) == ("turn", 1, 11)
    assert len(d["shops"][0]["cards"]) == 1


def test_the_holder_may_be_the_witch_on_turn():
    s = position("", "", "", shops={1: "curse 1"}, curses=((1,), (2,), (2,)), marker=0)
    assert play(s, "move 1")["current_player"] == 0
    assert legal(s) == ["marker to 1", "marker to 2"]
    d = play(s, "marker to 1")
    assert (d["marker"], d["current_player"]) == (1, 1)


def test_a_holder_below_several_level_ones_chooses_among_them():
    s = position(
        "yellow grimoire, yellow ingredient",
        "",
        "",
        "",
        curses=((3,), (2,), (2,), (1,)),
        marker=0,
        piles={"1": "cleanse"},
    )
    d = play(s, "book yellow", "add yellow", "cast 1", "discard curse 3")
    assert (d["phase"], d["current_player"]) == ("marker", 0)
    assert legal(s) == ["marker to 1", "marker to 2"]
    d = play(s, "marker to 2")
    assert (d["marker"], d["current_player"], d["turn"]) == (2, 1, 11)


def test_with_no_curses_anywhere_nobody_holds_the_marker():
    s = position("yellow grimoire, yellow ingredient", "", curses=((2,), ()), marker=0, piles={"1": "cleanse"})
    d = play(s, "book yellow", "add yellow", "cast 1", "discard curse 2")
    assert d["marker"] is None
    assert d["removed"]["curse 2"] == 4
    assert d["scores"] == [2, 0]


def test_without_a_holder_the_marker_goes_to_the_first_cursed_witch():
    assert play(position("", "", shops={1: "curse 1"}), "move 1")["marker"] == 0


def test_all_scrolls_of_one_taking_are_one_change():
    """After the 1 alone the marker would have gone to player 2, and after the 2 from her to player 0, unasked."""
    s = position("", "", "", shops={1: "curse 1, curse 2"}, curses=((), (1,), (3,)), marker=1)
    d = play(s, "move 1")
    assert (d["phase"], d["current_player"], d["marker"]) == ("marker", 1, 1)
    assert legal(s) == ["marker to 1", "marker to 2"]


def test_with_two_players_the_marker_is_never_asked_for():
    assert all(s["phase"] != MARKER for s in random_states(GAME, 2, games=50))
    assert any(s["phase"] == MARKER for s in random_states(GAME, 3, games=50))


# The end.


@pytest.mark.holds("black_magic_friday", 47, 50)
def test_three_more_rounds_begin_with_the_next_witch_when_the_deck_is_empty():
    s = position("", "", "", deck="red ingredient", current=1)
    assert legal(s, "pass") == []
    d = play(s, "move 1")
    assert (d["last_rounds"], d["current_player"]) == (3, 2)
    order, rounds = [], []
    while not d["over"]:
        order.append(d["current_player"])
        rounds.append(d["last_rounds"])
        assert legal(s, "pass") == ["pass"]
        d = play(s, "move 1")
    assert order == [2, 0, 1] * 3
    assert rounds == [3] * 3 + [2] * 3 + [1] * 3
    assert d["last_rounds"] == 0
    assert d["phase"] == "over"
    assert d["turn"] == 20


@pytest.mark.holds("black_magic_friday", 49)
def test_passing_is_for_good():
    s = position("", "", "", deck="", last_rounds=3, last_first=0)
    d = play(s, "move 1", "pass", "move 1")
    assert d["passed"] == [False, True, False]
    assert (d["current_player"], d["last_rounds"]) == (0, 2)
    assert play(s, "move 1")["current_player"] == 2


def test_a_round_ends_though_its_first_witch_has_passed():
    s = position("", "", deck="", last_rounds=3, last_first=0)
    d = play(s, "pass", "move 1")
    assert (d["current_player"], d["last_rounds"]) == (1, 2)
    d = play(s, "move 1")
    assert (d["current_player"], d["last_rounds"]) == (1, 1)
    assert play(s, "move 1")["over"]


@pytest.mark.holds("black_magic_friday", 50)
def test_the_game_is_over_as_soon_as_all_have_passed():
    d = finish(position("", "", "", deck="", last_rounds=3))
    assert d["last_rounds"] == 0
    assert d["turn"] == 13
    assert d["passed"] == [True] * 3


def test_again_works_in_the_last_round_and_she_may_pass_in_it():
    hand = "red grimoire, 3 red ingredient"
    s = position(hand, "", deck="", last_rounds=1, last_first=0, piles={"3": "again"})
    d = play(s, "book red", "add red", "add red", "add red", "cast 3", "play again")
    assert (d["current_player"], d["phase"], d["last_rounds"], d["turn"]) == (0, "turn", 1, 11)
    assert legal(s) == ["move 1", "move 2", "move 3", "pass"]
    d = play(s, "pass")
    assert (d["current_player"], d["passed"], d["turn"]) == (1, [True, False], 12)


def test_again_in_the_very_last_turn_gives_one_more():
    hand = "red grimoire, 3 red ingredient"
    s = position("", hand, deck="", last_rounds=1, last_first=0, piles={"3": "again"}, current=1)
    d = play(s, "book red", "add red", "add red", "add red", "cast 3", "play again")
    assert not d["over"]
    assert play(s, "move 1")["over"]


@pytest.mark.holds("black_magic_friday", 35, 51, 53, 56)
def test_final_count_with_three_colours_vanish_and_the_marker():
    """The rulebook's example: one of three colours vanishes, -2 for the others and -2 for the marker."""
    hand = "2 green ingredient, green grimoire, blue grimoire, 2 mandrake"
    s = position(hand, "", deck="", last_rounds=1, spells={0: "vanish"}, points={0: 16}, curses=((3,), ()), marker=0)
    assert GAME.scores(s) == [14, 0]  # hands do not count before the end
    assert finish(s)["scores"] == [12, 0]


@pytest.mark.holds("black_magic_friday", 52, 64, 65)
@pytest.mark.parametrize(
    ("hand", "spells", "lost"),
    [
        ("", "", 0),
        ("12 green ingredient", "", 1),
        ("green ingredient, 4 green grimoire", "", 1),
        ("black grimoire", "", 1),
        ("3 mandrake", "", 1),
        ("purple ingredient, red ingredient, yellow grimoire, green grimoire, blue ingredient", "", 5),
        ("purple ingredient, red ingredient, yellow grimoire, green grimoire, blue ingredient", "vanish vanish", 3),
        (
            "purple grimoire, red grimoire, yellow grimoire, green grimoire, blue grimoire, black grimoire, mandrake",
            "",
            7,
        ),
        ("red ingredient", "vanish vanish", 0),
        ("", "vanish", 0),
        ("purple ingredient, red ingredient, yellow ingredient", "oblivion", 0),
        ("purple ingredient, red ingredient, yellow ingredient", "haste", 3),
    ],
)
def test_a_point_is_lost_for_each_colour_in_hand(hand, spells, lost):
    s = position(hand, "", deck="", last_rounds=1, spells={0: spells}, points={0: 10})
    assert finish(s)["scores"] == [10 - lost, 0]


@pytest.mark.holds("black_magic_friday", 54)
def test_most_points_win():
    d = finish(position("", "", "", deck="", last_rounds=1, points={0: 4, 1: 9, 2: 7}))
    assert d["ranks"] == [3, 1, 2]


@pytest.mark.holds("black_magic_friday", 55)
def test_most_spells_cast_breaks_a_tie():
    s = position("", "", "", deck="", last_rounds=1, spells={1: "fetch fetch", 2: "vanish"}, points={0: 4, 1: 4, 2: 4})
    d = finish(s)
    assert d["scores"] == [4, 4, 4]
    assert d["ranks"] == [3, 1, 2]
    assert GAME.returns(s) == [-1, 1, 0]


def test_a_tie_after_that_is_a_shared_win():
    s = position("", "", "", deck="", last_rounds=1, spells={1: "vanish", 2: "vanish"}, points={1: 4, 2: 4})
    assert finish(s)["ranks"] == [3, 1, 1]


def test_once_over_nothing_is_legal_and_all_hands_are_shown():
    s = position("red ingredient", "blue ingredient", deck="", shops={2: "mandrake"}, last_rounds=1)
    finish(s)
    d = GAME.describe(s, viewer=0)
    assert d["hands"] == [{"red ingredient": 1}, {"blue ingredient": 1}]
    assert d["shops"][2]["cards"] == [None]
    assert legal(s) == []
    with pytest.raises(IllegalAction, match="over"):
        play(s, "move 1")


def test_cards_reads_what_it_should():
    assert cards("2 yellow ingredient, mandrake").tolist() == [0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]
