"""Option `ask_gifts` of Wie verhext!: gifts, and the favours of cutpurse and begging monk, may be declined."""

from __future__ import annotations

import pytest
from wie_verhext_positions import GAME, goods_of, legal, play, position

from coven.agents.registry import create
from coven.games.core.errors import BadOption
from coven.games.core.rng import generator

GREEN = {"wolf keeper": "R", "snake hunter": "W", "herb collector": "G"}
SHELF_ROLES = {"cutpurse": "gold", "begging monk": "drops"}


@pytest.mark.holds("wie_verhext", 28)
@pytest.mark.parametrize(("answer", "gold", "tax"), [("decline", 2, 0), ("use", 3, 1)])
def test_who_declines_the_gold_of_the_warlock_keeps_the_tax_at_nothing(answer, gold, tax):
    s = position("warlock, cutpurse", "warlock", "", goods={1: ("", 2)}, ask_gifts=True)
    d = play(s, "lead warlock", "favour")
    assert (d["phase"], d["current_player"], d["favours"], legal(s)) == ("act", 1, [1], ["use", "decline"])
    d = play(s, answer)
    assert (d["gold"][1], d["favours"]) == (gold, [1])  # copia is next
    d = play(s, "decline", "lead cutpurse", "use")
    assert (d["shelf_gold"], d["gold"][1]) == (tax, gold - tax)


@pytest.mark.holds("wie_verhext", 28)
@pytest.mark.parametrize(("role", "colour"), GREEN.items())
@pytest.mark.parametrize("ask_gifts", [False, True])
def test_action_and_favour_of_a_green_role_are_asked_only_with_the_option(role, colour, ask_gifts):
    s = position(f"{role}, witch", role, role, ask_gifts=ask_gifts)
    d = play(s, f"lead {role}", "favour")
    assert d["phase"] == ("act" if ask_gifts else "follow")
    if ask_gifts:
        play(s, "use")
    d = play(s, "favour")
    if ask_gifts:
        d = play(s, "decline")
        assert (d["phase"], d["current_player"], legal(s)) == ("act", 0, ["use", "decline"])
        assert d["favours"] == [1, 2]  # who declines a favour has taken it all the same
        d = play(s, "use")
    assert [goods_of(d, p)[0] for p in range(3)] == [3 * colour, colour, "" if ask_gifts else colour]
    assert d["phase"] == "lead"


def test_a_declined_action_of_a_green_role_brings_nothing_and_still_leads_the_next_trick():
    s = position("wolf keeper", "wolf keeper, witch", "druid", ask_gifts=True)
    d = play(s, "lead wolf keeper", "claim", "decline")
    assert goods_of(d, 1)[0] == ""
    assert (d["phase"], d["leader"]) == ("lead", 1)


TAXES = [("cutpurse", ("", 6), 2), ("begging monk", ("RRRRRRRR", 0), 2)]


@pytest.mark.holds("wie_verhext", 66, 70)
@pytest.mark.parametrize(("role", "goods", "tax"), TAXES)
@pytest.mark.parametrize("answer", ["use", "decline"])
def test_a_declined_favour_lowers_no_tax(role, goods, tax, answer):
    s = position(role, role, "", goods={1: goods}, ask_gifts=True)
    d = play(s, f"lead {role}", "favour")
    assert (d["phase"], d["current_player"], legal(s)) == ("act", 1, ["use", "decline"])
    assert play(s, answer)["favours"] == [1]
    d = play(s, "use")
    owed = tax - (answer == "use")
    if role == "begging monk":
        assert d["pending"] == {"kind": "tax", "left": owed, "least": "red"}
        d = play(s, *["pay red"] * owed)
    assert d[f"shelf_{SHELF_ROLES[role]}"] == owed


@pytest.mark.parametrize(("role", "shelf"), SHELF_ROLES.items())
def test_on_an_empty_shelf_nothing_is_asked(role, shelf):
    s = position(f"{role}, witch", role, "", goods={1: ("RRRRRRRR", 6)}, gone={shelf: 5}, ask_gifts=True)
    d = play(s, f"lead {role}", "favour")
    assert (d["phase"], d["current_player"]) == ("lead", 0)


def test_a_declined_tax_favour_is_forgotten_after_the_trick():
    s = position("cutpurse, warlock", "cutpurse", "", goods={1: ("", 6)}, ask_gifts=True)
    play(s, "lead cutpurse", "favour", "decline", "use")
    d = play(s, "lead warlock")
    assert d["favours"] == []
    assert not s[()].full_tax.any()


@pytest.mark.parametrize(("role", "goods", "tax"), TAXES)
def test_greedy_takes_gifts_and_pays_less_tax(role, goods, tax):
    agent, mask = create("greedy", GAME, 3), GAME.new_mask()
    for led, answer in ((role, "use"), ("warlock", "use"), ("herb collector", "use")):
        s = position(led, led, "", goods={1: goods}, ask_gifts=True)
        play(s, f"lead {led}", "favour")
        mask[: GAME.num_actions] = GAME.legal_mask(s)
        assert GAME.action_to_string(s, agent.act(GAME.observe(s, 1), mask, generator(1))) == answer


@pytest.mark.parametrize("value", [1, "yes", None])
def test_the_option_is_on_or_off(value):
    with pytest.raises(BadOption, match=r"ask_gifts=.* is not allowed; allowed: False or True"):
        GAME.new(5, ask_gifts=value)
    assert GAME.options_of(GAME.new(5, seed=1, ask_gifts=True))["ask_gifts"] is True
