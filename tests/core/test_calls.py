"""Calls of native functions from Python."""

from __future__ import annotations

import ctypes

import pytest

from kibitz.core.errors import IllegalActionError
from kibitz.core.game import engine
from kibitz.library.tictactoe import TicTacToe


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
