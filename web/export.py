"""A recorded game as one HTML file that needs no server, or as a GIF.

Pictures of neighbouring positions share most of their elements. The file holds every element once and each picture as
what differs from the one before, compressed; a whole game takes some hundred kilobytes.
"""

from __future__ import annotations

import base64
import gzip
import io
import json
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Any

from coven.envs.pictures import rgb
from coven.games.core.errors import extra
from coven.web.library import Film

PAGE = Path(__file__).parent / "page"
Viewers = Sequence[int | None]


def everybody(film: Film) -> list[int | None]:
    """All open, and every seat."""
    return [None, *range(film.replay.num_players)]


def draw(film: Film, viewers: Viewers) -> Iterator[tuple[int | None, str]]:
    """The pictures of a game, position by position, for each of these viewers."""
    for s in film.states:
        for viewer in viewers:
            yield viewer, film.game.svg(s, viewer)


class Packer:
    """Pictures as lists of elements, each element kept once."""

    def __init__(self) -> None:
        self.elements: dict[str, int] = {}
        self.pictures: dict[str, list[list[Any]]] = {}
        self._before: dict[str, list[int]] = {}

    def add(self, view: str, svg: str) -> None:
        """Add the next picture of a view: how much of the one before it keeps at both ends, and what is between."""
        now = [self.elements.setdefault(line, len(self.elements)) for line in svg.split("\n")]
        before = self._before.get(view, [])
        head = 0
        while head < min(len(before), len(now)) and before[head] == now[head]:
            head += 1
        tail = 0
        while tail < min(len(before), len(now)) - head and before[-1 - tail] == now[-1 - tail]:
            tail += 1
        self.pictures.setdefault(view, []).append([head, tail, now[head : len(now) - tail]])
        self._before[view] = now


def html(film: Film, pictures: Iterator[tuple[int | None, str]] | Sequence[tuple[int | None, str]]) -> str:
    """The page: the one of `coven watch`, its scripts and all pictures in one file."""
    packer = Packer()
    for viewer, svg in pictures:
        packer.add("all" if viewer is None else str(viewer), svg)
    logs = {"all" if viewer is None else str(viewer): events for viewer, events in film.events.items()}
    data = {"about": film.about(), "logs": logs, "elements": list(packer.elements), "pictures": packer.pictures}
    packed = base64.b64encode(gzip.compress(json.dumps(data).encode(), 9, mtime=0)).decode()
    page = (PAGE / "watch.html").read_text(encoding="utf-8")
    style = (PAGE / "style.css").read_text(encoding="utf-8")
    page = page.replace('<link rel="stylesheet" href="/static/style.css">', f"<style>\n{_without_fonts(style)}</style>")
    scripts = "".join(f"<script>\n{(PAGE / name).read_text(encoding='utf-8')}</script>\n" for name in _SCRIPTS)
    for name in (*_SCRIPTS, "analysis.js"):
        page = page.replace(f'<script src="/static/{name}" defer></script>\n', "")
    game = f'<script type="application/gzip" id="recorded">{packed}</script>\n'
    title = f"<title>{escape(film.game.title)}: a recorded game</title>"
    return page.replace("<title>Coven</title>", title).replace("</body>", f"{game}{scripts}</body>")


_SCRIPTS = ("board.js", "watch.js")


def _without_fonts(style: str) -> str:
    """The style without the fonts that only a server has."""
    return "\n".join(line for line in style.split("\n") if not line.startswith("@font-face"))


def gif(svgs: Sequence[str], scale: float = 0.5, seconds: float = 1.0) -> bytes:
    """Pictures as a film, the last one shown longer."""
    with extra("pictures", "GIFs"):
        from PIL import Image
    frames = [Image.fromarray(rgb(svg, scale)).quantize(64, dither=Image.Dither.NONE) for svg in svgs]
    durations = [int(1000 * seconds)] * (len(frames) - 1) + [int(4000 * seconds)]
    file = io.BytesIO()
    frames[0].save(file, "GIF", save_all=True, append_images=frames[1:], duration=durations, loop=0, optimize=False)
    return file.getvalue()
