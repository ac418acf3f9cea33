"""Sessions: seats, actions, agents seeded as in a match, undo, hints, saving and resuming."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

import kibitz
from kibitz.core.agent import Agent, make_agents
from kibitz.core.errors import (
    AgentError,
    FileError,
    IllegalActionError,
    ParameterError,
    PlayError,
)
from kibitz.core.game import Table
from kibitz.core.state import State
from kibitz.sessions import Record, Session
from kibitz.sessions.session import play_again

TOE = kibitz.load("tic-tac-toe").table()
LETTER = kibitz.load("love-letter").table(3)
BELIEVER = "ismcts:iterations=30,belief=actions,particles=20"
AGENTS = {
    "love-letter": ["random", "ismcts:iterations=40", BELIEVER],
    "light-cycles": ["mccfr:iterations=8,width=4", "ggp:iterations=40"],
    "hearts": ["random", "pimc:iterations=20", "first-legal", "ismcts:iterations=20"],
}


class Dreamer(Agent):
    """Chooses by its own generator, and by how often it was asked in this game."""

    name = "dreamer"

    def start(self, table: Table) -> None:
        self.asked = 0

    def choose(self, state: State) -> int:
        self.asked += 1
        return self.random.choice(state.legal_actions())


class Learner(Dreamer):
    """Chooses by how often it was asked since it began, and by what it drew then."""

    name = "learner"

    def start(self, table: Table) -> None:
        super().start(table)
        self.secret = self.random.getrandbits(20)

    def choose(self, state: State) -> int:
        self.asked += 1
        legal = state.legal_actions()
        return legal[(self.secret >> self.asked % 20) % len(legal)]


@pytest.fixture(autouse=True)
def _known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kibitz.core.agent._added", {"dreamer": Dreamer, "learner": Learner})


def play_on(session: Session, actions: int = 10_000) -> Session:
    """Plays; where somebody outside is to act, the last of their legal actions."""
    for _ in range(actions):
        if session.is_over:
            break
        if session.awaits is None:
            session.advance()
        else:
            session.apply(session.state.legal_actions()[-1])
    return session


# --- agents are seeded as in the match loop ------------------------------------------------


@pytest.mark.parametrize("name", AGENTS)
def test_a_session_of_agents_is_the_game_that_the_match_loop_plays(name: str) -> None:
    table = kibitz.load(name).table(len(AGENTS[name]))
    recorded = kibitz.record(table, make_agents(AGENTS[name], table.players), 5)
    session = Session(table, AGENTS[name], 5)
    while len(session.moves) < min(60, len(recorded.moves)):
        session.advance()
    assert session.moves == list(recorded.moves[: len(session.moves)])
    if session.is_over:
        assert session.record() == recorded
        assert play_again(recorded).state == session.state


def test_a_python_agent_is_seeded_as_in_the_match_loop() -> None:
    recorded = kibitz.record(LETTER, [Dreamer(), Dreamer(), Dreamer()], 9)
    assert play_on(Session(LETTER, ["dreamer"] * 3, 9)).record() == recorded


@pytest.mark.parametrize("name", AGENTS)
def test_a_record_is_played_again_agents_included(name: str) -> None:
    table = kibitz.load(name).table(len(AGENTS[name]))
    session = Session(table, [None, *AGENTS[name][1:]], 11)
    record = play_on(session, 40).record()
    again = play_again(Record.from_json(record.to_json()))
    assert again.moves == session.moves
    assert again.state == session.state


def test_playing_again_tells_which_agent_decides_otherwise() -> None:
    record = Session(TOE, ["random", "first-legal"], 2)
    play_on(record)
    other = record.record().to_json() | {"agents": ["random", "osla"]}
    with pytest.raises(PlayError, match=r"move \d: osla was to 'mark .*', and now chooses 'mark"):
        play_again(Record.from_json(other))


# --- seats and actions ---------------------------------------------------------------------


def test_who_sits_outside_is_waited_for() -> None:
    session = Session(TOE, [None, "first-legal"], 1)
    assert session.awaits == session.player == 0
    with pytest.raises(AgentError, match="Player 1 is no agent"):
        session.advance()
    update = session.apply("mark 1 1")
    assert session.awaits is None
    assert (update.move.player, update.move.words, update.move.forced) == (0, "mark 1 1", False)
    assert [event.text for event in update.events(0)] == ["You: mark 1 1"]
    assert [event.text for event in update.events(1)] == ["Player 1: mark 1 1"]
    assert session.advance().move.player == 1


def test_an_illegal_action_changes_nothing() -> None:
    session = Session(TOE, [None, None])
    session.apply("mark 1 1")
    with pytest.raises(IllegalActionError, match="'mark 1 1' is not legal here"):
        session.apply("mark 1 1")
    assert len(session.moves) == 1


def test_seats_have_to_fit() -> None:
    with pytest.raises(AgentError, match="1 agents cannot fill 2 seats"):
        Session(TOE, [None])
    with pytest.raises(AgentError, match="plays love-letter only"):
        Session(TOE, [None, "love-letter-reflex"])


def test_what_an_agent_would_do_can_be_asked_before_it_is_played() -> None:
    session = Session(LETTER, ["ismcts:iterations=30"] * 3, 4)
    whole = play_on(Session(LETTER, ["ismcts:iterations=30"] * 3, 4)).moves
    while not session.is_over:
        if len(session.state.legal_actions()) > 1:
            assert session.decide() == session.decide()
        session.advance()
    assert session.moves == whole


def test_a_seat_sees_no_more_than_its_player() -> None:
    session = play_on(Session(LETTER, [None] * 3, 3), 4)
    update = session.apply(session.state.legal_actions()[0])
    for seat in range(3):
        assert bytes(update.observation(seat)) == bytes(session.state.observation(seat))
        shown = update.to_json(seat)
        assert shown["state"] == session.state.observation(seat).to_json()
        assert [event["text"] for event in shown["events"]] == [
            event.text for event in update.events(seat)
        ]


def test_only_the_mover_is_told_that_an_action_was_forced() -> None:
    """Others could tell from it what is hidden in the mover's hand."""
    session, told = Session(LETTER, [None] * 3, 3), set()
    while not session.is_over:
        update = session.apply(session.state.legal_actions()[0])
        for seat in (0, 1, 2, None):
            action = next(event for event in update.events(seat) if event.kind == "action")
            if seat == update.move.player:
                assert action.data["forced"] is update.move.forced
                told.add(update.move.forced)
            else:
                assert "forced" not in action.data
    assert told == {False, True}


