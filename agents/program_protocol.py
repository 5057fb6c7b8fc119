"""The messages between Coven and a program that plays: docs/bots.md says what they mean, in words and as a schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeVar

import msgspec
import numpy as np

from coven.agents.outside import quoted
from coven.games.core.game import Game, State

PROTOCOL = 1
MOST_LINE = 1 << 16
"""Bytes of a line that a program may send."""
MOST_SEED = 1 << 53
"""Seeds are below it: JavaScript knows no larger whole numbers."""
Want = Literal["state", "events", "texts", "observation", "table_text"]
USUAL_WANTS: tuple[Want, ...] = ("state", "events", "texts")


class BadMessage(ValueError):
    """A line that the protocol does not have: what it was, then what is allowed."""


class Ready(msgspec.Struct, tag_field="type", tag="ready", forbid_unknown_fields=True):
    """The answer to hello."""

    table: int
    protocol: int
    name: str = ""
    wants: list[Want] = msgspec.field(default_factory=lambda: list(USUAL_WANTS))


class Action(msgspec.Struct, tag_field="type", tag="action", forbid_unknown_fields=True):
    """The answer to decide."""

    table: int
    action: int | str


EXAMPLES: dict[type, str] = {
    Ready: '{"type":"ready","table":1,"protocol":1}',
    Action: '{"type":"action","table":1,"action":3}',
}
_encode = msgspec.json.Encoder().encode
A = TypeVar("A", Ready, Action)


def hello(game: Game, s: State, table: int, seat: int, seed: int, limits: Mapping[str, float]) -> bytes:
    """The line that begins a table."""
    return _line(
        {
            "type": "hello",
            "protocol": PROTOCOL,
            "table": table,
            "game": game.name,
            "version": game.version,
            "num_players": int(s["num_players"]),
            "seat": seat,
            "options": game.options_of(s),
            "seed": seed,
            "num_actions": game.num_actions,
            "observation_size": game.observation_size,
            **limits,
        }
    )


def decide(game: Game, s: State, mask: np.ndarray, table: int, events: list[str] | None, wants: list[Want]) -> bytes:
    """The line that asks the seat on turn; `s` is a state in which all that it cannot know was drawn anew."""
    seat = int(s["current"])
    legal = np.flatnonzero(mask).tolist()
    message: dict[str, Any] = {"type": "decide", "table": table, "legal": legal}
    if "texts" in wants:
        message["texts"] = [game.action_to_string(s, action) for action in legal]
    if "events" in wants:
        message["events"] = events
    if "state" in wants:
        message["state"] = game.describe(s, seat)
    if "observation" in wants:
        message["observation"] = game.observe(s, seat).tolist()
    if "table_text" in wants:
        message["table_text"] = game.text(s, seat)
    return _line(message)


def goodbye(table: int, result: Mapping[str, Any] | None) -> bytes:
    """The line that ends a table."""
    return _line({"type": "goodbye", "table": table, "result": result})


def _line(message: Mapping[str, Any]) -> bytes:
    return _encode(message) + b"\n"


def read(line: bytes, kind: type[A]) -> A:
    """The message in a line of a program; BadMessage for anything but this one."""
    wanted = kind.__struct_config__.tag
    try:
        line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadMessage(
            f"its line {quoted(line)} is not UTF-8 (byte {error.start}); allowed: JSON in UTF-8"
        ) from error
    try:
        return msgspec.json.decode(line, type=kind)
    except (msgspec.DecodeError, RecursionError, ValueError) as error:
        allowed = f"such as {EXAMPLES[kind]}"
        raise BadMessage(f"its line {quoted(line)} is no {wanted!r} message: {error}; allowed: {allowed}") from error


def read_action(answer: Action, game: Game, s: State, mask: np.ndarray) -> int:
    """The action that an answer means; BadMessage unless it is legal."""
    action = answer.action
    if isinstance(action, str):
        try:
            action = game.string_to_action(s, action)
        except ValueError as error:
            raise BadMessage(f"it chose {quoted(str(answer.action))}, which is no action; {_legal(mask)}") from error
    if not 0 <= action < game.num_actions or not mask[action]:
        raise BadMessage(f"it chose action {quoted(str(answer.action))}, which is not legal; {_legal(mask)}")
    return action


def _legal(mask: np.ndarray) -> str:
    legal = np.flatnonzero(mask).tolist()
    more = f" and {len(legal) - 12} more" if len(legal) > 12 else ""
    return f"allowed: {', '.join(map(str, legal[:12]))}{more}, or their texts"
