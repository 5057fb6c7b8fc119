"""Programs in any language as agents, over standard input and output: `cmd:PROGRAM ARGS`, see docs/bots.md.

One process plays many games: all questions of a batch are sent at once, and answers may come in any order. If an agent
has several seats in one game, each seat has its own process. A program that breaks the protocol is killed and started
again; for each of its games it then gets a new hello and all events since the deal.
"""

from __future__ import annotations

import shutil
import time
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from coven.agents import program_protocol as protocol
from coven.agents.outside import Fault, OutsideAgent, Question, Settings, split_settings
from coven.agents.program_process import Broken, Process, Tap
from coven.envs.agent import Seat
from coven.games.core.errors import BadOption
from coven.games.core.game import Game
from coven.games.core.rng import next_bits

MOST_FILE = 1 << 26
"""Larger files among a program's arguments are data, and not counted as its sources."""
FAREWELL = 1.0
"""Seconds that a program has to end by itself after the last goodbye."""


@dataclass(frozen=True)
class ProgramSettings(Settings):
    """What a spec `cmd:` may set."""

    start_seconds: float = 30.0
    """Time limit from its start to its first answer."""
    memory: int = 2048
    """MB that each process of it may use."""


@dataclass
class _Table:
    """A game of one seat, as its program knows it."""

    process: Process
    number: int
    wants: list[protocol.Want] | None = None
    told: int = 0
    """How many of the seat's events it has been sent."""


@dataclass
class _Memory:
    """What we remember about a seat from the deal to the end, even if the program has to be started again."""

    seed: int
    spent: float = 0.0
    table: _Table | None = None
    done: bool = False
    """Whether it has used up its time for this game."""


@dataclass
class _Staff:
    """The running processes of an agent, kept apart from it so that they can be ended after it is gone."""

    processes: dict[int, Process] = field(default_factory=dict)

    def close(self) -> None:
        """End them all."""
        for process in self.processes.values():
            process.close(FAREWELL)
        self.processes.clear()