def test_a_look_does_not_wait_for_an_agent_that_thinks() -> None:
    """An agent is in the middle of its decision; everything can be looked at."""
    inside, seen = threading.Event(), threading.Event()

    class Slow(Agent):
        name = "slow"

        def choose(self, state: State) -> int:
            inside.set()
            assert seen.wait(60)
            return state.legal_actions()[0]

    session = Session(LETTER, [Slow(), None, None], 3)
    thinking = threading.Thread(target=session.advance, daemon=True)
    thinking.start()
    assert inside.wait(60)
    for seat in range(3):
        session.observation(seat)
        session.determinize(seat)
        session.state.describe(seat)
    assert session.record().moves == ()
    seen.set()
    thinking.join(60)
    assert len(session.moves) == 1


# --- undo and hints ------------------------------------------------------------------------


@pytest.mark.parametrize("agent", ["ismcts:iterations=30", BELIEVER, "random", "dreamer"])
def test_after_an_undo_the_game_goes_on_as_if_it_had_not_been_played(agent: str) -> None:
    session = play_on(Session(LETTER, [None, agent, agent], 6), 25)
    straight = play_on(Session(LETTER, [None, agent, agent], 6), 9)
    session.undo(16)
    assert session.moves == straight.moves
    assert session.state == straight.state
    assert play_on(session, 30).moves == play_on(straight, 30).moves
    session.undo(len(session.moves))
    assert session.state == LETTER.new_state(6)


def test_an_undo_takes_back_what_was_thought() -> None:
    session, straight = (Session(LETTER, ["random"] * 3, 2) for _ in range(2))
    session.decide()
    session.undo(0)
    assert play_on(session).moves == play_on(straight).moves


def test_there_is_not_more_to_undo_than_was_played() -> None:
    session = play_on(Session(TOE, ["random", "random"]), 2)
    with pytest.raises(ParameterError, match="There are 2 actions, not 3"):
        session.undo(3)
    wrong: list[Any] = [-1, 1.0, "1", True]
    for actions in wrong:
        with pytest.raises(ParameterError, match=f"actions = {actions!r} should be"):
            session.undo(actions)
    assert len(session.moves) == 2


def test_a_hint_changes_nothing_and_is_the_same_each_time() -> None:
    session = play_on(Session(LETTER, [None, "ismcts:iterations=30", "random"], 6), 6)
    straight = play_on(Session(LETTER, [None, "ismcts:iterations=30", "random"], 6), 6)
    hints = [session.advise("ismcts:iterations=100") for _ in range(2)]
    assert hints[0] == hints[1]
    assert {advice.action for advice in hints[0]} <= set(session.state.legal_actions())
    assert play_on(session).moves == play_on(straight).moves


def test_a_hint_of_an_agent_that_holds_a_seat_changes_nothing() -> None:
    session, straight = (play_on(Session(LETTER, [Dreamer()] * 3, 6), 6) for _ in range(2))
    session.advise(session.agents[session.player])
    assert play_on(session).moves == play_on(straight).moves


@pytest.mark.parametrize(
    "agent",
    [
        "learner",
        "ggp:iterations=30",
        "mccfr:iterations=8,width=4",
        "rhea:iterations=20",
        "restrict:base=osla",
    ],
)
def test_a_game_with_moves_taken_back_is_played_again(agent: str) -> None:
    """What an agent learned before is forgotten at the same moves as then."""
    session = play_on(Session(LETTER, [None, agent, agent], 6), 14)
    session.undo(3)
    play_on(session, 6)
    session.undo(2)
    kept = Record.from_json(play_on(session, 4).record().to_json())
    resumed = play_on(Session.resume(kept))
    record = Record.from_json(resumed.record().to_json())
    assert record.restarts == (11, 15, 19)
    assert play_again(record, LETTER).state == resumed.state


