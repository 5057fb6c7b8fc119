"""The render modes of all envs: text, pixels or a window."""

from __future__ import annotations

import numpy as np

from coven.envs import pictures
from coven.games.core.errors import BadOption
from coven.games.core.game import Game, State

RENDER_MODES = ("human", "ansi", "rgb_array")
RENDER_FPS = 4  # how fast a window goes on, at most


class Renderer:
    """Shows the states of one game in one render mode; None shows nothing."""

    def __init__(self, game: Game, mode: str | None) -> None:
        if mode not in (None, *RENDER_MODES):
            allowed = ", ".join(map(repr, RENDER_MODES))
            raise BadOption(f"render_mode={mode!r} is not allowed; allowed: None, {allowed}")
        self.game, self.mode = game, mode
        if mode in ("human", "rgb_array"):  # what is missing is said now, not at the first picture
            from coven.envs.pictures import pixels

            pixels.check()
        if mode == "human":
            from coven.envs.pictures.window import Window

            self.window = Window(RENDER_FPS)

    def show(self, s: State, viewer: int | None = None) -> str | np.ndarray | None:
        """The state as the viewer sees it: text, an array (height, width, 3), or None if it is shown in the window."""
        if self.mode is None:
            return None
        if self.mode == "ansi":
            return self.game.text(s, viewer)
        drawn = self.game.svg(s, viewer)
        if self.mode == "human":
            self.window.show(drawn, self.game.title)
            return None
        return pictures.rgb(drawn)

    def close(self) -> None:
        """Close the window, if there is one."""
        if self.mode == "human":
            self.window.close()
