"""The six actions of Witchstone and the bonuses they bring, with the examples of the rulebook and its FAQ."""

from __future__ import annotations

import numpy as np
import pytest
from witchstone_positions import ALL_SYMBOLS, GAME, cauldron, choices, legal, owns, pending, play, position, sits

from coven.games.witchstone.state import CAPACITY, NUM_SHELVES, PAIR_NAMES, SHELF_NAMES

PLAYERS = GAME.players
GREEN, RED, YELLOW, BLUE = range(4)


# Energy.


@pytest.mark.holds("witchstone", 45, 46, 48, 51, 53)
@pytest.mark.parametrize(("name", "length", "points"), [("T0-F0", 1, 1), ("F3-T0", 2, 3), ("T0-W", 3, 6)])
def test_a_finished_connection_scores_by_its_length(name, length, points):
    s = position(running=f"energy {length + 1}")
    for _ in range(length - 1):
        play(s, f"energy {name}")
        assert legal(s, "energy") == [f"energy {name}"]  # begun: it must be finished first
        assert GAME.scores(s)[0] == 0
    d = play(s, f"energy {name}")
    assert d["scores"][0] == points
    assert d["connections"][name] == {"owner": 0, "filled": length, "length": length}
    assert d["energy"][0] == 20 - length
    assert len(legal(s, "energy")) > 1


@pytest.mark.holds("witchstone", 47, 52)
def test_energy_starts_at_the_tower_and_goes_on_from_what_is_joined_to_it():
    s = position(running="energy 3")
    assert set(legal(s, "energy")) == {"energy T0-W", "energy T0-F0", "energy F3-T0", "energy T0-V0"}
    play(s, "energy T0-V0")
    assert set(legal(s, "energy")) == {
        "energy T0-W",
        "energy T0-F0",
        "energy F3-T0",
        "energy V0-C0",
        "energy C3-V0",
    }


@pytest.mark.holds("witchstone", 49)
def test_nobody_enters_a_connection_that_another_began():
    s = position(running="energy 1")
    play(s, "energy T0-W")
    r = s[()]
    assert r.begun[0] >= 0
    other = position(running="energy 3", current=1, towers=("T1", "T0", "T2"))
    other[()].touched = s[()].touched
    assert "energy T0-W" not in legal(other)
    assert "energy T0-V0" in legal(other)


@pytest.mark.holds("witchstone", 51)
def test_a_connection_stays_begun_over_turns():
    s = cauldron(position(2, running="energy 1", hand=("energy/witch",)), black="(0,0)")
    d = play(s, "energy T0-W")
    assert d["current_player"] == 1
    s[()].current = 0
    s[()].hand[0] |= 1
    play(s, "tile energy/witch", "lay (1,1) (2,0)", "start energy")
    assert legal(s, "energy") == ["energy T0-W"]


@pytest.mark.holds("witchstone", 40, 50)
def test_without_units_left_an_energy_action_ends_at_once():
    s = position(running="witch 1", second="energy")
    s[()].energy[0] = 0
    d = play(s, "lay witch")
    assert d["current_player"] == 1


# Witches.


@pytest.mark.holds("witchstone", 56, 61)
def test_yellow_needs_three_actions_to_stand_a_witch_at_reds_tower():
    s = position(4, current=YELLOW, running="witch 3", towers=("T2", "T1", "T0", "T3"))
    owns(owns(s, YELLOW, connections="T0-W"), RED, connections="T1-W")
    play(s, "lay witch")
    assert legal(s, "stand") == ["stand T1", "stand W"]
    d = play(s, "stand T1")
    assert d["scores"][YELLOW] == 2
    assert d["locations"]["T1"]["witches"] == [RED, YELLOW]
    assert d["current_player"] != YELLOW  # all three were used


@pytest.mark.holds("witchstone", 60)
def test_two_actions_are_not_enough_for_own_and_foreign_connections():
    s = position(4, current=YELLOW, running="witch 2", towers=("T2", "T1", "T0", "T3"))
    owns(owns(s, YELLOW, connections="T0-W"), RED, connections="T1-W")
    play(s, "lay witch")
    assert legal(s, "stand") == ["stand W"]


@pytest.mark.holds("witchstone", 58, 59)
def test_own_connections_cost_one_action_however_many_and_foreign_ones_one_each():
    s = sits(position(running="witch 4"), 0, lying=4)
    owns(s, 0, connections="T0-V0 V0-C0 F0-C0")
    owns(s, 1, connections="T1-W F2-W F2-C2 C2-V3")
    for number in (1, 2, 9):
        s[()].item_number[0] = number
        assert {text.removeprefix("stand ") for text in legal(s, "stand")} == {"F0", "V0", "C0"}
    owns(s, 2, connections="F0-W")  # from F0 over a foreign connection to the stone and on
    for number, more in [
        (1, ""),
        (2, "W"),
        (3, "W T1 F2"),
        (4, "W T1 F2 C2"),
        (5, "W T1 F2 C2 V3"),
        (9, "W T1 F2 C2 V3"),
    ]:
        s[()].item_number[0] = number
        assert {text.removeprefix("stand ") for text in legal(s, "stand")} == {"F0", "V0", "C0", *more.split()}
    for location, price in [("V0", 1), ("W", 2), ("T1", 3), ("C2", 4), ("V3", 5)]:
        trial = GAME.clone(s)
        trial[()].item_number[0] = 9
        play(trial, f"stand {location}")
        assert pending(trial) == [f"witch {9 - price}"]


