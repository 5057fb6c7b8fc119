"""The errors of Coven, each with a message that says what was wrong and what is allowed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class CovenError(ValueError):
    """The base of all errors of Coven: a mistake in what the caller asked for."""


class UnknownGame(CovenError):
    """There is no game of that name."""


class BrokenGame(CovenError):
    """A game that is installed but cannot be used."""


class BadOption(CovenError):
    """A number of players, a seed or an option that the game does not have or allow."""


class IllegalAction(CovenError):
    """An action that is not legal now; the state is unchanged."""


class BadState(CovenError):
    """Bytes or an object that are not a state of this game."""


class OutOfOrder(CovenError):
    """A call at the wrong moment, such as a step before the first reset or after the end."""


class InUse(CovenError):
    """Another process is working on the same folder or file."""


class CannotWrite(CovenError, OSError):
    """A file or folder that cannot be written; what was there before is unchanged."""

    def __init__(self, path: object, reason: object) -> None:
        words = getattr(reason, "strerror", None) or reason
        super().__init__(f"{path} cannot be written: {words}")


class MissingExtra(CovenError, ImportError):
    """A call needs packages of an extra of coven-rl that is not installed; the message says how to install it."""


@contextmanager
def extra(name: str, what: str) -> Iterator[None]:
    """A `with` block for imports that need an extra of coven-rl; raises MissingExtra if they fail."""
    try:
        yield
    except MissingExtra:
        raise
    except ImportError as error:
        raise MissingExtra(f"{what} need the extra {name!r}: pip install 'coven-rl[{name}]' ({error})") from error


def printable(text: str) -> str:
    """Text with its control characters escaped, so that a message can quote untrusted text."""
    return "".join(c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode() for c in text)
