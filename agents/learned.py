"""Agents that were trained: a small network in numpy, stored without pickle.

A file is a safetensors file; its metadata names the game, the number of players and options it was trained with, a
digest of the layouts of observations and actions, and whatever the training wants to say. A file whose digest does not
fit the game as it is now is refused: its numbers would mean something else.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from coven.agents.kernels.policy import best_batch, draw_batch
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

    def __init__(self, game: Game, layers: list[tuple[np.ndarray, np.ndarray]], sampling: bool = False) -> None:
        self.game, self.layers, self.sampling, self.name = game, layers, sampling, "ppo"
        low, high = game.layout.bounds()
        self._low = low.astype(np.float32)
        self._scale = 1 / np.maximum(high.astype(np.float32) - self._low, 1)

    def logits(self, observations: np.ndarray) -> np.ndarray:
        """The network's output for every action."""
        x: np.ndarray = (observations - self._low) * self._scale
        for i, (weight, bias) in enumerate(self.layers):
            x = (np.tanh(x) if i else x) @ weight.T + bias
        return x

    def act_batch(self, views: np.ndarray, masks: np.ndarray, dice: np.ndarray) -> np.ndarray:
        """The best legal action for each of the views, or a draw."""
        logits, actions = self.logits(views), np.empty(len(views), np.int64)
        masks = np.ascontiguousarray(masks)
        if self.sampling:
            draw_batch(dice, logits, masks, actions)
        else:
            best_batch(logits, masks, actions)
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
