"""Sets of moves against Python's sets."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kibitz.gdl.movesets import MoveSet


@st.composite
def subsets(draw: st.DrawFn) -> tuple[int, list[set[int]]]:
    total = draw(st.integers(1, 9))
    return total, draw(st.lists(st.sets(st.integers(0, total - 1)), min_size=1, max_size=4))


@given(subsets())
def test_sets_of_moves_are_as_those_of_python(given_: tuple[int, list[set[int]]]) -> None:
    total, sets = given_
    everything = set(range(total))
    made = [MoveSet.of(plain, total) for plain in sets]
    assert MoveSet.union(made) == MoveSet.of(set().union(*sets), total)
    assert made[0] & made[-1] == MoveSet.of(sets[0] & sets[-1], total)
    for plain, moves in zip(sets, made, strict=True):
        assert ~moves == MoveSet.of(everything - plain, total)
        assert moves.empty == (not plain)
        assert moves.full == (plain == everything)
        assert set(moves.places.tolist()) == (everything - plain if moves.but else plain)
        assert 2 * len(moves.places) <= total


@given(st.integers(1, 9))
def test_single_moves_and_all(total: int) -> None:
    assert MoveSet.one(total - 1, total) == MoveSet.of([total - 1], total)
    assert MoveSet.all(total) == MoveSet.of(range(total), total)


def test_a_set_takes_as_many_bytes_as_it_lists() -> None:
    assert len(MoveSet.one(5, 100_000).listed) == 4
    assert len((~MoveSet.one(5, 100_000)).listed) == 4
