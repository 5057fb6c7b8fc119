"""The table in a terminal: play with numbered actions, and step through recorded games both ways."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence

from coven.games.core.errors import CovenError
from coven.web import analysis
from coven.web.bots import ask_later
from coven.web.library import Film
from coven.web.store import Kept

Read = Callable[[str], str]
Write = Callable[[str], None]
LISTED = 20
"""Actions that are listed without being asked for."""
HELP = """a number, or the words of an action: do it (Tab completes words)
list WORDS: all actions, or those with these words
hint or hint AGENT: what an agent would do (in practice)
undo: take back your last decision (in practice)
table: show the table again; log: all that you saw happen; help; quit: leave, the game is kept"""
COMMANDS = ("list", "hint", "undo", "table", "log", "help", "quit")


class Player:
    """Plays a table in the terminal: agents move by themselves, people are asked."""

    def __init__(self, kept: Kept, read: Read = input, write: Write = print) -> None:
        self.kept, self.table, self.read, self.write = kept, kept.table, read, write
        self._told: dict[int, int] = {}  # by seat: how much of the log it has read
        self._last: int | None = None
        self._words: list[str] = []

    def run(self) -> None:
        """Play until the game is over or somebody leaves."""
        with _completion(lambda: [*self._words, *COMMANDS]):
            while not self.table.over:
                if not self.table.waits_for_human:
                    self.table.act(ask_later(self.table)())
                    self.kept.save()
                elif not self._decide():
                    self.write(f"The game is kept: coven play {self.kept.file.parent} --terminal goes on.")
                    return
        self._end()

    def _end(self) -> None:
        table = self.table
        self.kept.finish()
        self.write(f"\n{table.game.text(table.state)}\n")
        ranks = table.game.ranks(table.state) or []
        for p in sorted(range(len(ranks)), key=lambda p: ranks[p]):
            score = table.game.scores(table.state)[p]
            self.write(f"{ranks[p]}. player {p} ({table.setup.seats[p]}): {score} points")

    def _decide(self) -> bool:
        """Ask the person on turn; False to leave."""
        table, seat = self.table, int(self.table.current or 0)
        if len(table.setup.humans) > 1 and seat != self._last:
            self.write("\n" * 60)
            self.read(f"Player {seat} decides. Hand over, then press Enter. ")
        self._last = seat
        self._tell(seat)
        while True:
            legal = table.game.legal_actions(table.state)
            self._words = [table.game.action_to_string(table.state, action) for action in legal]
            self._list(self._words if len(legal) <= LISTED else [], len(legal))
            try:
                line = self.read(f"player {seat}> ").strip()
            except EOFError:
                return False
            if line == "quit":
                return False
            try:
                if self._obey(line, seat, legal):
                    return True
            except CovenError as error:
                self.write(str(error))

    def _tell(self, seat: int) -> None:
        """What happened since this seat last decided, and the table."""
        lines = self.table.shown_log(seat)
        for number in range(min(self._told.get(seat, 0), len(lines)), len(lines)):
            if lines[number] is not None:
                self.write(f"{number + 1:>4}  {lines[number]}")
        self._told[seat] = len(lines)
        self.write(f"\n{self.table.game.text(self.table.state, seat)}\n")

    def _list(self, words: Sequence[str], total: int) -> None:
        for text in words:
            self.write(f"{self._words.index(text) + 1:>4}  {text}")
        if not words and total:
            self.write(f"{total} actions: `list`, `list WORDS` or Tab shows them")

    def _obey(self, line: str, seat: int, legal: list[int]) -> bool:
        """Do what was typed; True if the game went on."""
        command, _, rest = line.partition(" ")
        table = self.table
        if command == "list":
            self._list([text for text in self._words if all(word in text for word in rest.split())], 0)
        elif command == "hint":
            self._hint(rest or "ismcts:500")
        elif command == "log":
            for number, event in enumerate(table.shown_log(seat), 1):
                self.write(f"{number:>4}  {event}")
        elif command in ("table", ""):
            self._tell(seat)
        elif command == "help":
            self.write(HELP)
        elif command == "undo":
            table.undo()
            self.kept.save()
            return True
        else:
            table.act(self._action(line, legal))
            self.kept.save()
            return True
        return False

    def _action(self, line: str, legal: list[int]) -> int:
        """The action that a line means: its number in the list, or its words."""
        if line.isascii() and line.isdigit():
            if not 1 <= int(line) <= len(legal):
                raise CovenError(f"there is no action {line} in the list; allowed: 1 to {len(legal)}, or its words")
            return legal[int(line) - 1]
        return self.table.game.string_to_action(self.table.state, line)

    def _hint(self, spec: str) -> None:
        table = self.table
        if not table.setup.practice:
            raise CovenError("hints are for practice games: coven play --practice")
        *_, last = analysis.answers(analysis.question(table.game, table.state), spec)
        for row in last["rows"][:5]:
            value = "" if row["value"] is None else f"  value {row['value']:+.2f}"
            self.write(f"  {row['share']:>6.1%}  {table.game.action_to_string(table.state, row['action'])}{value}")
        self.write(f"  ({spec}: {last['note']})")


@contextlib.contextmanager
def _completion(words: Callable[[], list[str]]) -> Iterator[None]:
    """Tab completes these words, where the terminal can."""
    try:
        import readline
    except ImportError:
        yield
        return

    def complete(_: str, state: int) -> str | None:
        typed = readline.get_line_buffer()
        fitting = [word for word in words() if word.startswith(typed)]
        return fitting[state] if state < len(fitting) else None

    before, delimiters = readline.get_completer(), readline.get_completer_delims()
    readline.set_completer(complete)
    readline.set_completer_delims("")
    readline.parse_and_bind("tab: complete")
    try:
        yield
    finally:
        readline.set_completer(before)
        readline.set_completer_delims(delimiters)


STEPS = "Enter or n: forward, b: back, f: first, l: last, a number: that move, v N or v all: whose view, q: end"


def step(film: Film, viewer: int | None = None, read: Read = input, write: Write = print) -> None:
    """Step through a recorded game, forward and back."""
    at, last = 0, len(film.states) - 1
    write(STEPS)
    while True:
        write(f"\n{film.game.text(film.states[at], viewer)}\n")
        if at:
            write(f"{at:>4}  {film.events[viewer][at - 1] or 'hidden'}")
        try:
            line = read(f"{at}/{last}> ").strip()
        except EOFError:
            return
        if line == "q":
            return
        try:
            at, viewer = _stepped(line, at, last, viewer, film.replay.num_players)
        except ValueError:
            write(f"{line!r} is not understood; {STEPS}")


def _stepped(line: str, at: int, last: int, viewer: int | None, players: int) -> tuple[int, int | None]:
    """Where a line leads to."""
    if line.startswith("v"):
        who = line[1:].strip()
        if who != "all" and int(who) not in range(players):
            raise ValueError
        return at, None if who == "all" else int(who)
    to = {"": at + 1, "n": at + 1, "b": at - 1, "f": 0, "l": last}.get(line)
    if to is None:
        to = int(line)
    return min(max(to, 0), last), viewer
