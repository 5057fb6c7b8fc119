"""Try other values for the constants of a game's greedy policy, against the present ones.

    python -m coven.benchmarks.tune_greedy alchemists                                  # which constants there are
    python -m coven.benchmarks.tune_greedy alchemists _LACKING --values 0.1 0.3        # and what others are worth

A constant is a number, or a number in an array (`_CUBE[1]`), that `greedy.py` gives a name at the top of the file. For
every value the policy is compiled with that one number changed and plays alone against copies of the present policy,
on the same deals with all rotations of the seats. A value is better or worse if its 95 % interval leaves out what
equals would win. These deals are for tuning only: no published figure is measured on them. Try many values and one will
look better by chance, so repeat a find with another `--seed` before you keep it.
"""

from __future__ import annotations

import ast
import importlib.util
import inspect
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Annotated

import numpy as np
import tyro
from rich.console import Console
from rich.table import Table
from tyro.conf import Positional

from coven.agents.greedy import GreedyAgent
from coven.agents.play import play
from coven.arena.intervals import Estimate, share
from coven.envs.agent import Agent
from coven.games import game as find_game
from coven.games.core.bits import pad_masks
from coven.games.core.errors import BadOption
from coven.games.core.game import Game
from coven.games.core.kernels import folder_for

TUNING_SEED = 1 << 48
"""Where the tuning deals begin, far from those of tests and results."""
FACTORS = (0.8, 1.25)
"""The values tried if none are given, as multiples of the present one."""
_IN_A_ROW = """

@kernel
def choose_each(observations, masks, dice, actions):
    for i in range(actions.size):
        actions[i] = choose(observations[i], masks[i], dice[0])
"""


@dataclass(frozen=True)
class Constant:
    """A number in the source of a policy."""

    name: str
    value: float
    node: ast.Constant

    def changed(self, source: str, value: float) -> str:
        """The source with another value."""
        lines, row = source.splitlines(keepends=True), self.node.lineno - 1
        line = lines[row].encode()  # ast counts bytes
        number = repr(int(value)) if isinstance(self.node.value, int) and value == int(value) else repr(float(value))
        lines[row] = (line[: self.node.col_offset] + number.encode() + line[self.node.end_col_offset :]).decode()
        return "".join(lines)


def source_of(game: Game) -> str:
    """The source of a game's greedy policy; BadOption if it has none."""
    if game.greedy is None:
        raise BadOption(f"nobody has written a greedy strategy for {game.name}")
    return Path(inspect.getfile(getattr(game.greedy, "py_func", game.greedy))).read_text(encoding="utf-8")


def constants(source: str) -> dict[str, Constant]:
    """The constants that a source declares at its top, by name."""
    found = {}
    for statement in ast.parse(source).body:
        if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
            continue
        name, value = statement.targets[0].id, statement.value
        if isinstance(value, ast.Call) and value.args and isinstance(value.args[0], ast.List):
            numbers = [(f"{name}[{i}]", node) for i, node in enumerate(value.args[0].elts)]
        else:
            numbers = [(name, value)]
        for label, node in numbers:
            if isinstance(node, ast.Constant) and type(node.value) is not bool and isinstance(node.value, int | float):
                found[label] = Constant(label, float(node.value), node)
    return found


class Variant(Agent):
    """A game's greedy policy from a changed source, compiled for this process alone."""

    def __init__(self, source: str, name: str) -> None:
        self.name, self._folder = name, Path(tempfile.mkdtemp(prefix="coven-greedy-"))
        file = self._folder / "variant.py"
        file.write_text(source + _IN_A_ROW, encoding="utf-8")
        spec = importlib.util.spec_from_file_location(f"coven_{self._folder.name.replace('-', '_')}", file)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        self._choose_each = module.choose_each

    def __enter__(self) -> Variant:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        function = getattr(self._choose_each, "py_func", self._choose_each)
        shutil.rmtree(folder_for(function), ignore_errors=True)  # what numba cached of it
        shutil.rmtree(self._folder, ignore_errors=True)

    def act_batch(self, views: np.ndarray, masks: np.ndarray, dice: np.ndarray) -> np.ndarray:
        """The choice for each of the observations."""
        actions = np.empty(len(masks), np.int64)
        self._choose_each(np.ascontiguousarray(views), pad_masks(masks), dice, actions)
        return actions


def win_share(game: Game, variant: Agent, players: int, deals: int, seed: int) -> Estimate:
    """How often a variant wins alone against copies of the present policy, over deals with all rotations."""
    present = GreedyAgent(game)
    results = play(game, [variant, *[present] * (players - 1)], deals, seed)
    wins = results.wins[:, 0].reshape(deals, players).sum(axis=1)
    return share(wins, np.full(deals, players))


def verdict(found: Estimate, players: int) -> str:
    """Does the interval leave out what equals would win?"""
    return "better" if found.low > 1 / players else "worse" if found.high < 1 / players else "level"


def main(
    game: Annotated[str, Positional],
    constant: Annotated[str | None, Positional] = None,
    values: Sequence[float] = (),
    players: Sequence[int] = (),
    deals: int = 200,
    seed: int = 0,
) -> None:
    """List the constants of a greedy policy, or play with other values of one.

    Args:
        game: Which game.
        constant: Which constant; without one they are listed.
        values: The values to try; a little less and a little more if none is given.
        players: The numbers of players; all that the game allows if none is given.
        deals: Deals for each value and number of players, each with all rotations of the seats.
        seed: Which tuning deals.
    """
    console, rules = Console(highlight=False), find_game(game)
    source = source_of(rules)
    known = constants(source)
    if constant is None:
        for one in known.values():
            console.print(f"{one.name} = {one.value:g}", markup=False)
        return
    if constant not in known:
        raise BadOption(f"{rules.name} has no constant {constant!r}; allowed: {', '.join(known)}")
    if deals < 2:
        raise BadOption(f"deals={deals} is not allowed; allowed: 2 and more")
    now = known[constant]
    table = Table("value", "players", "games", "wins [95 %]", "equals win", "", title=f"{constant} = {now.value:g} now")
    for value in values or [now.value * factor for factor in FACTORS]:
        with Variant(now.changed(source, value), f"{constant}={value:g}") as variant:
            for n in players or rules.players:
                found = win_share(rules, variant, n, deals, TUNING_SEED + seed * deals)
                table.add_row(f"{value:g}", f"{n}", f"{deals * n}", f"{found:.3f}", f"{1 / n:.3f}", verdict(found, n))
    console.print(table)


if __name__ == "__main__":
    tyro.cli(main)
