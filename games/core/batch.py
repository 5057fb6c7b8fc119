"""Many games of one kind side by side, each decision made in all of them by one kernel call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from coven.games.core import drivers
from coven.games.core.errors import BadOption, IllegalAction
from coven.games.core.game import Game
from coven.games.core.layout import DTYPE
from coven.games.core.numbers import whole
from coven.games.core.rng import GENERATOR

# Waking a thread takes about as long as stepping, or picking in, so many games.
_WORTH_A_THREAD, _WORTH_A_THREAD_TO_PICK = 2048, 4096


class Batch:
    """`size` games over arrays that are allocated once and written in place by every step.

    - `states`: the records; `players[i]`: who decides in game i
    - `masks`, `observations`: of that player; `padded_masks` are the masks as kernels want them
    - `rewards[i, p]`: paid to seat p of game i by the last step; 0 unless that game ended
    - `ends[i]`: 0, 1 (the last step ended game i) or 2 (it was truncated)

    A game that ends is dealt anew in the same step, so all but `rewards` and `ends` are then of the next game. Game i
    begins with seed + i, and each next one with `next_seed` of the one before, as an AEC env does that is reset without
    a seed. With several `threads` each steps its slice of the games, if there are enough to be worth it; results do not
    depend on their number.
    """

    def __init__(
        self,
        game: Game,
        size: int,
        num_players: int | None = None,
        seed: int | None = None,
        rewards: str = "rank",
        threads: int = 1,
        **options: Any,
    ) -> None:
        for name, number in (("size", size), ("threads", threads)):
            if (whole(number) or 0) < 1:
                raise BadOption(f"{name}={number!r} is not allowed; allowed: 1 and more")
        self.game, self.size, self.blank = game, int(size), game.blank(num_players, **options)
        self.num_players = int(self.blank["num_players"])
        self._reward_kind = game.reward_kind(rewards)
        self.states, self.seeds = np.zeros(size, game.record), np.zeros(size, np.uint64)
        self.players, self.ends = np.zeros(size, np.int8), np.zeros(size, np.int8)
        self.padded_masks = np.zeros((size, len(game.new_mask())), np.int8)
        self.observations = np.zeros((size, game.observation_size), DTYPE)
        self.rewards = np.zeros((size, self.num_players), np.float32)
        self._all = np.arange(size)
        self._dice = np.zeros(size, GENERATOR)
        bounds = np.linspace(0, size, min(threads, size) + 1).astype(int).tolist()
        self._slices = [slice(a, b) for a, b in pairwise(bounds)]
        self._keys = [game.new_keys() for _ in self._slices]
        self._pool: ThreadPoolExecutor | None = None
        game.prepare()
        self.deal(int(game.seed(seed)))

    @property
    def masks(self) -> np.ndarray:
        """The legal actions of whoever decides: always those of `padded_masks`, in copies too."""
        return self.padded_masks[:, : self.game.num_actions]

    def deal(self, seed: int | None = None) -> None:
        """Deal all games anew; without a seed each goes on to the game that would have followed."""
        if seed is not None:
            with np.errstate(over="ignore"):  # seeds wrap around at 2**64
                self.seeds[:] = self.game.seed(seed) + np.arange(self.size, dtype=np.uint64)
        self._dice["rng"] = self.seeds  # dice of their own for every game: threads then change nothing
        self.rewards[:], self.ends[:] = 0, 0
        self._on_threads([partial(self._deal, part) for part in self._slices])

    def step(self, actions: np.ndarray, which: np.ndarray | None = None) -> None:
        """Make one decision in every game, or in the games `which` alone (rising indices, an action for each).

        IllegalAction, before anything is done, if one of the actions is not legal. `rewards` and `ends` of games that
        are left out stay as they were.
        """
        which = self._all if which is None else which
        actions = _whole_numbers(actions)
        if actions.shape != which.shape:
            raise IllegalAction(f"{len(which)} games need as many actions, not an array of shape {actions.shape}")
        wrong = int(drivers.first_illegal(self.padded_masks, which, actions))
        if wrong >= 0:
            i = int(which[wrong])
            why = self.game.illegal(self.states[i : i + 1].reshape(()), int(actions[wrong]))
            raise IllegalAction(f"game {i} of the batch: {why}")
        if len(which) < _WORTH_A_THREAD * len(self._slices) or len(self._slices) == 1:
            self._step(0, which, actions)
        else:
            cuts = np.searchsorted(which, [part.start for part in self._slices[1:]])
            parts = zip(np.split(which, cuts), np.split(actions, cuts), strict=True)
            self._on_threads([partial(self._step, i, *part) for i, part in enumerate(parts)])

    def random_actions(self, active: bool = False) -> np.ndarray:
        """A random legal action for every game; if `active`, idle ones only where nothing else is legal."""
        actions = np.empty(self.size, np.int64)
        masks = self.padded_masks
        if active and self.game.idle.any():
            masks = masks & (1 - self.game.idle)
            nothing = ~masks.any(axis=1)
            masks[nothing] = self.padded_masks[nothing]
        if self.size < _WORTH_A_THREAD_TO_PICK * len(self._slices):
            drivers.pick_each(self._dice, masks, actions)
        else:
            picks = [partial(drivers.pick_each, self._dice[p], masks[p], actions[p]) for p in self._slices]
            self._on_threads(picks)
        return actions

    def close(self) -> None:
        """End the threads; a batch that is used again starts new ones."""
        if self._pool:
            self._pool.shutdown()
        self._pool = None

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_pool": None}  # a copy starts threads of its own

    def _on_threads(self, jobs: Sequence[Callable[[], Any]]) -> None:
        """Do the first job here and the others on the pool's threads."""
        if self._pool is None and len(jobs) > 1:
            self._pool = ThreadPoolExecutor(len(self._slices) - 1)
        others = [self._pool.submit(job) for job in jobs[1:]] if self._pool else []
        jobs[0]()
        for other in others:
            other.result()

    def _deal(self, part: slice) -> None:
        drivers.deal_batch(self.states[part], self.seeds[part], self.blank)
        drivers.look_batch(self.states[part], self.players[part], self.padded_masks[part], self.observations[part])

    def _step(self, thread: int, which: np.ndarray, actions: np.ndarray) -> None:
        drivers.step_batch(
            self.states,
            which,
            actions,
            self.seeds,
            self.blank,
            self._keys[thread],
            self._reward_kind,
            self.players,
            self.padded_masks,
            self.observations,
            self.rewards,
            self.ends,
        )


def _whole_numbers(actions: Any) -> np.ndarray:
    """Actions as kernels take them; IllegalAction for anything but whole numbers."""
    try:
        numbers = np.asarray(actions)
    except ValueError:  # lists of different lengths
        numbers = np.asarray(None)
    if numbers.size and numbers.dtype.kind not in "iu":
        raise IllegalAction(f"actions must be whole numbers, one for each game, not {actions!r}")
    return np.ascontiguousarray(numbers, np.int64)
