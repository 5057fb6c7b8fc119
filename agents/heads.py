"""Policy networks in torch that use action features: numbers that are about one action (`coven.games.core.links`).

The last layer has an output for every action, as usual, and one for every slot: the weight of all numbers that mean the
same for different actions. To the logit of an action come the numbers about it, each times the weight of its slot.
"""

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


class ActionFeatures:
    """The action features of an observation: the numbers that are about actions, block after block."""

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

    def unscaled(self, scaled: torch.Tensor) -> torch.Tensor:
        """The action features as the game writes them, from scaled observations."""
        return scaled[:, self.places] * self.range + self.low

    def add_to(self, outputs: torch.Tensor, action_features: torch.Tensor) -> torch.Tensor:
        """The logits of the actions: their outputs plus their action features times the weights."""
        actions = len(self.links.starts) - 1
        found, weights = outputs[:, :actions].clone(), outputs[:, actions:]
        for block, where in zip(self.links.blocks, self.where, strict=True):
            numbers = action_features[:, where].unflatten(1, (block.rows, block.columns))
            weight = weights[:, block.slot : block.slot + block.slots]
            if block.by_row:
                added = (numbers[:, : block.actions] @ weight[:, :, None])[:, :, 0]
            else:
                added = (weight[:, None] @ numbers)[:, 0]
            found[:, block.action : block.action + block.actions] += added
        return found


class Standardised(BaseFeaturesExtractor):
    """Standardises observations: every number minus its mean, divided by its spread.

    With `action_features`, the action features follow, as the game writes them.
    """

    def __init__(
        self,
        observation_space: Space[Any],
        usual: np.ndarray,
        spread: np.ndarray,
        action_features: ActionFeatures | None = None,
    ) -> None:
        super().__init__(observation_space, len(usual))
        self.usual, self.spread, self.action_features = (
            torch.from_numpy(usual),
            torch.from_numpy(spread),
            action_features,
        )

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """The standardised numbers and, with `action_features`, the action features."""
        seen = (observations - self.usual) / self.spread
        return (
            seen
            if self.action_features is None
            else torch.cat([seen, self.action_features.unscaled(observations)], dim=1)
        )


class _Towers(MlpExtractor):
    """The hidden layers of policy and value; action features bypass those of the policy."""

    def forward_actor(self, features: torch.Tensor) -> torch.Tensor:
        seen = self.policy_net[0].in_features
        return torch.cat([self.policy_net(features[:, :seen]), features[:, seen:]], dim=1)

    def forward_critic(self, features: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = self.value_net(features[:, : self.value_net[0].in_features])
        return found


class _Head(torch.nn.Linear):
    """The last layer of a policy: computes outputs for actions and slots, and from them the logits of the actions."""

    def __init__(self, hidden: int, action_features: ActionFeatures) -> None:
        super().__init__(hidden, len(action_features.links.starts) - 1 + action_features.links.slots)
        self.action_features = action_features

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        outputs = super().forward(features[:, : self.in_features])
        return self.action_features.add_to(outputs, features[:, self.in_features :])


class ActionFeaturePolicy(MaskableActorCriticPolicy):
    """MaskablePPO's policy with action features."""

    features_extractor: Standardised

    def _build_mlp_extractor(self) -> None:
        self.mlp_extractor = _Towers(self.features_dim, self.net_arch, self.activation_fn, self.device)

    def _build(self, lr_schedule: Any) -> None:
        super()._build(lr_schedule)
        action_features = self.features_extractor.action_features
        assert action_features is not None
        self.action_net = _Head(self.mlp_extractor.latent_dim_pi, action_features)
        self.init_weights(self.action_net, gain=0.01)
        self.optimizer = self.optimizer_class(self.parameters(), **self.optimizer_kwargs | {"lr": lr_schedule(1)})


def policy_of(game: Game) -> tuple[Any, dict[str, Any]]:
    """The policy class for a game, and further arguments of its features extractor."""
    if not game.links.slots:
        return "MlpPolicy", {}
    return ActionFeaturePolicy, {"action_features": ActionFeatures(game.links, game.layout)}
