"""Worker processes: nothing from the current folder, an end with their employer, one tournament at a time."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from arena_help import small

from coven.arena.run import run
from coven.arena.store import Store, lock
from coven.games.core.errors import CannotWrite, InUse

EMPLOYER = """
import json, sys
from pathlib import Path
from coven.arena.engines import engine
from coven.arena.run import run
from coven.arena.schedule import Tournament
run(Path(sys.argv[1]), Tournament.from_dict(json.loads(sys.argv[2])), engine(workers=2))
"""


def employer(path, tournament, **more):
    command = [sys.executable, "-P", "-c", EMPLOYER, str(path), json.dumps(tournament.to_dict())]
    return subprocess.Popen(command, **more)


def children(pid):
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False)
    return [int(word) for word in found.stdout.split()]


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks into /proc")
def test_workers_end_at_once_with_an_employer_that_was_killed(tmp_path):
    long = small(agents=("greedy", "ismcts:1000000:horizon=end"), deals=8, block=1)
    process, deadline = employer(tmp_path / "a.db", long), time.monotonic() + 300
    while len(children(process.pid)) < 2:
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.05)
    workers = children(process.pid)
    time.sleep(1)  # they think by now, or compile: either way they are at work
    assert all(map(alive, workers))
    process.kill()
    process.wait()
    deadline = time.monotonic() + 20  # they need no time of their own, but the machine may be busy
    while any(map(alive, workers)):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_workers_import_nothing_from_the_current_folder(tmp_path):
    for name in ("random.py", "pickle.py", "numpy.py"):
        (tmp_path / name).write_text("open('executed', 'w')")
    process = employer(tmp_path / "a.db", small(), cwd=tmp_path)
    assert process.wait() == 0
    assert not (tmp_path / "executed").exists()


def test_a_module_that_a_spec_asks_for_is_found_in_the_current_folder(tmp_path):
    (tmp_path / "mine.py").write_text(
        "from coven.agents.random import RandomAgent\ndef make(rest, game, num_players):\n    return RandomAgent()\n"
    )
    command = [str(Path(sys.executable).with_name("coven")), "arena", "run", "alchemists", "--workers", "2"]
    words = ["--agents", "random", "py:mine:make", "--deals", "4", "--block", "1", "--db", "a.db"]
    done = subprocess.run([*command, *words], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    with Store(tmp_path / "a.db") as store:
        assert len(store) == 8


def test_a_tournament_is_played_by_one_process_at_a_time_and_read_by_any(tmp_path):
    path = tmp_path / "a.db"
    run(path, small())
    with lock(path):
        with pytest.raises(InUse, match=r"a\.db is in use"):
            run(path, small())
        with Store(path) as store:
            assert len(store)
    run(path, small())
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.db"]


def test_a_full_disk_is_one_clear_error_and_the_tournament_goes_on_later(tmp_path):
    """The kernel's limit on the size of a file stands in for a full disk."""
    path, t = tmp_path / "a.db", small(deals=200, block=10)
    code = "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
    code += "resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, 150_000))\n"
    code += EMPLOYER.replace(", engine(workers=2)", "")
    command = [sys.executable, "-c", code, str(path), json.dumps(t.to_dict())]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert f"{CannotWrite.__name__}: {path} cannot be written: " in done.stderr
    with Store(path) as store:
        assert 0 < len(store) < t.games
    run(path, t)
    run(tmp_path / "whole.db", t)
    with Store(path) as store, Store(tmp_path / "whole.db") as whole:
        assert store.digest() == whole.digest()


def test_a_worker_that_dies_is_replaced(tmp_path):
    t = small(deals=60, block=1)
    process = employer(tmp_path / "a.db", t)
    while not children(process.pid) and process.poll() is None:
        time.sleep(0.05)
    for pid in children(process.pid)[:1]:
        os.kill(pid, signal.SIGKILL)
    assert process.wait() == 0
    run(tmp_path / "whole.db", t)
    with Store(tmp_path / "a.db") as store, Store(tmp_path / "whole.db") as whole:
        assert store.digest() == whole.digest()
