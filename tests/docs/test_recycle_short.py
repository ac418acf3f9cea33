"""The tutorial, the card and the compact reference of RECYCLE are short, and have all forms."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest
from tests.docs.page import CARD, COMPACT, PAGE, TUTORIAL

from kibitz.recycle.reading.dialect_b import ACTIONS, DialectB
from kibitz.recycle.reading.expressions_b import EXPRESSIONS
from kibitz.recycle.words import KINDS, STORES

WORDS = {*DialectB.words, *KINDS, *STORES, "simultaneous", "using", "repeat", "faro"}
SHAPES = [
    shape.text
    for shapes in itertools.chain(EXPRESSIONS.values(), ACTIONS.values())
    for shape in shapes
]


def in_code(page: Path) -> str:
    """The code on a page: in fences and between backticks."""
    return "\n".join(
        fenced or inline
        for fenced, inline in re.findall(
            r"^```.*\n((?s:.*?))^```$|`([^`\n]+)`", page.read_text("utf-8"), re.M
        )
    )


@pytest.mark.parametrize("page", [CARD, COMPACT], ids=lambda page: page.stem)
def test_each_word_of_the_language_is_there(page: Path) -> None:
    code = re.split(r"[\s()]+", in_code(page))
    assert sorted(WORDS - {*code}) == []


def test_the_compact_reference_has_the_shape_of_each_form() -> None:
    code = in_code(COMPACT)
    assert [shape for shape in SHAPES if shape not in code] == []


def test_they_are_short() -> None:
    def lines(page: Path) -> int:
        return page.read_text("utf-8").count("\n")

    assert lines(TUTORIAL) <= 200
    assert lines(CARD) <= 60  # a printed page
    assert len(COMPACT.read_text("utf-8")) <= 4 * 6_000  # of a token's letters


def test_the_page_and_the_readme_link_to_them() -> None:
    for page in (PAGE, PAGE.parents[1] / "README.md"):
        for linked in (TUTORIAL, CARD, COMPACT):
            assert f"{linked.name})" in page.read_text("utf-8"), (page.name, linked.name)
