"""Writing: a file is there whole or as it was before, and two processes do not work in one place."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from coven.games.core import files
from coven.games.core.errors import CannotWrite, InUse


def test_a_file_is_written_with_the_folders_above_it(tmp_path):
    path = tmp_path / "a" / "b" / "c.txt"
    files.write(path, "é")
    files.write(path, b"\x00\x01")
    assert path.read_bytes() == b"\x00\x01"
    assert [p.name for p in path.parent.iterdir()] == ["c.txt"]


@pytest.mark.parametrize("call", ["open", "fsync", "replace"])
def test_whatever_fails_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, call):
    path = tmp_path / "a.txt"
    files.write(path, "old")

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, call, full)
        with pytest.raises(CannotWrite, match=r"a\.txt cannot be written: No space left on device"):
            files.write(path, "new")
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]


def test_a_writer_that_is_interrupted_leaves_the_old_file(tmp_path):
    path = tmp_path / "a.txt"
    files.write(path, "old")
    with pytest.raises(KeyboardInterrupt), files.writing(path) as partial:  # noqa: PT012
        partial.write_text("ne")
        raise KeyboardInterrupt
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]


def test_only_new_and_regular_files_are_written(tmp_path):
    precious = tmp_path / "precious.txt"
    precious.write_text("mine")
    (tmp_path / "link").symlink_to(precious)
    os.mkfifo(tmp_path / "pipe")
    for name, what in (("link", "a link"), ("pipe", "a device"), (".", "a folder")):
        with pytest.raises(CannotWrite, match=f"it is {what}; allowed: a new file"):
            files.write(tmp_path / name, "theirs")
    with pytest.raises(CannotWrite, match="it is a file; allowed: a folder"):
        files.write(precious / "below.txt", "theirs")
    with pytest.raises(CannotWrite, match="null"):
        files.write(tmp_path / "a\0b", "")
    assert precious.read_text() == "mine"


def test_what_killed_writers_left_is_swept_away(tmp_path):
    code = "import sys, os; from pathlib import Path; from coven.games.core import files\n"
    code += "with files.writing(Path(sys.argv[1])) as p: p.write_text('half'); os.kill(os.getpid(), 9)"
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "a.txt")], check=False)
    assert len(list(tmp_path.iterdir())) == 1
    files.write(tmp_path / "kept.txt", "kept")
    files.sweep(tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["kept.txt"]


def test_a_lock_holds_others_back_and_ends_with_its_process(tmp_path):
    path = tmp_path / ".lock"
    code = "import sys, time; from pathlib import Path; from coven.games.core import files\n"
    code += "with files.lock(Path(sys.argv[1]), 'x'): print('held', flush=True); time.sleep(600)"
    process = subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"held\n"
    with pytest.raises(InUse, match="the folder is in use"), files.lock(path, "the folder"):
        pass
    process.kill()
    process.wait()
    with files.lock(path, "the folder"):
        assert path.exists()
    assert not path.exists()