class ProgramAgent(OutsideAgent):
    """An agent whose decisions a program makes."""

    settings: ProgramSettings

    def __init__(self, spec: str, game: Game, num_players: int, settings: ProgramSettings, words: list[str]) -> None:
        """Start no process yet. Until one is started `tap` may be set; it is called with every line."""
        super().__init__(spec, game, num_players, settings)
        self.words = words
        self.files = tuple(path for path in map(Path, words) if _is_source(path))
        self.restarts = 0
        self.tap: Tap | None = None
        self._staff, self._tables, self._last = _Staff(), 0, 0.0
        weakref.finalize(self, self._staff.close)

    def ask(self, questions: Sequence[Question], dice: np.ndarray) -> None:
        """Ask the processes, one after the other, each all of its questions at once."""
        waiting: dict[int, list[Question]] = {}
        for question in questions:
            seat = question.seat
            seat.memory = seat.memory or _Memory(int(next_bits(dice[0])) % protocol.MOST_SEED)
            if not seat.memory.done:
                waiting.setdefault(seat.copy, []).append(question)
        for copy, left in waiting.items():
            while left:
                left = self._converse(copy, left)

    def _converse(self, copy: int, questions: list[Question]) -> list[Question]:
        """Ask one process; what is left when it had to be ended."""
        process = self._process(copy)
        open_ones: dict[int, Question] = {}
        for question in questions:
            memory = _memory(question)
            if memory.table is None or memory.table.process is not process:
                memory.table = self._greet(process, question)
            open_ones[memory.table.number] = question
        new = {number: question for number, question in open_ones.items() if _table(question).wants is None}
        try:
            self._hear_ready(process, new)
            for question in open_ones.values():
                process.send(self._decide(question))
            self._hear_actions(process, open_ones)
        except Broken as broken:
            self._dismiss(copy)
            number, question = next(iter((new or open_ones).items()))
            del open_ones[number]
            late = None if new else self._charge(question)
            question.settle(late or self.fault(f"{broken}{process.last_words()}"))
        return list(open_ones.values())

    def _greet(self, process: Process, question: Question) -> _Table:
        """Begin a table."""
        self._tables += 1
        limits = {"seconds": self.settings.seconds, "game_seconds": self.settings.game_seconds}
        player, seed = question.seat.player, _memory(question).seed
        process.send(protocol.hello(self.game, question.state, self._tables, player, seed, limits))
        return _Table(process, self._tables)

    def _hear_ready(self, process: Process, new: dict[int, Question]) -> None:
        """Hear that the program is ready for new tables; those that it is ready for are taken out."""
        while new:
            seconds = self.settings.seconds if process.answered else self.settings.start_seconds
            answer = _read(process.receive(seconds), protocol.Ready, new)
            process.answered = True
            if answer.protocol != protocol.PROTOCOL:
                raise Broken(f"it speaks protocol {answer.protocol}; allowed: {protocol.PROTOCOL}")
            _table(new.pop(answer.table)).wants = answer.wants

    def _decide(self, question: Question) -> bytes:
        table, events = _table(question), question.seat.events
        assert table.wants is not None
        new = None if events is None else events[table.told :]
        table.told = len(events or ())
        return protocol.decide(self.game, question.state, question.mask, table.number, new, table.wants)

    def _hear_actions(self, process: Process, open_ones: dict[int, Question]) -> None:
        """Hear the decisions, in any order; questions that are settled are taken out.

        The time since the last answer, or since all was asked, is that of the table that is answered.
        """
        self._last = time.monotonic()
        while open_ones:
            left = max(self.settings.game_seconds - _memory(q).spent for q in open_ones.values())
            answer = _read(process.receive(min(self.settings.seconds, left)), protocol.Action, open_ones)
            question = open_ones.pop(answer.table)
            question.settle(self._charge(question) or self._judged(answer, question))

    def _charge(self, question: Question) -> Fault | None:
        """Charge a question with the time since the last answer; a fault if that was more than its game has left."""
        memory, now = _memory(question), time.monotonic()
        memory.spent += now - self._last
        self._last = now
        if memory.spent <= self.settings.game_seconds:
            return None
        memory.done = True  # it is not asked again in this game
        return self.fault(f"it took more than {self.settings.game_seconds:g} s for all its decisions of a game")

    def _judged(self, answer: protocol.Action, question: Question) -> int | Fault:
        """What a decision means: a legal action, or a fault that ends nothing but this decision."""
        try:
            return protocol.read_action(answer, self.game, question.state, question.mask)
        except protocol.BadMessage as error:
            return self.fault(str(error))

    def leave(self, seat: Seat, result: Mapping[str, Any] | None) -> None:
        """Say goodbye to a table, if the program still knows it."""
        memory: _Memory | None = seat.memory
        with self._lock:
            if memory is not None and memory.table is not None:
                table, memory.table = memory.table, None
                if self._staff.processes.get(seat.copy) is table.process:
                    table.process.send(protocol.goodbye(table.number, result))
                    table.process.flush()

    def close(self) -> None:
        """End the program; it is started again when it is asked again."""
        with self._lock:
            self._staff.close()

    def _process(self, copy: int) -> Process:
        """The process for this seat of those that one game may have of the agent."""
        if copy not in self._staff.processes:
            self._staff.processes[copy] = Process(self.words, self.settings.memory, self.settings.log, self.tap)
        return self._staff.processes[copy]

    def _dismiss(self, copy: int) -> None:
        self._staff.processes.pop(copy).close()
        self.restarts += 1


def _memory(question: Question) -> _Memory:
    """What is kept about the seat of a question."""
    known: _Memory = question.seat.memory
    return known


def _table(question: Question) -> _Table:
    """The table of a question, at which its process has been greeted."""
    table = _memory(question).table
    assert table is not None
    return table


def _read(line: bytes, kind: type[protocol.A], open_ones: Mapping[int, Any]) -> protocol.A:
    """An answer for one of the open tables; Broken for anything else."""
    try:
        answer = protocol.read(line, kind)
    except protocol.BadMessage as error:
        raise Broken(str(error)) from error
    if answer.table not in open_ones:
        allowed = ", ".join(map(str, list(open_ones)[:5])) + (", ..." if len(open_ones) > 5 else "")
        raise Broken(f"it answered for table {answer.table}, which it was not asked about; allowed now: {allowed}")
    return answer


def _is_source(path: Path) -> bool:
    """Is a word of the program a file that decides how it plays?"""
    try:
        return path.is_file() and path.stat().st_size <= MOST_FILE
    except (OSError, ValueError):  # a word that is no path
        return False


def from_spec(rest: str, game: Game, num_players: int) -> ProgramAgent:
    """The agent of a spec such as `cmd:seconds=2 python3 bot.py`; the program is started at its first decision."""
    settings, words = split_settings(rest, ProgramSettings)
    if not words:
        raise BadOption("it needs a program")
    if shutil.which(words[0]) is None:
        raise BadOption(f"there is no program {words[0]!r} that can be run, on the path or as a file")
    return ProgramAgent(f"cmd:{rest}", game, num_players, settings, words)
