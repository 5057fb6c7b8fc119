"""How to write your own bot and rate it in the arena.

    cd examples && python own_bot.py

or as an agent on the command line (the module has to be in the current folder, or installed):

    cd examples && coven arena run alchemists --agents py:own_bot:make random greedy --players 2

The bot samples a world: a full state that its seat cannot tell from the true one. There it tries legal actions, and
takes the one after which it has most points. It can play every game. Needs: pip install 'coven-rl[arena]'.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import tyro

from coven.arena.league import league
from coven.envs.agent import Agent
from coven.games.core.game import Game
from coven.games.core.rng import next_bits


class PointsNow(Agent):
    """Takes the action that at once gains most points, compared with the mean of the others."""

    wants_state = True  # it gets a state in which all that its seat cannot know was sampled again

    def __init__(self, game: Game, tries: int) -> None:
        self.game, self.tries, self.name = game, tries, f"points now, {tries} tries"

    def act_batch(self, views: np.ndarray, masks: np.ndarray, dice: np.ndarray) -> np.ndarray:
        """An action for each of several games; all randomness comes from `dice`, so that games are reproducible."""
        return np.array([self._choose(views[i : i + 1].reshape(()), mask, dice) for i, mask in enumerate(masks)])

    def _choose(self, s: np.ndarray, mask: np.ndarray, dice: np.ndarray) -> int:
        player, legal = self.game.current_player(s), np.flatnonzero(mask)
        if len(legal) > self.tries:  # a few at random: enough for an example
            legal = legal[np.argsort([int(next_bits(dice[0])) for _ in legal])[: self.tries]]
        return int(max(legal, key=lambda action: self._gain(self.game.clone(s), int(action), player)))

    def _gain(self, s: np.ndarray, action: int, player: int) -> float:
        """How many points the seat is ahead of the others after an action, as far as all can see."""
        self.game.apply(s, action)
        scores = self.game.scores(s)
        return scores[player] - (sum(scores) - scores[player]) / (len(scores) - 1)


def make(rest: str, game: Game, num_players: int) -> Agent:
    """What `py:own_bot:make` or `py:own_bot:make:50` calls; `rest` is the text after `make:`."""
    return PointsNow(game, int(rest or 20))


@dataclass
class Args:
    """The options of the command line."""

    game: str = "alchemists"
    players: int = 2
    deals: int = 50
    """Each is played with all rotations of the seats."""
    seed: int = 0


def main(args: Args) -> list[str]:
    """Play a tournament and print its table: the agents, best first."""
    agents = ["py:own_bot:make", "random", "greedy"]
    found = league(args.game, agents, args.players, args.deals, args.seed)
    return [line.agent for line in found.lines]


if __name__ == "__main__":
    main(tyro.cli(Args))
