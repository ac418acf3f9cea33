"""Text for people: what chance drew and, in GDL-II, what players did, perceived and know."""

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
"""What a role does, by convention, that has nothing to do."""
SAMPLES = 50
"""Games that fit what a player remembers, which show what may be taken for certain."""
FEWER_SAMPLES = 10
"""So many where each takes long."""
MOST_TOLD = 40
"""Of so many steps, the last ones, it is told what happened in them."""


@dataclass(frozen=True)
class RoleStep:
    """A role's move and percepts in a step; ``None``: unknown."""

    move: str | None
    percepts: tuple[str, ...] | None


def phrase(words: str) -> Phrase:
    """A move in KIF, in parts: ``(mark 1 2)`` is ``(mark * *)`` with 1 and 2."""
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
    """The steps so far: each role's move and percepts, as far as the state has them."""
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
    """Whether a role's memory agrees with the moves in the state."""
    return all(joint[role].percepts is not None for joint in history(steps, state))


def _number(percepts: Sequence[str]) -> int:
    terms = [read_term(percept) for percept in percepts]
    return percepts_number(term for term in terms if term is not None)


def _percepts_of(steps: Steps, rows: Sequence[Sequence[int]]) -> Iterator[list[list[str] | None]]:
    """The percepts of all roles after these joint moves; ``None`` once one is illegal."""
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
    """A GDL-II state in lines, for `observer` or for one who may see everything."""
    rules = steps.rules
    facts = rules.facts
    roles = [rules.description.spelling[role] for role in rules.description.roles]
    if observer is None:
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
    """What `observer` may take for certain: what is true in each sampled game that fits."""
    return _in_all(steps, _samples(steps, state, observer))


def _samples(steps: Steps, state: State, observer: int) -> list[State]:
    """States that `observer` takes for possible; always the same ones."""
    # `state` may be masked, yet here all that its samples depend on is still in it: what the
    # observer remembers. With any random stream it can be observed.
    remembered = state.clone()
    remembered.view.rng[0] = 1
    count = SAMPLES if steps.proved is None else FEWER_SAMPLES
    return [remembered.determinize(observer, seed) for seed in range(count)]


def _in_all(steps: Steps, samples: Sequence[State]) -> list[str]:
    """The facts that are true in all of these states."""
    true = [steps.rules.facts.true(sample.view.facts) for sample in samples]
    return [fact for fact in true[0] if all(fact in other for other in true)]


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
    """What `observer` perceived of the step between two states, in KIF."""
    step = len(steps.rules.memory.entries(after.view.memories[0])) - 1
    moves = [after.view.memories[role].entries[step, 0] - 1 for role in range(steps.roles)]
    return " ".join(steps.percepts(before, moves)[observer])


def chance_role(steps: Steps) -> int | None:
    """The role that is chance, if there is one."""
    roles = steps.rules.description.roles
    return roles.index(RANDOM) if RANDOM in roles else None


def drawn(steps: Steps, before: State) -> int | None:
    """The move that chance draws in the step that the next action completes.

    The rules draw once in such a step, one of chance's legal moves in their order; so the same is
    drawn here from a copy of the random stream.

    Args:
        steps: the rules.
        before: the state before that action.

    Returns:
        The number of the move; ``None`` where there is no chance, or it has only one move.
    """
    role = chance_role(steps)
    if role is None or role == before.current_player or before.view.commitments.moves[role]:
        return None
    legal = steps.legal(before, role)
    return legal[random_below(before.clone().view.rng, len(legal))]