def test_the_cheapest_route_is_charged():
    """W is two own connections away, or one foreign: both cost one; F3 costs one over a foreign connection only."""
    s = sits(position(running="witch 5"), 0, lying=2)
    owns(owns(s, 0, connections="T0-F0 F0-W"), 1, connections="T0-W F3-T0 F3-W")
    play(s, "stand W")
    assert pending(s) == ["witch 4"]
    play(s, "stand F3")
    assert pending(s) == ["witch 3"]


@pytest.mark.holds("witchstone", 57)
def test_a_begun_connection_carries_no_witch():
    s = sits(position(running="energy 2", second="witch"), 0, lying=1)
    play(s, "energy T0-W", "energy T0-W")
    assert legal(s) == ["lay witch", "stop"]


@pytest.mark.holds("witchstone", 72, 74)
def test_a_location_holds_one_standing_witch_of_each_player_who_never_moves_again():
    s = sits(position(running="witch 3"), 0, lying=2, standing="F0")
    owns(s, 0, connections="T0-F0 T0-V0")
    assert legal(s, "stand") == ["stand V0"]
    play(s, "stand V0")
    assert legal(s, "stand") == []
    assert "stand T0" not in legal(s)  # the big one stands there


@pytest.mark.holds("witchstone", 62, 63, 64)
def test_only_the_first_witch_takes_the_chip_and_a_points_chip_scores_at_once():
    s = sits(position(running="witch 2", chips={"F0": "points"}), 0, lying=2)
    owns(s, 0, connections="T0-F0")
    d = play(s, "stand F0")
    assert d["scores"][0] == 2 + 3
    assert d["locations"]["F0"] == {"chip": None, "witches": [0]}
    assert d["chips"][0]["points"] == 1
    assert pending(s) == ["witch 1"]
    s = sits(sits(position(running="witch 1"), 1, standing="F0"), 0, lying=1)
    owns(s, 0, connections="T0-F0")
    assert play(s, "stand F0")["scores"][0] == 2


@pytest.mark.holds("witchstone", 69)
def test_red_is_second_at_the_stone_and_scores_two_and_three():
    s = position(4, current=RED, running="witch 1")
    owns(s, RED, connections="T1-W")
    sits(sits(s, BLUE, standing="W"), RED, lying=1)
    d = play(s, "stand W")
    assert d["scores"][RED] == 5
    assert d["stone"] == [BLUE, RED]


@pytest.mark.holds("witchstone", 68)
def test_the_places_at_the_stone_are_worth_five_three_two_and_one():
    for before, points in enumerate([5, 3, 2, 1]):
        s = position(4, running="witch 1")
        owns(s, 0, connections="T0-W")
        for p in range(1, before + 1):
            sits(s, p, standing="W")
        sits(s, 0, lying=1)
        assert play(s, "stand W")["scores"][0] == 2 + points


@pytest.mark.holds("witchstone", 54, 55, 73)
def test_there_are_eleven_small_witches():
    s = position(running="witch 14")
    for _ in range(11):
        play(s, "lay witch")
    assert GAME.current_player(s) == 1  # nobody to lay, nowhere to stand: it ended by itself
    assert GAME.describe(s)["lying"][0] == 11
    assert GAME.scores(s)[0] == 0


@pytest.mark.holds("witchstone", 71)
def test_when_all_witches_stand_a_witch_action_is_skipped():
    s = position(running="energy 1", second="witch")
    sits(s, 0, standing="F0 F1 F2 F3 V0 V1 V2 V3 C0 C1 C2")
    owns(s, 0, connections="T0-W")
    assert play(s, "energy T0-V0")["current_player"] == 1


# Pentagram.


@pytest.mark.holds("witchstone", 9, 75, 77, 78, 79)
@pytest.mark.parametrize("space", range(15))
def test_each_space_of_the_pentagram(space):
    s = sits(position(running="pentagram 1"), 0, pentagram=(space - 1) % 15)
    before = GAME.describe(s)
    d = play(s, "advance")
    assert d["pentagram"][0] == space
    if space in (2, 8, 14):
        name = before["hexes"][str(space)]
        assert d["pending"] == ["pentagram 0", f"hex {name}"]
        assert d["hexes"][str(space)] == "energy/wand"  # replaced from the pile
        assert d["piles"]["hexes"] == ["energy/scroll"]
        assert legal(s) == [f"hex {name}", "stop"]
    else:
        assert d["current_player"] == 1
        assert d["owls"][0] == ([7] if space in (5, 11) else [])
        if space in (5, 11):
            assert d["owl_stacks"][str(space)] == [6, 5, 4, 3]
    assert d["scores"][0] == 0


@pytest.mark.holds("witchstone", 87)
def test_an_owl_space_without_owls_is_worth_two_points():
    s = sits(position(running="pentagram 1"), 0, pentagram=4)
    s[()].owls_taken[0] = 5
    d = play(s, "advance")
    assert d["scores"][0] == 2
    assert d["owl_stacks"] == {"5": [], "11": [7, 6, 5, 4, 3]}


@pytest.mark.holds("witchstone", 88)
def test_an_empty_hex_space_gives_two_actions_of_ones_choice():
    for symbol in ALL_SYMBOLS:
        s = cauldron(
            sits(position(running="pentagram 1", hexes=(None,) * 3, hex_pile=()), 0, pentagram=1), black="(0,0)"
        )
        assert play(s, "advance")["pending"] == ["pentagram 0", "choice"]
        assert legal(s) == [*(f"choose {kind}" for kind in ALL_SYMBOLS), "stop"]
        play(s, f"choose {symbol}")
        assert pending(s)[0] == f"{symbol} 2"
        assert GAME.describe(s)["specials"][0] == {"used": [], "placed": []}


