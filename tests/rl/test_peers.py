"""The benchmark beside other libraries: what is missing is named, and the rest is measured."""

import pytest
from benchmarks import peers


def test_a_game_that_cannot_be_imported_is_named_and_the_others_are_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def needing_a_window(game: str) -> peers.Rate:
        if game == "connect-four":
            raise ImportError("No module named 'pygame'")
        return lambda seconds: 1000.0

    every = {"connect-four": "", "tic-tac-toe": ""}
    monkeypatch.setattr(peers, "LIBRARIES", {"json": (needing_a_window, every)})
    playable = [(library, game) for library, game, _ in peers.installed([*every, "uno"])]
    assert playable == [("json", "tic-tac-toe")]
    output = capsys.readouterr().out
    assert output == "json cannot play connect-four here: No module named 'pygame'\n"


def test_a_library_that_is_not_installed_is_named_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    known = {"uno": "uno", "hearts": "hearts"}
    monkeypatch.setattr(peers, "LIBRARIES", {"no_such_library": (peers.rlcard, known)})
    assert list(peers.installed(list(known))) == []
    assert capsys.readouterr().out == "no_such_library is not installed\n"
