"""Begins a training run with a trained network: puts its layers into the model of the run."""

from __future__ import annotations

from typing import Any

import numpy as np

from coven.agents.learned import LearnedAgent
from coven.agents.network import Layers, widen
from coven.agents.registry import create
from coven.agents.standardize import unfold
from coven.games.core.errors import BadOption
from coven.games.core.game import Game


def hidden_layers(spec: str, game: Game) -> list[int]:
    """The units of each hidden layer of a trained agent."""
    return units(_agent(spec, game).layers)


def units(layers: Layers) -> list[int]:
    """The units of each hidden layer."""
    return [len(bias) for _, bias in layers[:-1]]


def put(model: Any, spec: str, game: Game) -> None:
    """Copy the policy of a trained agent into a MaskablePPO model, and its value network too if it fits."""
    agent, policy = _agent(spec, game), model.policy
    networks = policy.mlp_extractor
    if not _put(policy, networks.policy_net, policy.action_net, agent.layers):
        raise BadOption(
            f"network is not allowed with start={spec!r}; allowed: {units(agent.layers)}, its hidden layers"
        )
    if agent.value_layers:
        weight, bias = agent.value_layers[-1]
        _put(policy, networks.value_net, policy.value_net, [*agent.value_layers[:-1], (weight[:1], bias[:1])])


def _put(policy: Any, hidden: Any, last: Any, layers: Layers) -> bool:
    """Copy layers into modules, without the scaling that an agent's file includes; False if they do not fit."""
    import torch

    linear = [m for m in hidden if isinstance(m, torch.nn.Linear)] + [last]
    if units(layers) != [m.out_features for m in linear[:-1]]:
        return False
    usual, spread = policy.features_extractor.usual.numpy(), policy.features_extractor.spread.numpy()
    weight, bias = layers[0]
    blind = np.zeros((len(weight), len(usual) - weight.shape[1]), np.float32)  # where it sees the raw part alone
    first = unfold(np.hstack([weight, blind]), bias, usual, spread)
    rest = [*layers[1:-1], widen(layers[-1], last.out_features)]  # it may use no action features
    with torch.no_grad():
        for module, (weight, bias) in zip(linear, [first, *rest], strict=True):
            module.weight.copy_(torch.from_numpy(weight))
            module.bias.copy_(torch.from_numpy(bias))
    return True


def _agent(spec: str, game: Game) -> LearnedAgent:
    agent = create(spec, game, game.players[0])
    assert isinstance(agent, LearnedAgent)
    return agent
