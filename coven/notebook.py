"""Shows states as pictures in a notebook, and recorded games with buttons to step through them."""

from __future__ import annotations

import sys
from html import escape
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from coven.arena.replay import Replay


def picture_of(value: np.ndarray) -> str | None:
    """The picture of a state; None for all other arrays."""
    from coven.games import game, names

    if value.ndim or value.dtype.names is None:
        return None
    for name in names():
        if value.dtype == game(name).record:
            return game(name).svg(value)
    return None


def register() -> None:
    """Let the notebook that runs this process, if there is one, show states as pictures."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell is not None:
        shell.display_formatter.formatters["image/svg+xml"].for_type(np.ndarray, picture_of)


class Animation:
    """A recorded game to step through in a notebook; `html` is the whole page."""

    def __init__(self, replay: Replay, height: int = 620) -> None:
        from coven.web import export
        from coven.web.library import Film

        film = Film(replay)
        self.html, self.height = export.html(film, export.draw(film, export.everybody(film))), height

    def _repr_html_(self) -> str:
        frame = 'width="100%" style="border: 0" sandbox="allow-scripts"'
        return f'<iframe srcdoc="{escape(self.html)}" height="{self.height}" {frame}></iframe>'
