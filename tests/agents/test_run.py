"""Run folders: going on exactly, from anybody's folder, whatever is in it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
import torch
from agents_help import some_network
from safetensors import safe_open
from safetensors.numpy import load, save

import coven
from coven.agents import checkpoint, learned, train
from coven.agents.run import lock
from coven.games.core import files
from coven.games.core.errors import BadOption, CannotWrite, CovenError, InUse

GAME = coven.game("alchemists")
TINY = {"players": [2, 3], "network": [16], "tables": 4, "steps_per_update": 8, "batch_size": 32, "epochs": 1}
TINY |= {"lessons": 2, "lesson_length": 10, "evaluation_deals": 2, "seed": 3}


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A run of some updates, lessons and self-play."""
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("runs") / "run"
    run = train.Run.begin(GAME, folder, train.preset(GAME, **TINY))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(train._Clock, "time_left", property(lambda clock: clock.run.updates < 4))  # not by the clock
        train.train(run, 60, quiet=True)
    assert run.updates == 4
    return folder


@pytest.fixture
def folder(finished, tmp_path):
    """A copy of that run."""
    return Path(shutil.copytree(finished, tmp_path / "run"))


def state(run):
    """All that learns."""
    return checkpoint.tensors(run.model)


def same(first, second):
    return first.keys() == second.keys() and all(np.array_equal(first[name], second[name]) for name in first)


def test_a_lesson_after_going_on_is_the_lesson_that_would_have_been(tmp_path):
    runs = [train.Run.begin(GAME, tmp_path / name, train.preset(GAME, **TINY)) for name in ("whole", "stopped")]
    for run in runs:
        run.study()
        run.updates += 1
        run.save()
    runs[1] = train.Run.resume(GAME, tmp_path / "stopped")
    assert same(*map(state, runs))
    for run in runs:
        run.study()
    assert same(*map(state, runs))


def test_going_on_twice_from_the_same_folder_gives_the_same(folder):
    networks = []
    for _ in range(2):
        run = train.Run.resume(GAME, folder)
        run.model.set_logger(train.configure(None, []))
        run.model.learn(1, reset_num_timesteps=False)
        networks.append(state(run))
    assert same(*networks)
    assert not same(networks[0], state(train.Run.resume(GAME, folder)))


def test_a_run_that_goes_on_sees_other_deals_than_the_first(folder):
    run = train.Run.resume(GAME, folder)
    run.env.reset()
    begun = train.Run.begin(GAME, folder.parent / "new", run.settings)
    begun.env.reset()
    for one, other in zip(run.env.parts, begun.env.parts, strict=True):
        assert not set(one.games.batch.seeds.tolist()) & set(other.games.batch.seeds.tolist())


def test_nothing_in_a_folder_is_a_pickle(folder):
    kept = {path.name for path in folder.iterdir()}
    assert kept >= {"settings.json", "checkpoint.safetensors", "agent.safetensors", "last.safetensors", "curve.jsonl"}
    for path in folder.glob("*.safetensors"):
        with safe_open(path, "np") as file:
            assert file.keys()
    assert not [path for path in folder.rglob("*") if path.suffix in (".zip", ".pth", ".pkl")]


def change_settings(**changes):
    def change(folder):
        path = folder / "settings.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | changes))

    return change


def change_checkpoint(change, sealed=True):
    """Change the tensors of a checkpoint, by somebody who can make digests too."""

    def apply(folder):
        path = folder / "checkpoint.safetensors"
        with safe_open(path, "np") as file:
            facts = checkpoint.msgspec.json.decode(file.metadata()["about"], type=checkpoint.Progress)
        tensors = load(path.read_bytes())
        facts = change(tensors, facts) or facts
        if sealed:
            facts = checkpoint.msgspec.structs.replace(facts, digest=checkpoint._digest(tensors, facts))
        path.write_bytes(save(tensors, {"about": checkpoint.msgspec.json.encode(facts).decode()}))

    return apply


def a_weight(value):
    def change(tensors, facts):
        tensors["policy.action_net.weight"] = tensors["policy.action_net.weight"].copy()
        tensors["policy.action_net.weight"][0, 0] = value

    return change


def replaced(name, values):
    return lambda tensors, facts: tensors.update({name: values})


def write(name, data):
    return lambda folder: (folder / name).write_bytes(data)


