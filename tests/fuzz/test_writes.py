"""Killed, or the disk full, at the n-th write: what is there is whole, and going on gives the same result.

`make test` tries a few of all n, `make fuzz` every single one.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from coven.benchmarks.ceiling import compiler

HERE = Path(__file__).parent
MODES = ("kill", "full")
POINTS = 1 + int(os.environ.get("COVEN_FUZZ", "1")) * 2

pytestmark = pytest.mark.skipif(sys.platform != "linux" or compiler() is None, reason="needs Linux and a C compiler")


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    path = tmp_path_factory.mktemp("faults") / "faults.so"
    subprocess.run([compiler(), "-shared", "-fPIC", "-O1", "-o", path, HERE / "faults.c", "-ldl"], check=True)
    return path


def test_a_fault_at_any_write_loses_nothing(library, tmp_path):
    """All kinds of work in one process, since each would load torch and the kernels again."""
    command = [sys.executable, str(HERE / "faults.py"), str(tmp_path), str(POINTS)]
    done = subprocess.run(
        command, env=os.environ | {"LD_PRELOAD": str(library)}, capture_output=True, text=True, check=False
    )
    print(done.stdout)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "Traceback" not in done.stderr, "a fault is one line"
    found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    cases = ("train", "selfplay", "search", "arena", "evaluate", "fit", "export")
    assert [(each["case"], each["mode"]) for each in found] == [(case, mode) for case in cases for mode in MODES]
    assert all(each["writes"] >= each["tried"] >= 3 for each in found)
