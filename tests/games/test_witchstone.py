"""The rules of Witchstone: set-up, a turn, the tile, spoiling and the end, in the rulebook's order."""

from __future__ import annotations

import pytest
from witchstone_positions import ALL_SYMBOLS, GAME, cauldron, legal, owns, pending, play, position, sits

from coven.games.core.errors import BadOption, IllegalAction
from coven.games.witchstone.state import PAIR_NAMES, SCROLLS
from coven.playthrough import random_game

PLAYERS = GAME.players


# The box.


@pytest.mark.holds("witchstone", 11, 13, 14, 15, 67)
def test_the_box_is_complete():
    d = GAME.describe(GAME.new(4, seed=1))
    assert sum(place["chip"] is not None for place in d["locations"].values()) == 16
    assert d["locations"]["W"]["chip"] is None
    assert sum(d["table_chips"].values()) == 5
    kinds = [place["chip"] for place in d["locations"].values() if place["chip"]]
    assert all(kinds.count(kind) + n == 3 for kind, n in d["table_chips"].items())
    assert len(d["display"]) == 6
    assert len(d["display"] + d["piles"]["scrolls"]) == 40
    assert len(set(SCROLLS)) == 31
    assert sorted([*d["hexes"].values(), *d["piles"]["hexes"]]) == sorted(PAIR_NAMES)
    assert len(d["connections"]) == 32
    assert sum(c["length"] for c in d["connections"].values()) == 64
    assert len(d["locations"]) == 17
    assert GAME.num_actions == 427


@pytest.mark.holds("witchstone", 17)
def test_every_cauldron_starts_with_six_coloured_crystals_around_a_black_one():
    d = GAME.describe(GAME.new(2, seed=1))
    around = {"1,-2", "2,-1", "1,1", "-1,2", "-2,1", "-1,-1"}
    assert d["cauldrons"] == [{"0,0": "black"} | dict.fromkeys(around, "coloured")] * 2


# Set-up.


@pytest.mark.holds("witchstone", 10, 12, 14, 18)
def test_set_up_mixes_scrolls_special_hexes_chips_and_tiles():
    deals = [GAME.describe(GAME.new(2, seed)) for seed in range(40)]
    assert len({tuple(d["piles"]["scrolls"]) for d in deals}) == 40
    assert len({tuple(d["piles"]["hexes"]) for d in deals}) == 40
    assert len({tuple(place["chip"] for place in d["locations"].values()) for d in deals}) == 40
    assert {tile for d in deals for tile in d["hands"][0]} == set(PAIR_NAMES)


@pytest.mark.holds("witchstone", 19)
@pytest.mark.parametrize("players", PLAYERS)
def test_all_counters_start_at_the_beginning(players):
    d = GAME.describe(GAME.new(players, seed=3))
    assert d["scores"] == d["pentagram"] == d["wand"] == [0] * players


@pytest.mark.holds("witchstone", 16, 18)
@pytest.mark.parametrize("players", PLAYERS)
def test_everyone_holds_five_tiles_and_has_ten_in_the_supply(players):
    d = GAME.describe(GAME.new(players, seed=4))
    assert [len(set(hand)) for hand in d["hands"]] == [5] * players
    assert d["supply"] == [10] * players
    assert (d["energy"], d["lying"], d["reserve"]) == ([20] * players, [0] * players, [11] * players)
    assert (d["turn"], d["round"], d["phase"]) == (0, 0, "tower")


@pytest.mark.holds("witchstone", 20, 21, 26)
@pytest.mark.parametrize("players", PLAYERS)
def test_big_witches_are_placed_from_the_last_player_back_to_the_first_who_begins(players):
    firsts = set()
    for seed in range(60):
        s = GAME.new(players, seed)
        d = GAME.describe(s)
        first, order = d["first_player"], []
        while d["turn"] == 0:
            if d["phase"] == "tower":
                order.append(d["current_player"])
            d = play(s, legal(s)[-1])  # the last tower left, and then stop
        assert order == [(first - 1 - i) % players for i in range(players)]
        assert (d["current_player"], d["phase"], d["turn"], d["round"]) == (first, "tile", 1, 1)
        firsts.add(first)
    assert firsts == set(range(players))