@pytest.mark.parametrize("agent", ["ismcts:iterations=5", "random", "dreamer", "learner"])
@pytest.mark.parametrize("kept", [0, 5, 9])
def test_moves_of_an_earlier_sitting_are_taken_back(agent: str, kept: int) -> None:
    """The record says from where agents went on; so it can be played again, also after a rest."""
    first = play_on(Session(LETTER, [None, agent, agent], 6), 12)
    session = Session.resume(Record.from_json(first.record().to_json()))
    play_on(session, 3)
    session.undo(15 - kept)
    assert session.moves == first.moves[:kept]
    play_on(session, 6)
    resumed = play_on(Session.resume(Record.from_json(session.record().to_json())))
    record = Record.from_json(resumed.record().to_json())
    assert [moves for moves, _ in record.detours] == [kept]
    assert play_again(record, LETTER).state == resumed.state
    if agent != "learner":  # which was resumed once more
        session.undo(len(session.moves) - kept)
        assert play_on(session).record() == record


def test_a_detour_is_forgotten_with_the_moves_before_it() -> None:
    session = Session.resume(play_on(Session(LETTER, ["random"] * 3, 6), 12).record())
    session.undo(4)
    session.undo(6)
    record = session.record()
    assert [moves for moves, _ in record.detours] == [2]
    document = record.to_json()
    document["detours"][0]["moves"] = 3
    with pytest.raises(FileError, match=r"detours\[0\].moves should be from 0 to 2"):
        Record.from_json(document)


# --- keeping and going on ------------------------------------------------------------------


@pytest.mark.parametrize("agent", ["ismcts:iterations=30", BELIEVER, "random", "dreamer"])
def test_played_in_two_sittings_it_is_the_same_game(agent: str, tmp_path: Path) -> None:
    seats = [None, agent, "osla"]
    whole = play_on(Session(LETTER, seats, 8))
    parts = play_on(Session(LETTER, seats, 8), 17)
    file = tmp_path / "kept.json"
    if parts.awaits is None and len(parts.state.legal_actions()) > 1:
        parts.decide()  # in the middle of a decision
    parts.save(file)
    resumed = Session.resume(Record.read(file), LETTER)
    assert resumed.moves == parts.moves
    assert play_on(resumed).record() == whole.record()
    assert "streams" not in whole.record().to_json()


def test_a_game_that_is_over_is_not_resumed() -> None:
    record = play_on(Session(TOE, ["random", "random"])).record()
    with pytest.raises(FileError, match="that game is over"):
        Session.resume(record)


def test_a_record_without_streams_is_resumed() -> None:
    session = play_on(Session(TOE, ["random", None], 1), 3)
    document = session.record().to_json()
    del document["streams"]
    resumed = play_on(Session.resume(Record.from_json(document)))
    assert resumed.is_over
    assert resumed.moves[:3] == session.moves


@pytest.mark.parametrize(
    ("stream", "words"),
    [
        ([1, 2, 3], "four numbers of 32 bits"),
        ([1, 2, 3, -4], "four numbers of 32 bits"),
        ([1, 2, 3, 2**40], "four numbers of 32 bits"),
        (["a"], r"streams\[0\]\[0\] should be a whole number"),
        ([1] * 2000, r"streams\[0\] should be no longer"),
    ],
)
def test_a_stream_that_is_none_is_refused(stream: list[object], words: str) -> None:
    document = play_on(Session(TOE, ["random", None], 1), 1).record().to_json()
    document["streams"] = [stream, []]
    with pytest.raises(FileError, match=words):
        Session.resume(Record.from_json(document))


@pytest.mark.parametrize("restarts", [3, [0.5], [-1], [2]])
def test_restarts_that_are_none_are_refused(restarts: object) -> None:
    document = play_on(Session(TOE, ["random", None], 1), 1).record().to_json()
    with pytest.raises(FileError, match="restarts"):
        Record.from_json(document | {"restarts": restarts})


@pytest.mark.parametrize("numbers", [[1, 2], [-1] * 625, [2**40] * 625, [0] * 624 + [9999]])
def test_a_generator_that_is_none_is_refused(numbers: list[int]) -> None:
    document = play_on(Session(TOE, ["dreamer", None], 1), 1).record().to_json()
    document["streams"] = [[1, 2, 3, 4, *numbers], []]
    with pytest.raises(FileError, match=r"streams\[0\]"):
        Session.resume(Record.from_json(document))


def test_a_seat_that_does_not_exist_is_told_nothing() -> None:
    session = Session(LETTER, ["random"] * 3)
    update = session.advance()
    for seat in (-1, 3):
        with pytest.raises(IndexError, match=r"players are numbered 0 \.\. 2"):
            session.opening(seat)
        with pytest.raises(IndexError, match=r"players are numbered 0 \.\. 2"):
            update.events(seat)
