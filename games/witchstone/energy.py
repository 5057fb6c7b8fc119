"""The energy action: connect locations."""

from __future__ import annotations

from coven.games.core.kernels import kernel
from coven.games.witchstone.geometry import (
    AROUND,
    CONNECTION_AT,
    CONNECTION_POINTS,
    ENDS,
    LENGTH,
    NUM_CONNECTIONS,
    only,
)
from coven.games.witchstone.state import DO_ENERGY, NONE


@kernel
def connections_to_fill(s, p):
    """The begun connection, or else any untouched one at a location joined to the tower."""
    if not s.energy[p]:
        return 0
    if s.begun[p] != NONE:
        return only(s.begun[p])
    return s.open_to[p] & ~s.touched


@kernel
def legal_energy(s, p, mask):
    """The connections that take a unit, turned to the own tower."""
    connections = connections_to_fill(s, p)
    for i in range(NUM_CONNECTIONS):
        mask[DO_ENERGY + i] = (connections >> CONNECTION_AT[s.tower[p], i]) & 1


@kernel
def place_energy(s, p, connection):
    """Put a unit on a connection; a finished one scores by its length and joins both its locations to the tower."""
    bit = only(connection)
    s.energy[p] -= 1
    s.filled[connection] += 1
    s.touched |= bit
    s.begun[p] = connection
    if s.filled[connection] == LENGTH[connection]:
        s.begun[p] = NONE
        s.finished[p] |= bit
        s.joined[p] |= ENDS[connection]
        s.open_to[p] |= AROUND[connection]
        s.score[p] += CONNECTION_POINTS[LENGTH[connection]]
