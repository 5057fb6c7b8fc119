"""Which test checks which statement of a rulebook: tests are marked with `@pytest.mark.holds("<game>", 12, 13)`.

The marks are read from the sources, so the result does not depend on which tests are run.
"""

from __future__ import annotations

import ast
from pathlib import Path

from coven.games.core.game import Game
from coven.games.core.statements import read

MARK = "holds"

Marks = dict[str, dict[int, list[str]]]
"""By game and number of the statement: the names of the tests."""


def marks(tests: Path) -> Marks:
    """All marks of the tests in this folder; ValueError for one that cannot be read."""
    found: Marks = {}
    for path in sorted(tests.rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                for decorator in node.decorator_list:
                    _add(found, decorator, node.name, path)
    return found


def _add(found: Marks, decorator: ast.expr, test: str, path: Path) -> None:
    """Add what one decorator says, if it is such a mark."""
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    if not isinstance(called, ast.Attribute) or called.attr != MARK:
        return
    values = [a.value if isinstance(a, ast.Constant) else None for a in getattr(decorator, "args", [])]
    game, *numbers = values or [None]
    if not isinstance(game, str) or not numbers or not all(type(n) is int for n in numbers):
        raise ValueError(
            f"{path}:{decorator.lineno}: the mark of {test} is not read; allowed: the name of a game, then numbers"
        )
    for number in numbers:
        assert isinstance(number, int)
        found.setdefault(game, {}).setdefault(number, []).append(test)


def check(game: Game, tests: Path) -> None:
    """Check that every statement that needs a test has one, and that every mark names a statement of the game."""
    statements, held = read(game.folder), marks(tests).get(game.name, {})
    unknown = sorted(held.keys() - statements.keys())
    assert not unknown, f"tests hold statements of {game.name} that do not exist: {unknown}"
    bare = [f"{s.id} ({s.says})" for s in statements.values() if s.needs_test and s.id not in held]
    assert not bare, f"no test holds these statements of {game.name}: {', '.join(bare)}"
