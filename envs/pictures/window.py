"""A window that shows pictures. Needs the extra `window`."""

from __future__ import annotations

from typing import Any

from coven.envs.pictures.pixels import rgb
from coven.games.core.drawing.canvas import HEIGHT, WIDTH
from coven.games.core.errors import CovenError, extra

_SHARE = 0.9  # of the screen that a new window takes at most


class Window:
    """Opens with the first picture; a user who closes it has seen enough, and the game goes on without it."""

    def __init__(self, fps: int) -> None:
        with extra("window", "windows"):
            import pygame
        self._pygame: Any = pygame
        self._fps = fps
        self._screen: Any = None
        self._clock: Any = None
        self._dismissed = False

    def __reduce__(self) -> tuple[type[Window], tuple[int]]:
        """A copy is a window of its own, not yet open."""
        return Window, (self._fps,)

    def show(self, svg: str, title: str) -> None:
        """Show a picture, as large as the window, for at least one beat."""
        pygame = self._pygame
        if self._dismissed:
            return
        if self._screen is None:
            self._open(title)
        self._dismissed = any(event.type == pygame.QUIT for event in pygame.event.get())
        if self._dismissed:
            self.close()
            return
        self._screen = pygame.display.get_surface()  # the user may have changed its size
        width, height = self._screen.get_size()
        image = rgb(svg, min(width / WIDTH, height / HEIGHT))
        picture = pygame.surfarray.make_surface(image.swapaxes(0, 1))
        self._screen.fill("black")
        self._screen.blit(picture, picture.get_rect(center=(width // 2, height // 2)))
        pygame.display.flip()
        if pygame.display.get_driver() != "dummy":  # where nobody watches there is no hurry to slow down
            self._clock.tick(self._fps)

    def _open(self, title: str) -> None:
        pygame = self._pygame
        try:
            pygame.display.init()
            width, height = pygame.display.get_desktop_sizes()[0]
            scale = min(1, _SHARE * width / WIDTH, _SHARE * height / HEIGHT)
            size = (int(WIDTH * scale), int(HEIGHT * scale))
            self._screen = pygame.display.set_mode(size, pygame.RESIZABLE)
        except pygame.error as error:
            raise CovenError(f"no window can be opened here ({error}); render_mode='rgb_array' needs none") from error
        pygame.display.set_caption(title)
        self._clock = pygame.time.Clock()

    def close(self) -> None:
        """Close the window, if it is open."""
        if self._screen is not None:
            self._screen = None
            self._pygame.display.quit()
