"""All papers, and the reproduction of one of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import kibitz
from kibitz import errors
from kibitz.reports import Reported
from papers import love_letter, recycle, tag
from papers.bench import Bench
from papers.exhibit import Exhibit

FORMAT = 1
"""Version of the format of the JSON."""


@dataclass(frozen=True)
class Paper:
    """A paper whose experiments can be reproduced."""

    title: str
    exhibits: tuple[Callable[[Bench], Exhibit], ...]


PAPERS = {
    "recycle": Paper(recycle.TITLE, recycle.EXHIBITS),
    "tag": Paper(tag.TITLE, tag.EXHIBITS),
    "love-letter": Paper(love_letter.TITLE, love_letter.EXHIBITS),
}
"""The papers by name."""


@dataclass(frozen=True)
class Reproduction(Reported):
    """The reproduced exhibits of a paper.

    Attributes:
        paper: name of the paper in ``PAPERS``.
        exhibits: in the paper's order.
        quick: whether a tenth of the games was played.
        interrupted: whether the reproduction was stopped before its end.
        version: version of Kibitz.
    """

    paper: str
    title: str
    exhibits: tuple[Exhibit, ...]
    seed: int
    quick: bool
    interrupted: bool
    version: str = field(default_factory=lambda: kibitz.__version__)

    @property
    def agreed(self) -> int:
        """The number of pairs of numbers that agree."""
        return sum(agrees for exhibit in self.exhibits for agrees in exhibit.comparisons())

    @property
    def compared(self) -> int:
        """The number of pairs of numbers that are compared."""
        return sum(1 for exhibit in self.exhibits for _ in exhibit.comparisons())

    def to_json(self) -> dict[str, Any]:
        """Everything as JSON types."""
        return {
            "format": FORMAT,
            "kibitz": self.version,
            "paper": self.paper,
            "title": self.title,
            "seed": self.seed,
            "quick": self.quick,
            "interrupted": self.interrupted,
            "agreed": self.agreed,
            "compared": self.compared,
            "exhibits": [exhibit.to_json() for exhibit in self.exhibits],
        }


def reproduce(
    paper: str,
    *,
    quick: bool = False,
    seed: int = 0,
    workers: int | None = None,
    out: Path | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> Reproduction:
    """Reproduces the tables and figures of a paper.

    An interrupt ends it early, and the exhibits that are complete are returned.

    Args:
        paper: a name in ``PAPERS``.
        quick: whether to play a tenth of the games.
        workers: see ``playtest``.
        out: folder in which the games are stored, so that another call resumes from them.
        progress: called with ``"exhibits"``, the number of complete exhibits, and of all.

    Raises:
        ParameterError: there is no such paper.
        KeyboardInterrupt: stopped in the first exhibit.
    """
    if paper not in PAPERS:
        raise errors.ParameterError(errors.did_you_mean(paper, PAPERS, "paper"))
    exhibits: list[Exhibit] = []
    interrupted = False
    try:
        bench = Bench(quick, seed, workers, out)
        for exhibit in PAPERS[paper].exhibits:
            exhibits.append(exhibit(bench))
            if progress is not None:
                progress("exhibits", len(exhibits), len(PAPERS[paper].exhibits))
    except KeyboardInterrupt:
        if not exhibits:
            raise
        interrupted = True
    return Reproduction(paper, PAPERS[paper].title, tuple(exhibits), seed, quick, interrupted)
