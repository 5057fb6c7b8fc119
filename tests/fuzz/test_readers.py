"""Everything that is read, and every public call, attacked a little; `make fuzz` attacks for longer."""

from __future__ import annotations

import os
from itertools import islice

import numpy as np
import pytest
from attacks import ATTACKS, attack_states, some_states
from junk import sealed

import coven
from coven.games.core.errors import BadState

TIMES = int(os.environ.get("COVEN_FUZZ", "1"))
FEW = {
    "from_bytes": 150,
    "stored networks": 60,
    "replays": 150,
    "tournaments": 60,
    "results of evaluations": 100,
    "run folders": 60,
    "folders of runs with search": 60,
    "folders of games in progress": 150,
    "folders of decisions": 100,
    "requests to the server": 150,
    "public calls": 400,
}


@pytest.mark.parametrize("name", ATTACKS)
def test_rubbish_is_refused_and_what_is_accepted_works(name, tmp_path):
    outcomes = list(islice(ATTACKS[name](1, tmp_path), TIMES * FEW[name.split(":")[0]]))
    assert any(outcomes)


@pytest.mark.parametrize("name", coven.games.built_in())
def test_every_state_of_random_games_is_possible(name):
    game = coven.game(name)
    states = some_states(game, seed=7, games=1)
    for i in range(len(states)):
        s = states[i : i + 1].reshape(())
        assert game.from_bytes(game.to_bytes(s)).tobytes() == s.tobytes()


@pytest.mark.parametrize("name", coven.games.built_in())
@pytest.mark.parametrize(("field", "value"), [("num_players", 127), ("current", 9), ("phase", 100), ("turn", -1)])
def test_a_head_that_cannot_be_is_refused(name, field, value):
    game = coven.game(name)
    s = game.new(seed=1)
    s[field] = value
    with pytest.raises(BadState, match=f"no possible state of {name}: .*{value}"):
        game.from_bytes(sealed(game, s))


@pytest.mark.parametrize("name", coven.games.built_in())
def test_every_field_has_bounds(name):
    """A number beyond all bounds is refused wherever it stands: nothing is left undeclared."""
    game = coven.game(name)
    whole = game.new(seed=1).tobytes()
    for field, (kind, start) in game.record.fields.items():
        signed, size = kind.base.kind == "i", kind.base.itemsize
        for at in range(start, start + kind.itemsize, size) if field != "rng" else ():
            wrong = bytearray(whole)
            wrong[at : at + size] = b"\xff" * (size - 1) + (b"\x7f" if signed else b"\xff")
            with pytest.raises(BadState):
                game.from_bytes(sealed(game, np.frombuffer(wrong, game.record)[0]))


def test_a_lost_card_is_noticed():
    game = coven.game("black_magic_friday")
    s = game.new(2, seed=1)
    s["hand"][0, :] = 0
    with pytest.raises(BadState, match="the articles are not those of the box"):
        game.from_bytes(sealed(game, s))


@pytest.fixture(scope="module")
def friday():
    """States of Black Magic Friday for three, and hence with an empty seat."""
    states = some_states(coven.game("black_magic_friday"), seed=7, games=1)
    return [s for s in states if s["num_players"] == 3 and s["phase"] == 0]


def test_what_all_have_seen_nobody_can_have_forgotten(friday):
    game = coven.game("black_magic_friday")
    s = next(s for s in friday if s["known"][0, -1].any()).copy()
    s["known"][0, 1] = 0
    with pytest.raises(BadState, match="somebody has forgotten cards that all have seen"):
        game.from_bytes(sealed(game, s))


def test_an_empty_seat_knows_what_an_onlooker_knows(friday):
    game = coven.game("black_magic_friday")
    s = next(s for s in friday if (s["hand"][0] > s["known"][0, -1]).any()).copy()
    s["known"][0, 3] = s["hand"][0]
    with pytest.raises(BadState, match="a seat where nobody sits knows other cards than an onlooker"):
        game.from_bytes(sealed(game, s))


def test_a_set_has_as_many_tricks_as_roles_were_played():
    game = coven.game("wie_verhext")
    s = game.new(3, seed=1)
    s["turn"] = 12
    with pytest.raises(BadState, match="set 1, trick 12 cannot come up"):
        game.from_bytes(sealed(game, s))


def test_no_more_turns_than_cards_taken_and_spells_cast():
    game = coven.game("black_magic_friday")
    s = game.new(3, seed=1)
    s["turn"] = 9
    with pytest.raises(BadState, match="turn 9 comes too early in the game"):
        game.from_bytes(sealed(game, s))


def test_the_harness_notices_what_it_should(tmp_path, monkeypatch):
    """Without the check of a game the same rubbish gets in."""
    game = coven.game("alchemists")
    monkeypatch.setattr(game._possible, "impossible", lambda s: None)
    monkeypatch.setattr("attacks.use_state", lambda *_: None)
    assert not any(islice(attack_states("alchemists")(1, tmp_path), 20))
