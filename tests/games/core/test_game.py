"""The Game class: the contract, and how bad input is refused."""

from __future__ import annotations

import copy
import pickle
import sys

import numpy as np
import pytest

import coven
from coven.games.core import game as core_game
from coven.games.core.errors import BadOption, BadState, CovenError, IllegalAction, UnknownGame

GAME = coven.game("alchemists")


def test_all_errors_are_value_errors():
    assert issubclass(CovenError, ValueError)
    assert all(issubclass(e, CovenError) for e in (BadOption, BadState, IllegalAction, UnknownGame))


def test_an_unknown_game_is_refused_with_a_hint():
    with pytest.raises(UnknownGame, match=r"did you mean 'alchemists'\?.*there are alchemists"):
        coven.game("alchemist")


@pytest.mark.parametrize("players", [0, 1, 6, -2, 2.5, 3.0, "3", [3], np.array([3]), True])
def test_a_wrong_number_of_players_is_refused(players):
    with pytest.raises(BadOption, match="allowed: 2, 3, 4, 5"):
        GAME.new(players)


@pytest.mark.parametrize("seed", [-1, 1 << 64, 1.5, "7", True])
def test_a_wrong_seed_is_refused(seed):
    with pytest.raises(BadOption, match="seed="):
        GAME.new(3, seed)


def test_the_largest_seed_is_allowed_and_none_is_random():
    GAME.new(3, (1 << 64) - 1)
    GAME.new(3, np.uint64(7))
    assert GAME.new(3).tobytes() != GAME.new(3).tobytes()


def test_an_unknown_option_is_refused():
    with pytest.raises(BadOption, match="no option 'colour'; allowed: setup"):
        GAME.new(3, colour="red")


@pytest.mark.parametrize(
    "action", [-1, 297, 10**20, -(10**20), "draw", 2.0, None, True, [1], np.True_, np.float32(1), np.array([1])]
)
def test_what_is_no_action_is_refused_and_changes_nothing(action):
    s = GAME.new(3, seed=1)
    before = s.tobytes()
    for call in (GAME.apply, GAME.action_to_string):
        with pytest.raises(IllegalAction, match="allowed: 0 to 296"):
            call(s, action)
    assert s.tobytes() == before


def test_an_illegal_action_is_named_with_what_is_legal():
    s = GAME.new(2, seed=1)
    with pytest.raises(IllegalAction, match=r"action 295 \(draw\) is not legal in alchemists now; it is player"):
        GAME.apply(s, 295)


def test_no_action_is_legal_after_the_end():
    from coven.playthrough import random_game

    s = GAME.new(3, seed=1)
    for _ in random_game(GAME, s, 1):
        pass
    with pytest.raises(IllegalAction, match="the game is over"):
        GAME.apply(s, 295)


@pytest.mark.parametrize("action_type", [int, np.int8, np.int32, np.int64, np.uint16, np.array])
def test_any_whole_number_is_an_action(action_type):
    s = GAME.new(3, seed=1)
    GAME.apply(s, action_type(GAME.legal_actions(s)[0]))


@pytest.mark.parametrize("seat", [-1, 3, "0", None, True, 1.0])
def test_a_wrong_seat_is_refused(seat):
    s = GAME.new(3, seed=1)
    with pytest.raises(BadOption, match="0 to 2"):
        GAME.observe(s, seat)
    with pytest.raises(BadOption, match="0 to 2"):
        GAME.determinize(s, seat, 1)
    if seat is not None:
        with pytest.raises(BadOption, match="0 to 2"):
            GAME.describe(s, viewer=seat)


def test_a_wrong_kind_of_reward_is_refused():
    with pytest.raises(BadOption, match="'rank', 'win', 'score'"):
        GAME.returns(GAME.new(3, seed=1), "money")


@pytest.mark.parametrize("thing", [None, 3, "state", np.zeros(3), np.zeros((), [("a", int)])])
def test_what_is_no_state_is_refused(thing):
    for call in (GAME.legal_actions, GAME.options_of, GAME.describe, GAME.to_bytes):
        with pytest.raises(BadState, match="not a state of alchemists"):
            call(thing)


