"""A playtest beside the editor: its verdicts grow while games are played."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kibitz.core.game import Table
from kibitz.playtest.page import render_page
from kibitz.playtest.playing import Measuring
from kibitz.playtest.report import headline, sentences
from kibitz.playtest.results import Playtest
from kibitz.runs import Experiment, Rows, ThreadRunner
from kibitz.web.limits import MOST_GAMES, LimitReachedError, checked_agent
from kibitz.web.workspace import RUNS, Workspace

BETWEEN = 0.7
"""Seconds between two looks at the verdicts at least."""


@dataclass(frozen=True)
class Progress:
    """How far a trial is.

    Attributes:
        played, wanted: games.
        title: what is played, by whom.
        verdicts: what the games say so far: whether it is urgent, and the sentence.
    """

    played: int
    wanted: int
    title: str
    verdicts: Sequence[tuple[bool, str]]


class Trial:
    """A playtest in a thread, which can be looked at and stopped.

    Args:
        table: what is played.
        agents: one description for all seats, or one each.
        games: how many.
        seed: of the run.

    Raises:
        KibitzError: an agent cannot play, or there are too many games.
    """

    def __init__(self, table: Table, agents: Sequence[str], games: int, seed: int = 0) -> None:
        if not 1 <= games <= MOST_GAMES:
            raise LimitReachedError(f"1 to {MOST_GAMES:,} games are played here, not {games:,}.")
        texts = [agents[min(p, len(agents) - 1)] for p in range(table.players)]
        seated = [checked_agent(text, table) for text in texts]
        self.table = table
        self.wanted = games
        self.progress = Progress(0, games, "", ())
        self._stop = np.zeros(1, np.int64)
        experiment = Experiment.of(table, seated, games, seed)
        self._measuring = Measuring(table, seated, experiment)
        self._runner = ThreadRunner(experiment, table, seated, stop=self._stop)
        self._began = self._looked = 0.0

    def run(self) -> Playtest:
        """Plays all games, or until ``stop``; the playtest of those that were played."""
        self._began = time.perf_counter()
        self._runner.play(self._take, progress=self._tell)
        return self._finished()

    def stop(self) -> None:
        """Ends it soon; what was played counts."""
        self._stop[0] = 1

    def _take(self, rows: Rows) -> None:
        self._measuring.add(rows)
        if time.perf_counter() - self._looked > BETWEEN:
            self._finished()

    def _tell(self, played: int) -> None:
        now = self.progress
        self.progress = Progress(played, now.wanted, now.title, now.verdicts)

    def _finished(self) -> Playtest:
        self._looked = time.perf_counter()
        playtest = self._measuring.finish(self._looked - self._began)
        verdicts = tuple(sentences(playtest))
        self.progress = Progress(playtest.games, self.wanted, headline(playtest), verdicts)
        return playtest


def keep_report(workspace: Workspace, stem: str, playtest: Playtest, table: Table) -> str:
    """Writes the report page of a playtest into the workspace; returns its name.

    Raises:
        MissingExtraError: what draws plots is not installed.
        FileError: it cannot be written.
    """
    return workspace.keep_new(RUNS, stem, ".html", render_page(playtest, table))
