"""The rulebook of a game in GDL: its relations as English sentences.

What a relation is about, only its name says; so facts and moves keep their words, in quotes, and
each rule becomes a sentence of the form "... if ...". Capital letters stand for any value.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kibitz.core.wording import capitalized, counted, listed
from kibitz.gdl.rules import (
    KEYWORDS,
    RANDOM,
    Compound,
    Condition,
    Description,
    Distinct,
    Literal,
    Or,
    Rule,
    Sentence,
    Term,
    Variable,
)
from kibitz.syntax.rulebook import Chapter, Line, Rulebook


def rulebook(description: Description, title: str, about: str, source: str) -> Rulebook:
    """The rules of a description in words."""
    writer = _Writer(description)
    chapters = (
        Chapter("Players", tuple(writer.players())),
        Chapter("Start", tuple(writer.start())),
        Chapter("What a player may do", tuple(writer.rules("legal"))),
        Chapter("What then holds", tuple(writer.rules("next"))),
        Chapter("What a player sees", tuple(writer.rules("sees"))),
        Chapter("End", tuple(writer.rules("terminal"))),
        Chapter("Results", tuple(writer.rules("goal"))),
        Chapter("What the words mean", tuple(writer.definitions())),
    )
    filled = tuple(chapter for chapter in chapters if chapter.lines)
    return Rulebook(title, about, source, filled)


class _Writer:
    """The writer of the chapters of one description."""

    def __init__(self, description: Description) -> None:
        self.description = description

    def players(self) -> Iterator[Line]:
        """The roles, and how they move."""
        roles = [role for role in self.description.roles if role != RANDOM]
        names = listed([self.term(role) for role in roles])
        yield Line(0, f"The game is for {counted(len(roles), 'player')}: {names}.")
        if RANDOM in self.description.roles:
            yield Line(0, "Chance plays, too: each of its possible moves is equally probable.")
        if len(roles) > 1:
            yield Line(
                0,
                "All choose a move in each step, at the same time; whose turn it is not can often"
                " only wait.",
            )
        yield Line(0, "Words in quotes are facts and moves; capital letters stand for any value.")

    def start(self) -> Iterator[Line]:
        """What holds when the game begins."""
        facts = [r for r in self._of("init") if not r.body]
        if facts:
            shown = listed([self.quoted(rule.head.arguments[0]) for rule in facts])
            yield Line(0, f"At the start these facts hold: {shown}.")
        for rule in self._of("init"):
            if rule.body:
                yield from self._rule(rule)

    def rules(self, name: str) -> Iterator[Line]:
        """The rules for a keyword."""
        if name == "next" and self._of(name):
            note = "their conditions are about the step before"
            yield Line(0, f"After each step exactly these facts hold; {note}:")
        for rule in self._of(name):
            depth = int(name == "next")
            yield from (Line(line.depth + depth, line.text) for line in self._rule(rule))

    def definitions(self) -> Iterator[Line]:
        """All other relations: facts in one sentence, rules in one each."""
        names = dict.fromkeys(
            rule.head.name for rule in self.description.rules if rule.head.name not in KEYWORDS
        )
        for name in names:
            facts = [rule for rule in self._of(name) if not rule.body]
            if facts:
                shown = listed([self._sentence(rule.head) for rule in facts])
                yield Line(0, f"Always so: {shown}.")
            for rule in self._of(name):
                if rule.body:
                    yield from self._rule(rule)

    def _of(self, name: str) -> list[Rule]:
        return [rule for rule in self.description.rules if rule.head.name == name]

    def _rule(self, rule: Rule) -> Iterator[Line]:
        """A rule as a sentence; several conditions get lines of their own."""
        head = self._head(rule.head)
        head = capitalized(head)
        conditions = [self._condition(condition) for condition in rule.body]
        if not conditions:
            yield Line(0, f"{head}.")
        elif len(conditions) == 1:
            yield Line(0, f"{head} if {conditions[0]}.")
        else:
            yield Line(0, f"{head} if all of this is so:")
            yield from (Line(1, f"{capitalized(text)}.") for text in conditions)

    def _head(self, head: Sentence) -> str:
        match head:
            case Sentence("legal", (role, move)):
                return f"{self.term(role)} may play {self.quoted(move)}"
            case Sentence("next" | "init", (fact,)):
                return f"{self.quoted(fact)} holds"
            case Sentence("sees", (role, percept)):
                return f"{self.term(role)} sees {self.quoted(percept)}"
            case Sentence("terminal"):
                return "the game is over"
            case Sentence("goal", (role, value)):
                return f"{self.term(role)} gets {self.term(value)}"
            case Sentence("role", (role,)):
                return f"{self.term(role)} is a player"
        return f"{self._sentence(head)} is true"

    def _condition(self, condition: Condition) -> str:
        match condition:
            case Distinct(left=left, right=right, negated=negated):
                return f"{self.term(left)} is {'' if negated else 'not '}{self.term(right)}"
            case Or(parts=parts):
                return f"either {', or '.join(map(self._all, parts))}"
            case Literal(sentence=Sentence("true", (fact,)), negated=negated):
                return f"{self.quoted(fact)} {'does not hold' if negated else 'holds'}"
            case Literal(sentence=Sentence("does", (role, move)), negated=negated):
                verb = "does not play" if negated else "plays"
                return f"{self.term(role)} {verb} {self.quoted(move)}"
            case Literal(sentence=sentence, negated=negated):
                shown = self._head(sentence)
                return f"it is not so that {shown}" if negated else shown
        raise AssertionError(condition)

    def _all(self, conditions: Sequence[Condition]) -> str:
        return " and ".join(map(self._condition, conditions))

    def _sentence(self, sentence: Sentence) -> str:
        return self.quoted(
            Compound(sentence.name, sentence.arguments) if sentence.arguments else sentence.name
        )

    def quoted(self, term: Term) -> str:
        """A fact or a move in quotes; a variable in its place has no quotes."""
        return self.term(term) if isinstance(term, Variable) else f"“{self.term(term)}”"

    def term(self, term: Term) -> str:
        """A term as words: its name, then its arguments."""
        match term:
            case Variable(name=name):
                return name.lstrip("?").upper()
            case Compound(name=name, arguments=arguments):
                inner = (
                    f"({self.term(a)})" if isinstance(a, Compound) else self.term(a)
                    for a in arguments
                )
                return " ".join((self.description.spelling.get(name, name), *inner))
        return self.description.spelling.get(term, term)
