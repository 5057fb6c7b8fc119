"""A lock-free pool of worker threads, each of which does its part of a batch, mostly without being woken for it.

Waking a thread takes longer than stepping hundreds of games. So a worker that has done its part stays in its kernel,
outside Python, and watches for the next job for a fraction of a millisecond; only then does it go to sleep.
"""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic

from coven.games.core.drivers import Buffers, do_part
from coven.games.core.kernels import kernel

# The words through which a worker and its batch talk; what one writes and the other watches lies cache lines apart.
JOB, FIRST, LAST, ASKED, DONE, AWAKE, STOPPED = 0, 1, 2, 3, 8, 16, 24
_WORDS = 32

WATCH = 200e-6  # seconds that a worker watches for its next job, before it sleeps
REST = 0.05  # seconds without sharing after a worker came late: there is no core for it


@intrinsic
def _load(typing: Any, words: Any, index: Any) -> Any:
    """A word as all threads see it now."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, args[0])
        return builder.load_atomic(builder.gep(array.data, [args[1]]), "seq_cst", 8)

    return types.int64(words, types.intp), build


@intrinsic
def _store(typing: Any, words: Any, index: Any, value: Any) -> Any:
    """Set a word for all threads to see, after all that was written before."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, args[0])
        builder.store_atomic(args[2], builder.gep(array.data, [args[1]]), "seq_cst", 8)
        return context.get_dummy_value()

    return types.void(words, types.intp, types.int64), build


@kernel
def serve(words, patience, buffers):
    """A worker at work: one job after the other, until none has come for a while."""
    done = words[DONE]
    while True:
        watched = 0
        while _load(words, ASKED) == done:
            watched += 1
            if watched > patience:
                return
        do_part(buffers, words[JOB], words[FIRST], words[LAST])
        done += 1
        _store(words, DONE, done)


@kernel
def ask(words, job, first, last):
    """Give a worker its next job; is it awake to see it?"""
    words[JOB], words[FIRST], words[LAST] = job, first, last
    _store(words, ASKED, words[ASKED] + 1)
    return _load(words, AWAKE) != 0


@kernel
def wait(words, patience):
    """Watch for a worker to be done; is it?"""
    watched = 0
    while _load(words, DONE) != words[ASKED]:
        watched += 1
        if watched > patience:
            return False
    return True


@kernel
def may_sleep(words):
    """Say that one will sleep from now on; may one, with no job given meanwhile?"""
    _store(words, AWAKE, 0)
    return _load(words, ASKED) == words[DONE]


def new_words() -> np.ndarray:
    """Words with nothing asked."""
    return np.zeros(_WORDS, np.int64)


@cache
def patience() -> int:
    """How often a worker looks for a job until it has watched long enough, on this machine."""
    words, looks, took = new_words(), 1 << 16, 1.0
    words[ASKED] = 1
    wait(words, 1)
    for _ in range(3):
        begun = time.perf_counter()
        wait(words, looks)
        took = min(took, time.perf_counter() - begun)
    return int(looks * WATCH / took)


class Worker:
    """One thread, the words through which it is given jobs, and the event that wakes it."""

    def __init__(self, buffers: Buffers) -> None:
        self.words, self.wake = new_words(), threading.Event()
        self.thread = threading.Thread(target=_work, args=(self.words, self.wake, buffers), daemon=True)
        self.thread.start()

    def ask(self, job: int, first: int, last: int) -> None:
        """Give it a job."""
        if not ask(self.words, job, first, last):
            self.wake.set()

    def wait(self, seconds: float) -> bool:
        """Until its job is done; was it in time? On a busy machine it may have to wait for a core, perhaps for ours."""
        if wait(self.words, int(patience() * max(1.0, seconds / WATCH))):
            return True
        while not wait(self.words, 1):
            if not self.thread.is_alive():
                raise RuntimeError("a thread of the batch has died")
            time.sleep(WATCH / 10)
        return False

    @property
    def awake(self) -> bool:
        """Does it watch for a job at this moment?"""
        return bool(self.words[AWAKE])


class ThreadPool:
    """The workers of one batch: they end when it is closed or forgotten."""

    def __init__(self, buffers: Sequence[Buffers]) -> None:
        """Start a worker for each of the buffers, which differ only in their scratch."""
        self.workers = [Worker(own) for own in buffers]
        self.process = os.getpid()
        self.stop = weakref.finalize(self, _stop, [(worker.words, worker.wake) for worker in self.workers])

    @property
    def is_here(self) -> bool:
        """A fork of the process has no threads."""
        return self.process == os.getpid()


def _work(words: np.ndarray, wake: threading.Event, buffers: Buffers) -> None:
    """What a thread runs. It knows nothing of its batch, so that the batch can be forgotten."""
    while not words[STOPPED]:
        words[AWAKE] = 1
        serve(words, patience(), buffers)
        if may_sleep(words):
            wake.wait()
        wake.clear()


def _stop(workers: Sequence[tuple[np.ndarray, threading.Event]]) -> None:
    for words, wake in workers:
        words[STOPPED] = 1
        wake.set()