@pytest.mark.holds("witchstone", 79)
def test_the_last_special_hex_leaves_its_space_empty():
    s = sits(position(running="pentagram 1", hex_pile=()), 0, pentagram=7)
    d = play(s, "advance")
    assert d["hexes"] == {"2": "energy/witch", "8": None, "14": "energy/crystal"}


@pytest.mark.holds("witchstone", 76, 78, 86)
def test_nineteen_steps_pass_spaces_twice():
    s = sits(position(running="pentagram 19", hex_pile=("energy/wand",)), 0, pentagram=12)
    d = play(s, "advance")
    assert d["pentagram"][0] == 1
    assert d["owls"][0] == [7, 7]
    assert d["pending"] == [
        "pentagram 0",
        "hex energy/crystal",  # 14, where energy/wand is laid
        "hex energy/witch",  # 2, which stays empty
        "hex energy/pentagram",  # 8, too
        "hex energy/wand",  # 14 again
    ]
    assert d["hexes"] == {"2": None, "8": None, "14": None}


@pytest.mark.holds("witchstone", 80, 81, 82, 189, 196)
def test_special_hexes_are_used_in_any_order_once_for_either_symbol():
    s = sits(position(running="pentagram 7"), 0, pentagram=1)
    play(s, "advance", "hex energy/pentagram")
    assert pending(s) == ["hex energy/pentagram", "pentagram 0", "hex energy/witch"]
    assert legal(s, "use") == ["use energy", "use pentagram"]
    play(s, "use energy")
    assert pending(s) == ["energy 2", "pentagram 0", "hex energy/witch"]
    d = play(s, "stop")
    assert d["specials"][0] == {"used": ["energy/pentagram"], "placed": []}
    assert legal(s) == ["hex energy/witch", "stop"]


@pytest.mark.holds("witchstone", 83, 84, 108)
def test_a_special_hex_is_placed_on_any_free_space_and_triggers_nothing():
    s = cauldron(sits(position(running="pentagram 1"), 0, pentagram=1), black="(0,0)", witch="(1,0)")
    play(s, "advance", "hex energy/witch")
    assert len(legal(s, "place")) == 31 - 2
    d = play(s, "place (2,0)")
    assert d["cauldrons"][0]["2,0"] == "energy/witch"
    assert d["current_player"] == 1
    assert s[()].group[0, 1] == 2  # with the witch beside it


def test_a_special_hex_not_used_is_laid_aside_and_still_counts():
    s = sits(position(running="pentagram 1"), 0, pentagram=1)
    d = play(s, "advance", "stop")
    assert d["specials"][0] == {"used": ["energy/witch"], "placed": []}
    assert s[()].num_hexes[0] == 1


def test_special_hexes_count_from_when_they_are_taken_though_they_still_wait():
    s = position(running="pentagram 7", hexes=("crystal/wand", "energy/witch", None))
    sits(s, 0, pentagram=1, wand=16)
    d = play(s, "advance", "hex crystal/wand", "use wand", "advance")
    assert d["pending"] == ["pentagram 0", "hex energy/witch"]
    assert d["scores"][0] == 2 * 2  # the one in use and the one that waits, on the last space of the wand


def test_chips_count_from_when_they_are_taken_though_they_still_wait():
    s = position(running="witch 2", chips={"F0": "wand", "V0": "energy"})
    owns(sits(s, 0, lying=2, wand=13), 0, connections="T0-F0 T0-V0")
    d = play(s, "stand F0", "stand V0", "use chip wand", "advance")
    assert d["pending"] == ["witch 0", "chip energy"]
    assert d["scores"][0] == 2 + 2 + 2  # both witches, both chips


# Crystals.


@pytest.mark.holds("witchstone", 30, 91, 93, 94, 106, 107)
def test_blue_takes_a_crystal_out_with_one_action_or_moves_it_to_an_empty_space():
    s = cauldron(position(running="crystal 1"), coloured=("(1,-3)",), witch="(1,-2) (2,-3)")
    play(s, "crystal (1,-3)")
    assert legal(s) == ["to (0,-2)", "exit crystal"]  # not onto tiles, not onto the printed corner
    d = play(s, "to (0,-2)")
    assert d["cauldrons"][0] == {"0,-2": "coloured", "1,-2": "witch", "2,-3": "witch"}


@pytest.mark.holds("witchstone", 105, 106)
def test_a_crystal_enclosed_by_tiles_needs_enough_actions_to_get_over_them():
    ring = "(1,0) (0,1) (-1,1) (-1,0) (0,-1) (1,-1)"
    s = cauldron(position(running="crystal 1", second="wand"), black="(0,0)", energy=ring)
    s[()].item_number[s[()].running] = 1
    assert legal(s) == ["stop"]
    s[()].item_number[s[()].running] = 2
    play(s, "crystal (0,0)")
    assert len(legal(s, "to")) == 12  # the second ring
    assert not legal(s, "exit")
    play(s, "to (0,2)")
    assert pending(s) == ["wand 1"]


@pytest.mark.holds("witchstone", 92, 98, 99, 100)
def test_yellows_three_crystal_actions_become_four_for_the_black_crystal():
    occupied = "(-1,0) (-2,1) (-1,1) (-2,2) (-3,1) (-3,2)"
    s = cauldron(position(running="crystal 3"), coloured=("(2,-3)",), black="(0,0)", energy=occupied)
    play(s, "crystal (2,-3)", "exit crystal", "shelf")
    assert pending(s) == ["crystal 4"]
    play(s, "crystal (0,0)")
    assert "exit witch" in legal(s)
    d = play(s, "exit witch")
    assert d["pending"] == ["black exit witch", "crystal 0"]
    d = play(s, "shelf")
    assert d["pending"] == ["crystal 0", "black vial witch"]
    assert d["shelves"]["crystal"] == {"0": 1, "1": 0, "2": 0, "black": []}
    assert d["shelves"]["witch"] == {"0": 0, "1": 0, "2": 0, "black": [0]}
    play(s, "use vial witch")
    assert pending(s) == ["witch 4", "crystal 0"]


