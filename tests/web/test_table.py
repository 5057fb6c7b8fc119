"""A table by itself: moves, taking back, the log, and its file, which survives everything."""

from __future__ import annotations

import json
import os

import pytest
from web_help import humans, kept_table

import coven
from coven.arena import replay as replays
from coven.cli_web import play
from coven.games.core.errors import BadOption, IllegalAction, InUse
from coven.web import store
from coven.web.table import NotNow, Setup, Table


def practice(name="alchemists", seats=("human", "random")):
    return Setup(coven.game(name), seats, practice=True)


def play_on(table, moves):
    for _ in range(moves):
        if not table.over:
            table.act(table.game.legal_actions(table.state)[0])


def test_undo_goes_back_to_the_humans_last_decision():
    table = Table(practice(), seed=3)
    play_on(table, 9)
    own = [i for i, events in enumerate(table._log) if "player 0" in events[-1]]
    actions, epoch = list(table.actions), table.epoch
    table.undo()
    assert table.actions == actions[: own[-1]]
    assert table.current == 0
    assert table.epoch == epoch + 1
    assert len(table.shown_log(0)) == len(table.actions)
    fresh = Table(practice(), seed=3, actions=table.actions)
    assert table.game.to_bytes(fresh.state) == table.game.to_bytes(table.state)


def test_undo_is_for_practice_and_needs_a_decision():
    with pytest.raises(NotNow, match="practice"):
        Table(Setup(coven.game("alchemists"), ("human", "random")), seed=1).undo()
    table = Table(practice(), seed=1)
    with pytest.raises(NotNow, match="no decision"):
        table.undo()


def test_an_illegal_action_leaves_everything_as_it_was():
    table = Table(practice(), seed=3)
    before = table.game.to_bytes(table.state), table.moment, table.shown_log(-1)
    for action in (table.game.num_actions, -1, next(a for a in range(400) if a not in legal(table))):
        with pytest.raises(IllegalAction):
            table.act(action)
    assert (table.game.to_bytes(table.state), table.moment, table.shown_log(-1)) == before


def legal(table):
    return table.game.legal_actions(table.state)


def test_a_page_for_several_seats_looks_through_the_one_on_turn():
    table = Table(humans("alchemists", 3), seed=3)
    for _ in range(8):
        assert table.viewer((0, 1, 2)) == table.current
        assert table.viewer((1,)) == 1
        table.act(legal(table)[0])


def test_setups_that_make_no_sense_are_refused():
    game = coven.game("alchemists")
    with pytest.raises(BadOption, match="no seat is 'human'"):
        Setup(game, ("greedy", "greedy"))
    with pytest.raises(BadOption, match="not played by 7"):
        Setup(game, ("human",) * 7)
    with pytest.raises(BadOption, match="practice is for one human"):
        Setup(game, ("human", "human"), practice=True)


def test_a_table_goes_on_from_its_file(tmp_path):
    kept = store.begin(practice(), tmp_path / "games")[0]
    play_on(kept.table, 12)
    kept.save()
    again = store.load(tmp_path / "games")[0]
    assert again.links == kept.links
    assert again.table.actions == kept.table.actions
    assert again.table.game.to_bytes(again.table.state) == kept.table.game.to_bytes(kept.table.state)
    assert again.table.shown_log(0) == kept.table.shown_log(0)
    assert kept.file.stat().st_mode & 0o077 == 0
    with pytest.raises(store.BadTable, match="exists already"):
        store.begin(practice(), tmp_path / "games")


