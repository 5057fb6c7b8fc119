"""The curve of a training run as a picture."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from coven.games.core import files

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#f0e442")
"""Colours that the colour-blind can tell apart too."""
TITLE_WIDTH = 76  # characters that have room in a line, paths included, which cannot be wrapped elsewhere


def draw(title: str, curve: Sequence[Mapping[str, Any]], path: Path) -> None:
    """The share of games won against bots over time, with its interval, for every player count."""
    figure = Figure(figsize=(6.4, 3.6), layout="constrained")
    axes = figure.subplots()
    rival = curve[-1]["rival"].replace("$", r"\$") if curve else "greedy"  # a dollar would begin a formula
    counts = sorted({row["players"] for row in curve})
    for colour, players in zip(COLOURS, counts, strict=False):
        rows = [row for row in curve if row["players"] == players]
        minutes = [row["seconds"] / 60 for row in rows]
        wins = [100 * row["win_share"] for row in rows]
        within = [100 * row["half_width_95"] for row in rows]
        low, high = ([w + sign * h for w, h in zip(wins, within, strict=True)] for sign in (-1, 1))
        axes.fill_between(minutes, low, high, color=colour, alpha=0.2, linewidth=0)
        axes.plot(minutes, wins, color=colour, marker="o", markersize=3, label=f"{players} players")
        axes.axhline(100 / players, color=colour, linestyle=":", linewidth=1)
    taught = [row["seconds"] / 60 for row in curve if 0 < row["lessons"] == row["updates"]]
    if taught:
        axes.axvspan(0, max(taught), color="0.5", alpha=0.12, linewidth=0, label="lessons")
    figure.suptitle(textwrap.fill(title, TITLE_WIDTH), fontsize=10)
    axes.set(xlabel="minutes (dotted: fair share; bands: 95 %)", ylabel=f"won against {rival}, %")
    axes.set(ylim=(0, 100), xlim=(0, None))
    figure.legend(loc="outside lower center", ncols=len(counts) + 1, frameon=False, fontsize="small")
    with files.writing(path) as partial:
        figure.savefig(partial, dpi=120, format="png")
