"""Protocol 1 of `coven evaluate`: the opponents, deals and numbers of games; docs/evaluation.md explains it.

An agent plays alone against copies of an opponent, at every number of players that the game allows, on the same deals
for all agents, with all rotations of the seats. Nothing here depends on how the agent plays, so figures can be
compared. If anything here changes, the protocol gets another number.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from coven.agents.learned import BASELINE as BASELINE_FILE
from coven.arena.schedule import Tournament, deal_seed, plan
from coven.games.core.game import Game

PROTOCOL = 1
ANCHORS = ("random", "greedy", "ismcts:100", "ismcts:1000")
"""The opponents whose ratings are fixed (`anchors.json` of a game); they define the scale."""
BASELINE = "ppo"
"""An opponent too, but no anchor: it becomes another agent when it is trained again."""
GAMES = {"random": 24, "greedy": 48, BASELINE: 24, "ismcts:100": 24, "ismcts:1000": 12}
"""Games against each opponent at each number of players, in whole deals; fewer against slow opponents."""
QUICK = 6
"""`--quick` plays so many games against each opponent but the slowest one, for development."""
SEED = 0x436F76656E5F4576
"""The seed of the deals. Nothing that learns or is tuned may use these deals, so nothing else uses this seed."""
RESERVED = range(deal_seed(SEED, 0), deal_seed(SEED, 1 << 20))
"""The seeds of the deals."""


class Match(NamedTuple):
    """An agent alone against copies of an opponent."""

    players: int
    opponent: str
    deals: int


def matches(game: Game, agent: str, quick: bool = False) -> list[Match]:
    """The matches of an agent, in the order of result files; no agent plays against itself."""
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
    """The matches, each a tournament of its own: if one opponent changes, games with the others stay valid."""
    for match in matches(game, agent, quick):
        yield plan(game.name, (agent, match.opponent), match.players, match.deals, SEED, schedule="against")
