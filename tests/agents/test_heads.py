"""Networks with action features: in torch, in machine code and in numpy they say the same."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from agents_help import decisions, padded_mask, some_network

import coven
from coven.agents import learned, start, train
from coven.agents.kernels.policy import outputs_for
from coven.agents.learner import Learner
from coven.agents.network import add_action_features, forward
from coven.agents.selfplay import export
from coven.games.core.errors import BadState
from coven.games.core.layout import Layout, Slice

GAME = coven.game("witchstone")
HEEDED = [game for game in map(coven.game, coven.games.built_in()) if game.links.slots]
TINY = {"players": [2], "network": [16], "tables": 8, "steps_per_update": 8, "batch_size": 32, "lesson_length": 4}


def some_views(game=GAME):
    states = decisions(game, game.players[0], 2, 7)
    found = [(game.observe(s, int(s["current"])), padded_mask(game, s)) for s in states]
    views, masks = (np.array(part) for part in zip(*found, strict=True))
    return views, masks


def asked(agent, views, masks):
    """The outputs of the legal actions, as the kernel computes them; 0 for the others."""
    logits = np.zeros((len(views), agent.game.num_actions), np.float32)
    for view, mask, row in zip(views, masks, logits, strict=True):
        outputs_for(view, mask, agent.policy, 0, row)
    return logits


@pytest.mark.parametrize("game", HEEDED, ids=lambda game: game.name)
def test_kernels_answer_as_numpy_does(game):
    agent, (views, masks) = some_network(game, action_features=True), some_views(game)
    legal = masks[:, : game.num_actions].astype(bool)
    outputs = forward(agent.layers, game.layout.scale(views))
    expected = np.array([add_action_features(row, view, game.links) for row, view in zip(outputs, views, strict=True)])
    assert np.allclose(asked(agent, views, masks)[legal], expected[legal], atol=1e-3, rtol=1e-4)
    assert not np.allclose(expected, outputs[:, : game.num_actions], atol=0.1), "the features add something"
    agent.sampling = True
    chances = np.exp(expected[0] - expected[0][legal[0]].max()) * legal[0]
    assert np.allclose(agent.probabilities(views[0], masks[0, : game.num_actions]), chances / chances.sum(), atol=1e-3)


def test_a_network_that_sees_the_raw_part_uses_only_the_features_in_it():
    raw, (views, masks) = GAME.layout.raw_size, some_views()
    whole = some_network(GAME, action_features=True)
    cut = [(whole.layers[0][0][:, :raw].copy(), whole.layers[0][1]), *whole.layers[1:]]
    cut, blind = learned.LearnedAgent(GAME, cut), views.copy()
    blind[:, raw:] = 0
    assert np.allclose(asked(cut, views, masks), asked(whole, blind, masks), atol=1e-3, rtol=1e-4)
    assert not np.allclose(asked(whole, views, masks), asked(whole, blind, masks), atol=0.1)


def test_self_play_learns_with_it_and_exports_what_it_plays(tmp_path):
    torch.set_num_threads(1)
    settings = train.preset(GAME, updates=2, lessons=1, evaluation_deals=2, **TINY)
    run = train.Run.begin(GAME, tmp_path / "run", settings)
    first = run.model.policy.action_net.weight[GAME.num_actions :].detach().clone()
    train.train(run, quiet=True)
    (views, masks), model = some_views(), run.model
    moved = (model.policy.action_net.weight[GAME.num_actions :] - first).abs()
    assert moved.max() > settings.learning_rate, "the slots have learned"
    agent, legal = export(model, GAME), masks[:, : GAME.num_actions].astype(bool)
    with torch.no_grad():
        scaled = torch.from_numpy(GAME.layout.scale(views))
        logits = model.policy.get_distribution(scaled).distribution.logits.numpy()
    ours = asked(agent, views, masks)
    for row in range(len(views)):  # a distribution's logits are shifted by a constant of its own
        shift = (ours[row] - logits[row])[legal[row]]
        assert np.allclose(shift, shift[0], atol=1e-3)
    again = train.Run.resume(GAME, tmp_path / "run")
    assert all((a == b).all() for (a, _), (b, _) in zip(export(again.model, GAME).layers, agent.layers, strict=True))


def test_a_learner_exports_what_it_learns():
    usual = {"usual": np.full(GAME.observation_size, 0.1, np.float32), "spread": np.full(GAME.observation_size, 0.5)}
    learner = Learner(GAME, [16], {name: x.astype(np.float32) for name, x in usual.items()}, 10.0, 1e-3, seed=1)
    learner.begin_with(some_network(GAME, hidden=(16,), action_features=True))
    policy, value = learner.networks()
    (views, masks), agent = some_views(), learned.LearnedAgent(GAME, policy, value_layers=value)
    with torch.no_grad():
        logits = learner._logits(views).numpy()
    legal = masks[:, : GAME.num_actions].astype(bool)
    assert np.allclose(asked(agent, views, masks)[legal], logits[legal], atol=1e-2, rtol=1e-3)


def test_training_begins_with_a_network_without_action_features(tmp_path):
    learned.save(some_network(GAME, hidden=(16,)), tmp_path / "plain.safetensors", {})
    agent, _ = learned.load(tmp_path / "plain.safetensors", GAME)
    settings = train.preset(GAME, start=f"ppo:{tmp_path / 'plain.safetensors'}", **TINY | {"network": [16]})
    model = train.Run.begin(GAME, tmp_path / "run", settings).model
    start.put(model, settings.start, GAME)
    views, masks = some_views()
    assert np.allclose(asked(export(model, GAME), views, masks), asked(agent, views, masks), atol=1e-3)


def test_a_file_with_other_links_is_refused(tmp_path):
    path, agent = tmp_path / "agent.safetensors", some_network(GAME, action_features=True)
    learned.save(agent, path, {})
    assert learned.load(path, GAME)[0].links is GAME.links
    agent.links = coven.game("black_magic_friday").links
    learned.save(agent, path, {})
    with pytest.raises(BadState, match="trained with other links"):
        learned.load(path, GAME)
    learned.save(some_network(GAME), path, {"links": GAME.links.digest})
    with pytest.raises(BadState, match="trained with other links"):
        learned.load(path, GAME)


def test_numbers_that_begin_above_0_are_scaled_as_for_training():
    """No game of ours has such; somebody else's may."""
    layout = Layout(Slice("numbers", 2, 3, 9, "never below 3"))
    from coven.agents.kernels.network import answer, think
    from coven.agents.network import pack

    rng = np.random.default_rng(1)
    layers = [(rng.normal(size=(4, 2)), rng.normal(size=4)), (rng.normal(size=(1, 4)), rng.normal(size=1))]
    network, view = pack(layers, layout), np.array([3, 8], np.uint8)
    assert np.isclose(
        answer(network, think(view, network, 0, False), 0), forward(layers, layout.scale(view))[0], atol=1e-5
    )
