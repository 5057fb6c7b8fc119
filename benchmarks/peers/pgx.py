"""Pgx: batches on the CPU, stepped from Python, and whole runs inside one compiled loop."""

from __future__ import annotations

import sys
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import pgx
from pgx.experimental import auto_reset

from .worker import BATCHES, KERNEL_OBSERVING, Run, Subject, serve

GAMES = ("backgammon", "sparrow_mahjong", "leduc_holdem", "kuhn_poker")
LOOP = 64  # steps of one compiled loop
LOOP_BATCH = 1024


def begin(name: str, size: int) -> tuple[Any, Any]:
    """A step with a uniform legal action in every game, and what it steps: keys and states."""
    env = pgx.make(name)
    restart = auto_reset(env.step, env.init)

    def step(carry: Any) -> Any:
        key, state = carry
        key, choose, act = jax.random.split(key, 3)
        logits = jnp.log(state.legal_action_mask.astype(jnp.float32))
        actions = jax.random.categorical(choose, logits, axis=-1)
        return key, jax.vmap(restart)(state, actions, jax.random.split(act, size))

    state = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(0), size))
    return step, (jax.random.PRNGKey(1), state)


def from_python(name: str, size: int) -> Run:
    """One compiled step for each call from Python, the choice of actions compiled with it."""
    step, carry = begin(name, size)
    compiled = jax.jit(step)

    def run(decisions: int) -> int:
        nonlocal carry
        steps = -(-decisions // size)
        for _ in range(steps):
            carry = compiled(carry)
            jax.block_until_ready(carry)
        return steps * size

    return run


def in_one_loop(name: str) -> Run:
    """Many steps in one compiled loop."""
    step, carry = begin(name, LOOP_BATCH)
    compiled = jax.jit(lambda start: jax.lax.scan(lambda carry, _: (step(carry), None), start, None, LOOP)[0])

    def run(decisions: int) -> int:
        nonlocal carry
        loops = -(-decisions // (LOOP * LOOP_BATCH))
        for _ in range(loops):
            carry = jax.block_until_ready(compiled(carry))
        return loops * LOOP * LOOP_BATCH

    return run


SUBJECTS = [
    *(Subject(KERNEL_OBSERVING, name, partial(in_one_loop, name), f"scan, batch {LOOP_BATCH:,}") for name in GAMES),
    *(Subject(face, name, partial(from_python, name, size)) for size, face in BATCHES.items() for name in GAMES),
]

if __name__ == "__main__":
    jax.config.update("jax_compilation_cache_dir", str(Path(sys.prefix) / "jax-cache"))  # compiling takes minutes
    serve([f"pgx {version('pgx')}", f"jax {version('jax')}"], SUBJECTS)
