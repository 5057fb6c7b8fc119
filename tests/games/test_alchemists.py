"""The rules of Alchemists, in the rulebook's order."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from alchemists_positions import COLOURS, GAME, cubes, legal, play, position

from coven.games.core.errors import BadOption, IllegalAction

PLAYERS = GAME.players


# Set-up.


@pytest.mark.holds("alchemists", 1, 8, 9, 10, 11)
@pytest.mark.parametrize(
    ("players", "setup", "bag", "reserve"),
    [(2, "book", 6, 10), (3, "book", 8, 12), (3, "german", 10, 12), (4, "book", 12, 16), (5, "book", 14, 18)]
    + [(n, "german", bag, reserve) for n, bag, reserve in ((2, 6, 10), (4, 12, 16), (5, 14, 18))],
)
def test_bag_and_reserve_by_number_of_players(players, setup, bag, reserve):
    d = GAME.describe(GAME.new(players, seed=3, setup=setup))
    assert set(d["reserve"].values()) == {reserve}
    assert d["bag_size"] == 5 * bag - 12 * players
    assert set(d["removed"].values()) == {32 - bag - reserve}
    assert d["options"] == {"setup": setup}


@pytest.mark.holds("alchemists", 2, 3, 4, 7, 12, 13)
@pytest.mark.parametrize("players", PLAYERS)
def test_everyone_draws_twelve_cubes_a_school_and_five_seals(players):
    d = GAME.describe(GAME.new(players, seed=4))
    assert d["hand_sizes"] == [12] * players
    assert [sum(hand.values()) for hand in d["hands"]] == [12] * players
    assert len(set(d["schools"])) == players
    assert d["seals"] == [5] * players
    assert d["scores"] == [0] * players
    assert d["tiles"] == list(range(1, 11))
    assert d["current_player"] == d["first_player"]


@pytest.mark.holds("alchemists", 14)
@pytest.mark.parametrize("players", PLAYERS)
def test_the_first_player_is_drawn_by_lot(players):
    firsts = [GAME.describe(GAME.new(players, seed))["first_player"] for seed in range(100)]
    assert set(firsts) == set(range(players))


def test_an_unknown_setup_is_refused():
    with pytest.raises(BadOption, match="'book' or 'german'"):
        GAME.new(3, setup="french")


# Create.


@pytest.mark.holds("alchemists", 20, 26, 27, 29)
def test_abigail_creates_a_potion_worth_nine():
    s = position("3 blue 2 grey 1 orange", "1 blue", "1 grey")
    before = GAME.describe(s)
    d = play(s, "create green+yellow: 2 blue 2 grey 1 orange")
    assert d["phase"] == "value"
    assert d["current_player"] == 0
    assert d["cauldrons"][8] == {
        "produces": ["green", "yellow"],
        "owner": 0,
        "recipe": {"blue": 2, "grey": 2, "orange": 1},
        "value": None,
    }
    assert d["seals"][0] == 4
    assert 9 in d["tiles"]
    assert d["scores"][0] == 0
    assert d["turn"] == before["turn"]
    d = play(s, "value 9")
    assert d["cauldrons"][8]["value"] == 9
    assert d["scores"] == [9, 0, 0]
    assert d["tiles"] == [1, 2, 3, 4, 5, 6, 7, 8, 10]
    assert d["hands"][0] == {"blue": 1, "grey": 0, "green": 1, "orange": 0, "yellow": 1}
    assert d["reserve"]["yellow"] == before["reserve"]["yellow"] - 1
    assert d["reserve"]["green"] == before["reserve"]["green"] - 1
    assert d["removed"] == before["removed"]
    assert d["current_player"] == 1
    assert d["turn"] == before["turn"] + 1


@pytest.mark.holds("alchemists", 21, 22, 23)
def test_a_recipe_never_holds_what_its_cauldron_produces_nor_three_alike_nor_six_cubes():
    s = position("6 blue 6 grey 6 green 6 orange 6 yellow", "", "")
    for text in legal(s, "create"):
        produces, mix = text.removeprefix("create ").split(": ")
        counts = cubes(mix)
        assert not any(counts[COLOURS.index(c)] for c in produces.split("+"))
        assert counts.max() <= 2
        assert 1 <= counts.sum() <= 5
    assert len(legal(s, "create")) == 250


@pytest.mark.holds("alchemists", 21)
def test_only_cubes_in_hand_can_be_used():
    s = position("1 blue 2 green", "", "")
    mixes = {text.split(": ")[1] for text in legal(s, "create")}
    assert mixes == {"1 blue", "1 green", "2 green", "1 blue 1 green", "1 blue 2 green"}


@pytest.mark.holds("alchemists", 24)
def test_a_mix_that_stands_somewhere_cannot_be_created_again():
    s = position("2 blue", "", "", potions={"grey+green: 1 blue": (1, 4)})
    assert legal(s, "create") != []
    assert not [text for text in legal(s, "create") if text.endswith(": 1 blue")]
    assert [text for text in legal(s, "create") if text.endswith(": 2 blue")]


@pytest.mark.holds("alchemists", 20)
def test_a_filled_cauldron_cannot_be_used_again():
    s = position("2 blue", "", "", potions={"grey+green: 1 orange": (0, 4)})
    assert not [text for text in legal(s) if text.startswith("create grey+green")]


@pytest.mark.holds("alchemists", 50)
def test_creating_needs_a_seal():
    s = position("2 blue", "", "")
    s[()].seals[0] = 0
    assert legal(s, "create") == []


@pytest.mark.holds("alchemists", 28)
def test_products_that_the_reserve_lacks_are_not_received():
    s = position("2 blue", "", "", reserve="3 blue 3 orange 3 yellow")
    d = play(s, "create grey+yellow: 2 blue", "value 3")
    assert d["hands"][0] == {"blue": 0, "grey": 0, "green": 0, "orange": 0, "yellow": 1}


@pytest.mark.holds("alchemists", 25)
def test_each_tile_is_used_once():
    s = position("1 blue", "1 grey", "", potions={"grey+green: 2 blue": (1, 9)})
    play(s, "create grey+orange: 1 blue")
    assert legal(s) == [f"value {v}" for v in (1, 2, 3, 4, 5, 6, 7, 8, 10)]


# Copy.


@pytest.mark.holds("alchemists", 32, 33, 34, 35, 36)
def test_merlin_copies_abigails_potion_and_gives_her_a_grey():
    potion = {"green+yellow: 2 blue 2 grey 1 orange": (0, 9)}
    s = position("", "3 blue 2 grey 2 orange", "", potions=potion, current=1)
    before = GAME.describe(s)
    d = play(s, "copy green+yellow: give grey")
    assert d["hands"][0] == {"blue": 0, "grey": 1, "green": 0, "orange": 0, "yellow": 0}
    assert d["hands"][1] == {"blue": 1, "grey": 0, "green": 1, "orange": 1, "yellow": 1}
    assert d["scores"] == [0, 9, 0]
    out = {colour: d["removed"][colour] - before["removed"][colour] for colour in COLOURS}
    assert out == {"blue": 2, "grey": 1, "green": 0, "orange": 1, "yellow": 0}
    assert d["cauldrons"] == before["cauldrons"]
    assert d["current_player"] == 2


@pytest.mark.holds("alchemists", 33)
def test_the_copier_may_give_any_kind_of_the_mix():
    s = position("", "2 blue 1 orange", "", potions={"green+yellow: 2 blue 1 orange": (0, 9)}, current=1)
    assert legal(s, "copy") == ["copy green+yellow: give blue", "copy green+yellow: give orange"]


@pytest.mark.holds("alchemists", 30, 49)
def test_nobody_copies_the_own_potion():
    s = position("2 blue 1 orange", "", "", potions={"green+yellow: 2 blue 1 orange": (0, 9)})
    assert legal(s, "copy") == []


@pytest.mark.holds("alchemists", 31)
def test_the_exact_mix_is_needed():
    s = position("", "1 blue 5 orange", "", potions={"green+yellow: 2 blue 1 orange": (0, 9)}, current=1)
    assert legal(s, "copy") == []


def test_a_potion_may_be_copied_again_and_again():
    s = position("1 grey", "4 blue", potions={"green+yellow: 1 blue": (0, 9)}, current=1)
    d = play(s, "copy green+yellow: give blue", "take grey", "copy green+yellow: give blue")
    assert d["scores"] == [0, 18]


def test_the_cube_of_a_one_cube_recipe_goes_to_the_creator():
    s = position("", "1 blue", "", potions={"green+yellow: 1 blue": (0, 2)}, current=1)
    before = GAME.describe(s)["removed"]
    d = play(s, "copy green+yellow: give blue")
    assert d["hands"][0]["blue"] == 1
    assert d["removed"] == before


def test_copying_takes_products_only_as_far_as_the_reserve_has_them():
    s = position(
        "", "1 blue", "", potions={"green+yellow: 1 blue": (0, 2)}, current=1, reserve="1 blue 1 grey 1 yellow"
    )
    d = play(s, "copy green+yellow: give blue")
    assert d["hands"][1] == {"blue": 0, "grey": 0, "green": 0, "orange": 0, "yellow": 1}


# Take, and pass.


@pytest.mark.holds("alchemists", 37)
def test_take_one_cube_of_choice_from_the_reserve():
    s = position("", "", "", reserve="1 blue 2 green 1 orange")
    assert legal(s, "take") == ["take blue", "take green", "take orange"]
    d = play(s, "take green")
    assert d["hands"][0]["green"] == 1
    assert d["reserve"]["green"] == 1


@pytest.mark.holds("alchemists", 37, 38)
def test_draw_two_cubes_from_the_bag():
    s = position("", "", "", bag="1 blue 1 yellow")
    d = play(s, "draw")
    assert d["hands"][0] == {"blue": 1, "grey": 0, "green": 0, "orange": 0, "yellow": 1}
    assert d["bag_size"] == 0
    assert "draw" not in legal(s)


@pytest.mark.holds("alchemists", 17)
def test_pass_is_legal_only_where_nothing_else_is():
    stuck = {"reserve": "", "bag": "", "potions": {"green+yellow: 2 blue": (1, 9)}}
    s = position("1 blue", "", "", **stuck)
    assert legal(s, "create")
    assert not legal(s, "pass")
    s[()].seals[0] = 0
    assert legal(s) == ["pass"]
    d = play(s, "pass")
    assert d["current_player"] == 1
    assert d["turn"] == 11
    can_copy = position("2 blue", "", "", **stuck)
    can_copy[()].seals[0] = 0
    assert legal(can_copy) == ["copy green+yellow: give blue"]


def test_a_forced_pass_can_be_the_last_turn():
    s = position("1 blue", "", "", reserve="", bag="", current=2, first=0)
    d = play(s, "pass")
    assert d["over"]


@pytest.mark.holds("alchemists", 16, 18)
def test_turns_go_clockwise_from_the_first_player():
    s, order = GAME.new(4, seed=2), []
    for move in ("draw", "take blue", "draw", "take grey", "draw"):
        order.append(GAME.current_player(s))
        play(s, move)
    first = GAME.describe(s)["first_player"]
    assert order == [(first + i) % 4 for i in range(5)]


# Two players.


@pytest.mark.holds("alchemists", 19)
def test_two_players_begin_with_a_potion_worth_five_or_more():
    s = GAME.new(2, seed=5)
    assert {text.split()[0] for text in legal(s)} == {"create"}
    play(s, legal(s)[0])
    assert legal(s) == [f"value {v}" for v in range(5, 11)]
    play(s, "value 5")
    assert {"create", "take", "draw"} <= {text.split()[0] for text in legal(s)}
    play(s, next(text for text in legal(s, "create")))
    assert legal(s)[0] == "value 1"


@pytest.mark.holds("alchemists", 17)
@pytest.mark.parametrize("players", [3, 4, 5])
def test_more_players_begin_as_they_like(players):
    assert {"create", "take", "draw"} == {text.split()[0] for text in legal(GAME.new(players, seed=5))}


# The end.


@pytest.mark.holds("alchemists", 39)
def test_the_game_ends_only_when_the_turn_is_back_at_the_first_player():
    s = position("", "", "", reserve="1 blue 1 grey 1 green", current=0, first=1)
    s[()].reserve[:] = cubes("1 blue 2 grey 2 green")
    play(s, "take blue")
    assert not GAME.is_over(position("", "", "", reserve="1 blue 1 grey", current=2, first=1))
    s = position("", "", "", reserve="2 blue 1 grey 1 green", current=1, first=1)
    d = play(s, "take grey")  # three kinds are gone, the round goes on
    assert not d["over"]
    d = play(s, "take blue", "take blue")
    assert d["over"]
    assert d["phase"] == "over"


@pytest.mark.holds("alchemists", 39)
def test_two_kinds_gone_do_not_end_the_game():
    s = position("", "", "", reserve="9 blue 9 grey 1 green", current=2, first=0)
    assert not play(s, "take blue")["over"]


def finish(*hands: str, reserve: str = "", schools: tuple[str, ...] = COLOURS, fame: tuple[int, ...] = ()) -> dict:
    """End a game in which these are the hands when the last player has taken a last yellow cube."""
    s = position(*hands, reserve=f"{reserve} 1 yellow".strip(), bag="", schools=schools, current=len(hands) - 1)
    for p, points in enumerate(fame):
        s[()].fame[p] = points
    return play(s, "take yellow")


@pytest.mark.holds("alchemists", 40)
def test_two_cubes_behind_the_screen_are_a_point_rounded_down():
    d = finish("5 blue", "4 blue", "2 grey", schools=("orange", "orange", "orange", "blue", "grey"))
    assert d["over"]
    assert [score - reward for score, reward in zip(d["scores"], d["school_rewards"], strict=True)] == [2, 2, 1]


@pytest.mark.holds("alchemists", 15, 42, 43, 44, 45)
@pytest.mark.parametrize(
    ("counts", "rewards"),
    [
        ((1, 2), (6, 0)),
        ((2, 2), (6, 6)),
        ((1, 2, 3), (10, 5, 0)),
        ((4, 1, 1), (5, 10, 10)),
        ((1, 2, 3, 4), (12, 8, 4, 0)),
        ((2, 2, 3, 3), (12, 12, 8, 8)),
        ((5, 4, 3, 2, 1), (0, 3, 6, 9, 12)),
        ((2, 2, 2, 2, 2), (12, 12, 12, 12, 12)),
        ((3, 1, 1, 2, 3), (6, 12, 12, 9, 6)),
    ],
)
def test_schools_share_places_and_no_place_is_skipped(counts, rewards):
    hands = [""] * len(counts)
    hands[0] = " ".join(f"{n} {colour}" for n, colour in zip(counts, COLOURS, strict=False))
    s = position(*hands, reserve="", bag="", current=len(counts) - 1)
    d = play(s, legal(s)[0])
    assert d["school_rewards"] == list(rewards)


@pytest.mark.holds("alchemists", 41)
def test_schools_count_reserve_and_hands_but_neither_bag_nor_cauldrons():
    s = position(
        "1 blue", "1 grey", reserve="1 grey 1 green", bag="6 blue", potions={"grey+green: 2 blue": (0, 5)}, current=1
    )
    d = play(s, "take green")
    assert d["over"]
    assert d["school_rewards"] == [6, 0]  # one blue is left, two grey


@pytest.mark.holds("alchemists", 46)
def test_schools_that_nobody_represents_are_not_ranked():
    d = finish("1 blue", "2 grey", schools=("blue", "grey", "green", "orange", "yellow"))
    assert d["school_rewards"] == [6, 0]


@pytest.mark.holds("alchemists", 47)
def test_most_fame_wins():
    d = finish("1 blue", "1 grey", "2 green", fame=(3, 20, 9))
    assert d["ranks"] == [3, 1, 2]


@pytest.mark.holds("alchemists", 48)
def test_a_tie_goes_to_the_larger_school_reward():
    d = finish("1 blue 1 orange", "2 grey", fame=(0, 6), schools=("blue", "grey", "green", "orange", "yellow"))
    assert d["scores"] == [7, 7]
    assert d["ranks"] == [1, 2]


def test_what_is_still_tied_shares_the_win():
    d = finish("1 blue 1 orange", "1 grey", schools=("blue", "grey", "green", "orange", "yellow"))
    assert d["school_rewards"] == [6, 6]
    assert d["scores"] == [7, 7]
    assert d["ranks"] == [1, 1]


def test_hands_stay_as_they_were_after_the_end():
    d = finish("2 blue", "2 grey", reserve="3 green")
    assert d["hands"][0]["blue"] == 2
    assert d["reserve"]["green"] == 3


# Strings.


def test_there_are_297_actions():
    kinds = {kind.name: len(kind.strings) for kind in GAME.actions.kinds.values()}
    assert kinds == {"create": 250, "value": 10, "copy": 30, "take": 5, "draw": 1, "pass": 1}
    assert GAME.num_actions == 297


@pytest.mark.parametrize(
    "text",
    ["create blue+grey: 2 green 1 yellow", "value 9", "copy blue+grey: give green", "take green", "draw", "pass"],
)
def test_strings_are_those_of_the_rules_page(text):
    s = GAME.new(3, seed=1)
    assert GAME.action_to_string(s, GAME.string_to_action(s, text)) == text


def test_an_unknown_string_says_what_is_legal():
    with pytest.raises(IllegalAction, match="legal actions are: create"):
        GAME.string_to_action(GAME.new(3, seed=1), "brew tea")


# Exhaustive counts.


def test_number_of_payable_mixes_by_brute_force():
    """The mask against the rule as written, for hands of every shape."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        hand = rng.integers(0, 4, 5)
        text = " ".join(f"{n} {colour}" for n, colour in zip(hand, COLOURS, strict=True) if n)
        potions = {"blue+grey: 1 green": (1, 1), "orange+yellow: 2 blue 1 grey": (0, 2)}
        s = position(text, "", "", potions=potions)
        expected = set()
        for a, b in combinations(range(5), 2):
            name = f"{COLOURS[a]}+{COLOURS[b]}"
            if name in ("blue+grey", "orange+yellow"):
                continue
            for mix in product(range(3), repeat=5):
                stands = mix in ((0, 0, 1, 0, 0), (2, 1, 0, 0, 0))
                if mix[a] or mix[b] or not 1 <= sum(mix) <= 5 or stands or any(mix > hand):
                    continue
                words = " ".join(f"{n} {colour}" for n, colour in zip(mix, COLOURS, strict=True) if n)
                expected.add(f"create {name}: {words}")
        assert set(legal(s, "create")) == expected
