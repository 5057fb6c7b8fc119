"""The threads of a batch: they change nothing, and go when nobody needs them."""

from __future__ import annotations

import gc
import time

import pytest

import coven
from coven.games.core import batch as batches
from coven.games.core.batch import Batch
from coven.games.core.drivers import STEP
from coven.games.core.thread_pool import ASKED, Worker

GAME = coven.game("alchemists")


@pytest.fixture
def always_sharing(monkeypatch):
    """However few games there are, and however late the threads come."""
    monkeypatch.setattr(batches, "_WORTH_WAKING", 1)
    monkeypatch.setattr(batches, "_WORTH_SHARING", dict.fromkeys(range(3), 1))
    monkeypatch.setattr(batches, "REST", 0)


def workers_of(batch):
    return batch._pool.workers if batch._pool else []


@pytest.mark.parametrize("name", coven.games.built_in())
def test_threads_change_nothing(name, always_sharing):
    game = coven.game(name)
    one, three = Batch(game, 50, seed=1), Batch(game, 50, seed=1, threads=3)
    asked = [worker.words[ASKED] for worker in workers_of(three)]
    assert asked == [1, 1]  # to deal
    for number in range(60):
        actions = one.random_actions()
        assert (actions == three.random_actions()).all()
        which = actions.argsort(kind="stable")[:40] if number % 3 == 0 else actions.argsort()
        which.sort()
        one.step(actions[which], which)
        three.step(actions[which], which)
        assert one.states.tobytes() == three.states.tobytes()
        assert (one.rewards == three.rewards).all()
        assert (one.observations == three.observations).all()
    assert [worker.words[ASKED] for worker in workers_of(three)] == [121, 121]
    three.close()


def test_threads_end_with_their_batch(always_sharing):
    closed, forgotten = Batch(GAME, 8, seed=1, threads=2), Batch(GAME, 8, seed=1, threads=2)
    threads = [worker.thread for batch in (closed, forgotten) for worker in workers_of(batch)]
    assert [thread.is_alive() for thread in threads] == [True, True]
    closed.close()
    closed.close()
    del forgotten
    gc.collect()
    for thread in threads:
        thread.join(10)
    assert [thread.is_alive() for thread in threads] == [False, False]
    closed.step(closed.random_actions())  # with threads anew
    assert workers_of(closed)[0].thread.is_alive()
    closed.close()


def test_threads_sleep_when_there_is_nothing_to_do(always_sharing):
    batch = Batch(GAME, 8, seed=1, threads=2)
    (worker,) = workers_of(batch)
    for _ in range(1000):
        if not worker.awake:
            break
        time.sleep(0.01)
    assert not worker.awake
    batch.step(batch.random_actions())  # and wake again
    batch.close()


def test_a_process_without_the_threads_starts_its_own(always_sharing):
    batch = Batch(GAME, 8, seed=1, threads=2)
    first = batch._pool
    first.process = -1  # as after a fork
    batch.step(batch.random_actions())
    assert batch._pool is not first
    batch.close()


def test_late_threads_are_left_out_for_a_while(monkeypatch, always_sharing):
    monkeypatch.setattr(batches, "REST", 1000)
    monkeypatch.setattr(Worker, "wait", lambda worker, seconds, wait=Worker.wait: wait(worker, seconds) and False)
    batch = Batch(GAME, 8, seed=1, threads=2)
    batch.step(batch.random_actions())
    assert workers_of(batch)[0].words[ASKED] == 1  # it dealt, and nothing since
    batch.close()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_dead_thread_is_an_error_and_not_an_endless_wait():
    worker = Worker(())  # without anything to work on it fails at once
    worker.thread.join(10)
    worker.ask(STEP, 0, 1)
    with pytest.raises(RuntimeError, match="has died"):
        worker.wait(0)
