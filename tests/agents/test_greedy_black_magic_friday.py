"""What greedy knows of Black Magic Friday, in positions where every sensible player would do the same."""

from __future__ import annotations

from functools import partial

import agents_help
from black_magic_friday_positions import GAME, play, position

greedy_moves = partial(agents_help.greedy_moves, GAME)


ONE_OF_EACH = ", ".join(f"{colour} ingredient" for colour in ("purple", "red", "yellow", "green", "blue"))


def test_a_mandrake_and_all_five_colours_are_the_fifth_power():
    s = position(f"mandrake, {ONE_OF_EACH}", "", "", deck="8 green ingredient")
    moves = greedy_moves(s, 7)
    assert moves[0] == "book mandrake"
    assert moves[-1] == "cast 5"


def test_the_last_turn_goes_to_the_spell_worth_most():
    hand = "yellow grimoire, 2 yellow ingredient, green grimoire, 4 green ingredient"
    s = position(hand, "", deck="", last_rounds=1)
    assert greedy_moves(s, 6) == ["book green", *["add green"] * 4, "cast 4"]


def test_a_grimoire_s_points_count():
    hand = "purple grimoire, purple ingredient, green grimoire, green ingredient"
    s = position(hand, "", deck="", last_rounds=1)
    assert greedy_moves(s, 3) == ["book purple", "add purple", "cast 1"]


def test_in_the_end_spare_ingredients_are_laid_too_if_their_colour_goes():
    s = position("green grimoire, 3 green ingredient", "", deck="", last_rounds=1, piles={"2": "", "3": ""})
    assert greedy_moves(s, 5) == ["book green", *["add green"] * 3, "cast 1"]


def test_the_shop_without_the_curse_is_the_better_one():
    s = position("mandrake", "", shops={1: "yellow ingredient, curse 3", 3: "yellow ingredient"})
    assert greedy_moves(s) == ["move 3"]


def test_the_card_that_completes_a_spell_is_bought():
    s = position(
        "green grimoire, 4 green ingredient", "", "", shops={1: "yellow ingredient", 3: "green ingredient"}, deck=""
    )
    assert greedy_moves(s) == ["move 3"]


def test_in_the_last_turn_nothing_is_taken_that_would_only_cost_a_colour():
    s = position("", "", deck="", shops=dict.fromkeys(range(1, 10), "yellow ingredient"), last_rounds=1)
    assert greedy_moves(s) == ["pass"]


def test_fetch_brings_what_the_hand_lacks():
    s = position(
        "green grimoire, blue grimoire, 3 blue ingredient",
        "",
        "",
        shops={4: "red ingredient", 6: "green ingredient", 7: "mandrake"},
        spells={0: "oblivion"},
        deck="",
        last_rounds=2,
    )
    play(s, "book blue", "add blue", "add blue", "cast 2")
    assert greedy_moves(s, 2) in (["fetch shop 6", "pick green ingredient"], ["fetch shop 7", "pick mandrake"])


def test_the_marker_goes_to_the_witch_with_most_points():
    s = position("", "", "", curses=((), (2,), (2,)), shops={1: "curse 2"}, points={1: 3, 2: 9}, marker=None)
    play(s, "move 1")
    assert GAME.describe(s)["phase"] == "marker"
    assert greedy_moves(s) == ["marker to 2"]


def test_the_worst_curse_is_given_away_to_the_witch_with_most_points():
    s = position(
        "green grimoire, green ingredient",
        "",
        "",
        deck="8 green ingredient",
        curses=((1, 3), (), ()),
        marker=0,
        piles={"1": "bestow"},
        points={1: 9, 2: 3},
    )
    play(s, "book green", "add green", "cast 1")
    assert greedy_moves(s, 2) == ["discard curse 3", "target 1"]