@pytest.mark.holds("witchstone", 23, 25, 26)
def test_a_tower_is_one_players_alone_and_brings_two_points_and_its_chip():
    s = GAME.new(3, seed=1)
    before = GAME.describe(s)
    p, chip = before["current_player"], before["locations"]["T2"]["chip"]
    assert legal(s) == ["tower T0", "tower T1", "tower T2", "tower T3"]
    d = play(s, "tower T2")
    assert d["tower"][p] == "T2"
    assert d["locations"]["T2"] == {"chip": None, "witches": [p]}
    assert d["scores"][p] == 2 + 3 * (chip == "points")
    assert d["chips"][p][chip] == 1
    while d["phase"] != "tower":
        d = play(s, "stop")
    assert legal(s) == ["tower T0", "tower T1", "tower T3"]


@pytest.mark.holds("witchstone", 24)
@pytest.mark.parametrize("chip", ALL_SYMBOLS)
def test_the_chip_of_the_tower_starts_at_once_may_be_stopped_and_nothing_can_be_spoiled_yet(chip):
    seed = next(i for i in range(200) if GAME.describe(GAME.new(2, i))["locations"]["T1"]["chip"] == chip)
    s = GAME.new(2, seed)
    play(s, "tower T1")
    assert pending(s) == [f"{chip} 1"]
    assert "stop" in legal(s)
    assert not legal(s, "spoil")
    assert play(s, "stop")["phase"] == "tower"


def test_a_points_chip_of_the_tower_scores_three_and_the_next_player_places():
    seed = next(i for i in range(200) if GAME.describe(GAME.new(2, i))["locations"]["T1"]["chip"] == "points")
    s = GAME.new(2, seed)
    p = GAME.current_player(s)
    d = play(s, "tower T1")
    assert d["scores"][p] == 5
    assert d["phase"] == "tower"
    assert d["current_player"] != p


# A turn.


@pytest.mark.holds("witchstone", 34, 35, 157, 203)
@pytest.mark.parametrize("players", PLAYERS)
def test_everyone_has_eleven_turns_clockwise_and_four_tiles_left(players):
    for seed in range(5):
        s = GAME.new(players, seed)
        turns = []
        for action in random_game(GAME, s, seed):
            if GAME.action_to_string(s, action).startswith(("tile", "discard")):
                turns.append(GAME.current_player(s))
                assert GAME.describe(s)["turn"] == len(turns)
                assert GAME.describe(s)["round"] == (len(turns) - 1) // players + 1
        first = GAME.describe(s)["first_player"]
        assert turns == [(first + i) % players for i in range(11 * players)]
        assert [len(hand) for hand in GAME.describe(s)["hands"]] == [4] * players
        assert GAME.describe(s)["supply"] == [0] * players


@pytest.mark.holds("witchstone", 27, 28, 29, 108, 185)
def test_a_tile_goes_on_any_two_neighbouring_free_spaces_in_either_order():
    s = cauldron(position(hand=("energy/wand",)), black="(0,0)", witch="(1,0)")
    play(s, "tile energy/wand")
    assert len(legal(s, "lay")) == 144 - 2 * 6 - 2 * 6 + 2  # no space beside the crystal or the tile, one pair in both
    assert "lay (0,1) (1,1)" in legal(s)
    assert "lay (1,1) (0,1)" in legal(s)
    assert not [text for text in legal(s, "lay") if "(0,0)" in text or "(1,0)" in text]
    assert not [text for text in legal(s, "lay") if "(0,-3)" in text or "(3,-3)" in text]  # printed
    d = play(s, "lay (0,1) (1,1)")
    assert d["cauldrons"][0]["0,1"] == "energy"
    assert d["cauldrons"][0]["1,1"] == "wand"
    assert d["hands"][0] == []
    assert legal(s) == ["start energy", "start wand"]


