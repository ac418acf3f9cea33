"""Several threads at one table: they do not block each other, and share no memory."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

import kibitz
from kibitz.core.agent import make_agent
from kibitz.core.game import RulesRecord, Table
from kibitz.core.state import hidden_share


def looks(table: Table) -> Callable[[], object]:
    """A function that reads all that an observer of a game may need."""
    state = table.new_state(3)
    state.apply(state.legal_actions()[0])
    return lambda: (
        state.legal_actions(),
        bytes(state.determinize(0, 5)),
        bytes(state.observation(1)),
        state.describe(0),
        state.heuristic(0),
        hidden_share(state, 0),
    )


GAMES = ["love-letter", "light-cycles", "kriegspiel-tic-tac-toe", "breakthrough", "hearts"]


@pytest.mark.parametrize("name", GAMES)
def test_a_look_needs_no_record_that_is_in_use(name: str) -> None:
    """A search holds its record for as long as it thinks; a look takes another one."""
    table = kibitz.load(name).table()
    look = looks(table)
    alone = look()
    done = threading.Event()

    def look_meanwhile() -> None:
        assert look() == alone
        done.set()

    with table.borrowed(), table.borrowed():
        thread = threading.Thread(target=look_meanwhile, daemon=True)
        thread.start()
        thread.join(60)
        assert done.is_set()


def test_records_in_use_share_no_memory_to_work_with() -> None:
    table = kibitz.load("light-cycles").table()
    with table.borrowed() as first, table.borrowed() as second:
        for field in ("scratch", "context"):
            values = {int(rules.record[field][0]) for rules in (first, second)}
            assert len(values | {int(table.record[field][0])}) == 3
    with table.borrowed() as again:
        assert again in (first, second)


def test_there_is_a_record_for_brief_calls_and_as_many_as_were_in_use_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[RulesRecord] = []
    new_record = Table._new_record
    monkeypatch.setattr(
        Table, "_new_record", lambda self: made.append(new_record(self)) or made[-1]
    )
    table = kibitz.load("tic-tac-toe").table().fork()
    state = table.new_state(1)
    for _ in range(100):
        state.determinize(0, 1)
        state.legal_actions()
    assert len(made) == 2


@pytest.mark.parametrize("name", GAMES)
def test_states_looked_at_and_searched_in_many_threads_are_as_in_one(name: str) -> None:
    table = kibitz.load(name).table()

    def think(seed: int) -> object:
        agent = make_agent("mcts:iterations=60")
        agent.random.seed(seed)
        state = table.new_state(seed)
        advice = [(a.action, a.share, a.value) for a in agent.advise(state)]
        return advice, bytes(state.determinize(1, seed)), state.legal_actions()

    alone = [think(seed) for seed in range(8)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(think, range(8))) == alone
