"""What agents outside of this process (programs, language models) share: settings, and what happens on a fault.

Settings are NAME=VALUE words at the beginning of a spec, as a shell has variables before a program:
`cmd:on_fault=random seconds=2 ./bot --fast`. A *fault* is what such an agent does wrong instead of sending a legal
action.
"""

from __future__ import annotations

import math
import re
import shlex
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import partial
from typing import Any, TypeVar

import numpy as np

from coven.agents.registry import KINDS
from coven.agents.rows import check_masks
from coven.envs.agent import Agent, Seat
from coven.games.core.errors import BadOption, CovenError, printable
from coven.games.core.game import Game, State
from coven.games.core.rng import next_bits

RULES = ("stop", "random", "forfeit")
"""After a fault: stop everything; play a random action; or play random actions to the end and rank behind all."""
IN_A_ROW = 10
"""So many faults in a row stop everything, whatever the rule: the agent does not work at all."""
_SETTING = re.compile(r"([a-z_]+)=(.*)", re.DOTALL)


class Fault(CovenError):
    """What an agent outside of this process did wrong instead of sending a legal action."""


class Exhausted(CovenError):
    """The agent's budget is used up, so everything stops, whatever the rule for faults."""


@dataclass(frozen=True)
class Settings:
    """What the spec of an agent outside of this process may set."""

    on_fault: str = "stop"
    seconds: float = 5.0
    """Time limit for a decision."""
    game_seconds: float = 300.0
    """Time limit for all decisions of a seat in a game."""
    log: str = "runs/bots"
    """The folder for its log."""

    def __post_init__(self) -> None:
        if self.on_fault not in RULES:
            raise BadOption(f"on_fault={self.on_fault!r} is not allowed; allowed: {', '.join(RULES)}")
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, int | float) and not 0 < value <= 1e9:
                raise BadOption(f"{field.name}={value} is not allowed; allowed: more than 0, at most 1e9")


@dataclass(frozen=True)
class Question:
    """A decision that an agent is asked for: the seat, the position as it may know it, and the legal actions."""

    seat: Seat
    state: State
    mask: np.ndarray
    settle: Callable[[int | Fault], None]
    """Call it once, with a legal action or with a fault."""


S = TypeVar("S", bound=Settings)


def split_settings(rest: str, kind: type[S]) -> tuple[S, list[str]]:
    """The settings at the beginning of a spec, and the words behind them."""
    try:
        words = shlex.split(rest)
    except ValueError as error:
        raise BadOption(f"the words {rest!r} are not quoted as a shell wants it: {error}") from error
    known = {field.name: type(getattr(kind(), field.name)) for field in fields(kind)}
    given: dict[str, Any] = {}
    while words and (found := _SETTING.fullmatch(words[0])):
        name, value = found[1], found[2]
        if name not in known or name in given:
            why = "is set twice" if name in given else "is no setting"
            raise BadOption(f"{name} {why}; allowed: {', '.join(f'{word}=' for word in known)}")
        try:
            given[name] = known[name](value)
        except ValueError as error:
            raise BadOption(f"{name}={value!r} is not allowed; allowed: a number") from error
        if isinstance(given[name], float) and not math.isfinite(given[name]):
            raise BadOption(f"{name}={value!r} is not allowed; allowed: a number")
        words = words[1:]
    return kind(**given), words


def with_rule(spec: str, rule: str | None) -> str:
    """A spec with this rule for faults added, if its kind has such a rule and the spec does not set it."""
    kind, _, rest = spec.partition(":")
    if rule is None or not can_fail(spec) or "on_fault=" in rest:
        return spec
    if rule not in RULES:
        raise BadOption(f"on_fault={rule!r} is not allowed; allowed: {', '.join(RULES)}")
    return f"{kind}:on_fault={rule} {rest}"


def can_fail(spec: str) -> bool:
    """Whether a spec names an agent outside of this process, whose faults are counted."""
    kind = KINDS.get(spec.partition(":")[0])
    return kind is not None and kind.can_fail


class OutsideAgent(Agent):
    """An agent outside of this process; a subclass says in `ask` how to talk to it."""

    wants_state = True
    follows = True
    timed = True  # nobody here knows whether the same question is always answered alike
    game: Game

    def __init__(self, spec: str, game: Game, num_players: int, settings: Settings) -> None:
        self.spec, self.game, self.num_players, self.settings = spec, game, num_players, settings
        self.name, self.faults = spec, 0
        self._in_a_row, self._lock = 0, threading.RLock()

    def __reduce__(self) -> tuple[Any, ...]:
        from coven.agents.registry import create

        return create, (self.spec, self.game, self.num_players)  # whoever has a copy asks somebody of its own

    def act_batch(self, views: np.ndarray, masks: np.ndarray, dice: np.ndarray) -> np.ndarray:
        """An action for each of the states, as if each were the first decision of a game without a record of events."""
        if np.shape(views) != (len(masks),) or views.dtype != self.game.record:
            raise BadOption(f"{self.name} is asked with a state of {self.game.name} for each mask")
        seats = [Seat(int(player)) for player in views["current"]]
        try:
            return self.act_seats(views, masks, seats, dice)
        finally:
            for seat in seats:
                self.leave(seat, None)

    def act_seats(self, views: np.ndarray, masks: np.ndarray, seats: Sequence[Seat], dice: np.ndarray) -> np.ndarray:
        """An action for each of the views; a fault is handled by the rule of the settings."""
        check_masks(masks, dice, self.game.num_actions)
        actions = np.full(len(seats), -1, np.int64)

        def settle(k: int, decided: int | Fault) -> None:
            """Question k is answered, or somebody failed in it."""
            if isinstance(decided, Fault):
                self._blame(seats[k], decided)
            else:
                self._in_a_row, actions[k] = 0, decided

        with self._lock:
            questions = [
                Question(seat, views[k : k + 1].reshape(()), masks[k], partial(settle, k))
                for k, seat in enumerate(seats)
                if not seat.forfeited
            ]
            if questions:
                self.ask(questions, dice)
        for k in np.flatnonzero(actions < 0):
            legal = np.flatnonzero(masks[k])
            actions[k] = legal[int(next_bits(dice[0])) % len(legal)]
        return actions

    def ask(self, questions: Sequence[Question], dice: np.ndarray) -> None:
        """Settle each of the questions; one that is left out gets a random action."""
        raise TypeError(f"{type(self).__name__} has no ask; allowed: a subclass of OutsideAgent that defines it")

    def _blame(self, seat: Seat, fault: Fault) -> None:
        seat.faults += 1
        self.faults += 1
        self._in_a_row += 1
        if self.settings.on_fault == "stop":
            raise fault from None
        if self._in_a_row >= IN_A_ROW:
            raise Fault(f"{fault}; that was fault {IN_A_ROW} in a row, so it is not asked again") from fault
        if self.settings.on_fault == "forfeit":
            seat.forfeited = True

    def fault(self, what: str) -> Fault:
        """A fault of this agent, as text that a terminal can show."""
        return Fault(printable(f"{self.name}: {what}"))


def quoted(text: str | bytes, most: int = 160) -> str:
    """A quotation for a message: short, on one line, and without control characters."""
    if isinstance(text, bytes):
        text = text[: 4 * most].decode("utf-8", "backslashreplace")
    text = printable(" ".join(text.split()))
    return repr(text if len(text) <= most else f"{text[: most - 3]}...")