def test_a_black_crystal_on_the_crystal_shelf_adds_four():
    s = cauldron(position(running="crystal 1"), black="(2,-3)", coloured=("(0,0)",))
    play(s, "crystal (2,-3)", "exit crystal", "shelf")
    assert pending(s) == ["crystal 4"]


@pytest.mark.holds("witchstone", 190)
def test_of_two_crystals_on_the_crystal_shelf_only_one_joins_the_running_action():
    s = cauldron(position(running="crystal 2"), coloured=("(2,-3)", "(1,-3)", "(0,0)"))
    play(s, "crystal (2,-3)", "exit crystal", "shelf")
    assert pending(s) == ["crystal 3"]
    play(s, "crystal (1,-3)", "exit crystal", "shelf")
    assert pending(s) == ["crystal 2", "vial crystal"]
    play(s, "use vial crystal")
    assert pending(s) == ["crystal 2", "crystal 2"]


@pytest.mark.holds("witchstone", 190)
def test_no_crystal_joins_an_action_that_a_crystal_vial_started():
    s = cauldron(position(running="crystal 2"), coloured=("(2,-3)", "(1,-3)"), black="(1,-2)")
    play(s, "crystal (2,-3)", "exit crystal", "shelf", "crystal (1,-3)", "exit crystal", "shelf", "use vial crystal")
    play(s, "crystal (1,-2)", "exit crystal", "shelf")
    assert pending(s) == ["crystal 0", "black vial crystal", "crystal 2"]
    play(s, "use vial crystal")
    assert GAME.current_player(s) == 1  # four actions, but no crystal is left


@pytest.mark.holds("witchstone", 190)
def test_a_crystal_joins_every_running_action_that_no_vial_started_once():
    s = position(running="crystal 2", table_chips=("crystal",))
    cauldron(s, coloured=("(2,-3)", "(1,-3)", "(1,-2)", "(0,0)"))
    play(s, "crystal (2,-3)", "exit crystal", "shelf")
    play(s, "crystal (1,-3)", "exit crystal", "bottom", "chip crystal", "use chip crystal")
    assert pending(s) == ["crystal 1", "crystal 2"]
    owns(s, 0, scrolls=("spell single",))
    play(s, "spell single", "crystal (1,-2)", "exit crystal", "shelf")
    assert pending(s) == ["crystal 2", "crystal 2"]


@pytest.mark.holds("witchstone", 109)
@pytest.mark.parametrize(
    ("symbol", "cells"),
    [
        ("crystal", ("(1,-3)", "(2,-3)")),
        ("wand", ("(3,-2)", "(3,-1)")),
        ("scroll", ("(2,1)", "(1,2)")),
        ("energy", ("(-1,3)", "(-2,3)")),
        ("witch", ("(-3,2)", "(-3,1)")),
        ("pentagram", ("(-2,-1)", "(-1,-2)")),
    ],
)
def test_crystals_leave_only_from_the_exit_spaces(symbol, cells):
    for cell in cells:
        s = cauldron(position(running="crystal 1"), coloured=(cell,))
        play(s, f"crystal {cell}")
        assert legal(s, "exit") == [f"exit {symbol}"]
    s = cauldron(position(running="crystal 4"), coloured=("(0,0)",))
    play(s, "crystal (0,0)")
    assert sorted(legal(s, "exit")) == sorted(f"exit {kind}" for kind in ALL_SYMBOLS)
    s = cauldron(position(running="crystal 3"), coloured=("(0,0)",))
    play(s, "crystal (0,0)")
    assert not legal(s, "exit")


@pytest.mark.holds("witchstone", 96, 97, 110)
def test_the_bottom_shelf_gives_a_chip_of_ones_choice():
    s = cauldron(position(running="crystal 2", table_chips=("witch", "points", "witch")), coloured=("(3,-2)", "(0,0)"))
    play(s, "crystal (3,-2)", "exit wand")
    assert legal(s) == ["shelf", "bottom"]
    d = play(s, "bottom")
    assert (d["phase"], d["pending"][0]) == ("chip", "exit wand")
    assert legal(s) == ["chip witch", "chip points"]
    d = play(s, "chip witch")
    assert d["pending"] == ["crystal 1", "chip witch"]
    assert d["table_chips"]["witch"] == 1
    assert d["chips"][0]["witch"] == 1
    assert d["shelves"]["bottom"] == {"0": 1, "1": 0, "2": 0, "black": []}
    play(s, "use chip witch")
    assert pending(s) == ["witch 1", "crystal 1"]


@pytest.mark.holds("witchstone", 101, 102)
def test_the_black_crystal_gives_three_actions_with_a_chip_or_five_points():
    for chip, result in [("energy", ["crystal 0", "black chip energy"]), ("points", [])]:
        s = cauldron(position(running="crystal 1", table_chips=(chip,)), black="(3,-2)")
        play(s, "crystal (3,-2)", "exit wand", "bottom", f"chip {chip}")
        assert pending(s) == result
        assert GAME.scores(s)[0] == (5 if chip == "points" else 0)
        if chip == "energy":
            play(s, "use chip energy")
            assert pending(s) == ["energy 3", "crystal 0"]


