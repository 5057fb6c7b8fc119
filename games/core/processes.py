"""Child processes of ours: they import nothing from the current folder, and end when their parent does.

A child is `python -P -m MODULE`: Python then looks where it is installed and where `PYTHONPATH` says, not in the folder
in which somebody happens to work. It is in a process group of its own, so that Ctrl-C reaches the parent alone. Its
standard input is a pipe from the parent; a thread of the child watches for its end, however the parent ends.
"""

from __future__ import annotations

import os
import select
import subprocess
import sys
import threading
from typing import Any


def start(module: str, *words: str, **more: Any) -> subprocess.Popen[bytes]:
    """Start a module of ours as a child with a pipe to its standard input; `more` as Popen takes it."""
    if sys.platform != "win32":
        more["process_group"] = 0
    return subprocess.Popen([sys.executable, "-P", "-m", module, *words], stdin=subprocess.PIPE, **more)


def end_with_parent() -> None:
    """In a child: end this process as soon as the other end of its standard input is closed."""
    if hasattr(select, "poll"):
        threading.Thread(target=_watch, daemon=True).start()


def _watch() -> None:
    hung_up = select.poll()
    hung_up.register(0, 0)  # what is asked for is only what is always told: the other end is gone
    hung_up.poll()
    os._exit(1)
