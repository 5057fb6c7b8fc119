"""Networks from strangers: shapes, kinds of numbers and sizes are checked before a kernel works with them."""

from __future__ import annotations

import json

import numpy as np
import pytest
from safetensors.numpy import save_file

import coven
from coven.agents import estimate, learned, network_files
from coven.agents.greedy import GreedyAgent
from coven.envs.gym import CovenGymEnv
from coven.games.core.errors import BadOption, BadState
from coven.games.core.rng import generator

GAME = coven.game("alchemists")
SIZE, RAW, ACTIONS = GAME.observation_size, GAME.layout.raw_size, GAME.num_actions


def good(outputs=ACTIONS, inputs=SIZE):
    return {
        "0.weight": np.zeros((8, inputs), np.float32),
        "0.bias": np.zeros(8, np.float32),
        "1.weight": np.zeros((outputs, 8), np.float32),
        "1.bias": np.zeros(outputs, np.float32),
    }


def stored(path, tensors, form=learned.FORMAT, **about):
    """A file of a network with all that is right but what is given."""
    facts = {"format": form, "game": GAME.name, "version": GAME.version}
    facts |= {"layout": network_files.layout_digest(GAME), "horizon": 2} | about
    save_file(tensors, path, {"about": json.dumps(facts)})
    return path


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"0.weight": np.zeros((1, 1), np.float32), "0.bias": np.zeros(5_000_000, np.float32)}, "layer 0 has 5000000"),
        ({"0.weight": np.zeros((8, SIZE - 1), np.float32)}, r"0.weight has the shape \(8, .*allowed: \(8, "),
        ({"1.weight": np.zeros((2, 8), np.float32), "1.bias": np.zeros(2, np.float32)}, "1.weight has the shape"),
        ({"1.bias": np.zeros(ACTIONS + 1, np.float32)}, "1.bias has the shape"),
        ({"0.bias": np.zeros((8, 1), np.float32)}, "0.bias has the shape"),
        ({"0.weight": np.zeros((8, SIZE))}, "0.weight holds F64; allowed: F32"),
        ({"1.bias": np.full(ACTIONS, np.nan, np.float32)}, "1.bias holds numbers that are not finite"),
        ({"2.weight": np.zeros((1, 1), np.float32)}, "not a weight and a bias for each layer"),
        ({"x": np.zeros(1, np.float32), "y": np.zeros(1, np.float32)}, "not a weight and a bias for each layer"),
    ],
)
def test_a_network_whose_layers_do_not_fit_is_refused(changed, message, tmp_path):
    with pytest.raises(BadState, match=message):
        learned.load(stored(tmp_path / "a.safetensors", good() | changed), GAME)


def test_half_precision_halves_the_file_and_is_read_as_single_precision(tmp_path):
    rng, whole, half = np.random.default_rng(1), tmp_path / "whole.safetensors", tmp_path / "half.safetensors"
    weight, bias = rng.normal(size=(ACTIONS, SIZE)).astype(np.float32), np.zeros(ACTIONS, np.float32)
    agent = learned.LearnedAgent(GAME, [(weight, bias)])
    learned.save(agent, whole, {})
    learned.save(agent, half, {}, half=True)
    assert half.stat().st_size < 0.51 * whole.stat().st_size
    (read, _), *_ = learned.load(half, GAME)[0].layers
    assert read.dtype == np.float32
    np.testing.assert_allclose(read, weight, rtol=1e-3, atol=1e-6)


def test_numbers_too_large_for_half_precision_are_kept_as_they_are(tmp_path):
    weight, bias = np.full((ACTIONS, SIZE), 1e6, np.float32), np.ones(ACTIONS, np.float32)
    learned.save(learned.LearnedAgent(GAME, [(weight, bias)]), tmp_path / "a.safetensors", {}, half=True)
    (read, _), *_ = learned.load(tmp_path / "a.safetensors", GAME)[0].layers
    assert (read == weight).all()


def with_value(outputs=2, inputs=SIZE):
    return good() | {f"value.{name}": tensor for name, tensor in good(outputs, inputs).items()}


