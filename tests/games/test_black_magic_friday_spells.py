"""The spells of Black Magic Friday: how they are built, and what each of them does."""

from __future__ import annotations

import pytest
from black_magic_friday_positions import GAME, articles, known, legal, play, position

from coven.games.core.errors import IllegalAction

COLOURS = ("purple", "red", "yellow", "green", "blue", "black")


# Building a spell.


@pytest.mark.holds("black_magic_friday", 41, 44, 46)
def test_the_rulebooks_spell_of_a_yellow_grimoire_two_yellow_and_a_mandrake_has_power_three():
    s = position("yellow grimoire, 2 yellow ingredient, mandrake", "")
    play(s, "book yellow", "add yellow", "add yellow", "add mandrake")
    assert legal(s) == ["cast 1", "cast 2", "cast 3"]


@pytest.mark.holds("black_magic_friday", 38)
def test_cards_of_a_spell_being_built_have_left_the_hand():
    s = position("yellow grimoire, 2 yellow ingredient, mandrake", "")
    d = play(s, "book yellow", "add yellow", "add mandrake")
    assert d["laid"] == {"book": "yellow grimoire", "ingredients": {"yellow ingredient": 1, "mandrake": 1}}
    assert d["hands"][0] == {"yellow ingredient": 1}
    assert (d["phase"], d["turn"], d["hand_sizes"][0]) == ("spell", 10, 1)
    assert GAME.describe(s, viewer=1)["laid"] == d["laid"]
    d = play(s, "cast 1")
    assert d["laid"] is None
    assert d["played"] == {"yellow grimoire": 1, "yellow ingredient": 1, "mandrake": 1}


@pytest.mark.holds("black_magic_friday", 37)
def test_casting_leaves_assistant_shops_and_deck_alone():
    s = position("red grimoire, red ingredient", "", shops={1: "mandrake"})
    before = GAME.describe(s)
    d = play(s, "book red", "add red", "cast 1")
    assert all(d[key] == before[key] for key in ("assistant", "shops", "deck"))
    assert d["current_player"] == 1


@pytest.mark.holds("black_magic_friday", 38, 39, 51)
@pytest.mark.parametrize(("colour", "points"), [("purple", 3), ("red", 2), ("yellow", 1), ("green", 0), ("blue", 0)])
def test_a_coloured_grimoire_takes_ingredients_of_its_colour_only(colour, points):
    ingredients = ", ".join(f"2 {c} ingredient" for c in COLOURS[:-1])
    s = position(f"{colour} grimoire, {ingredients}", "", piles={"1": "cleanse"})
    play(s, f"book {colour}")
    assert legal(s) == [f"add {colour}"]
    play(s, f"add {colour}")
    assert legal(s) == [f"add {colour}", "cast 1"]
    d = play(s, "cast 1")
    assert d["spells"][0] == [{"spell": "cleanse", "value": 1, "book": f"{colour} grimoire", "book_points": points}]
    assert d["scores"] == [1 + points, 0]


@pytest.mark.holds("black_magic_friday", 40)
def test_black_magic_takes_ingredients_of_different_colours():
    s = position("black grimoire, 2 red ingredient, 2 yellow ingredient, blue ingredient", "")
    play(s, "book black")
    assert legal(s) == ["add red", "add yellow", "add blue"]
    play(s, "add red")
    assert legal(s) == ["add yellow", "add blue", "cast 1"]  # not a second red
    play(s, "add blue")
    assert legal(s) == ["cast 1", "cast 2"]  # the order is that of the colours
    d = play(s, "cast 2")
    assert d["spells"][0][0]["book"] == "black grimoire"
    assert d["scores"][0] == 2


def test_black_magic_with_all_five_colours_has_no_room_for_a_mandrake():
    five = ", ".join(f"{c} ingredient" for c in COLOURS[:-1])
    s = position(f"black grimoire, mandrake, {five}", "")
    play(s, "book black", *(f"add {c}" for c in COLOURS[:-1]))
    assert legal(s) == [f"cast {power}" for power in range(1, 6)]