def test_a_points_chip_from_the_table_scores_three():
    s = cauldron(position(running="crystal 1", table_chips=("points",)), coloured=("(3,-2)",))
    play(s, "crystal (3,-2)", "exit wand", "bottom", "chip points")
    assert GAME.scores(s)[0] == 3


@pytest.mark.holds("witchstone", 111, 112, 113, 114, 115)
@pytest.mark.parametrize(("players", "shelf", "bottom"), [(2, 4, 4), (3, 5, 5), (4, 6, 5)])
def test_the_room_on_the_shelves_by_number_of_players(players, shelf, bottom):
    assert CAPACITY[players].tolist() == [shelf] * 6 + [bottom]
    for wand_full, bottom_full in [(0, 0), (1, 0), (0, 1), (1, 1)]:
        s = cauldron(position(players, running="crystal 2", table_chips=("witch",)), coloured=("(3,-2)", "(0,0)"))
        r = s[()]
        r.shelf_size[4], r.shelf_size[6] = shelf - 1 + wand_full, bottom - 1 + bottom_full
        d = play(s, "crystal (3,-2)", "exit wand")
        if wand_full and bottom_full:
            assert d["beside"][0] == ["coloured"]
            assert d["spoiled"][0] == 0
            assert d["pending"] == ["crystal 1"]
        else:
            assert legal(s) == ["shelf"] * (not wand_full) + ["bottom"] * (not bottom_full)
            full_now = play(s, legal(s)[0])
            assert full_now["beside"][0] == []


@pytest.mark.holds("witchstone", 103)
def test_black_crystals_fill_a_vial_too_but_are_not_ones_crystals():
    s = cauldron(position(running="crystal 1"), black="(3,-2)")
    play(s, "crystal (3,-2)", "exit wand", "shelf")
    assert s[()].shelf_size[4] == 1
    assert s[()].racked[0] == 0


@pytest.mark.holds("witchstone", 44)
def test_there_is_a_shelf_for_each_symbol_and_the_bottom_one():
    assert (*ALL_SYMBOLS, "bottom") == SHELF_NAMES
    assert NUM_SHELVES == 7


@pytest.mark.holds("witchstone", 95, 186)
def test_the_scroll_vial_gives_one_scroll_from_position_one_or_two():
    s = cauldron(position(running="crystal 1"), coloured=("(2,1)",))
    d = play(s, "crystal (2,1)", "exit scroll", "shelf", "use vial scroll")
    assert legal(s, "scroll") == ["scroll 1", "scroll 2"]
    second = d["display"][1]
    d = play(s, "scroll 2")
    assert d["scrolls"][0]["prophecies"] == [second]
    assert d["current_player"] == 1


@pytest.mark.holds("witchstone", 187)
def test_a_spell_widens_the_choice_of_a_scroll_vial():
    s = owns(cauldron(position(running="crystal 1"), coloured=("(2,1)",)), 0, scrolls=("spell scroll",))
    play(s, "crystal (2,1)", "exit scroll", "shelf", "use vial scroll", "spell scroll")
    assert legal(s, "scroll") == ["scroll 1", "scroll 2", "scroll 3", "scroll 4"]


# Wand.


@pytest.mark.holds("witchstone", 118, 120, 121, 127, 128, 129, 130, 132, 133, 134, 135, 136, 137)
@pytest.mark.parametrize("leading", [True, False])
@pytest.mark.parametrize(
    ("space", "starts"),
    [(3, "crystal 1"), (6, "energy 1"), (9, "witch 2"), (12, "pentagram 2"), (15, "scroll 3")]
    + [(n, "") for n in (1, 2, 4, 5, 7, 8, 10, 11, 13, 14, 16, 17)],
)
def test_each_space_of_the_wand(space, starts, leading):
    """Three connections, two scrolls, six witches (the big one too), one crystal, five chips, two special hexes."""
    s = sits(position(running="wand 1"), 0, wand=space - 1, lying=3, standing="F0 V0")
    sits(s, 1, wand=space if leading else min(space + 1, 17))
    owns(s, 0, connections="T0-F0 T0-V0 T0-W", scrolls=("stone", "lying"), chips=5)
    s[()].racked[0], s[()].num_hexes[0] = 1, 2
    d = play(s, "advance")
    silver = {2: 3, 5: 2, 8: 6, 11: 1, 14: 5, 17: 2 * 2}
    assert d["scores"][0] == silver.get(space, 0)
    assert d["wand"][0] == space
    if starts:
        symbol, number = starts.split()
        factor = 2 if leading else 1
        assert d["pending"] == [f"{symbol} {int(number) * factor}"]
    else:
        assert d["current_player"] == 1


@pytest.mark.holds("witchstone", 131)
def test_the_dark_scroll_space_lets_choose_of_three_or_of_all_for_the_leader():
    for rival, shown in [(17, 3), (15, 6)]:
        s = sits(sits(position(running="wand 1"), 0, wand=14), 1, wand=rival)
        play(s, "advance")
        assert len(legal(s, "scroll")) == shown


@pytest.mark.holds("witchstone", 133)
def test_used_spells_count_on_the_silver_space_of_scrolls():
    s = owns(sits(position(running="wand 1"), 0, wand=4), 0, scrolls=("stone", "spell energy"))
    s[()].spells[0], s[()].spells_used[0] = 0, s[()].spells[0]
    assert play(s, "advance")["scores"][0] == 2


