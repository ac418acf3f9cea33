"""Evaluates the examples of the reference: each is an option of one game, the desk."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kibitz.core.errors import KibitzError
from kibitz.core.state import State, components_in_play
from kibitz.recycle.game import RecycleGame, rules_of
from kibitz.recycle.parser import parse
from kibitz.recycle.phrases import pick_words
from kibitz.recycle.tree import Type
from kibitz.recycle.words import LEXICON
from kibitz.syntax.sexpr import Form, read
from kibitz.syntax.source import Source

HOLE = "(choice ((turn pass)))"
"""The text in the desk that examples replace."""

_READINGS = {
    "number": "(set (game sto RESULTNUMBER) {})",
    "condition": "({} (set (game sto RESULTTRUTH) 1))",
    "name": "(set (game str RESULTNAME) {})",
    "player": "(do ((set ({0} sto RESULTPLAYER) 1) ((== {0} (0 player)) (turn pass))))",
    "team": "(do ((set ({0} sto RESULTTEAM) 1) ((== {0} (0 team)) (turn pass))))",
    "cards": "(all {} 'X (remember 'X (top (game mem RESULTCARDS))))",
    "card": "(remember {} (top (game mem RESULTCARDS)))",
    "others": "(any {} 'X (turn pass))",
}
"""For each kind of value, an action from whose result or picks the value can be read."""


def words(state: State, action: int) -> str:
    """An action's words, without the line that tells it from one of another clause."""
    return re.sub(r" \(line \d+\)$", "", state.action_words(action))


def written(state: State, card: int) -> str:
    """A card by the values of its attributes, as the text has them."""
    return " ".join(rules_of(state).program.cards[card].attributes.values())


def picked(state: State, action: int) -> str:
    """The single pick of an option, in the words of the text."""
    rules = rules_of(state)
    path, (pick,) = rules.path(action), rules.picks(state, action)
    assert path is not None
    kind = path.forks[0].binding.type
    if isinstance(pick, tuple):
        return " + ".join(written(state, card) for card in pick) or "nothing"
    if kind is Type.STR:
        return rules.places.words[pick]
    return pick_words(rules.places, kind, pick)


def reading(desk: str, expression: str, action: str = "(turn pass)") -> tuple[str, str, str]:
    """The kind of an expression, the clause that evaluates it after an action, and the dialect."""
    for kind, template in _READINGS.items():
        clause = f"(do ({action} {template.format(expression)}))"
        program, _ = parse(Source("desk.rcy", desk.replace(HOLE, f"(choice ({clause}))")))
        if program is not None:
            return kind, clause, program.dialect
    text = desk.replace(HOLE, f"(choice ((do ({action} (turn pass) {expression}))))")
    problems = "\n".join(problem.message for problem in parse(Source("desk.rcy", text))[1])
    raise AssertionError(f"{expression} cannot be read: {problems}")


def values(desk: str, examples: Sequence[tuple[str, str]]) -> list[str]:
    """The value of each expression after its action, in words."""
    value_by_example: dict[int, str] = {}
    readings = [reading(desk, expression, action) for action, expression in examples]
    for dialect in ("B", "C"):
        chosen = [i for i, (_, _, used) in enumerate(readings) if used == dialect]
        if chosen:
            results = _values_after(desk, [readings[i][:2] for i in chosen])
            value_by_example.update(zip(chosen, results, strict=True))
    return [value_by_example[i] for i in range(len(examples))]


def _values_after(desk: str, clauses: Sequence[tuple[str, str]]) -> Iterator[str]:
    game, state, options = _options(desk, [clause for _, clause in clauses])
    for number, (kind, clause) in enumerate(clauses):
        legal = options[number]
        assert legal or kind == "others", clause
        if kind == "others":
            yield ", ".join(picked(state, action) for action in legal) or "nothing"
            continue
        after = state.clone()
        after.apply(legal[0])
        yield _value(game, after, kind)


def _options(desk: str, clauses: Sequence[str]) -> tuple[RecycleGame, State, list[list[int]]]:
    """The desk with a choice of clauses, and the options of each."""
    text = desk.replace(HOLE, "(choice (\n" + "\n".join(clauses) + "))")
    game = RecycleGame(Source("desk.rcy", text))
    state = game.table().new_state(seed=1)
    options: list[list[int]] = [[] for _ in clauses]
    for action in state.legal_actions():
        options[rules_of(state).decode(state, action)[0]].append(action)
    return game, state, options


def _value(game: RecycleGame, state: State, kind: str) -> str:
    places = rules_of(state).places
    views: Mapping[str, Any] = {
        instance.path: view for instance, view in components_in_play(state)
    }
    match kind:
        case "number":
            return str(views["resultnumber"].value)
        case "condition":
            return str(views["resulttruth"].value == 1).lower()
        case "name":
            return places.words[views["resultname"].value] or "the empty name"
        case "player":
            whose = [views[f"resultplayer[{i}]"].value for i in range(state.players)]
            return f"({whose.index(1)} player)"
        case "team":
            whose = [views[f"resultteam_of_team_{i + 1}"].value for i in range(places.teams)]
            return f"({whose.index(1)} team)"
    cards = views["resultcards"]
    names = [written(state, cards.cards[i]) for i in range(cards.count)]
    return ", ".join(names) or "nothing"


def faults(desk: str, actions: Sequence[str]) -> Iterator[str]:
    """The explanation with which each of these actions breaks the game off."""
    _, state, options = _options(desk, actions)
    for legal, action in zip(options, actions, strict=True):
        assert legal, action
        after = state.clone()
        with contextlib.suppress(KibitzError):
            after.apply(legal[0])
        explanation = after.table.wording.explanation(after)
        assert explanation, action
        yield explanation.split(": ", 1)[1]


def offered(desk: str, choices: Sequence[str]) -> Iterator[list[str]]:
    """The options of each choice, in words."""
    clauses: list[str] = []
    ranges: list[range] = []
    for text in choices:
        form = read(Source("page", text), LEXICON).forms[0]
        assert isinstance(form, Form)
        inner = form.items[1]
        assert isinstance(inner, Form)
        first = len(clauses)
        clauses += [text[clause.span.start : clause.span.end] for clause in inner.items]
        ranges.append(range(first, len(clauses)))
    _, state, options = _options(desk, clauses)
    for numbers in ranges:
        legal = [action for number in numbers for action in options[number]]
        yield [words(state, action) for action in legal]


def turns(desk: str, items: str, most: int = 20) -> str:
    """The players of successive decisions if the first option is always taken."""
    game = RecycleGame(Source("desk.rcy", desk.replace(HOLE, items)))
    state = game.table().new_state(seed=1)
    players = []
    while not state.is_terminal and len(players) < most:
        players.append(str(state.current_player))
        state.apply(state.legal_actions()[0])
    return " ".join(players)
