"""The first part of training: lessons from another bot, so that self-play does not begin with random moves.

In a lesson the teacher plays all seats at half of the tables, and the network plays all seats at the others. From every
decision the network learns what the teacher would do there, and what the seat's final reward was. So it also learns to
go on from its own mistakes, which the teacher would never have made (DAgger; Ross, Gordon, Bagnell 2011). A teacher
that searches gets what all searches get: a state in which everything that its seat cannot know was sampled again.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import torch
from sb3_contrib import MaskablePPO

from coven.envs.agent import Agent, choose
from coven.games.core.batch import Batch
from coven.games.core.layout import DTYPE, Layout
from coven.games.core.rng import generator, next_bits

RATE = 1e-3
"""The learning rate at the beginning of a run."""
STRAY = 0.05
"""The probability that a random action is played instead."""
PARTS = 8
"""Parts of the tables, each with its own copy of a searching teacher; the same on all machines, so lessons are too."""


@dataclass(frozen=True)
class Lesson:
    """Decisions, one per row: observation, mask, the teacher's action, and the final return."""

    observations: np.ndarray
    masks: np.ndarray
    actions: np.ndarray
    returns: np.ndarray
    """The return of the seat that decided; NaN if the lesson stopped before the game ended."""


def give(batch: Batch, teacher: Agent, pupil: Agent, decisions: int, seed: int) -> Lesson:
    """Play on in all games of a batch, for so many decisions each; the pupil plays in the second half of the games."""
    shape, game = (decisions, batch.size), batch.game
    rng, dice, half = np.random.default_rng(seed), generator(seed), batch.size // 2
    observations = np.zeros((*shape, game.observation_size), DTYPE)
    masks = np.zeros((*shape, game.num_actions), np.int8)
    actions, players = np.zeros(shape, np.int64), np.zeros(shape, np.int8)
    rewards, ends = np.zeros((*shape, batch.num_players), np.float32), np.zeros(shape, np.bool_)
    with _asking(teacher, batch, dice) as ask:
        for t in range(decisions):
            observations[t], masks[t], players[t] = batch.observations, batch.masks, batch.players
            actions[t] = ask()
            played = actions[t].copy()
            played[half:] = pupil.act_batch(batch.observations[half:], batch.padded_masks[half:], dice)
            batch.step(np.where(rng.random(batch.size) < STRAY, batch.random_actions(), played))
            rewards[t], ends[t] = batch.rewards, batch.ends != 0
    returns = _returns(players, rewards, ends)
    rows = decisions * batch.size
    return Lesson(observations.reshape(rows, -1), masks.reshape(rows, -1), actions.ravel(), returns.ravel())


@contextmanager
def _asking(teacher: Agent, batch: Batch, dice: np.ndarray) -> Iterator[Callable[[], np.ndarray]]:
    """A function that returns what a teacher would do at every table; a teacher that searches uses all cores."""
    if not teacher.wants_state:
        yield lambda: choose(teacher, batch, np.arange(batch.size), dice)
        return
    parts = np.array_split(np.arange(batch.size), min(PARTS, batch.size))
    each = [(copy.copy(teacher), part, generator(next_bits(dice[0]))) for part in parts]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        yield lambda: np.concatenate(list(pool.map(lambda one: choose(one[0], batch, *one[1:]), each)))


def _returns(players: np.ndarray, rewards: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """The final reward of each decision's seat."""
    returns, final = np.zeros(players.shape, np.float32), np.full_like(rewards[0], np.nan)
    for t in range(len(players) - 1, -1, -1):
        final[ends[t]] = rewards[t, ends[t]]
        returns[t] = final[np.arange(len(final)), players[t]]
    return returns


def learn(
    model: MaskablePPO, lesson: Lesson, layout: Layout, seed: int, imitate: bool = True, rate: float = RATE
) -> None:
    """One pass over a lesson: imitate the teacher (if `imitate`), and fit the value to the final rewards."""
    policy, batch_size = model.policy, model.batch_size or len(lesson.actions)
    policy.set_training_mode(True)
    for group in policy.optimizer.param_groups:
        group["lr"] = rate  # self-play sets its own before every update
    order = np.random.default_rng(seed).permutation(len(lesson.actions))
    for rows in np.array_split(order, max(1, len(order) // batch_size)):
        seen = torch.from_numpy(layout.scale(lesson.observations[rows]))
        values, log_likelihood, _ = policy.evaluate_actions(
            seen, torch.from_numpy(lesson.actions[rows]), torch.from_numpy(lesson.masks[rows])
        )
        returns = torch.from_numpy(lesson.returns[rows])
        known = ~returns.isnan()
        loss = -log_likelihood.mean() if imitate else torch.zeros(())
        if known.any():
            loss = loss + model.vf_coef * torch.nn.functional.mse_loss(values.flatten()[known], returns[known])
        if not loss.requires_grad:
            continue  # nothing to learn: no game ended
        policy.optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(policy.parameters(), model.max_grad_norm)
        policy.optimizer.step()
