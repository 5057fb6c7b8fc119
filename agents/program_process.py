"""A program that plays, as a process: lines to it and from it, within limits. Nothing that it sends is believed."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path

from coven.agents import program_guard
from coven.agents.outside import quoted
from coven.agents.program_protocol import MOST_LINE
from coven.games.core.errors import BadOption

AT_ONCE = 1 << 16
"""Bytes that are read or written in one go."""
Tap = Callable[[str, bytes], None]
"""Hears every line: `to` the program or `from` it."""
_numbers = count()


class Broken(Exception):
    """The conversation with a program cannot go on: what it did, then what is allowed."""


class Process:
    """A running program under its guard (`program_guard`), which ends it together with us."""

    def __init__(self, words: list[str], memory: int, log_folder: str, tap: Tap | None = None) -> None:
        if sys.platform == "win32":
            raise BadOption("programs as agents (cmd:) need Linux, macOS or another POSIX system")
        stem = "".join(c if c.isalnum() or c in "-_." else "_" for c in Path(words[-1]).name)[:40]
        self.log = Path(log_folder) / f"{stem}-{os.getpid()}-{next(_numbers)}-{time.time_ns() // 1000 % 10**9}.log"
        theirs, self._alive = os.pipe()
        guard = [sys.executable, "-I", "-S", program_guard.__file__, str(theirs), str(memory), str(self.log)]
        self._process = subprocess.Popen(
            [*guard, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            pass_fds=(theirs,),
            start_new_session=True,  # Ctrl-C reaches us alone, and all of it can be killed at once
            bufsize=0,
        )
        os.close(theirs)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._in, self._out = self._process.stdin.fileno(), self._process.stdout.fileno()
        self._to_send, self._received = bytearray(), bytearray()
        for pipe in (self._in, self._out):
            os.set_blocking(pipe, False)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._out, selectors.EVENT_READ)
        self.answered, self._tap = False, tap

    def send(self, line: bytes) -> None:
        """Have a line sent with the next `flush` or `receive`."""
        self._to_send += line
        if self._tap:
            self._tap("to", line)

    def flush(self) -> None:
        """Send as much as the program takes now."""
        self._write()

    def receive(self, seconds: float) -> bytes:
        """The next line; Broken if there is none in time, or none that could be one."""
        deadline = time.monotonic() + seconds
        self._write()
        while True:
            end = self._received.find(b"\n")
            if end > MOST_LINE or (end < 0 and len(self._received) > MOST_LINE):
                begun = quoted(bytes(self._received[:40]))
                raise Broken(f"it sent a line of more than {MOST_LINE} bytes, which begins with {begun}")
            if end >= 0:
                line = bytes(self._received[:end])
                del self._received[: end + 1]
                if self._tap:
                    self._tap("from", line)
                return line
            left = deadline - time.monotonic()
            if left <= 0:
                raise Broken(f"it did not answer within {seconds:g} s{self._half_a_line()}")
            self._wait(left)

    def _wait(self, seconds: float) -> None:
        """Read and write what can be read and written, when something can."""
        watched = len(self._selector.get_map()) == 2
        if bool(self._to_send) != watched:
            if watched:
                self._selector.unregister(self._in)
            else:
                self._selector.register(self._in, selectors.EVENT_WRITE)
        for key, _ in self._selector.select(seconds):
            if key.fd == self._in:
                self._write()
            elif not self._read():
                raise Broken(self._how_it_ended())

    def _write(self) -> None:
        try:
            while self._to_send:
                del self._to_send[: os.write(self._in, self._to_send[:AT_ONCE])]
        except BlockingIOError:
            return
        except OSError:  # it reads no more: whether it answers, what it says will tell
            self._to_send.clear()

    def _read(self) -> bool:
        """Take in what is there; False at the end."""
        try:
            data = os.read(self._out, AT_ONCE)
        except BlockingIOError:
            return True
        except OSError:
            return False
        self._received += data
        return bool(data)

    def _half_a_line(self) -> str:
        return (
            f"; it began a line with {quoted(bytes(self._received[:200]))} and did not end it" if self._received else ""
        )

    def _how_it_ended(self) -> str:
        """What an end of its output means, once the guard had a moment to tell."""
        try:
            code = self._process.wait(1.0)
        except subprocess.TimeoutExpired:
            return f"it closed its standard output and went on running{self._half_a_line()}"
        if code > 128:
            with contextlib.suppress(ValueError):
                return f"it was ended by {signal.Signals(code - 128).name}{self._half_a_line()}"
        when = "in the middle of a game" if self.answered else "before it was ready"
        return f"it ended with exit code {code} {when}{self._half_a_line()}"

    def last_words(self) -> str:
        """The end of what it said on its standard error, and where all of it is; empty if it said nothing."""
        try:
            with self.log.open("rb") as file:
                file.seek(max(0, self.log.stat().st_size - 1000))
                said = file.read().decode("utf-8", "backslashreplace").strip().splitlines()
        except OSError:
            return ""
        return f"; its last words: {quoted(said[-1][-150:])} (all of them: {self.log})" if said else ""

    def close(self, seconds: float = 0.0) -> None:
        """End the program; with seconds, leave it so long to end by itself."""
        if self._alive < 0:
            return
        with contextlib.suppress(Broken):
            until = time.monotonic() + seconds
            while self._to_send and time.monotonic() < until:
                self._wait(until - time.monotonic())
                self._received.clear()
        self._selector.close()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        if seconds:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(seconds)
        os.close(self._alive)  # now the guard ends what is left
        self._alive = -1
        try:
            self._process.wait(5.0)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(OSError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
