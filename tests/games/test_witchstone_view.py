"""What the observation and the text of Witchstone show."""

from __future__ import annotations

import numpy as np
import pytest
from witchstone_positions import ALL_SYMBOLS, GAME, cauldron, owns, play, position, sits, space

from coven.games.witchstone.geometry import CONNECTIONS, LOCATIONS
from coven.games.witchstone.state import CHIP_KINDS, CODE_NAMES, PAIR_NAMES, PROPHECIES, SCROLLS, SPELLS

CHIP_NAMES = list(CHIP_KINDS)


def seen(s: np.ndarray, player: int, name: str, *shape: int) -> np.ndarray:
    """One slice of what a player sees."""
    part = GAME.layout[name]
    return GAME.observe(s, player)[part.start : part.stop].reshape(shape or -1)


def members(flags: np.ndarray, names: tuple[str, ...] | list[str]) -> set[str]:
    """The names whose flag is set."""
    return {name for name, flag in zip(names, flags, strict=True) if flag}


def test_seats_are_counted_from_the_observer():
    s = position(3, current=1, score=(10, 20, 30))
    for player, expected in [(0, [10, 20, 30, 0]), (1, [20, 30, 10, 0]), (2, [30, 10, 20, 0])]:
        assert seen(s, player, "score").tolist() == expected
        assert seen(s, player, "current").argmax() == (1 - player) % 3
        assert seen(s, player, "first_player").argmax() == (1 - player) % 3
    assert seen(s, 0, "num_players").tolist() == [3]
    assert seen(s, 0, "round").tolist() == [6]
    assert members(seen(s, 0, "phase"), GAME.phases) == {"tile"}


def test_the_crystal_ball_is_turned_to_the_observers_tower():
    s = position(2, towers=("T1", "T3"), chips={"F1": "witch", "V3": "points"})
    owns(sits(s, 0, standing="C2 W"), 0, connections="T1-V1")
    assert members(seen(s, 0, "standing", 4, 17)[0], LOCATIONS) == {"T0", "C1", "W"}
    assert members(seen(s, 1, "standing", 4, 17)[1], LOCATIONS) == {"T2", "C3", "W"}
    assert members(seen(s, 0, "units", 4, 32)[0], CONNECTIONS) == {"T0-V0"}
    assert members(seen(s, 1, "units", 4, 32)[1], CONNECTIONS) == {"T2-V2"}
    chips = seen(s, 0, "chip_at", 16, 7)
    assert chips[LOCATIONS.index("F0")].tolist() == [0, 1, 0, 0, 0, 0, 0]
    assert chips[LOCATIONS.index("V2")].argmax() == CHIP_NAMES.index("points")
    assert chips.sum() == 2
    assert seen(s, 1, "stone", 4, 4)[1].tolist() == [1, 0, 0, 0]


def test_a_begun_connection_shows_its_units():
    s = position(2, running="energy 3")
    play(s, "energy T0-W", "energy T0-W")
    assert seen(s, 0, "units", 4, 32)[0, CONNECTIONS.index("T0-W")] == 2


def test_cauldrons_show_symbols_and_crystals():
    s = cauldron(position(2), coloured=("(1,-2)",), black="(0,0)", witch="(0,1)", energy_wand="(1,0)")
    own = seen(s, 0, "cauldron", 31, 8)
    planes = [*ALL_SYMBOLS, "coloured", "black"]
    assert members(own[space("(0,1)")], planes) == {"witch"}
    assert members(own[space("(1,0)")], planes) == {"energy", "wand"}
    assert members(own[space("(1,-2)")], planes) == {"coloured"}
    assert members(own[space("(0,0)")], planes) == {"black"}
    assert own.sum() == 5
    rival = seen(s, 1, "rival_cauldron", 3, 31)
    assert CODE_NAMES[rival[0, space("(1,0)")]] == "energy/wand"
    assert not rival[1:].any()
    assert seen(s, 1, "group", 4, 6)[1].tolist() == [1, 1, 1, 1, 1, 1]


