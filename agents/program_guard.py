"""Runs a program for Coven and ends with it, or with Coven: a script of its own that needs Python alone.

Called with the number of a pipe that Coven keeps open, MEMORY in MB, the file for what the program says on its standard
error, and the program's words. It kills the program, with all that it has started and that stayed in its process
group, as soon as the pipe is closed, however Coven ends. It ends with the program's exit code, or 128 and its signal.
"""

from __future__ import annotations

import contextlib
import os
import resource
import select
import signal
import subprocess
import sys

MOST_LOG = 1 << 20
"""Bytes of standard error that are kept from the beginning; of more only the last few."""
LAST = 1 << 12


class Log:
    """What a program says on its standard error: a file that is made when there is something to write."""

    def __init__(self, path: str) -> None:
        self.path, self.file, self.size, self.last = path, -1, 0, b""

    def add(self, data: bytes) -> None:
        """Write it, or keep the end of it in mind."""
        if self.file == -1 and data:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
            try:
                os.makedirs(os.path.dirname(self.path) or ".", exist_ok=True)
                self.file = os.open(self.path, flags, 0o600)
            except OSError:
                self.file = os.open(os.devnull, os.O_WRONLY)  # a full disk is no reason to stop a game
        kept = data[: max(0, MOST_LOG - self.size)]
        self.size += len(data)
        self.last = (self.last + data[len(kept) :])[-LAST:]
        self._write(kept)

    def close(self) -> None:
        """Write what was kept in mind."""
        if self.last:
            left_out = self.size - MOST_LOG - len(self.last)
            self._write(b"\n[%d bytes are left out here]\n" % left_out + self.last)

    def _write(self, data: bytes) -> None:
        try:
            while data:
                data = data[os.write(self.file, data) :]
        except OSError:
            self.last = b""


def main() -> None:
    """Start the program and wait for its end, or for that of Coven."""
    parent, memory, log = int(sys.argv[1]), int(sys.argv[2]) << 20, Log(sys.argv[3])
    resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        program = subprocess.Popen(sys.argv[4:], stderr=subprocess.PIPE, bufsize=0)
    except OSError as error:
        log.add(f"{sys.argv[4]} cannot be started: {error.strerror}\n".encode())
        os._exit(127)
    for stream in (0, 1):
        os.close(stream)  # the program alone holds the pipes to Coven, so their end is its end
    assert program.stderr is not None
    said = program.stderr.fileno()
    waiting = select.poll()
    waiting.register(parent, 0)
    waiting.register(said, select.POLLIN)
    open_pipe = True
    while open_pipe or program.poll() is None:
        for number, what in waiting.poll(None if open_pipe else 20):
            if number == parent:
                os.set_blocking(said, False)
                with contextlib.suppress(OSError):
                    log.add(os.read(said, 1 << 16))
                log.close()
                os.killpg(0, signal.SIGKILL)
            data = os.read(said, 1 << 16) if what else b""
            if data:
                log.add(data)
            else:
                waiting.unregister(said)
                open_pipe = False
    log.close()
    code = program.wait()
    os._exit(code if code >= 0 else 128 - code)


if __name__ == "__main__":
    main()
