"""A picture for a game that nobody has drawn: its text on a sheet."""

from __future__ import annotations

from coven.games.core.drawing.canvas import HEIGHT, WIDTH, Canvas
from coven.games.core.drawing.pieces import INK, LIGHT, NIGHT, PAPER, TOP

MARGIN = 24
LARGEST = 20  # the size of the letters, if there is room for it


def svg_of_text(title: str, text: str) -> str:
    """The title and all lines of a text, as large as the sheet allows."""
    lines = text.expandtabs(4).splitlines()
    step = min(LARGEST * 1.3, (HEIGHT - TOP - 2 * MARGIN) / max(len(lines), 1))
    c = Canvas(PAPER)
    c.rect(0, 0, WIDTH, TOP, NIGHT)
    c.text(MARGIN, TOP / 2, title, 26, LIGHT, bold=True)
    for number, line in enumerate(lines):
        indent = len(line) - len(line.lstrip())  # SVG drops spaces in front
        x = MARGIN + indent * step / 3
        c.text(x, TOP + MARGIN + (number + 0.5) * step, line.strip(), step / 1.3, INK, width=WIDTH - MARGIN - x)
    return c.svg()
