"""The workshop without a browser: marks at mistakes, starting points, live playtests."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kibitz
from kibitz.core.errors import KibitzError
from kibitz.web import checks
from kibitz.web.games import GameChoice
from kibitz.web.limits import LimitReachedError
from kibitz.web.live_playtests import LivePlaytest, keep_report
from kibitz.web.workspace import RUNS, Workspace

_, KUHN = kibitz.load("kuhn-poker").rules_text or ("", "")
WRONG = KUHN.replace("(shuffle", "(shufle", 1)


def test_a_misspelt_word_is_marked_where_it_stands_and_can_be_mended() -> None:
    [finding] = checks.find("kuhn.rcy", WRONG)
    assert WRONG[finding.start : finding.end] == "shufle"
    assert finding.kind == "error"
    assert WRONG.splitlines()[finding.line - 1][finding.column - 1 :].startswith("shufle")
    assert finding.mend == "shuffle"
    assert WRONG[: finding.start] + finding.mend + WRONG[finding.end :] == KUHN
    [mark] = checks.marks([finding])
    assert (mark["from"], mark["to"], mark["class"]) == (finding.start, finding.end, "mark-error")
    assert 'data-act="place 0"' in checks.listed([finding])


def test_the_correction_of_a_variable_keeps_its_quote() -> None:
    text = KUHN.replace("'P", "'PLAYER")
    used = text.rindex("'PLAYER")
    text = text[:used] + "'PLAYRE" + text[used + len("'PLAYER") :]
    [mistake] = checks.find("kuhn.rcy", text)
    assert text[mistake.start : mistake.end] == "'PLAYRE"
    assert mistake.mend == "'PLAYER"


def test_three_mistakes_are_mended_one_by_one() -> None:
    """Each is marked where it can be seen, and mended as the page suggests."""
    text = Path(__file__).with_name("slips.rcy").read_text("utf-8")
    marked, mends = [], 0
    while findings := checks.find("slips.rcy", text):
        finding = findings[-1]
        assert finding.mend is not None, finding.message
        marked.append(text[finding.start : finding.end])
        text = text[: finding.start] + finding.mend + text[finding.end :]
        assert (mends := mends + 1) < 9
    assert marked == [")", "moove", "((current player) vloc TAKN)"]
    assert "0)))" in text
    assert "vloc TAKEN))" in text


def test_a_right_text_has_no_marks() -> None:
    assert checks.find("kuhn.rcy", KUHN) == []
    assert "No problems" in checks.listed([])


@settings(max_examples=25)
@given(st.integers(0, len(KUHN)), st.sampled_from(["", "(", ")", "x", "\u00e4", "\U0001f600"]))
def test_marks_lie_within_the_text(cut: int, added: str) -> None:
    for text in (KUHN[:cut] + added, KUHN[:cut] + added + KUHN[cut:]):
        for finding in checks.find("kuhn.rcy", text):
            assert 0 <= finding.start <= finding.end <= len(text)
            assert finding.start < finding.end or not text


@pytest.mark.parametrize("name", ["x.py", "x", "x.json"])
def test_python_is_not_edited(name: str) -> None:
    with pytest.raises(KibitzError):
        checks.find(name, "import os")


def test_what_is_said_of_a_text_is_escaped() -> None:
    html = checks.listed(checks.find("a.rcy", "(game <img src=x onerror=alert(1)>"))
    assert "<img" not in html


def test_every_starting_point_can_be_used() -> None:
    offers = checks.starts()
    assert {"template:recycle", "template:gdl", "hearts", "connect-four"} <= set(offers)
    assert "template:python" not in offers
    for name in ("template:recycle", "template:gdl", "kuhn-poker"):
        suffix, text = checks.start(name, "Sea Battle")
        assert [
            finding for finding in checks.find(f"x{suffix}", text) if finding.kind == "error"
        ] == []
    for name in ("template:python", "love-letter", "../x", "template:"):
        with pytest.raises(KibitzError):
            checks.start(name, "x")


def test_a_live_playtest_says_what_the_playtest_says() -> None:
    table = GameChoice("kuhn.rcy", KUHN).table(None, {})
    live = LivePlaytest(table, ["random"], 500, seed=4)
    assert live.run() == 500
    playtest = live.playtest
    assert playtest is not None
    expected = kibitz.playtest(table, games=500, seed=4)
    assert [s.wins for s in playtest["seats"]] == [s.wins for s in expected["seats"]]


def test_a_live_playtest_ends_when_it_is_stopped() -> None:
    table = GameChoice("kuhn.rcy", KUHN).table(None, {})
    live = LivePlaytest(table, ["random"], 100_000)
    live.stop()
    began = time.monotonic()
    live.run()
    assert time.monotonic() - began < 5
    assert live.progress.played < 100_000


def test_live_playtests_have_limits() -> None:
    table = GameChoice("kuhn.rcy", KUHN).table(None, {})
    for games in (0, 10**9):
        with pytest.raises(LimitReachedError):
            LivePlaytest(table, ["random"], games)
    with pytest.raises(KibitzError):
        LivePlaytest(table, ["mcts:iterations=100000000"], 10)


def test_reports_are_kept_under_new_names(tmp_path: Path) -> None:
    place = Workspace(tmp_path)
    table = GameChoice("kuhn.rcy", KUHN).table(None, {})
    live = LivePlaytest(table, ["random"], 50)
    live.run()
    names = [keep_report(place, "kuhn", live.report()) for _ in range(2)]
    assert names == ["kuhn.html", "kuhn-2.html"]
    assert "Kuhn poker" in place.read(RUNS, names[0])
