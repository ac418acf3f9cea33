"""Messages on the terminal."""

from __future__ import annotations

import sys
import threading

import pytest

from kibitz.cli.terminal import notice_if_slow, print_text


def test_what_takes_long_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    with notice_if_slow("Wait.", seconds=0.0):
        for thread in threading.enumerate():
            if isinstance(thread, threading.Timer):
                thread.join()
    assert capsys.readouterr().err == "Wait.\n"


def test_what_is_quick_is_not(capsys: pytest.CaptureFixture[str]) -> None:
    with notice_if_slow("Wait.", seconds=3600.0):
        timers = [t for t in threading.enumerate() if isinstance(t, threading.Timer)]
    assert timers
    for timer in timers:
        timer.join(timeout=10)
        assert not timer.is_alive()
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(("terminal", "shown"), [(True, "one two\n    three\n"), (False, "")])
def test_text_is_wrapped_on_a_terminal_only(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    terminal: bool,
    shown: str,
) -> None:
    monkeypatch.setenv("COLUMNS", "10")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal)
    print_text("one two three")
    assert capsys.readouterr().out == (shown or "one two three\n")
