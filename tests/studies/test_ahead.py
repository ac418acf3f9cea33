"""A second process compiles ahead, once, and only where something has to be compiled."""

import sys

import pytest

from kibitz.core import native
from kibitz.studies import ahead


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands of the processes that were started; no process runs or compiles anything."""
    commands: list[list[str]] = []

    def begin(command: list[str], **streams: int) -> object:
        commands.append(command)
        return started([sys.executable, "-c", ""], **streams)

    started = ahead.subprocess.Popen
    monkeypatch.setattr(ahead.subprocess, "Popen", begin)
    monkeypatch.setattr(ahead, "available_cores", lambda: 2)
    return commands


def announce(name: str) -> None:
    for listener in list(native.compile_listeners):
        listener(name)


def test_one_process_compiles_ahead(begun: list[list[str]]) -> None:
    listeners = list(native.compile_listeners)
    with ahead.compiling_ahead():
        announce("the rules")
        announce("the match loop")
    assert begun == [[sys.executable, "-P", "-m", "kibitz.studies.ahead"]]
    assert native.compile_listeners == listeners


def test_nothing_is_begun_where_all_is_in_the_cache(begun: list[list[str]]) -> None:
    with ahead.compiling_ahead():
        pass
    announce("something else, later")
    assert begun == []


def test_one_core_compiles_by_itself(
    begun: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ahead, "available_cores", lambda: 1)
    with ahead.compiling_ahead():
        announce("the rules")
    assert begun == []
