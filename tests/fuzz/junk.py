"""Seeded rubbish: values, damaged bytes and JSON, and records with correct checksums that no game ever had."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

import coven
from coven.games.core.game import Game

NUMBERS = (-1, 0, 1, 2, 3, 5, 127, 128, -128, 255, 256, 32767, 65536, 2**31, 2**32, 2**63, 2**64, -(2**63), 10**26)
TEXTS = (
    "",
    "a",
    "\x1b[31mred\x1b[0m",
    "$$",
    "$x^",
    "\u202eevil",
    "\ud800",
    "../../etc/passwd",
    "a" * 3000,
    "py:os:system",
    "1e999",
)


def value(rng: np.random.Generator, depth: int = 2) -> Any:
    """Anything that JSON can hold, and numbers that it cannot."""
    kind = int(rng.integers(9))
    if kind < 2:
        return NUMBERS[rng.integers(len(NUMBERS))]
    if kind == 2:
        return TEXTS[rng.integers(len(TEXTS))]
    if kind == 3:
        return (None, True, False)[rng.integers(3)]
    if kind == 4:
        return (0.5, -1e308, 1e308, float("nan"), float("inf"))[rng.integers(5)]
    if kind == 5 and depth:
        return [value(rng, depth - 1) for _ in range(rng.integers(6))]
    if kind == 6 and depth:
        return {str(TEXTS[rng.integers(len(TEXTS))]): value(rng, depth - 1) for _ in range(rng.integers(4))}
    return int(rng.integers(-10, 300))


def thing(rng: np.random.Generator) -> Any:
    """Anything that a Python caller can hand over."""
    makers: tuple[Callable[[], Any], ...] = (
        lambda: value(rng),
        lambda: np.array(int(rng.integers(-5, 400))),
        lambda: np.zeros(int(rng.integers(4)), (np.int8, np.float64, object, "U3")[rng.integers(4)]),
        lambda: np.full((2, 3), 7),
        lambda: b"\x00" * int(rng.integers(50)),
        object,
        lambda: (1, 2),
        lambda: {3},
        lambda: np.float32("nan"),
        lambda: coven.game(coven.games.built_in()[rng.integers(4)]).blank(),
        lambda: np.zeros(2, coven.game(coven.games.built_in()[rng.integers(4)]).record),
    )
    return makers[rng.integers(len(makers))]()


def damaged(data: bytes, rng: np.random.Generator) -> bytes:
    """Bytes with some of them flipped, lost, doubled or cut off."""
    out = bytearray(data)
    for _ in range(int(rng.integers(1, 4))):
        at = int(rng.integers(len(out) + 1))
        kind = int(rng.integers(5))
        if kind == 0 and at < len(out):
            out[at] ^= 1 << int(rng.integers(8))
        elif kind == 1 and at < len(out):
            out[at] = int(rng.integers(256))
        elif kind == 2:
            del out[at : at + int(rng.integers(1, 20))]
        elif kind == 3:
            out[at:at] = rng.bytes(int(rng.integers(1, 20)))
        elif rng.random() < 0.2:
            del out[at:]
    return bytes(out)


def changed(document: Any, rng: np.random.Generator) -> Any:
    """A copy of plain data with something in it replaced, added or taken out."""
    copy = json.loads(json.dumps(document))
    here = copy
    while True:
        if isinstance(here, dict) and here:
            keys: list[Any] = list(here)
        elif isinstance(here, list) and here:
            keys = list(range(len(here)))
        else:
            return copy
        key = keys[rng.integers(len(keys))]
        if isinstance(here[key], dict | list) and here[key] and rng.random() < 0.6:
            here = here[key]
            continue
        kind = rng.random()
        if kind < 0.1:
            del here[key]
        elif kind < 0.2 and isinstance(here, dict):
            here[str(value(rng, 0))] = value(rng)
        elif kind < 0.3 and isinstance(here, list):
            here.extend(here * int(rng.integers(1, 4)))
        else:
            here[key] = value(rng)
        return copy


def text_of(document: Any) -> bytes:
    """As JSON, be it good Unicode or not."""
    return json.dumps(document).encode()


def impossible_state(game: Game, states: np.ndarray, rng: np.random.Generator) -> bytes:
    """One of these states with numbers in it changed, as bytes with the right header and checksum."""
    s = states[rng.integers(len(states))].reshape(()).copy()
    for _ in range(int(rng.integers(1, 4))):
        names = game.record.names or ()
        name = names[rng.integers(len(names))]
        part, other = s[name].reshape(-1), states[rng.integers(len(states))][name].reshape(-1)
        if not part.size:
            continue
        i, j = rng.integers(part.size, size=2)
        limits = np.iinfo(np.uint8 if part.dtype == np.bool_ else part.dtype)
        kind = int(rng.integers(7))
        if kind == 0:
            part.view(np.uint8)[rng.integers(part.nbytes)] = rng.integers(256)
        elif kind == 1:
            part[i] = (limits.min, limits.max, 0, 1, limits.max // 2)[rng.integers(5)]
        elif kind == 2:
            part[i] = part.view(np.uint8)[0] if part.dtype == np.bool_ else part[i] + part.dtype.type(1)
        elif kind == 3:
            part[i] = part[i] if part.dtype == np.bool_ else part[i] - part.dtype.type(1)
        elif kind == 4:
            part[i], part[j] = part[j].copy(), part[i].copy()
        elif kind == 5:
            part[:] = other
        else:
            part[i] = int(rng.integers(0, 12)) if part.dtype != np.bool_ else 1
        if s[name].ndim == 0:
            s[name] = part[0]
        else:
            s[name][...] = part.reshape(s[name].shape)
    return sealed(game, s)


def sealed(game: Game, s: np.ndarray) -> bytes:
    """A state as `to_bytes` would write it, whatever it holds."""
    body = game._header() + s.tobytes()
    return body + zlib.crc32(body).to_bytes(4, "little")
