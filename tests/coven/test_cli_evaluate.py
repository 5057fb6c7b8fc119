"""`coven evaluate` and `coven data` as a user types them."""

from __future__ import annotations

import lzma

import pytest
from cli_help import run


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    folder = tmp_path_factory.mktemp("evaluate")
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.chdir(folder)
        text = run("evaluate", "alchemists", "mix:0.5", "--quick", "--workers", "1", "--name", "half [b]greedy")
    return folder / "runs" / "evaluate" / "alchemists-mix_0.5-quick.jsonl.xz", text


def test_an_evaluation_prints_its_table_and_can_be_verified(result):
    path, text = result
    assert "half [b]greedy" in text
    assert "ismcts:100" in text
    assert "ismcts:1000" not in text
    assert str(path.name) in text
    again = run("evaluate", "--verify", str(path))
    assert "all 120 games and all figures fit" in again
    assert "quick" in again
    assert [line for line in text.splitlines() if "Digest" in line] == [
        line for line in again.splitlines() if "Digest" in line
    ]


def test_a_touched_file_is_refused_with_the_game(result, tmp_path):
    lines = lzma.decompress(result[0].read_bytes()).splitlines(keepends=True)
    lines[3] = lines[3].replace(b'"ranks":[', b'"ranks":[9,')
    touched = tmp_path / "touched.jsonl.xz"
    touched.write_bytes(lzma.compress(b"".join(lines)))
    message = run("evaluate", "--verify", str(touched), code=2)
    assert "the game 2 players against random, deal 1, rotation 0 does not fit" in message


def test_what_is_asked_wrongly_gets_a_clear_answer(tmp_path):
    assert "coven evaluate GAME SPEC" in run("evaluate", code=2)
    assert ".jsonl.xz" in run("evaluate", "alchemists", "greedy", "--out", str(tmp_path / "x.json"), code=2)
    assert "no agent 'nobody'" in run("evaluate", "alchemists", "nobody", "--quick", code=2)


def test_data_writes_decisions_and_a_card(tmp_path):
    out = str(tmp_path / "d")
    words = ("data", "alchemists", "--agents", "random", "--decisions", "500", "--out", out, "--seed", "2")
    first = run(*words)
    assert " decisions: " in first
    assert run(*words) == first
    assert "--seed 2" in (tmp_path / "d" / "README.md").read_text(encoding="utf-8")
    assert "other decisions" in run(*words[:-1], "3", code=2)
