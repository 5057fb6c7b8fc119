"""How a command ends when it is told to stop: at once, cleanly, and with a line that says how to go on.

SIGINT (Ctrl-C), SIGTERM and SIGHUP raise one exception, `Stopped`, so that whatever is running can clean up before
the process ends. A signal that was ignored when the command began (`nohup`) stays so.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from coven.games.core.errors import BadOption, CovenError, printable

SOON = 0.02
"""Seconds after which a signal that was lost comes again."""
SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


class Stopped(KeyboardInterrupt):
    """Somebody told this process to end."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.number, self.exit_code = number, 128 + number


def listen() -> None:
    """Let the signals raise `Stopped` from now on."""
    _set(_stop)
    sys.unraisablehook = _again


def rest() -> None:
    """The command is over: a signal that comes now ends what is left of the process without a word."""
    _set(signal.SIG_DFL)


def _set(handler: signal.Handlers | object) -> None:
    if threading.current_thread() is not threading.main_thread():
        return  # only the main thread may
    for number in SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handler)  # type: ignore[arg-type]


def _stop(number: int, _: FrameType | None) -> None:
    rest()  # a second one does not wait
    raise Stopped(number)


def _again(lost: sys.UnraisableHookArgs) -> None:
    """A signal that came while C was calling Python, as numba does when it loads kernels, is lost: it comes again."""
    if not isinstance(lost.exc_value, Stopped):
        sys.__unraisablehook__(lost)
        return
    _set(_stop)
    timer = threading.Timer(SOON, os.kill, (os.getpid(), lost.exc_value.number))
    timer.daemon = True
    timer.start()


@contextmanager
def going_on(how: str) -> Iterator[None]:
    """If this block is stopped, or fails (a full disk and the like), say how to go on."""
    try:
        yield
    except (KeyboardInterrupt, CovenError, OSError) as error:
        if not isinstance(error, BadOption):  # what is not allowed is not allowed again
            error.add_note(how)
        raise


def last_words(error: BaseException) -> str:
    """What an error says, then how to go on."""
    told = f"stopped by {error}" if isinstance(error, Stopped) else str(error) or type(error).__name__
    words = "; ".join([told, *getattr(error, "__notes__", [])])
    return printable(words)
