"""Which packages there are, and the README as an index shows it. All else is in pyproject.toml.

The folders at the top are the sub-packages of `coven`.
"""

import re
import tomllib
from pathlib import Path

from setuptools import find_packages, setup

FOLDERS = sorted(path.parent.name for path in Path().glob("*/__init__.py") if path.parent.name != "coven")
PROJECT = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]


def readme() -> str:
    """The README for a page that has none of our files beside it.

    Its links and pictures lead to the address that `[project.urls] Files` names. While there is none, links are only
    text, and pictures are left out.
    """
    text, home = Path("README.md").read_text(encoding="utf-8"), PROJECT.get("urls", {}).get("Files")
    local = r"\[([^\]]*)\]\((?!https?:|#)([^)\s]+)\)"
    if home:
        return re.sub(local, rf"[\1]({home}/\2)", text)
    text = re.sub(
        r"^\|.*!\[.*\n|^\| \| \|\n\|---\|---\|\n(?=\|.*!\[)", "", text, flags=re.MULTILINE
    )  # tables of pictures
    return re.sub(local, r"\1", re.sub(rf"!{local}", "", text))


setup(
    long_description=readme(),
    long_description_content_type="text/markdown",
    package_dir={"coven": "coven", **{f"coven.{folder}": folder for folder in FOLDERS}},
    packages=[
        "coven",
        *(f"coven.{folder}" for folder in FOLDERS),
        *(f"coven.{folder}.{package}" for folder in FOLDERS for package in find_packages(folder)),
    ],
)
