"""The `coven` command for tests."""

from __future__ import annotations

import io
import signal
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from unittest import mock

from coven import cli, endings


def run(*words, code=0):
    """What the command prints, or what it complains about; here, since a process of its own takes a second to begin."""
    out, err, ended = io.StringIO(), io.StringIO(), 0
    handlers = {number: signal.getsignal(number) for number in endings.SIGNALS}
    kept = (mock.patch.object(sys, "argv", ["coven", *words]), mock.patch.object(sys, "unraisablehook", None))
    with kept[0], kept[1], redirect_stdout(out), redirect_stderr(err):
        try:
            cli.main()
        except SystemExit as end:
            ended = end.code or 0
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)
    assert ended == code, err.getvalue()
    return out.getvalue() if code == 0 else err.getvalue()


def run_alone(*words, code=0):
    """The same in a process of its own, as a user starts it."""
    command = [str(Path(sys.executable).with_name("coven")), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout if code == 0 else done.stderr
