"""A training run's network and optimiser in one file: safetensors and plain facts, no pickle.

The file has every parameter of the policy with Adam's two moments and step count, and the mean and spread of
observations. Its metadata say how far the run was. A digest of all of it shows whether the file is damaged. Everything
is checked before any of it is used: names, shapes, finite numbers within bounds.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Annotated, Any, Protocol

import msgspec
import numpy as np
import torch
from msgspec import Meta
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from coven.agents.network_files import layout_digest
from coven.agents.standardize import LEAST_SPREAD
from coven.games.core.errors import BadState, CovenError
from coven.games.core.game import Game

FORMAT = "coven-checkpoint-1"
MOST = 1e6
"""No number of a network that learns is larger: one that is would soon be infinite."""
HEADER = 1 << 20
"""More than the names and facts of a checkpoint take."""
MOMENTS = ("exp_avg", "exp_avg_sq", "step")

Tensors = dict[str, np.ndarray]
Count = Annotated[int, Meta(ge=0, le=1 << 53)]


class Model(Protocol):
    """What is trained: a MaskablePPO model, or networks with an optimiser that have the same attributes."""

    policy: Any
    num_timesteps: int
    _n_updates: int


class Progress(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How far a run is, and for which game it was made."""

    format: str
    game: str
    layout: str
    updates: Count
    steps: Count
    model_updates: Count
    seconds: Annotated[float, Meta(ge=0, le=1e10)]
    digest: str = ""


def progress(model: Model, game: Game, updates: int, seconds: float) -> Progress:
    """The facts of a run as it is now."""
    return Progress(
        FORMAT, game.name, layout_digest(game), updates, int(model.num_timesteps), int(model._n_updates), seconds
    )


def tensors(model: Model) -> Tensors:
    """All trained numbers; CovenError if one is infinite or too large."""
    policy: Any = model.policy
    found = {"usual": policy.features_extractor.usual.numpy(), "spread": policy.features_extractor.spread.numpy()}
    for name, parameter in policy.named_parameters():
        found[f"policy.{name}"] = parameter.detach().numpy()
        for moment, value in policy.optimizer.state[parameter].items():
            found[f"{moment}.{name}"] = value.numpy()
    for name, values in found.items():
        if name.startswith("policy.") and not (np.abs(values) <= MOST).all():
            raise CovenError(
                f"training has diverged: {name[7:]} is beyond {MOST:g} or no number; a new run with a smaller "
                "learning_rate, or another start, may do better"
            )
    return {name: values.copy(order="C") for name, values in found.items()}


def pack(held: Tensors, facts: Progress) -> tuple[bytes, str]:
    """The bytes of a checkpoint, and its digest."""
    facts = msgspec.structs.replace(facts, digest=_digest(held, facts))
    return save(held, {"about": msgspec.json.encode(facts).decode()}), facts.digest


def read(path: Path, game: Game, parameters: int) -> tuple[Tensors, Progress]:
    """What a checkpoint holds; BadState if it is damaged, or not of a network for this game with so many numbers."""
    try:
        if path.stat().st_size > 12 * parameters + 8 * game.observation_size + HEADER:
            raise BadState(f"{path} is larger than a checkpoint of this run can be")
        with safe_open(path, "np") as file:
            facts = msgspec.json.decode((file.metadata() or {}).get("about", "{}"), type=Progress)
            held = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118, it is no mapping
    except (OSError, SafetensorError, msgspec.MsgspecError, UnicodeError, RecursionError, TypeError) as error:
        raise BadState(f"{path} is not a checkpoint: {error}") from error
    if facts.format != FORMAT or facts.digest != _digest(held, facts):
        raise BadState(f"{path} is damaged, or not of format {FORMAT}: its digest does not fit what it holds")
    if (facts.game, facts.layout) != (game.name, layout_digest(game)):
        raise BadState(f"{path} was made for {facts.game} with another layout, not for {game.name} as it is now")
    return held, facts


def usual(held: Tensors, game: Game, path: Path) -> dict[str, np.ndarray]:
    """The mean and the spread of observations."""
    found = {name: _checked(held, name, (game.observation_size,), path) for name in ("usual", "spread")}
    if (found["spread"] < np.float32(LEAST_SPREAD)).any():
        raise BadState(f"{path}: spread is not allowed; allowed: {LEAST_SPREAD} and more")
    return found


def restore(model: Model, held: Tensors, facts: Progress, path: Path) -> None:
    """Put what a checkpoint holds into a model of the same shape; BadState before anything is changed if it differs."""
    policy: Any = model.policy
    names, states = {"usual", "spread"}, {}
    for name, parameter in policy.named_parameters():
        shape = tuple(parameter.shape)
        weights = _checked(held, f"policy.{name}", shape, path)
        names.add(f"policy.{name}")
        moments = {}
        if f"step.{name}" in held:  # else it has not learned yet
            moments = {m: _checked(held, f"{m}.{name}", () if m == "step" else shape, path) for m in MOMENTS}
            names.update(f"{m}.{name}" for m in MOMENTS)
            if moments["step"] < 1 or (moments["exp_avg_sq"] < 0).any():
                raise BadState(f"{path}: the moments of {name} are not allowed; allowed: squares from 0, steps from 1")
        states[parameter] = weights, moments
    if held.keys() != names:
        raise BadState(f"{path} holds {', '.join(sorted(held.keys() - names))}, which no such run has")
    policy.optimizer.state.clear()
    with torch.no_grad():
        for parameter, (weights, moments) in states.items():
            parameter.copy_(torch.from_numpy(weights))
            if moments:
                policy.optimizer.state[parameter] = {m: torch.from_numpy(v.copy()) for m, v in moments.items()}
    model.num_timesteps, model._n_updates = facts.steps, facts.model_updates


def _checked(held: Tensors, name: str, shape: tuple[int, ...], path: Path) -> np.ndarray:
    values = held.get(name)
    if values is None or values.dtype != np.float32 or values.shape != shape:
        what = "missing" if values is None else f"{values.dtype} of shape {values.shape}"
        raise BadState(f"{path}: {name} is {what}; allowed: float32 of shape {shape}")
    most = 1 << 24 if name.startswith("step.") else MOST**2 if name.startswith("exp_avg") else MOST
    if not (np.abs(values) <= most).all():
        raise BadState(f"{path}: {name} holds numbers that are not allowed; allowed: finite, up to {most:g}")
    return values


def _digest(held: Tensors, facts: Progress) -> str:
    digest = hashlib.sha256(msgspec.json.encode(msgspec.structs.replace(facts, digest="")))
    for name in sorted(held):
        digest.update(json.dumps([name, str(held[name].dtype), list(held[name].shape)]).encode())
        digest.update(held[name].tobytes())
    return digest.hexdigest()
