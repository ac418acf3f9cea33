"""Networks for tests: random numbers of the right shapes, made without a library for learning."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kibitz.core.game import Table
from kibitz.players.network import Network, array_shapes, new_network


def random_network(
    table: Table, hidden: Sequence[int] = (16, 8), seed: int = 0, scale: float = 1.0
) -> Network:
    """A network with normally distributed numbers."""
    rng = np.random.default_rng(seed)
    encoder = table.encoder
    shapes = array_shapes(encoder.size, hidden, encoder.actions_count, table.players)
    arrays = {n: rng.normal(0, 0.5, shape).astype(np.float32) for n, shape in shapes.items()}
    return new_network(table, arrays, scale=scale)
