"""The report of a playtest: first the meaning, then the numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kibitz.core.game import Table
from kibitz.core.wording import counted, listed
from kibitz.reports.document import (
    Command,
    DataTable,
    Document,
    Paragraph,
    Section,
    Sentences,
    document_of,
)
from kibitz.reports.numbers import duration, mean, number, percent, stacked
from kibitz.studies.commands import playtest_command, record_command
from kibitz.studies.examples import examples
from kibitz.studies.measures import Line, lines
from kibitz.studies.plots import plots
from kibitz.studies.results import Playtest
from kibitz.studies.sentences import sentences
from kibitz.studies.values import CAUSE_WORDS, Performance

MOST_FAULTS = 5
"""Maximum number of faults of one cause that a report explains."""

MOST_LINES = 24
"""Maximum number of lines of the table of options at each action; the JSON has all actions."""


@document_of.register
def document(playtest: Playtest, table: Table | None = None, branching: bool = False) -> Document:
    """The report of a playtest.

    Args:
        table: where the games were played; with it, pages show some games move by move.
        branching: whether to list how many options there are at each action of a game.
    """
    numbers = list(tables(playtest))
    if branching and playtest.options_at:
        numbers.append(_options_at(playtest))
    sections = [
        Section((Sentences.of(sentences(playtest)),)),
        *(Section((plot,), plot.title, plot.name) for plot in plots(playtest)),
        Section(examples(playtest, table), "Games to look at", "games"),
        Section(tuple(numbers), "All numbers", "numbers"),
    ]
    if playtest.unfinished:
        blocks = (_unfinished(playtest), *_notes(playtest))
        sections.append(Section(blocks, "Games that were not finished", "unfinished"))
    return Document(
        title=playtest.title,
        kind="playtest",
        headline=headline(playtest),
        about=tuple(description(playtest)),
        sections=tuple(section for section in sections if section.blocks),
        footer=(*footer(playtest), Command(playtest_command(playtest), "The same games again")),
        version=playtest.version,
    )


def headline(playtest: Playtest) -> str:
    """The headline: the game, the numbers of games and players, and the seed."""
    players = counted(playtest.players, "player")
    games = counted(playtest.games, "game")
    return f"{playtest.title}: {games} of {players}, seed {playtest.seed}"


def description(playtest: Playtest) -> Iterator[str]:
    """The agents, and the settings that are not defaults."""
    agents = listed([agent.agent or "" for agent in playtest.agents])
    if len(playtest.agents) == 1:
        yield f"Played by {agents}."
    else:
        turns = "changing seats" if playtest.rotated else "keeping their seats"
        yield f"Played by {agents}, {turns}."
    if playtest.duplicate:
        yield (
            "Each deal was played once for each seat; intervals take these games for independent."
        )
    if playtest.changed:
        values = ", ".join(f"{name}={value}" for name, value in playtest.changed.items())
        yield f"Changed parameters: {values}."
    if playtest.randomized:
        yield f"Each game drew from their ranges: {listed(playtest.randomized)}."


# --- the numbers --------------------------------------------------------------------------


def tables(playtest: Playtest) -> Iterator[DataTable]:
    """The tables about finished games, without repetitions."""
    if not playtest.finished:
        return
    if playtest.is_cooperative or playtest.is_only_scored:
        yield _measures(playtest)
        return
    seats = playtest.players > 1 or len(playtest.agents) == 1
    one_seat_each = not playtest.rotated and len(playtest.agents) == playtest.players
    if len(playtest.agents) > 1 and not one_seat_each:
        yield _performances("agent", playtest.agents, playtest)
    if playtest.has_teams and (playtest.fairness is not None or one_seat_each):
        yield _performances("side", playtest.rivals, playtest)
    elif seats:
        yield _performances("seat", playtest.seats, playtest)
    yield _measures(playtest)


def _performances(title: str, rows: Sequence[Performance], playtest: Playtest) -> DataTable:
    """The results by agent or by seat, without empty columns."""
    ties = any(row.ties for row in rows)
    losses = len(playtest.sides) > 2
    scores = any(row.score.min or row.score.max for row in rows)
    columns = [title, "games", "win rate"]
    columns += ["shared"] * ties + ["not last"] * losses + ["score"] * scores
    lines = []
    for row in rows:
        name = playtest.side_of(row) if title == "side" else _name(row, playtest)
        cells = [name, f"{row.games:,}", percent(row.win_rate, row.win_interval)]
        cells += [f"{row.ties:,}"] * ties
        cells += [percent(row.non_loss_rate, row.non_loss_interval)] * losses
        cells += [mean(row.score)] * scores
        lines.append(tuple(cells))
    return DataTable(tuple(columns), tuple(lines))


def _name(row: Performance, playtest: Playtest) -> str:
    """The text of a seat or an agent in its column."""
    agent = stacked(row.agent or "")
    if row.seat is None:
        return agent
    return f"{row.seat} {agent}" if len(playtest.agents) > 1 and agent else str(row.seat)


def _measures(playtest: Playtest) -> DataTable:
    """The table of measures; where nobody competes it begins with the score."""
    rows = []
    measures = lines(playtest.values())
    if playtest.is_cooperative or playtest.is_only_scored:
        measures.insert(0, Line("score", playtest.seats[0].score))
    for line in measures:
        if line.summary is None:
            rows.append((line.title, percent(line.share, line.interval), "", "", ""))
        else:
            summary = line.summary
            rows.append(
                (
                    line.title,
                    mean(summary),
                    number(summary.sd),
                    number(summary.min),
                    number(summary.max),
                )
            )
    return DataTable(("measure", "mean", "spread", "least", "most"), tuple(rows))


def _options_at(playtest: Playtest) -> DataTable:
    """The mean number of options at the first action of a game, the second, and so on.

    A line has as many actions as there are players, or a multiple: where everybody acts in turn,
    a column belongs to one place in the turn.
    """
    across = playtest.players * max(1, 6 // playtest.players)
    shown = playtest.options_at[: across * MOST_LINES]
    rows = []
    for start in range(0, len(shown), across):
        line = shown[start : start + across]
        cells = [str(line[0].action), *(number(options.mean) for options in line)]
        rows.append((*cells, *[""] * (across + 1 - len(cells))))
    if len(playtest.options_at) > len(shown):
        rows.append(("...", *[""] * across))
    return DataTable(("options at action", *(f"+{i}" for i in range(across))), tuple(rows))


def _unfinished(playtest: Playtest) -> DataTable:
    """The games that were broken off, by cause."""
    rows = [
        (
            CAUSE_WORDS[row.cause],
            f"{row.games:,}",
            percent(row.games / playtest.games),
            str(row.seed),
            counted(row.ticks, "action"),
        )
        for row in playtest.unfinished
    ]
    return DataTable(("unfinished", "games", "share", "seed of the first", "after"), tuple(rows))


def _notes(playtest: Playtest) -> Iterator[Paragraph | Command]:
    """Notes on the first game of each cause, with the command that shows it."""
    for row in playtest.unfinished:
        name = row.cause.replace("_", " ")
        faults = [fault for fault in playtest.faults if fault.cause == row.cause]
        for fault in faults[:MOST_FAULTS]:
            share = f" in {counted(fault.games, 'game')}" if len(faults) > 1 else ""
            yield Paragraph(f"{name}{share}: {fault.explanation}", urgent=True)
            yield Command(record_command(playtest, fault), urgent=True)
        if len(faults) > MOST_FAULTS:
            more = f"and {len(faults) - MOST_FAULTS} more; --json FILE lists them all"
            yield Paragraph(f"{name}: {more}", urgent=True)
        if not faults:
            details = []
            if row.seat is not None:
                details.append(f"by {row.agents[row.seat - 1]} in seat {row.seat}")
            if row.error:
                details.append(row.error.partition("\n")[0])
            yield Paragraph(f"{name}{': ' if details else ''}{'; '.join(details)}", urgent=True)
            yield Command(record_command(playtest, row), urgent=True)
        if row.cause == "suspected_loop":
            visits = f"The same state came {playtest.loops} times. To play on: --loops 0"
            yield Paragraph(f"  {visits}", urgent=True)


def footer(playtest: Playtest) -> Iterator[str]:
    """The notes on how to read it, and the time it took."""
    if playtest.finished:
        yield (
            "In brackets and after ±: where the true value lies, with 95 % confidence. "
            "Spread: standard deviation."
        )
    if any(seat.ties for seat in playtest.seats):
        yield "Win rates count a first place shared by k sides as 1/k."
    speed = float(f"{playtest.games_per_second:.2g}")
    yield (
        f"{counted(playtest.games, 'game')} in {duration(playtest.seconds)}: "
        f"about {number(speed)} a second."
    )
    for agent in playtest.agents:
        if agent.seconds_per_decision is not None:
            yield f"{agent.agent} thinks {duration(agent.seconds_per_decision)} for a decision."
