"""What happened in a game, for people: what chance drew, and where players do not see all, what is
certain for them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kibitz.core.errors import IllegalActionError
from kibitz.core.randomness import random_below
from kibitz.core.state import State
from kibitz.gdl.percepts import percepts_number
from kibitz.gdl.reader import read_term
from kibitz.gdl.rules import RANDOM
from kibitz.gdl.steps import Steps

SAMPLES = 50
"""Games that fit what a player remembers, which show what may be taken for certain."""
FEWER_SAMPLES = 10
"""So many where each takes long."""
MOST_TOLD = 40
"""Of so many steps, the last ones, it is told what happened in them."""


@dataclass(frozen=True)
class Deed:
    """What a role did in a step, and what it was told of it; ``None``: that is not known."""

    move: str | None
    percepts: tuple[str, ...] | None


def story(steps: Steps, state: State) -> list[list[Deed]]:
    """For each step what each role did, and what it was told, as far as the state has it."""
    memories = [state.view.memories[role] for role in range(steps.roles)]
    made = [steps.rules.memory.entries(memory) for memory in memories]
    rows = list(zip(*made, strict=True))
    told = list(_told(steps, [[move for move, _ in row] for row in rows]))
    names = steps.rules.actions.names
    found = []
    for row, texts in zip(rows, told, strict=True):
        deeds = []
        for (move, number), percepts in zip(row, texts, strict=True):
            right = percepts is not None and _number(percepts) == number
            known = tuple(percepts) if percepts is not None and right else None
            deeds.append(Deed(names[move] if move >= 0 else None, known))
        found.append(deeds)
    return found


def remembers_rightly(steps: Steps, state: State, role: int) -> bool:
    """Whether what a role remembers is what it was told, by the moves in the state."""
    return all(deeds[role].percepts is not None for deeds in story(steps, state))


def _number(percepts: Sequence[str]) -> int:
    terms = [read_term(percept) for percept in percepts]
    return percepts_number(term for term in terms if term is not None)


def _told(steps: Steps, rows: Sequence[Sequence[int]]) -> Iterator[list[list[str] | None]]:
    """What the roles are told if these moves are made; ``None`` where they cannot be."""
    state = steps.table.new_state()
    possible = True
    for moves in rows:
        told: list[list[str] | None] = [None] * steps.roles
        possible = possible and min(moves) >= 0
        if possible:
            try:
                percepts = steps.percepts(state, moves)
                steps.play(state, moves)
            except IllegalActionError:
                possible = False
            else:
                told = [*percepts]
        yield told


def in_words(steps: Steps, state: State, observer: int | None) -> Iterator[str]:
    """The lines that tell `observer`, or one who may see everything, of a state."""
    rules = steps.rules
    facts = rules.facts
    roles = [rules.description.spelling[role] for role in rules.description.roles]
    if observer is None:
        yield f"Facts: {facts.describe(state.view.facts)}"
        lines = [
            "; ".join(
                f"{role} {deed.move or '?'}{_seen(deed, 'sees')}"
                for role, deed in zip(roles, deeds, strict=True)
            )
            for deeds in story(steps, state)
        ]
        yield from _numbered("What happened", lines)
        return
    yield f"You are {roles[observer]}."
    count = SAMPLES if steps.plain is None else FEWER_SAMPLES
    # `state` may be masked, yet here all that its samples depend on is still in it: what the
    # observer remembers. With any random stream it can be observed.
    remembered = state.clone()
    remembered.view.rng[0] = 1
    samples = [remembered.determinize(observer, seed) for seed in range(count)]
    own = [deeds[observer] for deeds in story(steps, samples[0])]
    lines = [f"{deed.move or '?'}{_seen(deed, 'you see')}" for deed in own]
    yield from _numbered("What you did", lines)
    true = [facts.true(sample.view.facts) for sample in samples]
    certain = [fact for fact in true[0] if all(fact in other for other in true)]
    yield f"True in each of {count} games that fit: {' '.join(certain) or 'nothing'}"


def _seen(deed: Deed, verb: str) -> str:
    if deed.percepts is None:
        return f", {verb} ?" if deed.move else ""
    return f", {verb} {' '.join(deed.percepts)}" if deed.percepts else ""


def _numbered(title: str, lines: Sequence[str]) -> Iterator[str]:
    if not lines:
        return
    yield f"{title}:"
    first = max(0, len(lines) - MOST_TOLD)
    if first:
        yield "  ..."
    for number, line in enumerate(lines[first:], first + 1):
        yield f"  {number}. {line}"


def news(steps: Steps, before: State, after: State, observer: int) -> str:
    """What `observer` is told of the step that was made between two states, if anything."""
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
