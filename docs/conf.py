"""The documentation site: `make docs`."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import coven

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
import gamepages  # noqa: E402, it stands beside this file

project, author, version = "Coven", "The Coven developers", coven.__version__
copyright = author
extensions = ["myst_nb", "sphinx_copybutton"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
nb_execution_mode = "off"  # notebooks are stored with their outputs, and the tests execute them
exclude_patterns = ["_generated/facts", "pictures/README.md"]

html_theme = "furo"
html_title = "Coven"
html_static_path = ["_static"]
html_css_files = ["coven.css"]
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#6b3fa0", "color-brand-content": "#6b3fa0"},
    "dark_css_variables": {"color-brand-primary": "#b99be0", "color-brand-content": "#b99be0"},
}


def generate(app: object) -> None:
    """Write what comes from the code, and fetch the notebooks, so that no page can go stale."""
    facts, notebooks = HERE / "_generated" / "facts", HERE / "_generated" / "notebooks"
    for folder in (facts, notebooks):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    for name in coven.games.built_in():
        (facts / f"{name}.md").write_text(gamepages.facts(coven.game(name)), encoding="utf-8")
    for notebook in (HERE.parent / "notebooks").glob("*.ipynb"):
        shutil.copy(notebook, notebooks)


def name_what_is_outside(app: object, page: str, source: list[str]) -> None:
    """A link to a file of the repository that is no page of the site becomes its name."""
    folder = (HERE / page).parent

    def name(link: re.Match[str]) -> str:
        target = (folder / link[2].partition("#")[0]).resolve()
        outside = "://" not in link[2] and not target.is_relative_to(HERE)
        return f"`{target.relative_to(HERE.parent)}`" if outside and target.exists() else link[0]

    if not page.startswith("_generated"):
        source[0] = re.sub(r"(?<!!)\[([^\]]*)\]\(([^)\s]+)\)", name, source[0])


def setup(app: object) -> None:
    """Called by Sphinx."""
    app.connect("builder-inited", generate)  # type: ignore[attr-defined]
    app.connect("source-read", name_what_is_outside)  # type: ignore[attr-defined]
