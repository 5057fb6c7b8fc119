"""What greedy knows of Wie verhext!, in positions where every sensible player would do the same."""

from __future__ import annotations

from functools import partial

import agents_help
import pytest
from wie_verhext_positions import GAME, play, position

greedy_moves = partial(agents_help.greedy_moves, GAME)


@pytest.mark.parametrize("role", ["wolf keeper", "snake hunter", "herb collector", "assistant", "witch"])
def test_the_last_in_the_round_claims(role):
    s = position(role, "alchemist", role, goods={2: ("RRGG", 3)})
    play(s, f"lead {role}")
    assert greedy_moves(s) == ["claim"]


def test_with_many_behind_who_may_snatch_the_action_the_favour_is_safer():
    behind = "witch, wizard, druid, cutpurse, warlock"
    s = position("wolf keeper", "wolf keeper", behind, behind, behind)
    s[()].shown[2:, 3:6] = -1  # who has passed on other roles may hold this one the more likely
    play(s, "lead wolf keeper")
    assert greedy_moves(s) == ["favour"]


def test_a_card_that_can_be_brewed_is_led_before_one_that_cannot():
    s = position("witch, wizard, druid", "alchemist", "alchemist", goods={0: ("RG", 0)}, gone={"iron": 2, "silver": 2})
    assert greedy_moves(s) == ["lead witch"]


def test_in_the_last_set_cards_are_brewed_and_spare_drops_are_bottled():
    s = position("witch", "alchemist", "alchemist", goods={0: ("RGW", 0)}, gone={"iron": 2}, ravens=4)
    assert greedy_moves(s, 3) == ["lead witch", "brew", "pay white"]


def test_a_favour_of_a_brewer_is_used_for_the_last_points():
    """The claimant behind takes the action, but the favour is carried out first."""
    s = position("wizard", "wizard", "wizard", goods={0: ("W", 0), 1: ("W", 2), 2: ("W", 0)}, ravens=4)
    play(s, "lead wizard", "favour")
    assert greedy_moves(s) == ["brew"]


def test_a_blend_is_paid_in_the_colours_one_misses_least():
    s = position(
        "warlock, witch", "alchemist", "alchemist", goods={0: ("RWW", 0)}, scroll="magus", gone={"copper": 2}, ravens=4
    )
    play(s, "lead warlock")
    assert greedy_moves(s, 3) == ["brew", "pay white", "pay white"]


def test_the_assistant_brings_the_drop_that_a_brewer_in_hand_lacks():
    s = position("assistant, druid", "alchemist", "alchemist", goods={0: ("G", 1)}, gone={"silver": 2}, ravens=4)
    assert greedy_moves(s, 2) == ["lead assistant", "use"]
    assert "gain white" in greedy_moves(s, 3)


def test_the_fortune_teller_is_used_to_the_end():
    s = position("fortune teller", "alchemist", "alchemist", goods={0: ("", 1)}, ravens=4)
    assert greedy_moves(s, 2) == ["lead fortune teller", "use"]


def test_a_shelf_on_which_enough_lies_is_emptied():
    s = position("cutpurse", "alchemist", "alchemist", goods={0: ("", 1)}, shelf_gold=3)
    assert greedy_moves(s, 3) == ["lead cutpurse", "use", "take"]


def test_brewers_that_can_be_paid_are_chosen():
    s = GAME.new(4, seed=3)
    r = s[()]
    r.drops[:], r.gold[:] = 3, 3
    chosen = {move.removeprefix("choose ") for move in greedy_moves(s, 5)}
    assert len(chosen & {"wizard", "witch", "druid"}) >= 2


def test_brewers_of_empty_cauldrons_are_not_chosen():
    s = GAME.new(4, seed=3)
    r = s[()]
    r.drops[:], r.gold[:], r.gone[:3] = 3, 3, 7
    chosen = {move.removeprefix("choose ") for move in greedy_moves(s, 5)}
    assert not chosen & {"wizard", "witch", "druid"}
