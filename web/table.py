"""A game that people and agents play: its seats, its moves, and what each seat may see of them."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from coven.agents.bot import Bot
from coven.agents.bot import make as make_bot
from coven.arena.replay import Replay, record
from coven.games.core.errors import BadOption, CovenError, IllegalAction
from coven.games.core.game import Game, State
from coven.web import position
from coven.web.analysis import has_estimate

HUMAN = "human"


class NotNow(CovenError):
    """Something that is not allowed at this moment of the game, or for this seat."""


@dataclass(frozen=True)
class Setup:
    """Who plays what: all that a table begins with but the deal."""

    game: Game
    seats: tuple[str, ...]
    """For each seat `human` or the spec of an agent."""
    options: dict[str, Any] = field(default_factory=dict)
    practice: bool = False
    """May the human take back moves and ask for analysis?"""

    def __post_init__(self) -> None:
        self.game.blank(len(self.seats), **self.options)
        if not self.humans:
            raise BadOption(f"no seat is {HUMAN!r}; allowed: one or more (coven arena run plays games of agents alone)")
        if self.practice and len(self.humans) > 1:
            raise BadOption(f"practice is for one human against agents, not for {len(self.humans)} humans")

    @property
    def agents(self) -> tuple[str, ...]:
        """The specs of the others."""
        return tuple(who for who in self.seats if who != HUMAN)

    @property
    def humans(self) -> tuple[int, ...]:
        """The seats of people."""
        return tuple(p for p, who in enumerate(self.seats) if who == HUMAN)


class Table:
    """One game in progress. All its methods belong to one thread; agents are asked elsewhere, with copies."""

    def __init__(self, setup: Setup, seed: int | None = None, actions: Sequence[int] = (), start: State | None = None):
        self.setup, self.game = setup, setup.game
        self.bots: dict[int, Bot] = {
            p: make_bot(who, self.game, len(setup.seats)) for p, who in enumerate(setup.seats) if who != HUMAN
        }
        self.moment = 0
        """Raised whenever something changes, so that a page can tell whether it is up to date."""
        self.epoch = 0
        """Raised when the log was not only made longer: a move taken back, a new game."""
        self.trouble: str | None = None
        self._begin(secrets.randbits(63) if seed is None else seed, start)
        for number, action in enumerate(actions, 1):
            try:
                self._apply(action)
            except IllegalAction as error:
                raise BadOption(f"this game stops fitting at move {number} of {len(actions)}: {error}") from error

    def _begin(self, seed: int, start: State | None = None) -> None:
        n = len(self.setup.seats)
        self.seed = seed
        self._start = self.game.new(n, seed, **self.setup.options) if start is None else self.game.clone(start)
        self._replay([])

    def _replay(self, actions: Sequence[int]) -> None:
        self.state = self.game.clone(self._start)
        self.actions: list[int] = []
        self._log: list[tuple[str | None, ...]] = []  # of each move: what every seat saw of it, and all of it
        self.last_human = self.setup.humans[0]
        for action in actions:
            self._apply(action)

    # What happens.

    @property
    def current(self) -> int | None:
        """The seat that decides, None when the game is over."""
        return self.game.current_player(self.state)

    @property
    def over(self) -> bool:
        """Has the game ended?"""
        return self.current is None

    @property
    def waits_for_human(self) -> bool:
        """Is a person to decide?"""
        return self.current in self.setup.humans

    def act(self, action: int) -> None:
        """The seat on turn does this; IllegalAction leaves all as it was."""
        self._apply(action)
        self.moment += 1

    def _apply(self, action: int) -> None:
        game, s, player = self.game, self.state, self.current
        if player is None:
            raise IllegalAction("the game is over: no action is legal")
        if action not in game.legal_actions(s):
            raise game.illegal_action(s, action)
        viewers = [*range(len(self.setup.seats)), None]
        seen = tuple(game.event(s, action, viewer) for viewer in viewers)
        game.apply(s, action)
        self.actions.append(int(action))
        self._log.append(seen)
        if player in self.setup.humans:
            self.last_human = player

    def undo(self) -> None:
        """Take back the human's last decision and all that came after it."""
        if not self.setup.practice:
            raise NotNow("moves are taken back only in practice games (coven play --practice)")
        s, decisions = self.game.clone(self._start), []
        for number, action in enumerate(self.actions):
            if self.game.current_player(s) in self.setup.humans:
                decisions.append(number)
            self.game.apply(s, action)
        if not decisions:
            raise NotNow("there is no decision of yours to take back")
        self._replay(self.actions[: decisions[-1]])
        self.changed_past()

    def states(self) -> list[State]:
        """Copies of all positions so far, the first and the present one included."""
        s = self.game.clone(self._start)
        found = [self.game.clone(s)]
        for action in self.actions:
            self.game.apply(s, action)
            found.append(self.game.clone(s))
        return found

    def again(self) -> None:
        """Deal a new game for the same seats, when this one is over."""
        if not self.over:
            raise NotNow("a new game begins when this one is over")
        self._begin(secrets.randbits(63))
        self.changed_past()

    def changed_past(self) -> None:
        """Pages have to read everything anew."""
        self.trouble = None
        self.epoch += 1
        self.moment += 1

    def replay(self) -> Replay:
        """The finished game as it is stored."""
        return record(self.game, self.state, self.seed, self.actions, self.setup.seats)

    # What is seen of it.

    def viewer(self, seats: Sequence[int]) -> int:
        """Through whose eyes a page with these seats looks now: of several the one on turn, or who was last."""
        if self.current in seats:
            return int(self.current)  # type: ignore[arg-type]
        return self.last_human if self.last_human in seats else seats[0]

    def shown_to(self, seats: Sequence[int], epoch: int = -1, since: int = 0) -> dict[str, Any]:
        """All that a page with these seats shows: nothing in it comes from what they cannot know.

        Of the log only what is new since that many moves of that epoch.
        """
        game, s, seat = self.game, self.state, self.viewer(seats)
        viewer = None if self.over else seat
        fresh = epoch != self.epoch or not 0 <= since <= len(self._log)
        start = 0 if fresh or self.over or len(seats) > 1 else since  # at the end, and for another seat, all reads anew
        mine = self.current in seats
        return position.shown(game, s, viewer, mine) | {
            "moment": self.moment,
            "epoch": self.epoch,
            "seat": seat,
            "seats": list(self.setup.seats),
            "mine": mine,
            "shared": len(seats) > 1,
            "practice": self.setup.practice,
            "estimate": self.setup.practice and has_estimate(game),
            "can_undo": self.setup.practice and bool(self.actions),
            "trouble": self.trouble,
            "log_from": start,
            "log": self.shown_log(-1 if self.over else seat)[start:],
        }

    def shown_log(self, seat: int) -> list[str | None]:
        """What a seat saw of every move; with -1 all that happened."""
        return [entry[seat] for entry in self._log]