HOSTILE = {
    "settings: no JSON": (write("settings.json", b"{"), "settings.json is damaged"),
    "settings: deep": (write("settings.json", b"[" * 60_000), "settings.json is damaged"),
    "settings: bytes": (write("settings.json", b"\xff\xfe"), "settings.json is damaged"),
    "settings: long": (write("settings.json", b" " * 70_000), "larger than 65536 bytes"),
    "settings: list": (write("settings.json", b"[]"), "settings.json is damaged"),
    "settings: unknown": (change_settings(evil=1), "unknown settings: 'evil'"),
    "settings: format": (change_settings(format="coven-run-9"), "of format 'coven-run-9'"),
    "settings: kind": (change_settings(tables="many"), r"Expected `int`, got `str` - at `\$.tables`"),
    "settings: memory": (change_settings(tables=65536, steps_per_update=65536), "GiB of memory"),
    "settings: network": (change_settings(network=[65536] * 8), "GiB of memory"),
    "settings: players": (change_settings(players=[7]), "allowed: 2, 3, 4, 5"),
    "settings: doubled": (change_settings(players=[2, 2]), "each number once"),
    "settings: option": (change_settings(options={"self": 1}), "option"),
    "settings: code": (change_settings(teacher="py:os:system"), "teacher='py:os:system' is not allowed"),
    "settings: teacher": (change_settings(teacher="ismcts:soon"), "agent 'ismcts:soon'"),
    "settings: file": (change_settings(teacher="ppo:/etc/passwd"), "allowed: greedy, ismcts"),
    "settings: other network": (change_settings(network=[17]), "allowed: float32 of shape"),
    "checkpoint: empty": (write("checkpoint.safetensors", b""), "is not a checkpoint"),
    "checkpoint: pickle": (write("checkpoint.safetensors", b"\x80\x04."), "is not a checkpoint"),
    "checkpoint: large": (write("checkpoint.safetensors", b"\0" * 3_000_000), "larger than"),
    "checkpoint: gone": (lambda folder: (folder / "checkpoint.safetensors").unlink(), "is missing"),
    "checkpoint: a bit": (change_checkpoint(a_weight(0.123), sealed=False), "its digest does not fit"),
    "checkpoint: NaN": (change_checkpoint(a_weight(np.nan)), "allowed: finite"),
    "checkpoint: inf": (change_checkpoint(a_weight(np.inf)), "allowed: finite"),
    "checkpoint: huge": (change_checkpoint(a_weight(1e30)), "allowed: finite"),
    "checkpoint: shape": (
        change_checkpoint(replaced("policy.action_net.bias", np.zeros(5, np.float32))),
        r"shape \(5,\); allowed: float32 of shape",
    ),
    "checkpoint: kind": (
        change_checkpoint(replaced("policy.action_net.bias", np.zeros(GAME.num_actions))),
        "is float64",
    ),
    "checkpoint: missing": (
        change_checkpoint(lambda tensors, facts: tensors.pop("usual") is None or None),
        "is missing",
    ),
    "checkpoint: more": (change_checkpoint(replaced("evil", np.zeros(1, np.float32))), "holds evil"),
    "checkpoint: spread": (
        change_checkpoint(replaced("spread", np.zeros(GAME.observation_size, np.float32))),
        "spread is not allowed",
    ),
    "checkpoint: moments": (
        change_checkpoint(replaced("step.action_net.bias", np.array(-1, np.float32))),
        "moments of action_net.bias",
    ),
    "checkpoint: other game": (
        change_checkpoint(lambda tensors, facts: checkpoint.msgspec.structs.replace(facts, game="witchstone")),
        "was made for witchstone",
    ),
    "curve: no JSON": (write("curve.jsonl", b"nonsense\n"), r"line 1 of .*curve.jsonl is damaged"),
    "curve: values": (write("curve.jsonl", b'{"updates": -1}\n'), r"line 1 of .*curve.jsonl is damaged"),
    "past: damaged": (write("past-000001.safetensors", b"\0\0"), "past-000001.safetensors"),
    "past: larger": (
        lambda folder: learned.save(some_network(GAME, hidden=(3, 5)), folder / "past-000001.safetensors", {}),
        r"has hidden layers of \[3, 5\] units; allowed: \[16\]",
    ),
    "agent: damaged": (write("agent.safetensors", b"\0\0"), "agent.safetensors"),
    "a link": (lambda folder: (folder / "tensorboard" / "x").symlink_to("/etc"), "is a link"),
    "a pipe": (lambda folder: os.mkfifo(folder / "past-000007.safetensors"), "is a pipe or a device"),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_damaged_or_hostile_folder_is_refused_with_the_place_and_left_as_it_was(folder, what):
    change, message = HOSTILE[what]
    change(folder)
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    with pytest.raises(CovenError, match=message):
        train.Run.resume(GAME, folder)
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_rows_of_a_lost_update_are_left_out_and_a_later_row_only_replaces_a_worse_agent(folder):
    run = train.Run.resume(GAME, folder)
    best = run.best
    lost = dict(run.rows[-1]) | {"updates": run.updates + 1, "win_share": 1.0}
    with (folder / "curve.jsonl").open("a") as file:
        file.write(json.dumps(lost) + "\n")
    run = train.Run.resume(GAME, folder)
    assert run.best == best
    assert max(row["updates"] for row in run.rows) <= run.updates


def test_an_agent_that_was_not_written_yet_is_made_from_the_checkpoint(folder):
    run = train.Run.resume(GAME, folder)
    for row in run.rows:
        row["win_share"] = 1.0 if row["updates"] == run.updates else 0.0
    (folder / "curve.jsonl").write_text("".join(json.dumps(row) + "\n" for row in run.rows))
    (folder / "agent.safetensors").unlink()
    run = train.Run.resume(GAME, folder)
    agent, about = learned.load(folder / "agent.safetensors", GAME)
    assert about["updates"] == run.updates
    expected = train.export(run.model, GAME).layers
    for mine, whole in zip(agent.layers, expected, strict=True):  # an agent's file holds half of the digits
        assert all(np.array_equal(a, b.astype(np.float16)) for a, b in zip(mine, whole, strict=True))


def test_what_killed_writers_left_is_swept_away(folder):
    (folder / ".curve.jsonl.0badcafe.partial").write_text("half")
    train.Run.resume(GAME, folder)
    assert not list(folder.glob(".*"))


def test_two_processes_do_not_train_in_one_folder(folder):
    first, second = (train.Run.resume(GAME, folder) for _ in range(2))
    with lock(folder):
        for use in (lambda: train.Run.resume(GAME, folder), lambda: train.train(first, 1.0, quiet=True)):
            with pytest.raises(InUse, match="is in use"):
                use()
    first.updates += 1
    first.save()
    with pytest.raises(BadOption, match="has gone on since it was opened"):
        train.train(second, 1.0, quiet=True)


@pytest.mark.parametrize("given", [{"players": [2]}, {"seed": 4}, {"options": {"setup": "german"}}])
def test_other_settings_than_those_of_the_run_are_refused(folder, given):
    with pytest.raises(BadOption, match=f"holds a run with {next(iter(given))}="):
        train.Run.resume(GAME, folder, **given)
    assert train.Run.resume(GAME, folder, players=[2, 3], seed=3).updates


@pytest.mark.parametrize("minutes", [0, -1, float("nan"), float("inf")])
def test_minutes_that_are_none_are_refused(folder, minutes):
    with pytest.raises(BadOption, match="allowed: above 0"):
        train.train(train.Run.resume(GAME, folder), minutes)


@pytest.mark.parametrize(
    "changes", [{"seed": 1 << 32}, {"learning_rate": float("nan")}, {"entropy": -0.1}, {"tables": 1}]
)
def test_settings_are_checked_before_a_run_begins(tmp_path, changes):
    with pytest.raises(BadOption, match="allowed"):
        train.Run.begin(GAME, tmp_path / "run", train.preset(GAME, **TINY | changes))
    assert not (tmp_path / "run").exists()


def test_a_network_that_is_no_longer_finite_is_not_stored(folder):
    run = train.Run.resume(GAME, folder)
    before = (folder / "checkpoint.safetensors").read_bytes()
    with torch.no_grad():
        run.model.policy.action_net.bias[0] = float("nan")
    with pytest.raises(CovenError, match="training has diverged"):
        run.save()
    assert (folder / "checkpoint.safetensors").read_bytes() == before


def test_a_full_disk_stops_training_with_one_clear_error_and_it_goes_on_later(folder, monkeypatch):
    run = train.Run.resume(GAME, folder)
    calls = []

    def full(*words):
        calls.append(words)
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(files.os, "replace", full)
        with pytest.raises(CannotWrite, match="No space left on device"):
            train.train(run, 1.0, quiet=True)
    assert calls
    again = train.Run.resume(GAME, folder)
    train.train(again, 0.001, quiet=True)


def test_going_on_runs_nothing_that_lies_in_the_folder(folder):
    (folder / "random.py").write_text("open('executed', 'w')")
    (folder / "torch.py").write_text("open('executed', 'w')")
    command = [str(Path(sys.executable).with_name("coven")), "train", "alchemists", "--out", ".", "--resume"]
    done = subprocess.run([*command, "--minutes", "0.001"], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not (folder / "executed").exists()


def test_a_thread_of_tensorboard_that_cannot_write_prints_no_traceback(tmp_path, monkeypatch):
    seen = []
    monkeypatch.setattr(threading, "excepthook", seen.append)
    before = threading.excepthook

    def fail(error):
        raise error

    with train.tensorboard(tmp_path / "tensorboard"):
        for error in (OSError(28, "No space left on device"), ValueError("a mistake of ours")):
            thread = threading.Thread(target=fail, args=(error,))
            thread.start()
            thread.join()
    assert [type(what.exc_value) for what in seen] == [ValueError]
    assert threading.excepthook is before
