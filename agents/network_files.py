"""Networks in files: safetensors, no pickle, with the game that they are for.

The metadata of a file name its format, the game, a digest of the layouts of observations and actions, and whatever its
maker wants to say. A file whose digest does not fit the game as it is now is refused: its numbers would mean something
else. What a stranger gives us is checked whole before a kernel works with it: the kernels trust its shapes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from coven.games.core import files
from coven.games.core.errors import BadState
from coven.games.core.game import Game

Layers = Sequence[tuple[np.ndarray, np.ndarray]]
"""Weights (outputs x inputs) and bias of each layer."""

MOST_BYTES = 256 << 20
"""A larger file is not read."""
MOST_LAYERS, MOST_UNITS = 16, 1 << 14
"""Of a network."""


Facts = dict[str, Any]
"""What is said about a network."""


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
    files.write(path, save(tensors, {"about": json.dumps(facts)}))


def load_layers(
    path: Path, game: Game, form: str, inputs: int | tuple[int, ...], outputs: int, layers: int | None = None
) -> tuple[Layers, Facts]:
    """The network in a file and what is said about it; BadState if it is not of that format for this game as it is.

    It has that many `inputs` (or one of these numbers) and `outputs` and, if that is said, just so many layers.
    """
    try:
        if path.stat().st_size > MOST_BYTES:
            raise ValueError(f"it has more than {MOST_BYTES >> 20} MB")
        with safe_open(path, "np") as file:
            about = _facts(file.metadata(), game, form)
            sizes = {name: _sizes(name, file.get_slice(name)) for name in file.keys()}  # noqa: SIM118, it is no mapping
            number = check_sizes(sizes, inputs, outputs, layers)
            tensors = {name: file.get_tensor(name) for name in sizes}
    except (OSError, SafetensorError, ValueError, RecursionError) as error:
        raise BadState(f"{path} is not a stored network of format {form} for {game.name}: {error}") from error
    for name, tensor in tensors.items():
        if not np.isfinite(tensor).all():
            raise BadState(f"{path} is not a stored network: {name} holds numbers that are not finite")
    return [(tensors[f"{i}.weight"], tensors[f"{i}.bias"]) for i in range(number)], about


def _facts(metadata: Mapping[str, str] | None, game: Game, form: str) -> Facts:
    """What is said about a network; ValueError unless it is of that format, for this game as it is now."""
    about = json.loads((metadata or {}).get("about", "{}"))
    if not isinstance(about, dict) or about.get("format") != form:
        raise ValueError("the format is another one")
    if about.get("game") != game.name:
        raise ValueError(f"it is for {about.get('game')!r}, not {game.name}")
    if about.get("version") != game.version:
        raise ValueError(f"it is for version {about.get('version')!r}; the game is now {game.id}: make it again")
    if about.get("layout") != layout_digest(game):
        raise ValueError(f"it was made for another layout of {game.name} and must be made again")
    return about


def _sizes(name: str, tensor: Any) -> tuple[int, ...]:
    """The shape of a tensor, which is not read yet."""
    if tensor.get_dtype() != "F32":
        raise ValueError(f"{name} holds {tensor.get_dtype()}; allowed: F32")
    return tuple(tensor.get_shape())


def check_sizes(
    sizes: Mapping[str, tuple[int, ...]], inputs: int | tuple[int, ...], outputs: int, layers: int | None = None
) -> int:
    """The number of layers; ValueError unless each fits the one before, the first the inputs, the last the outputs."""
    number = len(sizes) // 2
    if not 1 <= number <= MOST_LAYERS or (layers is not None and number != layers):
        raise ValueError(f"it has {number} layers; allowed: {layers or f'1 to {MOST_LAYERS}'}")
    if sizes.keys() != {f"{i}.{part}" for i in range(number) for part in ("weight", "bias")}:
        raise ValueError("its tensors are not a weight and a bias for each layer, numbered from 0")
    if isinstance(inputs, tuple):
        found = (*sizes["0.weight"], 0, 0)[1]
        inputs = found if found in inputs else inputs[-1]
    for i in range(number):
        last = i == number - 1
        units = outputs if last else (*sizes[f"{i}.bias"], 0)[0]
        if not 1 <= units <= max(MOST_UNITS, outputs):
            raise ValueError(f"layer {i} has {units} units; allowed: 1 to {MOST_UNITS}")
        expected = {"weight": (units, inputs), "bias": (units,)}
        for part, shape in expected.items():
            if sizes[f"{i}.{part}"] != shape:
                raise ValueError(f"{i}.{part} has the shape {sizes[f'{i}.{part}']}; allowed: {shape}")
        inputs = units
    return number
