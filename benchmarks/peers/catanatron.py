"""Catanatron: games of four random players."""

from __future__ import annotations

from importlib.metadata import version

from catanatron import Color, Game, RandomPlayer

from .worker import PYTHON, Run, Subject, serve


def play() -> Run:
    """Whole games by its own players."""

    def run(decisions: int) -> int:
        made = 0
        while made < decisions:
            game = Game([RandomPlayer(color) for color in (Color.RED, Color.BLUE, Color.WHITE, Color.ORANGE)])
            game.play()
            made += len(game.state.actions)
        return made

    return run


SUBJECTS = [Subject(PYTHON, "catan, 4 players", play, "no observation")]

if __name__ == "__main__":
    serve([f"catanatron {version('catanatron')}"], SUBJECTS)
