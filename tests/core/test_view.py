"""Views of records refuse every access that compiled code would get wrong silently."""

from __future__ import annotations

import ctypes
import enum
import gc
import threading
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kibitz.core.memory import (
    INT16,
    array_at,
    atomic_add,
    atomic_min,
    atomic_swap,
    clear_bytes,
    copy_bytes,
)
from kibitz.core.native import Export, compile_native
from kibitz.core.view import RecordView, view_at

CARD = np.dtype([("rank", np.int16), ("weight", np.float64)], align=True)
TABLE = np.dtype(
    [
        ("count", np.int16),
        ("flag", np.bool_),
        ("small", np.uint8),
        ("total", np.int64),
        ("score", np.float64),
        ("row", np.int16, (4,)),
        ("grid", np.int32, (2, 3)),
        ("cards", CARD, (3,)),
        ("top", CARD),
    ],
    align=True,
)


def table() -> tuple[Any, np.ndarray[Any, Any]]:
    """A view, and NumPy's idea of the same bytes."""
    array = np.zeros(1, TABLE)
    return RecordView(memoryview(array.view(np.uint8)), 0, TABLE), array


def test_a_view_reads_and_writes_what_numpy_does() -> None:
    view, array = table()
    array["count"], array["score"], array["small"] = -7, 2.5, 255
    array["row"] = [[1, 2, 3, 4]]
    array["grid"][0, 1, 2] = -9
    array["cards"]["weight"][0, 2] = 0.25
    array["top"]["rank"] = 12
    assert (view.count, view.score, view.small) == (-7, 2.5, 255)
    assert list(view.row) == [1, 2, 3, 4]
    assert view.grid[1, 2] == view.grid[1][2] == -9
    assert view.cards[2].weight == 0.25
    assert view.top.rank == 12
    view.total = 2**62
    view.flag = True
    view.row[3] = -1
    view.grid[0, 0] = 5
    view.grid[1][1] = 6
    view.cards[0].rank = 3
    view.top.weight = 1.5
    assert array["total"] == 2**62
    assert array["flag"]
    assert array["row"].tolist() == [[1, 2, 3, -1]]
    assert array["grid"].tolist() == [[[5, 0, 0], [0, 6, -9]]]
    assert array["cards"]["rank"].tolist() == [[3, 0, 0]]
    assert array["top"]["weight"] == 1.5


def test_a_field_that_does_not_exist_is_refused_with_those_that_do() -> None:
    view, _ = table()
    with pytest.raises(AttributeError, match=r"'cout'.*count, flag"):
        view.cout  # noqa: B018
    with pytest.raises(AttributeError, match=r"'cout'.*count, flag"):
        view.cout = 3
    with pytest.raises(AttributeError, match=r"'wait'.*rank, weight"):
        view.cards[1].wait = 3


@pytest.mark.parametrize("index", [-1, 4, 1000, -(10**20)])
def test_an_index_outside_the_array_is_refused(index: int) -> None:
    view, _ = table()
    with pytest.raises(IndexError, match=r"outside 0 \.\. 3"):
        view.row[index]
    with pytest.raises(IndexError, match=r"outside 0 \.\. 3"):
        view.row[index] = 1


@pytest.mark.parametrize("index", [(2, 0), (0, 3), (-1, 0), (0, -1), (1, 1, 1)])
def test_each_index_of_a_grid_is_checked(index: tuple[int, ...]) -> None:
    view, _ = table()
    with pytest.raises(IndexError):
        view.grid[index]


@pytest.mark.parametrize("index", [1.0, 1.5, "1", None, slice(0, 2)])
def test_an_index_that_is_no_integer_is_refused(index: Any) -> None:
    view, _ = table()
    with pytest.raises(TypeError):
        view.row[index]
    with pytest.raises(TypeError):
        view.row[index] = 1


def test_indices_may_be_members_of_enumerations_and_numpy_integers() -> None:
    class Place(enum.IntEnum):
        LAST = 3

    view, _ = table()
    view.row[Place.LAST] = 8
    assert view.row[np.int64(3)] == 8


@pytest.mark.parametrize(
    ("field", "value"),
    [("count", 32768), ("count", -32769), ("small", -1), ("small", 256), ("total", 2**63)],
)
def test_a_value_that_does_not_fit_is_refused_and_nothing_is_written(
    field: str, value: int
) -> None:
    view, array = table()
    with pytest.raises(OverflowError, match=field):
        setattr(view, field, value)
    assert array.tobytes() == bytes(TABLE.itemsize)


