"""Many games of one kind side by side, each decision made in all of them by one kernel call."""

from __future__ import annotations

import time
from typing import Any

import numba
import numpy as np

from coven.games.core import drivers
from coven.games.core.crew import DEAL, PICK, REST, STEP, WATCH, Crew, Hand
from coven.games.core.errors import BadOption, IllegalAction
from coven.games.core.game import Game
from coven.games.core.layout import DTYPE
from coven.games.core.numbers import whole
from coven.games.core.rng import GENERATOR

# Waking a thread takes about as long as stepping so many games; telling one that is awake as long as these.
_WORTH_WAKING = 2048
_WORTH_SHARING = {DEAL: 64, STEP: 64, PICK: 512}


class Batch:
    """`size` games over arrays that are allocated once and written in place by every step.

    - `states`: the records; `players[i]`: who decides in game i
    - `masks`, `observations`: of that player; `padded_masks` are the masks as kernels want them
    - `rewards[i, p]`: paid to seat p of game i by the last step; 0 unless that game ended
    - `ends[i]`: 0, 1 (the last step ended game i) or 2 (it was truncated)

    A game that ends is dealt anew in the same step, so all but `rewards` and `ends` are then of the next game. Game i
    begins with seed + i, and each next one with `next_seed` of the one before, as an AEC env does that is reset without
    a seed. With several `threads` each steps its part of the games, if there are enough to be worth it; results do not
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
        self._which, self._actions = np.zeros(size, np.int64), np.zeros(size, np.int64)
        self.threads = min(int(threads), self.size)
        self._keys = [game.new_keys() for _ in range(self.threads)]
        self._crew: Crew | None = None
        self._finished = self._alone_until = 0.0
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
        self._do(DEAL, self.size)

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
        self._which[: len(which)], self._actions[: len(which)] = which, actions
        self._do(STEP, len(which))

    def random_actions(self, active: bool = False) -> np.ndarray:
        """A random legal action for every game; if `active`, idle ones only where nothing else is legal."""
        if active and self.game.idle.any():
            masks = self.padded_masks & (1 - self.game.idle)
            nothing = ~masks.any(axis=1)
            masks[nothing] = self.padded_masks[nothing]
            drivers.pick_each(self._dice, masks, self._actions)
        else:
            self._do(PICK, self.size)
        return self._actions.copy()

    def close(self) -> None:
        """End the threads; a batch that is used again starts new ones."""
        if self._crew:
            self._crew.dismiss()
        self._crew = None

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_crew": None}  # a copy starts threads of its own

    def _do(self, job: int, number: int) -> None:
        """Do a job in that many games: a part here and the others on the threads that there are for it."""
        hands = self._hands_for(number) if number >= self.threads * _WORTH_SHARING[job] else []
        parts = len(hands) + 1
        for k, hand in enumerate(hands, 1):
            hand.ask(job, number * k // parts, number * (k + 1) // parts)
        begun = time.perf_counter()
        try:
            self._do_part(job, number // parts)
        finally:
            took = time.perf_counter() - begun  # a hand may take twice as long as we did before it counts as late
            late = [hand for hand in hands if not hand.wait(took)]
        self._finished = time.perf_counter()
        if late:
            self._alone_until = self._finished + REST

    def _hands_for(self, number: int) -> list[Hand]:
        """The other threads, if all of them watch for work or there is so much that they are worth waking."""
        if self.threads == 1 or numba.config.DISABLE_JIT or time.perf_counter() < self._alone_until:
            return []
        if self._crew is None or not self._crew.here:
            self._crew = Crew([self._arrays(thread) for thread in range(1, self.threads)])
        hands = self._crew.hands
        if number >= self.threads * _WORTH_WAKING or all(hand.awake for hand in hands):
            return hands
        if time.perf_counter() - self._finished < WATCH:  # steps follow fast: the threads shall see the next one
            for hand in hands:
                hand.bell.set()
        return []

    def _do_part(self, job: int, last: int) -> None:
        """The part of a job that is done here: the games up to `last`."""
        if job == STEP:
            states, which, actions, *others, _ = self._arrays(0)
            drivers.step_batch(states, which[:last], actions[:last], *others)
        elif job == PICK:
            drivers.pick_each(self._dice[:last], self.padded_masks[:last], self._actions[:last])
        else:
            drivers.deal_batch(self.states[:last], self.seeds[:last], self.blank)
            seen = self.players[:last], self.padded_masks[:last], self.observations[:last]
            drivers.look_batch(self.states[:last], *seen)

    def _arrays(self, thread: int) -> tuple[Any, ...]:
        """What the kernels of one thread work on, in their order."""
        return (
            self.states,
            self._which,
            self._actions,
            self.seeds,
            self.blank,
            self._keys[thread],
            self._reward_kind,
            self.players,
            self.padded_masks,
            self.observations,
            self.rewards,
            self.ends,
            self._dice,
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
