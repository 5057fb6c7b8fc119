"""Attacks on result files of evaluations."""

from __future__ import annotations

import lzma
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import junk
import msgspec
import numpy as np

from coven.arena import evaluation, protocol, results
from coven.arena.verify import verify
from coven.games.core.errors import CovenError

SMALL = {"random": 2, "greedy": 2}


def attack_results(seed: int, folder: Path) -> Iterator[bool]:
    """Result files: what is accepted holds the games that were played, whoever it says has played them."""
    rng, path = np.random.default_rng(seed), folder / "attacked.jsonl.xz"
    with mock.patch.object(protocol, "GAMES", SMALL):
        found = evaluation.evaluate("alchemists", "mix:0.5", folder / "evaluation")
        results.write(found, folder / "good.jsonl.xz")
        played = [(one.where, one.actions) for one in found.games]
        lines = lzma.decompress((folder / "good.jsonl.xz").read_bytes()).splitlines()
    while True:
        path.write_bytes(_file(found, lines, rng))
        with mock.patch.object(protocol, "GAMES", SMALL):
            try:
                accepted = verify(path)
            except CovenError:
                yield True
                continue
        assert [(one.where, one.actions) for one in accepted.result.games] == played
        yield False


def _file(found: results.Result, lines: list[bytes], rng: np.random.Generator) -> bytes:
    """A damaged file: its bytes, a line, a value in a line, or a value with a check that fits again."""
    how, k = rng.integers(4), int(rng.integers(len(lines)))
    if how == 0:
        return junk.damaged(_packed(lines), rng)
    changed = list(lines)
    if how == 1:
        changed[k] = junk.damaged(lines[k], rng)
    else:
        changed[k] = junk.text_of(junk.changed(msgspec.json.decode(lines[k]), rng))
    if how == 3:
        changed = _checked(changed)
    return _packed(changed)


def _packed(lines: list[bytes]) -> bytes:
    return lzma.compress(b"\n".join(lines), preset=0)


def _checked(lines: list[bytes]) -> list[bytes]:
    """Lines with checks made anew, as far as they are games."""
    done, check = [lines[0]], ""
    for line in lines[1:]:
        try:
            game = msgspec.json.decode(line, type=results.PlayedGame)
        except (msgspec.DecodeError, UnicodeError):
            return [*done, *lines[len(done) :]]
        check = results.chained(check, game)
        done.append(msgspec.json.encode(msgspec.structs.replace(game, check=check)))
    return done
