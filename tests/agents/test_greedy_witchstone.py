"""What greedy knows of Witchstone, in positions where every sensible player would do the same."""

from __future__ import annotations

from functools import partial

import agents_help
from witchstone_positions import GAME, cauldron, owns, position

greedy_moves = partial(agents_help.greedy_moves, GAME)


def test_a_tile_is_laid_where_its_symbols_join_large_groups():
    s = cauldron(position(hand=("energy/witch",)), energy="(0,-2) (0,-1)", witch="(2,-2) (1,-1)")
    tile, lay = greedy_moves(s, 2)
    assert tile == "tile energy/witch"
    GAME.apply(s, GAME.string_to_action(s, "start witch"))
    assert GAME.describe(s)["pending"][0] == "witch 4", lay


def test_actions_are_carried_out_not_stopped_and_crystals_not_spoiled():
    s = position(running="energy 3", score=(9, 0, 0))
    moves = greedy_moves(s, 3)
    assert all(move.startswith("energy") for move in moves)


def test_a_long_connection_is_better_for_three_units():
    s = position(running="energy 3", last_turn=True)
    assert set(greedy_moves(s, 3)) == {"energy T0-W"}


def test_a_witch_stands_up_where_a_chip_waits():
    s = owns(position(running="witch 1", chips={"F0": "points"}), 0, connections="T0-F0 T0-V0")
    s[()].lying[0] = 1
    assert greedy_moves(s) == ["stand F0"]


def test_at_the_witchstone_before_a_place_without_a_chip():
    s = owns(position(running="witch 1"), 0, connections="T0-W T0-V0")
    s[()].lying[0] = 1
    assert greedy_moves(s) == ["stand W"]


def test_a_crystal_that_can_leave_leaves():
    s = cauldron(position(running="crystal 1"), coloured=("(1,-3)", "(0,0)"))
    moves = greedy_moves(s, 2)
    assert moves == ["crystal (1,-3)", "exit crystal"]


def test_what_waits_is_used_before_stopping():
    s = owns(position(running="witch 1", chips={"F0": "energy"}), 0, connections="T0-F0")
    s[()].lying[0] = 1
    assert greedy_moves(s, 2) == ["stand F0", "use chip energy"]


def test_a_spell_is_cast_before_the_steps_are_taken_if_they_then_reach_an_owl():
    s = owns(position(running="pentagram 3", last_turn=True), 0, scrolls=("spell pentagram",))
    assert greedy_moves(s, 2) == ["spell pentagram", "advance"]


def test_in_the_last_round_a_special_hex_is_used():
    s = position(running="pentagram 2", last_turn=True)
    advance, taken, used = greedy_moves(s, 3)
    assert (advance, taken) == ("advance", "hex energy/witch")
    assert used.startswith("use ")
