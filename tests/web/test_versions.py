"""Versions of a text: kept, compared line by line, and by the answers of their games."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kibitz
from kibitz.core.errors import FileError
from kibitz.studies.comparison import compare
from kibitz.web import versions
from kibitz.web.games import GameChoice
from kibitz.web.limits import LimitReachedError
from kibitz.web.live_playtests import (
    LiveComparison,
    LivePlaytest,
    keep_report,
    keep_summary,
    kept_reports,
)
from kibitz.web.workspace import MOST_VERSIONS, Workspace

_, KUHN = kibitz.load("kuhn-poker").rules_text or ("", "")
OTHER = KUHN.replace("(scoring max", "(scoring min", 1)


def test_a_version_is_kept_once_and_the_oldest_go(tmp_path: Path) -> None:
    place = Workspace(tmp_path)
    for text in ("(a)", "(a)", "(b)", "(a)"):
        place.keep_version("x.rcy", text)
    names = place.versions("x.rcy")
    assert [place.read("versions", name) for name in names] == ["(a)", "(b)", "(a)"]
    for number in range(MOST_VERSIONS):
        place.keep_version("x.rcy", f"({number})")
    assert len(place.versions("x.rcy")) == MOST_VERSIONS
    assert place.versions("y.rcy") == place.versions("x.kif") == []
    with pytest.raises(FileError):
        place.keep_version("x.py", "import os")


def test_a_text_is_compared_with_its_own_versions_and_others_of_its_language(
    tmp_path: Path,
) -> None:
    place = Workspace(tmp_path)
    place.keep_text("x.rcy", KUHN)
    place.keep_text("y.rcy", OTHER)
    place.keep_text("z.kif", "(role r)")
    place.keep_version("x.rcy", "(old)")
    offers = list(versions.offers(place, "x.rcy"))
    assert [versions.text_of(place, "x.rcy", offer) for offer in offers] == [KUHN, "(old)", OTHER]
    for wrong in ("../x", place.versions("x.rcy")[0] + "x", "text:../x.rcy", "text:x.py"):
        with pytest.raises(FileError):
            versions.text_of(place, "x.rcy", wrong)


lines = st.lists(st.sampled_from(["", "(a)", "(b <c>)", "  (d)", ";; e"]), max_size=12)


@given(lines, lines)
def test_the_changes_have_every_changed_line(old: list[str], new: list[str]) -> None:
    changes = versions.compared("\n".join(old), "\n".join(new))
    before = {change.before: change.old for change in changes if change.before}
    after = {change.after: change.new for change in changes if change.after}
    plain = [
        [unescape(re.sub("</?(del|ins)>", "", html)) for html in side.values()]
        for side in (before, after)
    ]
    kept_old, kept_new = ("\n".join(side).splitlines() for side in (old, new))
    assert plain[0] == [kept_old[number - 1] for number in before]
    assert plain[1] == [kept_new[number - 1] for number in after]
    untouched = [n for n in range(len(kept_old)) if n + 1 not in before]
    others = [n for n in range(len(kept_new)) if n + 1 not in after]
    assert [kept_old[n] for n in untouched] == [kept_new[n] for n in others]


def test_changes_are_shown_escaped_and_marked() -> None:
    html = versions.changes_html(versions.compared("(a <i>)", "(b <i>)"), "<old>", "new")
    assert "<del>a</del>" in html
    assert "<i>" not in html
    assert "<old>" not in html
    assert "the same" in versions.changes_html(versions.compared("x", "x"), "a", "b")


def test_answers_grow_to_what_the_comparison_says() -> None:
    tables = {
        name: GameChoice("kuhn.rcy", text).table(None, {})
        for name, text in (("before", KUHN), ("after", OTHER))
    }
    live = LiveComparison(tables, ["random"], 400, seed=3)
    assert live.run() == 400
    comparison = live.found
    expected = compare(tables, agents="random", games=400, seed=3)
    assert comparison is not None
    assert comparison == expected
    assert live.progress.played == 800
    html = versions.answers_html(comparison)
    assert html.count("<tr") == 1 + len(comparison.rows)
    page = versions.report_html(
        "<T>", "", comparison, live.progress.verdicts, {"after": ["x=<3>"]}
    )
    assert "<T>" not in page
    assert "<b>after</b>: x=&lt;3&gt;" in page
    with pytest.raises(LimitReachedError):
        LiveComparison(tables, ["random"], 10**9)


def test_a_comparison_that_is_stopped_has_what_was_played() -> None:
    table = GameChoice("kuhn.rcy", KUHN).table(None, {})
    live = LiveComparison({"a": table, "b": table}, ["random"], 50_000)
    live.stop()
    assert live.run() < 50_000
    assert versions.answers_html(None) == ""


def test_a_live_playtest_draws_what_the_games_look_like() -> None:
    live = LivePlaytest(GameChoice("kuhn.rcy", KUHN).table(None, {}), ["random"], 200)
    live.run()
    assert live.progress.plots
    for title, svg in live.progress.plots:
        assert title
        assert svg.startswith("<svg")


def test_reports_are_listed_by_their_game(tmp_path: Path) -> None:
    place = Workspace(tmp_path)
    table = GameChoice("kuhn.rcy", KUHN).table(None, {})
    live = LivePlaytest(table, ["random"], 100)
    live.run()
    name = keep_report(place, "Kuhn", live.report())
    keep_summary(place, name, "kuhn.rcy", "Kuhn poker", live.progress)
    place.write("runs", "by hand.html", "<p>")
    place.write("runs", "broken.html", "<p>")
    place.write("runs", "broken.json", "[1")
    [report] = kept_reports(place, "kuhn.rcy")
    assert (report.name, report.title) == (name, "Kuhn poker")
    assert report.verdict
    assert {report.title for report in kept_reports(place)} == {"Kuhn poker", "by hand", "broken"}
