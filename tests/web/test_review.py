"""The review: what a decision cost, where that is known, and positions of a record."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

import kibitz
from kibitz.core.errors import KibitzError
from kibitz.sessions.session import Session
from kibitz.web import opinions
from kibitz.web.games import GameChoice
from kibitz.web.luck_and_skill import LuckAndSkill, luck_and_skill
from kibitz.web.review import GRADES, Decision, GameReplay, grade_of, judged, turning_points
from kibitz.web.tables import HostedTable

pytestmark = pytest.mark.usefixtures("counted")

TOE = kibitz.load("tic-tac-toe").table()


def game_of(*words: str) -> Session:
    session = Session(TOE, [None, None])
    for square in words:
        session.apply(f"mark {square}")
    return session


BLUNDER = game_of("0 0", "1 1", "2 2", "0 1", "2 1", "0 2", "2 0")  # the sixth does not block


def test_who_does_not_block_a_line_blunders() -> None:
    replay = GameReplay(BLUNDER.record(), TOE)
    judgements = {number: judged(number, replay.updates[number - 1], 80) for number in (6, 7)}
    assert judgements[6].grade == "blunder"
    assert judgements[6].player == 1
    assert judgements[6].best == "Mark 2 0"
    assert judgements[7].grade == "best"
    assert judgements[7].loss == 0.0
    html = opinions.grades(list(judgements.values()))
    assert html.count("<li>") == len(judgements)
    assert 'class="grade blunder"' in html


def test_grades_are_in_order_of_what_they_cost() -> None:
    assert [grade_of(loss) for loss in (0.0, 0.01, 0.04, 0.08, 0.3, 1.0)] == [
        *("good", "good", "inaccuracy", "mistake", "blunder", "blunder")
    ]
    assert list(GRADES.values()) == sorted(GRADES.values())


def test_the_most_expensive_mistakes_are_the_turning_points() -> None:
    losses = (0.0, 0.04, 0.3, 0.06, 0.3, 0.5)
    decisions = [Decision(n, n % 2, "a", "b", cost, (0.5, 0.5)) for n, cost in enumerate(losses)]
    assert [decision.number for decision in turning_points(decisions)] == [5, 2, 4, 3]
    assert [decision.number for decision in turning_points(decisions, 2)] == [5, 2]
    html = opinions.turns(decisions)
    assert html.count("<button") == 4
    assert 'data-act="5"' in html
    assert opinions.turns(decisions[:2]) == ""


def test_a_replay_has_every_position() -> None:
    replay = GameReplay(BLUNDER.record(), TOE)
    assert len(replay.states) == len(replay.updates) + 1
    assert replay.states[-1] == BLUNDER.state
    assert [update.before for update in replay.updates] == replay.states[:-1]


def test_a_game_is_gone_on_with_from_any_move() -> None:
    record = BLUNDER.record()
    actions = [move.action for move in record.moves[:4]]
    hosted = HostedTable.open(
        GameChoice("tic-tac-toe"), 2, {}, [None, "random"], seed=record.seed, actions=actions
    )
    assert hosted.session.state == GameReplay(record, TOE).states[4]
    assert len(hosted.session.updates) == 4
    with pytest.raises(KibitzError):
        HostedTable.open(GameChoice("tic-tac-toe"), 2, {}, [None, None], actions=[10**6])


def played_at_random(name: str, seed: int) -> GameReplay:
    table = kibitz.load(name).table()
    session, chance = Session(table, [None] * table.players, seed), random.Random(seed)
    while not session.is_over:
        session.apply(chance.choice(session.state.legal_actions()))
    return GameReplay(session.record(), table)


def ledger_of(replay: GameReplay, samples: int) -> LuckAndSkill:
    ledger = luck_and_skill(replay, samples)
    assert ledger is not None
    return ledger


@pytest.mark.parametrize("name", ["tic-tac-toe", "kuhn-poker", "love-letter"])
def test_luck_and_choices_add_up_to_the_result(name: str) -> None:
    replay = played_at_random(name, 3)
    ledger = ledger_of(replay, 32)
    players = replay.table.players
    sources = (ledger.deal, ledger.draws, ledger.own, ledger.others, ledger.noise)
    for player, result in enumerate(ledger.result):
        gained = sum(values[player] for values in sources)
        assert gained == pytest.approx(result - 1 / players)
    assert sum(ledger.result) == pytest.approx(1.0)


def test_where_nothing_is_drawn_nobody_has_luck() -> None:
    ledger = ledger_of(GameReplay(BLUNDER.record(), TOE), 400)
    assert ledger.draws == (0.0, 0.0)
    assert ledger.chance_events == ()
    assert ledger.own[0] > 0.1  # who won by choices
    assert ledger.own[0] == pytest.approx(-ledger.others[1])
    assert ledger.own[1] == pytest.approx(-ledger.others[0])
    html = opinions.luck_table(ledger, ["Ann", "B & C"])
    assert "B &amp; C" in html
    assert html.count("<tr>") == 3


def test_in_poker_of_three_cards_the_deal_is_luck() -> None:
    """By random play the king wins against others; nothing is drawn later."""
    by_deal = [ledger_of(played_at_random("kuhn-poker", seed), 200) for seed in range(12)]
    for ledger in by_deal:
        assert ledger.draws == (0.0, 0.0)
        assert abs(ledger.deal[0]) > 0.1
        assert ledger.deal[0] == pytest.approx(-ledger.deal[1])


def test_luck_is_not_told_of_games_that_are_not_over_or_have_no_winner() -> None:
    assert luck_and_skill(GameReplay(game_of("0 0").record(), TOE), 32) is None
    replay = GameReplay(BLUNDER.record(), TOE)
    replay.give_up()
    assert luck_and_skill(replay, 32) is None
    long = replace(ledger_of(GameReplay(BLUNDER.record(), TOE), 32), error=0.5)
    assert "too long" in opinions.luck_table(long, ["a", "b"])
    assert opinions.luck_table(None, ["a", "b"]) == ""
