"""From rules with variables to rules without: grounding with clingo.

The rules become a logic program in which the state and the moves are left open: what may be
true and what may be done are choices, so that clingo keeps every rule that could ever matter
and simplifies what is always so. clingo runs in a process of its own, within limits of time and
memory, and what it writes (the *aspif* format) is read back as arrays.

M. Gebser et al., "Multi-shot ASP solving with clingo", TPLP 2019, appendix (aspif);
S. Schiffel, "Grounding GDL game descriptions", GIGA 2016 (relaxed reachability).
"""

from __future__ import annotations

import itertools
import math
import os
import resource
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from kibitz.core.errors import GameDefinitionError
from kibitz.gdl.rules import (
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
    literals,
    variables,
)

MOST_ALTERNATIVES = 512
"""Rules that the ``or`` of one rule may be written out to."""

MOST_OUTPUT = 256 << 20
"""Bytes that clingo may write: some twenty times what the largest games of the field need."""

SHOWN = {"true": 1, "init": 1, "does": 2, "legal": 2, "next": 1, "goal": 2, "terminal": 0} | {
    "sees": 2,
}


class GroundingError(GameDefinitionError):
    """The rules have too many instances, or clingo found fault with them."""


@dataclass(frozen=True)
class Ground:
    """A program without variables, over atoms numbered from 1.

    Attributes:
        heads: the head of each rule; 0 where there is none.
        starts: where the body of each rule begins in `body`, and, last, where all ends.
        body: literals: an atom, or minus an atom that must not hold.
        choices: atoms that are left open.
        facts: atoms that always hold.
        names: the atoms that mean something to the game, by relation and ground arguments.
    """

    heads: np.ndarray
    starts: np.ndarray
    body: np.ndarray
    choices: np.ndarray
    names: dict[Sentence, int]
    always: frozenset[Sentence]
    """Sentences that hold whatever happens."""


# --- as a logic program ---------------------------------------------------------------------


class _Program:
    """The text of the logic program for a description."""

    def __init__(self, description: Description) -> None:
        self.description = description
        self.symbols: dict[str, str] = {}
        self.words: list[str] = []

    def symbol(self, name: str) -> str:
        """A name that clingo takes, for any name."""
        if name not in self.symbols:
            self.symbols[name] = f"c{len(self.symbols)}"
            self.words.append(name)
        return self.symbols[name]

    def relation(self, sentence: Sentence) -> str:
        if SHOWN.get(sentence.name, -1) == len(sentence.arguments) or sentence.name in (
            "role",
            "base",
            "input",
        ):
            return sentence.name
        return f"p{self.symbol(sentence.name)[1:]}"

    def term(self, term: Term, names: dict[Variable, str]) -> str:
        match term:
            case str():
                return self.symbol(term)
            case Variable():
                return names.setdefault(term, f"V{len(names)}")
        arguments = ",".join(self.term(a, names) for a in term.arguments)
        return f"{self.symbol(term.name)}({arguments})"

    def sentence(self, sentence: Sentence, names: dict[Variable, str]) -> str:
        if not sentence.arguments:
            return self.relation(sentence)
        arguments = ",".join(self.term(a, names) for a in sentence.arguments)
        return f"{self.relation(sentence)}({arguments})"

    def condition(self, condition: Condition, names: dict[Variable, str]) -> str:
        match condition:
            case Literal():
                sign = "not " if condition.negated else ""
                return sign + self.sentence(condition.sentence, names)
            case Distinct():
                sign = "=" if condition.negated else "!="
                return (
                    f"{self.term(condition.left, names)}{sign}{self.term(condition.right, names)}"
                )
        raise AssertionError(condition)

    def rule(self, rule: Rule) -> str:
        names: dict[Variable, str] = {}
        head = self.sentence(rule.head, names)
        body = ", ".join(self.condition(c, names) for c in rule.body)
        return f"{head} :- {body}." if body else f"{head}."

    def text(self, rules: Sequence[Rule], declared: bool) -> str:
        """All of it. `declared`: what may be true is limited to ``base`` and ``input``."""
        lines = [self.rule(rule) for rule in rules]
        has_base = declared and self.description.defines("base")
        has_input = declared and self.description.defines("input")
        limit = ", base(F)" if has_base else ""
        lines += [f"{{true(F)}} :- init(F){limit}.", f"{{true(F)}} :- next(F){limit}."]
        limit = ", input(R,M)" if has_input else ""
        lines.append(f"{{does(R,M)}} :- legal(R,M), role(R){limit}.")
        lines += [f"#show {name}/{arity}." for name, arity in SHOWN.items()]
        defined = [f"{name}/{arity}" for name, arity in SHOWN.items()]
        lines += [f"#defined {signature}." for signature in [*defined, *self._undefined()]]
        return "\n".join(lines)

    def _undefined(self) -> Iterator[str]:
        """Relations that are read: those without a rule are false, not an oversight."""
        found: dict[str, None] = {}
        for rule in self.description.rules:
            for literal in literals(rule.body):
                found[f"{self.relation(literal.sentence)}/{len(literal.sentence.arguments)}"] = (
                    None
                )
        yield from found


