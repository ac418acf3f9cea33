"""What is searched: axes, values, points."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.studies.tuning.functions import Colour, grid

import kibitz
from kibitz.core.agent import agent_class, agent_names
from kibitz.core.errors import ParameterError
from kibitz.core.parameters import Tunable
from kibitz.studies.tuning.space import Space, read_space, tunable_names, usual_values


def named(**tunables: Tunable) -> dict[str, Tunable]:
    for name, tunable in tunables.items():
        tunable.name = name
    return tunables


DECLARED = named(
    c=Tunable(0.7, (0.0, 100.0), tune=(0.1, 0.7, 2.0)),
    size=Tunable(3, range(1, 101)),
    wild=Tunable(False),
    colour=Tunable(Colour.GREEN),
    budget=Tunable(0, range(1000), tune=()),
)
START = {"c": 0.7, "size": 3, "wild": False, "colour": Colour.GREEN, "budget": 0}


def test_usual_values_and_where_the_search_starts() -> None:
    space = Space.of(DECLARED, START)
    assert [axis.name for axis in space.axes] == ["c", "size", "wild", "colour"]
    assert space.axes[0].values == (0.1, 0.7, 2.0)
    assert len(space.axes[1].values) == 10
    assert {1, 3, 100} <= set(space.axes[1].values)
    assert space.values(space.start) == {k: v for k, v in START.items() if k != "budget"}
    assert space.changed(space.start) == {}


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("0.5,0.7,1", (0.5, 0.7, 1.0)),
        ("0.6..0.8/3", (0.6, 0.7, 0.8)),
        ("0.25..4/5", (0.25, 0.5, 0.7, 1.0, 2.0, 4.0)),
        ("", (0.1, 0.7, 2.0)),
    ],
)
def test_values_of_reals(text: str, values: tuple[float, ...]) -> None:
    [axis] = Space.of(DECLARED, START, {"c": text}).axes
    assert axis.values == pytest.approx(values)
    assert axis.values[axis.start] == 0.7


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("2..5", (2, 3, 4, 5)),
        ("5,9", (3, 5, 9)),
        ("1..100/3", (1, 3, 51, 100)),
    ],
)
def test_values_of_whole_numbers(text: str, values: tuple[int, ...]) -> None:
    [axis] = Space.of(DECLARED, START, {"size": text}).axes
    assert axis.values == values


def test_names_of_choices() -> None:
    space = Space.of(DECLARED, START, {"colour": "red,green", "wild": ""})
    assert [axis.words for axis in space.axes] == [("red", "green"), ("false", "true")]


@pytest.mark.parametrize(
    ("narrowed", "words"),
    [
        ({"sice": ""}, "Did you mean 'size'"),
        ({"size": "0..5"}, "is not allowed"),
        ({"size": "9..2"}, "from a number to a larger one"),
        ({"colour": "red..blue"}, "from a number to a larger one"),
        ({"size": "1..9/1"}, "2 to 200 values"),
        ({"budget": ""}, "say which"),
        ({"size": "3"}, "nothing to tune"),
    ],
)
def test_what_cannot_be_searched(narrowed: dict[str, str], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        Space.of(DECLARED, START, narrowed)


def test_words_of_the_command_line() -> None:
    assert read_space([]) is None
    assert read_space(["c=0.3..2 rollout=...", "max-nodes"]) == {
        "c": "0.3..2",
        "rollout": "",
        "max_nodes": "",
    }
    with pytest.raises(ParameterError, match="twice"):
        read_space(["c c=1,2"])


def test_neighbours_are_one_step_away() -> None:
    space = Space.of(DECLARED, START, {"size": "1..5", "colour": ""})
    around = set(space.neighbours(space.start))
    assert {space.words(point)["size"] for point in around} == {"2", "3", "4"}
    assert {space.words(point)["colour"] for point in around} == {"red", "green", "blue"}
    assert len(around) == 4


def test_draws_are_uniform_over_what_can_be_combined() -> None:
    space = grid(3, 3)
    rng = random.Random(1)
    points = [space.draw(rng, lambda point: point != (0, 0)) for _ in range(1600)]
    assert len(set(points)) == 8
    assert all(150 < points.count(point) < 250 for point in set(points))


@pytest.mark.parametrize("name", agent_names())
def test_every_agent_declares_values_that_it_allows(name: str) -> None:
    options = agent_class(name).Options
    for tunable in options.tunables.values():
        assert all(tunable.allows(value) for value in usual_values(tunable))
    assert not {"iterations", "milliseconds", "calls"} & set(tunable_names(options))


@pytest.mark.parametrize("name", ["love-letter", "agram", "uno", "virus"])
def test_every_game_has_a_space(name: str) -> None:
    game = kibitz.load(name)
    parameters = game.table().parameters
    space = Space.of(game.Parameters.tunables, parameters.as_dict())
    for axis in space.axes:
        assert all(axis.tunable.allows(value) for value in axis.values)
        assert axis.values[axis.start] == parameters[axis.name]


@settings(max_examples=60, deadline=None)
@given(
    low=st.floats(0.01, 10),
    factor=st.floats(1.05, 1000),
    steps=st.integers(2, 50),
    start=st.floats(0.0, 100.0),
)
def test_a_range_of_reals(low: float, factor: float, steps: int, start: float) -> None:
    high = min(100.0, low * factor)
    if high <= low:
        return
    [axis] = Space.of(
        DECLARED, START | {"c": start}, {"c": f"{low!r}..{high!r}/{steps}"}
    ).axes or (None,)
    assert axis is not None
    assert list(axis.values) == sorted(set(axis.values))
    assert len(axis.values) <= steps + 1
    assert axis.values[axis.start] == start
    assert all(low <= value <= high or value == start for value in axis.values)
