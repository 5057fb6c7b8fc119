"""The cache of compiled kernels: ours alone, whole or compiled again, and never where numba would go instead."""

from __future__ import annotations

import os
import pickle
import stat
from pathlib import Path

import numpy as np
import pytest

from coven.games.core import cache, files, kernels


def double(x):
    return 2 * x


class Spell:
    """What runs code when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (Path(self.path),)


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A cache of its own; the functions that remember where the usual one is forget it before and after."""
    remembering = (kernels.cache_folder, kernels._private, cache.usable, cache.say)
    monkeypatch.setenv("COVEN_CACHE_DIR", str(tmp_path / "cache"))
    for function in remembering:
        function.cache_clear()
    yield tmp_path / "cache"
    for function in remembering:
        function.cache_clear()


def hits():
    """Compile or load the kernel as a new process would; was it in the cache?"""
    kernel = kernels.kernel(double)
    assert kernel(np.int64(21)) == 42
    return sum(kernel.stats.cache_hits.values())


def stored(home):
    return sorted(path for path in home.rglob("*") if path.is_file())


def test_it_is_made_for_us_alone_and_found_again(home):
    assert hits() == 0
    assert hits() == 1
    assert [path.suffix for path in stored(home)] == [".nbc", ".nbi"]
    for path in home.rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600)


@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize(
    "damage", [lambda b: b"", lambda b: b[:-1], lambda b: b[:40] + b"\xff" + b[41:], lambda b: b"x" * 99]
)
def test_a_damaged_file_is_compiled_again_with_a_word(home, capfd, number, damage):
    hits()
    path = stored(home)[number]
    path.write_bytes(damage(path.read_bytes()))
    assert hits() == 0
    assert "is damaged and compiled again" in capfd.readouterr().err
    assert hits() == 1


@pytest.mark.parametrize("number", [0, 1])
def test_a_pickle_of_somebody_else_is_never_opened(home, tmp_path, capfd, monkeypatch, number):
    hits()
    path, trace = stored(home)[number], tmp_path / "executed"
    spell = pickle.dumps(Spell(str(trace)))
    path.write_bytes(spell)  # without a digest
    assert hits() == 0
    path.write_bytes(cache.hashlib.sha256(spell).digest() + spell)  # with one, but others could have written it
    path.chmod(0o666)
    assert hits() == 0
    assert "others own it or can write it" in capfd.readouterr().err
    path.write_bytes(cache.hashlib.sha256(spell).digest() + spell)
    path.chmod(0o600)
    if os.getuid() == 0:
        os.chown(path, 12345, 12345)
    else:
        monkeypatch.setattr(cache, "ours", lambda found: not stat.S_ISREG(found.st_mode))
    assert hits() == 0
    assert not trace.exists()


def test_a_folder_of_somebody_else_is_not_used(home, capfd, monkeypatch):
    monkeypatch.setattr(os, "getuid", lambda: 54321)
    monkeypatch.setattr(cache, "ours", lambda found: found.st_uid == 54321)
    assert hits() == 0
    assert hits() == 0
    assert stored(home) == []
    assert "is not used to keep compiled kernels: others own it" in capfd.readouterr().err


def test_a_folder_of_ours_that_others_can_write_is_closed(home):
    kernels.cache_folder().mkdir(parents=True)
    kernels.cache_folder().chmod(0o777)
    hits()
    assert stat.S_IMODE(kernels.cache_folder().stat().st_mode) == 0o700


def test_where_no_folder_can_be_made_nothing_is_kept_anywhere(home, capfd):
    home.touch()  # a file where the folder should be: it cannot be made, not even by root
    around = Path(__file__).parent / "__pycache__"
    before = set(around.glob("*.nb*"))
    assert hits() == 0
    assert hits() == 0
    assert set(around.glob("*.nb*")) == before == set()
    assert "cannot be used to keep compiled kernels" in capfd.readouterr().err


def test_a_full_disk_stops_nobody_and_a_filled_cache_that_cannot_be_written_is_used(home, capfd, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(files.os, "replace", full)
        assert hits() == 0
        assert "compiled kernels cannot be kept: " in capfd.readouterr().err
    hits()
    with monkeypatch.context() as patch:
        patch.setattr(
            files.os, "open", lambda path, flags, *rest: full() if flags & os.O_CREAT else os_open(path, flags)
        )
        assert hits() == 1


os_open = os.open
