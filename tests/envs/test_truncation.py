"""A game that its own limit cuts off: every face says so, and pays by the ranks all the same."""

from __future__ import annotations

import numpy as np
import pytest
from players import Random

import coven
from coven.envs.gym import CovenGymEnv

GAME = coven.game("wie_verhext")  # with one set to play: nobody can afford four ravens in it


def first(mask):
    return int(np.flatnonzero(mask)[0])


def test_aec():
    env = coven.make("wie_verhext", num_players=4, max_sets=1)
    env.reset(seed=1)
    while not any(env.truncations.values()):
        assert not any(env.terminations.values())
        env.step(first(env.last()[0]["action_mask"]))
    assert all(env.truncations.values())
    assert not any(env.terminations.values())
    returns = GAME.returns(env.running.s)
    assert max(returns) > 0 > min(returns)
    for agent, expected in zip(env.possible_agents, returns, strict=True):
        seen, reward, terminated, truncated, _ = env.last()
        assert (env.agent_selection, reward, terminated, truncated) == (agent, expected, False, True)
        assert not seen["action_mask"].any()
        env.step(None)
    assert not env.agents


def test_gymnasium():
    env = CovenGymEnv(GAME, [Random()] * 3, 4, seat=2, max_sets=1)
    env.reset(seed=1)
    terminated = truncated = False
    while not terminated and not truncated:
        _, reward, terminated, truncated, _ = env.step(first(env.action_masks()))
    assert (terminated, truncated) == (False, True)
    assert reward == GAME.returns(env.running.s)[2]


def test_vector_pays_every_seat():
    venv = coven.make_vec("wie_verhext", num_envs=2, num_players=4, seed=1, max_sets=1)
    venv.reset()
    truncations = np.zeros(2, bool)
    while not truncations.any():
        actors = venv.batch.players.copy()
        _, rewards, terminations, truncations, infos = venv.step(venv.random_actions())
        assert not terminations.any()
    i = first(truncations)
    assert infos["rewards"][i].sum() == pytest.approx(0, abs=1e-6)
    assert infos["rewards"][i].max() > 0
    assert rewards[i] == infos["rewards"][i, actors[i]]


def test_sb3_adds_no_value_to_a_reward_that_is_final():
    sb3 = pytest.importorskip("coven.envs.sb3")
    venv = sb3.SelfPlayVecEnv(GAME, 1, [Random()] * 3, 4, seed=1, max_sets=1)
    venv.reset()
    dones, rewards, infos = np.zeros(1, bool), np.zeros(1), [{}]
    while not dones[0]:
        _, rewards, dones, infos = venv.step(np.array([first(venv.action_masks()[0])]))
    assert infos[0]["TimeLimit.truncated"] is False
    assert infos[0]["episode"]["r"] == rewards[0]
