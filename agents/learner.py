"""The networks of training with search while they learn: a policy and a value, in torch.

The policy learns how often a search visited each action; the value network learns the final return by rank and margin
in points of every seat. As in all training here, inputs are standardised before the first layer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch

from coven.agents.generation import Networks
from coven.agents.heads import ActionFeatures
from coven.agents.learned import LearnedAgent
from coven.agents.network import Layers, widen
from coven.agents.positions import Batch
from coven.agents.standardize import fold, unfold
from coven.games.core.errors import BadOption
from coven.games.core.game import Game

MOST_NORM = 1.0
"""The largest norm of a batch's gradient; larger ones are clipped."""
MARGIN_WEIGHT = 0.5
"""The weight of the margin's loss, compared with the rank's."""
LOSSES = ("policy", "rank", "margin")


def tower(sizes: Sequence[int]) -> torch.nn.Sequential:
    """Layers of these sizes with tanh between them; the last one begins near 0."""
    layers: list[torch.nn.Module] = []
    for before, after in pairwise(sizes):
        layers += [torch.nn.Linear(before, after), torch.nn.Tanh()]
    with torch.no_grad():
        layers[-2].weight.mul_(0.1)  # type: ignore[operator]
    return torch.nn.Sequential(*layers[:-1])


class Towers(torch.nn.Module):
    """Policy and value network with their optimiser."""

    def __init__(self, game: Game, hidden: Sequence[int], usual: np.ndarray, spread: np.ndarray, rate: float) -> None:
        super().__init__()
        self.actor = tower([game.observation_size, *hidden, game.num_actions + game.links.slots])
        self.critic = tower([game.observation_size, *hidden, 2])
        self.features_extractor = SimpleNamespace(usual=torch.from_numpy(usual), spread=torch.from_numpy(spread))
        self.optimizer = torch.optim.Adam(self.parameters(), lr=rate)


class Learner:
    """Trains both networks; `checkpoint` stores it as it stores a MaskablePPO model."""

    def __init__(
        self, game: Game, hidden: Sequence[int], usual: dict[str, np.ndarray], points: float, rate: float, seed: int
    ) -> None:
        torch.manual_seed(seed)
        self.game, self.points, self.action_features = game, points, ActionFeatures(game.links, game.layout)
        self.policy = Towers(game, hidden, usual["usual"], usual["spread"], rate)
        self.num_timesteps, self._n_updates = 0, 0  # games and batches

    def learn(self, batches: Iterable[Batch], rate: float | None = None, values: bool = True) -> dict[str, float]:
        """Learn from some batches, with that learning rate; the mean losses of the policy, the rank and the margin.

        Without `values` the value network stays as it is.
        """
        for group in self.policy.optimizer.param_groups:
            group["lr"] = group["lr"] if rate is None else rate
        losses: list[list[float]] = []
        for batch in batches:
            shares = torch.from_numpy(batch.visits / batch.visits.sum(axis=1, keepdims=True))
            logits = self._logits(batch.decision_views)
            chances = logits.masked_fill(torch.from_numpy(~batch.legal), -1e9).log_softmax(dim=1)
            policy = -(shares * chances).sum(dim=1).mean()
            if values:
                rank, margin = self._value_losses(batch.views, batch.targets)
                self._step(policy + rank + MARGIN_WEIGHT * margin)
                losses.append([float(loss.detach()) for loss in (policy, rank, margin)])
            else:
                self._step(policy)
                losses.append([float(policy.detach())])
        means = np.mean(losses or [[0.0] * len(LOSSES)], axis=0).tolist()
        return dict(zip(LOSSES, means, strict=False))

    def learn_values(self, views: np.ndarray, targets: np.ndarray, rate: float) -> None:
        """Learn from one batch what seats got in the end, and nothing about the policy."""
        for group in self.policy.optimizer.param_groups:
            group["lr"] = rate
        rank, margin = self._value_losses(views, targets)
        self._step(rank + MARGIN_WEIGHT * margin)

    def _value_losses(self, views: np.ndarray, targets: np.ndarray) -> tuple[torch.Tensor, torch.Tensor]:
        wanted = torch.from_numpy(targets)
        values = self.policy.critic(self._seen(views))
        rank = ((values[:, 0] - wanted[:, 0]) ** 2).mean()
        return rank, ((values[:, 1] - wanted[:, 1] / self.points) ** 2).mean()

    def _step(self, loss: torch.Tensor) -> None:
        """One step of the optimiser."""
        self.policy.optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.policy.parameters(), MOST_NORM)
        self.policy.optimizer.step()
        self._n_updates += 1

    def _logits(self, views: np.ndarray) -> torch.Tensor:
        features = torch.from_numpy(views[:, self.action_features.places]).float()
        return self.action_features.add_to(self.policy.actor(self._seen(views)), features)

    def _seen(self, views: np.ndarray) -> torch.Tensor:
        known = self.policy.features_extractor
        return (torch.from_numpy(self.game.layout.scale(views)) - known.usual) / known.spread

    def networks(self) -> Networks:
        """The networks as plain layers, which include the scaling of inputs and outputs."""
        policy, value = (self._layers(part) for part in (self.policy.actor, self.policy.critic))
        scale = np.array([1, self.points], np.float32)
        weight, bias = value[-1]
        return Networks(policy, [*value[:-1], (weight * scale[:, None], bias * scale)])

    def _layers(self, part: torch.nn.Sequential) -> list[tuple[np.ndarray, np.ndarray]]:
        known = self.policy.features_extractor
        found = [(m.weight.detach().numpy().copy(), m.bias.detach().numpy().copy()) for m in _linear(part)]
        return [fold(*found[0], known.usual.numpy(), known.spread.numpy()), *found[1:]]

    def begin_with(self, agent: LearnedAgent) -> None:
        """Start from the networks of a trained agent; outputs that it does not have stay as they are."""
        self._put(self.policy.actor, agent.layers)
        if agent.value_layers:
            weight, bias = agent.value_layers[-1]
            if agent.tells_margin:
                scale = np.array([1, 1 / self.points], np.float32)
                weight, bias = weight * scale[:, None], bias * scale
            self._put(self.policy.critic, [*agent.value_layers[:-1], (weight, bias)])

    def _put(self, part: torch.nn.Sequential, layers: Layers) -> None:
        known, modules = self.policy.features_extractor, _linear(part)
        units = [len(bias) for _, bias in layers[:-1]]
        if units != [m.out_features for m in modules[:-1]]:
            raise BadOption(f"network does not fit what the run begins with; allowed: {units}, its hidden layers")
        weight, bias = layers[0]
        blind = np.zeros((len(weight), len(known.usual) - weight.shape[1]), np.float32)  # if it sees the raw part alone
        first = unfold(np.hstack([weight, blind]), bias, known.usual.numpy(), known.spread.numpy())
        rest = [*layers[1:-1], widen(layers[-1], modules[-1].out_features)]  # it may use no action features
        with torch.no_grad():
            for module, (weight, bias) in zip(modules, [first, *rest], strict=True):
                module.weight.copy_(torch.from_numpy(weight))
                module.bias.copy_(torch.from_numpy(bias))


def _linear(part: torch.nn.Sequential) -> list[Any]:
    return [m for m in part if isinstance(m, torch.nn.Linear)]
