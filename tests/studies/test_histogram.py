"""Histograms hold all values that were added, in any order and any division into shards."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kibitz.studies.histogram import MOST_BINS, Histogram

VALUES = st.lists(
    st.one_of(st.integers(-2000, 2000), st.integers(0, 40), st.floats(-100, 100)), max_size=300
)


def histogram(values: list[float]) -> Histogram:
    filled = Histogram()
    filled.add(np.array(values, np.float64))
    return filled


@given(values=VALUES)
def test_each_value_is_in_its_bin(values: list[float]) -> None:
    bins = histogram(values).bins()
    assert sum(bar.count for bar in bins) == len(values)
    for bar in bins:
        assert sum(bar.low <= value < bar.high for value in values) == bar.count > 0
    assert len(bins) <= MOST_BINS
    assert len({bar.high - bar.low for bar in bins}) <= 1


@given(values=VALUES)
def test_parts_and_order_make_no_difference(values: list[float]) -> None:
    one_by_one = Histogram()
    for value in values:
        one_by_one.add(np.array([value]))
    assert one_by_one.bins() == histogram(values).bins() == histogram(values[::-1]).bins()


def test_whole_numbers_get_a_bin_each() -> None:
    bins = histogram([3, 3, 7, -1]).bins()
    assert [(bar.low, bar.high, bar.count) for bar in bins] == [(-1, 0, 1), (3, 4, 2), (7, 8, 1)]


def test_halves_get_a_bin_each() -> None:
    bins = histogram([0.5, 1.0, 1.5, 1.5]).bins()
    assert [(bar.low, bar.high, bar.count) for bar in bins] == [
        (0.5, 1.0, 1),
        (1.0, 1.5, 1),
        (1.5, 2.0, 2),
    ]


def test_what_is_no_number_is_left_out() -> None:
    assert histogram([float("nan"), float("inf"), 2.0]).bins()[0].count == 1
