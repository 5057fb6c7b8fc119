"""Where commands print."""

from __future__ import annotations

from rich.console import Console


class Terminal(Console):
    """A console that leaves it to the command what happens when whoever reads its output has seen enough."""

    def on_broken_pipe(self) -> None:
        """Hand the error on: rich itself would end the process with exit code 1."""
        raise BrokenPipeError