@pytest.mark.holds("witchstone", 119, 138, 139)
def test_yellow_advances_four_scores_five_witches_and_gets_four_witch_actions():
    s = position(4, current=YELLOW, running="wand 4")
    sits(sits(s, RED, wand=10), BLUE, wand=8)
    sits(s, YELLOW, wand=6, lying=2, standing="F2 V2")
    d = play(s, "advance")
    assert d["wand"][YELLOW] == 10
    assert d["scores"][YELLOW] == 5
    assert d["pending"] == ["witch 4"]
    assert d["wand_order"] == {"8": [BLUE], "10": [RED, YELLOW]}


@pytest.mark.holds("witchstone", 140)
def test_yellow_behind_red_gets_only_two_witch_actions_for_three_steps():
    s = position(4, current=YELLOW, running="wand 3")
    sits(sits(s, RED, wand=10), BLUE, wand=8)
    sits(s, YELLOW, wand=6, lying=2, standing="F2 V2")
    d = play(s, "advance")
    assert d["scores"][YELLOW] == 5
    assert d["pending"] == ["witch 2"]


@pytest.mark.holds("witchstone", 123, 125)
def test_spaces_crossed_are_resolved_in_order_and_score_what_one_has_then():
    s = sits(sits(position(running="wand 5"), 0, wand=5), 1, wand=17)
    owns(s, 0, connections="T0-F0")
    d = play(s, "advance")
    assert d["pending"] == ["energy 1", "space 8", "space 9"]  # light ones are not listed
    d = play(s, "stop")
    assert d["scores"][0] == 1
    assert d["pending"] == ["witch 2"]


@pytest.mark.holds("witchstone", 123)
def test_a_silver_space_behind_a_dark_one_counts_what_its_actions_brought():
    s = sits(sits(position(running="wand 3"), 0, wand=8, lying=1), 1, wand=17)
    s[()].racked[0] = 4
    d = play(s, "advance")
    assert d["pending"] == ["witch 2", "space 11"]
    play(s, "lay witch", "stop")
    assert GAME.scores(s)[0] == 4


@pytest.mark.holds("witchstone", 40, 124)
def test_the_wand_ends_at_its_last_space():
    s = sits(position(running="wand 9", second="energy"), 0, wand=15)
    d = play(s, "advance")
    assert d["wand"][0] == 17
    assert d["pending"] == ["energy 1"]
    s = sits(position(running="pentagram 1", second="wand"), 0, wand=17)
    assert play(s, "advance")["current_player"] == 1  # no wand action any more


def wand_vial_inside_a_wand_move(steps: int, rival: int, *, black: bool = False) -> np.ndarray:
    """From space 2, a crystal that space 3 starts goes to the wand's shelf, and its actions are used at once."""
    s = sits(sits(position(running=f"wand {steps}"), 0, wand=2), 1, wand=rival)
    cauldron(s, coloured=() if black else ("(3,-2)",), black="(3,-2)" if black else None)
    owns(s, 0, scrolls=("stone",))
    play(s, "advance", "crystal (3,-2)", "exit wand", "shelf", "use vial wand")
    return s


@pytest.mark.holds("witchstone", 122, 125, 197)
def test_a_wand_move_inside_a_wand_move_only_moves_the_counter_on():
    """From 2 to 6 behind a rival at 7, and from within space 3 to 8: now first, all spaces come in their order."""
    s = wand_vial_inside_a_wand_move(4, 7)
    assert pending(s) == ["wand 2", "crystal 0", "space 5", "space 6"]
    d = play(s, "advance")
    assert d["wand"][0] == 8
    assert d["scores"][0] == 1  # space 5, for one scroll: the crystal action had nothing left
    assert d["pending"] == ["energy 2", "space 8"]  # space 6, twice for the one who is first now
    play(s, "energy T0-V0", "energy T0-F0")
    d = GAME.describe(s)
    assert d["scores"][0] == 1 + 1 + 1 + 1  # two connections, and the big witch on space 8
    assert d["current_player"] == 1


@pytest.mark.holds("witchstone", 122)
def test_a_dark_space_already_resolved_is_not_paid_again_when_one_gets_ahead():
    s = wand_vial_inside_a_wand_move(4, 7)
    assert pending(s)[1] == "crystal 0"  # space 3 gave one action only
    play(s, "advance")
    assert not [text for text in pending(s) if text.startswith("crystal")]


@pytest.mark.holds("witchstone", 125)
def test_a_light_space_still_to_come_keeps_an_earlier_wand_move_open():
    s = wand_vial_inside_a_wand_move(2, 17)
    assert pending(s) == ["wand 2", "crystal 0"]  # of the first move only space 4 is left, which is light
    cauldron(s, coloured=("(0,0)",))
    owns(s, 0, scrolls=("spell crystal",))  # so that the crystal action stays open
    d = play(s, "advance")
    assert d["wand"][0] == 6
    assert d["pending"] == ["crystal 0", "space 5", "space 6"]
    d = play(s, "stop")
    assert d["scores"][0] == 2  # now space 5, for two scrolls
    assert d["pending"] == ["energy 1"]


def test_a_wand_move_inside_the_last_space_of_another_is_a_move_of_its_own():
    s = wand_vial_inside_a_wand_move(1, 17)
    owns(s, 0, scrolls=("spell crystal",))
    d = play(s, "advance")  # to 5, from within space 3
    assert d["scores"][0] == 2
    assert d["pending"] == ["crystal 0"]


def test_a_special_hex_can_bring_a_wand_move_inside_another():
    s = sits(sits(position(running="wand 3"), 0, wand=11), 1, wand=17)
    s[()].hex_at[:] = PAIR_NAMES.index("crystal/wand")
    owns(sits(s, 0, pentagram=0, wand=11), 0, chips=3)
    play(s, "advance")
    assert pending(s) == ["pentagram 2", "space 14"]
    play(s, "advance", "hex crystal/wand", "use wand")
    assert pending(s) == ["wand 2", "pentagram 0", "space 14"]
    d = play(s, "advance")
    assert d["wand"][0] == 16
    assert d["scores"][0] == 3  # space 14, for three chips
    assert d["pending"] == ["scroll 3"]


