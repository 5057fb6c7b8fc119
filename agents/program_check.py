"""Checks whether a program follows the protocol: `coven check-bot`."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import msgspec
import numpy as np

from coven.agents.outside import Fault, quoted
from coven.agents.play import Results, play
from coven.agents.program import FAREWELL, ProgramAgent
from coven.agents.random import RandomAgent
from coven.agents.registry import create
from coven.games.core.errors import BadOption
from coven.games.core.game import Game

Say = Callable[[str], None]
SEED = 20_000


@dataclass
class Conversation:
    """All that is said between Coven and a program, as far as a check wants to know it."""

    show: Say | None = None
    last: dict[str, bytes] = field(default_factory=dict)
    first_ready: bytes = b""
    answers: list[float] = field(default_factory=list)
    """Seconds until every answer, since what came before it."""
    _at: float = field(default_factory=time.perf_counter)

    def hear(self, direction: str, line: bytes) -> None:
        """A line `to` the program or `from` it."""
        now = time.perf_counter()
        if direction == "from":
            self.answers.append(now - self._at)
            self.first_ready = self.first_ready or line
        self._at = now
        if b'"type":"goodbye"' not in line:  # which is said after a fault too
            self.last[direction] = line
        if self.show:
            self.show(f"{'->' if direction == 'to' else '<-'} {quoted(line, 1000)[1:-1]}")


def check(game: Game, spec: str, num_players: int | None, games: int, say: Say, show: Say | None = None) -> None:
    """Play with a program: a line for every check that it passed; raises a Fault at the first that it failed."""
    players = int(game.blank(num_players)["num_players"])
    agent, heard = _agent(spec, game, players), Conversation(show)
    agent.tap = heard.hear
    try:
        alone = _one_game(agent, heard, game, players, say)
        many = _play(agent, game, players, games)
        say(
            f"ok    {len(many.moves)} games at once over one process: {int(many.moves[:, 0].sum())} decisions, "
            f"{_rate(many):,.0f} a second"
        )
        _seats(agent, game, players, say)
        _same_again(agent, game, players, alone, say)
        _end(agent, say)
    except Fault as fault:
        sent, came = (quoted(heard.last.get(way, b"nothing"), 400) for way in ("to", "from"))
        raise Fault(f"{fault}\n      the last line to it:   {sent}\n      the last line from it: {came}") from fault
    finally:
        agent.close()


def _agent(spec: str, game: Game, players: int) -> ProgramAgent:
    if not spec.startswith("cmd:"):
        raise BadOption(
            f"{spec[:80]!r} is no program; allowed: cmd:PROGRAM ARGS, in quotes, as in 'cmd:python3 bot.py'"
        )
    if "on_fault=" in spec:
        raise BadOption("a check stops at the first fault, so on_fault= is not allowed; leave it out")
    agent = create(spec, game, players)
    assert isinstance(agent, ProgramAgent)
    return agent


def _play(agent: ProgramAgent, game: Game, players: int, deals: int, rotate: bool = True) -> Results:
    return play(game, [agent, *[RandomAgent()] * (players - 1)], deals, SEED, rotate)


def _one_game(agent: ProgramAgent, heard: Conversation, game: Game, players: int, say: Say) -> Results:
    found = _play(agent, game, players, 1, rotate=False)
    ready = msgspec.json.decode(heard.first_ready)
    wants = ", ".join(ready.get("wants", ())) or ("nothing but the legal actions" if "wants" in ready else "the usual")
    name = quoted(ready.get("name", ""))
    say(f"ok    starts, and is ready after {heard.answers[0]:.2f} s; name {name}, wants {wants}")
    slowest = 1000 * max(heard.answers[1:], default=0.0)
    say(
        f"ok    one game of {game.name} with {players} players: {int(found.moves[0, 0])} decisions, all legal; the "
        f"slowest took {slowest:.1f} ms of {1000 * agent.settings.seconds:g}"
    )
    return found


def _rate(results: Results) -> float:
    """Decisions of the program in a second."""
    assert results.seconds is not None
    return float(results.moves[:, 0].sum() / results.seconds[:, 0].sum())


def _seats(agent: ProgramAgent, game: Game, players: int, say: Say) -> None:
    found = play(game, [agent] * players, 1, SEED, rotate=False)
    say(f"ok    all {players} seats of a game, each in its own process: {int(found.moves.sum())} decisions")


def _same_again(agent: ProgramAgent, game: Game, players: int, before: Results, say: Say) -> None:
    again = _play(agent, game, players, 1, rotate=False)
    if np.array_equal(again.actions[0], before.actions[0]):
        say("ok    the same seed gives the same game")
    else:
        say("note  the same seed gives another game: use the seed of hello for all randomness to be reproducible")


def _end(agent: ProgramAgent, say: Say) -> None:
    begun = time.perf_counter()
    agent.close()
    seconds = time.perf_counter() - begun
    if seconds < FAREWELL:
        say("ok    ends by itself when its standard input is closed")
    else:
        say("note  does not end by itself when its standard input is closed; it was killed")