@pytest.mark.parametrize("missing", COLOURS[:-1])
def test_in_black_magic_a_mandrake_stands_for_the_colour_not_used(missing):
    """With two players for blue too, though no blue card is in the game."""
    four = [c for c in COLOURS[:-1] if c != missing]
    s = position("black grimoire, mandrake, " + ", ".join(f"{c} ingredient" for c in four), "")
    play(s, "book black", *(f"add {c}" for c in four), "add mandrake")
    assert "cast 5" in legal(s)


@pytest.mark.holds("black_magic_friday", 18, 41)
def test_a_mandrake_alone_is_an_ingredient():
    for book in ("purple", "black"):
        s = position(f"{book} grimoire, mandrake", "")
        play(s, f"book {book}", "add mandrake")
        assert legal(s) == ["cast 1"]


@pytest.mark.holds("black_magic_friday", 18, 42)
def test_a_mandrake_as_a_coloured_book_takes_one_colour():
    s = position("mandrake, 3 red ingredient, 2 blue ingredient", "")
    play(s, "book mandrake", "add red", "add red")
    assert legal(s) == ["add red", "cast 1", "cast 2"]
    d = play(s, "add red", "cast 2")
    assert d["spells"][0] == [{"spell": "fetch", "value": 2, "book": "mandrake", "book_points": 0}]
    assert d["scores"][0] == 2


@pytest.mark.holds("black_magic_friday", 42)
def test_a_mandrake_as_a_black_book_takes_different_colours():
    s = position("mandrake, 2 red ingredient, 2 yellow ingredient, blue ingredient", "")
    play(s, "book mandrake", "add red")
    assert legal(s, "add") == ["add red", "add yellow", "add blue"]
    play(s, "add yellow")
    assert legal(s, "add") == ["add blue"]
    play(s, "add blue")
    assert legal(s) == ["cast 1", "cast 2", "cast 3"]


@pytest.mark.holds("black_magic_friday", 43)
def test_only_one_mandrake_goes_into_a_spell():
    s = position("3 mandrake, red ingredient, red grimoire, black grimoire", "")
    play(s, "book mandrake")
    assert legal(s) == ["add red"]
    play(s, "add red")
    assert legal(s, "add") == []
    for book in ("red", "black"):
        s = position("3 mandrake, 2 red ingredient, red grimoire, black grimoire", "")
        play(s, f"book {book}", "add mandrake")
        assert legal(s, "add") == []  # the mandrake is the last ingredient


def test_a_book_needs_an_ingredient_that_goes_with_it():
    assert legal(position("red grimoire, blue ingredient", ""), "book") == []
    assert legal(position("red grimoire, black grimoire", ""), "book") == []
    assert legal(position("mandrake", ""), "book") == []
    assert legal(position("2 mandrake", ""), "book") == []
    assert legal(position("red ingredient", ""), "book") == []
    assert legal(position("mandrake, red grimoire", ""), "book") == ["book red"]
    assert legal(position("mandrake, black grimoire", ""), "book") == ["book black"]
    assert legal(position("black grimoire, blue ingredient", ""), "book") == ["book black"]
    assert legal(position("mandrake, blue ingredient", ""), "book") == ["book mandrake"]


def test_a_spell_without_ingredients_cannot_be_cast_nor_given_up():
    s = position("red grimoire, red ingredient", "")
    play(s, "book red")
    for move in ("cast 1", "lay down", "book red", "move 1"):
        with pytest.raises(IllegalAction):
            play(s, move)


@pytest.mark.holds("black_magic_friday", 44)
def test_more_ingredients_than_the_power_may_be_used():
    s = position("green grimoire, 7 green ingredient", "")
    play(s, "book green", *["add green"] * 7)
    assert legal(s) == [f"cast {power}" for power in range(1, 6)]
    d = play(s, "cast 1")
    assert d["played"]["green ingredient"] == 7
    assert d["scores"][0] == 1


@pytest.mark.holds("black_magic_friday", 45)
@pytest.mark.parametrize("power", [1, 2, 3, 4, 5])
def test_the_top_spell_of_the_chosen_power_is_taken(power):
    s = position("green grimoire, 5 green ingredient", "")
    before = GAME.describe(s)["piles"][str(power)]
    d = play(s, "book green", *["add green"] * 5, f"cast {power}")
    assert d["spells"][0][0] | {"spell": before[0], "value": power} == d["spells"][0][0]
    assert d["piles"][str(power)] == before[1:]
    assert d["scores"][0] == power


