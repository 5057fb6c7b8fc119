"""The processor and the versions behind a figure."""

from __future__ import annotations

import platform

import numba
import numpy as np


def machine() -> str:
    """This machine, as results name it."""
    name = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            name = next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    return f"{name}, one core; Python {platform.python_version()}, numba {numba.__version__}, numpy {np.__version__}"
