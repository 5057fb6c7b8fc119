"""Protocol 1 of `coven evaluate`: whom an agent meets, on which deals, how often. docs/evaluation.md tells it in words.

An agent sits alone against copies of an opponent, at every number of players that the game has, on duplicate deals with
all rotations of the seats. Nothing here depends on how the agent plays, so that figures can be compared; a change of
anything here is another protocol with another number.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from coven.agents.learned import BASELINE as BASELINE_FILE
from coven.arena.schedule import Tournament, deal_seed, plan
from coven.games.core.game import Game

PROTOCOL = 1
ANCHORS = ("random", "greedy", "ismcts:100", "ismcts:1000")
"""The opponents whose ratings are fixed (`anchors.json` of a game): they make the scale."""
BASELINE = "ppo"
"""An opponent too, but no anchor: it becomes another one whenever it is trained anew."""
GAMES = {"random": 24, "greedy": 48, BASELINE: 24, "ismcts:100": 24, "ismcts:1000": 12}
"""Games against each opponent at each number of players, in whole deals: fewer where the opponent costs more."""
QUICK = 6
"""`--quick` plays so many games against each opponent but the most expensive one, for development."""
SEED = 0x436F76656E5F4576
"""Where the deals come from. Nothing that learns or is tuned may see these: nobody else uses this seed."""
RESERVED = range(deal_seed(SEED, 0), deal_seed(SEED, 1 << 20))
"""The seeds of the deals."""


class Match(NamedTuple):
    """An agent alone against copies of an opponent."""

    players: int
    opponent: str
    deals: int


def matches(game: Game, agent: str, quick: bool = False) -> list[Match]:
    """What an agent plays, in the order of result files; nobody plays against itself."""
    return [
        Match(players, opponent, -(-(QUICK if quick else games) // players))
        for players in game.players
        for opponent, games in _opponents(game, quick).items()
        if opponent != agent
    ]


def _opponents(game: Game, quick: bool) -> dict[str, int]:
    """The opponents that a game has, with the games against each; only games of other packages lack some."""
    missing = set()
    if game.greedy is None:
        missing.add("greedy")
    if game.file(BASELINE_FILE) is None:
        missing.add(BASELINE)
    if quick:
        missing.add("ismcts:1000")
    return {opponent: games for opponent, games in GAMES.items() if opponent not in missing}


def tournaments(game: Game, agent: str, quick: bool = False) -> Iterator[Tournament]:
    """The matches, each a tournament of its own: so one opponent that changes makes no game with another stale."""
    for match in matches(game, agent, quick):
        yield plan(game.name, (agent, match.opponent), match.players, match.deals, SEED, schedule="against")
