"""The AEC env, against PettingZoo's own tests and against misuse."""

from __future__ import annotations

import importlib
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from pettingzoo.test import api_test, max_cycles_test, render_test, seed_test
from pettingzoo.utils.conversions import aec_to_parallel

import coven
from coven.envs.aec import CovenEnv
from coven.games.core.errors import BadOption, IllegalAction, OutOfOrder, UnknownGame
from coven.testing import check_env

TABLES = [(name, players) for name in coven.games.built_in() for players in coven.game(name).players]


def module(name):
    return importlib.import_module(f"coven.envs.{name}_v0")


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_pettingzoo_api(name, players):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it wonders about observations that are dicts, as masks need them
        api_test(module(name).env(num_players=players), num_cycles=300)


@pytest.mark.parametrize("name", coven.games.built_in())
def test_pettingzoo_seeds(name):
    seed_test(module(name).env, num_cycles=200)
    seed_test(module(name).raw_env, num_cycles=50)


@pytest.mark.parametrize("name", coven.games.built_in())
def test_pettingzoo_render(name):
    render_test(module(name).env)


class Taker(CovenEnv):
    """Alchemists by players who only ever take cubes, since PettingZoo's test samples without a mask."""

    def reset(self, seed=None, options=None):
        super().reset(seed=1)
        s = self.running.s
        s["first"] = s["current"] = self.running.player = 0
        self.agent_selection = "player_0"
        self.running.padded_mask[: self.game.num_actions] = self.game.legal_mask(s)

    def step(self, action):
        super().step(None if action is None else self.game.string_to_action(self.running.s, "take blue"))


def test_pettingzoo_max_cycles():
    def env(max_cycles):
        table = Taker(coven.game("alchemists"), num_players=3, max_cycles=max_cycles)
        table.metadata["is_parallelizable"] = True
        return table

    max_cycles_test(SimpleNamespace(env=env, parallel_env=lambda max_cycles: aec_to_parallel(env(max_cycles))))


def test_a_game_cut_off_by_max_cycles_is_truncated_and_pays_nothing():
    env = coven.make("alchemists", num_players=3, max_cycles=2)
    env.reset(seed=1)
    for _ in range(6):
        assert not any(env.truncations.values())
        env.step(int(np.flatnonzero(env.last()[0]["action_mask"])[0]))
    assert all(env.truncations.values())
    assert not any(env.terminations.values())
    assert set(env.rewards.values()) == {0}


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_copies_rewards_and_turns(name, players):
    check_env(coven.make(name, num_players=players), games=2)


def test_resets_without_a_seed_follow_the_last_seed():
    a, b = coven.make("alchemists", 3), coven.make("alchemists", 3)
    a.reset(seed=4)
    b.reset(seed=4)
    first = a.state()
    a.reset()
    b.reset()
    assert (a.state() == b.state()).all()
    assert not np.array_equal(a.state(), first)


def test_observations_are_the_callers_to_keep():
    env = coven.make("alchemists", 3)
    env.reset(seed=1)
    kept = env.last()[0]
    before = kept["observation"].copy()
    kept["action_mask"][:] = 1  # a caller's scribbling does not make actions legal
    with pytest.raises(IllegalAction):
        env.step(296)
    env.step(int(np.flatnonzero(env.last()[0]["action_mask"])[0]))
    assert (kept["observation"] == before).all()


def test_who_is_not_on_turn_sees_the_table_but_may_do_nothing():
    env = coven.make("alchemists", 3)
    env.reset(seed=1)
    waiting = next(agent for agent in env.agents if agent != env.agent_selection)
    seen = env.observe(waiting)
    assert not seen["action_mask"].any()
    assert env.observation_space(waiting).contains(seen)


def test_the_state_is_all_views_together():
    env = coven.make("alchemists", 3)
    env.reset(seed=1)
    assert env.state_space.contains(env.state())
    assert len(env.state()) == 3 * env.game.observation_size


def test_render_as_one_seat_hides_the_others():
    env = coven.make("alchemists", 3, render_mode="ansi", viewer=1)
    env.reset(seed=1)
    assert env.render().count("school hidden") == 2
    assert coven.make("alchemists", 3).render() is None


@pytest.mark.parametrize("action", [-1, 297, 296, 10**30, "draw", 1.5, True, [1], np.array([1])])
def test_an_illegal_action_is_refused_and_the_game_goes_on(action):
    env = coven.make("alchemists", 3)
    env.reset(seed=1)
    before = env.state()
    with pytest.raises(IllegalAction, match="legal actions are"):
        env.step(action)
    assert (env.state() == before).all()
    env.step(int(np.flatnonzero(env.last()[0]["action_mask"])[0]))


def test_calls_out_of_order_are_refused():
    env = coven.make("alchemists", 3)
    with pytest.raises(OutOfOrder, match="before the first reset"):
        env.step(0)
    for call in (env.last, env.state, lambda: env.observe("player_0")):
        with pytest.raises(OutOfOrder, match="reset"):
            call()
    env.reset(seed=1)
    with pytest.raises(IllegalAction):
        env.step(None)
    while not any(env.terminations.values()):
        env.step(int(np.flatnonzero(env.last()[0]["action_mask"])[-1]))
    with pytest.raises(OutOfOrder, match=r"only step\(None\)"):
        env.step(0)
    while env.agents:
        env.step(None)
    with pytest.raises(OutOfOrder, match="after the end"):
        env.step(None)


@pytest.mark.parametrize(
    "bad",
    [
        *({"render_mode": mode} for mode in ("paper", 5)),
        *({"rewards": rewards} for rewards in ("gold", None)),
        *({"viewer": viewer} for viewer in (3, -1, 1.0, True, "1")),
        *({"max_cycles": cycles} for cycles in (0, 1.5, "9", True)),
        *({"num_players": players} for players in (7, 3.0, "3")),
        {"x": 1},
    ],
)
def test_wrong_arguments_are_refused(bad):
    with pytest.raises(BadOption, match="allowed"):
        coven.make("alchemists", **({"num_players": 3} | bad))


def test_an_unknown_game_is_refused():
    with pytest.raises(UnknownGame, match="there are"):
        coven.make("chess")
    env = coven.make("alchemists")
    env.reset(seed=1)
    with pytest.raises(BadOption, match="there are player_0"):
        env.observe("player_9")
    for space in (env.observation_space, env.action_space):
        with pytest.raises(BadOption, match="there are player_0"):
            space("player_9")
