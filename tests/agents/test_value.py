"""The value network that an agent gets at the end of training: from its own games, for every seat."""

from __future__ import annotations

import numpy as np
import pytest
from agents_help import some_network

import coven
from coven import cli
from coven.agents import learned, train
from coven.agents.outcomes import positions
from coven.agents.value import fit_value, least_rows, refit
from coven.games.core.errors import BadOption

GAME = coven.game("alchemists")
TINY = {"players": [2, 3], "network": [16], "tables": 8, "steps_per_update": 32, "batch_size": 64, "lessons": 1}
TINY |= {"lesson_length": 4, "evaluation_deals": 2, "updates": 3, "seed": 5}


@pytest.mark.parametrize("name", coven.games.built_in())
def test_what_all_seats_got_adds_up_to_zero_and_is_what_some_game_gives(name):
    game = coven.game(name)
    players = game.players[-1]
    views, targets = positions(some_network(game), players, 60 * players, 3, {})
    assert len(views) == len(targets) == 60 * players
    low, high = game.layout.bounds()
    assert ((views >= low) & (views <= high)).all()
    by_seat = targets.reshape(-1, players, 2)
    assert np.allclose(by_seat.sum(axis=1), 0, atol=1e-3)
    assert np.abs(by_seat[:, :, 0]).max() == 1
    best, last = by_seat[:, :, 1].argmax(axis=1), by_seat[:, :, 1].argmin(axis=1)
    rows = np.arange(len(by_seat))
    assert (by_seat[rows, best, 0] >= by_seat[rows, last, 0]).all(), "who is ahead in points does not rank behind"


def test_the_same_seed_gives_the_same_positions_and_another_one_others():
    agent = some_network(GAME)
    one, same, other = (positions(agent, 2, 200, seed, {})[0] for seed in (3, 3, 4))
    assert (one == same).all()
    assert (one != other).any()


def test_a_fitted_value_knows_who_wins_the_agents_games_and_plays_as_before():
    agent, _ = learned.load(learned.baseline(GAME), GAME)
    fitted, explained = fit_value(agent, [2, 3], 40_000, 1)
    views, targets = positions(agent, 2, 2000, 99, {})
    found = fitted.values(views)
    assert np.corrcoef(found[:, 0], targets[:, 0])[0, 1] > 0.25
    assert np.corrcoef(found[:, 1], targets[:, 1])[0, 1] > 0.25
    assert explained.keys() == {"2", "3"}
    assert explained["2"] > 0.05
    for (weight, bias), (weight_before, bias_before) in zip(fitted.layers, agent.layers, strict=True):
        assert (weight == weight_before).all()
        assert (bias == bias_before).all()


def test_too_few_rows_too_many_and_agents_without_a_network_are_refused(tmp_path):
    with pytest.raises(BadOption, match=f"allowed: {least_rows([2])} and more"):
        fit_value(some_network(GAME), [2], least_rows([2]) - 1, 0)
    with pytest.raises(BadOption, match="GiB of memory"):
        refit("ppo", GAME, tmp_path / "agent.safetensors", 1 << 40, 0)
    for spec in ("greedy", "ismcts:10", "py:os:system"):
        with pytest.raises(BadOption, match="allowed: ppo or ppo:FILE"):
            refit(spec, GAME, tmp_path / "agent.safetensors", 1000, 0)
    for seed in (-1, 1 << 32):
        with pytest.raises(BadOption, match=f"seed={seed} is not allowed; allowed: 0 to 4294967295"):
            refit("ppo", GAME, tmp_path / "agent.safetensors", 1000, seed)
    assert not list(tmp_path.iterdir())


def test_the_largest_seed_of_a_run_gives_a_value_too():
    fitted, _ = fit_value(some_network(GAME), [2], 400, (1 << 32) - 1)
    assert fitted.tells_margin


def test_the_command_stores_the_agent_with_a_new_value_and_how_it_was_made(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    learned.save(some_network(GAME, values=0), tmp_path / "old.safetensors", {"players": [2], "command": "coven train"})
    cli.fit("alchemists", rows=400, seed=3, agent="ppo:old.safetensors")
    agent, about = learned.load(tmp_path / "runs" / "alchemists-agent.safetensors", GAME)
    assert agent.tells_margin
    assert about["explained"].keys() == {"2"}
    assert about["before"] == ["coven train"]
    assert about["command"] == "coven fit alchemists --agent ppo:old.safetensors --rows 400 --seed 3"
    assert np.allclose(agent.layers[0][0], some_network(GAME, values=0).layers[0][0], rtol=1e-2)


def test_training_ends_with_a_value_for_rank_and_margin(tmp_path):
    run = train.Run.begin(GAME, tmp_path / "run", train.preset(GAME, **TINY))
    train.train(run, quiet=True)
    agent, about = learned.load(run.agent_file, GAME)
    assert agent.tells_margin
    assert about["explained"].keys() == {"2", "3"}
    before = run.agent_file.read_bytes()
    train.train(train.Run.resume(GAME, run.folder), quiet=True)
    assert run.agent_file.read_bytes() == before, "a run that is over makes the same again"


@pytest.mark.parametrize("changes", [{"value_rows": 0}, {"rewards": "score"}, {"against": ["random"]}])
def test_where_the_agents_own_games_are_not_what_counts_it_keeps_the_value_of_ppo(tmp_path, changes):
    run = train.Run.begin(GAME, tmp_path / "run", train.preset(GAME, **TINY | changes))
    train.train(run, quiet=True)
    agent, about = learned.load(run.agent_file, GAME)
    assert agent.value_layers
    assert not agent.tells_margin
    assert "explained" not in about
