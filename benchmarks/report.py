"""The comparison as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from coven.benchmarks.ours import CEILING
from coven.benchmarks.peers.worker import FACES
from coven.benchmarks.rounds import Row
from coven.benchmarks.targets import BOARDS, CARDS, CLASSES, COMPARABLE, US, targets
from coven.games import game as find_game


@dataclass
class Scaling:
    """What benchmarks/scaling.py measured, by game."""

    players: dict[str, dict[int, float]] = field(default_factory=dict)
    batch: dict[str, dict[int, float]] = field(default_factory=dict)
    threads: dict[str, dict[str, float]] = field(default_factory=dict)
    stages: dict[str, dict[str, float]] = field(default_factory=dict)
    lengths: dict[str, float] = field(default_factory=dict)
    starts: dict[str, tuple[float, float]] = field(default_factory=dict)
    memory: dict[str, dict[str, int]] = field(default_factory=dict)


@dataclass(frozen=True)
class Comparison:
    """All that one run found out."""

    head: str
    """When, where and how it was measured."""
    versions: list[str]
    rows: list[Row]
    missing: dict[str, str]
    scaling: Scaling
    pictures: list[tuple[str, str]]
    """Title and file."""


def short(rate: float) -> str:
    """A rate as people read it: three digits count."""
    for unit, name in ((1e6, " M"), (1e3, " k")):
        if rate >= unit:
            return f"{rate / unit:.3g}{name}"
    return f"{rate:.3g}"


def table(columns: Sequence[str], rows: Sequence[Sequence[str]], text_columns: int = 1) -> Iterator[str]:
    """A Markdown table; all but the first columns hold numbers."""
    yield "| " + " | ".join(columns) + " |"
    yield "|" + "|".join("---" if i < text_columns else "--:" for i in range(len(columns))) + "|"
    for row in rows:
        yield "| " + " | ".join(row) + " |"
    yield ""


def markdown(comparison: Comparison) -> str:
    """The whole page."""
    lines = ["# Beside the peers", "", comparison.head, "", "; ".join(comparison.versions) + ".", ""]
    for title, file in comparison.pictures:
        lines += [f"![{title}]({file})", ""]
    lines += [*_targets(comparison.rows), *_faces(comparison), *_scaling(comparison.scaling)]
    return "\n".join(lines).rstrip() + "\n"


def _targets(rows: Sequence[Row]) -> Iterator[str]:
    found = targets(rows)
    if not found:
        return
    yield from ("## What should be true", "")
    of_cards, of_boards = (
        " and ".join(find_game(name).title for name, rivals in CLASSES.items() if rivals is given)
        for given in (CARDS, BOARDS)
    )
    yield (
        f"Per CPU second, each game at its most players against the fastest rival. In-kernel, the rivals of {of_cards} "
        f"are OpenSpiel's card games ({', '.join(CARDS)}), of which hearts and oh_hell are much simpler; of "
        f"{of_boards} those that compute most ({', '.join(BOARDS)}). In batches the rivals "
        f"are the games of some size that Pgx and EnvPool have: {', '.join(COMPARABLE)}."
    )
    yield ""
    cells = [
        (t.what, t.game, short(t.ours), t.rival, short(t.theirs), f"{t.ratio:.2f}", f"{t.wanted:g}", _yes(t.reached))
        for t in found
    ]
    yield from table(("target", "game", "ours", "rival", "theirs", "ratio", "wanted", "reached"), cells, 2)


def _yes(reached: bool) -> str:
    return "yes" if reached else "**no**"


def _faces(comparison: Comparison) -> Iterator[str]:
    for face in FACES:
        rows = [row for row in comparison.rows if row.face == face]
        if not rows:
            continue
        yield from (f"## {face[0].upper()}{face[1:]}", "")
        measured = sorted((row for row in rows if row.samples), key=lambda row: -row.per_cpu_second)
        cells = [
            (
                "" if row.note == CEILING else f"**{row.peer}**" if row.peer == US else row.peer,
                row.game,
                row.note,
                f"{row.per_cpu_second:,.0f}",
                f"{row.spread[0]:,.0f} to {row.spread[1]:,.0f}",
                f"{row.per_second:,.0f}",
            )
            for row in measured
        ]
        cells += [(row.peer, row.game, row.note, f"not measured: {row.problem}", "", "") for row in rows if row.problem]
        yield from table(("", "game", "", "per CPU second", "spread", "per second"), cells, 3)
    for peer, why in comparison.missing.items():
        yield from (f"{peer}: not installed or not working here: {why}", "")


def _scaling(scaling: Scaling) -> Iterator[str]:
    if scaling.players:
        counts = sorted({n for costs in scaling.players.values() for n in costs})
        yield from (
            "## Cost by players",
            "",
            "Nanoseconds of CPU time in-kernel, with mask and observation.",
            "",
        )
        yield from _by_game(scaling.players, counts, lambda n: f"{n} players")
    if scaling.batch:
        sizes = sorted({n for costs in scaling.batch.values() for n in costs})
        yield from ("## Cost by batch size", "", "Nanoseconds of CPU time for a decision from Python, no copies.", "")
        yield from _by_game(scaling.batch, sizes, lambda n: f"{n:,}")
    if scaling.threads:
        settings = list(next(iter(scaling.threads.values())))
        yield from ("## Cost by threads", "", "Nanoseconds by the clock for a decision from Python, no copies.", "")
        yield from _by_game(scaling.threads, settings, str)
    if scaling.stages:
        yield from ("## Cost by length of the game", "")
        yield "Nanoseconds of CPU time for a decision as games go on; a game costs its length times the mean."
        yield ""
        stages = list(next(iter(scaling.stages.values())))
        columns = ["game", "decisions a game", *stages, "a game, microseconds"]
        rows = []
        for game, costs in scaling.stages.items():
            whole = scaling.lengths[game] * sum(costs.values()) / len(costs) / 1000
            rows.append([game, f"{scaling.lengths[game]:.0f}", *(f"{costs[s]:.0f}" for s in stages), f"{whole:.0f}"])
        yield from table(columns, rows)
    if scaling.starts:
        yield from ("## Compile time", "", "Seconds to the first decision of a new process.", "")
        rows = [[game, f"{cold:.1f}", f"{warm:.2f}"] for game, (cold, warm) in scaling.starts.items()]
        yield from table(("game", "nothing compiled yet", "compiled before"), rows)
    if scaling.memory:
        yield from ("## Memory of a game", "", "Bytes for each game of a batch.", "")
        parts = list(next(iter(scaling.memory.values())))
        rows = [
            [game, *(f"{sizes[part]:,}" for part in parts), f"{sum(sizes.values()):,}"]
            for game, sizes in scaling.memory.items()
        ]
        yield from table(("game", *parts, "in all"), rows)


def _by_game(costs: Mapping[str, Mapping[Any, float]], keys: Sequence[Any], show: Any) -> Iterator[str]:
    rows = [[game, *(f"{c[key]:.0f}" if key in c else "" for key in keys)] for game, c in costs.items()]
    yield from table(("game", *(show(key) for key in keys)), rows)
