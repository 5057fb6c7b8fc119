"""Where torch or the tools of the site are missing (`make test-lowest`), files that test nothing else are left out."""

from __future__ import annotations

from importlib.util import find_spec

NEEDS = {
    "torch": [
        "agents/test_estimate.py",
        "agents/test_heads.py",
        "agents/test_learned.py",
        "agents/test_run.py",
        "agents/test_search_training.py",
        "agents/test_settings.py",
        "agents/test_value.py",
        "arena/test_exploit.py",
        "benchmarks/test_learning.py",
        "coven/test_demo.py",
        "envs/test_sb3.py",
        "examples/test_leduc_training.py",
        "fuzz/test_commands.py",
        "fuzz/test_readers.py",
        "fuzz/test_writes.py",
    ],
    "nbclient": ["test_notebooks.py"],
    "sphinx": ["test_pages.py"],
}
collect_ignore = [file for module, files in NEEDS.items() if find_spec(module) is None for file in files]
