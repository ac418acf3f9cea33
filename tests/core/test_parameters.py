"""Game parameters: defaults, reading from words and JSON, errors that help, variation."""

from __future__ import annotations

import enum
import json
import pickle
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kibitz.core.errors import FileError, ParameterError, did_you_mean
from kibitz.core.parameters import (
    GameParameters,
    Preset,
    Tunable,
    read_assignments,
    read_json_object,
)


class Scoring(enum.IntEnum):
    CLASSIC = 0
    LOW_WINS = 3


class Parameters(GameParameters):
    size = Tunable(3, range(3, 8), "side of the board")
    tokens = Tunable({2: 7, 3: 5, 4: 4}, range(1, 14), "tokens to win")
    rate = Tunable(0.5, (0.0, 2.0), "how fast")
    open_hands = Tunable(False, doc="whether hands lie open")
    scoring = Tunable(Scoring.CLASSIC, doc="how points count")
    step = Tunable(10, (5, 10, 20))


# --- defaults -----------------------------------------------------------------------------


@pytest.mark.parametrize(("players", "tokens"), [(2, 7), (3, 5), (4, 4)])
def test_a_default_can_depend_on_the_number_of_players(players: int, tokens: int) -> None:
    assert Parameters(players).tokens == tokens


def test_the_default_of_the_largest_table_named_serves_the_others() -> None:
    assert Parameters(6).tokens == 4


def test_what_is_not_given_takes_its_default() -> None:
    assert Parameters(3, size=5).as_dict() == {
        "size": 5,
        "tokens": 5,
        "rate": 0.5,
        "open_hands": False,
        "scoring": Scoring.CLASSIC,
        "step": 10,
    }


@pytest.mark.parametrize(
    ("default", "values"),
    [(8, range(3, 8)), (3.0, (0.0, 2.0)), ({2: 3, 4: 9}, range(3, 8)), (7, (5, 10))],
)
def test_a_default_outside_its_range_is_refused(default: Any, values: Any) -> None:
    with pytest.raises(ParameterError, match="not among"):
        Tunable(default, values)


def test_a_number_without_a_range_is_refused() -> None:
    with pytest.raises(ParameterError, match="needs the values"):
        Tunable(3)


class Printed(GameParameters):
    cards = Tunable(7, range(1, 9), "cards dealt")
    jokers = Tunable({2: 1, 3: 2}, range(5), "jokers in the deck")
    printing = Preset({"later": {}, "first": {"cards": 4, "jokers": {3: 3}}}, "whose rules hold")


def test_a_preset_sets_several_parameters_and_what_is_said_beside_it_holds() -> None:
    assert Printed(2, printing="first").as_dict() == {"cards": 4, "jokers": 1}
    assert Printed(3, printing="first").as_dict() == {"cards": 4, "jokers": 3}
    assert Printed(3, cards=5, printing="first").as_dict() == {"cards": 5, "jokers": 3}
    assert Printed(3, printing="later") == Printed(3)


def test_a_preset_is_no_other_way_to_write_the_same_parameters_down() -> None:
    first = Printed(3, printing="first")
    assert first == Printed(3, cards=4, jokers=3)
    assert first.to_json() == {"cards": 4, "jokers": 3}
    assert first.chosen("printing", 3) == "first"
    assert Printed(3).chosen("printing", 3) == "later"
    assert Printed(3, cards=5).chosen("printing", 3) == ""


def test_a_preset_that_does_not_fit_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"printing = second is not .*: one of later, first"):
        Printed(3, printing="second")
    with pytest.raises(ParameterError, match="printing"):
        Printed(3, printig="first")
    for values in ({"cards": 9}, {"jokers": {2: 7}}, {"spades": 1}):
        with pytest.raises(ParameterError):
            type("Wrong", (Printed,), {"edition": Preset({"no": values}, "")})


def test_a_subclass_adds_to_the_parameters_of_its_base() -> None:
    class More(Parameters):
        size = Tunable(4, range(4, 6))
        extra = Tunable(1, range(3))

    assert More(2).as_dict() | {"size": 3} == Parameters(2).as_dict() | {"extra": 1, "size": 3}
    assert More(2).size == 4
    assert "extra" not in Parameters.tunables


