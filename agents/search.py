"""The agent that searches: single-observer information-set Monte Carlo tree search (Cowling, Powley, Whitehouse 2012).

- **Hidden information.** In every iteration, everything that the searching seat cannot know is sampled again
  (`determinize`), the random generator included. All iterations share one tree; a child's exploration term counts the
  iterations in which its action was available. So the other hands and future random events reach the search only as a
  distribution.
- **Chance** is open-loop: a node stands for a sequence of actions, and its value is the mean over all their outcomes.
- **Several players**: max^n. A node stores the returns of every seat, and at each node the player to move maximises its
  own: half the return by rank, half the margin in points (`margin`), relative to the usual margin in this search. One
  decision changes the points more reliably than the rank, so fewer rollouts are needed.
- **Many actions**: progressive widening. A node visited n times has at most 1 + widen * sqrt(n) children that are
  legal, in the order in which the greedy policy would take them (`order=greedy`) or at random.
- **Rollouts** are played by the greedy policy or at random (without idle actions, where a game has such). If the game
  has an estimate, greedy rollouts last only a few turns, and the estimate, a small value network, predicts the result:
  that takes a fraction of the time of a rollout to the end, and varies far less. `horizon=end` plays rollouts to the
  end.
- **Early stop**: an agent stops searching when the remaining iterations could not change its choice. Its play is the
  same, only faster.
- **Threads** build one tree each, with their own random generators, and the visits of the roots are added up. The
  choice is the most visited action; ties go to the one with the higher value, then to the lower id.
- **The tree is not kept** from one decision to the next: the caller gives the agent a new determinization each time,
  and need not say which game it belongs to or what the others did in between. And what a player learns on the way
  (cubes drawn, cards seen) would make most averages of an open-loop tree wrong.

With a fixed number of iterations the choice depends only on the view and the dice; with a time limit it does not.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from coven.agents import network
from coven.agents.estimate import FILE, Estimate, estimate_of
from coven.agents.kernels import search as kernels
from coven.agents.registry import split_options
from coven.agents.rows import check_dice, check_masks
from coven.envs.agent import Agent
from coven.games.core.errors import BadOption
from coven.games.core.game import Game, compile_once
from coven.games.core.kernels import marker
from coven.games.core.rng import generator, next_bits

TIMED_NODES = 1 << 17
"""The most nodes of a tree with a time limit; when a tree is full, the search goes on without new nodes."""
USUAL = {"random": (0.5, 1.5), "greedy": (0.5, 0.4), "estimate": (0.05, 0.2)}
"""Default exploration and widening of a search guided by nothing, by the greedy order, or by an estimate too.

