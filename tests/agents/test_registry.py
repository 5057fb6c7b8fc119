from __future__ import annotations

import numpy as np
import pytest
from agents_help import GAMES, WITH_GREEDY

from coven.agents import registry
from coven.agents.random import RandomAgent
from coven.agents.registry import KINDS, Kind, UnknownAgent, create, create_all, register
from coven.agents.search import SearchAgent
from coven.games.core.errors import BadOption, CovenError
from coven.games.core.rng import generator

GAME = WITH_GREEDY[0]
PLAYERS = GAME.players[0]


@pytest.mark.parametrize(
    "spec",
    [
        "random",
        "greedy",
        "mix:0.3",
        "ismcts:20",
        "ismcts:5ms",
        "ismcts:20:rollout=random:order=random:c=1.0:widen=2.5:margin=0.0:horizon=end:threads=2",
    ],
)
def test_an_agent_is_called_by_its_spec(spec):
    agent = create(spec, GAME, PLAYERS)
    assert agent.name == spec
    assert create(agent.name, GAME, PLAYERS).name == spec


def test_what_is_the_default_is_left_out_of_the_name():
    assert create("ismcts:20:threads=1:rollout=greedy", GAME, PLAYERS).name == "ismcts:20"


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_every_game_can_be_searched_without_options(game):
    assert isinstance(create("ismcts:2", game, game.players[0]), SearchAgent)


@pytest.mark.parametrize("spec", ["", "randm", "mcts:100", "Greedy", ":800"])
def test_an_unknown_kind_is_refused_and_all_kinds_are_named(spec):
    with pytest.raises(UnknownAgent) as error:
        create(spec, GAME, PLAYERS)
    assert repr(spec) in str(error.value)
    assert all(kind in str(error.value) for kind in KINDS)
    assert isinstance(error.value, CovenError)


@pytest.mark.parametrize(
    ("spec", "wrong"),
    [
        ("random:3", "'3'"),
        ("greedy:fast", "'fast'"),
        ("mix", "float"),
        ("mix:1.5", "1.5"),
        ("mix:nan", "nan"),
        ("py", "module and a function"),
        ("py:no_such_module:make", "no_such_module"),
        ("py:arena_help:no_such_function", "no_such_function"),
        ("py:arena_help:not_an_agent:x", "made a str, not an Agent"),
        ("ismcts", "budget"),
        ("ismcts:", "budget"),
        ("ismcts:100:200", "budget"),
        ("ismcts:many", "'many'"),
        ("ismcts:1.5", "'1.5'"),
        ("ismcts:0", "iterations=0"),
        ("ismcts:10000000000000", "at most 10,000,000"),
        ("ismcts:1e9ms", "at most 86,400,000"),
        ("ismcts:9:threads=100000", "at most 256"),
        ("py:os:system", "os:system made no agent: TypeError"),
        ("py:arena_broken:make", "arena_broken cannot be imported: SyntaxError"),
        ("ismcts:-5", "iterations=-5"),
        ("ismcts:0ms", "milliseconds=0"),
        ("ismcts:nanms", "milliseconds=nan"),
        ("ismcts:xms", "'x'"),
        ("ismcts:9:threads=0", "threads=0"),
        ("ismcts:9:horizon=0", "horizon=0"),
        (f"ismcts:9:horizon={'9' * 30}", "allowed: 1 to 1,073,741,824 turns, or end"),
        ("ismcts:9:horizon=soon", "soon"),
        ("ismcts:9:horizon=2", "needs an estimate, and alchemists has none"),
        ("ismcts:9:c=-1", "c=-1"),
        ("ismcts:9:c=inf", "c=inf"),
        ("ismcts:9:widen=x", "'x'"),
        ("ismcts:9:margin=2", "0 to 1"),
        ("ismcts:9:rollout=clever", "random, greedy"),
        ("ismcts:9:c=1:c=2", "twice"),
        ("ismcts:9:depth=3", "depth"),
    ],
)
def test_a_spec_that_its_kind_does_not_understand_is_refused_with_the_usage(spec, wrong, tmp_path, monkeypatch):
    (tmp_path / "arena_broken.py").write_text("def make(:")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(UnknownAgent) as error:
        create(spec, GAME, PLAYERS)
    assert wrong in str(error.value)
    assert KINDS[spec.partition(":")[0]].usage in str(error.value)


def test_a_number_of_players_that_the_game_does_not_have_is_refused():
    with pytest.raises(BadOption, match="players"):
        create("random", GAME, 17)


def test_a_table_of_agents():
    agents = create_all(["greedy", *["random"] * (PLAYERS - 1)], GAME)
    assert [agent.name for agent in agents] == ["greedy", *["random"] * (PLAYERS - 1)]


def test_kinds_can_be_added_and_get_all_behind_the_first_colon(monkeypatch):
    monkeypatch.setattr(registry, "KINDS", dict(KINDS))
    seen = []

    def make(rest, game, num_players):
        seen.append((rest, game.name, num_players))
        return RandomAgent()

    register("mine", Kind("mine:PATH", "an agent of my own", make))
    create("mine:C:/runs/a=b.safetensors", GAME, PLAYERS)
    assert seen == [("C:/runs/a=b.safetensors", GAME.name, PLAYERS)]
    with pytest.raises(BadOption, match="taken"):
        register("mine", Kind("", "", make))
    with pytest.raises(BadOption, match="colon"):
        register("a:b", Kind("", "", make))


def test_actions_come_as_whole_numbers_one_for_each_view():
    rows = 5
    masks = np.zeros((rows, len(GAME.new_mask())), np.int8)
    masks[:, 3] = 1
    s = GAME.new(PLAYERS, seed=1)
    observations = np.repeat(GAME.observe(s, 0)[None], rows, axis=0)
    dice = generator(1)
    for spec in ("random", "greedy"):
        agent = create(spec, GAME, PLAYERS)
        assert agent.act_batch(observations, masks, dice).tolist() == [3] * rows
        assert agent.act(observations[0], masks[0], dice) == 3