def test_the_chosen_tile_stays_in_hand_until_it_is_laid_and_is_its_owners_secret():
    s = position(hand=("energy/wand", "witch/scroll"))
    d = play(s, "tile witch/scroll")
    assert d["hands"][0] == ["energy/wand", "witch/scroll"]
    assert d["pending"] == ["tile witch/scroll"]
    assert GAME.describe(s, viewer=0)["pending"] == ["tile witch/scroll"]
    assert GAME.describe(s, viewer=1)["pending"] == [None]


@pytest.mark.holds("witchstone", 32, 33, 39)
def test_the_second_symbol_follows_by_itself_and_then_a_tile_is_drawn():
    s = cauldron(position(hand=("energy/witch",)), black="(0,0)")
    play(s, "tile energy/witch", "lay (1,1) (2,0)", "start witch")
    assert pending(s) == ["witch 1", "second energy"]
    play(s, "lay witch")
    assert pending(s) == ["energy 1"]
    d = play(s, "energy T0-V0")
    assert d["current_player"] == 1
    assert len(d["hands"][0]) == 1
    assert d["supply"][0] == 9


# Groups.


def groups_of(tile: str, lay: str, **symbols: str) -> dict[str, str]:
    """What a tile laid there starts, by the symbol chosen first."""
    started = {}
    for symbol in tile.split("/"):
        s = cauldron(position(hand=(tile,), score=(9, 9, 9)), black="(-3,1)", **symbols)
        play(s, f"tile {tile}", f"lay {lay}", f"start {symbol}")
        started[symbol] = pending(s)[0]
    return started


@pytest.mark.holds("witchstone", 32, 36, 43)
def test_five_crystal_actions_and_one_wand_action():
    started = groups_of("crystal/wand", "(0,0) (1,0)", crystal="(-1,0) (-2,0) (0,-1) (-1,1)", wand="(3,-1) (0,2)")
    assert started == {"crystal": "crystal 5", "wand": "wand 1"}


@pytest.mark.holds("witchstone", 38, 41, 89)
def test_red_gets_five_crystal_and_three_wand_actions_beside_a_special_hex():
    started = groups_of(
        "crystal/wand", "(0,0) (1,0)", crystal="(-1,0) (-1,1) (-2,1)", wand="(2,-1)", crystal_wand="(0,1)"
    )
    assert started == {"crystal": "crystal 5", "wand": "wand 3"}


@pytest.mark.holds("witchstone", 90)
def test_red_gets_three_energy_and_four_wand_actions_beside_two_special_hexes():
    started = groups_of(
        "energy/wand", "(0,0) (1,0)", energy="(-1,0)", wand="(2,0)", energy_wand="(0,1)", witch_wand="(1,-1)"
    )
    assert started == {"energy": "energy 3", "wand": "wand 4"}


@pytest.mark.holds("witchstone", 42)
def test_a_larger_group_elsewhere_does_not_count():
    started = groups_of("crystal/wand", "(0,0) (1,0)", crystal="(-1,0)", wand="(0,2) (-1,2) (-1,3) (-2,3)")
    assert started == {"crystal": "crystal 2", "wand": "wand 1"}


@pytest.mark.holds("witchstone", 36)
def test_printed_symbols_count_in_groups():
    assert groups_of("energy/witch", "(0,-2) (1,-2)", energy="(1,-3)")["energy"] == "energy 3"


