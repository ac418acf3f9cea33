"""Settings of ``kibitz`` as ``python -m benchmarks.settings`` writes them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from benchmarks.settings import Choice, Entries, Played, plays, text_of

from kibitz.core.registry import load
from kibitz.players.kibitz import SETTINGS_FILE, GameKind

TABLE = load("agram", compiled=False).table(2)


def chosen(agent: str, milliseconds: float, iterations: int = 7) -> Choice:
    match = Played(agent, "osla", iterations, 40, 0.7, (0.6, 0.8), 0.5, 1)
    return Choice("agram", 2, milliseconds, agent, match)


def entries(*more: dict[str, Any]) -> Entries:
    return Entries([*more, {"agent": {"agent": "ismcts"}}])


def test_the_file_is_written_as_it_is() -> None:
    text = SETTINGS_FILE.read_text(encoding="utf-8")
    assert text_of(json.loads(text)["settings"]) == text


def test_who_stays_gets_evidence_under_the_name_of_the_game() -> None:
    settings = entries()
    for milliseconds in (1, 10):
        settings.take(chosen("ismcts", milliseconds), TABLE)
    first, last = settings.all
    assert first["games"] == ["agram"]
    assert first["agent"] == {"agent": "ismcts"}
    assert [match["milliseconds"] for match in first["evidence"]] == [1, 10]
    assert "games" not in last


def test_who_is_new_takes_the_place_and_longer_times_come_before() -> None:
    old = {"games": ["agram", "uno"], "agent": {"agent": "pimc"}, "evidence": [{"game": "agram"}]}
    settings = entries(old)
    settings.take(chosen("ismcts:c=0.1", 1), TABLE)
    settings.take(chosen("pimc", 10, iterations=900), TABLE)
    longer, shorter, unchanged, _ = settings.all
    assert longer["least"] == {"iterations": 900, "milliseconds": 10}
    assert [match.get("milliseconds") for match in longer["evidence"]] == [None, 10]
    assert shorter["agent"] == {"agent": "ismcts", "c": 0.1}
    assert "least" not in shorter
    assert unchanged["games"] == ["uno"]
    assert [plays(settings.at(TABLE, ms)) for ms in (1, 9, 10)] == ["ismcts:c=0.1"] * 2 + ["pimc"]


@pytest.mark.parametrize("milliseconds", [1, 10])
def test_only_the_entry_for_that_time_is_replaced(milliseconds: int) -> None:
    long = {
        "games": ["agram"],
        "agent": {"agent": "pimc"},
        "least": {"iterations": 5, "milliseconds": 10},
    }
    short = {"games": ["agram"], "agent": {"agent": "mcts"}}
    settings = entries(long, short)
    settings.take(chosen("rhea", milliseconds), TABLE)
    agents = [entry["agent"]["agent"] for entry in settings.all]
    assert agents == (
        ["rhea", "mcts", "ismcts"] if milliseconds == 10 else ["pimc", "rhea", "ismcts"]
    )
    assert ("least" in settings.all[0], "least" in settings.all[1]) == (True, False)


def test_who_has_shown_something_at_longer_times_keeps_them() -> None:
    match = {"game": "agram", "milliseconds": 5, "iterations": 300}
    settings = entries({"games": ["agram"], "agent": {"agent": "pimc"}, "evidence": [match]})
    settings.take(chosen("rhea", 1), TABLE)
    assert [plays(settings.at(TABLE, ms)) for ms in (1, 4, 5)] == ["rhea", "rhea", "pimc"]
    assert settings.all[0]["evidence"] == [match]
    settings.take(chosen("rhea", 5), TABLE)
    assert [plays(settings.at(TABLE, ms)) for ms in (1, 5)] == ["rhea", "rhea"]
    assert [plays(entry) for entry in settings.all] == ["rhea", "rhea", "ismcts"]


def test_every_kind_of_game_has_candidates() -> None:
    from benchmarks.settings import CANDIDATES

    assert set(CANDIDATES) == set(GameKind)
