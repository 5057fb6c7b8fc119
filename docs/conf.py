"""The documentation site: `make docs`."""

from __future__ import annotations

import os
import re
import shutil
import sys
import warnings
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

os.environ["NUMBA_DISABLE_JIT"] = "1"  # kernels stay functions, whose signatures can be read; nothing is compiled
import coven

HERE = Path(__file__).parent
RESULTS = HERE.parent / "benchmarks" / "results"
sys.path.insert(0, str(HERE))
import gamepages  # noqa: E402, it stands beside this file

project, author, version = "Coven", "The Coven developers", coven.__version__
copyright = author
extensions = ["myst_nb", "sphinx_copybutton", "sphinx.ext.autodoc", "sphinx.ext.intersphinx"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
nb_execution_mode = "off"  # notebooks are stored with their outputs, and the tests execute them
exclude_patterns = ["_generated/facts", "pictures/README.md"]

default_role = "code"  # docstrings write `code` as Markdown does
autodoc_default_options = {"members": True, "member-order": "bysource"}
autodoc_mock_imports = ["ray"]  # it pins versions of what it shares with us, so it is not installed here
autodoc_type_aliases = {name: name for name in ("State", "Description", "Observation", "Opponents", "Arrays", "Views")}
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 60  # longer ones get a line for each argument: they fit a phone

# In place of OpenSpiel: as much of it as our module reads when it is imported.
pyspiel: Any = ModuleType("pyspiel")
pyspiel.Game, pyspiel.State = (type(name, (), {"__module__": "pyspiel"}) for name in ("Game", "State"))
pyspiel.PlayerId, pyspiel.GameType = SimpleNamespace(CHANCE=-1, TERMINAL=-4), MagicMock()
pyspiel.register_game = MagicMock()
sys.modules["pyspiel"] = pyspiel
warnings.filterwarnings("ignore", "overflow encountered")  # random numbers wrap around, which numpy reports

# Inventories of the few names that our signatures mention, kept here: the site builds without a network.
intersphinx_mapping = {
    "numpy": ("https://numpy.org/doc/stable", "inventories/numpy.txt"),
    "gymnasium": ("https://gymnasium.farama.org", "inventories/gymnasium.txt"),
    "pettingzoo": ("https://pettingzoo.farama.org", "inventories/pettingzoo.txt"),
}
# Where a class is defined, and the name by which its own site lists it.
PUBLIC_NAMES = {
    "gymnasium.core.Env": "gymnasium.Env",
    "gymnasium.spaces.box.Box": "gymnasium.spaces.Box",
    "gymnasium.spaces.dict.Dict": "gymnasium.spaces.Dict",
    "gymnasium.spaces.discrete.Discrete": "gymnasium.spaces.Discrete",
    "gymnasium.spaces.multi_discrete.MultiDiscrete": "gymnasium.spaces.MultiDiscrete",
    "gymnasium.vector.vector_env.VectorEnv": "gymnasium.vector.VectorEnv",
    "np.ndarray": "numpy.ndarray",
    "np.random.Generator": "numpy.random.Generator",
    "numpy.random._generator.Generator": "numpy.random.Generator",
}

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
    shutil.copytree(RESULTS, HERE / "_generated" / "results", dirs_exist_ok=True)


def turn_links(app: object, page: str, source: list[str]) -> None:
    """Links into the repository lead to the page that the site has of the file, or become its name."""
    here = HERE / page
    written = RESULTS / here.name if here.parent == HERE / "_generated" / "results" else here  # where its source lies

    def turn(link: re.Match[str]) -> str:
        path, mark, anchor = link[2].partition("#")
        target = (written.parent / path).resolve()
        if "://" in path or not path or not target.exists():
            return link[0]
        if target.parent in (RESULTS, HERE.parent / "notebooks") and target.is_file():
            target = HERE / "_generated" / target.parent.name / target.name
        if not target.is_relative_to(HERE):
            return f"`{target.relative_to(HERE.parent)}`"
        return f"[{link[1]}]({os.path.relpath(target, here.parent)}{mark}{anchor})"

    if not page.startswith("_generated/notebooks"):
        source[0] = re.sub(r"(?<!!)\[([^\]]*)\]\(([^)\s]+)\)", turn, source[0])


def use_public_name(app: object, env: object, node: dict[str, str], text: object) -> None:
    """Let the inventories find a class by its public name: they are asked next."""
    node["reftarget"] = PUBLIC_NAMES.get(node["reftarget"], node["reftarget"])


def write_aliases(app: object, what: str, name: str, *rest: Any) -> tuple[str | None, str | None]:
    """Types that are named by us stand in signatures by that name, in unions too."""
    *_, arguments, result = rest
    alias = r"TypeAliasForwardRef\('(\w+)'\)"
    return tuple(text and re.sub(alias, r"\1", text) for text in (arguments, result))  # type: ignore[return-value]


def setup(app: object) -> None:
    """Called by Sphinx."""
    app.connect("autodoc-process-signature", write_aliases)  # type: ignore[attr-defined]
    app.connect("missing-reference", use_public_name, priority=400)  # type: ignore[attr-defined]
    app.connect("builder-inited", generate)  # type: ignore[attr-defined]
    app.connect("source-read", turn_links)  # type: ignore[attr-defined]
