"""Value estimates: small networks that predict results, so that search need not play to the end of a game.

A game in which this makes search stronger has an estimate in its folder; `coven fit` makes them. The file says how many
turns a rollout plays before the estimate takes over.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from coven.agents.kernels.network import Network
from coven.agents.network import Layers, pack
from coven.agents.network_files import Shape, load_layers
from coven.games.core.errors import BadState
from coven.games.core.game import Game
from coven.games.core.numbers import whole

FILE = "estimate.safetensors"
FORMAT = "coven-estimate-1"
MOST_TURNS = 10_000
"""The longest horizon."""


@dataclass(frozen=True)
class Estimate:
    """A network with one hidden layer whose outputs are the expected rank reward and margin in points."""

    game: Game
    layers: Layers
    about: dict[str, Any]

    @property
    def horizon(self) -> int:
        """How many turns a rollout plays before the estimate takes over."""
        return int(self.about["horizon"])

    def network(self, rows: int = 1) -> Network:
        """The estimate as the kernels take it, with scratch space of its own; it can remember so many rows."""
        return pack(self.layers, self.game.layout, rows=rows)

    def judge(self, observation: np.ndarray) -> tuple[float, float]:
        """The expected rank reward and margin in points of the seat with this view."""
        (weight_in, bias_in), (weight_out, bias_out) = self.layers
        raw, layout = weight_in.shape[1], self.game.layout  # it was fitted to the raw part
        scaled = (observation[:raw].astype(np.float32) - layout.low[:raw]) * layout.factor[:raw]
        outputs = weight_out @ np.maximum(weight_in @ scaled + bias_in, 0) + bias_out
        return float(np.tanh(outputs[0])), float(outputs[1])


def estimate_of(game: Game) -> Estimate | None:
    """The estimate that comes with a game; None if it has none."""
    path = game.file(FILE)
    return load(path, game) if path else None


def load(path: Path, game: Game) -> Estimate:
    """The estimate in a file; BadState if it is not one for this game as it is now."""
    (layers,), about = load_layers(path, game, FORMAT, Shape((game.layout.raw_size,), (2,), layers=2))
    if not 1 <= (whole(about.get("horizon")) or 0) <= MOST_TURNS:
        raise BadState(f"{path} has the horizon {about.get('horizon')!r}; allowed: 1 to {MOST_TURNS} turns")
    return Estimate(game, layers, about)