def test_an_element_that_does_not_fit_is_refused() -> None:
    view, _ = table()
    with pytest.raises(OverflowError, match="element 2"):
        view.row[2] = 40_000
    with pytest.raises(OverflowError, match="does not fit"):
        view.row[2] = 1.5


@pytest.mark.parametrize("field", ["row", "grid", "cards", "top"])
def test_nothing_larger_than_a_number_is_assigned_as_a_whole(field: str) -> None:
    view, _ = table()
    with pytest.raises(TypeError, match=field):
        setattr(view, field, getattr(view, field))


def test_no_part_of_an_array_is_assigned_as_a_whole() -> None:
    view, _ = table()
    with pytest.raises(IndexError, match="one element"):
        view.grid[0] = 3
    with pytest.raises(TypeError, match="assigned as a whole"):
        view.cards[0] = view.cards[1]


def test_views_show_their_contents() -> None:
    view, _ = table()
    view.count = 5
    view.row[1] = 2
    assert "count=5" in repr(view)
    assert "row=[0, 2, 0, 0]" in repr(view)
    assert repr(view.cards[0]) == "(rank=0, weight=0.0)"
    assert set(dir(view)) == set(TABLE.names or ())


def test_arrays_know_their_length_and_can_be_walked() -> None:
    view, _ = table()
    assert [len(view.row), len(view.grid), len(view.grid[0]), len(view.cards)] == [4, 2, 3, 3]
    view.cards[1].rank = 4
    assert [card.rank for card in view.cards] == [0, 4, 0]


def test_a_view_can_record_which_fields_were_read() -> None:
    reads: set[str] = set()
    view: Any = RecordView(memoryview(bytearray(TABLE.itemsize)), 0, TABLE, reads)
    view.count = 3
    assert reads == set()
    assert view.count == 3
    assert view.row[0] == 0
    assert reads == {"count", "row"}


def test_a_view_is_no_object_of_other_protocols_by_accident() -> None:
    view, _ = table()
    assert not hasattr(view, "__array_interface__")
    assert not hasattr(view, "__deepcopy__")


@given(st.lists(st.integers(-32768, 32767), min_size=1, max_size=20))
def test_memory_is_reached_by_address(values: list[int]) -> None:
    block = ctypes.create_string_buffer(2 * len(values))
    numbers = array_at(ctypes.addressof(block), INT16, len(values))
    for i, value in enumerate(values):
        numbers[i] = value
    other = ctypes.create_string_buffer(2 * len(values))
    copy_bytes(ctypes.addressof(other), ctypes.addressof(block), 2 * len(values))
    assert np.frombuffer(other, np.int16).tolist() == values
    clear_bytes(ctypes.addressof(block), 2)
    assert list(numbers) == [0, *values[1:]]
    with pytest.raises(IndexError):
        numbers[len(values)]


def changed_by_all(address: int, value: int) -> int:
    """The values returned by four atomic changes, as the digits of one number."""
    added = atomic_add(address, value)
    swapped = atomic_swap(address, 7)
    lowered = atomic_min(address, 3)
    unchanged = atomic_min(address, 5)
    return ((added * 100 + swapped) * 100 + lowered) * 100 + unchanged


def test_changes_in_one_step_are_the_same_compiled() -> None:
    exports = {"changed": Export(changed_by_all, "iii")}
    native = exports["changed"].bind(compile_native("a test", exports)["changed"])
    for change in (changed_by_all, native):
        number = ctypes.c_int64(20)
        assert change(ctypes.addressof(number), 15) == 20_35_07_03
        assert number.value == 3


def test_no_change_in_one_step_is_lost_between_threads() -> None:
    exports = {"counted": Export(counted, "iii")}
    native = exports["counted"].bind(compile_native("a test", exports)["counted"])
    number = ctypes.c_int64(0)
    threads = [
        threading.Thread(target=native, args=(ctypes.addressof(number), 200_000)) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert number.value == 800_000


def counted(address: int, times: int) -> int:
    for _ in range(times):
        atomic_add(address, 1)
    return 0


def test_a_view_at_an_address_writes_there() -> None:
    array = np.zeros(1, TABLE)
    view_at(int(array.ctypes.data), TABLE).total = 11
    gc.collect()
    assert array["total"] == 11
