"""A second Alchemists, written from the rules page in plain Python, to hold against the kernels move by move.

It shares no table with the game. Luck is told by the game and checked to be possible.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from itertools import combinations, product
from typing import Any

COLOURS = ["blue", "grey", "green", "orange", "yellow"]
PAIRS = list(combinations(COLOURS, 2))
SUPPLY = {2: (6, 10, 16), 3: (8, 12, 12), 4: (12, 16, 4), 5: (14, 18, 0)}
GERMAN = SUPPLY | {3: (10, 12, 10)}
REWARDS = {2: [6, 0], 3: [10, 5, 0], 4: [12, 8, 4, 0], 5: [12, 9, 6, 3, 0]}

Cubes = dict[str, int]


def mixes(pair: tuple[str, str]) -> list[Cubes]:
    """Every recipe that a cauldron can hold: 1 to 5 cubes, at most 2 of a kind, none of what it produces."""
    kinds = [c for c in COLOURS if c not in pair]
    numbers = [n for n in product(range(3), repeat=3) if 1 <= sum(n) <= 5]
    return [{c: n for c, n in zip(kinds, mix, strict=True) if n} for mix in numbers]


def has(hand: Cubes, mix: Cubes) -> bool:
    return all(hand[c] >= n for c, n in mix.items())


class Referee:
    """One game; `told` is the game's own `describe`, for the cubes that are drawn from the bag."""

    def __init__(self, d: dict[str, Any], told: Callable[[], dict[str, Any]]) -> None:
        d = deepcopy(d)
        self.told, self.n, self.options, self.first = told, d["num_players"], d["options"], d["first_player"]
        self.hands, self.schools, self.bag = d["hands"], d["schools"], d["bag"]
        self.reserve, self.removed, self.cauldrons = d["reserve"], d["removed"], d["cauldrons"]
        self.tiles, self.seals, self.fame = d["tiles"], d["seals"], d["scores"]
        self.turn, self.current, self.phase = d["turn"], d["current_player"], "turn"
        self.brewing: dict[str, Any] | None = None
        self.rewards: list[int] | None = None
        # What everybody has seen go behind each screen, and who passed this round at what table.
        self.known = [dict.fromkeys(COLOURS, 0) for _ in range(self.n)]
        self.passes: list[dict[str, Any]] = []

    @classmethod
    def fresh(cls, d: dict[str, Any], told: Callable[[], dict[str, Any]]) -> Referee:
        """At a table just dealt, which is checked."""
        n = d["num_players"]
        bag, reserve, out = (GERMAN if d["options"]["setup"] == "german" else SUPPLY)[n]
        assert all(sum(hand.values()) == 12 and min(hand.values()) >= 0 for hand in d["hands"])
        assert all(d["bag"][c] + sum(hand[c] for hand in d["hands"]) == bag for c in COLOURS)
        assert min(d["bag"].values()) >= 0
        assert d["reserve"] == dict.fromkeys(COLOURS, reserve)
        assert d["removed"] == dict.fromkeys(COLOURS, out)
        assert len(set(d["schools"])) == n
        assert set(d["schools"]) <= set(COLOURS)
        empty = [{"produces": list(pair), "owner": None, "recipe": {}, "value": None} for pair in PAIRS]
        assert d["cauldrons"] == empty
        assert (d["tiles"], d["seals"], d["scores"]) == (list(range(1, 11)), [5] * n, [0] * n)
        assert d["current_player"] == d["first_player"]
        assert d["first_player"] in range(n)
        assert d["turn"] == 0
        return cls(d, told)

    # What may be done.

    def legal(self) -> set[str]:
        if self.phase == "over":
            return set()
        opening = self.n == 2 and self.turn == 0
        if self.phase == "value":
            return {f"value {tile}" for tile in self.tiles if tile >= 5 or not opening}
        moves = set(self.creates(self.current, self.cauldrons))
        if not opening:
            moves |= set(self.copies(self.current, self.cauldrons))
            moves |= {f"take {c}" for c in COLOURS if self.reserve[c]}
            moves |= {"draw"} if sum(self.bag.values()) else set()
        return moves or {"pass"}

    def creates(self, p: int, cauldrons: list[dict[str, Any]]) -> list[str]:
        if not self.seals[p]:
            return []
        standing = [cauldron["recipe"] for cauldron in cauldrons]
        moves = []
        for cauldron, pair in zip(cauldrons, PAIRS, strict=True):
            for mix in mixes(pair):
                if cauldron["owner"] is None and mix not in standing and has(self.hands[p], mix):
                    moves.append(f"create {'+'.join(pair)}: {' '.join(f'{n} {c}' for c, n in mix.items())}")
        return moves

    def copies(self, p: int, cauldrons: list[dict[str, Any]]) -> list[str]:
        moves = []
        for cauldron, pair in zip(cauldrons, PAIRS, strict=True):
            if cauldron["owner"] not in (None, p) and has(self.hands[p], cauldron["recipe"]):
                moves += [f"copy {'+'.join(pair)}: give {c}" for c in cauldron["recipe"]]
        return moves

    # What it does.

    def play(self, move: str) -> None:
        assert move in self.legal()
        verb, _, rest = move.partition(" ")
        getattr(self, f"play_{verb}")(rest)

    def play_create(self, rest: str) -> None:
        pair, _, mix = rest.partition(": ")
        words = mix.split()
        recipe = {c: int(n) for n, c in zip(words[::2], words[1::2], strict=True)}
        self.brewing = self.cauldrons[PAIRS.index(tuple(pair.split("+")))]
        self.brewing["owner"], self.brewing["recipe"] = self.current, recipe
        self.seals[self.current] -= 1
        for c, n in recipe.items():
            self.pay(self.current, c, n)
        self.phase = "value"

    def play_value(self, rest: str) -> None:
        self.brewing["value"] = int(rest)
        self.tiles.remove(int(rest))
        self.brew(self.brewing)
        self.phase = "turn"
        self.end_turn()

    def play_copy(self, rest: str) -> None:
        pair, _, gift = rest.partition(": give ")
        cauldron = self.cauldrons[PAIRS.index(tuple(pair.split("+")))]
        for c, n in cauldron["recipe"].items():
            self.pay(self.current, c, n)
            self.removed[c] += n
        self.removed[gift] -= 1
        self.receive(cauldron["owner"], gift)
        self.brew(cauldron)
        self.end_turn()

    def play_take(self, colour: str) -> None:
        self.reserve[colour] -= 1
        self.receive(self.current, colour)
        self.end_turn()

    def play_draw(self, _: str) -> None:
        hand = self.told()["hands"][self.current]
        drawn = {c: hand[c] - self.hands[self.current][c] for c in COLOURS}
        assert sum(drawn.values()) == 2
        assert all(0 <= n <= self.bag[c] for c, n in drawn.items())
        for c, n in drawn.items():
            self.hands[self.current][c] += n
            self.bag[c] -= n
        self.end_turn()

    def play_pass(self, _: str) -> None:
        got = dict.fromkeys(COLOURS, 0)
        self.passes.append({"player": self.current, "cauldrons": deepcopy(self.cauldrons), "got": got})
        self.end_turn()

    def brew(self, cauldron: dict[str, Any]) -> None:
        """Points and products of a potion."""
        self.fame[self.current] += cauldron["value"]
        for c in cauldron["produces"]:
            if self.reserve[c]:
                self.reserve[c] -= 1
                self.receive(self.current, c)

    def pay(self, p: int, colour: str, number: int) -> None:
        self.hands[p][colour] -= number
        self.known[p][colour] = max(0, self.known[p][colour] - number)

    def receive(self, p: int, colour: str) -> None:
        self.hands[p][colour] += 1
        self.known[p][colour] += 1
        for passed in self.passes:
            passed["got"][colour] += passed["player"] == p

    def end_turn(self) -> None:
        self.turn += 1
        self.current = (self.current + 1) % self.n
        if self.current == self.first:
            self.passes = []
            if sum(n == 0 for n in self.reserve.values()) >= 3:
                self.finish()

    def finish(self) -> None:
        self.phase, self.current = "over", None
        left = {c: self.reserve[c] + sum(hand[c] for hand in self.hands) for c in COLOURS}
        places = sorted({left[school] for school in self.schools})
        self.rewards = [REWARDS[self.n][places.index(left[school])] for school in self.schools]
        for p in range(self.n):
            self.fame[p] += sum(self.hands[p].values()) // 2 + self.rewards[p]

    # What it looks like.

    def ranks(self) -> list[int] | None:
        if self.rewards is None:
            return None
        best = list(zip(self.fame, self.rewards, strict=True))
        return [1 + sum(other > mine for other in best) for mine in best]

    def describe(self, viewer: int | None = None) -> dict[str, Any]:
        d = {
            "game": "alchemists",
            "num_players": self.n,
            "options": self.options,
            "turn": self.turn,
            "current_player": self.current,
            "phase": self.phase,
            "over": self.phase == "over",
            "truncated": False,
            "scores": self.fame,
            "ranks": self.ranks(),
            "first_player": self.first,
            "hands": self.hands,
            "hand_sizes": [sum(hand.values()) for hand in self.hands],
            "schools": self.schools,
            "bag": self.bag,
            "bag_size": sum(self.bag.values()),
            "reserve": self.reserve,
            "removed": self.removed,
            "cauldrons": self.cauldrons,
            "tiles": self.tiles,
            "seals": self.seals,
            "school_rewards": self.rewards,
        }
        if viewer is not None and self.phase != "over":
            for secret in ("hands", "schools"):
                d[secret] = [d[secret][p] if p == viewer else None for p in range(self.n)]
            d["bag"] = None
        return d

    def possible(self, viewer: int, other: dict[str, Any]) -> None:
        """Assert that another table, told in full, is one that the viewer may sit at after all that was seen."""
        for key, value in self.describe().items():
            assert key in ("hands", "schools", "bag") or value == other[key], key
        assert self.phase != "over" or self.describe() == other
        assert other["hands"][viewer] == self.hands[viewer]
        assert other["schools"][viewer] == self.schools[viewer]
        assert len(set(other["schools"])) == self.n
        assert set(other["schools"]) <= set(COLOURS)
        for p, hand in enumerate(other["hands"]):
            assert sum(hand.values()) == sum(self.hands[p].values())
            assert all(hand[c] >= self.known[p][c] for c in COLOURS)
        assert sum(other["bag"].values()) == sum(self.bag.values())
        assert min(other["bag"].values()) >= 0
        for c in COLOURS:
            there = [*self.hands, self.bag]
            assert sum(place[c] for place in there) == sum(place[c] for place in [*other["hands"], other["bag"]])
        self.check_passes(other["hands"])

    def check_passes(self, hands: list[Cubes]) -> None:
        """Who passed this round could neither create nor copy at that moment."""
        real = self.hands
        for passed in self.passes:
            p = passed["player"]
            self.hands = list(hands)
            self.hands[p] = {c: hands[p][c] - passed["got"][c] for c in COLOURS}
            assert min(self.hands[p].values()) >= 0
            assert not self.creates(p, passed["cauldrons"]) + self.copies(p, passed["cauldrons"])
        self.hands = real