@pytest.mark.holds("witchstone", 126, 197)
def test_being_ahead_counts_right_after_the_move():
    s = sits(position(running="wand 1"), 1, wand=3)
    sits(s, 0, wand=2)
    play(s, "advance")
    assert pending(s) == ["crystal 2"]


# Scrolls.


@pytest.mark.holds("witchstone", 37, 141, 142, 143)
@pytest.mark.parametrize("number", range(1, 9))
def test_a_scroll_is_one_of_the_first_n_and_the_display_moves_up(number):
    s = position(running=f"scroll {number}")
    before = GAME.describe(s)["display"]
    assert len(legal(s, "scroll")) == min(number, 6)
    d = play(s, legal(s, "scroll")[-1])
    taken = before.pop(min(number, 6) - 1)
    assert d["scrolls"][0]["prophecies"] == [taken]
    assert d["display"][:5] == before
    assert len(d["display"]) == 6
    assert d["current_player"] == 1


@pytest.mark.holds("witchstone", 155, 156)
def test_without_a_pile_the_display_runs_out_and_then_there_is_nothing():
    s = position(running="scroll 3", second="scroll", display=("stone", "lying"), scroll_pile=())
    assert legal(s, "scroll") == ["scroll 1", "scroll 2"]
    d = play(s, "scroll 1")
    assert d["display"] == ["lying"]
    d = play(s, "scroll 1")
    assert d["display"] == []
    assert d["current_player"] == 1
    s = position(running="pentagram 1", second="scroll", display=(), scroll_pile=())
    assert play(s, "advance")["current_player"] == 1


@pytest.mark.holds("witchstone", 152, 153, 188)
def test_two_scroll_chips_take_the_first_scroll_each_and_only_spells_widen_the_choice():
    s = sits(position(running="witch 2", chips={"F0": "scroll", "V0": "scroll"}), 0, lying=2)
    owns(s, 0, connections="T0-F0 T0-V0", scrolls=("spell single",))
    play(s, "stand F0", "stand V0", "use chip scroll")
    assert pending(s) == ["scroll 1", "witch 0", "chip scroll"]
    assert legal(s, "scroll") == ["scroll 1"]
    play(s, "scroll 1", "use chip scroll", "spell single")
    assert legal(s, "scroll") == ["scroll 1", "scroll 2"]


@pytest.mark.holds("witchstone", 144, 147, 148, 183, 184)
@pytest.mark.parametrize("symbol", ALL_SYMBOLS)
def test_spells_raise_the_running_action_by_two_or_a_single_one_by_one(symbol):
    s = cauldron(position(running=f"{symbol} 1"), black="(0,0)")
    owns(s, 0, scrolls=("spell single", f"spell {symbol}", f"spell {symbol}", "spell energy", "spell wand"))
    others = {"spell energy", "spell wand"} - {f"spell {symbol}"}
    assert not others & set(legal(s))
    play(s, f"spell {symbol}")
    assert pending(s) == [f"{symbol} 3"]
    play(s, "spell single", f"spell {symbol}")
    assert pending(s) == [f"{symbol} 6"]
    d = GAME.describe(s)
    assert sorted(d["scrolls"][0]["used"]) == sorted(["spell single", f"spell {symbol}", f"spell {symbol}"])


def test_a_spell_raises_an_open_action_whose_actions_are_used_up():
    s = owns(position(running="energy 1"), 0, scrolls=("spell energy",))
    play(s, "energy T0-V0")
    assert choices(s) == ["spell energy", "stop"]
    play(s, "spell energy")
    assert pending(s) == ["energy 2"]
    play(s, "energy T0-F0", "energy T0-W")
    assert GAME.current_player(s) == 1


@pytest.mark.holds("witchstone", 146)
@pytest.mark.parametrize("symbol", ["pentagram", "wand", "scroll"])
def test_what_is_carried_out_in_one_go_is_raised_before(symbol):
    s = sits(position(running=f"{symbol} 1"), 0, pentagram=1)
    owns(s, 0, scrolls=(f"spell {symbol}", "spell single"))
    play(s, "scroll 1" if symbol == "scroll" else "advance")
    assert not legal(s, "spell")


@pytest.mark.holds("witchstone", 145)
def test_no_spell_starts_an_action():
    s = owns(position(), 0, scrolls=("spell single", "spell energy"))
    assert not legal(s, "spell")


# Bonuses.


@pytest.mark.holds("witchstone", 66, 193, 194)
def test_a_bonus_that_waits_when_its_action_stops_is_lost_but_the_chip_is_kept():
    s = sits(position(running="witch 2", chips={"F0": "energy"}), 0, lying=1)
    owns(s, 0, connections="T0-F0")
    d = play(s, "stand F0")
    assert d["pending"] == ["witch 1", "chip energy"]
    d = play(s, "stop")
    assert d["current_player"] == 1
    assert d["chips"][0]["energy"] == 1


@pytest.mark.holds("witchstone", 64)
def test_an_action_whose_actions_are_used_up_stays_open_for_what_waits_on_it():
    s = sits(position(running="witch 1", chips={"F0": "energy"}), 0, lying=1)
    owns(s, 0, connections="T0-F0")
    play(s, "stand F0")
    assert pending(s) == ["witch 0", "chip energy"]
    assert choices(s) == ["use chip energy", "stop"]
    play(s, "use chip energy", "energy T0-V0")
    assert GAME.current_player(s) == 1