# Empty piles.


def test_an_empty_pile_cannot_be_chosen():
    s = position("green grimoire, 3 green ingredient", "", piles={"2": ""})
    play(s, "book green", *["add green"] * 3)
    assert legal(s) == ["cast 1", "cast 3"]


def test_with_all_piles_in_reach_empty_the_cards_are_laid_down_without_a_spell():
    s = position("purple grimoire, 3 purple ingredient", "", piles={"1": "", "2": ""}, deck="", last_rounds=1)
    play(s, "book purple", "add purple", "add purple")
    assert legal(s) == ["add purple", "lay down"]
    d = play(s, "lay down")
    assert d["spells"][0] == [{"spell": None, "value": 0, "book": "purple grimoire", "book_points": 3}]
    assert d["scores"][0] == 3
    assert d["played"] == {"purple ingredient": 2, "purple grimoire": 1}
    assert d["current_player"] == 1
    assert articles(s).sum() == 82


def test_laying_down_counts_as_a_spell_cast():
    s = position("green grimoire, green ingredient", "", piles={"1": ""}, deck="", last_rounds=1)
    play(s, "book green", "add green", "lay down", "pass")
    assert GAME.scores(s) == [0, 0]
    assert GAME.ranks(s) == [1, 2]


def test_one_more_ingredient_may_reach_a_pile_again():
    s = position("green grimoire, 3 green ingredient", "", piles={"1": "", "2": ""})
    play(s, "book green", "add green", "add green", "add green")
    assert legal(s) == ["cast 3"]


# The spells. Each is cast with a green grimoire.


def cast(s, power: int) -> dict:
    """Cast the top spell of that power."""
    return play(s, "book green", *["add green"] * power, f"cast {power}")


def hand(power: int, more: str = "") -> str:
    """A hand that can cast a spell of that power, and more."""
    return f"green grimoire, {power} green ingredient, {more}"


def lost(d: dict) -> bool:
    """Was the effect of the spell lost, and the turn with it?"""
    return (d["phase"], d["current_player"], d["turn"]) == ("turn", 1, 11)


@pytest.mark.holds("black_magic_friday", 57, 58)
def test_cleanse_removes_one_own_scroll_from_the_game():
    s = position(hand(1), "", curses=((1, 3, 3), (2,)), marker=0, piles={"1": "cleanse"})
    assert cast(s, 1)["phase"] == "discard"
    assert legal(s) == ["discard curse 1", "discard curse 3"]
    before = GAME.describe(s)["removed"]
    d = play(s, "discard curse 3")
    assert d["curses"] == [[1, 3], [2]]
    assert d["removed"] == before | {"curse 3": before["curse 3"] + 1}
    assert d["marker"] == 0
    assert d["current_player"] == 1


@pytest.mark.holds("black_magic_friday", 32)
def test_cleanse_settles_the_marker():
    s = position(hand(1), "", curses=((3,), (2,)), marker=0, piles={"1": "cleanse"})
    cast(s, 1)
    assert play(s, "discard curse 3")["marker"] == 1


@pytest.mark.parametrize("spell", ["cleanse", "bestow"])
def test_cleanse_and_bestow_are_lost_without_an_own_scroll(spell):
    s = position(hand(1), "", curses=((), (2,)), marker=1, piles={"1": spell})
    assert lost(cast(s, 1))
    assert GAME.scores(s) == [1, -2]


@pytest.mark.holds("black_magic_friday", 59)
def test_bestow_gives_one_own_scroll_to_an_opponent():
    s = position(hand(1), "", "", curses=((1, 2), (), (2,)), marker=0, piles={"1": "bestow"})
    cast(s, 1)
    assert legal(s) == ["discard curse 1", "discard curse 2"]
    d = play(s, "discard curse 2")
    assert (d["phase"], d["curses"]) == ("target", [[1, 2], [], [2]])
    assert legal(s) == ["target 1", "target 2"]
    d = play(s, "target 2")
    assert d["curses"] == [[1], [], [2, 2]]
    assert d["marker"] == 2
    assert d["current_player"] == 1


