"""Compiled kernels on disk: numba's cache, but only in folders of ours, and only what is whole.

Numba stores machine code as pickles and believes whatever lies in its folder. So ours is made for its owner alone
(mode 0700), a file is read only if it belongs to us or to root and nobody else can write it, and every file begins with
a digest of the rest. What is damaged or cannot be read is compiled again, with a word on the terminal; where nothing
can be stored (a full disk, a read-only folder) kernels are compiled for this process alone. A filled cache that cannot
be written is used. Numba's own fallback, `__pycache__`, never is: it does not notice a change in another file.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import stat
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from numba.core.caching import (
    CompileResultCacheImpl,
    FunctionCache,
    IndexDataCacheFile,
    UserProvidedCacheLocator,
)

from coven.games.core import files

PRIVATE_FOLDER, PRIVATE_FILE = 0o700, 0o600
DIGEST = hashlib.sha256().digest_size


def ours(found: os.stat_result) -> bool:
    """Does it belong to us or to root, and can nobody else write it?"""
    if not hasattr(os, "getuid"):
        return True  # Windows: the user's folders are the user's
    return found.st_uid in (os.getuid(), 0) and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


@cache
def usable(folder: Path) -> bool:
    """Make a cache's folder if it is not there; False, with a word, if it is not ours alone or cannot be made."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError):
            folder.mkdir(PRIVATE_FOLDER)
        found = folder.lstat()
        if hasattr(os, "getuid") and found.st_uid == os.getuid() and not ours(found):
            folder.chmod(PRIVATE_FOLDER)  # what is in it is looked at file by file
            found = folder.lstat()
    except OSError as error:
        say(f"{folder} cannot be used to keep compiled kernels: {error.strerror}")
        return False
    if not stat.S_ISDIR(found.st_mode) or not ours(found):
        say(f"{folder} is not used to keep compiled kernels: others own it or can write it, or it is not a folder")
        return False
    return True


@cache
def say(what: str) -> None:
    """A word on the terminal about the cache, once."""
    print(f"coven: {what}; set COVEN_CACHE_DIR to a folder of yours, or delete it", file=sys.stderr, flush=True)


class KernelCache(FunctionCache):
    """The cache of one kernel, in a folder of our own choice."""

    def __init__(self, function: Callable[..., Any], folder: Path) -> None:
        self._name, self._py_func = repr(function), function
        self._impl = _Impl(function, folder)
        self._cache_path = self._impl.locator.get_cache_path()
        self._cache_file = _CheckedFile(
            cache_path=self._cache_path,
            filename_base=self._impl.filename_base,
            source_stamp=self._impl.locator.get_source_stamp(),
        )
        self.enable()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled kernel, or None if it is not there or no longer good for anything."""
        try:
            return super().load_overload(sig, target_context)
        except Exception as error:  # whatever pickle, numba or LLVM think of it: it is compiled again
            say(f"a kernel in {self._cache_path} cannot be used and is compiled again ({type(error).__name__})")
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a compiled kernel, if that is possible."""
        try:
            super().save_overload(sig, data)
        except OSError as error:
            say(f"compiled kernels cannot be kept: {error.strerror or error}")


class _Impl(CompileResultCacheImpl):
    """What numba asks of a function's place, without looking for one elsewhere."""

    def __init__(self, function: Callable[..., Any], folder: Path) -> None:
        self._lineno = function.__code__.co_firstlineno
        self._locator = _Place(function, folder)
        module = Path(function.__code__.co_filename).stem
        self._filename_base = self.get_filename_base(f"{module}.{function.__qualname__}", getattr(sys, "abiflags", ""))


class _Place(UserProvidedCacheLocator):
    """A folder for the kernels of one module, wherever it is installed; the folder above is named by its sources."""

    def __init__(self, function: Callable[..., Any], folder: Path) -> None:
        self._py_file, self._lineno = function.__code__.co_filename, function.__code__.co_firstlineno
        self._cache_path = str(folder / function.__module__)

    def ensure_cache_path(self) -> None:
        """Make the folder, for us alone."""
        Path(self._cache_path).mkdir(PRIVATE_FOLDER, exist_ok=True)


class _CheckedFile(IndexDataCacheFile):
    """Numba's two files of a function, each with a digest in front."""

    def _load_index(self) -> dict[Any, str]:
        data = self._read(self._index_path)
        if data is None:
            return {}
        version, stamp, overloads = pickle.loads(data)
        return overloads if (version, stamp) == (self._version, self._source_stamp) else {}

    def _save_index(self, overloads: dict[Any, str]) -> None:
        self._write(self._index_path, self._dump((self._version, self._source_stamp, overloads)))

    def _load_data(self, name: str) -> Any:
        data = self._read(self._data_path(name))
        if data is None:
            raise FileNotFoundError  # numba compiles again
        return pickle.loads(data)

    def _save_data(self, name: str, data: Any) -> None:
        self._write(self._data_path(name), self._dump(data))

    def _read(self, path: str) -> bytes | None:
        """What stands behind the digest; None if there is no such file or it is not to be trusted."""
        try:
            with open(os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0)), "rb") as file:
                if not ours(os.fstat(file.fileno())):
                    say(f"{path} is not used: others own it or can write it")
                    return None
                held = file.read()
        except OSError:
            return None
        if hashlib.sha256(held[DIGEST:]).digest() != held[:DIGEST]:
            say(f"{path} is damaged and compiled again")
            return None
        return held[DIGEST:]

    def _write(self, path: str, data: bytes) -> None:
        with files.writing(Path(path), PRIVATE_FILE, durable=False) as partial:
            partial.write_bytes(hashlib.sha256(data).digest() + data)