@pytest.mark.holds("witchstone", 188, 192)
def test_of_two_bonuses_with_one_name_the_stronger_is_used_first_and_they_do_not_merge():
    s = cauldron(position(running="crystal 2", table_chips=("energy",) * 2), coloured=("(3,-2)",), black="(3,-1)")
    play(s, "crystal (3,-2)", "exit wand", "bottom", "chip energy")
    play(s, "crystal (3,-1)", "exit wand", "bottom", "chip energy")
    assert pending(s) == ["crystal 0", "chip energy", "black chip energy"]
    play(s, "use chip energy")
    assert pending(s) == ["energy 3", "crystal 0", "chip energy"]
    play(s, "stop", "use chip energy")
    assert pending(s) == ["energy 1", "crystal 0"]


@pytest.mark.holds("witchstone", 65, 192)
def test_only_what_waits_on_the_topmost_action_can_be_used():
    s = sits(position(running="witch 2", chips={"F0": "energy", "V0": "scroll"}), 0, lying=2)
    owns(s, 0, connections="T0-F0 T0-V0")
    play(s, "stand F0", "stand V0", "use chip energy")
    assert pending(s) == ["energy 1", "witch 0", "chip scroll"]
    assert not legal(s, "use")


@pytest.mark.holds("witchstone", 65, 70, 183, 184, 191, 195)
def test_blues_six_witch_actions_of_the_faq():
    s = position(
        4,
        current=BLUE,
        running="witch 6",
        towers=("T1", "T2", "T3", "T0"),
        chips={"F0": "energy", "F3": "pentagram", "T1": "scroll"},
        display=("spell pentagram", "stone"),
    )
    cauldron(s, BLUE, black="(0,0)")
    owns(sits(s, BLUE, lying=1, pentagram=0), BLUE, connections="T0-F0")
    owns(s, 0, connections="T1-F1 F1-W T1-W F0-T1")
    r = s[()]
    r.filled[15], r.touched, r.begun[BLUE] = 1, r.touched | 1 << 15, 15  # he has begun F3-T0
    play(s, "stand F0")
    assert pending(s) == ["witch 5", "chip energy"]
    play(s, "use chip energy", "energy F3-T0")
    assert pending(s) == ["witch 5"]
    play(s, "lay witch", "stand F3")
    assert pending(s) == ["witch 3", "chip pentagram"]  # kept back
    play(s, "lay witch", "stand T1")  # own connection and a rival's: two actions
    assert pending(s) == ["witch 0", "chip pentagram", "chip scroll"]
    play(s, "use chip scroll", "scroll 1")
    assert choices(s) == ["use chip pentagram", "stop"]
    play(s, "use chip pentagram", "spell pentagram")
    assert pending(s) == ["pentagram 3", "witch 0"]
    d = play(s, "advance")
    assert d["pentagram"][BLUE] == 3
    d = play(s, "hex energy/witch", "place (1,1)")
    assert d["current_player"] == 0
    assert d["chips"][BLUE] == dict.fromkeys((*ALL_SYMBOLS, "points"), 0) | {"energy": 1, "pentagram": 1, "scroll": 1}


@pytest.mark.holds("witchstone", 39, 95, 191, 193)
def test_a_chain_six_bonuses_deep_is_resolved_from_the_top():
    s = position(running="witch 2", second="scroll", chips={"F0": "pentagram"}, hexes=("crystal/wand", None, None))
    cauldron(s, coloured=("(3,-2)", "(-1,3)", "(0,0)"))
    owns(s, 0, connections="T0-F0", scrolls=("spell wand",))
    sits(s, 0, lying=1, wand=1, pentagram=1)
    below = ["witch 1", "second scroll"]
    play(s, "stand F0")
    assert pending(s) == ["witch 1", "chip pentagram", "second scroll"]
    play(s, "use chip pentagram", "advance")
    assert pending(s) == ["pentagram 0", "hex crystal/wand", *below]
    play(s, "hex crystal/wand", "use crystal", "crystal (3,-2)", "exit wand", "shelf")
    assert pending(s) == ["crystal 1", "vial wand", "pentagram 0", *below]
    play(s, "use vial wand", "spell wand")
    assert pending(s) == ["wand 4", "crystal 1", "pentagram 0", *below]
    points = GAME.scores(s)[0]
    d = play(s, "advance")
    assert d["scores"][0] == points + 1  # silver space 2: one connection
    assert d["pending"] == ["crystal 2", "space 5", "crystal 1", "pentagram 0", *below]
    play(s, "crystal (-1,3)", "exit energy", "shelf", "use vial energy")
    assert pending(s) == ["energy 2", "crystal 1", "space 5", "crystal 1", "pentagram 0", *below]
    d = play(s, "energy T0-V0", "stop")
    assert d["pending"] == ["crystal 1", "space 5", "crystal 1", "pentagram 0", *below]
    d = play(s, "stop")
    assert d["scores"][0] == points + 1 + 1 + 1  # the connection, and silver space 5: one scroll
    assert d["pending"] == ["crystal 1", "pentagram 0", *below]
    play(s, "stop")
    assert pending(s) == below  # the pentagram action had nothing left and ended by itself
    play(s, "stop")
    assert pending(s) == ["scroll 1"]


def test_a_bonus_of_an_action_that_can_do_nothing_is_used_up():
    s = sits(position(running="witch 2", chips={"F0": "wand"}), 0, lying=1, wand=17)
    owns(s, 0, connections="T0-F0")
    play(s, "stand F0", "use chip wand")
    assert pending(s) == ["witch 1"]
