"""A training run that begins with a trained network: its layers, put into the model of the run."""

from __future__ import annotations

from typing import Any

import numpy as np

from coven.agents.learned import LearnedAgent
from coven.agents.registry import create
from coven.agents.standardize import unfold
from coven.games.core.errors import BadOption
from coven.games.core.game import Game


def hidden_layers(spec: str, game: Game) -> list[int]:
    """The units of each hidden layer of a trained agent."""
    return [len(bias) for _, bias in _agent(spec, game).layers[:-1]]


def put(model: Any, spec: str, game: Game) -> None:
    """Let the policy of a MaskablePPO model be that of a trained agent; the value network stays as it is."""
    import torch

    policy = model.policy
    linear = [m for m in policy.mlp_extractor.policy_net if isinstance(m, torch.nn.Linear)] + [policy.action_net]
    layers = list(_agent(spec, game).layers)
    units = [len(bias) for _, bias in layers[:-1]]
    if units != [m.out_features for m in linear[:-1]]:
        raise BadOption(f"network is not allowed with start={spec!r}; allowed: {units}, its hidden layers")
    usual, spread = policy.features_extractor.usual.numpy(), policy.features_extractor.spread.numpy()
    weight, bias = layers[0]
    blind = np.zeros((len(weight), len(usual) - weight.shape[1]), np.float32)  # where it sees the raw part alone
    layers[0] = unfold(np.hstack([weight, blind]), bias, usual, spread)
    with torch.no_grad():
        for module, (weight, bias) in zip(linear, layers, strict=True):
            module.weight.copy_(torch.from_numpy(weight))
            module.bias.copy_(torch.from_numpy(bias))


def _agent(spec: str, game: Game) -> LearnedAgent:
    agent = create(spec, game, game.players[0])
    assert isinstance(agent, LearnedAgent)
    return agent
