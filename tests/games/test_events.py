"""What a seat sees of somebody's action; that nothing leaks is checked in tests/coven/test_testing.py."""

from __future__ import annotations

import black_magic_friday_positions
import pytest
import wie_verhext_positions

import coven
from coven.games.core.game import Game


def events(name, s, move):
    """What everyone is told of a move: the table first, then the seats."""
    game = coven.game(name)
    action = game.string_to_action(s, move)
    return [game.event(s, action, viewer) for viewer in (None, *range(int(s["num_players"])))]


def dealt(name, current, **fields):
    s = coven.game(name).new(3, seed=1)
    for field, value in {"current": current, **fields}.items():
        s[field] = value
    return s


def test_others_see_that_a_role_is_chosen_but_not_which():
    s, full = dealt("wie_verhext", 2), "player 2: choose witch"
    assert events("wie_verhext", s, "choose witch") == [full, *["player 2 chooses a role"] * 2, full]


def test_a_role_that_is_led_is_open():
    s = wie_verhext_positions.position("witch", "", "")
    assert events("wie_verhext", s, "lead witch") == ["player 0: lead witch"] * 4


def test_others_see_how_many_cubes_are_drawn_but_not_which():
    s = dealt("alchemists", 0)
    assert events("alchemists", s, "draw") == ["player 0: draw"] * 2 + ["player 0 draws 2 cubes"] * 2
    assert events("alchemists", s, "take blue") == ["player 0: take blue"] * 4


def test_only_the_two_witches_of_a_swap_see_the_card_that_is_returned():
    state = black_magic_friday_positions.GAME.phases.index("return")
    s, full = dealt("black_magic_friday", 1, phase=state, chosen=2), "player 1: return mandrake"
    assert events("black_magic_friday", s, "return mandrake") == [full, "player 1 returns a card", full, full]
    assert events("black_magic_friday", s, "move 2") == ["player 1: move 2"] * 4


def test_others_see_a_tile_when_it_is_laid():
    s, full = dealt("witchstone", 0, tower=[2, 0, 1, 0]), "player 0: tile energy/wand"
    assert events("witchstone", s, "tile energy/wand") == [full, full, *["player 0 chooses a tile"] * 2]
    assert events("witchstone", s, "lay (1,-1) (2,-2)") == ["player 0: lay (1,-1) (2,-2)"] * 4
    assert events("witchstone", s, "stand F1") == ["player 0: stand F1"] * 4  # the location, however it is turned


def test_a_game_that_says_nothing_of_it_tells_others_only_who_decides():
    silent = object.__new__(Game)
    silent.__dict__.update(coven.game("alchemists").__dict__)
    silent._event = silent._cautious_event
    s = dealt("alchemists", 1)
    action = silent.string_to_action(s, "draw")
    told = [silent.event(s, action, viewer) for viewer in (None, 0, 1, 2)]
    assert told == ["player 1: draw", "player 1 decides", "player 1: draw", "player 1 decides"]


def test_an_event_needs_a_seat_an_action_and_somebody_who_acts():
    game, s = coven.game("alchemists"), dealt("alchemists", 1)
    with pytest.raises(coven.BadOption, match="viewer=3 is not a seat; allowed: 0 to 2"):
        game.event(s, 0, 3)
    with pytest.raises(coven.IllegalAction, match="no action 9999"):
        game.event(s, 9999, 0)
    s["current"] = -1
    with pytest.raises(coven.IllegalAction, match="the game is over"):
        game.event(s, 0, 0)
