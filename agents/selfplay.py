"""The games of a training run: the tables, the pool of opponents, and the network as an agent."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle, islice
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO

from coven.agents.learned import LearnedAgent
from coven.agents.registry import create
from coven.agents.settings import Settings
from coven.agents.standardize import fold
from coven.envs.agent import Agent
from coven.envs.mixed import MixedVecEnv
from coven.envs.sb3 import SelfPlayVecEnv
from coven.games.core.errors import printable
from coven.games.core.game import Game

MOST_NAME = 100
"""The most characters of the opponents' name in an evaluation."""
SHARES = {"present": 0.35, "past": 0.15, "greedy": 0.45, "random": 0.05}


def shares(game: Game) -> dict[str, float]:
    """How often each kind of opponent plays; without a greedy bot the others share its part."""
    if game.greedy is not None:
        return SHARES
    others = {who: share for who, share in SHARES.items() if who != "greedy"}
    return {who: share / sum(others.values()) for who, share in others.items()}


def yardstick(game: Game) -> str:
    """The opponent in evaluations: greedy, or random in games without a greedy bot."""
    return "random" if game.greedy is None else "greedy"


class Pool:
    """The learner's opponents: its present self, past selves and bots, or only fixed opponents."""

    def __init__(self, game: Game, against: Sequence[str] = (), players: Sequence[int] = ()) -> None:
        self.greedy, self.random = (create(spec, game, game.players[0]) for spec in (yardstick(game), "random"))
        self.shares = shares(game)
        self.past: list[Agent] = []
        self.present: Agent = self.greedy  # until there is a self
        self.fixed = {n - 1: [create(spec, game, n) for spec in against] for n in players if against}
        """By how many opponents there are."""

    def opponents(self, number: int, rng: np.random.Generator) -> Sequence[Agent]:
        """So many opponents for one game."""
        fixed = self.fixed.get(number)
        return [fixed[rng.integers(len(fixed))] if fixed else self._draw(rng) for _ in range(number)]

    def rivals(self, number: int) -> list[Agent]:
        """So many opponents for an evaluation: the fixed ones in turn, or the usual bot (see `yardstick`)."""
        return list(islice(cycle(self.fixed.get(number, [self.greedy])), number))

    def rival(self) -> str:
        """The opponents of an evaluation, in words."""
        fixed = next(iter(self.fixed.values()), [self.greedy])
        return printable(", ".join(agent.name for agent in fixed))[:MOST_NAME]

    def _draw(self, rng: np.random.Generator) -> Agent:
        who = rng.choice(list(self.shares), p=list(self.shares.values()))
        if who == "past":
            return self.past[rng.integers(len(self.past))] if self.past else self.present
        drawn: Agent = getattr(self, who)
        return drawn


def self_play_env(game: Game, pool: Pool, settings: Settings) -> MixedVecEnv:
    """The tables of a run, divided among its player counts."""

    def part(tables: int, players: int) -> SelfPlayVecEnv:
        def opponents(_: int, rng: np.random.Generator) -> Sequence[Agent]:
            return pool.opponents(players - 1, rng)

        given = {"seed": settings.seed, "rewards": settings.rewards, **settings.options}
        return SelfPlayVecEnv(game, tables, opponents, players, **given)

    shares = [len(share) for share in np.array_split(np.arange(settings.tables), len(settings.players))]
    return MixedVecEnv([part(*both) for both in zip(shares, settings.players, strict=True)])


def export(model: MaskablePPO, game: Game, sampling: bool = False) -> LearnedAgent:
    """The networks of a model as an agent that needs no torch; the scaling of inputs becomes part of the first layer.

    Its value predicts returns by rank only if these were its rewards; see `Settings.rewards`.
    """
    policy: Any = model.policy
    usual, spread = policy.features_extractor.usual.numpy(), policy.features_extractor.spread.numpy()

    def layers(hidden: torch.nn.Module, last: torch.nn.Linear) -> list[tuple[np.ndarray, np.ndarray]]:
        linear = [m for m in hidden if isinstance(m, torch.nn.Linear)] + [last]  # type: ignore[attr-defined]
        found = [(m.weight.detach().numpy().copy(), m.bias.detach().numpy().copy()) for m in linear]
        return [fold(*found[0], usual, spread), *found[1:]]

    networks = policy.mlp_extractor
    value = layers(networks.value_net, policy.value_net)
    return LearnedAgent(game, layers(networks.policy_net, policy.action_net), sampling, value)
