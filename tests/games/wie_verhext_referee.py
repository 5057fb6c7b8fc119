"""A second Wie verhext!, written from the rules page in plain Python, to hold against the kernels move by move.

It shares no table with the game: one generator carries a whole game out and asks for a string at every decision.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

COLOURS = ["red", "green", "white"]
ROLES = [
    "wolf keeper",
    "snake hunter",
    "herb collector",
    "alchemist",
    "fortune teller",
    "assistant",
    "wizard",
    "witch",
    "druid",
    "cutpurse",
    "begging monk",
    "warlock",
]
PILES = {
    "copper": [("W", 2), ("W", 2), ("WR", 3), ("WR", 3), ("WWR", 4), ("WWRR", 5), ("WWWRR", 6)],
    "iron": [("R", 2), ("R", 2), ("RG", 3), ("RG", 3), ("RRG", 4), ("RRGG", 5), ("RRRGG", 6)],
    "silver": [("G", 2), ("G", 2), ("GW", 3), ("GW", 3), ("GGW", 4), ("GGWW", 5), ("GGGWW", 6)],
    "gold": [(3, 2), (3, 2), (4, 3), (5, 4), (6, 5)],
    "drops": [(3, 2), (3, 2), (4, 3), (5, 4), (6, 5)],
}
RAVENS = {"copper": (4, 6), "iron": (4, 6), "silver": (4, 6), "gold": (3, 5), "drops": (3, 5)}
GREEN = {"wolf keeper": "red", "snake hunter": "white", "herb collector": "green"}
SHELF = {"cutpurse": "gold", "begging monk": "drops"}
BLUE = {"wizard": "copper", "witch": "iron", "druid": "silver"}
VIAL_SCROLLS = {"herba": "green", "lupus": "red", "serpens": "white"}
BREW_SCROLLS = {"magus": "copper", "sanatio": "silver", "strix": "iron"}

Asking = Generator[list[str], str, Any]


class Referee:
    """One game; `decks` tells the scrolls, the first leader and the bans, which are a matter of luck."""

    def __init__(self, first: dict[str, Any], decks: Callable[[], dict[str, Any]]) -> None:
        self.decks = decks
        self.n, self.options = first["num_players"], first["options"]
        self.max_sets = first["options"]["max_sets"]
        self.bans = {3: 2, 4: 1}.get(self.n, 0) if first["options"]["banned_roles"] else 0
        players = range(self.n)
        self.turn, self.set, self.leader, self.scrolls = 0, 1, first["leader"], list(first["scrolls"])
        self.banned: list[str] = []
        self.ban_deck: list[str] = []
        self.drops = [dict.fromkeys(COLOURS, 1) for _ in players]
        self.gold, self.vials = [2] * self.n, [0] * self.n
        self.cards: list[list[Any]] = [[] for _ in players]
        self.hands: list[list[str]] = [[] for _ in players]
        self.played: list[list[str]] = [[] for _ in players]
        self.passed: list[list[str]] = [[] for _ in players]
        self.turned_up = self.scrolls[:1]
        self.piles = {pile: list(cards) for pile, cards in PILES.items()}
        self.shelf = {"gold": 0, "drops": 0}
        self.claimant = self.role = self.pending = None
        self.favours: list[int] = []
        self.less_tax: list[int] = []
        self.truncated = False
        self.current: int | None = None
        self.phase = "over"
        self.moves = self.game()
        self.legal = next(self.moves)

    def play(self, move: str) -> None:
        """Make a move; `legal` is then what comes next, nothing when the game is over."""
        assert move in self.legal
        try:
            self.legal = self.moves.send(move)
        except StopIteration:
            self.legal, self.current, self.phase, self.leader = [], None, "over", None

    def describe(self, viewer: int | None = None) -> dict[str, Any]:
        """All of `describe`, for those who see everything or for one player."""
        d = self.table()
        if viewer is not None:
            d["hands"] = [hand if p == viewer else [None] * len(hand) for p, hand in enumerate(d["hands"])]
            d["scrolls"] = [name if name in self.turned_up else None for name in self.scrolls]
            d["ban_deck"] = None if self.bans else []
        return d

    def may_be(self, hands: list[list[str]], viewer: int) -> bool:
        """Can these be everyone's hands, for all that the viewer has seen?"""
        asked = self.current if self.phase == "follow" else None
        for p, hand in enumerate(hands):
            gone = self.played[p] + self.passed[p] + self.banned
            if len(set(hand)) != len(self.hands[p]) or set(hand) & set(gone):
                return False
            if (p == viewer and set(hand) != set(self.hands[p])) or (p == asked and self.role not in hand):
                return False
        return True

    def table(self) -> dict[str, Any]:
        return {
            "game": "wie_verhext",
            "num_players": self.n,
            "options": self.options,
            "turn": self.turn,
            "current_player": self.current,
            "phase": self.phase,
            "over": self.current is None,
            "truncated": self.truncated,
            "scores": [self.score(p) for p in range(self.n)],
            "ranks": None if self.current is not None else self.ranks(),
            "set": self.set,
            "leader": self.leader,
            "claimant": self.claimant,
            "role": self.role,
            "favours": self.favours,
            "pending": self.pending,
            "drops": self.drops,
            "gold": self.gold,
            "vials": self.vials,
            "cards": self.cards,
            "hands": [sorted(hand, key=ROLES.index) for hand in self.hands],
            "played": self.played,
            "piles": {pile: [self.card(pile, *card) for card in cards] for pile, cards in self.piles.items()},
            "shelf_gold": self.shelf["gold"],
            "shelf_drops": self.shelf["drops"],
            "scrolls": self.scrolls,
            "ravens": self.ravens(),
            "banned": self.banned,
            "ban_deck": self.ban_deck,
        }

    def card(self, pile: str, cost: Any, points: int) -> dict[str, Any]:
        if isinstance(cost, str):
            cost = {c: cost.count(c[0].upper()) for c in COLOURS if c[0].upper() in cost}
        return {"cost": cost, "points": points, "raven": points in RAVENS[pile]}

    def score(self, p: int) -> int:
        return sum(card["points"] for card in self.cards[p]) + self.vials[p]

    def ranks(self) -> list[int]:
        """By points, then by drops and gold together."""
        results = [(self.score(p), self.total(p) + self.gold[p]) for p in range(self.n)]
        return [1 + sum(other > result for other in results) for result in results]

    def ravens(self) -> int:
        return sum(card["raven"] for cards in self.cards for card in cards)

    def around(self, p: int) -> list[int]:
        """The other seats, clockwise from p."""
        return [(p + i) % self.n for i in range(1, self.n)]

    # The game.

    def ask(self, player: int, phase: str, *moves: str) -> Asking:
        self.current, self.phase = player, phase
        return (yield list(moves))

    def game(self) -> Asking:
        while True:
            self.ban()
            last = yield from self.one_set()
            if self.ravens() >= 4:
                return
            if self.set == self.max_sets:
                self.truncated = True
                return
            self.set += 1
            self.leader = last
            self.scrolls.append(self.scrolls.pop(0))
            self.turned_up.append(self.scrolls[0])
            self.played = [[] for _ in range(self.n)]
            self.passed = [[] for _ in range(self.n)]

    def ban(self) -> None:
        if self.bans and not self.ban_deck:
            told = self.decks()
            self.ban_deck = told["banned"] + told["ban_deck"]
            assert sorted(self.ban_deck) == sorted(ROLES)
        self.banned, self.ban_deck = self.ban_deck[: self.bans], self.ban_deck[self.bans :]

    def one_set(self) -> Asking:
        for p in [self.leader, *self.around(self.leader)]:
            for _ in range(5):
                free = [role for role in ROLES if role not in self.hands[p] + self.banned]
                move = yield from self.ask(p, "choose", *(f"choose {role}" for role in free))
                self.hands[p].append(move.removeprefix("choose "))
        while True:
            claimant = yield from self.trick(self.leader)
            self.claimant, self.role, self.favours, self.less_tax = None, None, [], []
            with_cards = [p for p in [claimant, *self.around(claimant)] if self.hands[p]]
            if not with_cards:
                return claimant
            self.leader = with_cards[0]

    def trick(self, leader: int) -> Asking:
        hand = sorted(self.hands[leader], key=ROLES.index)
        move = yield from self.ask(leader, "lead", *(f"lead {role}" for role in hand))
        self.role, self.claimant = move.removeprefix("lead "), leader
        self.turn += 1
        self.put_down(leader)
        for p in self.around(leader):
            if self.role in self.hands[p]:
                move = yield from self.ask(p, "follow", "claim", "favour")
                self.put_down(p)
                if move == "claim":
                    self.claimant = p
                else:
                    self.favours.append(p)
                    yield from self.effect(p, False)
            else:
                self.passed[p].append(self.role)
        yield from self.effect(self.claimant, True)
        return self.claimant

    def put_down(self, p: int) -> None:
        self.hands[p].remove(self.role)
        self.played[p].append(self.role)

    # The roles.

    def effect(self, p: int, action: bool) -> Asking:
        role = self.role
        if role in GREEN:
            if (yield from self.accepts_gift(p)):
                self.drops[p][GREEN[role]] += 3 if action else 1
        elif role == "alchemist" and self.total(p):
            move = yield from self.ask(p, "act", "decline", *self.payable(p))
            if move != "decline":
                self.drops[p][move.removeprefix("pay ")] -= 1
                self.gold[p] += 5 if action else 2
        elif role == "fortune teller" and self.gold[p]:
            if (yield from self.ask(p, "act", "use", "decline")) == "use":
                self.gold[p] -= 1
                self.vials[p] += 2 if action else 1
        elif role == "assistant" and self.gold[p]:
            if (yield from self.ask(p, "act", "use", "decline")) == "use":
                self.gold[p] -= 1
                yield from self.gain(p, 3 if action else 1)
        elif role in BLUE:
            yield from self.brew_blue(p, BLUE[role], 0 if action else 2)
        elif role in SHELF:
            if action:
                yield from self.shelf_action(p, SHELF[role])
            elif self.piles[SHELF[role]] and (yield from self.accepts_gift(p)):
                self.less_tax.append(p)
        elif role == "warlock" and action:
            yield from self.scroll(p, self.scrolls[0])
        elif role == "warlock" and (yield from self.accepts_gift(p)):
            self.gold[p] += 1

    def accepts_gift(self, p: int) -> Asking:
        if not self.options["ask_gifts"]:
            return True
        return (yield from self.ask(p, "act", "use", "decline")) == "use"

    def total(self, p: int) -> int:
        return sum(self.drops[p].values())

    def payable(self, p: int) -> list[str]:
        return [f"pay {c}" for c in COLOURS if self.drops[p][c]]

    def gain(self, p: int, number: int) -> Asking:
        least = 0
        for left in range(number, 0, -1):
            self.pending = {"kind": "gain", "left": left, "least": COLOURS[least]}
            move = yield from self.ask(p, "gain", *(f"gain {c}" for c in COLOURS[least:]))
            least = COLOURS.index(move.removeprefix("gain "))
            self.drops[p][COLOURS[least]] += 1
        self.pending = None

    def pay(self, p: int, phase: str, number: int, onto_shelf: bool) -> Asking:
        least = 0
        for left in range(number, 0, -1):
            self.pending = {"kind": phase, "left": left, "least": COLOURS[least]}
            moves = []
            for i in range(least, 3):
                if self.drops[p][COLOURS[i]] and sum(self.drops[p][c] for c in COLOURS[i:]) >= left:
                    moves.append(f"pay {COLOURS[i]}")
            move = yield from self.ask(p, phase, *moves)
            least = COLOURS.index(move.removeprefix("pay "))
            self.drops[p][COLOURS[least]] -= 1
            self.shelf["drops"] += onto_shelf
        self.pending = None

    def can_brew(self, p: int, pile: str) -> bool:
        if not self.piles[pile]:
            return False
        return all(self.drops[p][c] >= n for c, n in self.card(pile, *self.piles[pile][0])["cost"].items())

    def take(self, p: int, pile: str) -> None:
        card = self.card(pile, *self.piles[pile].pop(0))
        self.cards[p].append({"pile": pile, "points": card["points"], "raven": card["raven"]})

    def brew(self, p: int, pile: str) -> None:
        for c, n in self.card(pile, *self.piles[pile][0])["cost"].items():
            self.drops[p][c] -= n
        self.take(p, pile)

    def brew_blue(self, p: int, pile: str, gold: int) -> Asking:
        if not self.can_brew(p, pile) or self.gold[p] < gold:
            return
        if (yield from self.ask(p, "act", "decline", "brew")) == "decline":
            return
        self.gold[p] -= gold
        self.brew(p, pile)
        if self.total(p):
            move = yield from self.ask(p, "vial", "decline", *self.payable(p))
            if move != "decline":
                self.drops[p][move.removeprefix("pay ")] -= 1
                self.vials[p] += 1

    def shelf_action(self, p: int, shelf: str) -> Asking:
        if not self.piles[shelf]:
            return
        if (yield from self.ask(p, "act", "use", "decline")) == "decline":
            return
        for q in self.around(p):
            held, part = (self.gold[q], 3) if shelf == "gold" else (self.total(q), 4)
            owed = max(0, held // part - (q in self.less_tax))
            if shelf == "gold":
                self.gold[q] -= owed
                self.shelf["gold"] += owed
            else:
                yield from self.pay(q, "tax", owed, True)
        missing = max(0, self.piles[shelf][0][0] - self.shelf[shelf])
        if (self.gold[p] if shelf == "gold" else self.total(p)) < missing:
            return
        if (yield from self.ask(p, "take", "decline", "take")) == "decline":
            return
        if shelf == "gold":
            self.gold[p] -= missing
        else:
            yield from self.pay(p, "pay", missing, True)
        self.shelf[shelf] = 0
        self.take(p, shelf)

    # The scrolls.

    def scroll(self, p: int, scroll: str) -> Asking:
        if scroll == "copia":
            if (yield from self.ask(p, "act", "use", "decline")) == "use":
                yield from self.gain(p, 3)
        elif scroll == "optio":
            possible = [pile for pile in BLUE.values() if self.can_brew(p, pile)]
            if possible:
                move = yield from self.ask(p, "act", "decline", *(f"brew {pile}" for pile in possible))
                if move != "decline":
                    self.brew(p, move.removeprefix("brew "))
        elif scroll in VIAL_SCROLLS:
            yield from self.vials_for_a_drop(p, VIAL_SCROLLS[scroll])
        else:
            yield from self.brew_in_any_colours(p, BREW_SCROLLS[scroll])

    def vials_for_a_drop(self, p: int, colour: str) -> Asking:
        if not self.drops[p][colour]:
            return
        if (yield from self.ask(p, "act", "use", "decline")) == "use":
            self.drops[p][colour] -= 1
            self.vials[p] += 2

    def brew_in_any_colours(self, p: int, pile: str) -> Asking:
        if not self.piles[pile] or self.total(p) < len(self.piles[pile][0][0]):
            return
        if (yield from self.ask(p, "act", "decline", "brew")) == "brew":
            yield from self.pay(p, "pay", len(self.piles[pile][0][0]), False)
            self.take(p, pile)
