"""How files are written: whole or not at all, whatever happens in between.

A file is written beside its place under a name of its own, flushed to the disk and renamed; until then the old one is
there. A kill leaves at most a file whose name ends in `.partial`. What cannot be written is one `CannotWrite` that
names the file and why. Only new and regular files are written: a link, a folder or a device is never
replaced or followed.

A lock (`lock`) keeps two processes from working in one place; it ends with its process, however that ends.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

from coven.games.core.errors import CannotWrite, InUse

if sys.platform != "win32":
    import fcntl

PARTIAL = ".partial"


def write(path: Path, data: bytes | str) -> None:
    """Write a whole file (text as UTF-8), with the folders above it; CannotWrite leaves what was there before."""
    with writing(path) as partial, partial.open("wb") as file:
        file.write(data.encode() if isinstance(data, str) else data)


@contextlib.contextmanager
def writing(path: Path, mode: int = 0o666, durable: bool = True) -> Iterator[Path]:
    """A new, empty file to fill, for writers that want a path: it takes its place when the block ends well.

    What is not `durable` may be damaged if the machine goes down, but not by the end of a process.
    """
    check(path)
    partial = path.with_name(f".{path.name[:100]}.{secrets.token_hex(4)}{PARTIAL}")
    try:
        try:
            os.close(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode))
            yield partial
            if durable:
                _flush(partial)
            os.replace(partial, path)
            if durable:
                _flush(path.parent)
        except BaseException:
            with contextlib.suppress(OSError):
                partial.unlink(missing_ok=True)
            raise
    except CannotWrite:
        raise
    except OSError as error:
        raise CannotWrite(path, error) from error


def check(path: Path) -> None:
    """Make the folders above a file that will be written, and see that nothing but a regular file is in its place."""
    folder(path.parent)
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    except (OSError, ValueError) as error:
        raise CannotWrite(path, error) from error
    if not stat.S_ISREG(mode):
        kind = "a folder" if stat.S_ISDIR(mode) else "a link" if stat.S_ISLNK(mode) else "a device"
        raise CannotWrite(path, f"it is {kind}; allowed: a new file, or a regular one to replace")


def folder(path: Path) -> None:
    """Make a folder and those above it, unless they are there."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise CannotWrite(path, "it is a file; allowed: a folder, there or to be made") from error
    except (OSError, ValueError) as error:
        raise CannotWrite(path, error) from error


def sweep(path: Path) -> None:
    """Remove what killed writers left in a folder that nobody else writes to now."""
    for partial in path.glob(f".*{PARTIAL}"):
        with contextlib.suppress(OSError):
            partial.unlink()


@contextlib.contextmanager
def lock(path: Path, what: str) -> Iterator[None]:
    """Hold the lock at a path; InUse if another process (or another part of this one) holds it.

    Without locks (Windows, some network disks) it holds nothing back.
    """
    descriptor = _locked(path, what)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            path.unlink()  # still ours: whoever waits for it looks again
        os.close(descriptor)


def _locked(path: Path, what: str) -> int:
    """A descriptor of the lock's file that holds the lock, of the very file that the path names."""
    folder(path.parent)
    while True:
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
        except (OSError, ValueError) as error:
            raise CannotWrite(path, error) from error
        if sys.platform == "win32":
            return descriptor
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(descriptor), path.lstat()):
                return descriptor
        except BlockingIOError:
            os.close(descriptor)
            raise InUse(f"{what} is in use: another process is at work there; wait for it, or end it") from None
        except FileNotFoundError:
            pass  # its last owner has just removed it
        except OSError:
            return descriptor  # no locks on this disk
        os.close(descriptor)


def _flush(path: Path) -> None:
    """Bring a file, or the names in a folder, to the disk."""
    if path.is_dir() and sys.platform == "win32":
        return  # folders cannot be opened there
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