@pytest.mark.holds("witchstone", 83, 84, 85)
def test_green_moves_four_on_the_pentagram_and_the_hex_she_places_makes_five_witch_actions():
    s = position(hand=("witch/pentagram",), hexes=("witch/pentagram", "energy/witch", "energy/wand"))
    cauldron(s, coloured=("(1,-2)",), pentagram="(-1,1) (-2,1) (-1,2)", witch="(2,0) (-1,3) (-2,3)")
    play(s, "tile witch/pentagram", "lay (1,1) (0,1)", "start pentagram")
    assert pending(s) == ["pentagram 4", "second witch"]
    d = play(s, "advance")
    assert d["pentagram"][0] == 4
    assert pending(s) == ["pentagram 0", "hex witch/pentagram", "second witch"]
    play(s, "hex witch/pentagram")
    assert pending(s) == ["hex witch/pentagram", "pentagram 0", "second witch"]
    d = play(s, "place (0,2)")  # touches her tile and two more witches: 5 instead of 2, and no step more
    assert d["pending"] == ["witch 5"]
    assert d["pentagram"][0] == 4
    assert d["specials"][0] == {"used": [], "placed": ["witch/pentagram"]}


# Spoiling.


@pytest.mark.holds("witchstone", 116, 117)
def test_spoiling_costs_one_point_then_two_and_needs_the_points():
    s = cauldron(position(score=(3, 0, 0)), coloured=("(1,-2)", "(2,-1)", "(1,1)"), black="(0,0)")
    assert len(legal(s, "spoil")) == 4
    d = play(s, "spoil (0,0)")
    assert (d["scores"][0], d["spoiled"][0]) == (2, 1)
    assert len(legal(s, "spoil")) == 3
    d = play(s, "spoil (1,1)")
    assert (d["scores"][0], d["spoiled"][0]) == (0, 2)
    assert not legal(s, "spoil")
    assert d["phase"] == "tile"
    assert d["cauldrons"][0] == {"1,-2": "coloured", "2,-1": "coloured"}


@pytest.mark.holds("witchstone", 116)
def test_crystals_can_be_spoiled_between_decisions_but_not_between_two_halves_of_one():
    s = cauldron(position(hand=("crystal/scroll",), score=(9, 9, 9)), coloured=("(1,-3)", "(2,-3)", "(1,1)"))
    assert legal(s, "spoil")
    play(s, "tile crystal/scroll")
    assert legal(s, "spoil")
    play(s, "lay (0,0) (0,1)")
    assert legal(s, "spoil")
    play(s, "start crystal")
    assert legal(s, "spoil")
    play(s, "crystal (1,-3)")
    assert not legal(s, "spoil")
    play(s, "exit crystal")
    assert GAME.describe(s)["phase"] == "rack"
    assert not legal(s, "spoil")


@pytest.mark.holds("witchstone", 104, 116)
def test_a_crystal_action_ends_by_itself_when_its_last_crystal_is_spoiled():
    s = cauldron(position(running="crystal 3", second="wand", score=(9, 0, 0)), black="(0,0)")
    play(s, "spoil (0,0)")
    assert pending(s) == ["wand 1"]


FULL = (
    "(1,-3) (2,-3) (-1,-2) (0,-2) (1,-2) (2,-2) (3,-2) (-2,-1) (-1,-1) (0,-1) (1,-1) (2,-1) (3,-1) (-2,0) (-1,0) (1,0)"
)
REST = "(2,0) (-3,1) (-2,1) (-1,1) (0,1) (1,1) (2,1) (-3,2) (-2,2) (-1,2) (0,2) (1,2) (-2,3) (-1,3)"


def test_a_tile_that_fits_nowhere_is_discarded_without_actions():
    s = cauldron(position(hand=("energy/wand", "witch/scroll")), energy=FULL, witch=REST)
    assert legal(s) == ["discard energy/wand", "discard witch/scroll"]
    d = play(s, "discard witch/scroll")
    assert d["current_player"] == 1
    assert "energy/wand" in d["hands"][0]
    assert len(d["hands"][0]) == 2  # a tile was drawn
    assert d["supply"][0] == 9
    assert (int(s[()].gone[0]) >> GAME.actions.ids["tile witch/scroll"] - GAME.actions.start("tile")) & 1


