"""The report of a tournament: one HTML file that works without others, and plots."""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping, Sequence
from html import escape
from importlib.metadata import version
from pathlib import Path

from coven.arena.intervals import Estimate
from coven.arena.league import NOT_REPRODUCIBLE, counts_faults, ends, faults
from coven.arena.population import Population, population
from coven.arena.ratings import Games, Standings, standings
from coven.arena.store import Store
from coven.games.core import files
from coven.games.core.errors import extra

CSS = """
:root { color-scheme: light; --ink: #2b2340; --pale: #e6e1f0; --accent: #6b3fa0; --paper: #fbfaf7; }
body { background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; margin: 2.5rem auto;
  max-width: 66rem; padding: 0 1.2rem; }
h1 { margin-bottom: .2rem; } h1 + p { color: #665e7a; margin-top: 0; } h2 { color: var(--accent); margin-top: 2.4rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
.wide { overflow-x: auto; }
th, td { padding: .35rem .7rem; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--pale); }
th { border-bottom: 2px solid var(--accent); font-weight: 600; }
td.name, th.name { text-align: left; overflow-wrap: anywhere; white-space: normal; min-width: 7rem; }
td small { color: #665e7a; display: block; } td b { font-size: 1.05em; }
.pictures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(26rem, 100%), 1fr)); gap: 1.2rem;
  align-items: center; }
.pictures img { width: 100%; height: auto; box-sizing: border-box; background: white;
  border: 1px solid var(--pale); border-radius: 6px; }
code { background: var(--pale); border-radius: 4px; padding: .1rem .35rem; overflow-wrap: anywhere; }
"""
ALT = {
    "ratings": "Ratings with their intervals",
    "head_to_head": "Who finished ahead of whom",
    "seats": "Win share by seat",
    "scores": "Final scores of every agent",
    "strength": "Rating against milliseconds for a decision",
}


def report(store: Store, folder: Path, games_to_watch: Mapping[int, str] | None = None) -> Path:
    """Write `report.html` and the plots of a tournament to a folder; returns the HTML file.

    `games_to_watch` are files, in the folder, that show single games.
    """
    with extra("arena", "reports"):
        from coven.arena.plots import plots
    games = Games.load(store)
    found = standings(games)
    files.folder(folder)
    pictures, page = {}, folder / "report.html"
    for name, figure in plots(found, games).items():
        buffer = io.BytesIO()
        figure.savefig(buffer, format="png")
        pictures[name] = buffer.getvalue()
        files.write(folder / f"{name}.png", pictures[name])
    field = population(store.tournament.agents, games.ahead(), store.tournament.seed)
    watch = _watch(store.path, games_to_watch or {})
    files.write(page, html(found, field, pictures, store.digest(), store.changes, watch))
    return page


def html(
    found: Standings,
    field: Population,
    pictures: dict[str, bytes],
    digest: str,
    changes: Sequence[str] = (),
    watch: str = "",
) -> str:
    """The page."""
    t = found.tournament
    title = f"{t.rules.title}, {t.players} players"
    options = ", ".join(f"{name}={value!r}" for name, value in t.options.items()) or "no options"
    about = f"{found.games:,} games, {found.deals:,} deals, seed {t.seed}, {options}"
    images = "\n".join(
        f'<img alt="{ALT[name]}" src="data:image/png;base64,{base64.b64encode(data).decode()}">'
        for name, data in pictures.items()
    )
    clock = f"<p>{NOT_REPRODUCIBLE}</p>" if t.timed else ""
    mixed = f"<p><b>Games of different programs:</b> {escape('; '.join(changes))}.</p>" if changes else ""
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{escape(title)}</title><style>{CSS}</style></head><body>
<h1>{escape(title)}</h1><p>{escape(about)}</p>
<h2>League table</h2><div class="wide">{_league(found)}</div>
<p>Every lineup played the same deals (episode seeds) with all rotations of the seats. All intervals are 95 % intervals;
all games of a deal count as one observation. The rating is a Bradley-Terry fit to the final ranks on the Elo scale, its
interval a bootstrap over deals.</p>{clock}{mixed}
<div class="pictures">{images}</div>
<h2>Head to head</h2><p>The share of games in which the agent of the row finished ahead of that of the column; ties
count half.</p><div class="wide">{_head_to_head(found)}</div>
<h2>More than one number</h2><div class="wide">{_population(field)}</div>
<p>{_cycles(field)} Nash averaging: the mixture of agents against which no agent gains, and each agent's log odds
against it on the Elo scale. alpha-rank: the share of time that a population spends with each agent if it keeps changing
to an agent that beats the present one. Intervals are bootstraps over deals.</p>
<h2>Seats</h2><div class="wide">{_seats(found)}</div>{watch}
<p>Made by coven-rl {version("coven-rl")}; digest of all games without timings: <code>{digest}</code>.</p>
</body></html>
"""


def _watch(db: Path, games: Mapping[int, str]) -> str:
    """How to watch the games, and links to those in the report's folder."""
    links = ", ".join(f'<a href="{escape(file)}">game {number}</a>' for number, file in games.items())
    here = f" Here are some: {links}." if links else ""
    return f"<h2>Games</h2><p>All can be watched and analysed: <code>coven watch {escape(str(db))}</code>.{here}</p>"


