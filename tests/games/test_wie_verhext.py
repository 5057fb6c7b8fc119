"""The rules of Wie verhext!, in the rulebook's order: set-up, a set, a trick, the end."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from wie_verhext_positions import GAME, drops, goods_of, legal, play, position

from coven.games.core.errors import BadOption, IllegalAction
from coven.games.wie_verhext.state import ROLES, SCROLLS
from coven.playthrough import random_game

PLAYERS = GAME.players
EVERYONE_DECLINES = {"decline", "favour"}


def next_set(s: np.ndarray, seed: int) -> None:
    """Random play until the next set begins, with all ravens out of sight."""
    number = int(s["set"])
    for _ in random_game(GAME, s, seed):
        s["ravens"] = 0
        if s["set"] != number:
            return


# Set-up.


@pytest.mark.holds("wie_verhext", 8, 9)
@pytest.mark.parametrize("players", PLAYERS)
def test_everyone_starts_with_a_drop_of_each_colour_and_two_gold(players):
    d = GAME.describe(GAME.new(players, seed=3))
    assert d["drops"] == [{"red": 1, "green": 1, "white": 1}] * players
    assert d["gold"] == [2] * players
    assert d["vials"] == [0] * players
    assert d["cards"] == d["hands"] == d["played"] == [[]] * players
    assert (d["turn"], d["set"], d["ravens"], d["phase"]) == (0, 1, 0, "choose")
    assert d["leader"] == d["current_player"]
    assert (d["claimant"], d["role"], d["favours"], d["pending"]) == (None, None, [], None)
    assert (d["shelf_gold"], d["shelf_drops"], d["banned"], d["ban_deck"]) == (0, 0, [], [])
    assert d["options"] == {"banned_roles": False, "max_sets": 60, "ask_gifts": False}


CARDS = {
    "copper": "W2 W2 WR3 WR3 WWR4* WWRR5 WWWRR6*",
    "iron": "R2 R2 RG3 RG3 RRG4* RRGG5 RRRGG6*",
    "silver": "G2 G2 GW3 GW3 GGW4* GGWW5 GGGWW6*",
    "gold": "3:2 3:2 4:3* 5:4 6:5*",
    "drops": "3:2 3:2 4:3* 5:4 6:5*",
}


@pytest.mark.holds("wie_verhext", 4, 12, 40)
@pytest.mark.parametrize("pile", CARDS)
def test_the_31_cards_lie_in_five_piles_from_the_least_to_the_most_precious(pile):
    cards = GAME.describe(GAME.new(3, seed=3))["piles"][pile]
    expected = []
    for text in CARDS[pile].split():
        card = text.rstrip("*")
        if ":" in card:
            cost, points = (int(number) for number in card.split(":"))
        else:
            cost, points = {c: n for c, n in drops(card[:-1]).items() if n}, int(card[-1])
        expected.append({"cost": cost, "points": points, "raven": text.endswith("*")})
    assert cards == expected
    assert sum(card["raven"] for card in cards) == 2


@pytest.mark.holds("wie_verhext", 13, 14)
def test_the_scrolls_are_shuffled_and_the_first_leader_is_drawn_by_lot():
    games = [GAME.describe(GAME.new(4, seed)) for seed in range(400)]
    assert all(sorted(d["scrolls"]) == sorted(SCROLLS) for d in games)
    assert {d["scrolls"][0] for d in games} == {d["scrolls"][7] for d in games} == set(SCROLLS)
    assert min(Counter(d["leader"] for d in games).values()) > 60


# Choosing.


@pytest.mark.holds("wie_verhext", 1, 7, 16)
def test_the_leader_chooses_first_then_clockwise_five_roles_each_in_any_order():
    s = GAME.new(3, seed=0)
    leader = GAME.current_player(s)
    hand = ["warlock", "witch", "alchemist", "wolf keeper", "druid"]
    for number, role in enumerate(hand):
        assert legal(s) == [f"choose {r}" for r in ROLES if r not in hand[:number]]
        assert GAME.current_player(s) == leader
        d = play(s, f"choose {role}")
    assert d["hands"][leader] == ["wolf keeper", "alchemist", "witch", "druid", "warlock"]
    for place in (1, 2):
        for _ in range(5):
            assert GAME.current_player(s) == (leader + place) % 3
            play(s, legal(s)[0])
    d = GAME.describe(s)
    assert (d["phase"], d["current_player"], d["leader"], d["turn"]) == ("lead", leader, leader, 0)
    assert [len(hand) for hand in d["hands"]] == [5, 5, 5]
    assert legal(s) == [f"lead {role}" for role in d["hands"][leader]]


# Leading and following.


@pytest.mark.holds("wie_verhext", 17, 26)
def test_the_leader_claims_the_action_and_is_never_offered_the_favour():
    s = position("wolf keeper, druid", "witch", "witch")
    assert legal(s) == ["lead wolf keeper", "lead druid"]
    d = play(s, "lead wolf keeper")
    assert goods_of(d, 0) == ("RRR", 0, 0)
    assert d["favours"] == []


@pytest.mark.holds("wie_verhext", 18, 19, 21, 31)
def test_whoever_holds_the_role_must_play_it_and_the_others_pass_unasked():
    s = position("witch, druid", "witch", "druid", "witch, wizard")
    d = play(s, "lead witch")
    assert (d["phase"], d["current_player"], d["claimant"], d["leader"], d["role"]) == ("follow", 1, 0, 0, "witch")
    assert d["turn"] == 1
    assert legal(s) == ["claim", "favour"]
    d = play(s, "claim")
    assert (d["current_player"], d["claimant"]) == (3, 1)
    d = play(s, "claim")
    assert d["played"] == [["witch"], ["witch"], [], ["witch"]]
    assert d["hands"] == [["druid"], [], ["druid"], ["wizard"]]


@pytest.mark.holds("wie_verhext", 20, 21, 24)
def test_a_dethroned_claimant_gets_nothing_and_his_card_is_spent():
    s = position("wolf keeper, witch", "wolf keeper", "wolf keeper")
    d = play(s, "lead wolf keeper", "claim", "claim")
    assert [goods_of(d, p)[0] for p in range(3)] == ["", "", "RRR"]
    assert d["hands"][0] == ["witch"]


@pytest.mark.holds("wie_verhext", 22, 23, 24)
def test_the_favour_is_carried_out_at_once_before_the_next_player_is_asked():
    s = position("wolf keeper", "wolf keeper", "wolf keeper")
    d = play(s, "lead wolf keeper", "favour")
    assert (d["phase"], d["current_player"], d["favours"], d["claimant"]) == ("follow", 2, [1], 0)
    assert [goods_of(d, p)[0] for p in range(3)] == ["", "R", ""]
    d = play(s, "claim")
    assert [goods_of(d, p)[0] for p in range(3)] == ["", "R", "RRR"]


def test_the_round_passes_the_last_seat():
    s = position("witch", "druid", "witch, druid", leader=2)
    d = play(s, "lead witch")
    assert d["current_player"] == 0
    d = play(s, "claim")
    assert (d["phase"], d["current_player"]) == ("lead", 1)


def test_favours_are_told_in_the_order_in_which_they_were_taken():
    s = position("cutpurse", "cutpurse, witch", "cutpurse", "cutpurse", leader=2)
    d = play(s, "lead cutpurse", "favour", "favour")
    assert d["favours"] == [3, 0]


@pytest.mark.holds("wie_verhext", 27)
def test_an_action_may_be_claimed_without_the_means_and_is_then_not_asked():
    s = position("witch, druid", "witch", "druid")
    d = play(s, "lead witch", "claim")
    assert d["piles"]["iron"][0]["points"] == 2
    assert len(d["piles"]["iron"]) == 7
    assert (d["phase"], d["current_player"]) == ("lead", 2)


@pytest.mark.holds("wie_verhext", 25, 29)
def test_the_last_claimant_leads_next_even_if_he_did_nothing():
    s = position("witch, druid", "witch, wizard", "wizard", goods={1: ("R", 0)})
    d = play(s, "lead witch", "claim", "decline")
    assert (d["phase"], d["leader"], d["current_player"], d["claimant"], d["role"]) == ("lead", 1, 1, None, None)


@pytest.mark.holds("wie_verhext", 30)
def test_with_an_empty_hand_the_next_player_clockwise_with_cards_leads():
    s = position("druid", "witch", "", "wizard", leader=1)
    d = play(s, "lead witch")
    assert (d["phase"], d["current_player"], d["leader"]) == ("lead", 3, 3)
    d = play(s, "lead wizard")
    assert d["current_player"] == 0


@pytest.mark.holds("wie_verhext", 35, 36)
def test_a_player_alone_with_cards_goes_on_alone():
    s = position("wolf keeper, snake hunter, herb collector", "wolf keeper", "wolf keeper")
    d = play(s, "lead wolf keeper", "favour", "favour")
    assert (d["current_player"], d["phase"]) == (0, "lead")
    d = play(s, "lead snake hunter")
    assert (d["current_player"], d["phase"], d["set"]) == (0, "lead", 1)
    d = play(s, "lead herb collector")
    assert goods_of(d, 0) == ("RRRGGGWWW", 0, 0)
    assert (d["phase"], d["set"], d["turn"], d["current_player"]) == ("choose", 2, 3, 0)


@pytest.mark.holds("wie_verhext", 38)
def test_the_last_one_with_an_action_right_leads_the_next_set():
    s = position("witch", "druid", "druid", leader=1)
    d = play(s, "lead druid", "claim", "lead witch")
    assert (d["set"], d["phase"], d["leader"], d["current_player"]) == (2, "choose", 0, 0)
    s = position("witch", "witch", "witch")
    d = play(s, "lead witch", "claim", "favour")
    assert (d["set"], d["leader"], d["current_player"]) == (2, 1, 1)


def test_a_role_is_led_at_most_once_a_set():
    for seed in range(30):
        s, led = GAME.new(4, seed), []
        for action in random_game(GAME, s, seed):
            text = GAME.action_to_string(s, action)
            led = [] if text.startswith("choose") else led
            if text.startswith("lead"):
                assert text not in led
                led.append(text)


# The next set.


@pytest.mark.holds("wie_verhext", 15, 37, 74)
def test_a_new_set_clears_the_table_and_turns_up_the_next_scroll():
    s = position("witch", "", "", scroll="optio")
    before = GAME.describe(s)["scrolls"]
    d = play(s, "lead witch")
    assert d["scrolls"] == [*before[1:], "optio"]
    assert d["played"] == d["hands"] == [[], [], []]
    assert legal(s) == [f"choose {role}" for role in ROLES]


@pytest.mark.holds("wie_verhext", 74)
def test_the_scrolls_come_round_again_in_the_same_order():
    s, active = GAME.new(3, seed=1), []
    for n in range(10):
        active.append(GAME.describe(s)["scrolls"][0])
        next_set(s, seed=n)
    assert sorted(active[:8]) == sorted(SCROLLS)
    assert active[8:] == active[:2]


# Banned roles.


@pytest.mark.holds("wie_verhext", 80, 81, 82)
@pytest.mark.parametrize(("players", "number", "sets"), [(3, 2, 6), (4, 1, 12)])
def test_banned_roles_cannot_be_chosen_and_are_reshuffled_when_they_run_out(players, number, sets):
    s = GAME.new(players, seed=5, banned_roles=True)
    seen, deck = [], []
    for n in range(2 * sets):
        d = GAME.describe(s)
        assert d["set"] == n + 1
        if n % sets:
            assert d["banned"] == deck[:number]
            assert d["ban_deck"] == deck[number:]
        assert len(d["banned"]) == number
        assert legal(s) == [f"choose {role}" for role in ROLES if role not in d["banned"]]
        seen, deck = seen + d["banned"], d["ban_deck"]
        assert (deck == []) == (n % sets == sets - 1)
        next_set(s, seed=n)
    assert sorted(seen[: len(ROLES)]) == sorted(seen[len(ROLES) :]) == sorted(ROLES)
    assert seen[: len(ROLES)] != seen[len(ROLES) :]


def test_bans_are_drawn_evenly():
    seen = Counter(
        role for seed in range(1200) for role in GAME.describe(GAME.new(3, seed, banned_roles=True))["banned"]
    )
    assert seen.keys() == set(ROLES)
    assert sum((n - 200) ** 2 / 200 for n in seen.values()) < 31.3  # 0.1 % with 11 degrees of freedom


def test_five_players_have_no_spare_roles_to_ban():
    with pytest.raises(BadOption, match="True with 3 or 4 players"):
        GAME.new(5, banned_roles=True)
    assert GAME.describe(GAME.new(5, seed=1, banned_roles=False))["options"]["banned_roles"] is False


# The end.


def brew_at_the_end(ravens: int, **options) -> dict:
    """The last but one trick takes a card with a raven, the last one is a gift."""
    s = position("witch, druid", "", "", goods={0: ("RRG", 0)}, gone={"iron": 4}, ravens=ravens, **options)
    d = play(s, "lead witch", "brew")
    assert d["ravens"] == ravens + 1
    assert not d["over"]  # the set is played out
    return play(s, "lead druid")


@pytest.mark.holds("wie_verhext", 39)
def test_the_game_ends_after_the_set_with_the_fourth_raven():
    d = brew_at_the_end(ravens=3)
    assert (d["over"], d["phase"], d["current_player"], d["truncated"]) == (True, "over", None, False)
    assert (d["leader"], d["claimant"], d["role"]) == (None, None, None)
    assert d["scores"] == [4, 0, 0]
    assert d["cards"][0] == [{"pile": "iron", "points": 4, "raven": True}]


@pytest.mark.holds("wie_verhext", 39)
def test_three_ravens_do_not_end_the_game():
    d = brew_at_the_end(ravens=2)
    assert (d["over"], d["set"]) == (False, 2)


def test_no_scroll_or_ban_is_turned_up_at_the_end():
    s = position("witch", "", "", scroll="optio", ravens=4, banned_roles=True)
    before = GAME.describe(s)
    d = play(s, "lead witch")
    assert d["over"]
    assert all(d[key] == before[key] for key in ("scrolls", "banned", "ban_deck", "set"))
    assert d["played"][0] == ["witch"]


def finished(goods: dict, vials: tuple = (), points: tuple = ()) -> dict:
    """A game that ends with these goods, vials and points of cards."""
    s = position("witch", "", "", goods=goods, ravens=4)
    s[()].vials[: len(vials)] = vials
    s[()].points[: len(points)] = points
    return play(s, "lead witch")


@pytest.mark.holds("wie_verhext", 41)
def test_a_score_is_the_points_of_the_cards_and_one_for_each_vial():
    assert finished({}, vials=(2, 0, 1), points=(5, 6, 0))["scores"] == [7, 6, 1]


@pytest.mark.holds("wie_verhext", 3, 42)
def test_a_tie_goes_to_the_most_drops_and_gold_together():
    d = finished({1: ("GG", 1), 2: ("WW", 2)}, points=(3, 5, 5))
    assert d["scores"] == [3, 5, 5]
    assert d["ranks"] == [3, 2, 1]


def test_what_is_still_tied_shares_the_win():
    s = position("witch", "", "", goods={1: ("GGG", 1), 2: ("", 4)}, ravens=4)
    s[()].vials[1:3] = 5
    d = play(s, "lead witch")
    assert d["ranks"] == [3, 1, 1]
    assert GAME.returns(s) == [-1, 0.5, 0.5]


def test_a_game_in_which_everybody_always_declines_is_cut_off():
    s = GAME.new(4, seed=2, max_sets=12)
    rng = np.random.default_rng(0)
    while not GAME.is_over(s):
        moves = legal(s)
        move = next((m for m in moves if m in EVERYONE_DECLINES), rng.choice(moves))
        play(s, str(move))
    d = GAME.describe(s)
    assert (d["over"], d["truncated"], d["phase"], d["set"]) == (True, True, "over", 12)
    assert d["cards"] == [[]] * 4
    assert d["scores"] == d["vials"] == [0] * 4
    assert sorted(d["ranks"])[0] == 1  # by the drops and gold that gifts have brought
    assert sum(GAME.returns(s)) == pytest.approx(0)


def test_the_default_limit_is_sixty_sets():
    s = position("witch", "", "")
    s[()].set = 60
    assert play(s, "lead witch")["truncated"]


def test_a_game_that_ends_by_its_ravens_in_the_last_set_is_not_truncated():
    d = brew_at_the_end(ravens=3, max_sets=1)
    assert (d["over"], d["truncated"]) == (True, False)
    d = brew_at_the_end(ravens=2, max_sets=1)
    assert (d["over"], d["truncated"], d["ranks"]) == (True, True, [1, 2, 2])


@pytest.mark.parametrize("sets", [0, -1, 1001, 2.0, "9", True, None])
def test_a_limit_that_makes_no_sense_is_refused(sets):
    with pytest.raises(BadOption, match="whole number from 1 to 1000"):
        GAME.new(3, max_sets=sets)


@pytest.mark.parametrize("players", [0, 1, 2, 6, True, "3"])
def test_three_to_five_play(players):
    with pytest.raises(BadOption, match="3, 4, 5"):
        GAME.new(players)


# Strings.


def test_there_are_39_actions():
    expected = [f"choose {role}" for role in ROLES] + [f"lead {role}" for role in ROLES]
    expected += ["claim", "favour", "use", "decline", "brew", "brew copper", "brew iron", "brew silver"]
    expected += [f"{verb} {colour}" for verb in ("pay", "gain") for colour in ("red", "green", "white")] + ["take"]
    assert list(GAME.actions.strings) == expected
    assert GAME.num_actions == 39


@pytest.mark.holds("wie_verhext", 4)
def test_roles_and_scrolls_are_spelt_and_ordered_as_on_the_rules_page():
    assert ", ".join(ROLES) == (
        "wolf keeper, snake hunter, herb collector, alchemist, fortune teller, assistant, wizard, witch, druid, "
        "cutpurse, begging monk, warlock"
    )
    assert ", ".join(SCROLLS) == "copia, optio, herba, lupus, serpens, magus, sanatio, strix"


def test_an_unknown_or_illegal_string_says_what_is_legal():
    s = position("witch", "witch", "")
    with pytest.raises(IllegalAction, match="legal actions are: lead witch"):
        play(s, "lead frog")
    before = s.tobytes()
    with pytest.raises(IllegalAction, match="legal actions are: lead witch"):
        play(s, "lead druid")
    assert s.tobytes() == before


def test_the_text_shows_the_trick():
    s = position("begging monk, witch", "begging monk", "", goods={1: ("RRRRRRRR", 0)}, shelf_drops=1)
    play(s, "lead begging monk", "claim", "decline")
    assert "hand hidden" in GAME.text(s, viewer=1)
    s = position("begging monk, witch", "", "", goods={1: ("RRRRRRRR", 0)}, shelf_drops=1)
    play(s, "lead begging monk", "use")
    text = GAME.text(s)
    assert "begging monk led by player 0, player 1 decides (tax), 2 drops to tax" in text
    assert "drops    3 drops for 2, 1 on it, 5 left" in text
