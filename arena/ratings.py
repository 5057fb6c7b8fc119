"""Ratings and other results of a tournament, with 95 % intervals clustered by deal (see `intervals`).

The *rating* is a Bradley-Terry fit (by choix) to the final ranks: every two players of a game are compared, and a tie
counts as half a win for each. It is on the Elo scale: 400 points more mean odds of ten to one to finish ahead, and the
mean of all agents is 1500. Half a win of each against each other is added, so that the ratings of agents that always
win are finite. If all pairs meet equally often, the order by rating is the order by mean rank reward, which the
sequential test uses. The interval of a rating is the middle 95 % of fits to bootstrap samples of whole deals.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy import stats

from coven.arena.intervals import LEVEL, Estimate, mean, share
from coven.arena.reading import BadFile, list_readers
from coven.arena.schedule import Tournament
from coven.arena.store import BadStore, Store
from coven.games.core.errors import extra

ELO = 400 / np.log(10)
LISTS = ("agents", "ranks", "scores", "moves", "seconds", "faults", "forfeits")
MOST_NUMBERS = 100_000_000
"""The most numbers in a table by deal and by two agents: 800 MB."""
SAMPLES = 500
"""Bootstrap samples behind the interval of a rating."""


@dataclass(frozen=True)
class Games:
    """The games of a tournament as arrays, one row per game and one column per seat."""

    tournament: Tournament
    deals: np.ndarray
    """The deal of each game, numbered from 0 without gaps."""
    agents: np.ndarray
    """The number of the agent in each seat."""
    ranks: np.ndarray
    scores: np.ndarray
    moves: np.ndarray
    seconds: np.ndarray
    faults: np.ndarray
    forfeits: np.ndarray

    @classmethod
    def load(cls, store: Store, deals: int | None = None) -> Games:
        """The games of the first deals of a stored tournament, or of all."""
        rows = store.columns(("deal", *LISTS), deals)
        if not rows:
            raise BadStore(f"{store.path} holds no games yet")
        t = store.tournament
        if len(rows) > t.games or any(type(row[0]) is not int or not 0 <= row[0] < t.deals for row in rows):
            raise BadStore(f"{store.path} is damaged: it holds games of deals that the tournament does not have")
        readers = list_readers(t.rules, t.players, t.agents)
        # The same lists come up again and again.
        reading = [lru_cache(maxsize=4096)(readers[name]) for name in LISTS]
        try:
            seated, *lists = (
                [read(text) for text in column]
                for read, column in zip(reading, list(zip(*rows, strict=True))[1:], strict=True)
            )
        except BadFile as error:
            raise BadStore(f"{store.path} is damaged: {error}") from error
        number = {spec: i for i, spec in enumerate(t.agents)}
        deal = np.unique([row[0] for row in rows], return_inverse=True)[1]
        if (int(deal.max()) + 1) * len(t.agents) ** 2 > MOST_NUMBERS:
            raise BadStore(f"{store.path} holds too many agents and deals to be rated")
        agents = np.array([[number[spec] for spec in specs] for specs in seated])
        return cls(t, deal, agents, *(np.array(column) for column in lists))

    def of_deals(self, deals: range) -> Games:
        """Only the games of these deals."""
        kept = (self.deals >= deals.start) & (self.deals < deals.stop)
        columns = [getattr(self, name) for name in LISTS]
        return Games(self.tournament, self.deals[kept] - deals.start, *(column[kept] for column in columns))

    @property
    def num_deals(self) -> int:
        """How many deals there are."""
        return int(self.deals.max()) + 1

    @property
    def rewards(self) -> np.ndarray:
        """The rank rewards: +1 for a sole winner, -1 for the last, shared in a tie."""
        better = (self.ranks[:, :, None] > self.ranks[:, None, :]).sum(axis=2)
        worse = (self.ranks[:, :, None] < self.ranks[:, None, :]).sum(axis=2)
        return (worse - better) / (self.ranks.shape[1] - 1)

    @property
    def wins(self) -> np.ndarray:
        """1 for the winner of a game, shared in a tie, else 0."""
        first = self.ranks == 1
        return first / first.sum(axis=1, keepdims=True)

    @property
    def margins(self) -> np.ndarray:
        """Points ahead of the best of the others."""
        others = np.repeat(self.scores[:, None, :], self.scores.shape[1], axis=1).astype(float)
        seats = np.arange(self.scores.shape[1])
        others[:, seats, seats] = -np.inf
        return self.scores - others.max(axis=2)

    def by(self, columns: np.ndarray, size: int, values: np.ndarray) -> np.ndarray:
        """Sums of values by deal and by agent or seat, as `columns` says."""
        total = np.zeros((self.num_deals, size))
        np.add.at(total, (self.deals[:, None], columns), values)
        return total

    def ahead(self) -> np.ndarray:
        """How often agent a finished ahead of agent b, by deal; ties count half, copies of an agent are left out."""
        size, n = len(self.tournament.agents), self.agents.shape[1]
        total = np.zeros((self.num_deals, size, size))
        for p in range(n):
            for q in range(n):
                a, b = self.agents[:, p], self.agents[:, q]
                points = np.where(
                    self.ranks[:, p] < self.ranks[:, q], 1.0, 0.5 * (self.ranks[:, p] == self.ranks[:, q])
                )
                np.add.at(total, (self.deals, a, b), np.where(a == b, 0.0, points))
        return total


@dataclass(frozen=True)
class Line:
    """The results of one agent."""

    agent: str
    games: int
    rating: Estimate
    win_share: Estimate
    reward: Estimate
    score: Estimate
    margin: Estimate
    milliseconds: float
    """Milliseconds for a decision."""
    faults: int
    """Decisions that it failed to make."""
    forfeits: int
    """Games that it lost by a fault."""


@dataclass(frozen=True)
class Standings:
    """The results of a tournament, best agent first."""

    tournament: Tournament
    games: int
    deals: int
    lines: tuple[Line, ...]
    head_to_head: dict[tuple[str, str], Estimate]
    """The share of games in which the first finished ahead of the second; ties count half."""
    seats: tuple[tuple[Estimate, Estimate], ...]
    """By seat: win share and mean score over all agents, each of which had the seat equally often."""


def standings(games: Games) -> Standings:
    """All results of a tournament: ratings, shares and means with their intervals."""
    t, size = games.tournament, len(games.tournament.agents)
    ahead = games.ahead()
    counts = games.by(games.agents, size, np.ones(games.agents.shape))
    sums = {
        name: games.by(games.agents, size, values)
        for name, values in (
            ("win", games.wins),
            ("reward", games.rewards),
            ("score", games.scores),
            ("margin", games.margins),
            ("seconds", games.seconds),
            ("moves", games.moves),
            ("faults", games.faults),
            ("forfeits", games.forfeits),
        )
    }
    ratings = bradley_terry(ahead, seed=t.seed)

    def line(i: int) -> Line:
        means = {name: mean(sums[name][:, i], counts[:, i]) for name in ("reward", "score", "margin")}
        return Line(
            agent=t.agents[i],
            games=int(counts[:, i].sum()),
            rating=ratings[i],
            win_share=share(sums["win"][:, i], counts[:, i]),
            faults=int(sums["faults"][:, i].sum()),
            forfeits=int(sums["forfeits"][:, i].sum()),
            milliseconds=float(1000 * sums["seconds"][:, i].sum() / max(1, sums["moves"][:, i].sum())),
            **means,
        )

    lines = sorted((line(i) for i in range(size)), key=lambda line: -line.rating.value)
    return Standings(
        tournament=t,
        games=len(games.deals),
        deals=games.num_deals,
        lines=tuple(lines),
        head_to_head={
            (t.agents[a], t.agents[b]): share(ahead[:, a, b], ahead[:, a, b] + ahead[:, b, a])
            for a in range(size)
            for b in range(size)
            if a != b
        },
        seats=_seats(games),
    )


def _seats(games: Games) -> tuple[tuple[Estimate, Estimate], ...]:
    """Win share and mean score by seat."""
    n = games.agents.shape[1]
    at = np.broadcast_to(np.arange(n), games.agents.shape)
    counts, wins, scores = (games.by(at, n, x) for x in (np.ones(at.shape), games.wins, games.scores))
    return tuple((share(wins[:, p], counts[:, p]), mean(scores[:, p], counts[:, p])) for p in range(n))


def bradley_terry(ahead: np.ndarray, seed: int = 0, samples: int = SAMPLES) -> list[Estimate]:
    """Ratings from how often each finished ahead of each, by deal."""
    deals, rng = len(ahead), np.random.default_rng(seed)
    best = _fit(ahead.sum(axis=0))
    weights = rng.multinomial(deals, np.full(deals, 1 / deals), size=samples)
    totals = np.tensordot(weights, ahead, axes=1)
    fits = np.array([_fit(total, best) for total in totals])
    tail = 100 * (1 - LEVEL) / 2
    low, high = np.percentile(fits, [tail, 100 - tail], axis=0)
    if deals == 1:  # nothing is known about the scatter
        low, high = np.full_like(best, -np.inf), np.full_like(best, np.inf)
    return [
        Estimate(*(float(1500 + ELO * x) for x in ends))
        for ends in zip(best, np.minimum(low, best), np.maximum(high, best), strict=True)
    ]


def _fit(ahead: np.ndarray, start: np.ndarray | None = None) -> np.ndarray:
    """The logarithms of the Bradley-Terry strengths, with mean 0."""
    with extra("arena", "ratings"):
        import choix
    size = len(ahead)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit: np.ndarray = choix.ilsr_pairwise_dense(ahead + 0.5 * (1 - np.eye(size)), 0.0, start, 1000, 1e-6)
    return fit - fit.mean()


def settled(games: Games, look: int, error_rate: float) -> bool:
    """Whether the order of all agents is significant by these games, at this look (counted from 1).

    Every two agents are compared by a t test on their mean rank rewards, paired deal by deal. The error rate is divided
    among the looks (a share of 6 / (pi * look)**2 at each; these add up to 1) and within a look among all pairs. So it
    bounds the probability of ever stopping with two agents in the wrong order.
    """
    size = len(games.tournament.agents)
    level = error_rate * 6 / (np.pi * look) ** 2 / (size * (size - 1) / 2)
    counts = games.by(games.agents, size, np.ones(games.agents.shape))
    rewards = games.by(games.agents, size, games.rewards)
    total, played = rewards.sum(axis=0), counts.sum(axis=0)
    if games.num_deals < 2 or (played == 0).any():
        return False
    value = total / played
    scatter = (rewards - value * counts) / played  # of every deal around every agent's mean
    for a in range(size):
        for b in range(a):
            difference = scatter[:, a] - scatter[:, b]
            error = np.sqrt(games.num_deals / (games.num_deals - 1) * (difference**2).sum())
            t = abs(value[a] - value[b]) / error if error > 0 else np.inf * abs(value[a] - value[b])
            if not 2 * stats.t.sf(t, games.num_deals - 1) < level:
                return False
    order = np.argsort(_fit(games.ahead().sum(axis=0)))
    return bool((np.argsort(value) == order).all())


def openskill(games: Games) -> dict[str, tuple[float, float]]:
    """Mean and standard deviation of every agent's skill by openskill's Plackett-Luce model, game by game in order.

    It assumes that all games are independent; of several copies of an agent in one lineup the last one counts.
    """
    with extra("arena", "ratings by openskill"):
        from openskill.models import PlackettLuce
    model = PlackettLuce()
    skills = [model.rating(name=spec) for spec in games.tournament.agents]
    for agents, ranks in zip(games.agents.tolist(), games.ranks.tolist(), strict=True):
        after = model.rate([[skills[i]] for i in agents], ranks=[float(r) for r in ranks])
        for i, (skill,) in zip(agents, after, strict=True):
            skills[i] = skill
    return {spec: (skill.mu, skill.sigma) for spec, skill in zip(games.tournament.agents, skills, strict=True)}
