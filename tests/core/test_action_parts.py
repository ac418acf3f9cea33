"""Actions as data: kind and named operands, in all three languages."""

from __future__ import annotations

import copy
import doctest
import json
import pickle
import random
from typing import Any

import pytest

import kibitz
from kibitz.core import action_parts, registry
from kibitz.core import state as state_module
from kibitz.core.action_parts import ActionParts
from kibitz.core.errors import FileError, IllegalActionError, ParameterError, UnknownNameError
from kibitz.core.state import State


def plain(value: Any) -> bool:
    """Whether a value is an operand."""
    return isinstance(value, int | str) or (
        isinstance(value, tuple) and all(isinstance(word, str) for word in value)
    )


@pytest.mark.parametrize("name", sorted(registry.names()))
def test_legal_actions_are_the_inverse_of_their_parts(name: str) -> None:
    """No two legal actions have the same parts, and parts are found again, as JSON, too."""
    table = kibitz.load(name).table()
    kinds = table.wording.operands()
    chance = random.Random(name)
    state = table.new_state(1)
    for _ in range(60):
        if state.is_terminal:
            break
        legal = state.legal_actions()
        parts = [state.action_parts(action) for action in legal]
        assert len(set(parts)) == len(parts)
        for each in parts:
            assert set(each.operands) <= set(kinds[each.kind])
            assert all(map(plain, each.operands.values()))
        chosen = chance.randrange(len(legal))
        document = json.loads(json.dumps(parts[chosen].to_json()))
        assert ActionParts.from_json(document) == parts[chosen]
        assert state.action(parts[chosen]) == legal[chosen]
        state.apply(parts[chosen])


def examples() -> list[tuple[str, str, ActionParts]]:
    """Games with the words of an action, and its parts."""
    return [
        ("tic-tac-toe", "mark 2 1", ActionParts("MARK", x=2, y=1)),
        (
            "love-letter",
            "play Guard on player 2 guessing Priest",
            ActionParts("GUESS", target="player 2", guess="Priest"),
        ),
        ("nim", "(take d 7)", ActionParts("take", arg1="d", arg2="7")),
        (
            "hearts",
            "pass the 9 of diamonds",
            ActionParts("pass {c}", c="9 of diamonds"),
        ),
    ]


@pytest.mark.parametrize(("name", "words", "parts"), examples())
def test_an_action_has_words_and_parts(name: str, words: str, parts: ActionParts) -> None:
    state = kibitz.load(name).new_state(seed=2 if name == "love-letter" else 1)
    action = state.action(words)
    assert state.action_parts(action) == parts
    assert state.action(parts) == state.action(parts.kind, **parts.operands) == action


def test_a_kind_without_operands_is_named_alone() -> None:
    state = kibitz.load("uno").new_state(seed=1)
    kinds = state.table.wording.operands()
    bare = [a for a in state.legal_actions() if not kinds[state.action_parts(a).kind]]
    assert [state.action(state.action_parts(a).kind) for a in bare] == bare != []


# --- errors -------------------------------------------------------------------------------


@pytest.fixture
def letter() -> State:
    """Player 1 may play Guard, but not Baron."""
    return kibitz.load("love-letter").new_state(seed=2)


def test_an_unknown_kind_is_named_with_those_there_are(letter: State) -> None:
    with pytest.raises(UnknownNameError, match=r"no kind of action 'GUES'.* 'GUESS'\?.*PLAY_ON"):
        letter.action("GUES", target="player 2", guess="Priest")


def test_an_unknown_operand_is_named_with_those_there_are(letter: State) -> None:
    with pytest.raises(
        UnknownNameError, match=r"no operand of GUESS 'targt'.* 'target'\? Known: target, guess\."
    ):
        letter.action("GUESS", targt="player 2", guess="Priest")


@pytest.mark.parametrize(
    "operands",
    [
        {"target": "player 9", "guess": "Priest"},
        {"target": "player 2"},
        {"target": 1, "guess": "Priest"},
    ],
)
def test_other_operands_are_refused_with_the_legal_actions(
    letter: State, operands: dict[str, Any]
) -> None:
    with pytest.raises(IllegalActionError) as caught:
        letter.action("GUESS", **operands)
    assert str(caught.value).startswith(f"{ActionParts('GUESS', **operands)!r} is not legal here")
    assert "legal: play Guard on player 2 guessing Priest" in str(caught.value)


def test_a_kind_that_is_not_legal_is_refused_with_the_legal_actions(letter: State) -> None:
    with pytest.raises(IllegalActionError, match="legal: play "):
        letter.apply(ActionParts("PLAY", card="Baron"))


@pytest.mark.parametrize("name", ["tic-tac-toe", "agram", "nim"])
def test_a_number_that_is_no_action_has_no_parts(name: str) -> None:
    state = kibitz.load(name).new_state()
    with pytest.raises(UnknownNameError, match=r"There is no action 2\d{18} in"):
        state.action_parts(2 * 10**18 + 255)


@pytest.mark.parametrize(
    "document",
    [
        None,
        "MARK",
        {},
        {"kind": "MARK"},
        {"kind": 1, "operands": {}},
        {"kind": "MARK", "operands": [2, 0]},
        {"kind": "MARK", "operands": {"x": 1.5}},
        {"kind": "MARK", "operands": {"x": True}},
        {"kind": "MARK", "operands": {"x": None}},
        {"kind": "MARK", "operands": {"x": ["A", 1]}},
        {"kind": "MARK", "operands": {}, "more": 1},
    ],
)
def test_other_json_is_refused(document: Any) -> None:
    with pytest.raises(FileError, match="An action has a kind and operands"):
        ActionParts.from_json(document)


# --- the object ---------------------------------------------------------------------------


def test_parts_are_values() -> None:
    parts = ActionParts("TAKE", cards=("A", "B"), self="player 1", kind=3)
    assert parts.to_json() == {
        "kind": "TAKE",
        "operands": {"cards": ["A", "B"], "self": "player 1", "kind": 3},
    }
    for same in (
        ActionParts("TAKE", kind=3, self="player 1", cards=("A", "B")),
        pickle.loads(pickle.dumps(parts)),
        copy.deepcopy(parts),
    ):
        assert same == parts
        assert hash(same) == hash(parts)
    assert parts != ActionParts("TAKE", cards=("A", "B"), self="player 1")
    assert parts != ActionParts("GIVE", **parts.operands)
    with pytest.raises(AttributeError):
        parts.kind = "GIVE"  # type: ignore[misc]
    with pytest.raises(TypeError):
        parts.operands["kind"] = 4  # type: ignore[index]


@pytest.mark.parametrize("module", [action_parts, state_module])
def test_the_examples_are_true(module: Any) -> None:
    result = doctest.testmod(module)
    assert result.attempted > 2
    assert result.failed == 0


def test_what_describes_no_action_is_refused() -> None:
    state = kibitz.load("tic-tac-toe").new_state()
    parts = state.action_parts(state.legal_actions()[0])
    for described, operands in ((3, {}), (None, {}), (parts, {"x": 1})):
        with pytest.raises(ParameterError, match="should be words, the parts of an action"):
            state.action(described, **operands)  # type: ignore[arg-type]