@pytest.mark.parametrize("outputs", [1, 2])
@pytest.mark.parametrize("inputs", [SIZE, RAW])
def test_a_value_may_stand_beside_a_policy(outputs, inputs, tmp_path):
    agent, _ = learned.load(stored(tmp_path / "a.safetensors", with_value(outputs, inputs)), GAME)
    assert agent.tells_margin == (outputs == 2)
    assert agent.values(np.zeros((3, SIZE), np.uint8)).tolist() == [[0, 0]] * 3
    learned.save(agent, tmp_path / "b.safetensors", {})
    again, _ = learned.load(tmp_path / "b.safetensors", GAME)
    assert [bias.shape for _, bias in again.value_layers] == [(8,), (outputs,)]
    with pytest.raises(BadOption, match="is seen in"):
        agent.values(np.zeros((3, RAW), np.uint8))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"value.0.weight": np.zeros((8, SIZE - 1), np.float32)}, r"value.0.weight has the shape"),
        ({"value.1.weight": np.zeros((3, 8), np.float32), "value.1.bias": np.zeros(3, np.float32)}, "value.1.weight"),
        ({"value.1.weight": np.zeros((2, 9), np.float32)}, r"value.1.weight has the shape \(2, 9\); allowed: \(2, 8\)"),
        ({"value.0.bias": np.zeros(0, np.float32)}, "layer value.0 has 0 units"),
        ({"value.0.bias": np.zeros(8)}, "value.0.bias holds F64; allowed: F32"),
        ({"value.1.bias": np.full(2, np.inf, np.float32)}, "value.1.bias holds numbers that are not finite"),
        ({"value.2.bias": np.zeros(2, np.float32)}, "not a weight and a bias for each layer"),
        ({"value.x": np.zeros(1, np.float32), "value.y": np.zeros(1, np.float32)}, "not a weight and a bias"),
        ({"worth.0.bias": np.zeros(2, np.float32)}, "not a weight and a bias"),
    ],
)
def test_a_value_whose_layers_do_not_fit_is_refused(changed, message, tmp_path):
    with pytest.raises(BadState, match=message):
        learned.load(stored(tmp_path / "a.safetensors", with_value() | changed), GAME)


def test_a_value_alone_is_no_agent(tmp_path):
    alone = {name: tensor for name, tensor in with_value().items() if name.startswith("value.")}
    with pytest.raises(BadState, match="it has 0 layers"):
        learned.load(stored(tmp_path / "a.safetensors", alone), GAME)


@pytest.mark.parametrize(
    ("about", "message"),
    [
        ({"version": 7}, "for version 7"),
        ({"version": None}, "for version None"),
        ({"game": "chess"}, "is for 'chess', not alchemists"),
        ({"layout": "other"}, "another layout"),
        ({"format": ["x"]}, "the format is another one"),
    ],
)
def test_a_network_of_something_else_is_refused(about, message, tmp_path):
    with pytest.raises(BadState, match=message):
        learned.load(stored(tmp_path / "a.safetensors", good(), **about), GAME)


def test_facts_that_are_no_facts_are_refused(tmp_path):
    for text in ("[" * 100_000, "[1]", "1" * 10_000, "{"):
        save_file(good(), tmp_path / "a.safetensors", {"about": text})
        with pytest.raises(BadState, match="is not a stored network"):
            learned.load(tmp_path / "a.safetensors", GAME)


def test_a_file_that_is_too_large_is_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr(network_files, "MOST_BYTES", 1 << 10)
    with pytest.raises(BadState, match="it has more than"):
        learned.load(stored(tmp_path / "a.safetensors", good()), GAME)


@pytest.mark.parametrize("horizon", [0, -1, 10**9, "2", None, 1.5, True])
def test_an_estimate_has_a_horizon(horizon, tmp_path):
    path = tmp_path / "e.safetensors"
    assert estimate.load(stored(path, good(2, RAW), estimate.FORMAT), GAME).horizon == 2
    with pytest.raises(BadState, match="horizon"):
        estimate.load(stored(path, good(2, RAW), estimate.FORMAT, horizon=horizon), GAME)


def test_an_estimate_has_two_layers_and_two_outputs(tmp_path):
    path = tmp_path / "e.safetensors"
    one = {name: tensor[:2] for name, tensor in good(2, RAW).items() if name.startswith("0")}
    with pytest.raises(BadState, match="it has 1 layers; allowed: 2"):
        estimate.load(stored(path, one, estimate.FORMAT), GAME)
    with pytest.raises(BadState, match=r"allowed: \(2, 8\)"):
        estimate.load(stored(path, good(inputs=RAW), estimate.FORMAT), GAME)


def test_an_agent_of_another_game_is_not_seated():
    stranger = GreedyAgent(coven.game("witchstone"))
    with pytest.raises(BadOption, match="greedy was made for witchstone and cannot play alchemists"):
        CovenGymEnv(GAME, [stranger])
    with pytest.raises(BadOption, match="greedy was made for witchstone"):
        coven.make_gym("alchemists", opponents=[stranger])


def test_what_an_agent_is_asked_with_is_checked():
    agent, s = GreedyAgent(GAME), GAME.new(3, seed=1)
    view, mask, dice = GAME.observe(s, 0), GAME.legal_mask(s), generator(1)
    nothing, wild = np.zeros_like(mask), np.full_like(view, 255)
    for given, message in (
        ((view[:-1], mask, dice), "is seen in"),
        ((view.astype(float), mask, dice), "is seen in"),
        ((wild, mask, dice), "out of the bounds"),
        ((view, nothing, dice), "allows nothing"),
        ((view, mask * 2, dice), "something else than 0 and 1"),
        ((view, mask[:-8], dice), "columns"),
        ((view, mask.astype(bool), dice), "rows of int8"),
        ((view, mask, np.random.default_rng(1)), "dice must be made by"),
    ):
        with pytest.raises(BadOption, match=message):
            agent.act(*given)
    assert mask[agent.act(view, mask, dice)]
