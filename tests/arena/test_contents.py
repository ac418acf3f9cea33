"""The numbers of a state by path and offset, and which of them may be hidden."""

from __future__ import annotations

import numpy as np
import pytest
from tests.components.sandbox import sandbox

from kibitz.checks.contents import Leaf, hideable, leaves
from kibitz.components import Counter, GridBoard
from kibitz.core.layout import Visibility, per_player

INT16, FLOAT64 = np.dtype("i2"), np.dtype("f8")


def test_every_number_of_a_record_has_a_path_and_an_offset() -> None:
    pair = np.dtype([("x", "i2"), ("y", "i2", (2,))])
    record = np.dtype([("a", "f8"), ("pairs", pair, (2,))])
    assert list(leaves(record)) == [
        Leaf("a", 0, FLOAT64),
        Leaf("pairs[0].x", 8, INT16),
        Leaf("pairs[0].y[0]", 10, INT16),
        Leaf("pairs[0].y[1]", 12, INT16),
        Leaf("pairs[1].x", 14, INT16),
        Leaf("pairs[1].y[0]", 16, INT16),
        Leaf("pairs[1].y[1]", 18, INT16),
    ]


def test_hidden_values_take_two_bytes_each_in_components_in_play() -> None:
    state = sandbox(
        2,
        bids=per_player(Counter(0, 9, visible_to=Visibility.OWNER)),
        points=Counter(0, 9),
        board=GridBoard(3, 2, ["free", "taken"], visible_to=Visibility.NOBODY),
    )
    offsets = {leaf.path: leaf.offset for leaf in leaves(state.table.layout.dtype)}
    assert hideable(state) == [
        range(offsets[path], offsets[path] + size)
        for path, size in (("bids[0].value", 2), ("bids[1].value", 2), ("board.cells[0]", 12))
    ]


def test_a_leaf_reads_its_number() -> None:
    content = np.array([(0.5, -3)], [("a", "f8"), ("b", "i2")]).tobytes()
    assert Leaf("b", 8, INT16).read(content) == -3
    assert Leaf("a", 0, FLOAT64).read(content) == pytest.approx(0.5)
