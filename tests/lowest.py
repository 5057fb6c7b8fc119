"""The lowest versions that pyproject.toml declares, as constraints for pip: `python tests/lowest.py EXTRA...`."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

PROJECT = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def lowest(extras: list[str]) -> dict[str, str]:
    """The lowest version of every package that the project and some of its extras ask for."""
    found = {}
    wanted, optional = list(PROJECT["dependencies"]), PROJECT["optional-dependencies"]
    for extra in extras:
        wanted += optional[extra]
    for requirement in wanted:
        name, more, version = re.fullmatch(r"([\w.-]+)(?:\[([\w,]+)\])?(?:>=([\d.]+))?", requirement).groups()
        if name == PROJECT["name"]:
            found |= lowest(more.split(","))
        else:
            assert version, f"{requirement} has no lowest version"
            found[name] = version
    return found


if __name__ == "__main__":
    for name, version in lowest(sys.argv[1:]).items():
        print(f"{name}=={version}")
