"""The example for RLlib."""

from __future__ import annotations

from with_rllib import Args, main


def test_the_example_trains(capsys):
    few = Args(players=2, iterations=1, envs=2, batch=128, minibatch=64, epochs=1, hidden=8)
    assert main(few) >= 128
    assert "decisions" in capsys.readouterr().out
