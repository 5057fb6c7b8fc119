"""Playthroughs of every game at every player count stay as they were; `make golden` writes them anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from coven.playthrough import golden_files

FOLDER = Path(__file__).parent / "golden"


@pytest.mark.parametrize(("path", "text"), [pytest.param(p, t, id=p.stem) for p, t in golden_files(FOLDER)])
def test_playthrough(path, text):
    assert path.is_file(), f"no playthrough {path.name}: run `make golden`, read it and commit it"
    assert path.read_text(encoding="utf-8") == text, "read the difference after `make golden`; commit it if it is meant"


def test_no_playthrough_is_left_over():
    assert {p.name for p in FOLDER.glob("*.txt")} == {p.name for p, _ in golden_files(FOLDER)}
