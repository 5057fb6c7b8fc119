"""Seats: the table of every game comes out, whatever its state calls the first player."""

from __future__ import annotations

import pytest

import coven
from coven.benchmarks import seats


@pytest.mark.parametrize("name", coven.games.built_in())
def test_seats_of_every_game(name, capsys):
    game = coven.game(name)
    points, rewards, first = seats.play(game, game.players[0], 20, False, 1)
    assert points.shape == rewards.shape == (20, game.players[0])
    assert set(first.tolist()) <= set(range(game.players[0]))
    assert abs(rewards.sum()) < 1e-3
    print(seats.line("by seat", points, rewards))
    assert "reward" in capsys.readouterr().out
