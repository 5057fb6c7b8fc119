"""The trained baselines that come with the package."""

from __future__ import annotations

import pytest

import coven
from coven.agents import learned
from coven.agents.play import play
from coven.agents.registry import create


@pytest.mark.parametrize("name", coven.games.built_in())
def test_every_game_has_a_baseline_that_knows_how_it_was_made(name):
    game = coven.game(name)
    path = coven.game(name).file(learned.BASELINE)
    agent, about = learned.load(path, game)
    assert agent.tells_margin
    trained, fitted = about["before"], about["command"]
    assert trained
    assert all(command.startswith(f"coven train {name} ") for command in trained)
    assert fitted.startswith(f"coven fit {name} --agent ppo")
    assert set(about["players"]) <= set(game.players)
    assert path.stat().st_size < 1_500_000


@pytest.mark.parametrize("name", coven.games.built_in())
def test_a_baseline_plays_every_player_count_and_beats_random_where_it_was_trained(name):
    game = coven.game(name)
    _, about = learned.load(coven.game(name).file(learned.BASELINE), game)
    for players in game.players:
        agents = [create("ppo", game, players), *[create("random", game, players)] * (players - 1)]
        wins = play(game, agents, deals=10, seed=1).wins[:, 0]
        if players in about["players"]:
            assert wins.mean() > 0.75