If good actions come first, few children are enough. And estimates vary far less than final results, so small
differences can be detected, while much exploration would only worsen the mean values of a deep tree.
"""
TO_THE_END = 1 << 30
"""The horizon, in turns, of a rollout to the end of the game."""
MOST = {"iterations": 10_000_000, "milliseconds": 86_400_000, "threads": 256}
"""The largest iterations and milliseconds: an iteration needs some 60 bytes, and nobody waits longer than a day."""
CHUNK = 32
"""Iterations between two looks at the clock."""


@dataclass(frozen=True)
class Budget:
    """How long a search may take, whatever guides it."""

    options: ClassVar[tuple[str, ...]] = ("c", "threads")
    """The options that may follow the budget in a spec, in this order."""
    iterations: int | None = None
    """Iterations of a decision, divided among the threads."""
    milliseconds: float | None = None
    """Or the time limit of a decision."""
    threads: int = 1
    """Trees that are built in parallel."""
    c: float | None = None
    """The exploration constant, for returns scaled to 0..1; None for the default."""

    def __post_init__(self) -> None:
        if (self.iterations is None) == (self.milliseconds is None):
            raise BadOption("a search needs a budget: iterations or milliseconds")
        for name, most in MOST.items():
            value = getattr(self, name)
            if value is not None and not 0 < value <= most:
                raise BadOption(f"{name}={value!r} is not allowed; allowed: more than 0, at most {most:,}")
        self._check_least("c")

    def _check_least(self, name: str) -> None:
        value = getattr(self, name)
        if value is not None and not 0 <= value < float("inf"):
            raise BadOption(f"{name}={value!r} is not allowed; allowed: 0 and more")

    def _check_margin(self, margin: float) -> None:
        if not 0 <= margin <= 1:
            raise BadOption(f"margin={margin!r} is not allowed; allowed: 0 to 1")

    @property
    def words(self) -> str:
        """The budget in a spec, and all that is not the default."""
        budget = f"{self.iterations}" if self.iterations is not None else f"{self.milliseconds:g}ms"
        usual = type(self)(iterations=1)
        changed = (
            f":{name}={getattr(self, name)}" for name in self.options if getattr(self, name) != getattr(usual, name)
        )
        return f"{budget}{''.join(changed)}"


@dataclass(frozen=True)
class SearchConfig(Budget):
    """How to search with rollouts; the defaults are good for all games.

    The exploration constant is that of UCB1. `USUAL` has its default and that of the widening.
    """

    options = ("rollout", "order", "c", "widen", "margin", "horizon", "threads")
    rollout: str = "greedy"
    """`greedy` or `random`."""
    order: str = "greedy"
    """In which order a node tries its actions: `greedy` or `random`."""
    widen: float | None = None
    """A node visited n times has at most 1 + widen * sqrt(n) children; None for the default in `USUAL`."""
    margin: float = 0.5
    """The weight of the margin in points against the rank, 0 to 1."""
    horizon: int | str | None = None
    """How many turns rollouts last, or `end`.

    None: as the game's estimate says; to the end if there is none or rollouts are random.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_least("widen")
        self._check_margin(self.margin)
        turns = self.horizon
        if turns not in (None, "end") and not (isinstance(turns, int) and 0 < turns <= TO_THE_END):
            raise BadOption(f"horizon={turns!r} is not allowed; allowed: 1 to {TO_THE_END:,} turns, or end")
        for name in ("rollout", "order"):
            if getattr(self, name) not in ("random", "greedy"):
                raise BadOption(f"{name}={getattr(self, name)!r} is not allowed; allowed: random, greedy")

    @property
    def spec(self) -> str:
        """The spec of this search, without settings that have their defaults."""
        return f"ismcts:{self.words}"


class Tree:
    """A search tree and all buffers for building it, allocated once."""

    def __init__(self, game: Game, num_players: int, capacity: int, **guides: Any) -> None:
        """`guides` are buffers of the kernels' Tree that are not as in a search to the end of the game."""
        nothing = network.nothing()
        buffers: dict[str, Any] = {
            "nodes": np.zeros(capacity, kernels.NODE),
            "totals": np.zeros((capacity, num_players)),
            "settings": np.zeros(1, kernels.SETTINGS),
            "path": np.zeros(game.facts.longest[num_players] + 2, np.int32),
            "states": np.zeros(1, game.record),
            "mask": game.new_mask(),
            "observation": game.new_observation(derived=False),
            "keys": game.new_keys(),
            "returns": np.zeros(num_players),
            "margins": np.zeros(num_players),
            "policy": nothing,
            "value": nothing,
            "legal": game.new_mask(),
            "logits": np.zeros(game.num_actions, np.float32),
            "idle": game.idle if game.idle.any() else game.idle[:0],
            "dice": generator(0),
        }
        self.buffers = kernels.Tree(**buffers | guides)

    def set(self, **settings: float) -> None:
        """Set how it grows, see `kernels.SETTINGS`."""
        for name, value in settings.items():
            self.buffers.settings[name] = value

    def plant(self, seed: int) -> None:
        """Begin a new search."""
        self.buffers.dice[:] = generator(seed)
        kernels.clear(self.buffers)

    def grow(self, root: np.ndarray, iterations: int, until_decided: bool = False) -> None:
        """Continue the search from a state for that many iterations, or until they cannot change the choice."""
        kernels.search(root, self.buffers, iterations, until_decided)

    def count_visits(self, player: int, visits: np.ndarray, values: np.ndarray) -> None:
        """Add the visits of the root's children, and their returns for a player, to arrays by action."""
        kernels.count_visits(self.buffers.nodes, self.buffers.totals, player, visits, values)

    def grow_until(self, root: np.ndarray, deadline: float) -> None:
        """Continue the search until the time is up, for some iterations at least."""
        self.grow(root, CHUNK)
        while time.perf_counter() < deadline:
            self.grow(root, CHUNK)


