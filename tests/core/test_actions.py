"""Actions: packing, words, and mask indices are inverses of each other."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kibitz.core.action_index import ActionIndex
from kibitz.core.actions import (
    ACTION_LIST,
    MAX_ACTIONS,
    MAX_OPERANDS,
    Action,
    ActionKinds,
    Domain,
    add,
    add_if,
    add_marked,
    kind,
    operand,
    pack,
)
from kibitz.core.errors import GameDefinitionError
from kibitz.core.view import RecordView

COLOURS = Domain(["red", "dark red", "Red wine", "blue"])


class Move(ActionKinds):
    PASS = Action("pass")
    MARK = Action("mark {x} {y}", x=range(12), y=range(12))
    PAINT = Action("paint {what} {colour}", what=["door", "Back (door)"], colour=COLOURS)
    EVERYTHING = Action(
        "{a} of {b}: {c}, {d} or {e}", a=range(2), b=range(3), c=range(4), d=range(5), e=range(6)
    )


INDEX = ActionIndex(Move.codes())


def legal_moves() -> st.SearchStrategy[int]:
    def packed(move: Move) -> st.SearchStrategy[int]:
        sizes = [len(domain) for domain in move.action.domains.values()]
        values = st.tuples(*[st.integers(0, size - 1) for size in sizes])
        return values.map(lambda operands: pack(move, *operands))

    return st.sampled_from(Move).flatmap(packed)


# --- packing ------------------------------------------------------------------------------

operands = st.lists(st.integers(0, 2047), max_size=MAX_OPERANDS)


@given(st.integers(0, 255), operands)
def test_kind_and_operands_are_unpacked_as_they_were_packed(k: int, values: list[int]) -> None:
    action = pack(k, *values)
    assert 0 <= action < 2**63
    assert kind(action) == k
    padded = values + [0] * (MAX_OPERANDS - len(values))
    assert [operand(action, i) for i in range(MAX_OPERANDS)] == padded


@given(st.integers(0, 255), operands, st.integers(0, 255), operands)
def test_different_actions_are_different_numbers(
    k: int, values: list[int], other_k: int, others: list[int]
) -> None:
    def padded(given_values: list[int]) -> list[int]:
        return given_values + [0] * (MAX_OPERANDS - len(given_values))

    assume((k, padded(values)) != (other_k, padded(others)))
    assert pack(k, *values) != pack(other_k, *others)


# --- words --------------------------------------------------------------------------------


def test_words_are_the_template_filled_in() -> None:
    assert Move.words(pack(Move.PASS)) == "pass"
    assert Move.words(pack(Move.MARK, 2, 11)) == "mark 2 11"
    assert Move.words(pack(Move.PAINT, 1, 2)) == "paint Back (door) Red wine"


def test_a_value_outside_its_domain_is_shown_as_a_number() -> None:
    assert Move.words(pack(Move.PAINT, 0, 9)) == "paint door #9"


def test_words_of_an_unknown_kind_are_refused() -> None:
    with pytest.raises(ValueError, match="200"):
        Move.words(200)


@given(legal_moves())
def test_words_are_read_back(action: int) -> None:
    assert Move.parse(Move.words(action)) == action


@given(legal_moves(), st.randoms(use_true_random=False))
def test_case_and_spaces_do_not_matter(action: int, rng: Any) -> None:
    words = Move.words(action)
    mixed = "".join(rng.choice((c.lower(), c.upper())) for c in words)
    assert Move.parse(f"  {mixed.replace(' ', '   ')}\t") == action


@pytest.mark.parametrize(
    "text",
    ["", "pas", "pass pass", "mark 2", "mark 2 12", "mark 12 2", "paint door green", "MARK -1 0"],
)
def test_what_is_no_action_is_not_read(text: str) -> None:
    assert Move.parse(text) is None


def test_a_long_word_is_preferred_to_a_short_one_that_it_begins_with() -> None:
    assert Move.parse("paint door red wine") == pack(Move.PAINT, 0, 2)
    assert Move.parse("paint door red") == pack(Move.PAINT, 0, 0)


@given(st.text(max_size=30) | st.text("maspintrkdoebuw \u017fK0123456789", max_size=20))
def test_reading_never_fails(text: str) -> None:
    action = Move.parse(text)
    assert action is None or INDEX.action(INDEX.index(action)) == action


def test_letters_that_only_look_alike_in_lower_case_do_no_harm() -> None:
    # regular expressions hold a long s (U+017F) equal to "s", and str.lower does not
    assert Move.parse("pa\u017fs") == pack(Move.PASS)
    assert Move.parse("paint Bac\u212a (door) blue") == pack(Move.PAINT, 1, 3)

    class Say(ActionKinds):
        SAY = Action("say {word}", word=["yes", "no"])

    assert Say.parse("say ye\u017f") == pack(Say.SAY, 0)


def test_words_that_differ_by_case_only_are_told_apart() -> None:
    class Pick(ActionKinds):
        PICK = Action("pick {letter}", letter=["a", "A"])

    assert [Pick.parse("pick a"), Pick.parse("pick A")] == [
        pack(Pick.PICK, 0),
        pack(Pick.PICK, 1),
    ]


def test_a_domain_finds_its_words_and_lists_them_when_it_does_not() -> None:
    assert COLOURS.find("BLUE") == 3
    with pytest.raises(ValueError, match="dark red"):
        COLOURS.find("green")


# --- places in a mask ---------------------------------------------------------------------


def test_the_mask_has_a_place_for_every_action() -> None:
    assert INDEX.count == 1 + 144 + 2 * 4 + 2 * 3 * 4 * 5 * 6
    actions = [INDEX.action(i) for i in range(INDEX.count)]
    assert len(set(actions)) == INDEX.count
    assert [INDEX.index(action) for action in actions] == list(range(INDEX.count))


@given(legal_moves())
def test_an_action_is_found_at_its_place(action: int) -> None:
    index = INDEX.index(action)
    assert 0 <= index < INDEX.count
    assert INDEX.action(index) == action


@pytest.mark.parametrize("index", [-1, -864, INDEX.count, 10**9])
def test_a_place_outside_the_mask_is_refused(index: int) -> None:
    with pytest.raises(IndexError, match=f"0 .. {INDEX.count - 1}"):
        INDEX.action(index)


def test_an_action_that_is_not_declared_has_no_place() -> None:
    for action in (pack(77), pack(Move.MARK, 0, 12)):
        with pytest.raises(ValueError, match=f"no action {action} at this table"):
            INDEX.index(action)


# --- declarations -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("template", "domains"),
    [
        ("mark {x}", {}),
        ("mark", {"x": range(3)}),
        ("mark {x} {x}", {"x": range(3)}),
        ("mark {x} {y}", {"x": range(3), "z": range(3)}),
        ("{a}{b}{c}{d}{e}{f}", dict.fromkeys("abcdef", range(2))),
        ("count {n}", {"n": range(2049)}),
        ("count {n}", {"n": range(1, 4)}),
        ("count {n}", {"n": range(0, 8, 2)}),
    ],
)
def test_a_declaration_that_cannot_work_is_refused(
    template: str, domains: dict[str, range]
) -> None:
    with pytest.raises(GameDefinitionError):
        Action(template, **domains)


def test_an_operand_can_have_as_many_values_as_it_has_room_for() -> None:
    class Count(ActionKinds):
        COUNT = Action("count {n}", n=range(2048))

    last = pack(Count.COUNT, 2047)
    assert Count.parse("count 2047") == last == ActionIndex(Count.codes()).action(2047)


def test_there_can_be_256_kinds_and_no_more() -> None:
    names = {f"K{i}": Action(f"do number {i}") for i in range(256)}
    kinds: Any = ActionKinds("Many", names)
    assert kinds.parse("do number 255") == 255
    with pytest.raises(GameDefinitionError, match="256"):
        ActionKinds("TooMany", names | {"K256": Action("one more")})


# --- the list of legal actions ------------------------------------------------------------


def empty_list() -> Any:
    return RecordView(memoryview(bytearray(ACTION_LIST.itemsize)), 0, ACTION_LIST)


def listed(actions: Any) -> list[int]:
    return list(actions.items)[: actions.count]


def test_actions_are_listed_in_order() -> None:
    actions = empty_list()
    for action in (5, 3, 5):
        add(actions, action)
    assert listed(actions) == [5, 3, 5]


def test_only_actions_whose_condition_holds_are_listed() -> None:
    actions = empty_list()
    for action in range(6):
        add_if(action % 3 == 0, actions, action)
    assert listed(actions) == [0, 3]


@pytest.mark.parametrize("conditional", [False, True])
def test_a_full_list_is_marked_and_keeps_what_it_has(conditional: bool) -> None:
    actions = empty_list()
    for action in range(MAX_ACTIONS):
        add(actions, action)
    assert not actions.overflow
    add_if(False, actions, 9)
    assert not actions.overflow
    if conditional:
        add_if(True, actions, 9)
    else:
        add(actions, 9)
    assert actions.overflow
    assert listed(actions) == list(range(MAX_ACTIONS))


@given(st.lists(st.integers(0, 62), max_size=20), st.sets(st.integers(0, 62)))
def test_each_marked_value_is_listed_once_in_order(values: list[int], marked: set[int]) -> None:
    actions = empty_list()
    add(actions, 7)
    add_marked(actions, Move.MARK, values, len(values), sum(1 << value for value in marked))
    expected = [value for value in dict.fromkeys(values) if value in marked]
    assert listed(actions) == [7, *(pack(Move.MARK, value) for value in expected)]
    assert not actions.overflow


def test_a_list_without_room_for_all_marked_values_is_marked_as_too_long() -> None:
    actions = empty_list()
    actions.count = MAX_ACTIONS - 2
    add_marked(actions, Move.MARK, [1, 2], 2, 0b110)
    assert actions.overflow
