"""Trained agents: small networks that need no torch to play, stored as safetensors files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from coven.agents.kernels.policy import act
from coven.agents.network_files import Layers, check_sizes, load_layers, save_layers
from coven.agents.registry import UnknownAgent
from coven.agents.rows import Rows
from coven.envs.agent import Agent
from coven.games.core.game import Game

BASELINE = "baseline.safetensors"
FORMAT = "coven-policy-1"
PARTS = ("weight", "bias")


class LearnedAgent(Agent):
    """A policy network: scaled observation, layers with tanh between them, the legal action with the largest output.

    With `sampling` it samples from the distribution of its outputs instead. A network with only as many inputs as the
    raw part of an observation gets that part.
    """

    game: Game

    def __init__(self, game: Game, layers: Layers, sampling: bool = False) -> None:
        self.game, self.layers, self.sampling, self.name = game, list(layers), sampling, "ppo"
        sizes = {
            f"{i}.{part}": np.shape(x) for i, layer in enumerate(layers) for part, x in zip(PARTS, layer, strict=True)
        }
        check_sizes(sizes, _inputs(game), game.num_actions)
        inputs = self.layers[0][0].shape[1]
        self._low, self._factor = game.layout.low[:inputs], game.layout.factor[:inputs]
        self._rows = Rows(game, raw=inputs <= game.layout.raw_size)
        self._weights = tuple(np.ascontiguousarray(weight.T, np.float32) for weight, _ in layers)
        self._biases = tuple(np.ascontiguousarray(bias, np.float32) for _, bias in layers)
        self._scratch = np.zeros((2, max(max(weight.shape) for weight in self._weights)), np.float32)

    def act_batch(self, views: np.ndarray, masks: np.ndarray, dice: np.ndarray) -> np.ndarray:
        """The best legal action for each of the views, or a draw."""
        return LearnedAgent.act_unchecked(self, *self._rows.check(views, masks, dice), dice)

    def act_unchecked(self, views: np.ndarray, masks: np.ndarray, dice: np.ndarray) -> np.ndarray:
        """The same without looking at the rows."""
        actions = np.empty(len(views), np.int64)
        act(
            views,
            masks,
            self._low,
            self._factor,
            self._weights,
            self._biases,
            self._scratch,
            self.sampling,
            dice,
            actions,
        )
        return actions

    def probabilities(self, view: np.ndarray, mask: np.ndarray) -> np.ndarray:
        """The probability of each action, if the network samples."""
        outputs = (view[: self._low.size].astype(np.float32) - self._low) * self._factor
        for number, (weight, bias) in enumerate(self.layers):
            outputs = weight @ (np.tanh(outputs) if number else outputs) + bias
        legal = mask[: len(outputs)].astype(bool)
        chances = np.where(legal, np.exp(np.minimum(outputs - outputs[legal].max(), 0)), 0.0)
        shares: np.ndarray = chances / chances.sum()
        return shares


def _inputs(game: Game) -> tuple[int, ...]:
    """How many numbers of an observation a network may take: those of the raw part, or all."""
    return tuple(sorted({game.layout.raw_size, game.layout.size}))


def save(agent: LearnedAgent, path: Path, about: Mapping[str, Any]) -> None:
    """Store an agent in a file, with `about` as its metadata (players, options, command, steps, ...)."""
    save_layers(path, agent.layers, agent.game, FORMAT, about)


def load(path: Path, game: Game, sampling: bool = False) -> tuple[LearnedAgent, dict[str, Any]]:
    """The agent in a file and its metadata; BadState if it is not an agent for the present version of this game."""
    layers, about = load_layers(path, game, FORMAT, _inputs(game), game.num_actions)
    return LearnedAgent(game, layers, sampling), about


def from_spec(rest: str, game: Game, num_players: int) -> LearnedAgent:
    """The agent of the spec `ppo` (the baseline in the folder of the game), `ppo:FILE` or `ppo:FILE:sample`."""
    file, _, how = rest.partition(":")
    if how not in ("", "sample"):
        raise UnknownAgent(f"{how!r} is not understood; allowed behind the file: sample")
    path = Path(file) if file else game.file(BASELINE)
    if path is None:
        raise UnknownAgent(f"nobody has trained a baseline for {game.name}: train an agent and give its file")
    agent, _ = load(path, game, how == "sample")
    agent.name, agent.files = f"ppo ({path.stem})" if file else "ppo", (path,)
    return agent
