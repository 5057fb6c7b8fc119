"""A language model as an agent: `llm:URL:MODEL`, for any server with the usual chat-completions interface.

The model gets the rules, the game as its seat sees it, what happened since its last decision, and the numbered legal
actions. Each question is independent. The key comes from an environment variable and is sent to the server only. All
questions and answers are stored in a transcript, a line of JSON for each question.
"""

from __future__ import annotations

import json
import os
import re
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from coven.agents import chat
from coven.agents.outside import Exhausted, Fault, OutsideAgent, Question, Settings, quoted, split_settings
from coven.envs.agent import Seat
from coven.games.core.errors import BadOption
from coven.games.core.game import Game, State

MOST_TRANSCRIPT = 1 << 26
"""Bytes after which nothing more is written down."""
MOST_NEW_EVENTS = 200
_numbers = count()
_ACTION = re.compile(r"\baction\b[\"'*_`\s]*[:=#]?[\"'*_`\s]*(?:number\b\s*)?#?(\d{1,6})\b", re.IGNORECASE)
_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True)
class ModelSettings(Settings):
    """What a spec `llm:` may set."""

    seconds: float = 60.0
    """Seconds for a decision, all tries together."""
    game_seconds: float = 3600.0
    tokens: int = 1000
    """The most tokens of an answer."""
    budget: int = 1_000_000
    """The most tokens of all questions and answers of the agent in this process."""
    tries: int = 3
    """The most tries for a decision, if the server is busy or the answer cannot be read."""
    parallel: int = 4
    """The most questions at the same time."""
    key: str = "COVEN_LLM_KEY"
    """The environment variable with the key; if it is not set, no key is sent."""


@dataclass
class _Memory:
    told: int = 0
    spent: float = 0.0


class LanguageModelAgent(OutsideAgent):
    """An agent whose decisions a language model makes."""

    settings: ModelSettings

    def __init__(self, spec: str, game: Game, num_players: int, settings: ModelSettings, server: chat.Server) -> None:
        super().__init__(spec, game, num_players, settings)
        self.server, self.used = server, 0
        self.rules = rules(game)
        name = "".join(c if c.isalnum() or c in "-_." else "_" for c in server.model)[:40]
        self.transcript = Path(settings.log) / f"llm-{name}-{os.getpid()}-{next(_numbers)}-{time.time_ns()}.jsonl"
        self._written, self._writing = 0, threading.Lock()

    def ask(self, questions: Sequence[Question], dice: np.ndarray) -> None:
        """Ask some questions at once, and take the answers in their order."""
        with ThreadPoolExecutor(min(self.settings.parallel, len(questions))) as pool:
            for question, decided in zip(questions, pool.map(self._decide, questions), strict=True):
                question.settle(decided)

    def _decide(self, question: Question) -> int | Fault:
        """An action, after as many tries as are allowed, or what went wrong in the last."""
        state, seat, legal = question.state, question.seat, np.flatnonzero(question.mask).tolist()
        if len(legal) == 1:
            return legal[0]  # nothing to ask
        memory = seat.memory = seat.memory or _Memory()
        texts = [self.game.action_to_string(state, action) for action in legal]
        messages = self._messages(state, texts, seat)
        begun, why = time.monotonic(), ""
        found: int | None = None
        again: float | None = 0.0
        limit = min(self.settings.seconds, self.settings.game_seconds - memory.spent)
        for _ in range(self.settings.tries):
            if again is None:
                break
            left = limit - (time.monotonic() - begun) - again
            if left <= 0:
                why = why or f"it has used its {self.settings.game_seconds:g} s for this game"
                break
            time.sleep(again)
            found, why, again = self._try(messages, texts, left)
            if found is not None:
                break
        memory.spent += time.monotonic() - begun
        return legal[found] if found is not None else self.fault(why)

    def _try(
        self, messages: list[dict[str, str]], texts: list[str], seconds: float
    ) -> tuple[int | None, str, float | None]:
        """The number of an action, or why there is none and after how many seconds to try again (None for never)."""
        if self.used >= self.settings.budget:
            raise Exhausted(
                f"{self.name} has used {self.used:,} tokens, which is its budget; allow more with budget=, "
                "or play fewer games"
            )
        question = {"model": self.server.model, "messages": messages, "max_tokens": self.settings.tokens}
        entry: dict[str, Any] = {"model": self.server.model, "messages": [dict(message) for message in messages]}
        key = os.environ.get(self.settings.key, "")
        try:
            answer = chat.ask(self.server, question, key, seconds)
        except chat.ChatError as error:
            self._write(entry | {"error": str(error)})
            return None, str(error), error.again
        self.used += answer.tokens or _guess(messages, answer.text)
        number = read_answer(answer.text, texts)
        self._write(entry | {"answer": answer.text, "tokens": answer.tokens, "cut": answer.cut, "number": number})
        if number is not None:
            return number - 1, "", 0.0
        what = f"was cut off after {self.settings.tokens} tokens" if answer.cut else "names no legal action"
        why = f"its answer {quoted(answer.text[-400:])} {what}; allowed: ACTION: and a number from 1 to {len(texts)}"
        messages += [
            {"role": "assistant", "content": answer.text[-2000:]},
            {"role": "user", "content": f"That {what}. Answer with one line: ACTION: and a number, 1 to {len(texts)}."},
        ]
        return None, why, 0.0

    def _messages(self, state: State, texts: list[str], seat: Seat) -> list[dict[str, str]]:
        """The question: rules and manners for the system, the rest for the user."""
        game, memory = self.game, seat.memory
        happened = "" if seat.events is None else "\n".join(seat.events[memory.told :][-MOST_NEW_EVENTS:])
        memory.told = len(seat.events or ())
        system = (
            f"You play {game.title} with {self.num_players} players; you are player {seat.player}. Play to win.\n\n"
            f"{self.rules}\n\nYou are shown the table as you see it, and your legal actions with numbers. Think "
            "briefly, then end with one line: ACTION: and the number of your action."
        )
        parts = [
            f"The table:\n{game.text(state, seat.player)}",
            *([f"Since your last decision:\n{happened}"] if happened else []),
            "Your legal actions:\n" + "\n".join(f"{n}. {text}" for n, text in enumerate(texts, 1)),
            f"Choose one: ACTION: and a number from 1 to {len(texts)}.",
        ]
        return [{"role": "system", "content": system}, {"role": "user", "content": "\n\n".join(parts)}]

    def _write(self, entry: dict[str, Any]) -> None:
        """Add a line to the transcript, which its owner alone can read; a full disk is no reason to stop a game."""
        line = (json.dumps({"at": round(time.time(), 3), **entry}) + "\n").encode()
        with self._writing:
            if self._written + len(line) > MOST_TRANSCRIPT:
                return
            try:
                self.transcript.parent.mkdir(parents=True, exist_ok=True)
                new = os.O_CREAT | os.O_EXCL if not self._written else 0
                file = os.open(self.transcript, os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW | new, 0o600)
                try:
                    os.write(file, line)
                finally:
                    os.close(file)
            except OSError:
                return
            self._written += len(line)


