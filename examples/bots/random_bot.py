"""A bot for any game of Coven in plain Python: a random legal action. The protocol: docs/bots.md.

coven check-bot alchemists "cmd:python3 examples/bots/random_bot.py"
"""

import json
import random
import sys


def main() -> None:
    """Answer every line that comes in."""
    dice = {}  # of each table: many games may go on at once
    for line in sys.stdin:
        message = json.loads(line)
        table = message["table"]
        if message["type"] == "hello":
            dice[table] = random.Random(message["seed"])  # the same seed gives the same game
            # Leave "wants" out to be told the state, the events and the texts of the actions too.
            answer = {"type": "ready", "table": table, "protocol": 1, "name": "random in Python", "wants": []}
        elif message["type"] == "decide":
            action = dice[table].choice(message["legal"])
            answer = {"type": "action", "table": table, "action": action}
        else:
            del dice[table]
            continue
        print(json.dumps(answer), flush=True)  # without the flush nobody hears it


if __name__ == "__main__":
    main()