def test_a_write_that_is_cut_short_leaves_the_old_file(tmp_path, monkeypatch):
    kept = kept_table(tmp_path, practice())
    play_on(kept.table, 4)
    kept.save()
    whole = kept.file.read_bytes()
    play_on(kept.table, 1)

    def dies(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", dies)
    with pytest.raises(KeyboardInterrupt):
        kept.save()
    assert kept.file.read_bytes() == whole
    assert len(store.load(tmp_path)[0].table.actions) == 4


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda d: d | {"game": "chess"}, "no game 'chess'"),
        (lambda d: d | {"version": 99}, "v99"),
        (lambda d: d | {"seats": ["greedy", "greedy"]}, "human"),
        (lambda d: d | {"actions": [10**6]}, "stops fitting at move 1"),
        (lambda d: d | {"links": {"x" * 22: [1]}}, "links do not fit"),
        (lambda d: d | {"links": {"x" * 22: []}}, "not a table"),
        (lambda d: d | {"links": {}}, "not a table"),
        (lambda d: d | {"links": {"\x1b[31m" + "x" * 22: [0]}}, "not a table"),
        (lambda d: d | {"library": ""}, "not a table"),
        (lambda d: d | {"port": 65536}, "not a table"),
        (lambda d: d | {"format": "other"}, "not a table"),
        (lambda d: {k: v for k, v in d.items() if k != "seed"}, "not a table"),
        (lambda d: d | {"more": 1}, "not a table"),
        (lambda d: d | {"seed": -1}, "seed"),
        (lambda d: d | {"options": {"colour": 1}}, "no option"),
    ],
)
def test_a_foreign_or_damaged_file_is_one_clear_error(tmp_path, change, words):
    kept = kept_table(tmp_path, practice())
    kept.file.write_text(json.dumps(change(json.loads(kept.file.read_bytes()))))
    with pytest.raises(store.BadTable, match=words):
        store.load(tmp_path)


def test_files_that_are_no_json_or_not_there(tmp_path):
    with pytest.raises(store.BadTable, match="holds no game"):
        store.load(tmp_path)
    (tmp_path / "table-0.json").write_bytes(b"\x00\xff" * 100)
    with pytest.raises(store.BadTable, match="not a table"):
        store.load(tmp_path)
    (tmp_path / "table-0.json").write_bytes(b"0" * (store.MOST_TEXT + 1))
    with pytest.raises(store.BadTable, match="too large"):
        store.load(tmp_path)


def test_nobody_waits_for_a_pipe_and_no_link_is_followed(tmp_path):
    """A folder may come from a stranger."""
    kept = kept_table(tmp_path / "a", practice())
    (tmp_path / "table").write_bytes(kept.file.read_bytes())
    for make in (os.mkfifo, lambda path: path.symlink_to(tmp_path / "table"), lambda path: path.mkdir()):
        kept.file.unlink()
        make(kept.file)
        with pytest.raises(store.BadTable, match="is a link, a pipe or a folder"):
            store.load(tmp_path / "a")
        kept.file.rmdir() if kept.file.is_dir() else None
        kept.file.touch()


def test_games_are_played_by_one_process_at_a_time(tmp_path):
    kept_table(tmp_path, practice())
    with store.alone(tmp_path), pytest.raises(InUse, match="another process is at work there"):
        play(str(tmp_path), terminal=True)


def test_a_finished_game_is_a_replay_that_fits(tmp_path):
    kept = kept_table(tmp_path, humans("alchemists", 2))
    while not kept.table.over:
        play_on(kept.table, 1)
    assert kept.finish() == 0
    assert kept.finish() == 0, "only once"
    found = replays.read(tmp_path / store.FINISHED, 0)
    found.check()
    assert found.agents == ["human", "human"]
    kept.table.again()
    assert kept.table.actions == []
    with pytest.raises(NotNow, match="when this one is over"):
        kept.table.again()


def test_tables_have_secrets_of_their_own(tmp_path):
    kept = store.begin(humans("alchemists", 3), tmp_path / "a", tables=5)
    links = [link for table in kept for link in table.links]
    assert len(set(links)) == 15
    assert all(len(link) >= 20 for link in links)
    assert list(kept[0].links.values()) == [(0,), (1,), (2,)]
    one = store.begin(humans("alchemists", 3), tmp_path / "b", one_screen=True)[0]
    assert list(one.links.values()) == [(0, 1, 2)]
