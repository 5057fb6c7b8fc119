"""The comparison as pictures: bars on a logarithmic scale, and how costs grow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")

from matplotlib import pyplot as plt
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter

from coven.benchmarks.ours import CEILING
from coven.benchmarks.report import short
from coven.benchmarks.rounds import Row
from coven.benchmarks.targets import US
from coven.games.core import files

# Okabe and Ito's colours, which the colour-blind can tell apart; shapes and words say the same.
OURS, THEIRS, C = "#0072B2", "#B8B8B8", "#E69F00"
GAMES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7")
MARKERS = "osD^"


def _colour(row: Row) -> str:
    return C if row.note == CEILING else OURS if row.peer == US else THEIRS


def _label(row: Row) -> str:
    note = f" ({row.note})" if row.note else ""
    return f"{row.game}{note}" if row.peer == US else f"{row.peer}: {row.game}{note}"


def bars(panels: Mapping[str, Sequence[Row]], file: Path, columns: int = 2) -> None:
    """One panel for each face: medians per CPU second as bars, fastest on top, with their spread."""
    shown = {face: _ranked(rows) for face, rows in panels.items() if _ranked(rows)}
    if not shown:
        return
    height = max(len(rows) for rows in shown.values()) * 0.24 + 0.9
    lines = -(-len(shown) // columns)
    figure, grid = plt.subplots(lines, columns, figsize=(7.2 * columns, height * lines), squeeze=False)
    for axis in grid.flat[len(shown) :]:
        axis.set_visible(False)
    for axis, (face, rows) in zip(grid.flat, shown.items(), strict=False):
        _panel(axis, face, rows)
    meanings = {OURS: "Coven, most players", THEIRS: "peers", C: "Alchemists by hand in C"}
    used = {_colour(row) for rows in shown.values() for row in rows}
    keys = [Patch(color=colour, label=meaning) for colour, meaning in meanings.items() if colour in used]
    figure.legend(handles=keys, loc="lower center", ncol=len(keys), frameon=False, fontsize=9)
    figure.tight_layout(rect=(0, 0.25 / (height * lines), 1, 1))
    with files.writing(file) as partial:
        figure.savefig(partial, dpi=110, facecolor="white", format="png")
    plt.close(figure)


def _ranked(rows: Sequence[Row]) -> list[Row]:
    return sorted((row for row in rows if row.samples), key=lambda row: row.per_cpu_second)


def _panel(axis: Any, face: str, rows: Sequence[Row]) -> None:
    rates = [row.per_cpu_second for row in rows]
    below = [rate - row.spread[0] for rate, row in zip(rates, rows, strict=True)]
    above = [row.spread[1] - rate for rate, row in zip(rates, rows, strict=True)]
    places = range(len(rows))
    axis.barh(places, rates, color=[_colour(row) for row in rows], xerr=[below, above], ecolor="#444444", height=0.72)
    axis.set_xscale("log")
    axis.set_xlim(min(rates) / 3, max(rates) * 4)
    axis.set_yticks(places, [_label(row) for row in rows], fontsize=8.5)
    for label, row in zip(axis.get_yticklabels(), rows, strict=True):
        label.set_fontweight("bold" if row.peer == US and row.note != CEILING else "normal")
    for place, rate, more in zip(places, rates, above, strict=True):
        axis.text((rate + more) * 1.12, place, short(rate), va="center", fontsize=8)
    axis.set_title(f"{face}, per CPU second", fontsize=10.5, loc="left")
    axis.xaxis.set_major_formatter(FuncFormatter(lambda x, _: short(x)))
    axis.tick_params(axis="x", labelsize=8)
    axis.spines[["top", "right"]].set_visible(False)
    axis.set_ylim(-0.6, len(rows) - 0.4)


def growth(panels: Mapping[str, Mapping[str, Mapping[Any, float]]], file: Path) -> None:
    """One panel for each thing that costs grow with: a line for each game, nanoseconds a decision."""
    shown = {title: games for title, games in panels.items() if games}
    if not shown:
        return
    figure, axes = plt.subplots(1, len(shown), figsize=(4.6 * len(shown), 3.7), squeeze=False)
    for axis, (title, games) in zip(axes[0], shown.items(), strict=True):
        for (game, costs), colour, marker in zip(games.items(), GAMES, MARKERS, strict=False):
            axis.plot(list(map(_tick, costs)), list(costs.values()), color=colour, marker=marker, label=game)
        everything = [cost for costs in games.values() for cost in costs.values()]
        if max(everything) > 20 * min(everything):
            axis.set_yscale("log")
        else:
            axis.set_ylim(0, max(everything) * 1.05)
        axis.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:,.0f}"))
        axis.set_title(f"ns a decision, {title}", fontsize=10.5, loc="left")
        axis.spines[["top", "right"]].set_visible(False)
        axis.grid(axis="y", which="both", color="#E6E6E6", linewidth=0.6)
        axis.tick_params(labelsize=8)
    figure.legend(*axes[0][0].get_legend_handles_labels(), loc="lower center", ncol=4, fontsize=9, frameon=False)
    figure.tight_layout(rect=(0, 0.07, 1, 1))
    with files.writing(file) as partial:
        figure.savefig(partial, dpi=110, facecolor="white", format="png")
    plt.close(figure)


def _tick(key: Any) -> str:
    return f"{key:,}" if isinstance(key, int) else str(key)
