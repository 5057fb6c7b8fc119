"""The one way a rule becomes machine code: `@kernel`, cached by everything that can change it.

Numba keys its cache by the file that holds a function and does not notice when a function *called from another file*
has changed. So we key it by more:

- every kernel by the sources of `games/core` and the version of numba, and by the sources of its own folder (of a game
  the whole folder of the game, components included);
- a kernel compiled for the record of a game, wherever it is written, by the sources of that game too.

A game is found by its record, so that it may lie in any package.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba.core.sigutils import normalize_signature

from coven.games.core.cache import KernelCache, usable

# Without numba's runtime a kernel cannot allocate, and passes arrays on without counting references (an atomic
# instruction each time, which cost a third of the speed). Division follows numpy: no test for zero.
OPTIONS: dict[str, Any] = {"_nrt": False, "error_model": "numpy"}

# For those who write rules: with COVEN_BOUNDSCHECK=1 an index out of bounds is an IndexError instead of a crash or a
# wrong number, at half the speed. Such kernels have a cache of their own. (NUMBA_BOUNDSCHECK overrides it.)
CHECKED = bool(numba.config.BOUNDSCHECK) or os.environ.get("COVEN_BOUNDSCHECK", "0") not in ("", "0")
if CHECKED:
    OPTIONS["boundscheck"] = True

CORE = Path(__file__).resolve().parent
# These may change without a kernel becoming another.
NO_KERNELS = {"drawing", "picture.py", "possible.py", "possible_stack.py", "preset.toml", "statements.toml"}

_SOURCES: dict[numba.types.Record, str] = {}


def sources_digest(root: Path) -> str:
    """A digest of every source and component file below a folder, and of numba's version."""
    digest = hashlib.sha256(f"{numba.__version__}{' checked' if CHECKED else ''}".encode())
    for path in sorted(p for p in root.rglob("*") if p.suffix in (".py", ".toml")):
        name = path.relative_to(root)
        if not NO_KERNELS & set(name.parts):
            digest.update(name.as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


_digest_of = cache(sources_digest)


def claim(record: np.dtype[Any], folder: Path) -> str:
    """Let kernels that are compiled for a game's record depend on the sources in its folder: their digest."""
    return _SOURCES.setdefault(numba.from_dtype(record), _digest_of(folder.resolve()))


def _user_cache() -> Path:
    """Where our caches lie: in `COVEN_CACHE_DIR`, or the user's cache folder, or (read-only home) a temporary one.

    A read-only folder that holds what these sources need is as good as one that can be written.
    """
    chosen = os.environ.get("COVEN_CACHE_DIR")
    if chosen:
        return Path(chosen)
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = home / "coven"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if os.access(folder, os.W_OK) or (folder / _digest_of(CORE)).is_dir():
            return folder
    except OSError:
        pass
    user = os.getuid() if hasattr(os, "getuid") else "user"
    return Path(tempfile.gettempdir()) / f"coven-cache-{user}"


@cache
def cache_folder() -> Path:
    """Where kernels are cached that rest on the core as it is."""
    return _user_cache() / _digest_of(CORE)


def folder_for(function: Callable[..., Any]) -> Path:
    """Where a kernel is cached: by the sources of the core and, outside of it, those of its own folder too."""
    home = _home(Path(function.__code__.co_filename).resolve())
    return cache_folder() if home == CORE else cache_folder() / _digest_of(home)


def _home(file: Path) -> Path:
    """The folder of the game that a file belongs to; elsewhere its own."""
    games = (folder for folder in file.parents if (folder / "components.toml").is_file())
    return next(games, file.parent)


def marker(kernel: Callable[..., Any], what: str, sources: str) -> Path:
    """The file that says: what is compiled with this kernel for a game of these sources is in the cache."""
    return folder_for(kernel) / f"{what}-{sources}.ready"


class _Cache(KernelCache):
    """The cache of a kernel, whose keys know the sources of the games in a signature."""

    def _index_key(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
        arguments, _ = normalize_signature(sig)
        return (*super()._index_key(sig, codegen), tuple(_digests(arguments)))


def _digests(types: Iterable[Any]) -> Iterable[str]:
    """The digests of all games whose records occur in these types."""
    for kind in types:
        if isinstance(kind, numba.types.Record):
            yield _SOURCES.get(kind, "")
        elif isinstance(kind, numba.types.Array):
            yield from _digests([kind.dtype])
        elif isinstance(kind, numba.types.BaseTuple):
            yield from _digests(kind.types)
        elif isinstance(kind, numba.types.Optional):
            yield from _digests([kind.type])


@cache
def _private(folder: Path) -> list[Path]:
    """The folders, from the top, that must be ours alone for a cache to be trusted; a chosen one may be shared."""
    base = _user_cache()
    above = [part for part in folder.parents if part.is_relative_to(base)][::-1]
    return [*(above[1:] if os.environ.get("COVEN_CACHE_DIR") else above), folder]


def kernel(function: Callable[..., Any] | None = None, *, nogil: bool = True, inline: bool = False) -> Any:
    """Compile a function with numba on first use and cache it.

    `nogil=False` is for kernels that write into buffers shared by all threads of the process. `inline=True` is for the
    parts of a kernel that have a name for the reader's sake: a call passes an array as seven numbers, which takes as
    long as writing a hundred bytes into it.
    """

    def decorate(f: Callable[..., Any]) -> Any:
        if numba.config.DISABLE_JIT:
            return f
        compiled = numba.njit(nogil=nogil, forceinline=inline, **OPTIONS)(f)
        folder = folder_for(f)
        if all(usable(part) for part in _private(folder)):
            compiled._cache = _Cache(f, folder)  # what `cache=True` would set, at a place of our own
        return compiled

    return decorate if function is None else decorate(function)
