"""The page on integrations, whose snippets must run."""

from __future__ import annotations

from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "integrations.md"


def snippets(heading: str) -> list[str]:
    """The Python snippets under a heading of the page."""
    section = PAGE.read_text(encoding="utf-8").split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return [part.split("```")[0] for part in section.split("```python\n")[1:]]
