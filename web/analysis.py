"""Analysis of a position by agents: shares of actions, values of seats, and possible worlds.

Everything here uses only what one seat may know: a search gets a state in which the rest was sampled again, a network
gets the seat's observation. So the answers may be shown to that seat, and to nobody else while the game goes on.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from coven.agents.estimate import estimate_of
from coven.agents.learned import LearnedAgent
from coven.agents.registry import create
from coven.agents.search import SearchAgent
from coven.envs.agent import Agent, resampled
from coven.games.core.errors import BadOption
from coven.games.core.game import Game, State
from coven.games.core.rng import generator

MOST_ITERATIONS, MOST_MILLISECONDS = 200_000, 60_000
QUESTIONS = 64
"""How often an agent that only chooses is asked, to see how often it takes each action."""
ESTIMATE = "estimate"
PICTURED = 4
"""Worlds that are shown at once."""
WORLDS = 16
"""Worlds over which the values of other seats are averaged."""
_SAFE = re.compile(r"random|greedy|ppo|mix:[0-9.]{1,8}|ismcts:(?P<budget>[0-9]{1,6})(?P<ms>ms)?(:[a-z]+=[a-z0-9.]+)*")


def allowed(spec: str, more: Sequence[str] = ()) -> str:
    """Check the spec of an agent that a page asks: none that reads files, runs programs or takes too long."""
    if spec in more:
        return spec
    found = _SAFE.fullmatch(spec)
    most = MOST_MILLISECONDS if found and found["ms"] else MOST_ITERATIONS
    if not found or "threads" in spec or int(found["budget"] or 1) > most:
        raise BadOption(
            f"{spec[:60]!r} cannot be asked; allowed: random, greedy, mix:CHANCE, ppo, ismcts:ITERATIONS (at most "
            f"{MOST_ITERATIONS}) or ismcts:MILLISECONDSms (at most {MOST_MILLISECONDS}), without threads"
            + "".join(f", {agent}" for agent in more)
        )
    return spec


@dataclass(frozen=True)
class Question:
    """A position as the seat to move knows it."""

    game: Game
    player: int
    world: State
    """A state in which everything that the seat cannot know was sampled again."""
    observation: np.ndarray
    mask: np.ndarray


def question(game: Game, s: State) -> Question:
    """The question for the seat to move in a position; BadOption when the game is over."""
    player = game.current_player(s)
    if player is None:
        raise BadOption("the game is over: there is nothing to decide")
    mask = game.new_mask()
    mask[: game.num_actions] = game.legal_mask(s)
    return Question(game, player, game.determinize(s, player), game.observe(s, player), mask)


def answers(asked: Question, spec: str) -> Iterator[dict[str, Any]]:
    """The answers of an agent, updated while it searches; for any thread, one at a time for each question."""
    agent = create(spec, asked.game, int(asked.world["num_players"]))
    dice = generator(int.from_bytes(os.urandom(7), "little"))
    if isinstance(agent, SearchAgent):
        yield from _search(asked, agent, dice)
    elif isinstance(agent, LearnedAgent):
        shares = agent.probabilities(asked.observation, asked.mask)
        note = "the network has no value network; use the graph of values instead"
        if agent.value_layers:
            expected = agent.values(asked.observation[None])[0, 0]
            note = f"the network expects {expected:+.2f} for this seat, from -1 (last) to 1 (first)"
        yield _answer(asked, shares, note=note, done=True)
    else:
        yield from _questions(asked, agent, dice)


def _search(asked: Question, agent: SearchAgent, dice: np.ndarray) -> Iterator[dict[str, Any]]:
    steps = 25
    for step, found in enumerate(agent.search_in_steps(asked.world, dice, steps), 1):
        total = max(int(found.visits.sum()), 1)
        note = f"{total:,} iterations; values from -1 (last) to 1 (first)"
        done = step == steps
        yield _answer(asked, found.visits / total, found.visits, found.values, found.returns.tolist(), note, done)


def _questions(asked: Question, agent: Agent, dice: np.ndarray) -> Iterator[dict[str, Any]]:
    """How often an agent that only chooses takes each action, over many questions."""
    masks, views = np.repeat(asked.mask[None], QUESTIONS, 0), np.repeat(asked.observation[None], QUESTIONS, 0)
    if agent.wants_state:
        worlds = np.repeat(asked.world.reshape(1), QUESTIONS)
        views = resampled(worlds, [asked.player] * QUESTIONS, dice)
    chosen = agent.act_batch(views, masks, dice)
    shares = np.bincount(chosen, minlength=asked.game.num_actions) / QUESTIONS
    yield _answer(asked, shares, note=f"asked {QUESTIONS} times; it gives no value", done=True)


def _answer(
    asked: Question,
    shares: np.ndarray,
    visits: np.ndarray | None = None,
    values: np.ndarray | None = None,
    by_seat: list[float] | None = None,
    note: str = "",
    done: bool = False,
) -> dict[str, Any]:
    order = sorted(np.flatnonzero(asked.mask).tolist(), key=lambda a: (-shares[a], a))
    rows = [
        {
            "action": a,
            "share": round(float(shares[a]), 4),
            "visits": None if visits is None else int(visits[a]),
            "value": None if values is None or visits is None or not visits[a] else round(float(values[a]), 3),
        }
        for a in order
    ]
    by_seat = None if by_seat is None else [round(value, 3) for value in by_seat]
    return {"rows": rows, "values": by_seat, "note": note, "done": done}


def worlds(game: Game, s: State, player: int, count: int = PICTURED) -> list[str]:
    """Pictures of some worlds that are consistent with everything that a seat knows."""
    return [game.svg(game.determinize(s, player)) for _ in range(count)]


_estimate = lru_cache(maxsize=16)(estimate_of)  # read from its file once


def values(game: Game, s: State) -> list[float]:
    """What the game's estimate predicts for every seat, each from its own observation."""
    known = _estimate(game)
    if known is None:
        raise BadOption(f"{game.name} has no value estimate; allowed: a search such as ismcts:200")
    return [known.judge(game.observe(s, p))[0] for p in range(int(s["num_players"]))]


def values_for(game: Game, s: State, player: int) -> list[float]:
    """The same from what one seat knows: the mean over worlds that fit it."""
    found = [values(game, game.determinize(s, player)) for _ in range(WORLDS)]
    means: list[float] = np.mean(np.array(found), axis=0).tolist()
    return means


def graph(
    game: Game, states: Sequence[State], final: list[float] | None, spec: str, player: int | None
) -> Iterator[dict[str, Any]]:
    """The values of all seats position by position: by the game's estimate (`estimate`), or as a search finds them.

    With a player only what that seat knows counts, so that a search is asked where it decides. `final` are the returns
    of a game that is over.
    """
    for number, s in enumerate(states):
        on_turn = game.current_player(s)
        if on_turn is None:
            by_seat = final
        elif spec == ESTIMATE:
            by_seat = values(game, s) if player is None else values_for(game, s, player)
        elif player is None or player == on_turn:
            by_seat = _searched(game, s, spec)
        else:
            continue
        if by_seat is not None:
            yield {"at": number, "values": [round(value, 3) for value in by_seat]}
    yield {"done": True}


def _searched(game: Game, s: State, spec: str) -> list[float]:
    """The returns of all seats that a search finds."""
    *_, last = answers(question(game, s), spec)
    found: list[float] | None = last["values"]
    if found is None:
        raise BadOption(f"{spec} gives no values; allowed: {ESTIMATE}, or a search such as ismcts:200")
    return found


def has_estimate(game: Game) -> bool:
    """Whether the game has a value estimate."""
    return _estimate(game) is not None
