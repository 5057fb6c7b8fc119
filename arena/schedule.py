"""The plan of a tournament: which agents meet on which deals, cut into units of work.

A *lineup* is one agent for each seat. All lineups play the same deals, and every deal with all rotations of the seats.
A *unit* is a block of deals of one lineup. Its games depend only on the tournament and the unit, so units can be played
in any order, on any machine, and again, and give the same games.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from coven.agents.registry import create
from coven.arena.reading import BadFile, check_name, decode, shortened
from coven.games import game as find_game
from coven.games.core.errors import BadOption
from coven.games.core.game import Game
from coven.games.core.numbers import whole
from coven.games.core.rng import as_seed, mix, next_seed

FEW_LINEUPS = 60
"""By default all combinations play if they are so many or fewer; otherwise lineups are drawn."""
BLOCK = 32
"""Deals of a unit."""
SEARCH_BLOCK = 2
"""Deals of a unit if an agent searches: less is lost if the run is killed."""
SCHEDULES = ("all", "drawn", "alone", "against")
MOST_AGENTS, MOST_LINEUPS, MOST_DEALS = 256, 100_000, 10_000_000
"""Limits of a tournament: more could be neither played nor shown."""


@dataclass(frozen=True)
class Unit:
    """A block of deals of one lineup."""

    lineup: int
    block: int


@dataclass(frozen=True)
class Tournament:
    """Everything that determines the games of a tournament."""

    game: str
    agents: tuple[str, ...]
    players: int
    deals: int
    seed: int = 0
    options: dict[str, Any] = field(default_factory=dict)
    schedule: str = "all"
    """`all` combinations of agents, lineups `drawn` at random, each agent `alone` against copies of the first, or the
    first `against` copies of each other."""
    block: int = BLOCK
    """Deals of a unit."""
    timed: bool = False
    """Whether an agent has a time limit; then the same seed need not give the same games."""
    version: int = 0
    """Of the game."""

    def __post_init__(self) -> None:
        self._check_game()
        for name in ("deals", "block"):
            if not 1 <= (whole(getattr(self, name)) or 0) <= MOST_DEALS:
                raise BadOption(f"{name}={getattr(self, name)!r} is not allowed; allowed: 1 to {MOST_DEALS:,}")
        if self.schedule not in SCHEDULES:
            raise BadOption(f"schedule={self.schedule!r} is not allowed; allowed: {', '.join(SCHEDULES)}")
        if len(self.agents) > MOST_AGENTS:
            raise BadOption(f"{len(self.agents)} agents are too many; allowed: {MOST_AGENTS}")
        for spec in self.agents:
            _check_spec(spec)
        doubled = sorted({spec for spec in self.agents if self.agents.count(spec) > 1})
        if doubled:
            raise BadOption(f"{', '.join(doubled)} is named twice; name every agent once, lineups may repeat them")
        least = 2 if self.schedule in ("alone", "against") else self.players
        if len(self.agents) < least:
            raise BadOption(
                f"{len(self.agents)} agents cannot fill {self.players} seats; name {least} or more, "
                "or two or more with the schedules 'alone' and 'against'"
            )
        if self.schedule == "all" and comb(len(self.agents), self.players) > MOST_LINEUPS:
            raise BadOption(
                f"all combinations of {len(self.agents)} agents are more than {MOST_LINEUPS:,} lineups; "
                "choose the schedule 'drawn', 'alone' or 'against'"
            )

    def _check_game(self) -> None:
        """Raise BadOption unless the game can be played like that."""
        check_name(self.game, "game")
        rules = self.rules
        rules.blank(self.players, **rules.known_options(self.options))
        if self.seed is None:
            raise BadOption("a tournament needs a seed")
        as_seed(self.seed)

    @property
    def rules(self) -> Game:
        """The game."""
        return find_game(self.game)

    @cached_property
    def lineups(self) -> tuple[tuple[int, ...], ...]:
        """All lineups, each as the numbers of its agents."""
        everybody, n = range(len(self.agents)), self.players
        if self.schedule == "all":
            return tuple(combinations(everybody, n))
        if self.schedule == "alone":
            return tuple((agent, *[0] * (n - 1)) for agent in everybody[1:])
        if self.schedule == "against":
            return tuple((0, *[agent] * (n - 1)) for agent in everybody[1:])
        return tuple(_draw(len(self.agents), n, self.seed))

    @property
    def blocks(self) -> int:
        """The number of blocks."""
        return -(-self.deals // self.block)

    @property
    def games(self) -> int:
        """The total number of games."""
        return self.deals * self.games_a_deal

    @property
    def games_a_deal(self) -> int:
        """How many games each deal has: all rotations of all lineups."""
        return len(self.lineups) * self.players

    def units(self) -> Iterator[Unit]:
        """All units, all lineups of a block before the next block."""
        for block in range(self.blocks):
            for lineup in range(len(self.lineups)):
                yield Unit(lineup, block)

    def deals_of(self, block: int) -> range:
        """The deals of a block."""
        return range(block * self.block, min(self.deals, (block + 1) * self.block))

    def deal_seed(self, deal: int) -> int:
        """The seed of a deal."""
        return deal_seed(self.seed, deal)

    def dice_seed(self, unit: Unit) -> int:
        """The seed of the agents' random generators in a unit."""
        mixed = np.uint64(self.seed)
        for part in (unit.lineup, unit.block):
            mixed = np.uint64(mix(mixed ^ np.uint64(next_seed(np.uint64(part)))))
        return int(mixed)

    def number(self, deal: int, lineup: int, rotation: int) -> int:
        """The number of a game, from 0, deal by deal."""
        return (deal * len(self.lineups) + lineup) * self.players + rotation

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Tournament:
        """The tournament of `to_dict`."""
        return cls(**{**values, "agents": tuple(values["agents"])})

    @classmethod
    def from_json(cls, text: Any) -> Tournament:
        """The tournament that a file holds; BadFile or BadOption for anything else."""
        known = {field.name for field in fields(cls)}
        given = decode(text, dict[str, Any], "the tournament")
        if given.keys() != known:
            raise BadFile(f"a tournament has {', '.join(sorted(known))}, not {shortened(sorted(given))}")
        found: Tournament = decode(text, cls, "the tournament")
        return found


