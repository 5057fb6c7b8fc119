"""The one way a rule becomes machine code: `@kernel`, cached in a folder that knows the sources.

Numba keys its cache by the file that holds a function and does not notice when a function *called from another file*
has changed. So all our kernels are cached under a folder named by a digest of everything that can change them: the
sources and components of all games and the version of numba. A kernel outside the games may call those of the games
and of its own folder, and its cache is keyed by both.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba

# Without numba's runtime a kernel cannot allocate, and passes arrays on without counting references (an atomic
# instruction each time, which cost Alchemists a third of its speed). Division follows numpy: no test for zero.
OPTIONS = {"_nrt": False, "error_model": "numpy"}

GAMES = Path(__file__).parent.parent


def sources_digest(root: Path = GAMES) -> str:
    """A digest of every source and component file in a folder, and of numba's version."""
    digest = hashlib.sha256(numba.__version__.encode())
    for path in sorted(p for p in root.rglob("*") if p.suffix == ".py" or p.name == "components.toml"):
        digest.update(path.relative_to(root).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _user_cache() -> Path:
    """Where our caches lie: in `COVEN_CACHE_DIR`, or the user's cache folder, or (read-only home) a temporary one."""
    chosen = os.environ.get("COVEN_CACHE_DIR")
    if chosen:
        return Path(chosen)
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = home / "coven"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if os.access(folder, os.W_OK):
            return folder
    except OSError:
        pass
    user = os.getuid() if hasattr(os, "getuid") else "user"
    return Path(tempfile.gettempdir()) / f"coven-cache-{user}"


_digest_of = cache(sources_digest)


@cache
def cache_folder() -> Path:
    """Where the kernels of exactly these sources are cached."""
    return _user_cache() / sources_digest()


def folder_for(function: Callable[..., Any]) -> Path:
    """Where a kernel is cached: by the games' sources and, outside the games, those of its own folder too."""
    home = Path(function.__code__.co_filename).resolve().parent
    return cache_folder() if home.is_relative_to(GAMES.resolve()) else cache_folder() / _digest_of(home)


def kernel(function: Callable[..., Any] | None = None, *, nogil: bool = True) -> Any:
    """Compile a function with numba on first use and cache it.

    `nogil=False` is for kernels that write into buffers shared by all threads of the process.
    """

    def decorate(f: Callable[..., Any]) -> Any:
        # The folder is read when the function is decorated: other people's numba code in this process keeps its own.
        before = numba.config.CACHE_DIR
        numba.config.CACHE_DIR = str(folder_for(f))
        try:
            return numba.njit(cache=True, nogil=nogil, **OPTIONS)(f)
        finally:
            numba.config.CACHE_DIR = before

    return decorate if function is None else decorate(function)
