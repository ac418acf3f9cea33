"""What pages send is checked before it is used."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kibitz.web.validation import ForgedEventError, length, number


@given(st.integers(-(1 << 70), 1 << 70))
def test_numbers_within_bounds_are_taken(value: int) -> None:
    if -5 <= value <= 1 << 60:
        assert number(str(value), -5, 1 << 60) == value
    else:
        with pytest.raises(ForgedEventError):
            number(str(value), -5, 1 << 60)


@pytest.mark.parametrize("text", ["²", "٣", "--1", "-", "", "1_0", " 1", "9" * 5000])
def test_what_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(ForgedEventError, match="does not offer"):
        number(text, -10, 10)


def test_lengths_are_kept_between_their_bounds() -> None:
    assert [length(sent, 300, 2000) for sent in (-1, 640.7, 1e30)] == [300, 640, 2000]


@pytest.mark.parametrize("sent", [None, True, "640", [640], math.nan, math.inf])
def test_what_is_no_length_is_refused(sent: object) -> None:
    with pytest.raises(ForgedEventError):
        length(sent, 300, 2000)