# --- reading ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "given_value", "value"),
    [
        ("size", "4", 4),
        ("size", 4.0, 4),
        ("size", np.int64(4), 4),
        ("rate", "0.25", 0.25),
        ("rate", 2, 2.0),
        ("open_hands", "yes", True),
        ("open_hands", "OFF", False),
        ("open_hands", 1, True),
        ("scoring", "low-wins", Scoring.LOW_WINS),
        ("scoring", "Low_Wins", Scoring.LOW_WINS),
        ("scoring", 3, Scoring.LOW_WINS),
        ("step", "20", 20),
    ],
)
def test_a_value_is_read_in_the_type_of_the_parameter(
    name: str, given_value: Any, value: Any
) -> None:
    read = getattr(Parameters(2, **{name: given_value}), name)
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("size", 8, "a whole number from 3 to 7"),
        ("size", "2", "a whole number from 3 to 7"),
        ("size", 3.5, "a whole number from 3 to 7"),
        ("size", "three", "a whole number from 3 to 7"),
        ("size", "", "a whole number from 3 to 7"),
        ("size", None, "a whole number from 3 to 7"),
        ("size", [4], "a whole number from 3 to 7"),
        ("size", float("inf"), "a whole number from 3 to 7"),
        ("rate", "nan", "a number from 0.0 to 2.0"),
        ("rate", -0.001, "a number from 0.0 to 2.0"),
        ("rate", 10**400, "a number from 0.0 to 2.0"),
        ("rate", {}, "a number from 0.0 to 2.0"),
        ("open_hands", "perhaps", "one of false, true"),
        ("open_hands", 2, "one of false, true"),
        ("open_hands", [], "one of false, true"),
        ("scoring", "best", "one of classic, low-wins"),
        ("scoring", 1, "one of classic, low-wins"),
        ("scoring", None, "one of classic, low-wins"),
        ("step", 15, "one of 5, 10, 20"),
    ],
)
def test_a_value_that_is_not_allowed_is_refused_with_those_that_are(
    name: str, value: Any, allowed: str
) -> None:
    with pytest.raises(ParameterError) as caught:
        Parameters(2, **{name: value})
    assert str(caught.value).startswith(f"{name} = ")
    assert allowed in str(caught.value)


def test_an_unknown_name_is_refused_with_the_likeliest_and_all_others() -> None:
    with pytest.raises(ParameterError) as caught:
        Parameters(2, tokns=3)
    message = str(caught.value)
    assert "Did you mean 'tokens'?" in message
    assert all(name in message for name in Parameters.tunables)


def any_parameters() -> st.SearchStrategy[GameParameters]:
    return st.builds(
        Parameters,
        st.integers(2, 4),
        size=st.integers(3, 7),
        tokens=st.integers(1, 13),
        rate=st.floats(0.0, 2.0),
        open_hands=st.booleans(),
        scoring=st.sampled_from(Scoring),
        step=st.sampled_from((5, 10, 20)),
    )


@given(any_parameters())
def test_parameters_survive_json_words_and_pickling(values: GameParameters) -> None:
    assert Parameters(2, **json.loads(json.dumps(values.to_json()))) == values
    shown = {name: t.show(getattr(values, name)) for name, t in values.tunables.items()}
    assert Parameters(2, **shown) == values
    assert Parameters(2, **read_assignments(repr(values).split(", "))) == values
    again = pickle.loads(pickle.dumps(values))
    assert again == values
    assert hash(again) == hash(values)


@given(any_parameters())
def test_the_record_for_the_rules_holds_every_value(values: GameParameters) -> None:
    record = np.frombuffer(values.record(), values.dtype())[0]
    assert {name: record[name] for name in record.dtype.names} == values.as_dict()


def test_a_game_without_parameters_still_has_a_record() -> None:
    assert len(GameParameters(2).record()) == GameParameters.dtype().itemsize > 0


def test_parameters_differ_by_value_and_by_class() -> None:
    class Others(Parameters):
        pass

    assert Parameters(2) == Parameters(2)
    assert Parameters(2) != Parameters(2, size=4)
    assert Parameters(2) != Others(2)


def test_parameters_do_not_change() -> None:
    with pytest.raises(AttributeError, match="make new ones"):
        Parameters(2).size = 4


# --- variation ----------------------------------------------------------------------------


def test_randomize_stays_in_range_and_reaches_every_value() -> None:
    rng = random.Random(1)
    drawn = [Parameters.randomize(2, rng).as_dict() for _ in range(400)]
    for name, tunable in Parameters.tunables.items():
        values = {values[name] for values in drawn}
        if tunable.is_continuous:
            assert 0.0 <= min(values) < 0.1
            assert 1.9 < max(values) <= 2.0
        else:
            assert values == set(tunable.values)


def test_randomize_depends_on_the_generator_alone() -> None:
    first = Parameters.randomize(2, random.Random(3))
    assert first == Parameters.randomize(2, random.Random(3))
    assert first != Parameters.randomize(2, random.Random(4))


def test_enumerate_gives_every_combination_once_and_defaults_for_the_rest() -> None:
    combinations = list(Parameters.enumerate(3, "scoring", "step"))
    pairs = [(p.scoring, p.step) for p in combinations]
    assert sorted(pairs) == [(s, n) for s in sorted(Scoring) for n in (5, 10, 20)]
    assert all(p.size == 3 and p.tokens == 5 for p in combinations)


