"""All papers, and making one of them again."""

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
"""Version of the JSON."""


@dataclass(frozen=True)
class Paper:
    """A paper whose experiments can be made again."""

    title: str
    exhibits: tuple[Callable[[Bench], Exhibit], ...]


PAPERS = {
    "recycle": Paper(recycle.TITLE, recycle.EXHIBITS),
    "tag": Paper(tag.TITLE, tag.EXHIBITS),
    "love-letter": Paper(love_letter.TITLE, love_letter.EXHIBITS),
}
"""By name."""


@dataclass(frozen=True)
class Reproduction(Reported):
    """The exhibits of a paper, made again.

    Attributes:
        paper: its name.
        title: its title.
        exhibits: in the paper's order.
        seed: of the games.
        quick: whether a tenth of the games was played.
        interrupted: whether it was stopped before its end.
        version: of Kibitz.
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
        """How many pairs of numbers agree."""
        return sum(agrees for one in self.exhibits for agrees in one.comparisons())

    @property
    def compared(self) -> int:
        """How many pairs of numbers are compared."""
        return sum(1 for one in self.exhibits for _ in one.comparisons())

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
    """Makes the tables and figures of a paper again.

    Args:
        paper: its name: see ``PAPERS``.
        quick: whether to play a tenth of the games.
        seed: of the games.
        workers: threads, or processes where the rules or an agent are Python; by default one for
            each core.
        out: a folder in which the games are kept, so that another call goes on from there.
        progress: called with ``"exhibits"``, how many are done, and how many there are.

    An interrupt ends it, and the exhibits that are complete are kept.

    Raises:
        ParameterError: there is no such paper.
        KeyboardInterrupt: it was stopped in the first exhibit.
    """
    if paper not in PAPERS:
        raise errors.ParameterError(errors.did_you_mean(paper, PAPERS, "paper"))
    found: list[Exhibit] = []
    interrupted = False
    try:
        bench = Bench(quick, seed, workers, out)
        for exhibit in PAPERS[paper].exhibits:
            found.append(exhibit(bench))
            if progress is not None:
                progress("exhibits", len(found), len(PAPERS[paper].exhibits))
    except KeyboardInterrupt:
        if not found:
            raise
        interrupted = True
    return Reproduction(paper, PAPERS[paper].title, tuple(found), seed, quick, interrupted)
