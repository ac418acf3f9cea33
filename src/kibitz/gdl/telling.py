"""Texts for people: chance's moves and, in GDL-II, the players' moves, percepts and knowledge."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kibitz.core.errors import IllegalActionError
from kibitz.core.phrase import Phrase
from kibitz.core.randomness import random_below
from kibitz.core.state import State
from kibitz.gdl.percepts import percepts_number
from kibitz.gdl.reader import read_term
from kibitz.gdl.rules import RANDOM
from kibitz.gdl.steps import Steps

NOOP = "noop"
"""The conventional move of a role that has no choice."""
SAMPLES = 50
"""The sampled histories that decide which facts a player may take for certain."""
FEWER_SAMPLES = 10
"""The sampled histories where the prover samples, which takes longer."""
MOST_TOLD = 40
"""The most steps that a text lists, which are the last ones."""


@dataclass(frozen=True)
class RoleStep:
    """A role's move and percepts in a step; ``None`` if they are unknown."""

    move: str | None
    percepts: tuple[str, ...] | None


def phrase(words: str) -> Phrase:
    """Splits a move in KIF into a phrase: ``(mark 1 2)`` is ``(mark * *)`` with 1 and 2."""
    texts: list[str] = []
    values: list[str] = []
    depth = begin = 0
    for i, letter in enumerate(words):
        if letter in " )" and depth == 1:
            if texts:
                values.append(words[begin:i])
            texts.append(words[begin:i] + letter if not texts else letter)
            begin = i + 1
        depth += (letter == "(") - (letter == ")")
    return Phrase(tuple(texts), tuple(values)) if values else Phrase((words,), ())


def history(steps: Steps, state: State) -> list[list[RoleStep]]:
    """Each role's move and percepts in the steps so far, as far as its memory has them."""
    memories = [state.view.memories[role] for role in range(steps.roles)]
    made = [steps.rules.memory.entries(memory) for memory in memories]
    rows = list(zip(*made, strict=True))
    perceived = list(_percepts_of(steps, [[move for move, _ in row] for row in rows]))
    names = steps.rules.actions.names
    joint_steps = []
    for row, texts in zip(rows, perceived, strict=True):
        joint = []
        for (move, number), percepts in zip(row, texts, strict=True):
            right = percepts is not None and _number(percepts) == number
            known = tuple(percepts) if percepts is not None and right else None
            joint.append(RoleStep(names[move] if move >= 0 else None, known))
        joint_steps.append(joint)
    return joint_steps


def remembers_rightly(steps: Steps, state: State, role: int) -> bool:
    """Whether a role's remembered percepts are those that the moves in all memories lead to."""
    return all(joint[role].percepts is not None for joint in history(steps, state))


def _number(percepts: Sequence[str]) -> int:
    terms = [read_term(percept) for percept in percepts]
    return percepts_number(term for term in terms if term is not None)


def _percepts_of(steps: Steps, rows: Sequence[Sequence[int]]) -> Iterator[list[list[str] | None]]:
    """Yields the percepts of all roles for each joint move; ``None`` from an illegal one on."""
    state = steps.initial()
    possible = True
    for moves in rows:
        perceived: list[list[str] | None] = [None] * steps.roles
        possible = possible and min(moves) >= 0
        if possible:
            try:
                percepts = steps.percepts(state, moves)
                steps.play(state, moves)
            except IllegalActionError:
                possible = False
            else:
                perceived = [*percepts]
        yield perceived


def in_words(steps: Steps, state: State, observer: int | None) -> Iterator[str]:
    """Yields the lines of a GDL-II state for `observer`.

    ``None`` sees everything, as all do with open hands.
    """
    rules = steps.rules
    facts = rules.facts
    roles = [rules.description.spelling[role] for role in rules.description.roles]
    if observer is None or state.table.parameters.hands_are_open:
        yield f"Facts: {facts.describe(state.view.facts)}"
        lines = [
            "; ".join(
                f"{role} {done.move or '?'}{_seen(done, 'sees')}"
                for role, done in zip(roles, joint, strict=True)
            )
            for joint in history(steps, state)
        ]
        yield from _numbered("What happened", lines)
        return
    yield f"You are {roles[observer]}."
    samples = _samples(steps, state, observer)
    own = [joint[observer] for joint in history(steps, samples[0])]
    lines = [f"{done.move or '?'}{_seen(done, 'you see')}" for done in own]
    yield from _numbered("What you did", lines)
    certain = " ".join(_in_all(steps, samples)) or "nothing"
    yield f"True in each of {len(samples)} games that fit: {certain}"


def certain_facts(steps: Steps, state: State, observer: int) -> list[str]:
    """The facts that are true in all states sampled from what `observer` remembers."""
    return _in_all(steps, _samples(steps, state, observer))


def _samples(steps: Steps, state: State, observer: int) -> list[State]:
    """Samples states that `observer` considers possible, always with the same seeds."""
    # A masked `state` has all that its samples depend on: the observer's memory. A random stream
    # of zeros would mark it as an observation, which cannot be determinized.
    remembered = state.clone()
    remembered.view.rng[0] = 1
    count = SAMPLES if steps.proved is None else FEWER_SAMPLES
    return [remembered.determinize(observer, seed) for seed in range(count)]


def _in_all(steps: Steps, samples: Sequence[State]) -> list[str]:
    """The facts that are true in all of these states."""
    facts = [steps.rules.facts.true(sample.view.facts) for sample in samples]
    return [fact for fact in facts[0] if all(fact in other for other in facts)]


def _seen(done: RoleStep, verb: str) -> str:
    if done.percepts is None:
        return f", {verb} ?" if done.move else ""
    return f", {verb} {' '.join(done.percepts)}" if done.percepts else ""


def _numbered(title: str, lines: Sequence[str]) -> Iterator[str]:
    if not lines:
        return
    yield f"{title}:"
    first = max(0, len(lines) - MOST_TOLD)
    if first:
        yield "  ..."
    for number, line in enumerate(lines[first:], first + 1):
        yield f"  {number}. {line}"


def new_percepts(steps: Steps, before: State, after: State, observer: int) -> str:
    """The percepts of `observer` in the step between two states, in KIF."""
    step = len(steps.rules.memory.entries(after.view.memories[0])) - 1
    moves = [after.view.memories[role].entries[step, 0] - 1 for role in range(steps.roles)]
    return " ".join(steps.percepts(before, moves)[observer])


def chance_role(steps: Steps) -> int | None:
    """The number of the role of chance; ``None`` if there is no such role."""
    roles = steps.rules.description.roles
    return roles.index(RANDOM) if RANDOM in roles else None


def drawn(steps: Steps, before: State) -> int | None:
    """The move that chance draws in the step that the next action completes.

    In such a step the rules draw once, from chance's legal moves in their order. This draws the
    same from a copy of the random stream.

    Args:
        before: the state before that action.

    Returns:
        The number of the move; ``None`` if there is no chance, or it has only one legal move.
    """
    role = chance_role(steps)
    if role is None or role == before.current_player or before.view.commitments.moves[role]:
        return None
    legal = steps.legal(before, role)
    return legal[random_below(before.clone().view.rng, len(legal))]
