"""A checkout that is measured in a process of its own, so that an older one can take part in the same run."""

from __future__ import annotations

import json
import subprocess
from typing import Any


class Checkout:
    """A script with `--work` under the interpreter of a checkout: a line of words in, a line of JSON out.

    The script itself runs in the older checkout too, so it must not import this module before it is asked to compare.
    """

    def __init__(self, python: str, script: str) -> None:
        command = [python, script, "--work"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, words: str) -> Any:
        """What it answers."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(words + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"the checkout {self.process.args!r} ended")
        return json.loads(line)