def _table(columns: list[str], rows: list[list[str]]) -> str:
    """A table whose second column or, with a first cell that is no number, first column holds names."""

    def line(cells: list[str], tag: str) -> str:
        return "".join(f"<{tag}{_name_class(i, rows)}>{cell}</{tag}>" for i, cell in enumerate(cells))

    body = "\n".join(f"<tr>{line(row, 'td')}</tr>" for row in rows)
    return f"<table><tr>{line(columns, 'th')}</tr>\n{body}</table>"


def _name_class(column: int, rows: list[list[str]]) -> str:
    names = 1 if rows[0][0].isdigit() else 0
    return ' class="name"' if column == names else ""


def _cell(estimate: Estimate, spec: str) -> str:
    return f"<b>{estimate.value:{spec}}</b> <small>{ends(estimate, spec)}</small>"


def _league(found: Standings) -> str:
    columns = ["", "agent", "games", "rating", "win share", "rank reward", "mean score", "margin", "ms/decision"]
    with_faults = counts_faults(found)
    columns += ["faults"] if with_faults else []
    rows = [
        [
            str(place),
            escape(line.agent),
            f"{line.games:,}",
            _cell(line.rating, ".0f"),
            _cell(line.win_share, ".1%"),
            _cell(line.reward, "+.2f"),
            _cell(line.score, ".1f"),
            _cell(line.margin, "+.1f"),
            f"{line.milliseconds:.3g}",
            *([faults(line)] if with_faults else []),
        ]
        for place, line in enumerate(found.lines, 1)
    ]
    return _table(columns, rows)


def _head_to_head(found: Standings) -> str:
    names = [line.agent for line in found.lines]
    rows = [
        [
            escape(first),
            *("" if first == second else _cell(found.head_to_head[first, second], ".1%") for second in names),
        ]
        for first in names
    ]
    return _table(["", *map(escape, names)], rows)


def _population(field: Population) -> str:
    rows = [
        [escape(one.agent), _cell(one.weight, ".1%"), _cell(one.average, ".0f"), _cell(one.alpha, ".1%")]
        for one in sorted(field.standings, key=lambda one: -one.average.value)
    ]
    return _table(["", "Nash weight", "Nash average", "alpha-rank"], rows)


def _cycles(field: Population) -> str:
    """Whether the field has cycles, in words."""
    cycle = field.cycle
    if cycle is None:
        return "There is no cycle of three agents in which each finishes ahead of the next, and the last of the first."
    names = " ahead of ".join(escape(name) for name in (*cycle.agents, cycle.agents[0]))
    sure = "This is significant" if cycle.sure else "This may be chance"
    low, high = max(0.0, 0.5 + cycle.margin.low), 0.5 + cycle.margin.high
    return (
        f"The strongest cycle: {names}, each in at least {0.5 + cycle.margin.value:.1%} of the games "
        f"({low:.1%} to {high:.1%}). {sure}."
    )


def _seats(found: Standings) -> str:
    rows = [[f"seat {p}", _cell(win, ".1%"), _cell(score, ".1f")] for p, (win, score) in enumerate(found.seats)]
    return _table(["", "win share", "mean score"], rows)
