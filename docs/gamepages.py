"""The generated part of a game's page: its facts as Markdown tables, from the rows that `coven show` prints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from coven import facts as rows
from coven.games.core.components import SOURCES
from coven.games.core.game import Game
from coven.games.core.statements import KEPT, read
from coven.statements import Marks, marks

MARKS = "; ".join(f"`{mark}` {meaning}" for mark, meaning in SOURCES.items())


def facts(game: Game) -> str:
    """All tables of a game."""
    parts = (_reconstructed, _options, _actions, _observation, _box, _rulebook)
    return "\n\n".join(section for part in parts for section in part(game)) + "\n"


def table(columns: Sequence[str], lines: Sequence[Sequence[str]], code: Sequence[str] = ()) -> str:
    """A Markdown table; the columns named in `code` are set as code."""

    def cell(column: str, text: str) -> str:
        text = text.replace("|", "\\|")
        return f"`{text}`" if column in code and text else text

    head = [f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}"]
    body = [f"| {' | '.join(cell(c, t) for c, t in zip(columns, line, strict=True))} |" for line in lines]
    return "\n".join(head + body)


def _reconstructed(game: Game) -> list[str]:
    found = rows.reconstructed_rows(game, width=120)
    if not found:
        return ["## What is reconstructed", "Nothing: every entry of `components.toml` is from a source."]
    return [
        "## What is reconstructed",
        "Facts that no source gives in words are marked `rec` (only a lost picture showed them) or `ours` (we decided)"
        f" in `games/{game.name}/components.toml`. An owner of the box can correct them there; code, tables and bounds"
        " are computed from that file.",
        table(rows.COMPONENT_COLUMNS, found, code=("what", "from", "value")),
    ]


def _options(game: Game) -> list[str]:
    if not game.options:
        return ["## Options", "None."]
    return ["## Options", table(rows.OPTION_COLUMNS, rows.option_rows(game), code=("name", "default"))]


def _actions(game: Game) -> list[str]:
    intro = (
        f"{game.num_actions} actions, `Discrete({game.num_actions})` with a mask. `game.action_to_string` and"
        " `game.string_to_action` translate between ids and strings; *as in* shows the first string of each kind."
    )
    return ["## Action space", intro, table(rows.ACTION_COLUMNS, rows.action_rows(game), code=("ids", "kind", "as in"))]


def _observation(game: Game) -> list[str]:
    intro = (
        f"{game.observation_size} numbers of type uint8, relative to the seat of the observer: seat 0 of a slice is its"
        f" own. The first {game.layout.raw_size} are the raw part. After them comes the derived part: what the rules"
        " compute for the seat that decides, 0 for the others; an env leaves it out with `derived=False`."
        " `game.observation_layout` has the same rows, `game.layout.scale` scales the numbers to 0..1, and"
        " `game.explain(observation)` names every number."
    )
    return ["## Observation", intro, table(rows.LAYOUT_COLUMNS, rows.layout_rows(game), code=("name",))]


def _box(game: Game) -> list[str]:
    intro = f"Every entry of `games/{game.name}/components.toml`. Sources: {MARKS}."
    return [
        "## Components",
        intro,
        table(rows.COMPONENT_COLUMNS, rows.component_rows(game), code=("what", "from", "value")),
    ]


def _rulebook(game: Game) -> list[str]:
    """Every statement of the rulebook, whether the game keeps it, and the tests that hold it."""
    statements = read(game.folder)
    if not statements:
        return []
    held, counts = _marks().get(game.name, {}), Counter(s.kept for s in statements.values())
    numbers = "; ".join(f"{counts[kept]} *{kept}* ({meaning})" for kept, meaning in KEPT.items() if counts[kept])
    lines = [
        (str(s.id), s.says, s.kept, s.why, "; ".join(_in_words(test) for test in held.get(s.id, [])))
        for s in statements.values()
    ]
    return [
        "## The rulebook, statement by statement",
        f"{len(statements)} statements, in our words: {numbers}. A test fails if a statement that needs a test"
        " has none. The tests are in `tests/games/`; their names are shown without underscores.",
        table(("no.", "statement", "kept", "why", "test"), lines),
    ]


def _in_words(test: str) -> str:
    return test.removeprefix("test_").replace("_", " ")


@cache
def _marks() -> Marks:
    return marks(Path(__file__).parent.parent / "tests")