@pytest.mark.holds("witchstone", 30)
def test_spoiling_is_forced_while_it_can_make_room():
    """The black crystal lies alone beside the one free space."""
    taken = REST.replace("(0,1) ", "")
    s = cauldron(position(score=(1, 0, 0)), black="(0,0)", energy=FULL, witch=taken)
    assert legal(s) == ["spoil (0,0)"]
    play(s, "spoil (0,0)")
    assert legal(s) == ["tile energy/wand"]
    play(s, "tile energy/wand")
    assert legal(s, "lay") == ["lay (0,0) (0,1)", "lay (0,1) (0,0)"]


def test_spoiling_that_cannot_be_paid_or_does_not_help_is_not_forced():
    taken = REST.replace("(0,1) ", "")
    s = cauldron(position(score=(0, 0, 0)), black="(0,0)", energy=FULL, witch=taken)
    assert legal(s) == ["discard energy/wand"]
    s = cauldron(position(score=(9, 0, 0)), black="(0,0)", energy=FULL, witch=REST)  # no free space, one crystal
    assert legal(s) == ["discard energy/wand", "spoil (0,0)"]


def test_two_neighbouring_crystals_can_be_spoiled_for_three_points():
    taken = REST.replace("(0,1) ", "")
    s = cauldron(position(score=(3, 0, 0)), black="(0,0)", coloured=("(0,1)",), energy=FULL, witch=taken)
    assert legal(s) == ["spoil (0,0)", "spoil (0,1)"]
    s = cauldron(position(score=(2, 0, 0)), black="(0,0)", coloured=("(0,1)",), energy=FULL, witch=taken)
    assert legal(s) == ["discard energy/wand", "spoil (0,0)", "spoil (0,1)"]


def test_any_spoil_is_legal_when_it_is_forced_and_a_useless_one_can_end_in_a_discard():
    taken = REST.replace("(0,1) ", "").replace("(-2,3) ", "")
    s = cauldron(position(score=(1, 0, 0)), black="(0,0)", coloured=("(-2,3)",), energy=FULL, witch=taken)
    assert legal(s) == ["spoil (0,0)", "spoil (-2,3)"]
    play(s, "spoil (-2,3)")
    assert legal(s) == ["discard energy/wand"]


# The end.


def finished(players: int = 3, **kwargs: object) -> object:
    """The last decision of the last turn."""
    return position(players, last_turn=True, running="energy 1", **kwargs)


@pytest.mark.holds("witchstone", 25, 66, 150, 158, 159, 160, 162)
def test_the_end_counts_owls_chips_and_unused_spells():
    s = finished()
    owns(s, 0, chips=4, scrolls=("spell single", "spell witch"))
    owns(s, 1, chips=1)
    r = s[()]
    r.owl_points[1], r.owl_owner[0, 0], r.owl_owner[1, 2], r.owls_taken[:] = 12, 1, 1, (1, 3)
    assert GAME.scores(s) == [0, 0, 0]  # only the track is open before the end
    d = play(s, "stop")
    assert d["over"]
    assert d["scores"] == [4 * 2 + 2 * 2, 2 + 7 + 5, 0]
    assert d["ranks"] == [2, 1, 3]
    assert d["owls"] == [[], [7, 5], []]


@pytest.mark.holds("witchstone", 149)
def test_a_used_spell_is_worth_nothing():
    s = owns(finished(), 0, scrolls=("spell energy",))
    d = play(s, "spell energy", "stop")
    assert d["scores"][0] == 0
    assert d["scrolls"][0] == {"unused": [], "used": ["spell energy"], "prophecies": []}