def read_answer(text: str, texts: Sequence[str]) -> int | None:
    """The number of the action that an answer names, from 1; None if it names none that is legal, or several.

    The last `ACTION: 7` counts. Without one, an answer that is nothing but a number or nothing but an action's words.
    """
    text = _THOUGHT.sub("", text[-20_000:]).strip()
    named = _ACTION.findall(text)
    if named:
        number = int(named[-1])
        return number if 1 <= number <= len(texts) else None
    bare = text.strip(" .*_`\"'#\n")
    if re.fullmatch(r"\d{1,6}", bare):
        return int(bare) if 1 <= int(bare) <= len(texts) else None
    words = " ".join(re.sub(r"(?i)^(?:\W*action\W*)?(?:\d+\.\s*)?", "", bare).split()).lower()
    same = [number for number, own in enumerate(texts, 1) if own.lower() == words]
    return same[0] if len(same) == 1 else None


def rules(game: Game) -> str:
    """The game's RULES.md, or its summary if it has none."""
    file = game.file("RULES.md")
    return file.read_text(encoding="utf-8") if file else game.summary


def _guess(messages: Sequence[dict[str, str]], answer: str) -> int:
    """About how many tokens a question took, where a server does not say."""
    return (sum(len(message["content"]) for message in messages) + len(answer)) // 4 + 1


def from_spec(rest: str, game: Game, num_players: int) -> LanguageModelAgent:
    """The agent of a spec such as `llm:seconds=20 http://localhost:8080/v1:llama3`; nobody is asked yet."""
    settings, words = split_settings(rest, ModelSettings)
    if len(words) != 1:
        raise BadOption("it needs a URL and a model")
    server = chat.server_of(words[0])
    if os.environ.get(settings.key) and server.scheme == "http" and not server.local:
        raise BadOption(
            f"the key in {settings.key} would travel unencrypted to {server.host}; allowed: https, or no key"
        )
    return LanguageModelAgent(f"llm:{rest}", game, num_players, settings, server)
