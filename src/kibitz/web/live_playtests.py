"""Playtests and comparisons on a page: their verdicts grow while games are played."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from kibitz.core.errors import FileError, MissingExtraError
from kibitz.core.game import Table
from kibitz.reports import document_of, html
from kibitz.reports.charts import themed
from kibitz.runs import Experiment, Rows, ThreadRunner
from kibitz.studies.comparison import Comparing, Comparison
from kibitz.studies.comparison_report import sentences as sentences_of_comparison
from kibitz.studies.playing import Measuring
from kibitz.studies.plots import plots
from kibitz.studies.report import headline
from kibitz.studies.results import Playtest
from kibitz.studies.sentences import sentences
from kibitz.web.games import GameChoice
from kibitz.web.limits import MOST_GAMES, LimitReachedError, checked_agent
from kibitz.web.versions import answers_html, report_html
from kibitz.web.workspace import RUNS, Workspace

MOST_PLOTS = 3
"""Drawn while games are played; the report has all of them."""
BETWEEN = 1.0
"""Seconds between two updates of the verdicts at least."""


@dataclass(frozen=True)
class Progress:
    """How far a live playtest is.

    Attributes:
        played, wanted: the games played so far, and all of them.
        title: what is played, by whom.
        verdicts: what the games say so far: whether it is urgent, and the sentence.
        plots: what they look like so far: a title, and the drawing.
        answers: of a comparison: the answers of both versions, as HTML.
    """

    played: int
    wanted: int
    title: str
    verdicts: Sequence[tuple[bool, str]]
    plots: Sequence[tuple[str, str]] = ()
    answers: str = ""


@dataclass(frozen=True)
class Setup:
    """What was chosen on a page for the tables of a run.

    Attributes:
        choice: the game that was chosen.
        players: how many; ``None``: as usual.
        values: the parameters that were set.
    """

    choice: GameChoice
    players: int | None = None
    values: Mapping[str, Any] = field(default_factory=dict)

    def table(self) -> Table:
        """The table.

        Raises:
            KibitzError: a value or the text is wrong.
        """
        return self.choice.table(self.players, self.values)


class LivePlaytest:
    """A playtest in a thread, which can be looked at and stopped.

    Args:
        table: the table of the game.
        agents: one description for all seats, or one each.
        games: the number of games.
        seed: the seed of the run.

    Attributes:
        playtest: of what was played, once ``run`` has ended.

    Raises:
        KibitzError: an agent cannot play, or there are too many games.
    """

    def __init__(self, table: Table, agents: Sequence[str], games: int, seed: int = 0) -> None:
        if not 1 <= games <= MOST_GAMES:
            raise LimitReachedError(f"1 to {MOST_GAMES:,} games are played here, not {games:,}.")
        texts = [agents[min(p, len(agents) - 1)] for p in range(table.players)]
        seated = [checked_agent(text, table) for text in texts]
        self.table = table
        self.playtest: Playtest | None = None
        self.wanted = games
        self.progress = Progress(0, games, "", ())
        self._stop = np.zeros(1, np.int64)
        experiment = Experiment.of(table, seated, games, seed)
        self._measuring = Measuring(table, seated, experiment)
        self._runner = ThreadRunner(experiment, table, seated, stop=self._stop)
        self._began = self._looked = 0.0

    @classmethod
    def open(cls, setup: Setup, agents: Sequence[str], games: int) -> LivePlaytest:
        """A playtest of what was chosen on a page.

        Raises:
            KibitzError: a value, the text or an agent is wrong.
        """
        return cls(setup.table(), agents, games)

    def run(self) -> int:
        """Plays until all games are over or ``stop``; returns how many were played."""
        self._began = time.perf_counter()
        self._runner.play(self._take, progress=self._tell)
        self.playtest = self._finished()
        return self.playtest.games

    def look(self) -> Progress:
        """How far it is."""
        return self.progress

    def report(self) -> str:
        """The report page of what was played, once ``run`` has ended.

        Raises:
            MissingExtraError: what draws plots is not installed.
        """
        assert self.playtest is not None
        return html.render(document_of(self.playtest, table=self.table))

    def stop(self) -> None:
        """Ends it soon; what was played counts."""
        self._stop[0] = 1

    def _take(self, rows: Rows) -> None:
        self._measuring.add(rows)
        if time.perf_counter() - self._looked > BETWEEN:
            self._finished()

    def _tell(self, _: str, played: int, __: int) -> None:
        self.progress = replace(self.progress, played=played)

    def _finished(self) -> Playtest:
        self._looked = time.perf_counter()
        playtest = self._measuring.finish(self._looked - self._began)
        drawn = _drawn(playtest)
        verdicts = tuple((urgent, text) for text, urgent in sentences(playtest))
        if playtest.interrupted and not self._stop[0]:
            verdicts = verdicts[1:]  # that it was stopped: it goes on
        self.progress = Progress(playtest.games, self.wanted, headline(playtest), verdicts, drawn)
        self._looked = time.perf_counter()
        return playtest


def _drawn(playtest: Playtest) -> tuple[tuple[str, str], ...]:
    """The first plots; none where what draws them is not installed."""
    try:
        return tuple((p.title, themed(p.svg(), p.title)) for p in plots(playtest)[:MOST_PLOTS])
    except MissingExtraError:
        return ()


class LiveComparison:
    """Two versions of a game, played with the same luck; can be looked at and stopped.

    Args:
        tables: where each is played, by what it is called; the first is what the other is
            compared with.
        agents: one description for all seats, or one each.
        games: how many of each.
        seed: of all of them.

    Raises:
        KibitzError: an agent cannot play, or there are too many games.
    """

    def __init__(
        self, tables: Mapping[str, Table], agents: Sequence[str], games: int, seed: int = 0
    ) -> None:
        if not 1 <= games <= MOST_GAMES:
            raise LimitReachedError(f"1 to {MOST_GAMES:,} games are played here, not {games:,}.")
        for table in tables.values():
            for text in agents:
                checked_agent(text, table)
        self.tables = tables
        self._setups: Mapping[str, Setup] = {}
        self._comparing = Comparing(tables, list(agents), games, seed)
        self.wanted = games * len(tables)
        self.progress = Progress(0, self.wanted, "", ())
        self.found: Comparison | None = None

    @classmethod
    def open(
        cls, setups: Mapping[str, Setup], agents: Sequence[str], games: int
    ) -> LiveComparison:
        """A comparison of what was chosen on a page.

        Raises:
            KibitzError: a value, a text or an agent is wrong.
        """
        live = cls({label: setup.table() for label, setup in setups.items()}, agents, games)
        live._setups = setups
        return live

    def run(self) -> int:
        """Plays until all games are over or ``stop``; returns how many deals both have played."""
        self._comparing.play(self._tell, self._look)
        return self._look(over=True).games

    def look(self) -> Progress:
        """How far it is."""
        return replace(self.progress, answers=answers_html(self.found))

    def report(self, title: str, changes: str) -> str:
        """The comparison as a page of its own.

        Args:
            title: the title of the page.
            changes: what differs in the rules, as HTML.
        """
        assert self.found is not None
        set_up = {
            label: [
                f"{table.players} players",
                *(f"{name}={value}" for name, value in self._setups[label].values.items()),
            ]
            for label, table in self.tables.items()
        }
        return report_html(title, changes, self.found, self.progress.verdicts, set_up)

    def stop(self) -> None:
        """Ends it soon; what was played counts."""
        self._comparing.stop[0] = 1

    def _tell(self, _: str, played: int, __: int) -> None:
        self.progress = replace(self.progress, played=played)

    def _look(self, over: bool = False) -> Comparison:
        comparison = self._comparing.found()
        sentences = (
            sentences_of_comparison(comparison, comparison.labels) if comparison.games else ()
        )
        # that a comparison in progress was stopped needs no saying
        verdicts = tuple((urgent, text) for text, urgent in sentences if over or not urgent)
        self.progress = replace(self.progress, verdicts=verdicts)
        self.found = comparison
        return comparison


@dataclass(frozen=True)
class ReportSummary:
    """The summary of a report in the workspace, known without opening it.

    Attributes:
        name: the file of the report.
        game: the name of its game, or of the game's file.
        title: the title of the report.
        said: what is played, by whom, how often.
        verdict: the sentence about the gravest finding.
    """

    name: str
    game: str
    title: str
    said: str
    verdict: str


def keep_summary(
    workspace: Workspace, name: str, game: str, title: str, progress: Progress
) -> None:
    """Writes the entry of a report in the list of reports beside it.

    Raises:
        FileError: it cannot be written.
    """
    grave = next((sentence for urgent, sentence in progress.verdicts if urgent), "")
    verdict = grave or next((sentence for _, sentence in progress.verdicts), "")
    document = {"game": game, "title": title, "said": progress.title, "verdict": verdict}
    workspace.write(RUNS, f"{Path(name).stem}.json", json.dumps(document))


def kept_reports(workspace: Workspace, game: str | None = None) -> list[ReportSummary]:
    """The reports in the workspace, the latest first; those of one game, if it is given."""
    summaries = []
    for name in workspace.names(RUNS, ".html"):
        try:
            document = json.loads(workspace.read(RUNS, f"{Path(name).stem}.json"))
        except (FileError, ValueError, RecursionError):
            document = {}
        values = document if isinstance(document, dict) else {}
        words = {key: str(values.get(key, "")) for key in ("game", "title", "said", "verdict")}
        summary = ReportSummary(name, **{**words, "title": words["title"] or Path(name).stem})
        if game is None or summary.game == game:
            summaries.append(summary)
    return summaries


def keep_report(workspace: Workspace, stem: str, page: str) -> str:
    """Writes a report page into the workspace under a new name; returns the name.

    Raises:
        FileError: it cannot be written.
    """
    return workspace.keep_new(RUNS, stem, ".html", page)