@pytest.mark.holds("witchstone", 163)
def test_a_tie_goes_to_who_is_further_on_the_wand():
    s = sits(sits(finished(), 0, wand=3), 1, wand=4)
    assert play(s, "stop")["ranks"] == [2, 1, 3]


@pytest.mark.holds("witchstone", 164)
def test_a_tie_on_one_wand_space_goes_to_who_was_there_first():
    s = sits(sits(sits(finished(), 2, wand=4), 0, wand=4), 1, wand=7)
    d = play(s, "stop")
    assert d["wand_order"] == {"4": [2, 0], "7": [1]}
    assert d["ranks"] == [3, 1, 2]


@pytest.mark.holds("witchstone", 164)
def test_who_arrives_on_a_wand_space_later_loses_the_tie_there():
    s = position(last_turn=True, running="wand 3")
    sits(sits(sits(s, 0, wand=1), 1, wand=4), 2, wand=3)
    owns(s, 2, chips=1)
    d = play(s, "advance", "stop")  # a crystal action, which is not used
    assert d["wand_order"] == {"3": [2], "4": [1, 0]}
    assert d["scores"] == [0, 0, 2]
    assert d["ranks"] == [3, 2, 1]


def test_a_tie_on_the_hilt_is_shared():
    s = finished()
    assert play(s, "stop")["ranks"] == [1, 1, 1]
    s = sits(finished(), 2, wand=1)
    assert play(s, "stop")["ranks"] == [2, 2, 1]


# Handicap.


@pytest.mark.holds("witchstone", 27, 198, 199, 200, 201, 202, 203, 204)
@pytest.mark.parametrize(("handicap", "hand"), [(0, 5), (3, 3), (2, 2), (1, 1)])
def test_a_handicapped_player_chooses_among_fewer_tiles_and_has_four_set_aside(handicap, hand):
    s = GAME.new(2, seed=5, handicap=[handicap, 0])
    d = GAME.describe(s)
    assert d["options"] == {"handicap": [handicap, 0]}
    assert [len(h) for h in d["hands"]] == [hand, 5]
    assert d["supply"] == [11 - hand if handicap else 10, 10]
    chosen_from = []
    for action in random_game(GAME, s, 5):
        if GAME.current_player(s) == 0 and GAME.action_to_string(s, action).startswith("tile"):
            chosen_from.append(len(GAME.describe(s)["hands"][0]))
    assert chosen_from == ([5] * 11 if not handicap else [min(hand, 11 - i) for i in range(11)])
    assert len(GAME.describe(s)["hands"][0]) == (0 if handicap else 4)


@pytest.mark.parametrize("handicap", [4, [1, 2], [0, 0, 5], "3", [True, 0, 0]])
def test_other_handicaps_are_refused(handicap):
    with pytest.raises(BadOption, match="handicap"):
        GAME.new(3, handicap=handicap)


# Strings.


def test_strings_name_locations_as_they_are_and_actions_are_turned_to_the_own_tower():
    ids = set()
    for tower in ("T0", "T1", "T2", "T3"):
        towers = (tower, *(t for t in ("T0", "T1", "T2") if t != tower))
        s = position(towers=towers, running="energy 1")
        i = int(tower[1])
        assert set(legal(s, "energy")) == {
            f"energy T{i}-W",
            f"energy T{i}-F{i}",
            f"energy F{(i - 1) % 4}-T{i}",
            f"energy T{i}-V{i}",
        }
        ids.add(tuple(GAME.legal_actions(s)))
    assert len(ids) == 1


def test_a_string_of_nothing_is_refused_with_what_is_legal():
    s = position(running="energy 1")
    for nothing in ("energy T0-T1", "", 5):
        with pytest.raises(IllegalAction, match="energy T0-W"):
            GAME.string_to_action(s, nothing)
    with pytest.raises(IllegalAction, match=r"energy F2-W.* is not legal"):
        GAME.apply(s, GAME.string_to_action(s, "energy F2-W"))
