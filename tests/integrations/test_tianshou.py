"""Tianshou: its PettingZoo adapter takes our AEC envs as they are."""

from __future__ import annotations

import numpy as np
import pytest
from page import run, snippets
from tianshou.algorithm import MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv

import coven

TABLES = [(name, players) for name in coven.games.built_in() for players in coven.game(name).players]


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_a_random_collect(name, players):
    """Every action it makes is legal by the mask that it was shown, and every game is paid by rank."""
    table = PettingZooEnv(coven.make(name, num_players=players))
    random = [MARLRandomDiscreteMaskedOffPolicyAlgorithm(table.action_space) for _ in range(players)]
    tables = DummyVectorEnv([lambda: PettingZooEnv(coven.make(name, num_players=players)) for _ in range(2)])
    buffer = VectorReplayBuffer(20_000, 2)
    collector = Collector(MultiAgentOffPolicyAlgorithm(algorithms=random, env=table), tables, buffer)
    collector.reset(gym_reset_kwargs={"seed": 1})
    stats = collector.collect(n_episode=4)
    assert stats.n_collected_episodes == 4
    assert len(buffer) == stats.n_collected_steps
    assert stats.returns.shape == (4, players)
    assert np.allclose(stats.returns.sum(axis=1), 0, atol=1e-6)
    assert np.abs(stats.returns).max() <= 1
    transitions = buffer[:]
    assert transitions.obs.mask[np.arange(len(buffer)), transitions.act].all()
    assert set(transitions.obs.agent_id) <= {f"player_{p}" for p in range(players)}
    assert not transitions.rew[~transitions.done].any()


@pytest.mark.parametrize("snippet", snippets("Tianshou"))
def test_the_page_on_integrations_is_right(snippet):
    run(snippet)
