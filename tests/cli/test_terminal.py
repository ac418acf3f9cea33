"""Messages on the terminal."""

from __future__ import annotations

import sys
import threading

import pytest

from kibitz.cli import terminal
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


def test_a_game_that_is_compiled_for_each_setting_is_announced_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(terminal, "_announced", set())
    for name in ("chess", "chess", "hex", "chess"):
        terminal._announce_compilation(name)
    lines = capsys.readouterr().err.splitlines()
    assert lines == [
        "Compiling chess, which is done once ...",
        "Compiling hex, which is done once ...",
    ]


@pytest.mark.parametrize(
    ("whole", "line"), [(True, "Race (40 of 90 games)"), (False, "Race (90 games)")]
)
def test_a_stage_says_what_is_counted(
    whole: bool, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with terminal.progress(stages=True, whole=whole) as progress:
        progress("Race", 40, 90)
        progress("Race", 50, 90)
    assert capsys.readouterr().err == f"{line}\n"


def test_messages_do_not_control_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    terminal.say("a\x1b]0;title\x07b\tc\nd")
    assert capsys.readouterr().err == "a?]0;title?b\tc\nd\n"
