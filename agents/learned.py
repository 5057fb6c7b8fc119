"""Trained agents: small networks that need no torch to play, stored as safetensors files.

A file has a policy network and perhaps a value network, which predicts the result of the seat whose observation it
gets: its return by rank and perhaps its margin in points.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from coven.agents.kernels.policy import act, value_batch
from coven.agents.network import Layers, add_action_features, forward, pack
from coven.agents.network_files import Shape, check_sizes, layer_sizes, load_layers, save_layers
from coven.agents.registry import UnknownAgent
from coven.agents.rows import Rows
from coven.envs.agent import Agent
from coven.games.core.errors import BadOption, BadState
from coven.games.core.game import Game

BASELINE = "baseline.safetensors"
FORMAT = "coven-policy-1"


class LearnedAgent(Agent):
    """Plays by a policy network (layers with tanh between them): takes the legal action with the largest logit.

    With `sampling` it samples an action from the softmax of its logits instead. A network with only as many inputs as
    the raw part of an observation gets that part. One with more outputs than there are actions uses action features
    (`coven.games.core.links`). With `value_layers` it predicts results, too.
    """

    game: Game

    def __init__(self, game: Game, layers: Layers, sampling: bool = False, value_layers: Layers = ()) -> None:
        self.game, self.layers, self.sampling, self.name = game, list(layers), sampling, "ppo"
        self.value_layers = list(value_layers)
        check_sizes(layer_sizes(layers), policy_shape(game))
        self.links = game.links if len(layers[-1][1]) > game.num_actions else None
        self.policy = pack(self.layers, game.layout, self.links)
        if value_layers:
            check_sizes(layer_sizes(value_layers), value_shape(game), "value.")
            self.value = pack(self.value_layers, game.layout)
        seen = max(network[0][0].shape[1] for network in (self.layers, self.value_layers) if network)
        self._rows = Rows(game, raw=seen <= game.layout.raw_size)
        self._logits = np.zeros(game.num_actions, np.float32)

    @property
    def inputs(self) -> int:
        """How many numbers of an observation the policy takes."""
        return int(self.layers[0][0].shape[1])

    @property
    def tells_margin(self) -> bool:
        """Whether the value network predicts the margin in points, besides the return by rank."""
        return bool(self.value_layers) and len(self.value_layers[-1][1]) > 1

    def act_batch(self, views: np.ndarray, masks: np.ndarray, dice: np.ndarray) -> np.ndarray:
        """The best legal action for each of the views, or a sampled one."""
        return LearnedAgent.act_unchecked(self, *self._rows.check(views, masks, dice), dice)

    def act_unchecked(self, views: np.ndarray, masks: np.ndarray, dice: np.ndarray) -> np.ndarray:
        """The same without checking the rows."""
        actions = np.empty(len(views), np.int64)
        act(views, masks, self.policy, self._logits, self.sampling, dice, actions)
        return actions

    def values(self, views: np.ndarray) -> np.ndarray:
        """A row for each of the views: the predicted return by rank and margin in points of its seat.

        The margin is 0 if the network does not predict it.
        """
        if not self.value_layers:
            raise BadOption(f"{self.name} has no value network; allowed: networks that were trained with one")
        found = np.zeros((len(views), 2))
        value_batch(self._rows.check_views(views), self.value, found)
        return found

    def probabilities(self, view: np.ndarray, mask: np.ndarray) -> np.ndarray:
        """The probability of each action, if the network samples."""
        outputs = forward(self.layers, self.game.layout.scale(view[: self.inputs]))
        if self.links:
            outputs = add_action_features(outputs, view[: self.inputs], self.links)
        legal = mask[: len(outputs)].astype(bool)
        chances = np.where(legal, np.exp(np.minimum(outputs - outputs[legal].max(), 0)), 0.0)
        shares: np.ndarray = chances / chances.sum()
        return shares


def policy_shape(game: Game) -> Shape:
    """The allowed shapes of a policy: its inputs are the raw part of an observation, or all of it.

    Its outputs are the actions and, if it uses action features, the slots of the game's links.
    """
    inputs, slots = {game.layout.raw_size, game.layout.size}, game.links.slots
    return Shape(tuple(sorted(inputs)), tuple(sorted({game.num_actions, game.num_actions + slots})))


def value_shape(game: Game) -> Shape:
    """The allowed shapes of a value network: a return by rank and perhaps a margin."""
    return Shape(policy_shape(game).inputs, (1, 2))


def save(agent: LearnedAgent, path: Path, about: Mapping[str, Any], half: bool = False) -> None:
    """Store an agent in a file, with `about` as its metadata (players, options, command, steps, ...).

    `half` rounds its numbers to half precision, for a file of half the size.
    """
    if agent.links:
        about = {**about, "links": agent.links.digest}
    save_layers(path, agent.layers, agent.game, FORMAT, about, half, value=agent.value_layers)


def load(path: Path, game: Game, sampling: bool = False) -> tuple[LearnedAgent, dict[str, Any]]:
    """The agent in a file and its metadata; BadState if it is not an agent for the present version of this game."""
    (policy, value), about = load_layers(path, game, FORMAT, policy_shape(game), value=value_shape(game))
    agent = LearnedAgent(game, policy, sampling, value)
    if about.get("links") != (agent.links.digest if agent.links else None):
        what = "other links between numbers and actions (Slice.about)"
        raise BadState(f"{path} was trained with {what} than {game.name} has; train it again")
    return agent, about


def baseline(game: Game) -> Path:
    """The file of the game's baseline; UnknownAgent if it has none."""
    path = game.file(BASELINE)
    if path is None:
        raise UnknownAgent(f"{game.name} has no baseline; allowed: ppo:FILE, an agent that coven train made")
    return path


def from_spec(rest: str, game: Game, num_players: int) -> LearnedAgent:
    """The agent of the spec `ppo` (the baseline in the folder of the game), `ppo:FILE` or `ppo:FILE:sample`."""
    file, _, how = rest.partition(":")
    if how not in ("", "sample"):
        raise UnknownAgent(f"{how!r} is not understood; allowed after the file: sample")
    path = Path(file) if file else baseline(game)
    agent, _ = load(path, game, how == "sample")
    agent.name, agent.files = f"ppo ({path.stem})" if file else "ppo", (path,)
    return agent
