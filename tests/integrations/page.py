"""The page on integrations, whose snippets must run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "integrations.md"


def snippets(heading: str) -> list[str]:
    """The Python snippets under a heading of the page."""
    section = PAGE.read_text(encoding="utf-8").split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return [part.split("```")[0] for part in section.split("```python\n")[1:]]


def run(snippet: str) -> str:
    """Run a snippet as a program of its own: what it prints."""
    done = subprocess.run([sys.executable, "-c", snippet], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout
    return done.stdout
