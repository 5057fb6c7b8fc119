"""Positions to learn from: the observations of all seats, the visits of a search, and the final results.

They come in blocks of some games and are stored in blocks, without pickle; every file is checked in full when it is
read.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from coven.games.core import files
from coven.games.core.errors import BadState
from coven.games.core.game import Game

MOST_ROWS = 1 << 22
"""The most rows of a block."""
MOST_MARGIN = 1e6


@dataclass(frozen=True)
class Positions:
    """Observations, one per row, and for some decisions among them how often a search visited each action."""

    views: np.ndarray
    targets: np.ndarray
    """The final return by rank and margin in points of the seat whose observation it is, by row."""
    decisions: np.ndarray
    """The rows that are decisions of their seat."""
    masks: np.ndarray
    """The legal actions there, eight per byte."""
    visits: np.ndarray

    @property
    def size(self) -> int:
        """How many views there are."""
        return len(self.views)

    def save(self, path: Path) -> None:
        """Store them."""
        files.write(path, save({field.name: getattr(self, field.name) for field in fields(self)}))

    @staticmethod
    def load(path: Path, game: Game) -> Positions:
        """What `save` stored; BadState if the file is not such."""
        try:
            with safe_open(path, "np") as file:
                names = set(file.keys())
                if names != {field.name for field in fields(Positions)}:
                    raise ValueError(f"it holds {', '.join(sorted(names))}")
                rows, decisions = (file.get_slice(name).get_shape()[0] for name in ("views", "decisions"))
                for name, (kind, shape) in _shapes(game, rows, decisions).items():
                    part = file.get_slice(name)
                    is_now = part.get_dtype(), tuple(part.get_shape())
                    if is_now != (kind, shape):
                        raise ValueError(f"{name} is {is_now}; allowed: {(kind, shape)}")
                found = Positions(**{name: file.get_tensor(name) for name in names})
        except (OSError, SafetensorError, ValueError, IndexError) as error:
            raise BadState(f"{path} holds no positions of {game.name}: {error}") from error
        found._check(game, path)
        return found

    def _check(self, game: Game, path: Path) -> None:
        legal = np.unpackbits(self.masks, axis=1, count=game.num_actions, bitorder="little")
        low, high = game.layout.bounds()
        wrong = {
            "views": ((self.views < low) | (self.views > high)).any(),
            "targets": not (np.abs(self.targets) <= [1, MOST_MARGIN]).all(),
            "decisions": ((self.decisions < 0) | (self.decisions >= self.size)).any(),
            "visits": (self.visits.sum(axis=1) == 0).any() or (self.visits[legal == 0] > 0).any(),
        }
        for name, bad in wrong.items():
            if bad:
                raise BadState(f"{path}: {name} holds what no game of {game.name} gives")


def _shapes(game: Game, rows: int, decisions: int) -> dict[str, tuple[str, tuple[int, ...]]]:
    """The kinds and shapes of the arrays of so many views and decisions."""
    if rows > MOST_ROWS or decisions > MOST_ROWS:
        raise ValueError(f"it has {rows} rows; allowed: up to {MOST_ROWS}")
    return {
        "views": ("U8", (rows, game.observation_size)),
        "targets": ("F32", (rows, 2)),
        "decisions": ("I64", (decisions,)),
        "masks": ("U8", (decisions, -(-game.num_actions // 8))),
        "visits": ("U16", (decisions, game.num_actions)),
    }


class Recorder:
    """Collects the positions of games, one after the other."""

    def __init__(self, game: Game, all_seats: bool = True) -> None:
        """Unless `all_seats`, only what the seat on turn sees is recorded."""
        self.game, self.all_seats = game, all_seats
        self.seats: list[int] = []
        self.views: list[np.ndarray] = []
        self.targets: list[np.ndarray] = []
        self.decisions: list[int] = []
        self.masks: list[np.ndarray] = []
        self.visits: list[np.ndarray] = []

    def see(self, s: np.ndarray, visits: np.ndarray) -> None:
        """Record what is seen now, and how often a search has visited each action of the player to move."""
        current = int(s["current"])
        seats = list(range(int(s["num_players"]))) if self.all_seats else [current]
        self.decisions.append(len(self.views) + seats.index(current))
        self.views += [self.game.observe(s, seat) for seat in seats]
        self.seats += seats
        self.masks.append(np.packbits(self.game.legal_mask(s).astype(bool), bitorder="little"))
        self.visits.append(np.minimum(visits, np.iinfo(np.uint16).max).astype(np.uint16))

    def end(self, s: np.ndarray) -> None:
        """Record the results of a game that is over."""
        points = np.array(self.game.scores(s), np.float64)
        others = (points.sum() - points) / (len(points) - 1)
        outcome = np.stack([self.game.returns(s), points - others], axis=1).astype(np.float32)
        self.targets.append(outcome[self.seats])
        self.seats = []

    def positions(self) -> Positions:
        """All that was collected."""
        game, n = self.game, len(self.decisions)
        shapes = _shapes(game, len(self.views), n)
        return Positions(
            np.array(self.views, np.uint8).reshape(shapes["views"][1]),
            np.concatenate(self.targets) if self.targets else np.zeros((0, 2), np.float32),
            np.array(self.decisions, np.int64),
            np.array(self.masks, np.uint8).reshape(shapes["masks"][1]),
            np.array(self.visits, np.uint16).reshape(shapes["visits"][1]),
        )


@dataclass(frozen=True)
class Batch:
    """Some positions as a learner takes them."""

    views: np.ndarray
    targets: np.ndarray
    decision_views: np.ndarray
    legal: np.ndarray
    visits: np.ndarray


class Buffer:
    """The newest blocks, with at most so many rows in all."""

    def __init__(self, game: Game, most_rows: int) -> None:
        self.game, self.most_rows = game, most_rows
        self.blocks: list[tuple[str, Positions]] = []

    @property
    def rows(self) -> int:
        """How many views it holds."""
        return sum(block.size for _, block in self.blocks)

    def add(self, name: str, block: Positions) -> list[str]:
        """Add a block; the names of the blocks that were dropped for it."""
        self.blocks.append((name, block))
        gone = []
        while self.rows > self.most_rows and len(self.blocks) > 1:
            gone.append(self.blocks.pop(0)[0])
        return gone

    def drop(self, names: Container[str]) -> None:
        """Drop these blocks."""
        self.blocks = [(name, block) for name, block in self.blocks if name not in names]

    def batches(self, number: int, size: int, rng: np.random.Generator) -> Iterator[Batch]:
        """Random batches, each of so many views for the value and as many decisions for the policy.

        There are none if there is nothing to learn from, because no decision of the games was searched in full.
        """
        blocks = [block for _, block in self.blocks]
        if not any(len(block.decisions) for block in blocks):
            return
        for _ in range(number):
            rows = _draw([block.size for block in blocks], size, rng)
            chosen = _draw([len(block.decisions) for block in blocks], size, rng)
            pairs = [(blocks[i], k) for i, k in chosen]
            packed = np.concatenate([block.masks[k] for block, k in pairs])
            yield Batch(
                np.concatenate([blocks[i].views[k] for i, k in rows]),
                np.concatenate([blocks[i].targets[k] for i, k in rows]),
                np.concatenate([block.views[block.decisions[k]] for block, k in pairs]),
                np.unpackbits(packed, axis=1, count=self.game.num_actions, bitorder="little").astype(bool),
                np.concatenate([block.visits[k] for block, k in pairs]).astype(np.float32),
            )


def _draw(sizes: Sequence[int], number: int, rng: np.random.Generator) -> list[tuple[int, np.ndarray]]:
    """Random rows of arrays with so many each: which array, and which of its rows."""
    ends = np.cumsum(sizes)
    drawn = np.sort(rng.integers(ends[-1], size=number))
    where = np.searchsorted(ends, drawn, side="right")
    return [(int(i), drawn[where == i] - (ends[i] - sizes[i])) for i in np.unique(where)]