def deal_seed(seed: int, deal: int) -> int:
    """The seed of a deal of a tournament with this seed, below 2**63 so that every database can hold it."""
    return (int(next_seed(np.uint64(seed))) // 4 + deal) % (1 << 63)


def _check_spec(spec: str) -> None:
    try:
        check_name(spec)
    except BadFile as error:
        raise BadOption(str(error)) from error


def plan(
    game: str,
    agents: Sequence[str],
    players: int | None = None,
    deals: int = 100,
    seed: int = 0,
    options: dict[str, Any] | None = None,
    schedule: str | None = None,
    block: int | None = None,
) -> Tournament:
    """Make the plan of a tournament: check everything, and choose defaults for what is not given.

    By default all combinations of agents meet if they are few, otherwise lineups are drawn at random; blocks are small
    if an agent searches.
    """
    rules = find_game(game)
    seats = rules.players[0] if players is None else players
    as_seed(seed)
    in_force = rules.options_of(rules.blank(seats, **rules.known_options(options or {})))
    given = {name: in_force[name] for name in options or {}}  # numpy's numbers as plain ones
    made = [create(spec, rules, seats) for spec in agents]
    if block is None:
        block = SEARCH_BLOCK if any(agent.wants_state for agent in made) else BLOCK
    if schedule is None:
        schedule = "all" if comb(len(agents), seats) <= FEW_LINEUPS else "drawn"
    timed = any(agent.timed for agent in made)
    return Tournament(game, tuple(agents), seats, deals, int(seed), given, schedule, block, timed, rules.version)


def _draw(agents: int, players: int, seed: int) -> Iterator[tuple[int, ...]]:
    """Lineups from shuffled rounds in which every agent plays once (some twice, if the numbers do not divide).

    There are as many rounds as every pair needs to meet about twice.
    """
    rng = np.random.Generator(np.random.PCG64(seed))
    rounds = max(1, round(2 * (agents - 1) / (players - 1)))
    for _ in range(rounds):
        order = rng.permutation(agents).tolist()
        for start in range(0, agents, players):
            lineup = order[start : start + players]
            others = [agent for agent in order[:start] if agent not in lineup]
            yield tuple(lineup + others[: players - len(lineup)])


def check_same(stored: Tournament, asked: Tournament) -> None:
    """Raise BadOption unless this is the stored tournament, or the same one with more deals."""
    differing: Sequence[str] = [
        f"{name} was {value!r}, not {asked.to_dict()[name]!r}"
        for name, value in stored.to_dict().items()
        if asked.to_dict()[name] != value and name != "deals"
    ]
    if differing:
        raise BadOption(f"this file holds another tournament ({'; '.join(differing)}); choose another file")
    if asked.deals != stored.deals and (asked.deals < stored.deals or stored.deals % stored.block):
        raise BadOption(
            f"this tournament has {stored.deals} deals in blocks of {stored.block}; it can go on to more deals only "
            "from whole blocks, and never to fewer"
        )
