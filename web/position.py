"""What is shown of one position: the picture as a seat sees it, the actions with the spots to click, events."""

from __future__ import annotations

from typing import Any

from coven.games.core.game import Game, State


def kind_of(game: Game, action: int) -> tuple[str, str]:
    """The kind of an action and what that kind means."""
    for kind in game.actions.kinds.values():
        if kind.start <= action < kind.stop:
            return kind.name, kind.meaning
    raise ValueError(f"{game.name} has no action {action}")


def actions(game: Game, s: State, description: dict[str, Any]) -> list[dict[str, Any]]:
    """The legal actions for people: words, kind, meaning, and the spots to click one after the other."""
    listed = []
    for action in game.legal_actions(s):
        words = game.action_to_string(s, action)
        kind, meaning = kind_of(game, action)
        spots = list(game.clicks(description, words))
        listed.append({"id": action, "words": words, "kind": kind, "meaning": meaning, "clicks": spots})
    return listed


def shown(game: Game, s: State, viewer: int | None, with_actions: bool) -> dict[str, Any]:
    """A position for a page, with the legal actions if the viewer is the one to decide."""
    description = game.describe(s, viewer)
    return {
        "title": game.title,
        "svg": game.svg(s, viewer),
        "viewer": viewer,
        "current": description["current_player"],
        "phase": description["phase"],
        "over": description["over"],
        "truncated": description["truncated"],
        "scores": description["scores"],
        "ranks": description["ranks"],
        "actions": actions(game, s, description) if with_actions and not description["over"] else [],
    }
