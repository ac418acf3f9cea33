"""How fast rules are: the loops do what they say, whatever the machine."""

import pytest
from tests.studies.tiny_games import has_dead_end

import kibitz
from kibitz.arena.speed import KINDS, Batch, measure_speed
from kibitz.core.state import State


@pytest.mark.parametrize("name", ["tic-tac-toe", "agram", "nim"])
def test_every_kind_of_call_has_a_rate(name):
    speed = measure_speed(kibitz.load(name).table(), seconds=0.001)
    assert set(speed.to_json()) == set(KINDS)
    assert all(rate > 100 for rate in speed.to_json().values())


def test_an_action_is_played_in_every_state():
    table = kibitz.load("tic-tac-toe").table()
    batch = Batch(table, 50)
    assert batch.size == 50
    size = table.state_size
    before = batch._kept
    batch.seconds("apply")
    after = batch._rooms[0].raw
    for i in range(50):
        state = State.from_bytes(table, before[i * size : (i + 1) * size])
        assert batch._chosen[i] in state.legal_actions()
        state.apply(batch._chosen[i])
        played = State.from_bytes(table, after[i * size : (i + 1) * size])
        assert played.describe() == state.describe()
    batch.seconds("legal_actions")  # of the states as they were
    assert batch._rooms[0].raw[: 50 * size] == before


def test_rules_that_are_not_compiled_have_no_speed():
    assert measure_speed(has_dead_end().table()) is None