def test_what_runs_and_waits():
    s = position(2, running="witch 3", second="scroll", chips={"F0": "wand"})
    owns(sits(s, 0, lying=1, wand=2), 0, connections="T0-F0")
    play(s, "stand F0")
    assert members(seen(s, 1, "running"), ALL_SYMBOLS) == {"witch"}
    assert seen(s, 1, "actions").tolist() == [2]
    assert members(seen(s, 1, "chip_waits"), ALL_SYMBOLS) == {"wand"}
    assert members(seen(s, 1, "second"), ALL_SYMBOLS) == {"scroll"}
    play(s, "use chip wand")
    assert seen(s, 0, "below").tolist() == [0, 2, 0, 0, 0, 0]
    assert not seen(s, 0, "chip_waits").any()
    play(s, "advance")
    assert members(seen(s, 0, "running"), ALL_SYMBOLS) == {"crystal"}
    assert seen(s, 0, "actions").tolist() == [2]


def test_a_tile_chosen_shows_to_its_owner_only():
    s = position(2, hand=("energy/wand", "witch/scroll"))
    play(s, "tile witch/scroll")
    assert members(seen(s, 0, "tile"), PAIR_NAMES) == {"witch/scroll"}
    assert not seen(s, 1, "tile").any()
    assert members(seen(s, 0, "hand"), PAIR_NAMES) == {"energy/wand", "witch/scroll"}


def test_everyone_knows_which_tiles_a_player_has_not_laid_yet():
    s = position(2)
    s[()].gone[1] = 0b101
    assert members(seen(s, 0, "unlaid", 4, 15)[1], PAIR_NAMES) == set(PAIR_NAMES) - {PAIR_NAMES[0], PAIR_NAMES[2]}
    assert not seen(s, 0, "unlaid", 4, 15)[2:].any()


@pytest.mark.holds("witchstone", 154)
def test_scrolls_on_display_and_taken():
    s = position(2, display=("stone", "spell wand"), scroll_pile=())
    owns(s, 1, scrolls=("spell single", "spell single", "connect C-C-F", "cluster energy"))
    display = seen(s, 0, "display", 6, 31)
    assert [members(row, SCROLLS) for row in display] == [{"stone"}, {"spell wand"}, set(), set(), set(), set()]
    assert members(seen(s, 0, "prophecies", 4, 24)[1], PROPHECIES) == {"connect C-C-F", "cluster energy"}
    assert seen(s, 0, "spells", 4, 7)[1, SPELLS.index("single")] == 2
    assert seen(s, 0, "scrolls").tolist() == [0, 4, 0, 0]


def test_who_was_first_on_a_wand_space():
    s = sits(sits(sits(position(3), 2, wand=4), 0, wand=4), 1, wand=4)
    assert seen(s, 0, "wand_behind").tolist() == [1, 2, 0, 0]
    assert seen(s, 1, "wand_behind").tolist() == [2, 0, 1, 0]
    assert not seen(position(3), 0, "wand_behind").any()  # nobody on the hilt


def test_the_text_draws_the_cauldron_as_a_hexagon():
    s = cauldron(position(2), coloured=("(1,-2)",), black="(0,0)", witch="(0,1)", energy_wand="(1,0)")
    lines = GAME.text(s).splitlines()
    top = next(i for i, text in enumerate(lines) if "player 0:" in text)
    drawn = [text[:32].rstrip() for text in lines[top : top + 7]]
    assert drawn == [
        "      E   .   .   W",
        "    .   .   o   .   .",
        "  .   .   .   .   .   .",
        "S   .   .   @   ed  .   P",
        "  .   .   .   w   .   .",
        "    .   .   .   .   .",
        "      D   .   .   C",
    ]
    assert "hidden" in GAME.text(s, viewer=1)
