"""`python -m coven`: the command `coven`, for when its script is not on the path."""

from __future__ import annotations

from coven_command import main

main()
