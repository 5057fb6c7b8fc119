"""A random game as text, move by move: for people to read and, with checksums, as a regression file."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from coven.games import built_in
from coven.games import game as find_game
from coven.games.core import files
from coven.games.core.drivers import avoid, pick
from coven.games.core.errors import BadOption
from coven.games.core.game import Game, State
from coven.games.core.rng import generator

GOLDEN_SEED = 7


def random_game(game: Game, s: State, seed: int) -> Iterator[int]:
    """Play a dealt game to its end, at random without idle actions; yields each action before it is applied."""
    dice, mask = generator(seed), game.new_mask()
    while not game.is_over(s):
        mask[: game.num_actions] = game.legal_mask(s)
        avoid(mask, game.idle)
        action = int(pick(dice[0], mask))
        yield action
        game.apply(s, action)


def playthrough(
    game: Game, num_players: int | None, seed: int, checks: bool = False, viewer: int | None = None, **options: Any
) -> Iterator[str]:
    """The lines of a random game, as a viewer sees it; `checks` adds checksums, which change with the rules."""
    if checks and viewer is not None:
        raise BadOption("checks cover what all seats see, a viewer is one seat; allowed: checks or a viewer, not both")
    s = game.new(num_players, seed, **options)
    players = int(s["num_players"])
    in_force = ", ".join(f"{name}={value!r}" for name, value in game.options_of(s).items()) or "no options"
    yield f"{game.title}, {players} players, seed {seed}, {in_force}"
    yield game.text(s, viewer)
    yield ""
    for number, action in enumerate(random_game(game, s, seed)):
        event = game.event(s, action, viewer)
        if event is not None:
            line = f"{number + 1:>4}  {event}"
            yield f"{line}  [{len(game.legal_actions(s))} legal, {_checksum(game, s)}]" if checks else line
    yield ""
    yield game.text(s, viewer)
    if checks:
        yield f"end {_checksum(game, s)}, returns {game.returns(s)}"


def _checksum(game: Game, s: State) -> str:
    """Of everything that can be seen: the description and the observation of every seat."""
    parts = [json.dumps(game.describe(s)).encode()]
    parts += [game.observe(s, p).tobytes() for p in range(int(s["num_players"]))]
    return f"{zlib.crc32(b''.join(parts)):08x}"


def golden_files(folder: Path) -> Iterator[tuple[Path, str]]:
    """The regression file of every game of ours at every player count, and what it should hold."""
    for name in built_in():
        game = find_game(name)
        for players in game.players:
            text = "\n".join(playthrough(game, players, GOLDEN_SEED, checks=True)) + "\n"
            yield folder / f"{name}-{players}.txt", text


def write_golden(folder: Path) -> None:
    """Write the regression files; read the difference before you commit it."""
    for path, text in golden_files(folder):
        files.write(path, text)
        print(path)


if __name__ == "__main__":
    write_golden(Path("tests/golden"))
