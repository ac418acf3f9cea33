"""The laws that are tried in a few states of each game only, since they play on from there.

Each is a function that examines a ``Case`` and yields findings.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable, Iterator
from typing import Any

from kibitz.checks.case import (
    MOVES_AHEAD,
    Case,
    heuristic_in_range,
    observers,
    play_on,
)
from kibitz.checks.choices import choice_laws
from kibitz.checks.contents import show_differences
from kibitz.checks.information import knowledge_laws
from kibitz.checks.laws import Law
from kibitz.checks.watched import explain
from kibitz.core.actions import ActionKinds, kind, operand, pack
from kibitz.core.errors import FileError, IllegalActionError, LimitError
from kibitz.core.state import State, components_in_play
from kibitz.syntax.findings import Finding, Spot

StateLaw = Callable[[Case], Iterator[Finding]]


def clone_law(case: Case) -> Iterator[Finding]:
    """Law: a copy is equal, has the same hash, and can be played without changing the original."""
    state = case.state
    before = bytes(state)
    copy = state.clone()
    if copy != state or hash(copy) != hash(state) or bytes(copy) != before:
        yield Finding(Law.CLONE, "a fresh copy is not equal to its original")
    play_on(copy, case.check.rng, MOVES_AHEAD)
    if bytes(state) != before:
        shown = show_differences(state.table.layout, before, bytes(state))
        yield Finding(
            Law.CLONE,
            f"playing on in a copy changed the original: {shown}",
            cure="keep everything that changes in the declared State.",
        )
    if copy.tick > state.tick and copy == state:
        yield Finding(Law.CLONE, "a copy is equal to its original after further actions")


def serialise_law(case: Case) -> Iterator[Finding]:
    """Law: bytes and JSON restore the state, JSON the parameters."""
    state = case.state
    table = state.table
    text = json.dumps(state.to_json(), allow_nan=False)
    try:
        if State.from_bytes(table, bytes(state)) != state:
            yield Finding(Law.SERIALISE, "from_bytes restores a different state")
        if State.from_json(table, text) != state:
            yield Finding(Law.SERIALISE, "from_json restores a different state")
    except FileError as problem:
        if not any(i.component.problem(view) for i, view in components_in_play(state)):
            yield Finding(Law.SERIALISE, f"it is refused: {problem}")
    again = type(table.parameters)(state.players, **json.loads(text)["parameters"])
    if again != table.parameters:
        yield Finding(Law.SERIALISE, f"JSON turns the parameters {table.parameters} into {again}")


def legal_law(case: Case) -> Iterator[Finding]:
    """Law: each legal action can be played, and leads to a valid state."""
    state = case.state
    for action in case.some_actions():
        case.checked["actions tried"] += 1
        after = state.clone()
        try:
            after.apply(action)
            findings = case.inspector.inspect(after, state.tick + 1)
            if not findings:
                after.legal_actions()
        except LimitError:
            continue
        except Exception as problem:
            findings = [explain(problem)]
        for finding in findings:
            message = f"after {state.action_words(action)!r}: {finding.message}"
            yield dataclasses.replace(finding, message=message, spot=Spot(actions=(action,)))


def parse_law(case: Case) -> Iterator[Finding]:
    """Law: each legal action is of a declared kind, and its words are read as the same action."""
    kinds: Any = case.state.table.game.Actions
    for action in case.some_actions():
        if problem := _undeclared(kinds, action):
            yield Finding(
                Law.PARSE, problem, cure="pack only values that the declared Action allows."
            )
            continue
        words = kinds.words(action)
        read = kinds.parse(words)
        if read != action:
            result = "nothing" if read is None else f"another action, {read}"
            yield Finding(
                Law.PARSE,
                f"{words!r}, the words for action {action}, are read as {result}",
                f"{kinds.__name__}.{kinds(kind(action)).name}",
                "give each kind a template, and each value of an operand words, of its own.",
                spot=Spot(actions=(action,)),
            )


def _undeclared(kinds: type[ActionKinds], action: int) -> str | None:
    """Why an action is not a declared one, in words; ``None`` if it is."""
    if action < 0 or kind(action) >= len(kinds):
        return f"action {action} is of kind {kind(action)}, and there are {len(kinds)} kinds"
    declared = list(kinds)[kind(action)]
    domains = declared.action.domains
    operands = [operand(action, i) for i in range(len(domains))]
    for (name, domain), value in zip(domains.items(), operands, strict=True):
        if value >= len(domain):
            return f"{declared.name} has {name} = {value}, which is none of {len(domain)} values"
    if pack(declared, *operands) != action:
        return f"{declared.name} was packed with more operands, or larger ones, than it declares"
    return None


def index_law(case: Case) -> Iterator[Finding]:
    """Law: each legal action has a unique index in a mask, and can be found by it."""
    state = case.state
    index = state.table.action_index
    kinds: Any = state.table.game.Actions
    for action in case.some_actions():
        if _undeclared(kinds, action):
            continue
        place = index.index(action, state)
        if not 0 <= place < index.count or index.action(place, state) != action:
            yield Finding(
                Law.INDEX,
                f"{kinds.words(action)!r} has place {place} of {index.count}, where another "
                "action is",
                f"{kinds.__name__}.{kinds(kind(action)).name}",
            )


def refused_law(case: Case) -> Iterator[Finding]:
    """Law: actions that are not legal are refused, and leave the state unchanged."""
    state = case.state
    index = state.table.action_index
    legal = set(state.legal_actions())
    picked = [case.check.rng.randrange(index.direct) for _ in range(8 if index.direct else 0)]
    candidates = [index.action(place) for place in picked]
    for action in [*[a for a in candidates if a not in legal][:2], 255]:
        copy = state.clone()
        refused = False
        try:
            copy.apply(action)
        except IllegalActionError:
            refused = True
        if not refused or copy != state:
            words = state.action_words(action)
            yield Finding(Law.REFUSED, f"{words!r}, which is not legal, changed the state")


def shown_law(case: Case) -> Iterator[Finding]:
    """Law: the state can be shown as text, JSON and numbers to every observer."""
    for observer in (None, *observers(case.state)):
        who = "everyone" if observer is None else f"player {observer + 1}"
        try:
            problem = _show(case, observer)
        except Exception as failure:
            problem = explain(failure).message
        if problem:
            cure = "remember that values hidden from the observer are -1 in what is shown."
            yield Finding(Law.SHOWN, f"it cannot be shown to {who}: {problem}", cure=cure)
            return


def _show(case: Case, observer: int | None) -> str | None:
    """Shows the state in every form; returns the problem with the result, in words."""
    state = case.state
    if not isinstance(state.describe(observer), str):
        return "describe gives no text"
    if observer is None:
        return None
    json.dumps(state.observation(observer).to_json(), allow_nan=False)
    vector = state.table.encoder.encode(state, observer)
    return None if all(math.isfinite(x) for x in vector) else "a feature is not finite"


def heuristic_law(case: Case) -> Iterator[Finding]:
    """Law: the heuristic is a number from -1 to 1 for every player."""
    for p in range(case.state.players):
        yield from heuristic_in_range(case.state, p, "")


STATE_LAWS: tuple[StateLaw, ...] = (
    clone_law,
    serialise_law,
    parse_law,
    index_law,
    legal_law,
    refused_law,
    shown_law,
    heuristic_law,
    knowledge_laws,
    choice_laws,
)
