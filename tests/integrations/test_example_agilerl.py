"""The example for AgileRL, beside the older PettingZoo that it brings."""

from __future__ import annotations

import pettingzoo
from with_agilerl import Args, main

import coven


def test_everything_but_the_ids_works_without_a_registry():
    assert not hasattr(pettingzoo, "register")
    env = coven.make("alchemists")
    env.reset(seed=1)
    assert env.last()[0]["action_mask"].any()


def test_the_example_trains(capsys):
    mean = main(Args(steps=200, num_envs=4, buffer=200, begin=50, batch=16, hidden=8))
    assert -1 <= mean <= 1
    assert "mean reward" in capsys.readouterr().out
