"""Pages and plots of playtests."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from tests.reporting import as_page
from tests.studies.tiny_games import Broken, Left

import kibitz
from kibitz.core.errors import MissingExtraError
from kibitz.reports import DataTable, Document, Section, charts, document_of, html
from kibitz.runs import Experiment, ThreadRunner
from kibitz.studies import Playtest, plots
from kibitz.studies.commands import record_command
from kibitz.studies.sentences import sentences


@pytest.fixture(scope="module")
def letters() -> Playtest:
    return kibitz.playtest("love-letter", players=3, agents=["osla", "random"], games=300)


class Reader(HTMLParser):
    """Checks that tags match, and gathers the text."""

    VOID = ("meta", "br", "hr", "img", "input", "link")

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""
        self.tags: list[str] = []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


# --- pages --------------------------------------------------------------------------------


def test_a_page_says_what_the_report_says(letters: Playtest) -> None:
    text = Reader(as_page(letters)).text
    for sentence in sentences(letters):
        assert sentence.text in text
    assert "osla" in text
    assert f"Game {letters['examples'][0].game + 1:,}" in text
    assert record_command(letters, letters["examples"][0]) in text


def test_a_page_needs_nothing_else(letters: Playtest) -> None:
    page = as_page(letters, table=kibitz.load("love-letter").table(3))
    assert set(re.findall(r'(?:https?:)?//[^\s"<]+', page)) <= {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
    }
    assert "script" not in Reader(page).tags
    assert len(page) < 3_000_000


def test_a_page_tells_games_move_by_move(letters: Playtest) -> None:
    table = kibitz.load("love-letter").table(3)
    text = Reader(as_page(letters, table=table)).text
    example = letters["examples"][0]
    transcript = kibitz.transcript(kibitz.record(table, example.agents, example.seed), table)
    assert transcript.strip() in text
    assert transcript.strip() not in Reader(as_page(letters)).text


def test_a_page_of_games_that_broke_off() -> None:
    result = kibitz.playtest("tic-tac-toe", agents=[Left(), Broken()], games=20)
    text = Reader(as_page(result)).text
    assert "agent error" in text
    assert record_command(result, result.unfinished[0]) in text


def test_no_browser_asks_for_the_icon_of_a_page(letters: Playtest) -> None:
    page = as_page(letters)
    assert page.count('<link rel="icon" href="data:,">') == 1
    assert page.startswith("<!doctype html>")


def test_what_a_page_quotes_is_escaped() -> None:
    class Hostile(kibitz.Agent):
        name = "<script>alert(1)</script>"

        def choose(self, state: kibitz.State) -> int:
            return state.legal_actions()[0]

    page = as_page(kibitz.playtest("tic-tac-toe", agents=[Hostile(), "random"], games=50))
    assert "<script" not in page
    assert "&lt;script&gt;" in page


def test_a_playtest_shows_itself_in_a_notebook(letters: Playtest) -> None:
    shown = letters._repr_html_()
    assert shown is not None
    assert shown.startswith("<iframe srcdoc=")
    assert shown.count('"') == 4  # nothing ends the attribute early


def test_what_is_missing_is_said(letters: Playtest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(charts, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"pip install 'kibitz\[plots\]'"):
        as_page(letters)
    with pytest.raises(MissingExtraError, match=r"pip install 'kibitz\[plots\]'"):
        plots.plots(letters)[0].png()
    assert letters._repr_html_() is None


# --- plots --------------------------------------------------------------------------------


def test_every_plot_is_a_drawing_with_words(letters: Playtest) -> None:
    drawn = plots.plots(letters)
    assert [plot.name for plot in drawn] == ["agents", "length", "options", "scores"]
    for plot in drawn:
        assert ElementTree.fromstring(plot.svg()).tag.endswith("svg")
        assert plot.png().startswith(b"\x89PNG")
        assert plot.caption.endswith(".")
        assert all(len(row) == len(plot.columns) for row in plot.rows)


def test_the_length_plot_counts_all_games(letters: Playtest) -> None:
    plot = next(plot for plot in plots.plots(letters) if plot.name == "length")
    assert sum(int(games.replace(",", "")) for _, games in plot.rows) == letters.finished


def test_a_histogram_never_has_too_many_bars() -> None:
    result = kibitz.playtest("hearts", games=200)
    plot = next(plot for plot in plots.plots(result) if plot.name == "length")
    assert 10 < len(plot.rows) <= plots.MOST_BARS + 1


def test_nothing_to_show() -> None:
    assert plots.plots(kibitz.playtest("tic-tac-toe", agents=[Broken()], games=3)) == []


def test_plots_are_written(letters: Playtest, tmp_path: Path) -> None:
    written = charts.write_plots(document_of(letters).plots(), tmp_path / "here")
    assert len(written) == 8
    assert sorted(written) == sorted((tmp_path / "here").iterdir())


# --- examples -----------------------------------------------------------------------------


def test_examples_are_the_extremes() -> None:
    table = kibitz.load("love-letter").table(3)
    agents = [kibitz.make_agent("random")] * 3
    experiment = Experiment.of(table, agents, 700, 3)
    rows = []
    ThreadRunner(experiment, table, agents).play(rows.append)
    games = np.concatenate([shard.results for shard in rows])
    examples = {e.kind: e for e in kibitz.playtest(table, games=700, seed=3)["examples"]}
    assert examples["shortest"].decisions == games["decisions"].min()
    assert examples["longest"].decisions == games["decisions"].max()
    assert examples["longest"].game == int(np.argmax(games["decisions"]))
    scores = np.sort(games["seats"]["score"], axis=1)
    lead = scores[:, -1] - scores[:, -2]
    clearest = examples["clearest"]
    assert lead[clearest.game] == lead.max()
    for example in examples.values():
        game = games[example.game]
        assert (game["seed"], game["decisions"]) == (example.seed, example.decisions)
        assert tuple(game["seats"]["score"]) == example.scores


def test_an_example_is_played_again() -> None:
    result = kibitz.playtest("love-letter", agents=["osla", "random"], games=100)
    for example in result["examples"]:
        record = kibitz.record("love-letter", example.agents, example.seed)
        assert record.result.scores == example.scores


def test_the_typical_game_is_near_the_median() -> None:
    result = kibitz.playtest("love-letter", games=2000)
    typical = result["examples"][0]
    assert typical.kind == "typical"
    assert abs(typical.decisions - result.decisions_per_game.mean) < 3


def test_examples_do_not_depend_on_workers() -> None:
    examples = kibitz.playtest("hearts", games=300, workers=1)["examples"]
    assert kibitz.playtest("hearts", games=300, workers=2)["examples"] == examples


def test_cells_of_a_table_break_where_a_reader_would():
    """So that a telephone shows whole numbers, and names without a cut in a word."""
    row = ("mcts:c=1,by=<b>", "45.6 % (36\N{EN DASH}54)")
    table = Section((DataTable(("agent", "win"), (row,)),))
    made = html.render(Document("t", "test", "t", (), (table,), (), "1"))
    assert "<td>mcts:<wbr>c=1,<wbr>by=&lt;b&gt;</td>" in made
    number = "45.6\N{NO-BREAK SPACE}% (36\N{EN DASH}\N{WORD JOINER}54)"
    assert f"<td>{number}</td>" in made


def test_a_result_has_its_numbers_as_arrow_tables() -> None:
    result = kibitz.ladder("tic-tac-toe", ["random", "osla"], games=100)
    tables = result.to_arrow()
    assert [*tables] == ["rungs"]
    assert tables["rungs"].to_pylist() == result.to_json()["rungs"]
    study = kibitz.study("tic-tac-toe", budget="random=200,iterations=50,skilled=20,judged=4")
    seats = study.to_arrow()["parts.random.seats"]
    assert seats["games"].to_pylist() == [200, 200]


def test_a_result_prints_its_report() -> None:
    result = kibitz.playtest("tic-tac-toe", "osla", games=20)
    text = str(result)
    assert text.startswith("Tic-Tac-Toe: 20 games of 2 players, seed 0\nPlayed by osla.\n")
    assert "decisions a game" in text
    assert max(map(len, text.splitlines())) <= 100
