"""The entry point of the command `coven`: a signal in its first second, during imports, gives no traceback.

This is a separate module because importing anything from the package first loads numpy, numba and the games.
"""

from __future__ import annotations

import os
import signal
from types import FrameType


def _end(number: int, _: FrameType | None) -> None:
    os.write(2, f"coven: stopped by {signal.Signals(number).name}\n".encode())
    os._exit(128 + number)


def main() -> None:
    """Run the command."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _end)
    from coven.cli import main as run

    run()
