from __future__ import annotations

import csv
import io
import json
import re

import pytest
from arena_help import FIELD, small
from rich.console import Console

from coven.arena.export import export
from coven.arena.league import league, sureness
from coven.arena.report import report
from coven.arena.run import Verdict, run
from coven.arena.store import COLUMNS, Store
from coven.games.core.errors import BadOption, CovenError


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "a.db"
    run(path, small(players=3, deals=6, options={"setup": "german"}))
    with Store(path) as opened:
        yield opened


def test_a_report_is_one_page_that_needs_nothing_else_and_pictures(store, tmp_path):
    page = report(store, tmp_path / "out")
    text = page.read_text(encoding="utf-8")
    assert all(agent in text for agent in FIELD)
    assert store.digest() in text
    assert "setup=" in text
    assert not re.search(r'(src|href)="(?!data:)', text)
    pictures = sorted(path.name for path in (tmp_path / "out").glob("*.png"))
    assert pictures == ["head_to_head.png", "ratings.png", "scores.png", "seats.png", "strength.png"]
    assert text.count("data:image/png;base64,") == 5


def test_a_report_of_one_deal_is_possible(tmp_path):
    run(tmp_path / "a.db", small(deals=1))
    with Store(tmp_path / "a.db") as opened:
        assert report(opened, tmp_path).is_file()


def test_csv_has_a_row_a_game(store, tmp_path):
    export(store, tmp_path / "games.csv")
    with (tmp_path / "games.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(store)
    first = store.game(0)
    assert rows[0]["seed"] == str(first.seed)
    assert json.loads(rows[0]["scores"]) == json.loads(first.scores)
    assert len(json.loads(rows[0]["actions"])) == sum(json.loads(first.moves))


def test_parquet_has_a_row_a_game(store, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    export(store, tmp_path / "games.parquet")
    table = parquet.read_table(tmp_path / "games.parquet")
    assert tuple(table.column_names) == COLUMNS
    assert table.num_rows == len(store)
    last = table.slice(len(store) - 1).to_pylist()[0]
    row = store.game(len(store) - 1)
    assert last["agents"] == json.loads(row.agents)
    assert last["ranks"] == json.loads(row.ranks)
    assert last["seed"] == row.seed
    assert table.schema.metadata[b"game"] == b"alchemists"


def test_files_of_other_kinds_and_places_are_refused(store, tmp_path):
    with pytest.raises(BadOption, match=r"\.parquet, \.csv, \.jsonl"):
        export(store, tmp_path / "games.xls")
    (tmp_path / "file").touch()
    with pytest.raises(CovenError, match="cannot be written"):
        export(store, tmp_path / "file" / "games.csv")


def test_a_league_in_one_call():
    out = io.StringIO()
    found = league("alchemists", ["random", "greedy"], deals=20, console=Console(file=out, width=120))
    assert [line.agent for line in found.lines] == ["greedy", "random"]
    assert "Alchemists, 2 players: 40 games, 20 deals" in out.getvalue()


def test_the_error_rate_is_stated():
    assert "at most 5.0%" in sureness(Verdict(64, True, 0.05))
    assert "not certain after 100 deals at an error rate of 1.0%" in sureness(Verdict(100, False, 0.01))
