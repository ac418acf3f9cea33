"""The report of a study: five verdicts and what needs attention, then the details."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from kibitz.core.game import Table
from kibitz.core.wording import counted, listed
from kibitz.reports.charts import Plot
from kibitz.reports.document import (
    Command,
    DataTable,
    Document,
    Section,
    Sentences,
    Verdicts,
    document_of,
)
from kibitz.reports.numbers import duration, number, percent
from kibitz.studies import ladder_report
from kibitz.studies.commands import game_name
from kibitz.studies.examples import examples
from kibitz.studies.flaws import FlawKind
from kibitz.studies.questions import PART_WORDS, Answer, answers
from kibitz.studies.study import Study
from kibitz.studies.study_plots import choice_table, study_plots
from kibitz.studies.verdicts import verdicts


@document_of.register
def document(study: Study, table: Table | None = None) -> Document:
    """The report of a study: verdicts, then a section of details for each question.

    Args:
        table: where the games were played; with it, pages show some games move by move.
    """
    plots = study_plots(study)
    attention, *details = answers(study)
    return Document(
        title=study.title,
        kind="study",
        headline=headline(study),
        about=(),
        sections=(
            Section((Verdicts(verdicts(study)),)),
            Section(
                (Sentences(attention.sentences), *cures(study, table)),
                attention.question,
                attention.name,
            ),
            *(
                _section(answer, [p for name, p in plots if name == answer.name])
                for answer in details
            ),
            Section(examples(study.best, table), "Games to look at", "games", is_detail=True),
            Section(tuple(tables(study)), "The main numbers", "numbers", is_detail=True),
        ),
        footer=(*about(study), *footer(study), Command(study_command(study))),
        version=study.version,
    )


def _section(answer: Answer, plots: list[Plot]) -> Section:
    """The answer to a question: its sentences, its plots, and a game to look at."""
    game = () if answer.game is None else (Command(answer.game[1], answer.game[0]),)
    blocks = (Sentences(answer.sentences), *plots, *game)
    return Section(blocks, answer.question, answer.name, is_detail=True)


def cures(study: Study, table: Table | None) -> Iterator[Command]:
    """Commands worth trying against what needs attention."""
    kinds = {flaw.kind for flaw in study.flaws}
    if not kinds:
        return
    game = shlex.quote(game_name(study.random))
    if FlawKind.SEAT in kinds and table is not None and table.game.Parameters.tunables:
        tuning = f'kibitz tune game {game} --players {study.players} --goal "fairness<=2"'
        yield Command(tuning, "Look for fairer parameters")
    yield Command(f"kibitz compare {game} CHANGED_GAME", "See what a change of the rules does")


def headline(study: Study) -> str:
    """The headline: the game, the number of players and the seed."""
    return f"{study.title}: a study with {counted(study.players, 'player')}, seed {study.seed}"


def about(study: Study) -> Iterator[str]:
    """The games that were played."""
    played = [f"{counted(study.random.games, 'game')} of random play"]
    if study.skilled is not None:
        judged = study.skilled["judged_games"]
        played.append(f"{study.skilled.games:,} of skilled play ({judged:,} of them judged)")
    if study.contest is not None:
        played.append(f"{study.contest.games:,} of one skilled player among random ones")
    if study.origins is not None:
        played.append(f"{counted(study.origins.deals, 'deal')} four times each")
    if study.flaws or study.unconfirmed:
        played.append("other games to confirm what they showed")
    if study.ladder is not None:
        played.append(
            f"{study.budget.ladder:,} for each of {counted(len(study.ladder.rungs), 'rung')}"
        )
    yield f"Played: {listed(played)}."
    if study.skilled is not None or study.contest is not None:
        yield f"Skilled: {study.agent}."
    if study.random.changed:
        values = ", ".join(f"{name}={value}" for name, value in study.random.changed.items())
        yield f"Changed parameters: {values}."


def tables(study: Study) -> Iterator[DataTable]:
    """The tables of the main numbers: wins by seat, sources of wins, options and ladder."""
    played = [("random", study.random), ("skilled", study.skilled)]
    playtests = [
        (name, playtest) for name, playtest in played if playtest is not None and playtest.finished
    ]
    if playtests and playtests[0][1].has_rivals:
        rows = tuple(
            (
                playtests[0][1].side_of(sides[0]).partition(" ")[2],
                *(percent(side.win_rate, side.win_interval) for side in sides),
            )
            for sides in zip(*(playtest.rivals for _, playtest in playtests), strict=True)
        )
        wins = "seats win" if playtests[0][1].has_teams else "seat wins"
        yield DataTable((wins, *(f"{name} play" for name, _ in playtests)), rows)
    if study.origins is not None and study.origins.parts:
        yield DataTable(
            ("who wins comes from", "share"),
            tuple(
                (words, percent(study.origins[name].share, study.origins[name].interval))
                for name, words in PART_WORDS.items()
            ),
        )
    if study.ledger:
        yield DataTable(
            ("gained by, as the judge estimates", "share"),
            tuple(
                (source.name, percent(source.share, source.interval)) for source in study.ledger
            ),
        )
    if study.telling_choices:
        yield choice_table(study)
    if study.ladder is not None and study.ladder.rungs:
        yield ladder_report.table(study.ladder)


def footer(study: Study) -> Iterator[str]:
    """The notes on how to read it."""
    yield (
        "In brackets and after ±: where the true value lies, with 95 % confidence. A point is one "
        "game won in a hundred."
    )
    speed = study.speed
    if speed is not None:
        rates = (("set-ups", speed.setup), ("actions", speed.apply), ("copies", speed.copy))
        speeds = listed([f"{number(float(f'{rate:.2g}'))} {name}" for name, rate in rates])
        yield f"A second of one core is enough for {speeds}, on this machine."
    once = f", and {duration(study.compiling)} to compile, once" if study.compiling > 1 else ""
    yield f"It took {duration(study.seconds)}{once}. The same study again, with --full in detail:"


def study_command(study: Study) -> str:
    """The command that repeats the study exactly."""
    words = ["kibitz", "playtest", game_name(study.random), "--players", str(study.players)]
    words += ["--seed", str(study.seed), "--budget", str(study.budget)]
    for name, value in study.random.changed.items():
        words += ["--set", f"{name}={value}"]
    return shlex.join(words)
