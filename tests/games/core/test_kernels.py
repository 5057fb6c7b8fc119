"""Caching: an edited rule reaches every cached caller, and a cached start compiles nothing."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

import coven
import coven.envs
import coven.games
from coven.games.core import kernels
from coven.games.core.record import record
from coven.testing import fingerprint, random_states

# Deal one game through the driver in games/core, which calls the edited rule in games/alchemists.
SCRIPT = """
import numpy as np, coven
from coven.games.core import drivers
game = coven.game("alchemists")
s = game.blank(3)
drivers.start(s, 3, np.uint64(1), s["options"])
hits = sum(drivers.start.stats.cache_hits.values())
print(s["seals"][0], s["hand_size"][0], hits, coven.__file__)
"""


@pytest.fixture
def house(tmp_path):
    """A copy of the package whose sources may be edited, and a run of the script in it."""
    unwanted = shutil.ignore_patterns("__pycache__")
    for package in (coven, coven.games, coven.envs):
        folder = tmp_path.joinpath(*package.__name__.split("."))
        shutil.copytree(Path(package.__file__).parent, folder, ignore=unwanted, dirs_exist_ok=True)

    def run(root: Path = tmp_path) -> list[int]:
        env = os.environ | {"PYTHONPATH": str(root), "COVEN_CACHE_DIR": str(tmp_path / "cache")}
        command = [sys.executable, "-c", SCRIPT]
        done = subprocess.run(command, env=env, cwd=root, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        *numbers, where = done.stdout.split()
        assert where.startswith(str(root))
        return [int(n) for n in numbers]

    run.folder = tmp_path / "coven" / "games" / "alchemists"
    return run


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_editing_a_rule_or_a_component_invalidates_every_cached_caller(house, tmp_path):
    assert house() == [5, 12, 0]
    assert house() == [5, 12, 1], "the second process should find the compiled kernel"
    shutil.copytree(tmp_path / "coven", tmp_path / "elsewhere" / "coven")
    assert house(tmp_path / "elsewhere") == [5, 12, 1], "and so should the same sources, installed at another place"
    edit(house.folder / "rules.py", "s.seals[p] = SEALS", "s.seals[p] = SEALS - 1")
    assert house() == [4, 12, 0]
    edit(house.folder / "components.toml", "value = 12", "value = 11")
    assert house() == [4, 11, 0]


def test_a_read_only_home_still_has_a_cache(tmp_path, monkeypatch):
    monkeypatch.delenv("COVEN_CACHE_DIR", raising=False)
    blocked = tmp_path / "file"
    blocked.touch()  # a file where the folder should be: it cannot be made, not even by root
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    assert "coven-cache" in str(kernels._user_cache())
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert kernels._user_cache() == tmp_path / "coven"
    monkeypatch.setenv("COVEN_CACHE_DIR", str(tmp_path / "mine"))
    assert kernels._user_cache() == tmp_path / "mine"


def test_other_peoples_numba_code_keeps_its_cache_folder():
    import numba

    before = numba.config.CACHE_DIR
    coven.game("alchemists")
    assert before == numba.config.CACHE_DIR
    assert "coven" not in before


PLAIN = """
import sys, warnings; warnings.simplefilter("ignore")
sys.path.insert(0, sys.argv[2])
from test_kernels import played_and_seen
print(*played_and_seen(sys.argv[1]))
"""


def played_and_seen(name: str) -> tuple[str, str]:
    """Digests of a whole random game, and of what everybody sees and may do in a few states of others."""
    game, digest = coven.game(name), hashlib.sha256()
    for n in (game.players[0], game.players[-1]):
        for s in islice(random_states(game, n, 1, every=9), 4):
            for p in range(n):
                digest.update(game.observe(s, p).tobytes())
            digest.update(game.legal_mask(s).tobytes())
    return fingerprint(game, game.players[-1]), digest.hexdigest()


@pytest.mark.parametrize("name", coven.games.built_in())
def test_everything_is_the_same_in_plain_python(name):
    """Without the compiler (NUMBA_DISABLE_JIT=1, as for coverage and debuggers) the rules give the very same bytes.

    There an int8 stays one: an index that overflows shows what is elsewhere.
    """
    env = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-c", PLAIN, name, str(Path(__file__).parent)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == list(played_and_seen(name))


def test_a_field_that_would_hide_behind_numpys_own_attribute_is_refused():
    """Without the compiler `s.size` would be 1 for ever, whatever was written to it."""
    with pytest.raises(TypeError, match="cannot be called size"):
        record(0, ("size", np.int8))


BOUNDS = """
import numpy as np
from coven.games.core.kernels import cache_folder, kernel
from coven.games.core.record import record

@kernel
def entry(z, i):
    return z[()].cubes[i]

z = np.zeros((), record(0, ("cubes", np.int8, (4,))))
print(cache_folder())
try:
    entry(z, 4)
except IndexError as error:
    print(error)
"""


def test_kernels_can_be_compiled_with_bounds_checks_into_a_cache_of_their_own(tmp_path):
    (tmp_path / "checked.py").write_text(BOUNDS)  # numba caches only what is in a file
    said = []
    for checked in ("0", "1"):
        env = os.environ | {"COVEN_BOUNDSCHECK": checked, "COVEN_CACHE_DIR": str(tmp_path)}
        command = [sys.executable, str(tmp_path / "checked.py")]
        said.append(subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout.splitlines())
    assert len(said[0]) == 1
    assert said[1][1:] == ["index is out of bounds"]
    assert said[0][0] != said[1][0]
