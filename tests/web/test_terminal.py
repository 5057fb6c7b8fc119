"""The terminal: whole games, commands, wrong input, hand over; and recorded games stepped both ways."""

from __future__ import annotations

import pytest
from web_help import humans, kept_table

import coven
from coven.arena import replay as replays
from coven.playthrough import random_game
from coven.web import store
from coven.web.library import Film
from coven.web.table import Setup
from coven.web.terminal import HELP, Player, step


class Keyboard:
    """Types lines; what was shown before each is in `screens`."""

    def __init__(self, *lines, then=None):
        self.lines, self.then, self.screens, self.now = list(lines), then, [], []

    def read(self, prompt):
        self.screens.append("\n".join(self.now))
        self.now = [prompt]
        if self.lines:
            return self.lines.pop(0)
        if self.then is None:
            raise EOFError
        return self.then

    def write(self, text):
        self.now.append(text)


def play(tmp_path, setup, *lines, then=None):
    kept, keyboard = kept_table(tmp_path, setup, seed=3), Keyboard(*lines, then=then)
    Player(kept, keyboard.read, keyboard.write).run()
    return kept, keyboard


def practice(*others):
    return Setup(coven.game("alchemists"), ("human", *others), practice=True)


def test_a_whole_game_by_numbers(tmp_path):
    kept, keyboard = play(tmp_path, practice("random"), then="1")
    assert kept.table.over
    assert "1. player" in "\n".join(keyboard.now)
    assert (tmp_path / store.FINISHED).exists()


def test_actions_by_their_words_and_wrong_input(tmp_path):
    kept, keyboard = play(
        tmp_path, practice("random"), "9999", "fly away", "create blue+grey: 1 yellow", "help", "quit"
    )
    assert len(kept.table.actions) >= 1
    shown = "\n".join(keyboard.screens + keyboard.now)
    assert "there is no action 9999 in the list" in shown
    assert "has no action 'fly away'" in shown
    assert HELP in shown
    assert "goes on" in shown
    assert store.load(tmp_path)[0].table.actions == kept.table.actions


def test_hints_and_undo_are_for_practice(tmp_path):
    _, keyboard = play(tmp_path / "a", practice("random"), "hint greedy", "1", "undo", "list grey", "log", "quit")
    shown = "\n".join(keyboard.screens)
    assert "asked 64 times" in shown
    assert "create blue+grey" in shown
    _, keyboard = play(
        tmp_path / "b", Setup(coven.game("alchemists"), ("human", "random")), "hint", "1", "undo", "quit"
    )
    shown = "\n".join(keyboard.screens)
    assert "hints are for practice games" in shown
    assert "only in practice" in shown


def test_two_people_hand_over_and_see_only_their_own(tmp_path):
    kept, keyboard = play(tmp_path, humans("alchemists", 2), "", "1", "1", "", "quit")
    first, second = (
        kept.table.game.current_player(kept.table._start),
        1 - kept.table.game.current_player(kept.table._start),
    )
    assert f"Player {first} decides. Hand over" in keyboard.screens[1]
    mine = kept.table.game.text(kept.table.state, second)
    assert mine in "\n".join(keyboard.screens)
    assert kept.table.game.text(kept.table.state, first) not in keyboard.screens[-1]


@pytest.fixture(scope="module")
def film():
    game = coven.game("alchemists")
    s = game.new(2, seed=1)
    actions = list(random_game(game, s, 1))
    return Film(replays.record(game, s, 1, actions))


def test_stepping_both_ways_and_to_any_move_and_view(film):
    keyboard = Keyboard("", "n", "b", "7", "l", "n", "f", "b", "v 1", "v 9", "x", "v all", "q")
    step(film, None, keyboard.read, keyboard.write)
    last = len(film.states) - 1
    wanted = [0, 1, 2, 1, 7, last, last, 0, 0, 0, 0, 0, 0]
    assert len(keyboard.screens) == len(wanted)
    for number, (at, screen) in enumerate(zip(wanted, keyboard.screens, strict=True)):
        viewer = 1 if 9 <= number < 12 else None
        assert film.game.text(film.states[at], viewer) in screen
    assert "'v 9' is not understood" in keyboard.screens[10]
    assert "'x' is not understood" in keyboard.screens[11]
