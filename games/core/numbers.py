"""What counts as a whole number where a caller may hand over anything."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np


def whole(value: Any) -> int | None:
    """The whole number that this is, of whatever integer type; None for all else, truth values and 2.0 included."""
    if isinstance(value, bool | np.bool_):
        return None
    try:
        return operator.index(value)
    except TypeError:
        return None
