"""Many games of one kind in arrays: one kernel call makes a decision in each of them."""

from __future__ import annotations

import time
from typing import Any

import numba
import numpy as np

from coven.games.core import drivers
from coven.games.core.drivers import CHECK_AND_STEP, DEAL, PICK, STEP
from coven.games.core.errors import BadOption, IllegalAction
from coven.games.core.game import Game
from coven.games.core.numbers import whole
from coven.games.core.rng import as_seed
from coven.games.core.thread_pool import REST, WATCH, ThreadPool, Worker

# Waking a thread takes about as long as stepping so many games; telling one that is awake as long as these.
_WORTH_WAKING = 2048
_WORTH_SHARING = {DEAL: 64, STEP: 64, PICK: 512}


class Batch:
    """`size` games over arrays that are allocated once and written in place by every step.

    - `states`: the records; `players[i]`: the player to move in game i
    - `masks`, `observations`: of that player; `padded_masks` are the masks in the form that kernels take
    - `rewards[i, p]`: paid to seat p of game i by the last step; 0 unless that game ended
    - `ends[i]`: 0, 1 (the last step ended game i) or 2 (it was truncated)
    - `final_observations[i]`, if requested: the last observation of the game that ended, of seat `final_seats[i]`
      (NOBODY: the seat that acted)

    When a game ends, the next one starts in the same step; states, masks and observations are then those of the next
    game. Game i begins with seed + i, and every next game has `next_seed` of the one before, as in an AEC env that is
    reset without a seed. Several `threads` divide the games, if these are enough; results do not depend on it.
    """

    def __init__(
        self,
        game: Game,
        size: int,
        num_players: int | None = None,
        seed: int | None = None,
        rewards: str = "rank",
        threads: int = 1,
        final_observations: bool = False,
        derived: bool = True,
        **options: Any,
    ) -> None:
        for name, number in (("size", size), ("threads", threads)):
            if (whole(number) or 0) < 1:
                raise BadOption(f"{name}={number!r} is not allowed; allowed: 1 and more")
        self.game, self.size, self.threads = game, int(size), min(int(threads), int(size))
        blank = game.blank(num_players, **options)
        b = game.new_buffers(self.size, blank, rewards, final_observations, derived)
        self.num_players = int(b.blank["num_players"])
        self.states, self.seeds, self.players, self.padded_masks = b.states, b.seeds, b.players, b.masks
        self.observations, self.rewards, self.ends = b.observations, b.rewards, b.ends
        self.final_seats, self.final_observations = b.final_seats, b.final_observations
        self._buffers = [b, *(b._replace(keys=game.new_keys()) for _ in range(self.threads - 1))]  # one for each thread
        self._all, self._stepping_all = np.arange(self.size), False
        self._pool: ThreadPool | None = None
        self._finished = self._alone_until = 0.0
        game.prepare()
        self.deal(int(as_seed(seed)))

    @property
    def masks(self) -> np.ndarray:
        """The legal actions of the player to move in every game, read-only: a view of `padded_masks`."""
        return read_only(self.padded_masks[:, : self.game.num_actions])

    def deal(self, seed: int | None = None) -> None:
        """Deal all games; without a seed each deals the game that would have come next."""
        if seed is not None:
            with np.errstate(over="ignore"):  # seeds wrap around at 2**64
                self.seeds[:] = as_seed(seed) + np.arange(self.size, dtype=np.uint64)
        self._buffers[0].dice["rng"] = self.seeds  # dice of their own for every game: threads then change nothing
        self.rewards[:], self.ends[:] = 0, 0
        self._do(DEAL, self.size)

    def step(self, actions: np.ndarray, which: np.ndarray | None = None) -> None:
        """Make one decision in every game, or only in the games `which` (ascending indices, an action for each).

        If an action is not legal, IllegalAction is raised and nothing is changed. `rewards` and `ends` of other games
        stay as they were.
        """
        b, number = self._buffers[0], self._take(actions, which)
        wrong = self._do(STEP, number)
        if wrong >= 0:
            i, action = int(b.which[wrong]), int(b.actions[wrong])
            if not (0 if wrong == 0 else int(b.which[wrong - 1]) + 1) <= i < self.size:
                raise BadOption(f"which={which!r} is not allowed; allowed: ascending numbers from 0 to {self.size - 1}")
            why = self.game.illegal_action(self.states[i : i + 1].reshape(()), action)
            raise IllegalAction(f"game {i} of the batch: {why}")

    def random_actions(self, active: bool = False) -> np.ndarray:
        """A random legal action for every game; if `active`, idle actions only where nothing else is legal."""
        b = self._buffers[0]
        if active and self.game.idle.any():
            masks = b.masks & (1 - self.game.idle)
            nothing = ~masks.any(axis=1)
            masks[nothing] = b.masks[nothing]
            drivers.pick_each(b.dice, masks, b.actions)
        else:
            self._do(PICK, self.size)
        return b.actions.copy()

    def close(self) -> None:
        """End the threads; they are started again if the batch is used again."""
        if self._pool:
            self._pool.stop()
        self._pool = None

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_pool": None}  # a copy starts threads of its own

    def _take(self, actions: np.ndarray, which: np.ndarray | None) -> int:
        """Keep the decisions to be made where kernels find them; how many there are."""
        if which is not None:
            which = whole_numbers(which, "which")
            if which.ndim != 1 or len(which) > self.size:
                raise BadOption(f"which has the shape {which.shape}; allowed: a row of at most {self.size} games")
        b, number = self._buffers[0], self.size if which is None else len(which)
        actions = whole_numbers(actions, "actions")
        if actions.shape != (number,):
            raise IllegalAction(f"{number} games need {number} actions, not an array of shape {actions.shape}")
        if which is not None:
            b.which[:number], self._stepping_all = which, False
        elif not self._stepping_all:
            b.which[:], self._stepping_all = self._all, True
        b.actions[:number] = actions
        return number

    def _do(self, job: int, number: int) -> int:
        """Do a job in that many games, on all threads that there are for it; the first illegal decision, or -1."""
        b, wrong, workers = self._buffers[0], -1, self._workers_for(job, number)
        if workers:
            if job == STEP:
                wrong = drivers.first_illegal(b.masks, b.which[:number], b.actions[:number])
            if wrong < 0:
                self._share(workers, job, number)
        elif job == PICK:
            drivers.pick_each(b.dice, b.masks, b.actions)  # it needs only these, and every argument takes its time
        else:
            wrong = drivers.do_part(b, CHECK_AND_STEP if job == STEP else job, 0, number)
        if self.threads > 1:
            self._finished = time.perf_counter()
        return wrong

    def _share(self, workers: list[Worker], job: int, number: int) -> None:
        """Do a part of a job here and the others on the workers."""
        parts = len(workers) + 1
        for k, worker in enumerate(workers, 1):
            worker.ask(job, number * k // parts, number * (k + 1) // parts)
        begun = time.perf_counter()
        try:
            drivers.do_part(self._buffers[0], job, 0, number // parts)
        finally:
            took = time.perf_counter() - begun  # a worker may take twice as long as we did before it counts as late
            late = [worker for worker in workers if not worker.wait(took)]
        if late:
            self._alone_until = time.perf_counter() + REST

    def _workers_for(self, job: int, number: int) -> list[Worker]:
        """The other threads, if all of them watch for work or there is so much that they are worth waking."""
        if self.threads == 1 or number < self.threads * _WORTH_SHARING[job] or numba.config.DISABLE_JIT:
            return []
        now = time.perf_counter()
        if now < self._alone_until:
            return []
        if self._pool is None or not self._pool.is_here:
            self._pool = ThreadPool(self._buffers[1:])
        workers = self._pool.workers
        if number >= self.threads * _WORTH_WAKING or all(worker.awake for worker in workers):
            return workers
        if now - self._finished < WATCH:  # steps follow fast: the threads shall see the next one
            for worker in workers:
                worker.wake.set()
        return []


def read_only(array: np.ndarray) -> np.ndarray:
    """The same memory, in which nothing can be written: kernels trust what stands there."""
    view = array.view()
    view.flags.writeable = False
    return view


def whole_numbers(values: Any, what: str) -> np.ndarray:
    """Numbers as kernels take them; IllegalAction for anything but whole numbers."""
    try:
        numbers = np.asarray(values)
    except ValueError:  # lists of different lengths
        numbers = np.asarray(None)
    if numbers.size and numbers.dtype.kind not in "iu":
        raise IllegalAction(f"{what} must be whole numbers, one for each game, not {values!r}")
    return np.ascontiguousarray(numbers, np.int64)
