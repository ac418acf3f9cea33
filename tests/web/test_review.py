"""The review: what a decision cost, where that is known, and positions of a record."""

from __future__ import annotations

import pytest

import kibitz
from kibitz.core.errors import KibitzError
from kibitz.sessions.session import Session
from kibitz.web import opinions
from kibitz.web.games import GameChoice
from kibitz.web.review import GRADES, Decision, Replay, grade_of, judged, turning_points
from kibitz.web.tables import HostedTable

pytestmark = pytest.mark.usefixtures("counted")

TOE = kibitz.load("tic-tac-toe").table()


def game_of(*words: str) -> Session:
    session = Session(TOE, [None, None])
    for said in words:
        session.apply(f"mark {said}")
    return session


BLUNDER = game_of("0 0", "1 1", "2 2", "0 1", "2 1", "0 2", "2 0")  # the sixth does not block


def test_who_does_not_block_a_line_blunders() -> None:
    replay = Replay(BLUNDER.record(), TOE)
    found = {number: judged(number, replay.updates[number - 1], 80) for number in (6, 7)}
    assert found[6].grade == "blunder"
    assert found[6].player == 1
    assert found[6].best == "Mark 2 0"
    assert found[7].grade == "best"
    assert found[7].loss == 0.0
    html = opinions.grades(list(found.values()))
    assert html.count("<li>") == len(found)
    assert 'class="grade blunder"' in html


def test_grades_are_in_order_of_what_they_cost() -> None:
    assert [grade_of(loss) for loss in (0.0, 0.01, 0.04, 0.08, 0.3, 1.0)] == [
        *("good", "good", "inaccuracy", "mistake", "blunder", "blunder")
    ]
    assert list(GRADES.values()) == sorted(GRADES.values())


def test_the_most_expensive_mistakes_are_the_turning_points() -> None:
    losses = (0.0, 0.04, 0.3, 0.06, 0.3, 0.5)
    decisions = [Decision(n, n % 2, "a", "b", cost, (0.5, 0.5)) for n, cost in enumerate(losses)]
    assert [one.number for one in turning_points(decisions)] == [5, 2, 4, 3]
    assert [one.number for one in turning_points(decisions, 2)] == [5, 2]
    html = opinions.turns(decisions)
    assert html.count("<button") == 4
    assert 'data-act="5"' in html
    assert opinions.turns(decisions[:2]) == ""


def test_a_replay_has_every_position() -> None:
    replay = Replay(BLUNDER.record(), TOE)
    assert len(replay.states) == len(replay.updates) + 1
    assert replay.states[-1] == BLUNDER.state
    assert [update.before for update in replay.updates] == replay.states[:-1]


def test_a_game_is_gone_on_with_from_any_move() -> None:
    record = BLUNDER.record()
    actions = [move.action for move in record.moves[:4]]
    hosted = HostedTable.open(
        GameChoice("tic-tac-toe"), 2, {}, [None, "random"], seed=record.seed, actions=actions
    )
    assert hosted.session.state == Replay(record, TOE).states[4]
    assert len(hosted.updates) == 4
    with pytest.raises(KibitzError):
        HostedTable.open(GameChoice("tic-tac-toe"), 2, {}, [None, None], actions=[10**6])
