"""Calls of native functions from Python."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest

from kibitz.core.actions import pack
from kibitz.core.contract import PLAYED
from kibitz.core.errors import IllegalActionError
from kibitz.core.game import engine
from kibitz.library.tictactoe import TicTacToe
from kibitz.library.tictactoe.rules import Move


def test_a_buffer_is_passed_by_its_address() -> None:
    content = bytearray(b"abc")
    address = engine()["address_of"](content)
    assert address == ctypes.addressof((ctypes.c_char * 3).from_buffer(content))
    content += b"d"  # it was released
    with pytest.raises(BufferError):
        engine()["address_of"](b"abc")
    with pytest.raises(TypeError):
        engine()["address_of"](address)


@pytest.mark.parametrize("arguments", [(), (1,), (1, 2, 3), (1, "2"), (1, 2.0), (1, None)])
def test_wrong_arguments_are_refused_and_nothing_is_called(arguments: tuple[object, ...]) -> None:
    with pytest.raises(TypeError):
        engine()["legal_actions"](*arguments)


def test_a_state_refuses_numbers_beyond_an_action_and_stays_as_it_was() -> None:
    state = TicTacToe().new_state()
    before = bytes(state)
    for number in (-1, 2**63, 2**64, 2**64 + state.legal_actions()[0]):
        with pytest.raises(IllegalActionError, match="not legal"):
            state.apply(number)
    assert bytes(state) == before


def test_an_array_is_passed_by_the_address_of_its_data_if_it_can_be_filled() -> None:
    table = TicTacToe().table()
    state, encoder = table.new_state(), table.encoder
    room = np.full(3 * encoder.size, 7, np.float32)
    middle = room[encoder.size : 2 * encoder.size]
    encoder.encode(state, 1, middle)
    assert np.array_equal(middle, encoder.encode(state, 1))
    assert (room[: encoder.size] == 7).all()
    assert (room[2 * encoder.size :] == 7).all()
    closed = np.zeros(encoder.size, np.float32)
    closed.flags.writeable = False
    for wrong in (closed, np.zeros((encoder.size, 2), np.float32)[:, 0], bytes(900), [0.0], None):
        with pytest.raises(TypeError):
            encoder._encode(state.address, 1, wrong)


class Framed(np.ndarray[Any, Any]):
    """An array of a class of its own."""


def test_an_array_may_be_of_a_subclass() -> None:
    table = TicTacToe().table()
    state, encoder = table.new_state(), table.encoder
    out = np.zeros(encoder.size, np.float32).view(Framed)
    assert np.array_equal(encoder.encode(state, 0, out), encoder.encode(state, 0))
    assert out.any()


def test_the_legal_actions_are_a_list_and_missing_where_they_are_not_known() -> None:
    table = TicTacToe().table()
    state = table.new_state()
    legal = table.legal_actions(state.address)
    assert legal == [pack(Move.MARK, x, y) for y in range(3) for x in range(3)]
    assert table.legal_actions(state.observation(0).address) is None
    while not state.is_terminal:
        state.apply(state.legal_actions()[0])
    assert table.legal_actions(state.address) == []


def test_a_callable_keeps_its_first_arguments_and_counts_the_others() -> None:
    table = TicTacToe().table()
    state = table.new_state()
    with pytest.raises(TypeError):
        table.play(table.address, state.address, state.legal_actions()[0])
    assert table.play(state.address, state.legal_actions()[0]) == PLAYED
    assert state.tick == 1