def written_out(rule: Rule) -> list[Rule]:
    """The rules that one with ``or`` stands for.

    Raises:
        GroundingError: they are too many.
    """
    bodies: list[tuple[Condition, ...]] = [()]
    for condition in rule.body:
        alternatives: list[tuple[Condition, ...]] = [(condition,)]
        if isinstance(condition, Or):
            alternatives = [
                part.body
                for conditions in condition.parts
                for part in written_out(Rule(rule.head, conditions, rule.span))
            ]
        if len(bodies) * len(alternatives) > MOST_ALTERNATIVES:
            raise GroundingError("A rule has too many alternatives in its `or`.")
        bodies = [b + a for b, a in itertools.product(bodies, alternatives)]
    return [Rule(rule.head, body, rule.span) for body in bodies]


# --- splitting wide rules -------------------------------------------------------------------


def split(rule: Rule, fresh: Iterator[int]) -> list[Rule]:
    """An equivalent set of rules with fewer variables each.

    A variable that the head does not need is done with in a rule of its own, over the
    conditions that mention it; the one whose rule is the narrowest goes first (bucket
    elimination, R. Dechter 1999).
    """
    in_head = set(variables(rule.head))
    body = list(rule.body)
    made: list[Rule] = []
    while True:
        everywhere = {v for c in body for v in variables(c)}
        best: tuple[int, list[Condition], list[Condition], list[Variable]] | None = None
        for variable in sorted(everywhere - in_head, key=_name):
            bucket = [c for c in body if variable in set(variables(c))]
            rest = [c for c in body if c not in bucket]
            inside = {v for c in bucket for v in variables(c)}
            kept = inside & (in_head | {v for c in rest for v in variables(c)})
            binders = _binders(bucket, rest, inside)
            if not rest or binders is None:
                continue
            inside |= {v for c in binders for v in variables(c)}
            if inside < everywhere and (best is None or len(inside) < best[0]):
                best = (len(inside), bucket, binders, sorted(kept, key=_name))
        if best is None:
            return [*made, Rule(rule.head, tuple(body), rule.span)]
        _, bucket, binders, kept_variables = best
        part = Sentence(f"part {next(fresh)}", tuple(kept_variables))
        made.append(Rule(part, (*bucket, *binders), rule.span))
        body = [Literal(part, False, rule.span), *(c for c in body if c not in bucket)]


def _name(variable: Variable) -> str:
    return variable.name


def _binders(
    bucket: Sequence[Condition], rest: Sequence[Condition], inside: set[Variable]
) -> list[Condition] | None:
    """Conditions from the rest that bind what a bucket mentions without binding it.

    They may hold twice over: the rest keeps them. ``None``: there are none.
    """
    open_ = inside - _bound(bucket)
    binders: list[Condition] = []
    while open_:
        helpful = [c for c in rest if open_ & _bound([c])]
        if not helpful:
            return None
        chosen = min(helpful, key=lambda c: len(_bound([c]) - inside) - len(open_ & _bound([c])))
        binders.append(chosen)
        open_ -= _bound([chosen])
    return binders


def _bound(conditions: Sequence[Condition]) -> set[Variable]:
    """The variables that conditions give values to."""
    return {
        v for c in conditions if isinstance(c, Literal) and not c.negated for v in variables(c)
    }


# --- running clingo -------------------------------------------------------------------------


