"""`coven check-bot`: is a program ready to play?"""

from __future__ import annotations

from typing import Annotated

from tyro.conf import Positional, arg

from coven.games.core.errors import BadOption, printable


def check_bot(
    game: Annotated[Positional[str], arg(metavar="GAME", help="One of the names that `coven games` lists.")],
    bot: Annotated[Positional[str], arg(metavar="cmd:PROGRAM", help="The program with its arguments, in quotes.")],
    players: Annotated[int | None, arg(metavar="N", help="How many players; the fewest possible if not given.")] = None,
    deals: int = 8,
    show: bool = False,
) -> None:
    """Check a program (docs/bots.md): play games with it, and say what is wrong and what is allowed.

    Args:
        game: Which game.
        bot: The program, such as 'cmd:python3 bot.py'; write limits before it, such as 'cmd:seconds=1 ./bot'.
        players: How many players.
        deals: Deals that are played at the same time, each with all rotations of the seats.
        show: Print every line between Coven and the program.
    """
    from coven.agents.program_check import check
    from coven.games import game as find_game

    if not 1 <= deals <= 1000:
        raise BadOption(f"deals={deals} is not allowed; allowed: 1 to 1000")

    def say(text: str) -> None:
        print(printable(text), flush=True)

    check(find_game(game), bot, players, deals, say, say if show else None)
    print("This program can play.")