def test_enumerate_walks_an_interval_from_end_to_end() -> None:
    rates = [p.rate for p in Parameters.enumerate(2, "rate", steps=5)]
    assert rates == [0.0, 0.5, 1.0, 1.5, 2.0]


def test_enumerate_of_nothing_is_the_defaults() -> None:
    assert list(Parameters.enumerate(2)) == [Parameters(2)]


def test_enumerate_refuses_unknown_names() -> None:
    with pytest.raises(ParameterError, match="'rate'"):
        list(Parameters.enumerate(2, "rat"))


# --- files and command lines --------------------------------------------------------------


def test_assignments_are_read_with_dashes_and_spaces_and_further_equal_signs() -> None:
    words = ["size = 4", "open-hands=yes", "a=b=c"]
    assert read_assignments(words) == {"size": "4", "open_hands": "yes", "a": "b=c"}


@pytest.mark.parametrize("word", ["size", "=4", " =4", ""])
def test_a_word_that_assigns_nothing_is_refused(word: str) -> None:
    with pytest.raises(ParameterError, match="name=value"):
        read_assignments([word])


def test_a_name_that_is_given_twice_is_refused_with_both_values() -> None:
    with pytest.raises(ParameterError, match="open_hands is given twice, as yes and as no"):
        read_assignments(["open-hands=yes", "size=4", "open_hands=no"])


def test_a_json_object_is_read(tmp_path: Path) -> None:
    file = tmp_path / "good.json"
    file.write_text('{"size": 4, "name": "Kö"}', encoding="utf-8")
    assert read_json_object(file) == {"size": 4, "name": "Kö"}


def test_a_byte_order_mark_before_json_is_passed_over(tmp_path: Path) -> None:
    file = tmp_path / "marked.json"
    file.write_text('{"size": 4}', encoding="utf-8-sig")
    assert read_json_object(file) == {"size": 4}


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b'{"size": 4,\n "x": }', r":2:7: is not JSON"),
        (b"", r":1:1: is not JSON"),
        (b"[1, 2]", r":1:1: expected a JSON object"),
        (b"\xff\xfe{}", r"UTF-8"),
        (b'{"size": 1, "size": 2}', r"'size' is in it twice"),
        (b'{"a": {"size": 1, "size": 1}}', r"'size' is in it twice"),
        (b"[" * 200_000, r"nested too deeply"),
        (b'{"size": 1' + b"0" * 5000 + b"}", r"not usable JSON"),
    ],
)
def test_a_file_without_a_json_object_is_refused_with_its_name_and_place(
    tmp_path: Path, content: bytes, complaint: str
) -> None:
    file = tmp_path / "bad.json"
    file.write_bytes(content)
    with pytest.raises(FileError, match=complaint) as caught:
        read_json_object(file)
    assert str(file) in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"absent\.json: cannot be read"):
        read_json_object(tmp_path / "absent.json")
    with pytest.raises(FileError, match="cannot be read"):
        read_json_object(tmp_path)


NAMES = ("self", "players", "seed", "parameters", "game", "record", "tunables", "dtype", "as_dict")


@pytest.mark.parametrize("name", NAMES)
def test_a_parameter_may_have_any_name(name: str) -> None:
    kind = type(
        "Own", (GameParameters,), {name: Tunable(1, range(1, 9)), "size": Tunable(2, (2, 3))}
    )
    values = kind(4, **{name: 5})
    assert values[name] == 5
    assert values["size"] == values.size == 2  # type: ignore[attr-defined]
    assert values.as_dict() == values.to_json() == {name: 5, "size": 2}
    assert values == kind(2, **{name: 5})
    assert values != kind(4)
    assert values.changed(4) == {name: "5"}
    record = np.frombuffer(values.record(), kind.dtype())
    assert record[name] == 5


@pytest.mark.parametrize("name", ["__class__", "__dict__", "__init__", "__len__"])
def test_a_name_that_belongs_to_python_is_refused(name: str) -> None:
    with pytest.raises(ParameterError, match=f"cannot be called {name}"):
        type("Parameters", (GameParameters,), {name: Tunable(1, range(3))})


def test_a_message_lists_few_of_many_values_and_names() -> None:
    class Many(GameParameters):
        even = Tunable(2, range(2, 100_001, 2), "an even number")

    with pytest.raises(ParameterError, match=r"one of 2, 4, 6, \.\.\., 100000\.$"):
        Many(2, even=3)
    message = did_you_mean("n11", [f"n{i}" for i in range(50_000)], "name")
    assert message.startswith("There is no name 'n11'. Did you mean 'n11'? Known: n0, n1,")
    assert message.endswith(", n99, and 49,900 more.")
