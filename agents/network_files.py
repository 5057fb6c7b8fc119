"""Networks in files: safetensors, no pickle, with the game that they are for.

The metadata of a file have its format, the game, a digest of the layouts of observations and actions, and whatever its
maker adds. A file whose digest does not fit the present game is refused, because its numbers would mean something else.
The whole file is checked before a kernel uses it, because kernels trust the shapes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from coven.agents.network import Layers
from coven.games.core import files
from coven.games.core.errors import BadState
from coven.games.core.game import Game

MOST_BYTES = 256 << 20
"""A larger file is not read."""
MOST_LAYERS, MOST_UNITS = 16, 1 << 14
"""The largest size of a network."""
PARTS = ("weight", "bias")
KINDS = ("F32", "F16")
"""Types of numbers in a file; in memory all have the first type."""

Facts = dict[str, Any]
"""Metadata of a network."""


@dataclass(frozen=True)
class Shape:
    """The allowed numbers of inputs and outputs of a network, and perhaps of layers."""

    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    layers: int | None = None


def layout_digest(game: Game) -> str:
    """A digest of what every number of an observation and every action means."""
    parts = [(p.name, p.start, p.size, p.low, p.high) for p in game.layout]
    meaning = json.dumps([game.name, parts, game.actions.strings])
    return hashlib.sha256(meaning.encode()).hexdigest()[:16]


def save_layers(
    path: Path, layers: Layers, game: Game, form: str, about: Mapping[str, Any], half: bool = False, **more: Layers
) -> None:
    """Store a network and, by their names, further ones, with `about` as metadata (command, steps, ...).

    `half` rounds them to half precision, which makes the file half as large: three digits are enough to play by.
    """
    tensors = {}
    for prefix, network in {"": layers, **{f"{name}.": network for name, network in more.items()}}.items():
        for i, layer in enumerate(network):
            for part, numbers in zip(PARTS, layer, strict=True):
                tensors[f"{prefix}{i}.{part}"] = np.ascontiguousarray(_rounded(numbers) if half else numbers)
    facts = {"format": form, "game": game.name, "version": game.version, "layout": layout_digest(game), **about}
    files.write(path, save(tensors, {"about": json.dumps(facts)}))


def _rounded(numbers: np.ndarray) -> np.ndarray:
    """The numbers in half precision, unless one of them is too large for it."""
    most = np.finfo(np.float16).max
    return numbers.astype(np.float16) if np.abs(numbers).max(initial=0) <= most else numbers


def load_layers(path: Path, game: Game, form: str, shape: Shape, **more: Shape) -> tuple[list[Layers], Facts]:
    """The network in a file and its metadata; BadState unless it has that format, for the game's present version.

    `more` names further networks that the file may have; those that it has not get no layers.
    """
    wanted = {"": shape, **{f"{name}.": other for name, other in more.items()}}
    try:
        if path.exists() and not path.is_file():
            raise ValueError("it is no regular file")
        if path.stat().st_size > MOST_BYTES:
            raise ValueError(f"it has more than {MOST_BYTES >> 20} MB")
        with safe_open(path, "np") as file:
            about = _facts(file.metadata(), game, form)
            sizes = {name: _sizes(name, file.get_slice(name)) for name in file.keys()}  # noqa: SIM118, it is no mapping
            numbers = _numbers(sizes, wanted)
            tensors = {name: file.get_tensor(name).astype(np.float32, copy=False) for name in sizes}
    except (OSError, SafetensorError, ValueError, RecursionError) as error:
        raise BadState(f"{path} is not a stored network of format {form} for {game.name}: {error}") from error
    for name, tensor in tensors.items():
        if not np.isfinite(tensor).all():
            raise BadState(f"{path} is not a stored network: {name} holds numbers that are not finite")
    found: list[Layers] = [
        [(tensors[f"{prefix}{i}.weight"], tensors[f"{prefix}{i}.bias"]) for i in range(number)]
        for prefix, number in numbers.items()
    ]
    return found, about


def _numbers(sizes: Mapping[str, tuple[int, ...]], wanted: Mapping[str, Shape]) -> dict[str, int]:
    """How many layers each of the networks in a file has, by the prefix of its tensors; ValueError if one is wrong."""
    by_prefix: dict[str, dict[str, tuple[int, ...]]] = {prefix: {} for prefix in wanted}
    for name, size in sizes.items():
        prefix = max((p for p in wanted if name.startswith(p)), key=len)
        by_prefix[prefix][name.removeprefix(prefix)] = size
    return {
        prefix: check_sizes(found, wanted[prefix], prefix) if found or not prefix else 0
        for prefix, found in by_prefix.items()
    }


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
        raise ValueError(f"it was made for another layout of {game.name}: make it again")
    return about


def _sizes(name: str, tensor: Any) -> tuple[int, ...]:
    """The shape of a tensor, which is not read yet."""
    if tensor.get_dtype() not in KINDS:
        raise ValueError(f"{name} holds {tensor.get_dtype()}; allowed: {', '.join(KINDS)}")
    return tuple(tensor.get_shape())


def layer_sizes(layers: Layers) -> dict[str, tuple[int, ...]]:
    """The shapes of a network's arrays, by the names that they have in a file."""
    return {f"{i}.{part}": np.shape(x) for i, layer in enumerate(layers) for part, x in zip(PARTS, layer, strict=True)}


def check_sizes(sizes: Mapping[str, tuple[int, ...]], shape: Shape, prefix: str = "") -> int:
    """The number of layers; ValueError unless each fits the one before, the first the inputs, the last the outputs."""
    number = len(sizes) // 2
    if not 1 <= number <= MOST_LAYERS or (shape.layers is not None and number != shape.layers):
        raise ValueError(f"it has {number} layers; allowed: {shape.layers or f'1 to {MOST_LAYERS}'}")
    if sizes.keys() != {f"{i}.{part}" for i in range(number) for part in PARTS}:
        raise ValueError("its tensors are not a weight and a bias for each layer, numbered from 0")
    inputs = _one_of(shape.inputs, (*sizes["0.weight"], 0, 0)[1])
    outputs = _one_of(shape.outputs, (*sizes[f"{number - 1}.bias"], 0)[0])
    for i in range(number):
        units = outputs if i == number - 1 else (*sizes[f"{i}.bias"], 0)[0]
        if not 1 <= units <= max(MOST_UNITS, outputs):
            raise ValueError(f"layer {prefix}{i} has {units} units; allowed: 1 to {MOST_UNITS}")
        expected = {"weight": (units, inputs), "bias": (units,)}
        for part, allowed in expected.items():
            if sizes[f"{i}.{part}"] != allowed:
                raise ValueError(f"{prefix}{i}.{part} has the shape {sizes[f'{i}.{part}']}; allowed: {allowed}")
        inputs = units
    return number


def _one_of(allowed: tuple[int, ...], found: int) -> int:
    """The number that was found if it is allowed, else one that is."""
    return found if found in allowed else allowed[-1]
