"""Games of training with search: blocks of games to learn from, and games that compare two networks.

A block depends only on its job and its task, so it is the same in this process, in another, or on a cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from coven.agents.greedy import GreedyAgent
from coven.agents.guided import GuidedAgent, GuidedConfig
from coven.agents.learned import LearnedAgent
from coven.agents.network import Layers
from coven.agents.play import play
from coven.agents.positions import Positions, Recorder
from coven.agents.random import RandomAgent
from coven.agents.registry import create
from coven.agents.search import Searcher
from coven.agents.search_settings import SearchSettings
from coven.games import game as find_game
from coven.games.core.game import Game
from coven.games.core.rng import generator, next_bits

LESSON_SHARE, STRAY = 0.5, 0.05
"""The share of a lesson's decisions that are kept, and the probability that a random action is played instead."""


class Networks(NamedTuple):
    """The layers of a policy and of a value."""

    policy: Layers
    value: Layers


@dataclass(frozen=True)
class Job:
    """All that the blocks of one round have in common."""

    game: str
    options: dict[str, Any]
    players: tuple[int, ...]
    """The player counts; the blocks use them in turn."""
    games: int
    """Games of a block."""
    full: int
    """Iterations of a search that is used for learning."""
    quick: int
    """Iterations for the other decisions."""
    full_share: float
    """The share of decisions that are searched in full."""
    drawn_share: float
    """How often the action is drawn in proportion to the visits; otherwise it is the most visited one."""
    networks: Networks | None
    """The networks that play; None: greedy plays and gives lessons."""
    rival: Networks | None = None
    """The networks at the other seats, in games that compare networks."""
    teacher: str = ""
    """A search that is imitated, in place of guided search."""
    all_seats: bool = True
    """Whether the observations of all seats are kept, or only of those that decide."""


def job_of(game: Game, s: SearchSettings, networks: Networks | None, rival: Networks | None = None) -> Job:
    """The blocks that a run with these settings plays with networks, alone or against others; lessons without."""
    return Job(
        game.name,
        s.options,
        tuple(s.players),
        s.lesson_games if networks is None else s.games,
        s.full,
        s.quick,
        s.full_share,
        s.drawn_share,
        networks,
        rival,
        teacher=s.teacher if s.taught else "",
        all_seats=s.learns_values,
    )


class Task(NamedTuple):
    """One block of a job."""

    number: int
    seed: int


class Block(NamedTuple):
    """The result of a task: positions to learn from, or the returns of the network that is compared, by deal."""

    number: int
    positions: Positions | None
    returns: np.ndarray | None
    games: int


Engine = Callable[[Job, Iterable[Task]], Iterator[Block]]


def in_this_process(job: Job, tasks: Iterable[Task]) -> Iterator[Block]:
    """Play one block after the other."""
    for task in tasks:
        yield work(job, task)


def work(job: Job, task: Task) -> Block:
    """Play the games of one block."""
    game, players = find_game(job.game), job.players[task.number % len(job.players)]
    if job.rival is not None:
        agents = [_agent(job, networks, game, players, job.quick) for networks in (job.networks, job.rival)]
        results = play(game, [agents[0], *[agents[1]] * (players - 1)], job.games, seed=task.seed, **job.options)
        return Block(task.number, None, results.returns[:, 0].reshape(job.games, -1).mean(axis=1), len(results.seeds))
    recorder, rng, dice = Recorder(game, job.all_seats), np.random.default_rng(task.seed), generator(task.seed)
    teachers = _teachers(job, game, players)
    for number in range(job.games):
        teach = teachers[number % len(teachers)]
        s = game.new(players, seed=int(next_bits(dice[0])), **job.options)
        while not game.is_over(s):
            actions = game.legal_actions(s)
            game.apply(s, int(actions[0]) if len(actions) == 1 else teach(s, recorder, rng, dice))
        recorder.end(s)
    return Block(task.number, recorder.positions(), None, job.games)


Teach = Callable[[np.ndarray, Recorder, np.random.Generator, np.ndarray], int]
"""Chooses an action, and may record the position for learning."""


def _teachers(job: Job, game: Game, players: int) -> list[Teach]:
    """The functions that play and teach; the games of a block use them in turn."""
    if job.networks is None:
        return [_lessons(game)]
    if job.teacher:
        return [_taught(job, game, players, by_pupil) for by_pupil in (False, True)]
    return [_searches(job, game, players)]


def _lessons(game: Game) -> Teach:
    """Greedy plays (random play where there is none), with some random actions; its choices are recorded."""
    teacher, mask = RandomAgent() if game.greedy is None else GreedyAgent(game), game.new_mask()

    def teach(s: np.ndarray, recorder: Recorder, rng: np.random.Generator, dice: np.ndarray) -> int:
        mask[: game.num_actions] = game.legal_mask(s)
        action = teacher.act(game.observe(s, int(s["current"])), mask, dice)
        if rng.random() < LESSON_SHARE:
            visits = np.zeros(game.num_actions, np.int64)
            visits[action] = 1
            recorder.see(s, visits)
        return int(rng.choice(game.legal_actions(s))) if rng.random() < STRAY else action

    return teach


def _searches(job: Job, game: Game, players: int) -> Teach:
    """Guided search plays: a few decisions are searched in full and recorded, the others quickly."""
    full, quick = (_agent(job, job.networks, game, players, iterations) for iterations in (job.full, job.quick))

    def teach(s: np.ndarray, recorder: Recorder, rng: np.random.Generator, dice: np.ndarray) -> int:
        learned, drawn = rng.random() < job.full_share, rng.random() < job.drawn_share
        found = (full if learned else quick).search(s, dice, until_decided=not (learned or drawn))
        if learned:
            recorder.see(s, found.visits)
        return int(rng.choice(found.visits.size, p=found.visits / found.visits.sum())) if drawn else found.best

    return teach


def _taught(job: Job, game: Game, players: int, by_pupil: bool) -> Teach:
    """A teacher searches at every decision, which is recorded. The teacher plays, or (`by_pupil`) the network does.

    Both with some random actions. So the network also learns to go on from its own mistakes, which the teacher would
    never have made (DAgger).
    """
    assert job.networks is not None
    teacher, mask = create(job.teacher, game, players), game.new_mask()
    assert isinstance(teacher, Searcher)
    pupil = LearnedAgent(game, job.networks.policy, sampling=True)

    def teach(s: np.ndarray, recorder: Recorder, rng: np.random.Generator, dice: np.ndarray) -> int:
        found = teacher.search(s, dice)
        recorder.see(s, found.visits)
        if rng.random() < STRAY:
            return int(rng.choice(game.legal_actions(s)))
        if not by_pupil:
            return found.best
        mask[: game.num_actions] = game.legal_mask(s)
        return pupil.act(game.observe(s, int(s["current"])), mask, dice)

    return teach


def _agent(job: Job, networks: Networks | None, game: Game, players: int, iterations: int) -> GuidedAgent:
    assert networks is not None
    network = LearnedAgent(game, networks.policy, value_layers=networks.value)
    return GuidedAgent(game, players, network, GuidedConfig(iterations=iterations), "guided")


def is_better(returns: np.ndarray) -> bool:
    """Whether a network passes its proof: its mean return is above 0 by at least a standard error."""
    return bool(returns.mean() > returns.std(ddof=1) / len(returns) ** 0.5)
