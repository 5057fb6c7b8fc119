"""Fits the value network of a trained agent to games that its policy plays: the end of training with PPO.

PPO's own value network has learned from the seat on turn alone, and only the rank. A search asks for every seat, on
turn or not, and after moves that the policy would not make. So the agent gets a new one: from positions of its own
games, begun with errors (`kernels.outcomes`), it learns what every seat got in the end, by rank and in points.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from coven.agents import learned
from coven.agents.learned import LearnedAgent
from coven.agents.learner import Learner
from coven.agents.outcomes import positions
from coven.agents.settings import check_memory, is_network
from coven.agents.standardize import mean_and_spread
from coven.games.core.errors import BadOption
from coven.games.core.game import Game

KEPT_OUT = 20
"""Of so many rows one measures the fit and is not learned from."""
BATCH, PASSES = 1024, 4
RATE, LEAST_RATE = 1e-3, 0.02
"""The learning rate, and the share of it that is left in the end."""
SEEDS = 1 << 21
"""So many seeds give different deals."""
SAMPLE = 20_000
"""Rows that tell how numbers usually vary."""


def fit_value(
    agent: LearnedAgent, players: Sequence[int], rows: int, seed: int, options: Mapping[str, Any] | None = None
) -> tuple[LearnedAgent, dict[str, float]]:
    """The agent with a new value network, and how much of the variance of the ranks that explains, by player count."""
    if rows < least_rows(players):
        raise BadOption(f"rows={rows} is not allowed; allowed: {least_rows(players)} and more")
    game, rng = agent.game, np.random.default_rng(seed)
    first = (seed % SEEDS + 1) << 41  # far from the deals of evaluations
    found = [positions(agent, n, rows // len(players), first, options or {}) for n in players]
    views, targets = (np.concatenate([part[k][len(part[k]) // KEPT_OUT :] for part in found]) for k in (0, 1))
    mean, spread = mean_and_spread(game.layout, views[rng.integers(len(views), size=SAMPLE)])
    points = max(float(targets[:, 1].std()), 1.0)
    hidden = [len(bias) for _, bias in agent.layers[:-1]]
    learner = Learner(game, hidden, {"usual": mean, "spread": spread}, points, RATE, seed)
    for left, batch in _batches(len(views), rng):
        learner.learn_values(views[batch], targets[batch], RATE * max(LEAST_RATE, left))
    fitted = LearnedAgent(game, agent.layers, agent.sampling, learner.networks().value)
    explained = {
        str(n): _explained(fitted, *(part[: len(part) // KEPT_OUT] for part in both))
        for n, both in zip(players, found, strict=True)
    }
    return fitted, explained


def fit_file(
    path: Path, game: Game, players: Sequence[int], rows: int, seed: int, options: Mapping[str, Any] | None = None
) -> None:
    """Give the agent in a file a new value network, if the rows suffice for one."""
    if rows >= least_rows(players):
        agent, about = learned.load(path, game)
        fitted, explained = fit_value(agent, players, rows, seed, options)
        learned.save(fitted, path, {**about, "explained": explained}, half=True)


def refit(spec: str, game: Game, out: Path, rows: int, seed: int) -> dict[str, float]:
    """Store a trained agent with a new value network, from so many rows for each of its player counts.

    Returns how much of the variance of the returns the network explains, by player count.
    """
    if not is_network(spec):
        raise BadOption(f"agent={spec!r} is not allowed; allowed: ppo or ppo:FILE, a trained network")
    if not 0 <= seed < 1 << 32:
        raise BadOption(f"seed={seed} is not allowed; allowed: 0 to {(1 << 32) - 1}")
    _, _, file = spec.partition(":")
    agent, about = learned.load(Path(file) if file else learned.baseline(game), game)
    trained = about.get("players")
    players = [n for n in game.players if not isinstance(trained, list) or n in trained] or list(game.players)
    check_memory(2 * rows * len(players) * game.observation_size, "fewer rows")
    fitted, explained = fit_value(agent, players, rows * len(players), seed)
    words = ["coven", "fit", game.name, "--agent", spec, "--rows", str(rows), "--seed", str(seed)]
    before = [*about.get("before", []), *([about["command"]] if "command" in about else [])]
    learned.save(fitted, out, {**about, "explained": explained, "before": before, "command": shlex.join(words)}, True)
    return explained


def least_rows(players: Sequence[int]) -> int:
    """The fewest rows that make sense for these player counts."""
    return 2 * KEPT_OUT * max(players) * len(players)


def _batches(rows: int, rng: np.random.Generator) -> Iterator[tuple[float, np.ndarray]]:
    """The rows of every batch, and how much of the work is left before it."""
    batches = [part for _ in range(PASSES) for part in np.array_split(rng.permutation(rows), -(-rows // BATCH))]
    for done, part in enumerate(batches):
        yield 1 - done / len(batches), part


def _explained(agent: LearnedAgent, views: np.ndarray, targets: np.ndarray) -> float:
    """How much of the variance of the ranks the value explains."""
    wanted = targets[:, 0]
    missed = agent.values(views)[:, 0] - wanted
    return round(float(1 - (missed**2).mean() / max(wanted.var(), 1e-9)), 4)