def test_foreign_and_cut_bytes_are_refused():
    data = GAME.to_bytes(GAME.new(3, seed=1))
    for bad, why in (
        (b"nonsense", "not a state of alchemists"),
        (data.replace(b"alchemists", b"witchstone"), "not a state of alchemists"),
        (data[:-1], "bytes, not"),
        (data[:40] + b"\xff" + data[41:], "damaged"),
    ):
        with pytest.raises(BadState, match=why):
            GAME.from_bytes(bad)
    for bad in ("text", None, 5, np.zeros(3)):
        with pytest.raises(BadState, match="read from bytes, not from"):
            GAME.from_bytes(bad)
    assert GAME.from_bytes(memoryview(data)).tobytes() == GAME.from_bytes(bytearray(data)).tobytes()


@pytest.mark.parametrize("text", ["", "draw a card", 5, None, b"draw", ["draw"]])
def test_what_is_no_string_of_an_action_is_refused(text):
    with pytest.raises(IllegalAction, match=r"has no action .*legal actions are"):
        GAME.string_to_action(GAME.new(3, seed=1), text)


def test_options_may_be_numbers_of_numpy():
    witchstone, wie_verhext = coven.game("witchstone"), coven.game("wie_verhext")
    for handicap in (np.array([0, 3]), [np.int8(0), np.int64(3)], (0, 3)):
        s = witchstone.new(2, seed=1, handicap=handicap)
        assert witchstone.options_of(s) == {"handicap": [0, 3]}
    s = wie_verhext.new(3, seed=1, max_sets=np.int64(5), banned_roles=np.True_)
    assert repr(wie_verhext.options_of(s)) == "{'banned_roles': True, 'max_sets': 5, 'ask_gifts': False}"
    for handicap in (np.array([[0, 3]]), np.array([0.0, 3.0]), [0, True], [0], 3, "03", None):
        with pytest.raises(BadOption, match="for each player"):
            witchstone.new(2, handicap=handicap)


def test_a_game_survives_pickle_and_deepcopy_as_itself():
    assert pickle.loads(pickle.dumps(GAME)) is GAME
    assert copy.deepcopy(GAME) is GAME


def test_returns_are_zero_and_ranks_unknown_until_the_end():
    s = GAME.new(4, seed=1)
    assert GAME.returns(s) == [0, 0, 0, 0]
    assert GAME.ranks(s) is None


def test_determinize_leaves_the_state_alone():
    s = GAME.new(4, seed=1)
    before = s.tobytes()
    assert GAME.determinize(s, 0, 5).tobytes() != before
    assert s.tobytes() == before


def test_a_state_that_cannot_be_written_is_read_but_never_changed():
    data = bytes(GAME.new(3, seed=1).tobytes())
    s = np.frombuffer(data, GAME.record)[0:1].reshape(())
    action = GAME.legal_actions(s)[0]
    assert GAME.observe(s, 1).tobytes() == GAME.observe(s.copy(), 1).tobytes()
    for call in (lambda: GAME.apply(s, action), lambda: GAME.deal(s, 5)):
        with pytest.raises(BadState, match=r"read-only and cannot be changed; work on game.clone\(s\)"):
            call()
    assert s.tobytes() == data
    GAME.apply(GAME.clone(s), action)


@pytest.mark.parametrize("given", [{"seed": 3}, {"num_players": 3}, {"self": 1}, ["setup"], None, {1: 2}])
def test_options_from_elsewhere_are_only_those_of_the_game(given):
    with pytest.raises(BadOption, match="allowed: setup"):
        GAME.known_options(given)


def test_arrays_are_no_options():
    for handicap in (np.array(3), np.array([[0, 3]]), np.array(["a", "b"]), [[0], [1]], np.zeros(10**6)):
        with pytest.raises(BadOption, match="for each player"):
            coven.game("witchstone").new(2, handicap=handicap)
    with pytest.raises(BadOption, match="rewards="):
        GAME.returns(GAME.new(3, seed=1), np.array(["rank", "win"]))


def test_progress_of_compiling_keeps_to_one_line(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    core_game._say("coven: compiling Black Magic Friday, only this once: 11/11 play at random")
    line = capsys.readouterr().err.removeprefix("\r\x1b[K")
    assert 50 < len(line) < 60