def run_clingo(text: str, seconds: float, megabytes: int) -> bytes:
    """What clingo writes in the aspif format.

    Raises:
        GroundingError: it takes too long or too much memory, or the program is unsafe.
    """
    command = [sys.executable, "-m", "clingo", "--mode=gringo", "--output=intermediate", "-Wnone"]

    def limit() -> None:
        size = megabytes << 20
        resource.setrlimit(resource.RLIMIT_AS, (size, size))
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(seconds), math.ceil(seconds) + 1))
        resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_OUTPUT, MOST_OUTPUT))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    slow = GroundingError(
        f"The rules have too many instances: grounding took more than {seconds:.0f} s."
    )
    with tempfile.TemporaryFile() as output:
        try:
            done = subprocess.run(
                [*command, "-"],
                input=text.encode(),
                stdout=output,
                stderr=subprocess.PIPE,
                timeout=4 * seconds,
                preexec_fn=limit,
                env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
            )
        except subprocess.TimeoutExpired:
            raise slow from None
        said = done.stderr.decode(errors="replace").strip()
        if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL) or "INTERRUPTED" in said:
            raise slow
        large = output.tell() >= MOST_OUTPUT or done.returncode == -signal.SIGXFSZ
        if large or (done.returncode not in (0, 10, 20, 30) and "File too large" in said):
            raise GroundingError(
                f"The rules have too many instances: they fill more than {MOST_OUTPUT >> 20} MB."
            )
        if done.returncode not in (0, 10, 20, 30):
            if "bad_alloc" in said or "Memory" in said or done.returncode < 0:
                raise GroundingError(
                    f"The rules have too many instances: grounding needs more than {megabytes} MB."
                )
            raise GroundingError(f"The rules cannot be grounded: {said[:500]}")
        output.seek(0)
        return output.read()


def read_aspif(output: bytes, words: Sequence[str]) -> Ground:
    """The program in clingo's output."""
    heads: list[int] = []
    starts: list[int] = [0]
    body: list[int] = []
    choices: list[int] = []
    names: dict[Sentence, int] = {}
    always: set[Sentence] = set()
    for line in output.splitlines():
        if line.startswith(b"1 0 "):
            # 1 0 HEADS head* 0 LITERALS literal*
            numbers = line.split()
            count = int(numbers[2])
            heads.append(int(numbers[3]) if count else 0)
            body.extend(map(int, numbers[5 + count :]))
            starts.append(len(body))
        elif line.startswith(b"1 1 "):
            numbers = line.split()
            count = int(numbers[2])
            choices.extend(map(int, numbers[3 : 3 + count]))
        elif line.startswith(b"4 "):
            _, length, rest = line.split(b" ", 2)
            name = rest[: int(length)].decode()
            condition = rest[int(length) + 1 :].split()
            sentence = _read_name(name, words)
            if condition[0] == b"0":
                always.add(sentence)
            else:
                names[sentence] = int(condition[1])
    return Ground(
        np.array(heads, np.int64),
        np.array(starts, np.int64),
        np.array(body, np.int64),
        np.array(choices, np.int64),
        names,
        frozenset(always),
    )


def _read_name(text: str, words: Sequence[str]) -> Sentence:
    """The sentence that an atom of the logic program stands for."""
    at = 0

    def term() -> Term:
        nonlocal at
        start = at
        while at < len(text) and text[at] not in "(),":
            at += 1
        word = text[start:at]
        name = words[int(word[1:])] if word[0] == "c" else word
        if at < len(text) and text[at] == "(":
            return Compound(name, tuple(arguments()))
        return name

    def arguments() -> Iterator[Term]:
        nonlocal at
        while text[at] != ")":
            at += 1
            yield term()
        at += 1

    start = text.find("(")
    if start < 0:
        return Sentence(text)
    at = start
    return Sentence(text[:start], tuple(arguments()))


def ground(description: Description, seconds: float = 30.0, megabytes: int = 3000) -> Ground:
    """All instances of the rules that can matter.

    Raises:
        GroundingError: there are too many.
    """
    program, fresh = _Program(description), itertools.count()
    rules = [
        part
        for rule in description.rules
        for one in written_out(rule)
        for part in split(one, fresh)
    ]
    output = run_clingo(program.text(rules, declared=True), seconds, megabytes)
    return read_aspif(output, program.words)
