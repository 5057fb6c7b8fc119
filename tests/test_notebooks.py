"""The notebooks run, at a small scale, and are stored with outputs that tell nothing of the machine."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).parent.parent
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def load_execute():
    spec = importlib.util.spec_from_file_location("execute", ROOT / "notebooks" / "execute.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.execute


def outputs(notebook):
    return [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]


def test_there_are_five():
    assert [path.name[0] for path in NOTEBOOKS] == list("12345")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_runs_at_a_small_scale(path, tmp_path):
    """An exception in a cell is one here."""
    notebook = load_execute()(path, tmp_path, small=True)
    said = [output.text for output in outputs(notebook) if output.get("name") == "stderr"]
    assert not [text for text in said if not text.startswith("coven: compiled")]
    assert not list(tmp_path.iterdir()), "a notebook leaves nothing behind where it runs"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_is_stored_as_it_ran(path):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    numbers = [cell.execution_count for cell in notebook.cells if cell.cell_type == "code"]
    assert numbers == list(range(1, len(numbers) + 1)), "run it from top to bottom: make notebooks"
    kinds = {output.output_type for output in outputs(notebook)}
    assert "error" not in kinds
    assert any("image/png" in output.get("data", {}) for output in outputs(notebook)), "it shows a picture"
    text = path.read_text(encoding="utf-8")
    assert len(text) < 500_000
    assert not re.search(r'(^|[\s"\'(=])/(home|root|tmp|work|usr|var|Users)/', text), "it names a folder of a machine"
    assert "\\u001b[" not in text, "colours of a terminal"
