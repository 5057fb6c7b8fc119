"""`coven check-bot`, `--on-fault`, and programs that only a trusted folder may start."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest
from cli_help import run

from coven.arena.store import Store
from coven.cli_bots import check_bot
from coven.cli_web import play
from coven.games import game as find_game
from coven.games.core.errors import CovenError
from coven.web import store
from coven.web.table import Setup

ROOT = Path(__file__).resolve().parents[2]
PYTHON = shlex.quote(sys.executable)
EXAMPLE = f"{PYTHON} -S {ROOT / 'examples' / 'bots' / 'random_bot.py'}"


def test_a_program_that_can_play_is_told_so():
    text = run("check-bot", "alchemists", f"cmd:{EXAMPLE}", "--players", "3", "--deals", "2", "--show")
    assert "6 games at once over one process" in text
    assert '-> {"type":"hello","protocol":1,"table":1' in text
    assert '<- {"type": "ready", "table": 1' in text
    assert "ok    the same seed gives the same game" in text
    assert text.endswith("This program can play.\n")


@pytest.mark.parametrize(
    ("bot", "message"),
    [
        ("greedy", "is no program; allowed: cmd:PROGRAM ARGS, in quotes"),
        ("cmd:on_fault=random cat", "leave it out"),
        ("cmd:no-such-program", "there is no program 'no-such-program'"),
        ("cmd:cat", "is no 'ready' message: Invalid value 'hello'"),
    ],
)
def test_what_is_wrong_is_one_clear_message(bot, message):
    with pytest.raises(CovenError, match=message):
        check_bot("alchemists", bot)


def test_the_author_sees_what_was_said_last(tmp_path):
    bot = f"cmd:log={tmp_path} {PYTHON} -S {ROOT / 'benchmarks' / 'faulty_bot.py'} 'wrong text' 1"
    said = run("check-bot", "alchemists", bot, code=2)
    assert "it chose 'win the game', which is no action; allowed: " in said
    assert 'the last line to it:   \'{"type":"decide","table":1,"legal":[' in said
    assert 'the last line from it: \'{"type": "action", "table": 1, "action": "win the game"}' in said


def test_on_fault_is_part_of_what_was_played(tmp_path):
    bot = f"cmd:log={tmp_path} {PYTHON} -S {ROOT / 'benchmarks' / 'faulty_bot.py'} crash 30"
    words = ("alchemists", "--agents", "random", bot, "--deals", "2", "--workers", "1", "--db", str(tmp_path / "a.db"))
    assert "faults" in run("arena", "run", *words, "--on-fault", "random")
    with Store(tmp_path / "a.db") as played:
        assert played.tournament.agents == ("random", bot.replace("cmd:", "cmd:on_fault=random "))


def test_a_folder_that_names_a_program_has_to_be_trusted(tmp_path):
    setup = Setup(find_game("alchemists"), ("human", f"cmd:{EXAMPLE}"))
    store.begin(setup, tmp_path / "games", seed=1)
    with pytest.raises(store.BadTable, match=r"names 'cmd:.*go on with --trust"):
        store.load(tmp_path / "games")
    with pytest.raises(store.BadTable, match="go on with --trust"):
        play(str(tmp_path / "games"), terminal=True)
    (kept,) = store.load(tmp_path / "games", trusted=True)
    assert kept.table.setup.agents == setup.agents
