"""Tables fit the terminal, and names are never lost."""

from __future__ import annotations

import io

import pytest
from rich.cells import cell_len
from rich.console import Console

import coven
from coven import cli
from coven.arena.league import league
from coven.arena.tables import Column, FittedTable

COLUMNS = [
    Column("", "name"),
    Column("agent", "name"),
    *map(Column, ("rating", "95 %", "games")),
    Column("why", "text"),
]
LONG = "ppo:runs/black_magic_friday-0/agent.safetensors"
ROWS = [["1", LONG, "1742", "1699 to 1790", "1,000", "it has learned for longer than the others"]]
ROWS += [["2", "greedy[bold]", "1500", "1490 to 1510", "1,000", "always at hand"]]


def shown(what, width):
    console = Console(file=io.StringIO(), width=width, highlight=False)
    console.print(what)
    return console.file.getvalue()


def joined(text):
    """All that a table says, without the lines into which it broke it."""
    return "".join(text.split())


@pytest.mark.parametrize("width", [60, 72, 80, 100, 200])
def test_every_cell_is_whole_at_every_width(width):
    text = shown(
        FittedTable("A title that is longer than sixty characters, so that it needs two lines", COLUMNS, ROWS), width
    )
    assert max(map(cell_len, text.splitlines())) <= width
    assert "…" not in text
    for cell in ("1699 to 1790", "greedy[bold]", "1,000"):
        assert cell in text
    assert LONG[:20] in text
    assert all(word in text for word in ROWS[0][-1].split())


def test_there_is_one_part_where_all_has_room_and_names_in_every_part_elsewhere():
    table = FittedTable("", COLUMNS, ROWS)
    assert shown(table, 200).count("greedy") == 1
    narrow = shown(table, 60)
    assert narrow.count("greedy") == narrow.count("agent ") > 1
    assert joined(LONG) in joined(
        shown(FittedTable("", COLUMNS[1:3], [row[1:3] for row in ROWS[:1]]), 60).replace("1742", "")
    )


def test_an_interval_stays_beside_its_number():
    columns = [Column("agent", "name"), *map(Column, ("rating", "95 %", "wins", "95 %", "score"))]
    rows = [["greedy", "1500", "1490 to 1510", "61.0%", "55.0% to 66.0%", "77.5"]]
    heads = [line.split() for line in shown(FittedTable("", columns, rows), 50).splitlines() if "agent" in line]
    assert heads == [["agent", "rating", "95", "%"], ["agent", "wins", "95", "%", "score"]]


@pytest.mark.parametrize("width", [60, 80])
def test_commands_show_every_name(width, monkeypatch):
    console = Console(file=io.StringIO(), width=width, highlight=False)
    monkeypatch.setattr(cli, "console", console)
    cli.games()
    for name in coven.games.built_in():
        cli.show(name)
    text = console.file.getvalue()
    assert max(map(cell_len, text.splitlines())) <= width
    assert "…" not in text
    for game in map(coven.game, coven.games.built_in()):
        assert all(name in text for name in (game.name, game.title, *game.actions.kinds))


def test_a_league_on_a_narrow_terminal_names_everybody():
    console = Console(file=io.StringIO(), width=60, highlight=False)
    league("alchemists", ["random", "mix:0.5", "greedy"], 2, deals=2, console=console)
    text = console.file.getvalue()
    assert max(map(cell_len, text.splitlines())) <= 60
    assert text.count("mix:0.5") == text.count("agent ") > 1
