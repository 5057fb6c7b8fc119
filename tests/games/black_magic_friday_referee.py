"""A second Black Magic Friday, written from the rules page in plain Python, to hold against the kernels move by move.

It shares no table with the game: one generator carries a whole game out and asks for a string at every decision. Luck
is told by the game and checked to be possible. Beside the table it keeps what every witch has seen of the other hands.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator
from copy import deepcopy
from typing import Any

COLOURS = ["purple", "red", "yellow", "green", "blue", "black"]
POINTS = {"purple": 3, "red": 2, "yellow": 1, "green": 0, "blue": 0, "black": 0}
BOX = Counter(
    {f"{c} ingredient": n for c, n in zip(COLOURS, (3, 6, 9, 12, 12), strict=False)}
    | {f"{c} grimoire": 4 for c in COLOURS[:5]}
    | {"black grimoire": 1, "mandrake": 7, "curse 1": 4, "curse 2": 4, "curse 3": 4}
)
OUT = {
    4: Counter(),
    3: Counter({f"{c} grimoire": 1 for c in COLOURS[:5]}),
    2: Counter({f"{c} grimoire": 2 for c in COLOURS[:4]} | {"blue ingredient": 12, "blue grimoire": 4, "mandrake": 2}),
}
PILES = {
    "1": ["cleanse", "bestow", "swap"] * 3,
    "2": ["fetch"] * 6,
    "3": ["again"] * 2 + ["haste"] * 3,
    "4": ["vanish"] * 2,
    "5": ["oblivion"] * 2,
}

Asking = Generator[list[str], str, Any]


def colour_of(card: str) -> str:
    """Mandrakes are a colour of their own."""
    return card.split()[0]


def plain(d: dict[str, Any]) -> dict[str, Any]:
    """A description in which the order of cards in a shop, which means nothing, is settled."""
    return d | {"shops": [shop | {"cards": sorted(shop["cards"], key=str)} for shop in d["shops"]]}


class Referee:
    """One game; `told` is the game's own `describe`, for cards that are drawn unseen."""

    def __init__(self, d: dict[str, Any], told: Callable[[], dict[str, Any]]) -> None:
        d = deepcopy(d)
        self.told, self.n, self.options = told, d["num_players"], d["options"]
        self.turn, self.active, self.assistant = d["turn"], d["current_player"], d["assistant"]
        self.shops, self.deck, self.piles = d["shops"], d["deck"], d["piles"]
        self.hands = [Counter(hand) for hand in d["hands"]]
        self.curses, self.marker, self.spells = d["curses"], d["marker"], d["spells"]
        self.played, self.removed = Counter(d["played"]), Counter(d["removed"])
        self.last_rounds, self.passed = d["last_rounds"], d["passed"]
        self.starter = self.active if self.last_rounds else None
        self.laid: dict[str, Any] | None = None
        # By viewer and owner: cards that the viewer knows to be in that hand.
        self.known = [[Counter() for _ in range(self.n)] for _ in range(self.n)]
        self.current: int | None = self.active
        self.phase = "turn"
        self.moves = self.game()
        self.legal = next(self.moves)

    @classmethod
    def fresh(cls, d: dict[str, Any], told: Callable[[], dict[str, Any]]) -> Referee:
        """At a table just dealt, which is checked."""
        n = d["num_players"]
        lying = Counter(d["deck"]) + Counter(card for shop in d["shops"] for card in shop["cards"])
        assert d["removed"] == OUT[n]
        assert lying + Counter({"mandrake": n}) + OUT[n] == BOX
        assert len(d["deck"]) == {4: 69, 3: 65, 2: 45}[n]
        assert d["hands"] == [{"mandrake": 1}] * n
        assert [shop["kind"] for shop in d["shops"]].count("night") == 3
        assert len(d["shops"]) == 10
        assert d["shops"][d["assistant"]]["kind"] == "day"
        assert all(len(shop["cards"]) == (i != d["assistant"]) for i, shop in enumerate(d["shops"]))
        assert {pile: sorted(spells) for pile, spells in d["piles"].items()} == {k: sorted(v) for k, v in PILES.items()}
        assert d["played"] == {}
        assert (d["curses"], d["marker"], d["spells"]) == ([[]] * n, None, [[]] * n)
        assert (d["turn"], d["last_rounds"], d["passed"], d["laid"]) == (0, None, [False] * n, None)
        self = cls(d, told)
        for viewer in range(n):
            for owner in range(n):
                self.known[viewer][owner]["mandrake"] += viewer != owner
        return self

    def play(self, move: str) -> None:
        """Make a move; `legal` is then what comes next, nothing when the game is over."""
        assert move in self.legal
        try:
            self.legal = self.moves.send(move)
        except StopIteration:
            self.legal, self.current, self.phase, self.last_rounds = [], None, "over", 0

    def ask(self, player: int, phase: str, moves: list[str]) -> Asking:
        self.current, self.phase = player, phase
        return (yield moves)

    def others(self, p: int) -> list[int]:
        """The other seats, clockwise from p."""
        return [(p + i) % self.n for i in range(1, self.n)]

    # Turns and rounds.

    def game(self) -> Asking:
        while True:
            again = yield from self.one_turn(self.active)
            self.turn += 1
            if again:
                continue
            if all(self.passed):
                return
            next_witch = (self.active + 1) % self.n
            if self.last_rounds is None and not self.deck:
                self.last_rounds, self.starter = 3, next_witch
            elif next_witch == self.starter and self.next_round():
                return
            while self.passed[next_witch]:
                next_witch = (next_witch + 1) % self.n
                if next_witch == self.starter and self.next_round():
                    return
            self.active = next_witch

    def next_round(self) -> bool:
        """Was that the last one?"""
        self.last_rounds -= 1
        return self.last_rounds == 0

    def one_turn(self, p: int) -> Asking:
        reach = 3 + sum(spell["spell"] == "haste" for spell in self.spells[p])
        moves = [f"move {i}" for i in range(1, reach + 1)]
        books = {c: f"{c} grimoire" for c in COLOURS} | {"mandrake": "mandrake"}
        moves += [f"book {c}" for c, book in books.items() if self.hands[p][book] and self.ingredients(p, book)]
        moves += ["pass"] if self.last_rounds else []
        move = yield from self.ask(p, "turn", moves)
        verb, _, what = move.partition(" ")
        if verb == "pass":
            self.passed[p] = True
        elif verb == "move":
            yield from self.send_assistant(p, int(what))
        else:
            return (yield from self.cast_spell(p, books[what]))
        return False

    def send_assistant(self, p: int, distance: int) -> Asking:
        left = self.assistant
        self.assistant = (left + distance) % 10
        shop = self.shops[self.assistant]
        taken, shop["cards"] = shop["cards"], []
        scrolls = [card for card in taken if card.startswith("curse")]
        for card in taken:
            self.receive(p, card, seen=shop["kind"] == "day")
        if scrolls:
            yield from self.settle_marker(p)
        for i in range(distance):
            if self.deck:
                self.shops[(left + i) % 10]["cards"].append(self.deck.pop(0))

    def receive(self, p: int, card: str, seen: bool) -> None:
        """A card comes from a shop; scrolls lie open, the others are known to all if they lay open before."""
        if card.startswith("curse"):
            self.curses[p] = sorted([*self.curses[p], int(card.split()[1])])
            return
        self.hands[p][card] += 1
        for viewer in self.others(p) if seen else []:
            self.known[viewer][p][card] += 1

    def settle_marker(self, p: int) -> Asking:
        totals = [sum(curses) for curses in self.curses]
        if not max(totals):
            self.marker = None
            return
        tops = [q for q in range(self.n) if totals[q] == max(totals)]
        if tops == [self.marker]:
            return
        decider = p if self.marker is None else self.marker
        tops = [q for q in tops if q != self.marker]
        if len(tops) > 1:
            moves = [f"marker to {(q - decider) % self.n}" for q in tops]
            move = yield from self.ask(decider, "marker", moves)
            tops = [(decider + int(move.split()[-1])) % self.n]
        self.marker = tops[0]

    # Spells.

    def ingredients(self, p: int, book: str, laid: list[str] | None = None) -> list[str]:
        """What may be added to a spell, by colour; nothing comes before what lies there already."""
        laid, hand, moves = laid or [], self.hands[p], []
        for colour in COLOURS[:5]:
            if not hand[f"{colour} ingredient"] or "mandrake" in laid:
                continue
            alike = {colour, *laid} == {colour}
            different = colour not in laid
            if laid and COLOURS.index(colour) < COLOURS.index(laid[-1]):
                continue
            if different and len(set(laid)) < len(laid):
                continue
            if book == "mandrake" and (alike or different):
                moves.append(colour)
            if book == "black grimoire" and different:
                moves.append(colour)
            if book == f"{colour} grimoire":
                moves.append(colour)
        room = book != "black grimoire" or len(laid) < 5
        if book != "mandrake" and hand["mandrake"] and "mandrake" not in laid and room:
            moves.append("mandrake")
        return moves

    def lay(self, p: int, card: str) -> None:
        assert self.hands[p][card] > 0
        self.hands[p][card] -= 1
        for viewer in self.others(p):
            self.forget(viewer, p, card)

    def forget(self, viewer: int, owner: int, card: str) -> None:
        """A card is seen to leave a hand."""
        self.known[viewer][owner][card] = max(0, self.known[viewer][owner][card] - 1)

    def cast_spell(self, p: int, book: str) -> Asking:
        """True if she plays another turn."""
        self.lay(p, book)
        self.laid = {"book": book, "ingredients": Counter()}
        added: list[str] = []
        while True:
            powers = [k for k in range(1, 6) if k <= len(added) and self.piles[str(k)]]
            moves = [f"add {c}" for c in self.ingredients(p, book, added)] + [f"cast {k}" for k in powers]
            moves += ["lay down"] if added and not powers else []
            move = yield from self.ask(p, "spell", moves)
            if not move.startswith("add "):
                break
            added.append(move.removeprefix("add "))
            card = "mandrake" if added[-1] == "mandrake" else f"{added[-1]} ingredient"
            self.lay(p, card)
            self.laid["ingredients"][card] += 1
        self.played += Counter([book]) + self.laid["ingredients"]
        self.laid = None
        value = 0 if move == "lay down" else int(move.removeprefix("cast "))
        name = self.piles[str(value)].pop(0) if value else None
        points = 0 if book == "mandrake" else POINTS[colour_of(book)]
        self.spells[p].append({"spell": name, "value": value, "book": book, "book_points": points})
        if name in ("cleanse", "bestow", "swap", "fetch", "again"):
            return (yield from getattr(self, name)(p))
        return False

    def choose_scroll(self, p: int) -> Asking:
        move = yield from self.ask(p, "discard", [f"discard curse {number}" for number in sorted(set(self.curses[p]))])
        return int(move.split()[-1])

    def choose_target(self, p: int, seats: list[int]) -> Asking:
        move = yield from self.ask(p, "target", [f"target {(q - p) % self.n}" for q in seats])
        return (p + int(move.split()[-1])) % self.n

    def cleanse(self, p: int) -> Asking:
        if self.curses[p]:
            scroll = yield from self.choose_scroll(p)
            self.curses[p].remove(scroll)
            self.removed[f"curse {scroll}"] += 1
            yield from self.settle_marker(p)
        return False

    def bestow(self, p: int) -> Asking:
        if self.curses[p]:
            scroll = yield from self.choose_scroll(p)
            target = yield from self.choose_target(p, self.others(p))
            self.curses[p].remove(scroll)
            self.curses[target] = sorted([*self.curses[target], scroll])
            yield from self.settle_marker(p)
        return False

    def swap(self, p: int) -> Asking:
        with_cards = [q for q in self.others(p) if self.hands[q].total()]
        if not with_cards:
            return False
        target = yield from self.choose_target(p, with_cards)
        drawn = self.hands[target] - Counter(self.told()["hands"][target])
        assert drawn.total() == 1
        self.pass_on(drawn.popitem()[0], target, p)
        move = yield from self.ask(p, "return", [f"return {card}" for card, n in self.hands[p].items() if n])
        self.pass_on(move.removeprefix("return "), p, target)
        return False

    def pass_on(self, card: str, giver: int, taker: int) -> None:
        """A card goes from hand to hand; the two know it, for the others any card may have left."""
        self.hands[giver][card] -= 1
        self.hands[taker][card] += 1
        self.forget(taker, giver, card)
        self.known[giver][taker][card] += 1
        for viewer in range(self.n):
            if viewer not in (giver, taker):
                for name in self.known[viewer][giver]:
                    self.forget(viewer, giver, name)

    def fetch(self, p: int) -> Asking:
        full = [i for i in range(1, 10) if self.shops[(self.assistant + i) % 10]["cards"]]
        if not full:
            return False
        move = yield from self.ask(p, "fetch", [f"fetch shop {i}" for i in full])
        index = (self.assistant + int(move.split()[-1])) % 10
        shop = self.shops[index]
        if shop["kind"] == "night":
            taken = Counter(shop["cards"]) - Counter(self.told()["shops"][index]["cards"])
            assert taken.total() == 1
            card = taken.popitem()[0]
        else:
            move = yield from self.ask(p, "pick", [f"pick {card}" for card in sorted(set(shop["cards"]))])
            card = move.removeprefix("pick ")
        shop["cards"].remove(card)
        self.receive(p, card, seen=shop["kind"] == "day")
        if card.startswith("curse"):
            yield from self.settle_marker(p)
        return False

    def again(self, p: int) -> Asking:
        return (yield from self.ask(p, "again", ["play again", "end turn"])) == "play again"

    # The count.

    def scores(self) -> list[int]:
        scores = []
        for p in range(self.n):
            score = sum(spell["value"] + spell["book_points"] for spell in self.spells[p]) - 2 * (self.marker == p)
            names = [spell["spell"] for spell in self.spells[p]]
            colours = len({colour_of(card) for card, n in self.hands[p].items() if n})
            if self.phase == "over" and "oblivion" not in names:
                score -= max(0, colours - names.count("vanish"))
            scores.append(score)
        return scores

    def ranks(self) -> list[int] | None:
        if self.phase != "over":
            return None
        best = list(zip(self.scores(), map(len, self.spells), strict=True))
        return [1 + sum(other > mine for other in best) for mine in best]

    def describe(self, viewer: int | None = None) -> dict[str, Any]:
        d: dict[str, Any] = {
            "game": "black_magic_friday",
            "num_players": self.n,
            "options": self.options,
            "turn": self.turn,
            "current_player": self.current,
            "phase": self.phase,
            "over": self.phase == "over",
            "truncated": False,
            "scores": self.scores(),
            "ranks": self.ranks(),
            "assistant": self.assistant,
            "shops": self.shops,
            "deck": self.deck,
            "hands": [dict(+hand) for hand in self.hands],
            "hand_sizes": [hand.total() for hand in self.hands],
            "curses": self.curses,
            "marker": self.marker,
            "spells": self.spells,
            "piles": self.piles,
            "laid": self.laid,
            "played": dict(+self.played),
            "removed": dict(+self.removed),
            "last_rounds": self.last_rounds,
            "passed": self.passed,
        }
        d = plain(d)
        if viewer is not None:
            d["deck"] = [None] * len(self.deck)
            for shop in d["shops"]:
                shop["cards"] = [None] * len(shop["cards"]) if shop["kind"] == "night" else shop["cards"]
            d["piles"] = {pile: spells[:1] + [None] * (len(spells) - 1) for pile, spells in d["piles"].items()}
            if self.phase != "over":
                d["hands"] = [hand if p == viewer else None for p, hand in enumerate(d["hands"])]
        return d

    # What a witch may think.

    def possible(self, viewer: int, other: dict[str, Any]) -> None:
        """Assert that another table, told in full, is one that the viewer may sit at after all that she has seen."""
        mine, theirs = self.describe(), plain(other)
        hidden = ("hands", "deck", "shops", "piles", "scores", "ranks")
        for key in mine:
            assert key in hidden or mine[key] == theirs[key], key
        assert self.phase != "over" or mine["scores"] == theirs["scores"]
        self.possible_hands(viewer, theirs)
        unseen = [Counter(d["deck"]) + sum(map(Counter, d["hands"]), Counter()) for d in (mine, theirs)]
        for shop, other_shop in zip(mine["shops"], theirs["shops"], strict=True):
            assert len(shop["cards"]) == len(other_shop["cards"])
            assert shop["kind"] == other_shop["kind"]
            assert shop["kind"] == "night" or shop == other_shop
            unseen[0] += Counter(shop["cards"])
            unseen[1] += Counter(other_shop["cards"])
        assert unseen[0] == unseen[1]
        assert len(mine["deck"]) == len(theirs["deck"])
        for pile, spells in mine["piles"].items():
            assert spells[:1] == theirs["piles"][pile][:1]
            assert sorted(spells) == sorted(theirs["piles"][pile])

    def possible_hands(self, viewer: int, other: dict[str, Any]) -> None:
        real = self.hands
        for p, hand in enumerate(map(Counter, other["hands"])):
            assert not any(card.startswith("curse") for card in hand)
            assert hand.total() == real[p].total()
            assert p != viewer or hand == +real[p]
            assert self.phase != "over" or hand == +real[p]
            assert hand >= +self.known[viewer][p]
        if self.laid and not self.laid["ingredients"]:
            # Who has laid a book has an ingredient that goes with it.
            self.hands = [Counter(hand) for hand in other["hands"]]
            assert self.ingredients(self.current, self.laid["book"])
            self.hands = real
