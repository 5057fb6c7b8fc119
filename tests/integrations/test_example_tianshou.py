"""The example for Tianshou."""

from __future__ import annotations

from with_tianshou import Args, main


def test_the_example_trains(capsys):
    mean = main(Args(players=3, epochs=2, games=4, updates=3, batch=16, envs=2, hidden=8))
    assert -1 <= mean <= 1
    assert "epoch 1" in capsys.readouterr().out
