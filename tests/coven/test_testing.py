"""The generic checks, on every game at every player count; and that they find what they look for."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest

import coven
from coven import testing
from coven.games.core.game import Game
from coven.games.core.layout import Layout, Slice

TABLES = [(name, players) for name in coven.games.built_in() for players in coven.game(name).players]


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_every_game_keeps_its_promises(name, players):
    game = coven.game(name)
    testing.check_game(game, players, games=2 if players in (game.players[0], game.players[-1]) else 1)


@pytest.fixture
def broken():
    """A game whose parts can be spoiled without touching the real one."""
    game = object.__new__(Game)
    game.__dict__.update(coven.game("alchemists").__dict__)
    return game


def test_a_leak_in_describe_is_found(broken):
    honest = broken._describe
    broken._describe = lambda r, viewer: honest(r, None)
    with pytest.raises(AssertionError, match="shows in describe: hands"):
        testing.check_hidden(broken, 3)


def test_a_leak_in_the_observation_is_found(broken):
    broken.observe = lambda s, p: np.append(s["hand"].ravel(), 0).astype(np.uint8)
    broken.layout = Layout(Slice("all_hands", 25, 0, 32, ""), Slice("end", 1, 0, 0, ""))
    with pytest.raises(AssertionError, match="shows in the observation: all_hands"):
        testing.check_hidden(broken, 3)


def test_a_finished_game_that_is_dealt_anew_is_found(broken):
    def other_hands(s, p, seed):
        other = coven.game("alchemists").determinize(s, p, seed)
        if broken.is_over(s):
            others = [q for q in range(3) if q != p]
            other["hand"][others] = other["hand"][others[::-1]]
        return other

    broken.determinize = other_hands
    with pytest.raises(AssertionError, match="a game that is over has changed"):
        testing.check_hidden(broken, 3)


@pytest.mark.parametrize(
    "name",
    ["wie_verhext", "black_magic_friday", "witchstone"],
)
def test_an_event_that_tells_of_a_hidden_choice_is_found(name):
    game = object.__new__(Game)
    game.__dict__.update(coven.game(name).__dict__)
    game._event = lambda r, action, viewer: coven.game(name)._event(r, action, None)
    with pytest.raises(AssertionError, match="reveals a hidden choice"):
        testing.check_event(game, 3)


def test_an_event_that_tells_of_a_hidden_state_is_found(broken):
    broken._event = lambda r, action, viewer: f"player {r.current}: {broken._to_string(r, action)}, {r.hand[0]}"
    with pytest.raises(AssertionError, match="hidden information shows in an event"):
        testing.check_event(broken, 3)


def test_an_event_that_keeps_something_from_who_acts_is_found(broken):
    honest = broken._event
    broken._event = lambda r, action, viewer: honest(r, action, None if viewer is None else 1 - min(r.current, 1))
    with pytest.raises(AssertionError, match="does not see all of its action"):
        testing.check_event(broken, 3)


def test_a_wrong_bound_is_found(broken):
    broken.facts = dataclasses.replace(broken.facts, longest={3: 20})
    with pytest.raises(AssertionError, match="longer than declared"):
        testing.check_play(broken, 3)
    slices = [dataclasses.replace(part, high=3) if part.name == "hand" else part for part in broken.layout]
    broken.layout = Layout(*slices)
    with pytest.raises(AssertionError, match="out of the declared bounds in hand"):
        testing.check_play(broken, 3)


def test_a_mask_that_allows_too_little_is_found(broken):
    broken.legal_actions = lambda s: coven.game("alchemists").legal_actions(s)[1:]
    with pytest.raises(AssertionError, match="not in the mask, but accepted"):
        testing.check_masks(broken, 3, games=1)


def test_a_mask_that_is_longer_than_the_actions_is_found(broken):
    """As `mask[:] = 1` would make it: the buffer has room behind the last action."""
    broken.new_mask, broken.num_actions = coven.game("alchemists").new_mask, 20
    with pytest.raises(AssertionError, match="ones after the last action"):
        testing.check_masks(broken, 3, games=1)


def test_a_mask_that_is_not_written_is_found(broken, monkeypatch):
    monkeypatch.setattr(testing.drivers, "look", lambda s, mask, observation: None)
    broken.legal_mask = lambda s: np.zeros(broken.num_actions, np.int8)
    with pytest.raises(AssertionError, match="keep what the mask buffer had before"):
        testing._check_mask_buffer(broken, broken.new(3, seed=1))


def test_strings_that_do_not_lead_back_are_found(broken):
    broken._to_string = lambda r, action: "draw"
    with pytest.raises(AssertionError, match="share a string"):
        testing.check_strings(broken, 3)


def test_a_copy_that_loses_the_generator_is_found(broken):
    def forgetful(s):
        other = s.copy()
        other["rng"] = 1
        return other

    broken.clone = forgetful
    with pytest.raises(AssertionError):
        testing.check_copies(broken, 3)


def test_what_is_not_json_is_found(broken):
    honest = broken._describe
    broken._describe = lambda r, viewer: honest(r, viewer) | {"seals": np.int8(3)}
    with pytest.raises((AssertionError, TypeError)):
        testing.check_description(broken, 3)


def test_states_of_random_games_come_with_the_last():
    game = coven.game("alchemists")
    states = [json.dumps(game.describe(s)) for s in testing.random_states(game, 3, games=2, every=10)]
    assert sum('"over": true' in text for text in states) == 2
