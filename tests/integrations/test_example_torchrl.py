"""The example for TorchRL, and TorchRL's own check of the env in it."""

from __future__ import annotations

from torchrl.envs.utils import check_env_specs
from with_torchrl import Args, main, make_env

import coven  # noqa: F401


def test_the_env_is_as_its_specs_say():
    check_env_specs(make_env(Args()))


def test_the_example_trains(capsys):
    mean = main(Args(steps=256, rollout=128, epochs=1, minibatch=64, hidden=8))
    assert -1 <= mean <= 1
    assert "mean reward" in capsys.readouterr().out