def test_both_ends_of_a_bestow_are_one_change():
    """With the scroll gone and not yet given, the holder would have had to choose between two level ones."""
    s = position(hand(1), "", "", curses=((1, 2), (2,), (2,)), marker=0, piles={"1": "bestow"})
    cast(s, 1)
    d = play(s, "discard curse 2", "target 2")
    assert d["curses"] == [[1], [2], [2, 2]]
    assert (d["marker"], d["phase"]) == (2, "turn")


def test_a_level_bestow_hands_the_marker_over():
    s = position(hand(1), "", curses=((1, 3), (2,)), marker=0, piles={"1": "bestow"})
    cast(s, 1)
    d = play(s, "discard curse 1", "target 1")
    assert d["curses"] == [[3], [1, 2]]
    assert d["marker"] == 1


def test_a_witch_who_has_passed_may_be_the_target():
    s = position(
        hand(1), "", "red ingredient", deck="", curses=((1,),), marker=0, last_rounds=2, piles={"1": "bestow swap"}
    )
    s[()].passed[2] = 1
    cast(s, 1)
    assert play(s, "discard curse 1", "target 2")["curses"] == [[], [], [1]]
    s = position(hand(1), "", "red ingredient", deck="", last_rounds=2, piles={"1": "swap"})
    s[()].passed[2] = 1
    cast(s, 1)
    assert legal(s) == ["target 2"]


@pytest.mark.holds("black_magic_friday", 60)
def test_swap_draws_a_card_and_gives_any_back():
    s = position(hand(1, "blue grimoire"), "red ingredient", "", piles={"1": "swap"})
    assert cast(s, 1)["phase"] == "target"
    assert legal(s) == ["target 1"]  # the other has no card
    d = play(s, "target 1")
    assert (d["phase"], d["hands"]) == ("return", [{"red ingredient": 1, "blue grimoire": 1}, {}, {}])
    assert legal(s) == ["return red ingredient", "return blue grimoire"]
    d = play(s, "return blue grimoire")
    assert d["hands"] == [{"red ingredient": 1}, {"blue grimoire": 1}, {}]
    assert d["current_player"] == 1


@pytest.mark.holds("black_magic_friday", 60)
def test_swap_may_give_the_drawn_card_back():
    s = position(hand(1), "red ingredient", piles={"1": "swap"})
    cast(s, 1)
    d = play(s, "target 1", "return red ingredient")
    assert d["hands"] == [{}, {"red ingredient": 1}]


def test_swap_draws_every_card_equally_likely():
    drawn = 0
    for seed in range(2000):
        s = position(hand(1), "3 red ingredient, mandrake", piles={"1": "swap"})
        cast(s, 1)
        s = GAME.determinize(s, 1, seed)  # another generator
        drawn += play(s, "target 1")["hands"][0] == {"mandrake": 1}
    assert 420 < drawn < 580  # 500 expected, four standard deviations


def test_swap_is_lost_without_an_opponent_with_a_card():
    assert lost(cast(position(hand(1, "mandrake"), "", "", piles={"1": "swap"}), 1))


@pytest.mark.holds("black_magic_friday", 61)
def test_fetch_takes_a_chosen_card_by_day_and_it_is_not_replaced():
    s = position(hand(2), "", shops={1: "mandrake, curse 2, yellow ingredient", 9: "red ingredient"})
    assert cast(s, 2)["phase"] == "fetch"
    assert legal(s) == ["fetch shop 1", "fetch shop 9"]
    d = play(s, "fetch shop 1")
    assert d["phase"] == "pick"
    assert legal(s) == ["pick yellow ingredient", "pick mandrake", "pick curse 2"]
    d = play(s, "pick mandrake")
    assert d["hands"][0] == {"mandrake": 1}
    assert d["shops"][1]["cards"] == ["yellow ingredient", "curse 2"]
    assert len(d["deck"]) == 12
    assert d["current_player"] == 1


def test_fetch_counts_shops_from_the_assistant():
    s = position(hand(2), "", shops={1: "mandrake"})
    s[()].assistant = 7
    cast(s, 2)
    assert legal(s) == ["fetch shop 4"]
    assert play(s, "fetch shop 4", "pick mandrake")["hands"][0] == {"mandrake": 1}


