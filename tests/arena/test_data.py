"""Decisions as Parquet files: they are those of the games, and a run that was stopped goes on."""

from __future__ import annotations

import json

import numpy as np
import pyarrow
import pytest
from pyarrow import parquet

import coven
from coven.arena import data
from coven.arena.data import BadData
from coven.arena.protocol import SEED
from coven.games.core.errors import BadOption

GAME = coven.game("alchemists")


@pytest.fixture
def short(monkeypatch):
    """Shards of some hundred decisions."""
    monkeypatch.setattr(data, "SHARD_BYTES", 300 * (GAME.observation_size + GAME.num_actions))
    monkeypatch.setattr(data, "CHUNK", 2)


def columns(folder):
    return data.arrays(parquet.read_table(folder / "data"), GAME)


def same(first, second):
    return first.keys() == second.keys() and all((first[name] == second[name]).all() for name in first)


def test_every_row_is_a_decision_of_its_game(short, tmp_path):
    done = data.write(data.plan("alchemists", ["greedy", "random"], 3, seed=4), 700, tmp_path)
    rows = columns(tmp_path)
    assert 700 <= done == len(rows["action"])
    assert len(list((tmp_path / "data").glob("*.parquet"))) > 1
    for number in np.unique(rows["game"]):
        mine = np.flatnonzero(rows["game"] == number)
        s = GAME.new(3, int(rows["seed"][mine[0]]))
        for k in mine:
            seat = GAME.current_player(s)
            assert seat == rows["seat"][k]
            assert (GAME.observe(s, seat) == rows["observation"][k]).all()
            assert (GAME.legal_mask(s) == rows["mask"][k]).all()
            GAME.apply(s, int(rows["action"][k]))
        returns = GAME.returns(s)  # the game is over: whole games only
        assert [returns[seat] for seat in rows["seat"][mine]] == pytest.approx(rows["reward_to_go"][mine])
    greedy = rows["reward_to_go"][rows["agent"] == "greedy"]
    assert greedy.mean() > 0 > rows["reward_to_go"][rows["agent"] == "random"].mean()


def test_a_run_goes_on_where_it_was_stopped(short, tmp_path):
    plan = data.plan("alchemists", ["mix:0.5"], 2, seed=1)
    data.write(plan, 900, tmp_path / "whole")

    class Stop(Exception):
        pass

    def stopping(done):
        if done > 300:
            raise Stop

    with pytest.raises(Stop):
        data.write(plan, 900, tmp_path / "b", show=stopping)
    (tmp_path / "b" / "data" / ".part-00009.parquet.1234.partial").touch()  # what a kill leaves
    before = (tmp_path / "b" / "data" / "part-00000.parquet").stat().st_mtime_ns
    data.write(plan, 900, tmp_path / "b")
    assert (tmp_path / "b" / "data" / "part-00000.parquet").stat().st_mtime_ns == before
    assert same(columns(tmp_path / "whole"), columns(tmp_path / "b"))
    more = data.write(plan, 1500, tmp_path / "b")
    assert len(columns(tmp_path / "b")["action"]) == more >= 1500
    assert f"{more:,} decisions" in (tmp_path / "b" / "README.md").read_text(encoding="utf-8")


def test_agents_that_do_not_run_in_the_kernel_are_written_too(short, tmp_path):
    data.write(data.plan("alchemists", ["ismcts:5", "ppo"], 2), 50, tmp_path)
    rows = columns(tmp_path)
    assert set(rows["agent"]) == {"ismcts:5", "ppo"}
    assert rows["mask"][np.arange(len(rows["action"])), rows["action"]].all()


def test_a_folder_of_other_decisions_is_refused(short, tmp_path):
    data.write(data.plan("alchemists", ["random"], 2), 50, tmp_path)
    with pytest.raises(BadOption, match="seed"):
        data.write(data.plan("alchemists", ["random"], 2, seed=1), 50, tmp_path)
    (tmp_path / "data" / "part-00000.parquet").write_bytes(b"PAR1 nothing PAR1")
    with pytest.raises(BadData, match="no shard of ours"):
        data.write(data.plan("alchemists", ["random"], 2), 50, tmp_path)
    (tmp_path / "data" / "part-00000.parquet").rename(tmp_path / "data" / "part-00001.parquet")
    with pytest.raises(BadData, match="lacks a shard"):
        data.write(data.plan("alchemists", ["random"], 2), 50, tmp_path)


def test_a_shard_with_more_rows_than_any_is_refused_before_they_are_read(short, tmp_path, monkeypatch):
    """A few packed bytes can hold billions of equal rows."""
    data.write(data.plan("alchemists", ["random"], 2), 50, tmp_path)
    shard = tmp_path / "data" / "part-00000.parquet"
    table = parquet.read_table(shard)
    parquet.write_table(pyarrow.concat_tables([table] * 30), shard)
    monkeypatch.setattr(data, "SHARD_BYTES", 0)
    with pytest.raises(BadData, match=f"says that it has {30 * len(table):,} rows; allowed: "):
        data.write(data.plan("alchemists", ["random"], 2), 50, tmp_path)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"decisions": 10**30}, "no shard of ours"),
        ({"chunks": -5}, "no shard of ours"),
        ({"chunks": 2}, "is damaged: its 4 games"),
        ({"games": 10**9}, "is damaged: its 1000000000 games"),
        ({"decisions": 7}, "is damaged: its 4 games, 7 decisions"),
        ({"more": 1}, "no shard of ours"),
    ],
)
def test_a_shard_that_says_something_else_than_it_holds_is_refused(short, tmp_path, changes, message):
    data.write(data.plan("alchemists", ["random"], 2), 50, tmp_path)
    shard = tmp_path / "data" / "part-00000.parquet"
    table = parquet.read_table(shard)
    about = json.loads(table.schema.metadata[b"coven"])
    assert about["games"] == 4
    parquet.write_table(table.replace_schema_metadata({"coven": json.dumps(about | changes)}), shard)
    with pytest.raises(BadData, match=message):
        data.write(data.plan("alchemists", ["random"], 2), 50, tmp_path)
    said = {"coven": json.dumps(about)}
    parquet.write_table(table.drop_columns(["seed"]).replace_schema_metadata(said), shard)
    with pytest.raises(BadData, match="its columns are others"):
        data.write(data.plan("alchemists", ["random"], 2), 50, tmp_path)
    shard.rename(tmp_path / "elsewhere")
    shard.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BadData, match="is a link"):
        data.write(data.plan("alchemists", ["random"], 2), 50, tmp_path)


def test_bad_plans_are_refused(tmp_path):
    with pytest.raises(BadOption, match="cannot fill"):
        data.plan("alchemists", ["random"] * 3, 2)
    with pytest.raises(BadOption, match="deals of evaluations"):
        data.plan("alchemists", ["random"], 2, seed=SEED)
    with pytest.raises(BadOption, match="decisions=0"):
        data.write(data.plan("alchemists", ["random"], 2), 0, tmp_path)
