"""The ceiling: random play of Alchemists by hand in C, compiled on the spot and called like our kernels."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from coven.games.alchemists import GAME
from coven.games.core.errors import CovenError
from coven.games.core.layout import DTYPE

SOURCE = Path(__file__).parent / "alchemists.c"
FLAGS = ("-O3", "-march=native", "-shared", "-fPIC")


def compiler() -> str | None:
    """The C compiler of this machine, if it has one."""
    return shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")


def build() -> ctypes.CDLL:
    """Compile the C version and load it."""
    cc = compiler()
    if cc is None:
        raise CovenError("no C compiler here: cc, gcc and clang were looked for")
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "alchemists.so"
        done = subprocess.run([cc, *FLAGS, "-o", library, SOURCE], capture_output=True, text=True, check=False)
        if done.returncode:
            raise CovenError(f"{cc} does not compile {SOURCE.name}: {done.stderr.strip()}")
        c = ctypes.CDLL(str(library))
    word, many, place = ctypes.c_uint64, ctypes.c_long, ctypes.c_void_p
    c.play.restype = many
    c.play.argtypes = [ctypes.c_int, word, word, many, place, many, place, many, place, place]
    return c


class Ceiling:
    """Games one after the other inside C, with raw observations; the counterpart of `throughput.Kernel`."""

    def __init__(self, num_players: int, observing: bool = True) -> None:
        self.play, self.num_players, self.observing = build().play, num_players, observing
        self.mask = GAME.new_mask()
        self.observation = GAME.new_observation(derived=False)

    def __call__(self, decisions: int) -> int:
        """Make that many decisions; the number of games finished."""
        observation = self.observation.ctypes.data if self.observing else None
        return int(self.play(self.num_players, 1, 1, decisions, self.mask.ctypes.data, 0, observation, 0, None, None))

    def trace(self, seed: int, decisions: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """The mask, observation and action of every decision, and the scores of every game finished."""
        masks = np.zeros((decisions, len(self.mask)), np.int8)
        observations = np.zeros((decisions, GAME.layout.raw_size), DTYPE)
        actions, scores = np.zeros(decisions, np.int16), np.zeros((decisions, GAME.players[-1]), np.int32)
        places = [a.ctypes.data for a in (masks, observations, actions, scores)]
        steps = masks.shape[1], observations.shape[1]
        games = self.play(
            self.num_players, seed, seed, decisions, places[0], steps[0], places[1], steps[1], places[2], places[3]
        )
        return masks[:, : GAME.num_actions], observations, actions, scores[:games, : self.num_players]
