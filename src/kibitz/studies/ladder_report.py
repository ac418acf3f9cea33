"""The report of a skill ladder."""

from __future__ import annotations

from collections.abc import Iterator

import kibitz
from kibitz.core.wording import counted
from kibitz.reports.document import DataTable, Document, Section, Sentence, Sentences, document_of
from kibitz.reports.numbers import DASH, number, percent, stacked
from kibitz.studies.comparison_report import MORE
from kibitz.studies.ladder import MOST_ELO, Ladder, Rung


@document_of.register
def document(ladder: Ladder) -> Document:
    """The report of a skill ladder."""
    players = counted(ladder.players, "player")
    games = counted(ladder.games, "game")
    values = ", ".join(f"{name}={value}" for name, value in ladder.changed.items())
    return Document(
        title=ladder.title,
        kind="ladder",
        headline=f"{ladder.title}: {games} of {players} for each rung, seed {ladder.seed}",
        about=(f"Changed parameters: {values}.",) if values else (),
        sections=(Section((Sentences.of(sentences(ladder)),)), Section((table(ladder),))),
        footer=tuple(_footer(ladder)),
        version=kibitz.__version__,
    )


def sentences(ladder: Ladder) -> Iterator[Sentence]:
    """Sentences on the ladder; urgent ones need attention."""
    if ladder.interrupted:
        yield Sentence(f"Stopped after {counted(len(ladder.rungs), 'rung')}.", urgent=True)
    if ladder.top is None:
        yield Sentence(
            "No agent gained more over a weaker one than chance may in "
            f"{counted(ladder.games, 'game')}: nobody can play this game better than others, or "
            "none of these agents knows how.",
            urgent=True,
        )
        return
    steps = f"{counted(ladder.clear_rungs, 'step')} up the ladder"
    gains = "gains" if ladder.clear_rungs == 1 else "gain"
    yield Sentence(f"Skill pays: {steps} {gains} more than chance explains.")
    if ladder.top is ladder.rungs[-1]:
        yield Sentence(f"It pays as far up as was tried, up to {ladder.top.agent}.")
    else:
        yield Sentence(f"It pays up to {ladder.top.agent}; no gain was seen beyond it.")
    if ladder.elo_range is not None:
        points, (low, high) = ladder.elo_range
        yield Sentence(
            f"From the lowest rung to the best there are {points:.0f} Elo points ({low:.0f}{DASH}"
            f"{high:.0f}); 400 are odds of ten to one."
        )


def table(ladder: Ladder) -> DataTable:
    """A line for each rung."""
    together = all(rung.against is None for rung in ladder.rungs)
    names = [*([] if together else [ladder.lowest]), *(rung.agent for rung in ladder.rungs)]
    rows: list[tuple[str, ...]] = []
    for place, rung in enumerate(ladder.rungs, start=1 if together else 2):
        name = f"{place} {stacked(rung.agent)}"
        share = rung_result(ladder, rung) + (f" {MORE}" if rung.is_clear else "  ")
        if rung.against is None:
            rows.append((name, share))
        else:
            rows.append((name, str(names.index(rung.against) + 1), share, _elo(rung)))
    if together:
        return DataTable(("agent in all seats", ladder.result), tuple(rows))
    rows.insert(0, (f"1 {ladder.lowest}", "", "", ""))
    return DataTable(("one agent", "against", "games won", "Elo points"), tuple(rows))


def rung_result(ladder: Ladder, rung: Rung) -> str:
    """The result of a rung with its interval: a share of wins, or a mean score."""
    if not ladder.by_score:
        return percent(rung.share, rung.interval)
    low, high = rung.interval
    return f"{number(rung.share)} ({number(low)} to {number(high)})"


def _elo(rung: Rung) -> str:
    if rung.elo is None or rung.elo_interval is None:
        return DASH
    if abs(rung.elo) >= MOST_ELO:
        return f"over {round(rung.elo_interval[0]):+d}"
    low, high = map(round, rung.elo_interval)  # whole numbers have no -0
    most = "more" if high >= MOST_ELO else str(high)
    return f"{round(rung.elo):+d} ({low} to {most})"


def _footer(ladder: Ladder) -> Iterator[str]:
    """The notes on how to read it."""
    if ladder.rungs and ladder.rungs[-1].against is not None:
        yield (
            "One agent of a rung plays against agents of the best rung below in all other seats; "
            f"{percent(ladder.rungs[-1].fair)} would be equal."
        )
    yield f"{MORE}: better than all below by more than chance. In brackets: 95 % confidence."
