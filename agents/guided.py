"""The agent that searches with a trained network: the search of `agents.search`, guided by a policy and a value.

- **Priors** come from the policy. A node's children are chosen by PUCT, and added one at a time in the order of their
  probabilities: the next action is added as soon as its bound is the highest, with the value of the node itself as its
  value. The policy is evaluated in the world of that iteration, so an action that is legal only in some worlds gets its
  prior where it is legal.
- **Leaves** are evaluated by the value network, from the view of every seat. Returns add up to zero, so the mean of
  these values over the seats is an error, and is subtracted. Before that the policy plays on for some turns
  (`horizon`), since positions in the middle of a turn are hard to evaluate, and what comes of a move shows in the
  turns after it.
- Everything else is as in `agents.search`: the hidden state is sampled again in every iteration, max^n for several
  players, the early stop, threads, and the same choice for the same dice and iterations.

So no hand-written strategy is needed. Policy and value should come from the same training: a value predicts the result
if all play on like the policy.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coven.agents.learned import LearnedAgent, baseline, load
from coven.agents.network import pack
from coven.agents.registry import split_options
from coven.agents.search import TO_THE_END, Budget, Searcher, Tree, read_budget, read_settings
from coven.games.core.errors import BadOption
from coven.games.core.game import Game

HORIZON = 3
"""The usual number of turns that the policy plays on: this one and the next two."""
EXPLORATION = 0.2
"""The default constant of PUCT."""
MARGIN = 0.5
"""The default weight of the margin, if the network predicts it."""


@dataclass(frozen=True)
class GuidedConfig(Budget):
    """How to search with a network; the defaults are good for all games."""

    options = ("c", "margin", "horizon", "threads")
    margin: float | None = None
    """The weight of the margin in points against the rank, 0 to 1; None: `MARGIN`, 0 if the network predicts none."""
    horizon: int = HORIZON
    """For how many turns the policy plays on before the value network evaluates the position; 0: not at all."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.margin is not None:
            self._check_margin(self.margin)
        if not (isinstance(self.horizon, int) and 0 <= self.horizon <= TO_THE_END):
            raise BadOption(f"horizon={self.horizon!r} is not allowed; allowed: 0 to {TO_THE_END:,} turns")


class GuidedAgent(Searcher):
    """Searches with a trained network."""

    config: GuidedConfig

    def __init__(self, game: Game, num_players: int, network: LearnedAgent, config: GuidedConfig, name: str) -> None:
        if not network.value_layers:
            raise BadOption(f"{network.name} has no value, only a policy; allowed: networks that were trained with one")
        if config.margin and not network.tells_margin:
            raise BadOption(f"margin={config.margin} is not allowed; {network.name} predicts no margin, allowed: 0")
        self.network, self.files = network, network.files
        super().__init__(game, num_players, config, name)

    def __reduce__(self) -> tuple[Any, ...]:
        return GuidedAgent, (self.game, self.num_players, self.network, self.config, self.name)

    def new_tree(self, capacity: int) -> Tree:
        """A tree with its own networks, since threads must not share their scratch space."""
        config, network, layout = self.config, self.network, self.game.layout
        guides = {
            "policy": pack(network.layers, layout, network.links, rows=self.num_players),
            "value": pack(network.value_layers, layout, rows=self.num_players),
        }
        tree = Tree(self.game, self.num_players, capacity, **guides)
        usual = MARGIN if network.tells_margin else 0.0
        tree.set(
            exploration=EXPLORATION if config.c is None else config.c,
            margin=usual if config.margin is None else config.margin,
            horizon=config.horizon,
            guided=True,
        )
        return tree


def from_spec(rest: str, game: Game, num_players: int) -> GuidedAgent:
    """The agent of a spec such as `guided:200` (the game's baseline) or `guided:FILE:200:threads=2`."""
    words, settings = split_options(rest)
    file = words.pop(0) if len(words) == 2 else ""
    readers: dict[str, Callable[[str], Any]] = {"c": float, "margin": float, "horizon": int, "threads": int}
    config = GuidedConfig(**read_budget(words), **read_settings(settings, readers))
    path = Path(file) if file else baseline(game)
    network, about = load(path, game)
    network.name, network.files = file or f"the baseline of {game.name}", (path,)
    if about.get("rewards", "rank") == "score":
        raise BadOption(f"{network.name} was trained by points: its value predicts no rank; allowed: rank, win")
    return GuidedAgent(game, num_players, network, config, f"guided:{config.words}{f' ({path.stem})' if file else ''}")
