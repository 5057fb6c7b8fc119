"""How networks that learn heed what is about their actions (`coven.games.core.links`), in torch."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from gymnasium import Space
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor, MlpExtractor

from coven.games.core.game import Game
from coven.games.core.layout import Layout
from coven.games.core.links import Links


class Told:
    """The numbers of an observation that are about actions, block by block one after the other."""

    def __init__(self, links: Links, layout: Layout) -> None:
        self.links, parts, at = links, [], 0
        self.where: list[slice] = []
        for block in links.blocks:
            parts.append(np.arange(block.start, block.start + block.rows * block.columns))
            self.where.append(slice(at, at + len(parts[-1])))
            at += len(parts[-1])
        self.places = torch.from_numpy(np.concatenate(parts) if parts else np.zeros(0, np.int64))
        self.low = torch.from_numpy(layout.low)[self.places]
        self.range = 1 / torch.from_numpy(layout.factor)[self.places]

    def of(self, scaled: torch.Tensor) -> torch.Tensor:
        """From observations as networks get them, the numbers as the game writes them."""
        return scaled[:, self.places] * self.range + self.low

    def heed(self, outputs: torch.Tensor, told: torch.Tensor) -> torch.Tensor:
        """The outputs of the actions, with what the numbers about them add."""
        actions = len(self.links.starts) - 1
        found, weights = outputs[:, :actions].clone(), outputs[:, actions:]
        for block, where in zip(self.links.blocks, self.where, strict=True):
            numbers = told[:, where].unflatten(1, (block.rows, block.columns))
            weight = weights[:, block.slot : block.slot + block.slots]
            if block.by_row:
                added = (numbers[:, : block.actions] @ weight[:, :, None])[:, :, 0]
            else:
                added = (weight[:, None] @ numbers)[:, 0]
            found[:, block.action : block.action + block.actions] += added
        return found


class Standardised(BaseFeaturesExtractor):
    """Takes the usual value off every number of an observation and measures the rest by how much it usually varies.

    Behind these it leaves the numbers that are about actions as they are.
    """

    def __init__(
        self, observation_space: Space[Any], usual: np.ndarray, spread: np.ndarray, told: Told | None = None
    ) -> None:
        super().__init__(observation_space, len(usual))
        self.usual, self.spread, self.told = torch.from_numpy(usual), torch.from_numpy(spread), told

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """The numbers as the networks get them."""
        seen = (observations - self.usual) / self.spread
        return seen if self.told is None else torch.cat([seen, self.told.of(observations)], dim=1)


class _Towers(MlpExtractor):
    """The hidden layers of policy and value; what is about the actions goes past those of the policy."""

    def forward_actor(self, features: torch.Tensor) -> torch.Tensor:
        seen = self.policy_net[0].in_features
        return torch.cat([self.policy_net(features[:, :seen]), features[:, seen:]], dim=1)

    def forward_critic(self, features: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = self.value_net(features[:, : self.value_net[0].in_features])
        return found


class _Head(torch.nn.Linear):
    """The last layer of a policy: outputs for actions and slots, put together to those of the actions."""

    def __init__(self, hidden: int, told: Told) -> None:
        super().__init__(hidden, len(told.links.starts) - 1 + told.links.slots)
        self.told = told

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        outputs = super().forward(features[:, : self.in_features])
        return self.told.heed(outputs, features[:, self.in_features :])


class HeedingPolicy(MaskableActorCriticPolicy):
    """MaskablePPO's policy, heeding what is about the actions."""

    features_extractor: Standardised

    def _build_mlp_extractor(self) -> None:
        self.mlp_extractor = _Towers(self.features_dim, self.net_arch, self.activation_fn, self.device)

    def _build(self, lr_schedule: Any) -> None:
        super()._build(lr_schedule)
        told = self.features_extractor.told
        assert told is not None
        self.action_net = _Head(self.mlp_extractor.latent_dim_pi, told)
        self.init_weights(self.action_net, gain=0.01)
        self.optimizer = self.optimizer_class(self.parameters(), **self.optimizer_kwargs | {"lr": lr_schedule(1)})


def policy_of(game: Game) -> tuple[Any, dict[str, Any]]:
    """The class of a game's policy, and what its features extractor needs besides."""
    if not game.links.slots:
        return "MlpPolicy", {}
    return HeedingPolicy, {"told": Told(game.links, game.layout)}
