"""The report of a study: a heading for each question, its verdicts, a game to look at."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.text import Text

from kibitz.core.wording import counted, listed
from kibitz.playtest.ladder_report import grid as ladder_grid
from kibitz.playtest.questions import answers
from kibitz.playtest.report import DASH, Grid, duration, game_name, number, percent, verdict_list
from kibitz.playtest.study import Study

MOST_CHOICES = 10
"""So many options are shown."""


def render_study(study: Study) -> RenderableType:
    """The whole report, to be printed by a rich console."""
    parts: list[RenderableType] = [Text(headline(study), style="bold")]
    parts += [Text(line, style="dim") for line in about(study)]
    for answer in answers(study):
        parts += ["", Text(answer.question, style="bold"), verdict_list(answer.said)]
        if answer.game is not None:
            title, command = answer.game
            shown = f"  {title}: {command}"
            parts.append(Text(shown, style="dim", no_wrap=True, overflow="ignore"))
    for grid in grids(study):
        parts += ["", grid]
    parts += ["", *(Text(line, style="dim") for line in footer(study))]
    again = Text(f"  {study_command(study)}", style="dim", no_wrap=True, overflow="ignore")
    return Group(*parts, again)


def headline(study: Study) -> str:
    """The headline."""
    return f"{study.title}: a study with {counted(study.players, 'player')}, seed {study.seed}"


def about(study: Study) -> Iterator[str]:
    """The games that were played."""
    played = [f"{counted(study.random.games, 'game')} of random play"]
    if study.skilled is not None:
        judged = study.skilled["judged_games"]
        played.append(f"{study.skilled.games:,} of skilled play ({judged:,} of them judged)")
    if study.contest is not None:
        played.append(f"{study.contest.games:,} of one skilled player among random ones")
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


def grids(study: Study) -> Iterator[Grid]:
    """The tables: who wins by seat, at which skill; and the ladder."""
    found = [("random", study.random), ("skilled", study.skilled)]
    parts = [(name, part) for name, part in found if part is not None and part.finished]
    if parts and study.players > 1 and not parts[0][1].is_cooperative:
        rows = tuple(
            (
                str(seat + 1),
                *(percent(p.seats[seat].win_rate, p.seats[seat].win_interval) for _, p in parts),
            )
            for seat in range(study.players)
        )
        yield Grid(("seat wins", *(f"{name} play" for name, _ in parts)), rows)
    if study.ledger:
        yield Grid(
            ("who wins comes from", "share"),
            tuple(
                (source.name, percent(source.share, source.interval)) for source in study.ledger
            ),
        )
    if study.telling_choices:
        yield choice_grid(study)
    if study.ladder is not None and study.ladder.rungs:
        yield ladder_grid(study.ladder)


def choice_grid(study: Study) -> Grid:
    """The gains of outstanding options in random play, and how often the skilled choose them."""
    skilled = {one.pattern: one for one in study.skilled["choices"]} if study.skilled else {}
    rows = []
    for choice in study.telling_choices[:MOST_CHOICES]:
        other = skilled.get(choice.pattern)
        often = percent(other.rate, other.rate_interval) if other is not None else DASH
        low, high = choice.gain_interval or (0.0, 0.0)
        gain = f"{100 * (choice.gain or 0):+.1f} ({100 * low:+.1f} to {100 * high:+.1f})"
        rows.append((choice.pattern, f"{choice.offered:,}", gain, often))
    return Grid(("option", "offered", "points gained", "skilled choose it"), tuple(rows))


def footer(study: Study) -> Iterator[str]:
    """The notes on how to read it."""
    yield (
        "In brackets and after ±: where the true value lies, with 95 % confidence. A point is one "
        "game won in a hundred."
    )
    speed = study.speed
    if speed is not None:
        rates = (("set-ups", speed.setup), ("actions", speed.apply), ("copies", speed.copy))
        told = listed([f"{number(float(f'{rate:.2g}'))} {name}" for name, rate in rates])
        yield f"A second of one core is enough for {told}, on this machine."
    once = f", and {duration(study.compiling)} to compile, once" if study.compiling > 1 else ""
    yield f"It took {duration(study.seconds)}{once}. The same study again:"


def study_command(study: Study) -> str:
    """The command that repeats the study exactly."""
    words = ["kibitz", "playtest", game_name(study.random), "--players", str(study.players)]
    words += ["--seed", str(study.seed), "--budget", str(study.budget)]
    for name, value in study.random.changed.items():
        words += ["--set", f"{name}={value}"]
    return shlex.join(words)
