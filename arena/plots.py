"""Plots of a tournament; needs matplotlib (the extra `arena`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from coven.arena.intervals import Estimate
from coven.arena.ratings import Games, Standings

INK, PALE, ACCENT, SECOND = "#2b2340", "#d9d4e7", "#6b3fa0", "#c2703d"
MOST_INCHES = 60
STYLE: dict[Any, Any] = {
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 12,
    "font.size": 10,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
}


def plots(found: Standings, games: Games) -> dict[str, Figure]:
    """All plots by name."""
    drawers: dict[str, Callable[[Standings, Games], Figure]] = {
        "ratings": ratings,
        "head_to_head": head_to_head,
        "seats": seats,
        "scores": scores,
        "strength": strength,
    }
    import matplotlib

    with matplotlib.rc_context(STYLE):
        return {name: draw(found, games) for name, draw in drawers.items()}


def _figure(width: float, height: float) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(min(width, MOST_INCHES), min(height, MOST_INCHES)), layout="constrained", dpi=120)
    return figure, figure.subplots()


def _names(found: Standings) -> list[str]:
    """The agents, cut to what has room; a dollar is one, and not the beginning of a formula."""
    names = (line.agent if len(line.agent) <= 28 else f"{line.agent[:12]}...{line.agent[-13:]}" for line in found.lines)
    return [name.replace("$", r"\$") for name in names]


def _whiskers(
    axes: Axes, where: np.ndarray, estimates: list[Estimate], colour: str = ACCENT, across: bool = False
) -> None:
    """Points with their intervals; what is not finite has no whisker."""
    values = np.array([e.value for e in estimates])
    reach = np.array([[e.value - e.low for e in estimates], [e.high - e.value for e in estimates]])
    reach = np.where(np.isfinite(reach), np.maximum(reach, 0), 0)
    style: dict[str, Any] = {"fmt": "o", "color": colour, "capsize": 4, "markersize": 6, "linewidth": 1.6}
    if across:
        axes.errorbar(values, where, xerr=reach, **style)
    else:
        axes.errorbar(where, values, yerr=reach, **style)


def ratings(found: Standings, games: Games) -> Figure:
    """Ratings with their intervals."""
    figure, axes = _figure(7, 1.4 + 0.42 * len(found.lines))
    rows = np.arange(len(found.lines))
    _whiskers(axes, rows, [line.rating for line in found.lines], across=True)
    for row, line in zip(rows, found.lines, strict=True):
        axes.annotate(
            f"{line.rating.value:.0f}", (line.rating.value, row), (0, 7), textcoords="offset points", ha="center"
        )
    axes.set_yticks(rows, _names(found))
    axes.set_ylim(len(rows) - 0.5, -0.7)
    axes.margins(x=0.08)
    axes.grid(axis="x", color=PALE, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.set_title("Rating and 95 % interval")
    axes.set_xlabel("Bradley-Terry rating, Elo scale: 400 points mean odds of ten to one")
    return figure


def head_to_head(found: Standings, games: Games) -> Figure:
    """How often the agent of the row finished ahead of that of the column."""
    size, names = len(found.lines), _names(found)
    figure, axes = _figure(3 + 0.75 * size, 2 + 0.6 * size)
    shares = np.full((size, size), np.nan)
    for i, first in enumerate(found.lines):
        for j, second in enumerate(found.lines):
            if i != j:
                shares[i, j] = found.head_to_head[first.agent, second.agent].value
    axes.set_facecolor(PALE)
    image = axes.imshow(shares, cmap="PuOr_r", vmin=0, vmax=1, aspect="auto")
    for i, j in np.ndindex(size, size):
        if np.isfinite(shares[i, j]):
            dark = abs(shares[i, j] - 0.5) > 0.28
            axes.text(j, i, f"{shares[i, j]:.0%}", ha="center", va="center", color="white" if dark else INK)
    axes.set_xticks(range(size), names, rotation=35, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(size), names)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    axes.set_title("Finished ahead of the other (ties count half)")
    bar = figure.colorbar(image, ax=axes, format=lambda x, _: f"{x:.0%}")
    bar.outline.set_visible(False)
    return figure


def seats(found: Standings, games: Games) -> Figure:
    """Win share by seat, over all agents."""
    figure, axes = _figure(5.5, 3.4)
    n = len(found.seats)
    _whiskers(axes, np.arange(n), [win for win, _ in found.seats])
    axes.axhline(1 / n, color=SECOND, linestyle="--", linewidth=1.2, label="an even share")
    axes.set_xticks(range(n), [f"seat {p}" for p in range(n)])
    axes.margins(x=0.15, y=0.3)
    axes.yaxis.set_major_formatter(lambda x, _: f"{x:.1%}")
    axes.grid(axis="y", color=PALE, linewidth=0.8)
    axes.set_title("Win share by seat and 95 % interval, all agents")
    axes.legend(frameon=False, loc="upper right")
    return figure


def scores(found: Standings, games: Games) -> Figure:
    """How the scores of every agent are spread."""
    figure, axes = _figure(7, 1.4 + 0.5 * len(found.lines))
    number = {agent: i for i, agent in enumerate(games.tournament.agents)}
    spread = [games.scores[games.agents == number[line.agent]] for line in found.lines]
    drawn = axes.boxplot(
        spread, orientation="horizontal", whis=(2.5, 97.5), showfliers=False, widths=0.55, patch_artist=True
    )
    for box in drawn["boxes"]:
        box.set(facecolor=PALE, edgecolor=ACCENT)
    for part in ("whiskers", "caps"):
        for one in drawn[part]:
            one.set(color=ACCENT)
    for median in drawn["medians"]:
        median.set(color=SECOND, linewidth=2)
    axes.set_yticks(range(1, len(spread) + 1), _names(found))
    axes.invert_yaxis()
    axes.grid(axis="x", color=PALE, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.set_title("Final scores: median, middle half, and 95 of 100 games")
    axes.set_xlabel("points")
    return figure


def strength(found: Standings, games: Games) -> Figure:
    """Rating against the time for a decision."""
    figure, axes = _figure(7, 4)
    times = np.maximum(np.array([line.milliseconds for line in found.lines]), 1e-6)
    _whiskers(axes, times, [line.rating for line in found.lines])
    for x, line, name in zip(times, found.lines, _names(found), strict=True):
        axes.annotate(name, (x, line.rating.value), (8, 5), textcoords="offset points")
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(lambda x, _: f"{x:g}")
    axes.xaxis.set_minor_formatter(lambda x, _: "")
    if times.max() < 10 * times.min():  # room for a tick or two
        axes.set_xlim(times.min() / 4, times.max() * 6)
    axes.margins(x=0.25, y=0.12)
    axes.grid(color=PALE, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.set_title("Strength against time")
    axes.set_xlabel("milliseconds for a decision")
    axes.set_ylabel("rating")
    return figure
