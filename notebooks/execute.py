"""Execute notebooks and store their outputs: `python notebooks/execute.py notebooks/*.ipynb` (`make notebooks`)."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient


def execute(path: Path, folder: Path | None = None, small: bool = False) -> nbformat.NotebookNode:
    """The notebook with fresh outputs, run in that folder; `small` is the scale of the tests."""
    notebook = nbformat.read(path, as_version=4)
    environment = {**os.environ, "COVEN_NOTEBOOK_SCALE": "small" if small else "normal"}
    client = NotebookClient(
        notebook,
        timeout=600,
        kernel_name="python3",
        record_timing=False,  # stored outputs should change only when something has
        resources={"metadata": {"path": str(folder or path.parent)}},
    )
    client.execute(env=environment)
    notebook.metadata = {"kernelspec": notebook.metadata.kernelspec, "language_info": {"name": "python"}}
    return notebook


def main() -> None:
    """Execute and store the notebooks named on the command line."""
    for name in sys.argv[1:]:
        begun = time.perf_counter()
        notebook = execute(Path(name))
        nbformat.write(notebook, name)
        print(f"{name}: {time.perf_counter() - begun:.0f} s, {Path(name).stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
