"""Where commands print."""

from __future__ import annotations

import json
import os
from typing import Any

from rich.console import Console

PIPED_WIDTH = 120  # tables that go to a file or a pipe keep their columns


class Terminal(Console):
    """A console that raises BrokenPipeError when the reader of its output has gone, so that the command can end."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(highlight=False, **settings)
        if not self.is_terminal and "COLUMNS" not in os.environ:
            self.width = PIPED_WIDTH

    def on_broken_pipe(self) -> None:
        """Raise the error again: rich itself would end the process with exit code 1."""
        raise BrokenPipeError


def print_json(found: Any) -> None:
    """Print for other programs: JSON, on one line for each entry of a list."""
    if isinstance(found, list):
        print("[" + ",\n ".join(json.dumps(one, ensure_ascii=False) for one in found) + "]")
    else:
        print(json.dumps(found, ensure_ascii=False, indent=1))
