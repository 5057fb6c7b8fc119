"""The `coven` command for tests."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def run(*words, code=0):
    """What the command prints, or what it complains about."""
    command = [str(Path(sys.executable).with_name("coven")), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout if code == 0 else done.stderr
