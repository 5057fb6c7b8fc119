"""Verifies the result of an evaluation: plays every recorded game again and computes every figure again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coven.arena import anchors
from coven.arena.evaluation import figures
from coven.arena.protocol import SEED
from coven.arena.reading import MOST_SECONDS, shortened
from coven.arena.results import BadResult, PlayedGame, Result, read
from coven.arena.schedule import deal_seed
from coven.arena.sources import differing, of_game
from coven.games.core.errors import IllegalAction
from coven.games.core.game import Game

CLOSE = 2e-4
"""Figures may differ by so much (large ones relatively), because mathematical libraries round differently."""


@dataclass(frozen=True)
class Verified:
    """A verified result, and what a reader should know about it."""

    result: Result
    notices: list[str]


def verify(path: Path, show: Callable[[int], None] = lambda games: None) -> Verified:
    """Read a result file and play all its games again; BadResult names the first game or figure that does not fit.

    `show` is called after every game with the number of games so far.
    """
    found = read(path)
    game = found.head.rules
    for number, one in enumerate(found.games, 1):
        wrong = misfit(game, one)
        if wrong:
            raise BadResult(f"{path}: the game {one.where} does not fit: {wrong}")
        show(number)
    said, computed = found.head.figures, figures(found, found.head.anchors)
    wrong = _difference(said, computed, "figures")
    if wrong:
        raise BadResult(f"{path}: all games fit, but a figure does not: {wrong}")
    return Verified(found, notices(found))


def misfit(game: Game, one: PlayedGame) -> str | None:
    """What does not fit when a game is played again; None if all fits."""
    s = game.new(one.players, deal_seed(SEED, one.deal))
    moves = [0] * one.players
    for number, action in enumerate(one.actions, 1):
        seat = game.current_player(s)
        try:
            game.apply(s, action)
        except IllegalAction as error:
            return f"move {number} of {len(one.actions)}: {error}"
        if seat is not None:
            moves[seat] += 1
    if not game.is_over(s):
        return f"it stops after move {len(one.actions)}, before it is over"
    for what, true, said in (
        ("scores", game.scores(s), one.scores),
        ("ranks", game.ranks(s), one.ranks),
        ("moves", moves, one.moves),
    ):
        if true != said:
            return f"its {what} are {true}; the file says {shortened(said)}"
    if not 0 <= one.faults <= moves[one.rotation]:
        return f"it has {one.faults} faults in {moves[one.rotation]} decisions"
    return None if 0 <= one.seconds < MOST_SECONDS else f"it took {one.seconds:g} seconds"


def _difference(said: Any, computed: Any, where: str) -> str | None:
    """The first place where two trees of figures differ."""
    if isinstance(computed, dict) and isinstance(said, dict) and computed.keys() == said.keys():
        parts = ((said[key], computed[key], f"{where}, {key}") for key in computed)
    elif isinstance(computed, list) and isinstance(said, list) and len(computed) == len(said):
        parts = ((a, b, f"{where}, {number}") for number, (a, b) in enumerate(zip(said, computed, strict=True)))
    elif isinstance(computed, int | float) and isinstance(said, int | float):
        near = abs(computed - said) <= CLOSE * max(1.0, abs(computed))
        return None if near else f"{where}: {shortened(said)} instead of {computed}"
    else:
        return None if said == computed else f"{where}: {shortened(said)} instead of {shortened(computed)}"
    return next((wrong for part in parts if (wrong := _difference(*part))), None)


def notices(found: Result) -> list[str]:
    """What a reader of a verified result should know."""
    head, said = found.head, []
    if head.quick:
        said.append("it is a quick evaluation: for development, not for comparison")
    if head.timed:
        said.append("an agent has a time limit or is an outside program: evaluated again, it may play other games")
    if head.changes:
        said.append(f"games of different programs: {'; '.join(head.changes)}")
    now = of_game(head.rules)
    changed = differing({name: head.sources[name] for name in now if name in head.sources}, now)
    if changed:
        said.append(f"its games fit, and since then the sources of {', '.join(changed)} have changed")
    if "overall" not in head.figures:
        said.append(f"{head.game} has no anchors: there is no overall figure")
    elif head.anchors != anchors.read(head.rules):
        said.append("its anchors are not the published ones; the leaderboard computes its figures anew")
    return said
