"""Pages say what is compiled while they wait for it."""

from __future__ import annotations

import time

import pytest

from kibitz.core import native
from kibitz.web import compilations


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "compile_listeners", [])
    monkeypatch.setattr(compilations, "_begun", [])


def test_it_is_said_what_is_compiled_until_it_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    compilations.follow()
    compilations.follow()
    assert compilations.words() == ""
    [listener] = native.compile_listeners
    listener("the tree search")
    assert compilations.words().startswith("Compiling the tree search, which is done once")
    began = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: began + 12)
    assert "12 s so far" in compilations.words()
    monkeypatch.setattr(native, "_compile_seconds", native.compile_seconds() + 12)
    assert compilations.words() == ""


def test_one_that_has_failed_is_not_told_of_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    compilations.follow()
    native.compile_listeners[0]("a game")
    later = time.monotonic() + 2 * compilations.LONGEST
    monkeypatch.setattr(time, "monotonic", lambda: later)
    assert compilations.words() == ""


def test_what_another_process_compiles_is_said_as_long_as_it_lasts() -> None:
    with compilations.noted("a game of a text"):
        assert compilations.words().startswith("Compiling a game of a text")
    assert compilations.words() == ""
