"""What we want to be true beside the peers, and whether it is. Rates are per CPU second."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from coven.benchmarks.ours import CEILING
from coven.benchmarks.peers.worker import AEC, BATCHES, KERNEL, KERNEL_OBSERVING
from coven.benchmarks.rounds import Row

US = "coven"

# The games of OpenSpiel that a game of ours is held against inside the kernel. Alchemists, Black Magic Friday and Wie
# verhext! are games of hands and counts with one small choice at a time: they have to beat the fastest card game, even
# though most of those are simpler. Witchstone is played on boards, with hundreds of actions: its class is the two that
# compute most for a decision.
CARDS, BOARDS = ("hearts", "oh_hell", "hanabi", "gin_rummy"), ("gin_rummy", "backgammon")
CLASSES = {"alchemists": CARDS, "black_magic_friday": CARDS, "wie_verhext": CARDS, "witchstone": BOARDS}

# Of the batches of others, those of a game with chance and a table of some size. The verdict hangs on this choice: Kuhn
# and Leduc poker and EnvPool's Blackjack are card games too, but of 2 or 3 actions and a few moves, and much faster.
# They stand in the tables, and so do EnvPool's lightest envs.
COMPARABLE = ("sparrow_mahjong", "backgammon")


@dataclass(frozen=True)
class Target:
    """One ratio that should be reached, and what was measured."""

    what: str
    game: str
    ours: float
    theirs: float
    rival: str
    wanted: float

    @property
    def ratio(self) -> float:
        """Ours to theirs."""
        return self.ours / self.theirs

    @property
    def reached(self) -> bool:
        """Is it so?"""
        return self.ratio >= self.wanted


def targets(rows: Sequence[Row]) -> list[Target]:
    """Every target that these measurements say something about."""
    measured = [row for row in rows if row.samples]
    ours = {(row.face, row.game): row for row in measured if row.peer == US and row.note != CEILING}
    found = []

    def hold(what: str, face: str, wanted: float, game: str, is_rival: Callable[[Row], bool]) -> None:
        rivals = [row for row in measured if row.face == face and is_rival(row)]
        if rivals and (face, game) in ours:
            best, mine = max(rivals, key=lambda row: row.per_cpu_second), ours[face, game]
            rival = f"{best.peer} {best.game}" if best.peer != US else best.note
            found.append(Target(what, game, mine.per_cpu_second, best.per_cpu_second, rival, wanted))

    for game, peers in CLASSES.items():
        hold("AEC beside PettingZoo", AEC, 5, game, lambda row: row.peer == "pettingzoo")
        hold("in-kernel beside OpenSpiel's C++", KERNEL, 1, game, lambda row: row.game in peers and row.peer != US)  # noqa: B023
        for face in BATCHES.values():
            hold(face, face, 5, game, lambda row: row.game in COMPARABLE and row.peer != US)
    for face in (KERNEL, KERNEL_OBSERVING):
        hold(f"the C ceiling, {face}", face, 0.4, "alchemists", lambda row: row.note == CEILING)
    return sorted(found, key=lambda target: target.what)
