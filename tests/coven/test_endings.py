"""Signals: every command ends at once and cleanly, and says how to go on."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from coven import endings

COVEN = str(Path(sys.executable).with_name("coven"))


def hear_signals():
    """A process that was started in the background ignores SIGINT, under nohup SIGHUP, and so would its children."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def start(*words, **more):
    more = {"preexec_fn": hear_signals} | more
    return subprocess.Popen([COVEN, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)


def stop(process, number):
    process.send_signal(number)
    _, said = process.communicate(timeout=120)
    assert "Traceback" not in said, said
    return said


def wait_for(path, process):
    deadline = time.monotonic() + 300
    while not path.exists():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.02)


def listens(process):
    """Has the process begun to catch SIGTERM? Python alone does not, and starts before anything of ours does."""
    try:
        caught = Path(f"/proc/{process.pid}/status").read_text().partition("SigCgt:")[2].split()[0]
    except (OSError, IndexError):
        return process.poll() is not None
    return bool(int(caught, 16) & 1 << (signal.SIGTERM - 1))


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="looks into /proc")
@pytest.mark.parametrize("delay", [0, 0.5, 2])
def test_a_signal_in_the_first_seconds_is_no_traceback(delay):
    process = start("random", "alchemists")
    while not listens(process):
        time.sleep(0.005)
    time.sleep(delay)
    said = stop(process, signal.SIGINT)
    assert process.returncode in (0, 130, -signal.SIGINT)
    assert not said or said.strip().startswith("coven: stopped by SIGINT")


def test_a_signal_that_comes_while_c_calls_python_is_not_lost(monkeypatch):
    """As when numba loads kernels: such a function can raise nothing."""
    handlers = {number: signal.getsignal(number) for number in endings.SIGNALS}
    monkeypatch.setattr(sys, "unraisablehook", None)
    callback = ctypes.CFUNCTYPE(None)(lambda: os.kill(os.getpid(), signal.SIGTERM))

    def interrupted():
        callback()
        time.sleep(10)

    endings.listen()
    try:
        with pytest.raises(endings.Stopped, match="SIGTERM"):
            interrupted()
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


def test_training_that_is_stopped_says_how_to_go_on_and_does(tmp_path):
    pytest.importorskip("torch")
    folder, number = tmp_path / "a run", signal.SIGTERM
    process = start("train", "alchemists", "--minutes", "60", "--players", "2", "--out", str(folder))
    wait_for(folder / "last.safetensors", process)
    said = stop(process, number)
    assert process.returncode == 128 + number
    again = f"coven train alchemists --minutes 60 --out '{folder}' --resume"
    assert (
        said.strip().splitlines()[-1] == f"coven: stopped by SIGTERM; what is done is in {folder}, go on with: {again}"
    )
    assert not list(folder.glob(".*"))
    done = subprocess.run(
        [COVEN, "train", "alchemists", "--minutes", "0.001", "--out", str(folder), "--resume"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(("workers", "number"), [("1", signal.SIGINT), ("2", signal.SIGHUP)])
def test_a_tournament_that_is_stopped_says_how_to_go_on(tmp_path, workers, number):
    db = tmp_path / "a.db"
    words = ("--deals", "100000", "--workers", workers, "--db", str(db), "--block", "4")
    process = start("arena", "run", "alchemists", "--agents", "random", "greedy", *words)
    wait_for(db, process)
    time.sleep(0.3)
    said = stop(process, number)
    assert process.returncode == 128 + number
    name = signal.Signals(number).name
    assert f"coven: stopped by {name}; games played so far are in {db}; run the same command again to go on" in said


def test_a_signal_that_was_ignored_stays_ignored():
    process = start("random", "alchemists", preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    process.send_signal(signal.SIGHUP)
    printed, said = process.communicate(timeout=300)
    assert process.returncode == 0, said
    assert "rank 1" in printed


def test_what_cannot_be_printed_is_one_line():
    if os.path.exists("/dev/full"):
        with open("/dev/full", "w") as full:
            done = subprocess.run([COVEN, "games"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        assert done.returncode == 2
        assert done.stderr == "coven: [Errno 28] No space left on device\n"
    reader = subprocess.Popen(["head", "-c", "1"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    done = subprocess.run([COVEN, "show", "witchstone"], stdout=reader.stdin, stderr=subprocess.PIPE, check=False)
    reader.stdin.close()
    reader.wait()
    assert done.returncode == 0
    assert done.stderr == b""
