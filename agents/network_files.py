"""Networks in files: safetensors, no pickle, with the game that they are for.

The metadata of a file name its format, the game, a digest of the layouts of observations and actions, and whatever its
maker wants to say. A file whose digest does not fit the game as it is now is refused: its numbers would mean something
else.
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

from coven.games.core.errors import BadState
from coven.games.core.game import Game

Layers = Sequence[tuple[np.ndarray, np.ndarray]]
"""Weights (outputs x inputs) and bias of each layer."""


def layout_digest(game: Game) -> str:
    """A digest of what every number of an observation and every action means."""
    parts = [(p.name, p.start, p.size, p.low, p.high) for p in game.layout]
    meaning = json.dumps([game.name, parts, game.actions.strings])
    return hashlib.sha256(meaning.encode()).hexdigest()[:16]


def save_layers(path: Path, layers: Layers, game: Game, form: str, about: Mapping[str, Any]) -> None:
    """Store a network; `about` is kept with it (command, steps, ...)."""
    tensors = {}
    for i, (weight, bias) in enumerate(layers):
        tensors[f"{i}.weight"], tensors[f"{i}.bias"] = np.ascontiguousarray(weight), np.ascontiguousarray(bias)
    facts = {"format": form, "game": game.name, "version": game.version, "layout": layout_digest(game), **about}
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    save_file(tensors, partial, metadata={"about": json.dumps(facts)})
    partial.replace(path)


def load_layers(path: Path, game: Game, form: str) -> tuple[Layers, dict[str, Any]]:
    """The network in a file and what is said about it; BadState if it is not of that format for this game as it is."""
    try:
        with safe_open(path, "np") as file:
            about = json.loads((file.metadata() or {}).get("about", "{}"))
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118, it is no mapping
    except (OSError, SafetensorError, ValueError) as error:
        raise BadState(f"{path} is not a stored network: {error}") from error
    if about.get("format") != form:
        raise BadState(f"{path} is not a stored network of format {form}")
    if about["game"] != game.name:
        raise BadState(f"{path} is for {about['game']}, not {game.name}")
    if about.get("version") != game.version:
        raise BadState(f"{path} is for {game.name}_v{about.get('version')}; the game is now {game.id}: make it again")
    if about["layout"] != layout_digest(game):
        raise BadState(f"{path} was made for another layout of {game.name} and must be made again")
    return [(tensors[f"{i}.weight"], tensors[f"{i}.bias"]) for i in range(len(tensors) // 2)], about
