"""Plays a unit of work: from a tournament and a unit to the rows of its games."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from coven.agents.play import Results, play, think_seconds
from coven.agents.registry import create
from coven.arena.schedule import Tournament, Unit
from coven.envs.agent import Agent
from coven.games import game as find_game


class GameRow(NamedTuple):
    """One game as it is stored; lists are by seat and written as JSON."""

    number: int
    deal: int
    lineup: int
    rotation: int
    seed: int
    options: str
    agents: str
    actions: bytes
    """Little-endian 16-bit numbers."""
    ranks: str
    scores: str
    moves: str
    truncated: int
    faults: str
    """How often each seat failed to decide."""
    forfeits: str
    """1 for every seat that lost the game by a fault, whatever the score; it is ranked behind all others."""
    seconds: str
    """Seconds that each seat took; only these differ when the game is played again."""


@lru_cache(maxsize=64)
def agent(game: str, spec: str, players: int) -> Agent:
    """An agent, made once in every process."""
    return create(spec, find_game(game), players)


@lru_cache(maxsize=64)
def cost(game: str, spec: str, players: int) -> float:
    """Seconds for a decision of an agent whose games run inside the kernel, where time cannot be measured."""
    return think_seconds(find_game(game), agent(game, spec, players), players)


def play_unit(tournament: Tournament, unit: Unit) -> list[GameRow]:
    """Play the games of a unit."""
    t, game = tournament, tournament.rules
    specs = [t.agents[i] for i in t.lineups[unit.lineup]]
    deals = t.deals_of(unit.block)
    results = play(
        game,
        [agent(t.game, spec, t.players) for spec in specs],
        len(deals),
        seed=t.deal_seed(deals[0]),
        dice_seed=t.dice_seed(unit),
        **t.options,
    )
    seconds = results.seconds
    if seconds is None:
        seconds = results.moves * np.array([cost(t.game, spec, t.players) for spec in specs])
    return _rows(t, unit, specs, results, seconds)


def _rows(t: Tournament, unit: Unit, specs: list[str], results: Results, seconds: np.ndarray) -> list[GameRow]:
    first, at = t.deals_of(unit.block)[0], results.agent_at
    options = json.dumps(t.options, sort_keys=True)

    def by_seat(values: np.ndarray) -> list[Any]:
        return np.take_along_axis(values, at, axis=1).tolist()

    seated = [json.dumps([specs[i] for i in row]) for row in at[: t.players].tolist()]  # by rotation
    ranks, scores, moves = by_seat(results.ranks), by_seat(results.scores), by_seat(results.moves)
    faults, forfeits, thought = by_seat(results.faults), by_seat(results.forfeits), by_seat(seconds.round(6))
    seeds, truncated = results.seeds.tolist(), results.truncated.tolist()
    rows = []
    for k, actions in enumerate(results.actions):
        deal, rotation = first + k // t.players, k % t.players
        rows.append(
            GameRow(
                number=t.number(deal, unit.lineup, rotation),
                deal=deal,
                lineup=unit.lineup,
                rotation=rotation,
                seed=seeds[k],
                options=options,
                agents=seated[rotation],
                actions=actions.astype("<u2", copy=False).tobytes(),
                ranks=str(ranks[k]),
                scores=str(scores[k]),
                moves=str(moves[k]),
                truncated=int(truncated[k]),
                faults=str(faults[k]),
                forfeits=str(forfeits[k]),
                seconds=str(thought[k]),
            )
        )
    return rows
