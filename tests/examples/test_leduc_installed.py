"""Leduc poker as its users get it: pip installs the package into a folder, and everything finds the game there."""

from __future__ import annotations

from pathlib import Path

import pytest
from foreign_help import everywhere, install, run
from leduc import GAME

PROJECT = GAME.folder.parent


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A folder with the package as pip installs it."""
    folder = tmp_path_factory.mktemp("site")
    install(PROJECT, folder)
    return folder


def test_pip_takes_everything_along(site):
    kept = {path.name for path in PROJECT.glob("leduc/*") if path.is_file()}
    assert kept <= {path.name for path in (site / "leduc").iterdir()}


def test_python_finds_it_by_its_entry_point(site):
    told = run(site, f"{everywhere('leduc')}\nprint(game.folder)").splitlines()
    assert told[1] in ("call", "raise")  # by a search
    assert Path(told[-1]).is_relative_to(site)


COMMANDS = """
import sys
from coven.cli import main
for words in (
    "games",
    "show leduc",
    "random leduc --players 4",
    "picture leduc --out table.svg",
    "train leduc --minutes 0.02 --players 2 --out run",
    "arena run leduc --agents random ismcts:8 ppo:run/agent.safetensors --deals 4 --workers 1 --db tournament.db",
    "arena report tournament.db",
    "replay tournament.db --check",
):
    print("$", words, flush=True)
    sys.argv = ["coven", *words.split()]
    main()
"""


def test_the_command_line_trains_and_rates_it(site, tmp_path):
    pytest.importorskip("torch")
    said = run(tmp_path, COMMANDS, PYTHONPATH=str(site), COLUMNS="200")
    games, show, random, _, train, arena, report, replay = (part for part in said.split("$ ") if part)
    assert "Leduc poker" in games
    assert "Odd chip" not in show  # the rules, without the decisions
    assert "raise" in show
    assert "player 3" in random
    assert (tmp_path / "table.svg").read_text(encoding="utf-8").startswith("<svg")
    assert "evaluations are against random" in train
    assert (tmp_path / "run" / "agent.safetensors").is_file()
    assert "ismcts:8" in arena + report
    assert "moves fit" in replay