@dataclass(frozen=True)
class Finding:
    """The result of a search: visits and values of the actions of a position."""

    visits: np.ndarray
    """By action."""
    values: np.ndarray
    """The mean return of the player to move, by action; -1 for actions that were not tried."""
    returns: np.ndarray
    """The mean return of every seat, over the whole search."""

    @property
    def best(self) -> int:
        """The most visited action; ties go to the higher value, then to the lower id."""
        return int(np.lexsort((-self.values, -self.visits))[0])


class Searcher(Agent):
    """Searches before every decision, in trees that `new_tree` makes; they contain what guides the search."""

    wants_state = True
    game: Game

    def __init__(self, game: Game, num_players: int, config: Budget, name: str) -> None:
        game.prepare()
        self.game, self.num_players, self.config, self.name = game, num_players, config, name
        self.timed = config.milliseconds is not None
        self._shares = _shares(config)
        self._trees = [self.new_tree(nodes) for nodes in self._capacities()]
        self._pool = ThreadPoolExecutor(config.threads) if config.threads > 1 else None
        ready = marker(kernels.search, f"search_{game.name}", game.sources)
        compile_once(f"{game.title} (search)", ready, [("search", self._first_call)])

    def new_tree(self, capacity: int) -> Tree:
        """A tree of this search with room for so many nodes."""
        raise TypeError(f"{type(self).__name__} does not say what guides it")

    def _first_call(self) -> None:
        game, tree = self.game, self.new_tree(2)
        tree.plant(0)
        tree.grow(game.new(self.num_players, seed=0), 1)
        tree.count_visits(0, np.zeros(game.num_actions, np.int64), np.zeros(game.num_actions))

    def _capacities(self) -> list[int]:
        """Nodes of each tree: the root and one for every iteration."""
        return [TIMED_NODES if share is None else share + 1 for share in self._shares]

    def search(self, state: np.ndarray, dice: np.ndarray, until_decided: bool = False) -> Finding:
        """Search a position; with `until_decided` only until the best action is certain. The state is not changed."""
        self._begin(state, dice)
        deadline = time.perf_counter() + (self.config.milliseconds or 0) / 1000

        def grow(tree: Tree, share: int | None) -> None:
            if share is None:
                tree.grow_until(state, deadline)
            else:
                tree.grow(state, share, until_decided and self._pool is None)  # trees add up: none decides alone

        if self._pool is None:
            grow(self._trees[0], self._shares[0])
        else:
            list(self._pool.map(grow, self._trees, self._shares))
        return self._found(state)

    def search_in_steps(self, state: np.ndarray, dice: np.ndarray, steps: int = 20) -> Iterator[Finding]:
        """Search a position in one thread, and yield the results so far in between."""
        self._begin(state, dice)
        for step in range(steps):
            for tree, share in zip(self._trees, self._shares, strict=True):
                if share is None:
                    tree.grow_until(state, time.perf_counter() + (self.config.milliseconds or 0) / 1000 / steps)
                else:
                    tree.grow(state, share * (step + 1) // steps - share * step // steps)
            yield self._found(state)

    def _begin(self, state: np.ndarray, dice: np.ndarray) -> None:
        """Plant the trees of a search, unless it cannot be made."""
        if self.game.is_over(state):
            raise BadOption(f"{self.name} cannot search a game that is over")
        check_dice(dice)
        if int(state["num_players"]) != self.num_players:
            raise BadOption(f"{self.name} was made for {self.num_players} players, not {int(state['num_players'])}")
        for tree in self._trees:
            tree.plant(int(next_bits(dice[0])))

    def _found(self, state: np.ndarray) -> Finding:
        """What all trees together have found."""
        visits, totals = np.zeros(self.game.num_actions, np.int64), np.zeros(self.game.num_actions)
        for tree in self._trees:
            tree.count_visits(int(state["current"]), visits, totals)
        values = np.where(visits > 0, totals / np.maximum(visits, 1), -1.0)
        all_visits = sum(int(tree.buffers.nodes[kernels.ROOT]["visits"]) for tree in self._trees)
        returns = sum(tree.buffers.totals[kernels.ROOT] for tree in self._trees) / max(all_visits, 1)
        return Finding(visits, values, returns)

    def act_batch(self, views: np.ndarray, masks: np.ndarray, dice: np.ndarray) -> np.ndarray:
        """The action found for each state, one after the other; a single legal action is taken without a search."""
        masks = check_masks(masks, dice, self.game.num_actions)
        if np.shape(views) != (len(masks),):
            raise BadOption(f"{self.name} is asked with one state for each mask, not with a shape of {np.shape(views)}")
        actions = masks.argmax(axis=1).astype(np.int64)
        for i in np.flatnonzero(masks.sum(axis=1) > 1):
            actions[i] = self.search(views[i : i + 1].reshape(()), dice, until_decided=True).best
        return actions


class SearchAgent(Searcher):
    """Searches with rollouts."""

    config: SearchConfig

    def __init__(self, game: Game, num_players: int, config: SearchConfig) -> None:
        if game.greedy is None and "greedy" in (config.rollout, config.order):
            raise BadOption(f"nobody has written a greedy strategy for {game.name}: use rollout=random:order=random")
        self._estimate = _estimate_for(game, config)
        estimate = game.file(FILE) if self._estimate else None
        self.files = (estimate,) if estimate else ()
        super().__init__(game, num_players, config, config.spec)

    def __reduce__(self) -> tuple[Any, ...]:
        return SearchAgent, (self.game, self.num_players, self.config)  # every search begins anew: nothing else to keep

    def new_tree(self, capacity: int) -> Tree:
        """A tree whose leaves are judged by rollouts."""
        config, known = self.config, self._estimate
        tree = Tree(
            self.game, self.num_players, capacity, **({"value": known.network(self.num_players)} if known else {})
        )
        c, widen = USUAL["random" if config.order == "random" else "estimate" if known else "greedy"]
        tree.set(
            exploration=c if config.c is None else config.c,
            widening=widen if config.widen is None else config.widen,
            margin=config.margin,
            horizon=int(config.horizon or known.horizon) if known else TO_THE_END,
            greedy_order=config.order == "greedy",
            greedy_rollout=config.rollout == "greedy",
        )
        return tree


def _shares(config: Budget) -> list[int | None]:
    """The iterations of each thread, None for those that look at the clock."""
    if config.iterations is None:
        return [None] * config.threads
    share, more = divmod(config.iterations, config.threads)
    return [share + (i < more) for i in range(config.threads)]


def _estimate_for(game: Game, config: SearchConfig) -> Estimate | None:
    """The estimate at the end of rollouts; None if rollouts go to the end of the game."""
    if config.horizon == "end" or (config.horizon is None and config.rollout == "random"):
        return None
    known = estimate_of(game)
    if known is None and config.horizon is not None:
        raise BadOption(f"horizon={config.horizon} needs an estimate, and {game.name} has none; allowed: end")
    return known


def _horizon(text: str) -> int | str:
    """The turns of `horizon=3`, or `end`."""
    return text if text == "end" else int(text)


def read_budget(words: list[str]) -> dict[str, Any]:
    """The budget among the words of a spec: iterations, or milliseconds as in `50ms`."""
    if len(words) != 1:
        raise ValueError("it needs one budget")
    if words[0].endswith("ms"):
        return {"milliseconds": float(words[0].removesuffix("ms"))}
    return {"iterations": int(words[0])}


def read_settings(settings: dict[str, str], readers: dict[str, Callable[[str], Any]]) -> dict[str, Any]:
    """The settings of a spec, each by its reader."""
    unknown = settings.keys() - readers.keys()
    if unknown:
        raise ValueError(f"it has no option {', '.join(sorted(unknown))}")
    return {name: readers[name](value) for name, value in settings.items()}


def from_spec(rest: str, game: Game, num_players: int) -> SearchAgent:
    """The agent of a spec such as `ismcts:800:rollout=random:threads=2`; random without a greedy policy."""
    words, settings = split_options(rest)
    budget = read_budget(words)
    readers: dict[str, Callable[[str], Any]] = {"rollout": str, "order": str, "horizon": _horizon, "threads": int}
    options = read_settings(settings, readers | dict.fromkeys(("c", "widen", "margin"), float))
    if game.greedy is None:
        options = {"rollout": "random", "order": "random"} | options
    return SearchAgent(game, num_players, SearchConfig(**budget, **options))
