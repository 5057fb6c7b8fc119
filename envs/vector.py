"""The vector env for all seats: one call steps thousands of games, by Gymnasium's conventions.

In every game one seat is to act, `infos["player"]`: observations and masks are that seat's, and the next action is for
it. After a step `rewards[i]` is the reward of the seat that acted in game i (or always of one seat, with `seat`), and
`infos["rewards"][i]` has the rewards of all seats; they are 0 until a game ends. `terminations` and `truncations` say
which games the step has ended.

When a game ends, the next one starts in the same step (autoreset mode SAME_STEP), so the returned observation is
already the first of the next game. `infos["final_obs"][i]` is the last observation of the old game for the seat that
acted, with a mask of zeros, and `infos["final_info"]["returns"][i]` has the returns of all seats. As everywhere in
Gymnasium, these keys exist only after a step that ended a game, and `_final_obs`, `_final_info` say in which games.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from coven.envs.spaces import LegalDiscrete, LegalMultiDiscrete, SampledActions, observation_dict
from coven.games import game as find_game
from coven.games.core.batch import Batch, read_only
from coven.games.core.errors import BadOption
from coven.games.core.game import Game
from coven.games.core.numbers import whole
from coven.games.core.rng import as_seed

Arrays = dict[str, np.ndarray]


class CovenVectorEnv(VectorEnv[Arrays, np.ndarray, np.ndarray]):
    """`num_envs` games with all their seats; see above for what the arrays of a step mean.

    - `rewards`: `rank`, `win` or `score`, paid at the end only
    - `threads`: how many threads step the games; results do not depend on it
    - `copy`: False returns the env's own arrays, read-only, which the next step overwrites: faster
    - `seat`: `rewards` are those of this seat, whoever acted; Gymnasium's RecordEpisodeStatistics needs this
    - `derived`: False leaves the derived part of observations out
    - `options`: those of the game

    `action_space.sample()` chooses legal actions.
    """

    def __init__(
        self,
        game: Game,
        num_envs: int,
        num_players: int | None = None,
        seed: int | None = None,
        rewards: str = "rank",
        threads: int = 1,
        copy: bool = True,
        seat: int | None = None,
        derived: bool = True,
        **options: Any,
    ) -> None:
        self.batch = Batch(
            game, num_envs, num_players, seed, rewards, threads, final_observations=True, derived=derived, **options
        )
        self.game, self.num_envs, self.copy = game, self.batch.size, copy
        self.num_players, self.seat = self.batch.num_players, seat
        if seat is not None and whole(seat) not in range(self.num_players):
            raise BadOption(f"seat={seat!r} is not allowed; allowed: None (who acted), 0 to {self.num_players - 1}")
        self.metadata = {
            "name": f"{game.name}_v{game.version}",
            "autoreset_mode": AutoresetMode.SAME_STEP,
            "render_modes": ["ansi"],
        }
        self.render_mode = None
        self.single_observation_space = observation_dict(game, derived)
        self.single_action_space = LegalDiscrete(game.num_actions, self.batch.padded_masks)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = LegalMultiDiscrete(game.num_actions, self.batch.padded_masks)
        self._everywhere = np.ones(self.num_envs, bool)
        self._no_mask = np.zeros(game.num_actions, np.int8)
        self._no_mask.flags.writeable = False  # shared by all that ended
        self._final_obs, self._told = np.full(self.num_envs, None, object), np.zeros(0, np.int64)
        self._begun = False

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Arrays, dict[str, Any]]:
        """Deal all games: game i with seed + i or, without a seed, the next game of each.

        A first reset without a seed keeps the games that the constructor dealt.
        """
        seed = None if seed is None else int(as_seed(seed))
        super().reset(seed=seed)
        if seed is not None or self._begun:
            self.batch.deal(seed)
        self._begun = True
        return self._observations(), self._infos()

    def step(self, actions: np.ndarray) -> tuple[Arrays, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Make one decision in every game."""
        batch, seats = self.batch, self.batch.players.copy() if self.seat is None else None
        batch.step(actions.legal(batch.padded_masks) if isinstance(actions, SampledActions) else actions)
        infos, rewards, ended = self._infos(), np.zeros(self.num_envs, np.float32), batch.ends.nonzero()[0]
        if len(ended):
            rewards[ended] = batch.rewards[ended, self.seat if seats is None else seats[ended]]
            self._tell_ends(infos, ended)
        return self._observations(), rewards, batch.ends == 1, batch.ends == 2, infos

    def _tell_ends(self, infos: dict[str, Any], ended: np.ndarray) -> None:
        """Add the final observations and returns of games that ended."""
        which, mask = self.batch.ends != 0, self._no_mask
        if self.copy:
            self._final_obs = np.full(self.num_envs, None, object)
        else:
            self._final_obs[self._told] = None
        self._told, last = ended, self._final_obs
        for i, seen in zip(ended.tolist(), self.batch.final_observations[ended], strict=True):
            last[i] = {"observation": seen, "action_mask": mask}
        infos["final_obs"], infos["_final_obs"] = last, which
        infos["final_info"], infos["_final_info"] = {"returns": infos["rewards"], "_returns": which}, which

    def random_actions(self) -> np.ndarray:
        """A random legal action for every game, drawn in compiled code: much faster than `action_space.sample()`."""
        return self.batch.random_actions()

    def render(self) -> tuple[str, ...]:
        """Every game as text."""
        return tuple(self.game.text(self.batch.states[i : i + 1].reshape(())) for i in range(self.num_envs))

    def close_extras(self, **kwargs: Any) -> None:
        """End the threads."""
        self.batch.close()

    def _observations(self) -> Arrays:
        observations, masks = self.batch.observations, self.batch.masks
        if self.copy:
            observations, masks = observations.copy(), masks.copy()
        else:
            observations = read_only(observations)
        return {"observation": observations, "action_mask": masks}

    def _infos(self) -> dict[str, Any]:
        players, rewards = self.batch.players, self.batch.rewards
        if self.copy:
            players, rewards = players.copy(), rewards.copy()
        else:
            players, rewards = read_only(players), read_only(rewards)
        return {"player": players, "_player": self._everywhere, "rewards": rewards, "_rewards": self._everywhere}


def make(
    name: str, num_envs: int, num_players: int | None = None, seed: int | None = None, **options: Any
) -> CovenVectorEnv:
    """The native vector env of a game."""
    return CovenVectorEnv(find_game(name), num_envs, num_players, seed, **options)
