"""What is too large to be compiled is told once, where it becomes too large."""

from __future__ import annotations

import pytest
from tests.recycle.programs import choice, game

from kibitz.core.actions import MAX_KINDS
from kibitz.loading import language_of
from kibitz.recycle.game import game_class
from kibitz.syntax.source import Source, SourceError


@pytest.mark.parametrize(
    "rules",
    [choice(*["(turn pass)"] * (MAX_KINDS + 5)), choice("(turn pass)") * (MAX_KINDS + 5)],
    ids=["clauses", "choices"],
)
def test_too_many_clauses(rules: str) -> None:
    source = Source("many.rcy", game(rules))
    with pytest.raises(SourceError) as caught:
        game_class(source)().table()
    (told,) = caught.value.diagnostics
    assert told.code == "too-many-clauses"
    before = source.text[: told.span.start]
    assert source.piece(told.span) == "(turn pass)"
    assert before.count("(turn pass)") == MAX_KINDS - 1


def test_the_language_of_a_large_text_is_known_by_its_beginning() -> None:
    assert language_of(Source("large", game(choice("(turn pass)") * 20_000))) == "recycle"
