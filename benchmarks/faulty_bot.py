"""A bot that plays by the rules until its n-th decision and then does something that no bot should do.

python3 faulty_bot.py FAULT [N]: the first legal action until decision N (from 0), then the fault; after it, if it is
still there, it plays on. It needs Python alone.
"""

import json
import os
import signal
import sys
import time


def answer(table, action):
    """A line that decides."""
    return json.dumps({"type": "action", "table": table, "action": action}).encode() + b"\n"


def say(data):
    """Send bytes, all of them."""
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def flood():
    """Send lines that nobody asked for, for ever."""
    while True:
        say(b"{}\n" * 1000)


def hoard():
    """Take more and more memory."""
    held = []
    while True:
        held.append(bytearray(1 << 26))


def stop_short():
    """Begin a line and do not end it."""
    say(b'{"type":"action",')
    time.sleep(60)


def close():
    """Close the standard output and go on running."""
    os.close(1)
    time.sleep(60)


FAULTS = {
    "crash": lambda m: 1 // 0,
    "killed": lambda m: os.kill(os.getpid(), signal.SIGSEGV),
    "exit": lambda m: os._exit(0),
    "hang": lambda m: time.sleep(60),
    "half a line": lambda m: stop_short(),
    "closed pipe": lambda m: close(),
    "100 MB line": lambda m: say(b"x" * 100_000_000 + b"\n"),
    "flood": lambda m: flood(),
    "invalid UTF-8": lambda m: say(b'{"type":"action","table":1,"action":"\xff\xfe"}\n'),
    "no JSON": lambda m: say(b"I take the first one\n"),
    "NaN": lambda m: say(b'{"type":"action","table":%d,"action":NaN}\n' % m["table"]),
    "deep JSON": lambda m: say(b'{"type":"action","table":1,"action":' + b"[" * 60_000 + b"\n"),
    "escape codes": lambda m: say(b"\x1b[2J\x1b]0;title\x07\n"),
    "wrong type": lambda m: say(b'{"type":"move","table":%d,"action":0}\n' % m["table"]),
    "unknown field": lambda m: say(b'{"type":"action","table":%d,"move":0}\n' % m["table"]),
    "wrong id": lambda m: say(answer(m["table"], next(i for i in range(10**6) if i not in m["legal"]))),
    "huge id": lambda m: say(answer(m["table"], 10**60)),
    "negative id": lambda m: say(answer(m["table"], -1)),
    "wrong text": lambda m: say(answer(m["table"], "win the game")),
    "action for another game": lambda m: say(answer(m["table"] + 1000, m["legal"][0])),
    "memory": lambda m: hoard(),
}


def main():
    """Play, and fail once."""
    fault, left = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 0
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if message["type"] == "hello":
            if fault == "silence":
                continue
            protocol = 2 if fault == "other protocol" else 1
            ready = {"type": "ready", "table": message["table"], "protocol": protocol, "wants": ["events"]}
            say(json.dumps(ready).encode() + b"\n")
        elif message["type"] == "decide":
            if left == 0 and fault in FAULTS:
                print(f"now comes: {fault}", file=sys.stderr, flush=True)
                FAULTS[fault](message)
            else:
                say(answer(message["table"], message["legal"][0]))
            left -= 1


if __name__ == "__main__":
    main()