def test_fetch_may_take_a_scroll_and_then_settles_the_marker():
    s = position(hand(2), "", shops={1: "curse 2"}, curses=((), (2,)), marker=1)
    cast(s, 2)
    d = play(s, "fetch shop 1", "pick curse 2")
    assert d["curses"] == [[2], [2]]
    assert d["marker"] == 0
    assert d["current_player"] == 1


def test_fetch_by_night_takes_a_random_card():
    found = set()
    for seed in range(60):
        s = position(hand(2), "", shops={2: "mandrake, red ingredient, curse 1"}, deck="")
        s[()].rounds_left, s[()].last_first = 3, 0
        cast(s, 2)
        s[()].rng = seed
        d = play(s, "fetch shop 2")
        assert d["phase"] == "turn"
        assert len(d["shops"][2]["cards"]) == 2
        found.add((*d["hands"][0], *d["curses"][0]))
        assert d["marker"] == (0 if d["curses"][0] else None)
    assert found == {("mandrake",), ("red ingredient",), (1,)}


def test_fetch_by_night_shows_the_others_nothing_but_a_scroll():
    s = position(hand(2), "", shops={2: "red ingredient"})
    cast(s, 2)
    play(s, "fetch shop 2")
    assert known(s, viewer=1, owner=0) == {}
    s = position(hand(2), "", shops={2: "curse 1"})
    cast(s, 2)
    play(s, "fetch shop 2")
    assert GAME.describe(s, viewer=1)["curses"] == [[1], []]


def test_fetch_is_lost_when_all_shops_are_empty():
    assert lost(cast(position(hand(2), ""), 2))


def test_fetch_may_ask_another_for_the_marker_before_the_turn_ends():
    s = position(hand(2), "", "", shops={1: "curse 2"}, curses=((), (2,), (2,)), marker=1)
    cast(s, 2)
    d = play(s, "fetch shop 1", "pick curse 2")
    assert (d["phase"], d["current_player"]) == ("marker", 1)
    assert legal(s) == ["marker to 1", "marker to 2"]
    d = play(s, "marker to 1")
    assert (d["marker"], d["current_player"], d["turn"], len(d["deck"])) == (2, 1, 11, 12)


@pytest.mark.holds("black_magic_friday", 62)
def test_again_gives_another_turn_or_not():
    s = position(hand(3, "mandrake, red ingredient"), "", piles={"3": "again"})
    d = cast(s, 3)
    assert d["phase"] == "again"
    assert legal(s) == ["play again", "end turn"]
    other = GAME.clone(s)
    d = play(s, "play again")
    assert (d["phase"], d["current_player"], d["turn"]) == ("turn", 0, 11)
    assert legal(s) == ["move 1", "move 2", "move 3", "book mandrake"]
    d = play(s, "move 1")
    assert (d["current_player"], d["turn"]) == (1, 12)
    assert lost(play(other, "end turn"))


def test_again_may_follow_again():
    both = "green grimoire, red grimoire, 3 green ingredient, 3 red ingredient"
    s = position(both, "", piles={"3": "again again"})
    cast(s, 3)
    d = play(s, "play again", "book red", *["add red"] * 3, "cast 3", "play again")
    assert (d["current_player"], d["turn"], d["scores"][0]) == (0, 12, 8)


@pytest.mark.holds("black_magic_friday", 57, 63)
def test_haste_works_in_her_next_turns():
    s = position(hand(3), "", piles={"3": "haste"})
    assert lost(cast(s, 3))
    play(s, "move 1")
    assert legal(s, "move")[-1] == "move 4"


@pytest.mark.holds("black_magic_friday", 57, 64, 65)
@pytest.mark.parametrize(("power", "colours"), [(4, 2), (5, 0), (3, 3)])
def test_vanish_and_oblivion_work_at_the_end(power, colours):
    s = position(
        hand(power, "red ingredient, blue grimoire, mandrake"), "", deck="", last_rounds=1, piles={"3": "haste"}
    )
    cast(s, power)
    assert GAME.describe(s)["hand_sizes"][0] == 3
    d = play(s, "pass")
    assert d["scores"][0] == power - colours
    assert d["hands"][0] == {"red ingredient": 1, "blue grimoire": 1, "mandrake": 1}
