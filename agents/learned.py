"""Agents that were trained: a small network that needs no torch to play, stored without pickle.

A file is a safetensors file; its metadata names the game, the number of players and options it was trained with, a
digest of the layouts of observations and actions, and whatever the training wants to say. A file whose digest does not
fit the game as it is now is refused: its numbers would mean something else.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from coven.agents.kernels.policy import act
from coven.agents.registry import UnknownAgent
from coven.envs.agent import Agent
from coven.games.core.errors import BadState
from coven.games.core.game import Game

BASELINES = Path(__file__).parent / "baselines"
FORMAT = "coven-policy-1"


def layout_digest(game: Game) -> str:
    """A digest of what every number of an observation and every action means."""
    parts = [(p.name, p.start, p.size, p.low, p.high) for p in game.layout]
    meaning = json.dumps([game.name, parts, game.actions.strings])
    return hashlib.sha256(meaning.encode()).hexdigest()[:16]


class LearnedAgent(Agent):
    """A policy network: scaled observation, layers with tanh between them, the legal action with the largest output.

    With `sampling` it draws from the distribution that it was trained as instead.
    """

    def __init__(self, game: Game, layers: Sequence[tuple[np.ndarray, np.ndarray]], sampling: bool = False) -> None:
        self.game, self.layers, self.sampling, self.name = game, list(layers), sampling, "ppo"
        self._weights = tuple(np.ascontiguousarray(weight.T, np.float32) for weight, _ in layers)
        self._biases = tuple(np.ascontiguousarray(bias, np.float32) for _, bias in layers)
        self._rooms = np.zeros((2, max(max(weight.shape) for weight in self._weights)), np.float32)

    def act_batch(self, views: np.ndarray, masks: np.ndarray, dice: np.ndarray) -> np.ndarray:
        """The best legal action for each of the views, or a draw."""
        actions, layout = np.empty(len(views), np.int64), self.game.layout
        act(
            np.ascontiguousarray(views),
            np.ascontiguousarray(masks),
            layout.low,
            layout.factor,
            self._weights,
            self._biases,
            self._rooms,
            self.sampling,
            dice,
            actions,
        )
        return actions


def save(agent: LearnedAgent, path: Path, about: Mapping[str, Any]) -> None:
    """Store an agent; `about` is kept with it (players, options, command, steps, ...)."""
    tensors = {}
    for i, (weight, bias) in enumerate(agent.layers):
        tensors[f"{i}.weight"], tensors[f"{i}.bias"] = np.ascontiguousarray(weight), np.ascontiguousarray(bias)
    game = agent.game
    facts = {"format": FORMAT, "game": game.name, "version": game.version, "layout": layout_digest(game), **about}
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    save_file(tensors, partial, metadata={"about": json.dumps(facts)})
    partial.replace(path)


def load(path: Path, game: Game, sampling: bool = False) -> tuple[LearnedAgent, dict[str, Any]]:
    """The agent in a file and what is said about it; BadState if it is not one for this game as it is now."""
    try:
        with safe_open(path, "np") as file:
            about = json.loads((file.metadata() or {}).get("about", "{}"))
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118, it is no mapping
    except (OSError, SafetensorError, ValueError) as error:
        raise BadState(f"{path} is not a stored agent: {error}") from error
    if about.get("format") != FORMAT:
        raise BadState(f"{path} is not a stored agent of format {FORMAT}")
    if about["game"] != game.name:
        raise BadState(f"{path} plays {about['game']}, not {game.name}")
    if about["layout"] != layout_digest(game):
        raise BadState(f"{path} was trained for another layout of {game.name} and must be trained again")
    layers = [(tensors[f"{i}.weight"], tensors[f"{i}.bias"]) for i in range(len(tensors) // 2)]
    return LearnedAgent(game, layers, sampling), about


def from_spec(rest: str, game: Game, num_players: int) -> LearnedAgent:
    """The agent of the spec `ppo` (the baseline in the package), `ppo:FILE` or `ppo:FILE:sample`."""
    file, _, how = rest.partition(":")
    if how not in ("", "sample"):
        raise UnknownAgent(f"{how!r} is not understood; allowed behind the file: sample")
    path = Path(file) if file else BASELINES / f"{game.name}.safetensors"
    agent, _ = load(path, game, how == "sample")
    agent.name = f"ppo ({path.stem})" if file else "ppo"
    return agent
