"""Papers made again: comparisons, readings, reports, and every exhibit with a few games."""

from __future__ import annotations

import json
import math
from html.parser import HTMLParser
from pathlib import Path

import pytest
from papers import PAPERS, Bench, Exhibit, Figure, Reference, Reproduction, reproduce
from papers import bench as bench_module
from papers.__main__ import main
from papers.exhibit import Unit, of_mean, of_share, rounding
from papers.love_letter_rules import SeededLoveLetter
from papers.tables import shown
from tests.reporting import as_markdown, as_page

from kibitz.core.errors import ParameterError
from kibitz.reports.numbers import DASH

FEW = 1000
"""The factor by which a quick run of a paper plays fewer games in these tests."""


# --- comparisons --------------------------------------------------------------------------


def test_numbers_agree_within_three_standard_errors_of_their_difference() -> None:
    half = 1.959964 * 0.03  # a standard error of .03
    figure = Figure("x", 0.5, (0.5 - half, 0.5 + half))
    for distance, agrees in ((0.149, True), (0.151, False)):  # 3 * hypot(.03, .04) = .15
        assert figure.agrees(Reference("paper", 0.5 + distance, 0.04)) is agrees
        assert figure.agrees(Reference("paper", 0.5 - distance, 0.04)) is agrees


def test_exact_numbers_agree_only_if_they_are_equal() -> None:
    figure = Figure("x", 6.0, (6.0, 6.0))
    assert figure.agrees(Reference("exact", 6.0, 0.0))
    assert not figure.agrees(Reference("exact", 6.001, 0.0))


def test_times_are_not_compared() -> None:
    assert Figure("x", 1.0, None).agrees(Reference("paper", 5.0, 1.0)) is None


def test_the_error_of_a_reference_has_its_games_and_its_digits() -> None:
    share = of_share("paper", 0.5, 100, 1)
    assert share.error == pytest.approx(math.hypot(0.05, 0.1 / math.sqrt(12)))
    mean = of_mean("paper", 9.0, 2.0, 400, 2)
    assert mean.error == pytest.approx(math.hypot(0.1, rounding(2)))


def test_numbers_are_shown_in_their_unit() -> None:
    assert shown(0.1234, Unit.SHARE, (0.1, 0.15)) == f"12.3 % (10.0{DASH}15.0)"
    assert shown(0.1234, Unit.GAIN, (-0.1, 0.15)) == "+12.3 (-10.0 to +15.0)"
    assert shown(4500.0, Unit.SECONDS) == "4,500"
    assert shown(0.00787, Unit.SECONDS) == "0.0079"
    assert shown(6.0, Unit.NUMBER, (6.0, 6.0)) == "6.00"


# --- all exhibits -------------------------------------------------------------------------


@pytest.fixture(scope="module", params=sorted(PAPERS))
def reproduction(request: pytest.FixtureRequest) -> Reproduction:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bench_module, "QUICK", FEW)
        return reproduce(request.param, quick=True, seed=3)


def test_every_exhibit_is_made(reproduction: Reproduction) -> None:
    assert len(reproduction.exhibits) == len(PAPERS[reproduction.paper].exhibits)
    names = [exhibit.name for exhibit in reproduction.exhibits]
    assert len(set(names)) == len(names)
    assert 0 < reproduction.agreed <= reproduction.compared
    for exhibit in reproduction.exhibits:
        places = [(figure.label, figure.series) for figure in exhibit.figures]
        assert len(set(places)) == len(places)
        assert exhibit.sources or exhibit.name == "Figure 6"  # a picture without numbers
        assert all(line.startswith("kibitz playtest ") for line in exhibit.commands)


def test_json_says_what_agrees(reproduction: Reproduction) -> None:
    written = json.loads(json.dumps(reproduction.to_json()))
    agreed = [
        reference["agrees"]
        for exhibit in written["exhibits"]
        for figure in exhibit["figures"]
        for reference in figure["references"]
    ]
    assert agreed.count(True) == written["agreed"]
    assert len(agreed) - agreed.count(None) == written["compared"]


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.seen.append(tag)


def test_the_page_has_a_drawing_or_a_table_of_each_exhibit(reproduction: Reproduction) -> None:
    page = as_page(reproduction)
    tags = _Tags()
    tags.feed(page)
    assert tags.seen.count("h2") == tags.seen.count("table") == len(reproduction.exhibits)
    drawn = sum(
        exhibit.layout.value != "table" and len(exhibit.figures) > 1
        for exhibit in reproduction.exhibits
    )
    assert page.count('role="img" aria-label=') == drawn
    assert "<script" not in page
    assert page.count('<link rel="icon" href="data:,">') == 1


def test_markdown_has_a_table_of_each_exhibit(reproduction: Reproduction) -> None:
    text = as_markdown(reproduction)
    assert text.count("\n### ") == text.count("| ---: |\n") == len(reproduction.exhibits)


def test_all_games_can_have_the_same_shuffles() -> None:
    """But for the seed of the shuffles nothing but the players tells games apart."""
    game = SeededLoveLetter()
    table, other = game.table(4), game.table(4, {"shuffles": 1})
    hands = [[table.new_state(seed).observation(p) for p in range(4)] for seed in (1, 2)]
    assert hands[0] == hands[1]
    assert hands[0] != [other.new_state(1).observation(p) for p in range(4)]


# --- from outside -------------------------------------------------------------------------


def test_what_is_kept_is_not_played_again(tmp_path: Path) -> None:
    Bench(out=tmp_path).play("agram", 2, games=50, hand=2)
    files = {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*.parquet")}
    assert files
    again = Bench(out=tmp_path).play("agram", 2, games=50, hand=2)
    assert again.finished == 50
    assert {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*.parquet")} == files


def test_an_interrupt_keeps_what_is_complete(monkeypatch: pytest.MonkeyPatch) -> None:
    def complete(bench: Bench) -> Exhibit:
        return Exhibit("A", "", "", (), Unit.NUMBER, "", "")

    def interrupted(bench: Bench) -> Exhibit:
        raise KeyboardInterrupt

    paper = PAPERS["recycle"]
    monkeypatch.setitem(PAPERS, "recycle", type(paper)("T", (complete, interrupted)))
    reproduction = reproduce("recycle")
    assert reproduction.interrupted
    assert [exhibit.name for exhibit in reproduction.exhibits] == ["A"]
    assert "Stopped after 1 exhibit." in as_markdown(reproduction)


def test_an_unknown_paper_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"no paper 'recyle'\. Did you mean 'recycle'"):
        reproduce("recyle")


# --- the command --------------------------------------------------------------------------


def test_the_command_writes_a_page_and_markdown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bench_module, "QUICK", FEW)
    page, text, numbers = tmp_path / "a.html", tmp_path / "a.md", tmp_path / "a.json"
    files = ["--html", str(page), "--markdown", str(text), "--json", str(numbers)]
    assert main(["love-letter", "--quick", *files]) == 0
    assert "numbers agree." in capsys.readouterr().out
    assert page.read_text().startswith("<!doctype html>")
    assert "python -m papers love-letter --quick --seed 0" in page.read_text()
    assert text.read_text().startswith("## Wang and Zhang")
    assert json.loads(numbers.read_text())["paper"] == "love-letter"


def test_the_help_names_every_paper(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    shown = capsys.readouterr().out
    for name, paper in PAPERS.items():
        assert f"{name} " in shown
        assert paper.title in shown


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["tagg"], "choose from"),
        (["tag", "--json", "nowhere/a.json"], "there is no folder nowhere"),
    ],
)
def test_wrong_options_are_refused(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(words)
    assert message in capsys.readouterr().err
