"""PettingZoo's way to Wie verhext!: `wie_verhext_v0.env(num_players=4)`; both give the same env, checked."""

from functools import partial

from coven.envs.aec import make

env = raw_env = partial(make, "wie_verhext")
