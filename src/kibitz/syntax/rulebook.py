"""The rules of a game in words, as the languages write them for people."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from kibitz.core.wording import capitalized

if TYPE_CHECKING:
    from kibitz.core.game import Table


class Line(NamedTuple):
    """A sentence of the rules, and how deep it stands within those before it."""

    depth: int
    text: str


@dataclass(frozen=True)
class Chapter:
    """A part of the rules, such as the setup."""

    title: str
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class Rulebook:
    """The rules of a game in words.

    Attributes:
        title: The title of the game.
        about: What the author says about the game.
        source: The address of the rules; may be empty.
        chapters: The rules, in the order in which a player needs them.
    """

    title: str
    about: str
    source: str
    chapters: tuple[Chapter, ...]

    interrupted = False

    def to_json(self) -> dict[str, Any]:
        """The rules as JSON types."""
        return {
            "title": self.title,
            "about": self.about,
            "source": self.source,
            "chapters": [
                {
                    "title": chapter.title,
                    "lines": [{"depth": depth, "text": text} for depth, text in chapter.lines],
                }
                for chapter in self.chapters
            ],
        }


def declared_rules(table: Table) -> Rulebook:
    """The rules of a game as its author wrote them for people, or else what it declares."""
    game = table.game
    written = tuple(_written(table)) or (
        Chapter("What a player may do", tuple(_actions(table))),
        Chapter("End and winner", tuple(_aim(table))),
    )
    chapters = (
        Chapter("Players", tuple(_players(table))),
        *written,
        *_explanations(table),
        Chapter("Variants", tuple(_parameters(table))),
    )
    return Rulebook(
        title=game.title,
        about=" ".join((inspect.getdoc(game) or game.about()).split()),
        source=game.source,
        chapters=tuple(chapter for chapter in chapters if chapter.lines),
    )


def _players(table: Table) -> Iterator[Line]:
    numbers = table.game.players
    many = (
        f"{min(numbers)} to {max(numbers)}" if min(numbers) < max(numbers) else str(min(numbers))
    )
    here = f" These are the rules for {table.players}." if min(numbers) < max(numbers) else ""
    noun = "player" if many == "1" else "players"
    together = " All players win or lose together." if table.is_cooperative else ""
    yield Line(0, f"The game is for {many} {noun}.{here}{together}")


def _written(table: Table) -> Iterator[Chapter]:
    """The chapters that the author has written."""
    values = table.parameters.as_dict()
    for title, sentences in table.game.how_to_play.items():
        yield Chapter(title, tuple(Line(0, text.format(**values)) for text in sentences))


def _explanations(table: Table) -> Iterator[Chapter]:
    """What can be looked up, such as the texts of cards."""
    for heading, entries in table.glossary().items():
        lines = (Line(0, f"{name}: {text}") for name, text in entries.items())
        yield Chapter(heading, tuple(lines))


def _actions(table: Table) -> Iterator[Line]:
    yield Line(0, "The rules decide which of these are possible in a turn:")
    for kind in table.rules.actions:
        template = kind.action.template
        yield Line(1, f"{capitalized(template)}.")


def _aim(table: Table) -> Iterator[Line]:
    from kibitz.core.native import reachable  # they need numpy, which commands for texts do not
    from kibitz.core.results import finish_by_score

    if table.is_cooperative:
        return
    if table.played_for == "score":
        yield Line(0, "Everybody plays for a good score of their own.")
    lowest = table.rules.lowest_score_wins
    rules = getattr(table.game, "apply_action", None)
    if rules is not None and not any(f is finish_by_score for f in reachable(rules)):
        yield Line(0, "The rules say who has won; no score decides.")
        return
    if (span := table.score_range) is not None:
        yield Line(0, f"Final scores are from {span[0]:g} to {span[1]:g}.")
    yield Line(0, f"The {'lowest' if lowest else 'highest'} final score is the best.")


def _parameters(table: Table) -> Iterator[Line]:
    values = table.parameters.as_dict()
    for name, tunable in table.game.Parameters.tunables.items():
        doc = f": {tunable.doc}" if tunable.doc else ""
        usual = tunable.default_for(table.players)
        here = "" if values[name] == usual else f"; here {tunable.show(values[name])}"
        yield Line(0, f"{name}{doc} (usually {tunable.show(usual)}{here}).")
