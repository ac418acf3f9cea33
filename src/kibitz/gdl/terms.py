"""Ground terms as numbers for the prover, whose rows are tuples of these numbers."""

from __future__ import annotations

from kibitz.core.errors import GameDefinitionError
from kibitz.gdl.rules import Compound, Term, kif

MOST_TERMS = 1 << 19
"""The most terms of a game, whose counters and lists can grow with every step."""
MOST_NESTED = 256
"""The largest depth of a term; a deeper one is taken to grow without end."""
MOST_SYMBOLS = 5_000
"""The most names in a term, which can double in size with every step if it repeats itself."""

_CURE = "constants, such as numbers with a relation for what follows each, help"

Row = tuple[int, ...]
"""The arguments of a sentence or the values of variables, as numbers of terms."""


class Terms:
    """Ground terms, numbered in the order in which they were added.

    Attributes:
        parts: for each compound the numbers of its function and its arguments; an empty row for
            each constant.
    """

    def __init__(self) -> None:
        self.parts: list[Row] = []
        self._terms: list[Term] = []
        self._depths: list[int] = []
        self._symbols: list[int] = []
        self._numbers: dict[str | Row, int] = {}
        self._words: dict[int, str] = {}

    def number(self, term: Term) -> int:
        """The number of a ground term."""
        match term:
            case str():
                known = self._numbers.get(term)
                return self._add(term, (), term) if known is None else known
            case Compound():
                numbers = [self.number(argument) for argument in term.arguments]
                return self.compound((self.number(term.name), *numbers))
        raise AssertionError(f"{term} is not ground")

    def compound(self, row: Row) -> int:
        """The number of a compound, given the numbers of its function and arguments."""
        number = self._numbers.get(row)
        if number is None:
            name = self._terms[row[0]]
            assert isinstance(name, str)
            term = Compound(name, tuple(self._terms[argument] for argument in row[1:]))
            number = self._add(row, row, term)
        return number

    def _add(self, key: str | Row, row: Row, term: Term) -> int:
        if len(self.parts) >= MOST_TERMS:
            raise GameDefinitionError(
                f"more than {MOST_TERMS:,} terms have turned up; facts and moves with fewer"
                " arguments help."
            )
        depth = 1 + max((self._depths[argument] for argument in row[1:]), default=0)
        if depth > MOST_NESTED:
            raise GameDefinitionError(
                f"a term has functions nested more than {MOST_NESTED} deep; {_CURE}."
            )
        symbols = 1 + sum(self._symbols[argument] for argument in row[1:])
        if symbols > MOST_SYMBOLS:
            raise GameDefinitionError(
                f"a term has more than {MOST_SYMBOLS:,} names in it; {_CURE}."
            )
        number = self._numbers[key] = len(self.parts)
        self._depths.append(depth)
        self._symbols.append(symbols)
        self.parts.append(row)
        self._terms.append(term)
        return number

    def term(self, number: int) -> Term:
        """The term with a number."""
        return self._terms[number]

    def words(self, number: int) -> str:
        """The term with a number in KIF, in lower case; terms are sorted by this text."""
        text = self._words.get(number)
        if text is None:
            text = self._words[number] = kif(self._terms[number])
        return text
