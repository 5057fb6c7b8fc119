"""Compiles one game in a process of its own: `python -P -m coven.prepare GAME [agents]`."""

from __future__ import annotations

import sys

from coven.games import game as find_game
from coven.games.core import processes


def prepare(name: str, agents: bool) -> None:
    """Compile a game and, if asked for, its bots and searches."""
    game = find_game(name)
    game.prepare()
    if agents:
        from coven.agents import outcomes
        from coven.agents.play import play
        from coven.agents.registry import create, create_all

        play(game, create_all(["random"] * game.players[0], game), deals=1)
        if game.greedy:
            create("greedy", game, game.players[0])
        create("ismcts:1", game, game.players[0])
        outcomes.make_ready(game)


if __name__ == "__main__":
    processes.end_with_parent()
    prepare(sys.argv[1], "agents" in sys.argv[2:])
