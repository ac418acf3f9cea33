"""The game manager, with players that were not written with Kibitz, and with ours."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.ggp.foreign import ForeignPlayer, wait_for

from kibitz import gdl
from kibitz.core.errors import FileError
from kibitz.gdl import library
from kibitz.gdl.game import GdlGame
from kibitz.gdl.prover import Prover
from kibitz.ggp.manager import Manager, MatchSettings, Replace, Seat, greet
from kibitz.ggp.messages import parse, parse_status
from kibitz.ggp.record import MatchRecord
from kibitz.ggp.replaying import contradiction
from kibitz.ggp.table import Players

TIC_TAC_TOE = library.gdl_tic_tac_toe.fork()
RULES = TIC_TAC_TOE.text.text
FAST = MatchSettings(startclock=2, playclock=1, seed=1)
UNHURRIED = MatchSettings(startclock=60, playclock=30, seed=1)
"""Long clocks for players that answer immediately, so that a busy machine does not matter."""


def run(
    game: GdlGame, ports: Sequence[int], settings: MatchSettings = FAST, match: str = "m1"
) -> MatchRecord:
    seats = [Seat(f"p{port}", "127.0.0.1", port) for port in ports]
    manager = Manager(match, game, seats, settings)
    record = asyncio.run(manager.run())
    assert record.problem() is None
    assert contradiction(record, game) is None
    assert MatchRecord.from_json(json.loads(json.dumps(record.to_json()))) == record
    return record


class Scripted:
    """A foreign player that keeps to the protocol and plays the first legal move."""

    def __init__(self, role: str, move: Callable[[list[str]], str | None] | None = None) -> None:
        self.role, self.move = role, move
        self.state: list[str] = []

    def __call__(self, connection: socket.socket, message: str) -> str | None:
        verb = message.strip("( ").split()[0]
        if verb == "START":
            self.state = gdl.findinits(RULES)
            return "READY"
        if verb in ("STOP", "ABORT"):
            return "DONE"
        moves = parse(message).report.moves  # type: ignore[union-attr]
        self.state = gdl.simulate(moves, self.state, RULES)
        legal = gdl.findlegals(self.role, self.state, RULES)
        return self.move(legal) if self.move is not None else legal[0]


@pytest.fixture
def black() -> Iterator[ForeignPlayer]:
    with ForeignPlayer(Scripted("black")) as player:
        yield player


def test_a_match_of_foreign_players_byte_by_byte(black: ForeignPlayer) -> None:
    with ForeignPlayer(Scripted("white")) as white:
        record = run(TIC_TAC_TOE, [white.port, black.port], UNHURRIED)
    rules = " ".join(gdl_text().split())
    assert white.heard[0] == f"( START m1 white ( {rules} ) 60 30 )"
    assert black.heard[0] == f"( START m1 black ( {rules} ) 60 30 )"
    assert white.heard[1:3] == ["( PLAY m1 NIL )", "( PLAY m1 ( ( mark 1 1 ) noop ) )"]
    assert white.heard[-1] == "( STOP m1 ( ( mark 3 1 ) noop ) )"
    assert white.heard[1:] == black.heard[1:]
    assert record.completed
    assert not record.aborted
    assert record.goals == [100, 0]
    assert record.moves[:2] == [["(mark 1 1)", "noop"], ["noop", "(mark 1 2)"]]
    assert all(error == "" for step in record.errors for error in step)


def gdl_text() -> str:
    from kibitz.gdl.writer import to_kif

    return to_kif(TIC_TAC_TOE.description)


def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def silent(connection: socket.socket, message: str) -> str | None:
    time.sleep(3)
    return None


def hang_up(connection: socket.socket, message: str) -> str | None:
    return None


def endless(connection: socket.socket, message: str) -> str | None:
    connection.sendall(b"HTTP/1.0 200 OK\r\n\r\n")
    while True:
        connection.sendall(b"a")
        time.sleep(0.01)


def giant(connection: socket.socket, message: str) -> str | None:
    connection.sendall(b"HTTP/1.0 200 OK\r\n\r\n")
    while True:
        connection.sendall(b"(" * 65536)


def no_http(connection: socket.socket, message: str) -> str | None:
    connection.sendall(b"( mark 1 1 )")
    return None


@pytest.mark.parametrize(
    ("behave", "error"),
    [
        (lambda c, s: "( mark 9 9 )", "IL ( mark 9 9 )"),
        (lambda c, s: "(dance)", "IL ( dance )"),
        (lambda c, s: "nil", "IL nil"),
        (lambda c, s: "((", "IL null"),
        (lambda c, s: "", "IL null"),
        (lambda c, s: "a b c", "IL null"),
        (lambda c, s: "\x00\x1b[1m", "IL ??[1m"),
        (lambda c, s: "a" * 9000, f"IL {'a' * 197}..."),
        (hang_up, "CE"),
        (giant, "IL null"),
        (no_http, "IL null"),
    ],
)
def test_answers_that_are_no_moves_are_replaced_and_noted(
    black: ForeignPlayer, behave: Callable[[socket.socket, str], str | None], error: str
) -> None:
    with ForeignPlayer(behave) as white:
        record = run(TIC_TAC_TOE, [white.port, black.port], UNHURRIED)
    assert record.completed
    assert {step[0] for step in record.errors[1:]} == {error}
    assert {step[1] for step in record.errors} == {""}
    assert record.errors[0][0] == error


@pytest.mark.parametrize("behave", [silent, endless])
def test_answers_that_come_too_late_are_replaced_and_noted(
    behave: Callable[[socket.socket, str], str | None],
) -> None:
    game = gdl.load(
        "(role a) (legal a x) (legal a y) (init s) (goal a 5) (<= terminal (not (true s)))"
    )
    with ForeignPlayer(behave) as late:
        record = run(game, [late.port], MatchSettings(startclock=1, playclock=1))
    assert record.errors == [["TO"], ["TO"]]
    assert 1.0 <= record.seconds[0][0] < 2.5
    assert 2.0 <= record.seconds[1][0] < 3.5
    assert record.goals == [5]


def test_a_match_between_closed_ports_is_played_to_its_end() -> None:
    record = run(TIC_TAC_TOE, [closed_port(), closed_port()])
    assert record.completed
    assert {error for step in record.errors for error in step} == {"CE"}


def test_an_unknown_host_is_no_connection() -> None:
    seats = [Seat("x", "no-such-host.invalid", 9147), Seat("y", "127.0.0.1", closed_port())]
    record = asyncio.run(Manager("m1", TIC_TAC_TOE, seats, FAST).run())
    assert record.completed
    assert record.errors[0] == ["CE", "CE"]


def test_the_first_legal_move_may_stand_in() -> None:
    settings = MatchSettings(startclock=1, playclock=1, replace=Replace.FIRST)
    record = run(TIC_TAC_TOE, [closed_port(), closed_port()], settings)
    state = gdl.findinits(RULES)
    for step in record.moves:
        assert step == [gdl.findlegalx(role, state, RULES) for role in ("white", "black")]
        state = gdl.findnext(["white", "black"], step, state, RULES)


def test_the_same_seed_gives_the_same_replacements() -> None:
    ports = [closed_port(), closed_port()]
    matches = [run(TIC_TAC_TOE, ports, MatchSettings(1, 1, seed=seed)).moves for seed in (3, 3, 4)]
    assert matches[0] == matches[1] != matches[2]


@pytest.mark.parametrize(
    "spell",
    [
        str.upper,
        lambda move: f"({move} (explanation because) (taunt ha))",
        lambda move: move.replace(" ", "\r\n\t ; a comment\n"),
    ],
)
def test_moves_are_compared_by_what_they_mean(
    black: ForeignPlayer, spell: Callable[[str], str]
) -> None:
    with ForeignPlayer(Scripted("white", lambda legal: spell(legal[0]))) as white:
        record = run(TIC_TAC_TOE, [white.port, black.port], UNHURRIED)
    assert {error for step in record.errors for error in step} == {""}
    assert record.moves[0] == ["(mark 1 1)", "noop"]


def test_players_are_asked_at_the_same_time() -> None:
    both_asked = threading.Barrier(2, timeout=10)

    def patient(connection: socket.socket, message: str) -> str:
        both_asked.wait()
        return "north" if "PLAY" in message else "ready"

    rules = """(role a) (role b) (init s) (legal a north) (legal b north) (goal a 1) (goal b 2)
        (<= terminal (not (true s)))"""
    with ForeignPlayer(patient) as a, ForeignPlayer(patient) as b:
        record = run(gdl.load(rules), [a.port, b.port])
    assert record.goals == [1, 2]
    assert not any(map(any, record.errors))
    assert not both_asked.broken


def test_chance_is_played_by_the_manager() -> None:
    rules = """(role random) (role a) (init s) (legal random 1) (legal random 2) (legal a ok)
        (<= (next (got ?x)) (does random ?x)) (goal a 50) (<= terminal (not (true s)))"""
    game, drawn = gdl.load(rules), set()
    with ForeignPlayer(lambda c, s: "ok" if "PLAY" in s else "ready") as a:
        for seed in range(12):
            record = run(game, [a.port], MatchSettings(1, 1, seed=seed))
            drawn.add(record.moves[0][0])
            assert record.players[0] == "random"
            assert record.goals == [0, 50]
            assert record.errors == [["", ""], ["", ""]]
        assert a.heard[2] == f"( STOP m1 ( {record_move(a.heard[2])} ok ) )"
    assert drawn == {"1", "2"}
    assert "START m1 a" in a.heard[0]


def record_move(message: str) -> str:
    return message.split("( ")[2].split()[0]


def test_percepts_are_sent_as_dresden_does() -> None:
    game = library.monty_hall.fork()

    def play(connection: socket.socket, message: str) -> str:
        if "START" in message:
            return "ready"
        if "STOP" in message:
            return "done"
        return ["noop", "( CHOOSE 3 )", "noop", "switch"][parse(message).report.turn]  # type: ignore

    with ForeignPlayer(play) as candidate:
        record = run(game, [candidate.port])
    door = record.moves[2][1].strip(")").split()[1]
    assert candidate.heard[1:3] == ["( PLAY m1 0 NIL NIL )", "( PLAY m1 1 noop NIL )"]
    assert candidate.heard[3] == "( PLAY m1 2 ( choose 3 ) NIL )"
    assert candidate.heard[4] == f"( PLAY m1 3 noop ( ( opens {door} ) ) )"
    assert candidate.heard[5].startswith("( STOP m1 4 switch ")
    assert {error for step in record.errors for error in step} == {""}


def test_an_interrupt_aborts_and_the_record_is_complete(black: ForeignPlayer) -> None:
    asked = threading.Event()

    def think(connection: socket.socket, message: str) -> str:
        if "PLAY m1 NIL" in message:
            return "( mark 1 1 )"
        if "PLAY" in message and "noop )" not in message:
            asked.set()
            time.sleep(20)
        return "noop" if "PLAY" in message else "ready"

    async def interrupted(white: ForeignPlayer) -> Manager:
        seats = [Seat("w", "127.0.0.1", white.port), Seat("b", "127.0.0.1", black.port)]
        manager = Manager("m1", TIC_TAC_TOE, seats, MatchSettings(5, 30))
        running = asyncio.ensure_future(manager.run())
        while not asked.is_set():
            await asyncio.sleep(0.02)
        manager.stop()
        await asyncio.wait_for(running, 5)
        return manager

    with ForeignPlayer(think) as white:
        manager = asyncio.run(interrupted(white))
        for player in (white, black):  # one that is slow to answer is not waited for
            assert wait_for(lambda player=player: player.heard[-1] == "( ABORT m1 )")
    record = manager.record
    assert record.aborted
    assert not record.completed
    assert manager.reason == "it was interrupted"
    assert len(record.moves) == 2
    assert record.problem() is None
    assert contradiction(record, TIC_TAC_TOE) is None


def test_an_interrupt_ends_a_step_that_is_being_worked_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its thread looks at the stop word at every operation, and is not left behind."""
    by_rules = GdlGame(TIC_TAC_TOE.text, grounded=False)
    apply, loop = Prover.apply, asyncio.new_event_loop()
    operations: list[bool] = []

    async def interrupted(seats: list[Seat]) -> Manager:
        manager = Manager("m1", by_rules, seats, MatchSettings(5, 30))

        def counted(self: Prover, *arguments: Any) -> Any:
            if threading.current_thread() is not threading.main_thread():
                operations.append(manager._stop_word[0] == 1)
                if len(manager.record.moves) == 2 and not manager._stopped.is_set():
                    loop.call_soon_threadsafe(manager.stop)
                    assert wait_for(manager._stopped.is_set)
            return apply(self, *arguments)

        monkeypatch.setattr(Prover, "apply", counted)
        await manager.run()
        return manager

    with ForeignPlayer(Scripted("white")) as white, ForeignPlayer(Scripted("black")) as black:
        seats = [Seat("w", "127.0.0.1", white.port), Seat("b", "127.0.0.1", black.port)]
        before = threading.active_count()
        manager = loop.run_until_complete(interrupted(seats))
        loop.close()
        for player in (white, black):  # one that is slow to answer is not waited for
            assert wait_for(lambda player=player: player.heard[-1] == "( ABORT m1 )")
    assert wait_for(lambda: threading.active_count() <= before)
    assert len(operations) > 20
    assert not any(operations)
    assert manager.reason == "it was interrupted"
    assert len(manager.record.moves) == 2
    assert manager.record.problem() is None
    assert contradiction(manager.record, TIC_TAC_TOE) is None


@pytest.mark.parametrize(
    ("rules", "reason"),
    [
        (
            "(role a) (init s) (legal a x) (goal a 1) (<= terminal (true t)) (next s)",
            "30 steps",
        ),
        (
            "(role a) (init s) (<= (legal a x) (true s)) (goal a 1) (<= terminal (true t))",
            "no legal move",
        ),
        (
            "(role a) (init s) (legal a x) (<= (goal a 1) (true t)) (<= terminal (not (true s)))",
            "goal",
        ),
    ],
)
def test_games_that_break_off_are_aborted_with_the_reason(rules: str, reason: str) -> None:
    with ForeignPlayer(lambda c, s: "x") as a:
        seats = [Seat("a", "127.0.0.1", a.port)]
        manager = Manager("m1", gdl.load(rules), seats, MatchSettings(1, 1, most_steps=30))
        record = asyncio.run(manager.run())
        assert wait_for(lambda: a.heard[-1] == "( ABORT m1 )")
    assert record.aborted
    assert record.problem() is None
    assert reason in manager.reason


# --- with our own players ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def ours() -> Iterator[Callable[[GdlGame, list[str], MatchSettings], MatchRecord]]:
    """Runs matches between players of ours, which stay for the next one."""
    named = ["legal", "random", "mcts:iterations=50", "ggp:iterations=100"]
    loop, players = asyncio.new_event_loop(), Players(named, seed=1)

    async def play(game: GdlGame, named: list[str], settings: MatchSettings) -> MatchRecord:
        return await Manager("m1", game, await players.seats(named), settings).run()

    yield lambda *match: loop.run_until_complete(play(*match))
    loop.run_until_complete(players.close())
    loop.close()


@pytest.mark.parametrize(
    ("name", "players"),
    [
        ("gdl_tic_tac_toe", ["legal", "random"]),
        ("light_cycles", ["ggp:iterations=100", "random"]),
        ("monty_hall", ["random"]),
        ("kriegspiel_tic_tac_toe", ["random", "legal"]),
        ("sliding_puzzle", ["ggp:iterations=100"]),
        ("nim", ["mcts:iterations=50", "random"]),
    ],
)
@pytest.mark.parametrize("scramble", [False, True])
def test_matches_of_ours_have_no_errors(
    ours: Callable[[GdlGame, list[str], MatchSettings], MatchRecord],
    name: str,
    players: list[str],
    scramble: bool,
) -> None:
    game = getattr(library, name)
    record = ours(game, players, MatchSettings(20, 10, scramble=scramble, seed=2))
    assert record.completed
    assert record.problem() is None
    assert contradiction(record, game) is None
    assert {error for step in record.errors for error in step} == {""}
    assert record.scrambled == scramble


# --- records ----------------------------------------------------------------------------------


def damaged(**changes: object) -> dict[str, object]:
    document = {
        "matchId": "m", "randomToken": "t", "startTime": 5, "gameMetaURL": "u",
        "isCompleted": True, "isAborted": False, "states": ["( ( s 1 ) )", "( )"],
        "moves": [["x", "( f 1 )"]], "stateTimes": [5, 6], "errors": [["", ""], ["", "TO"]],
        "goalValues": [1, 2], "startClock": 1, "playClock": 1, "scrambled": False,
    }  # fmt: skip
    return document | changes


def test_a_record_of_another_manager_is_read() -> None:
    record = MatchRecord.from_json(damaged())
    assert record.states == [["(s 1)"], []]
    assert record.moves == [["x", "(f 1)"]]
    assert record.filled(2).players == ["somebody", "somebody"]
    assert record.filled(2).seconds == [[0.0, 0.0], [0.001, 0.001]]


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        ({"states": ["( )"]}, "1 steps and 1 states, not 2"),
        ({"stateTimes": [5, 6, 7]}, "3 stateTimes"),
        ({"errors": [["", ""]]}, "1 errors"),
        ({"goalValues": [1]}, "1 goals for 2 roles"),
        ({"moves": [["x"]]}, "not one move"),
        ({"isAborted": True}, "both completed and aborted"),
        ({"stateTimes": [7, 6]}, "backwards"),
        ({"states": ["((", "( )"]}, r"states\[0\] should be a list of propositions"),
        ({"states": [5, "( )"]}, r"states\[0\] should be a text"),
        ({"moves": 5}, "moves should be a list"),
        ({"moves": [["x", None]]}, r"moves\[0\]\[1\] should be a text"),
        ({"moves": "xy"}, "moves should be a list"),
        ({"matchId": 5}, "matchId should be a text"),
        ({"stateTimes": [5, "later"]}, r"stateTimes\[1\] should be a whole number"),
        ({"stateTimes": [5, 6.5]}, r"stateTimes\[1\] should be a whole number"),
        ({"stateTimes": [5, float("nan")]}, r"stateTimes\[1\] should be a whole number"),
        ({"startClock": True}, "startClock should be a whole number"),
        ({"goalValues": {"a": 1}}, "goalValues should be a list"),
        ({"isCompleted": "yes"}, "isCompleted should be true or false"),
        ({"isCompleted": None}, "isCompleted should be true or false"),
        ({"seconds": [[1, 2], [3, "x"]]}, r"seconds\[1\]\[1\] should be a number"),
        ({"playerNamesFromHost": "ab"}, "playerNamesFromHost should be a list"),
    ],
)
def test_damaged_records_are_refused(changes: dict[str, object], wrong: str) -> None:
    with pytest.raises(FileError, match=wrong):
        MatchRecord.from_json(damaged(**changes))


def test_what_may_be_left_out_may_be_null() -> None:
    record = MatchRecord.from_json(damaged(gameMetaURL=None, seconds=None, stateTimes=[5.0, 6]))
    assert (record.game, record.seconds, record.times) == ("", [], [5, 6])


@given(
    st.sampled_from(sorted(damaged())),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda s: st.lists(s) | st.dictionaries(st.text(), s),
    ),
)
def test_a_record_with_any_member_replaced_is_read_or_refused(name: str, value: object) -> None:
    with contextlib.suppress(FileError):
        record = MatchRecord.from_json(damaged(**{name: value}))
        assert MatchRecord.from_json(json.loads(json.dumps(record.to_json()))) == record


def test_files_that_are_no_records_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "record.json"
    for text, wrong in (
        (b"{", r"record\.json:1:2: is not JSON"),
        (b"[]", "expected a JSON object"),
        (b"{}", r"record\.json: is no match record: it has no moves"),
        (b"\xff", "not a text in UTF-8"),
    ):
        file.write_bytes(text)
        with pytest.raises(FileError, match=wrong):
            MatchRecord.read(file)
    with pytest.raises(FileError, match="No such file"):
        MatchRecord.read(tmp_path / "missing")


def test_a_record_that_contradicts_the_rules_is_found_out() -> None:
    record = run(TIC_TAC_TOE, [closed_port(), closed_port()])
    document = record.to_json()
    goals = MatchRecord.from_json(document | {"goalValues": [1, 1]})
    assert "the goals are" in str(contradiction(goals, TIC_TAC_TOE))
    states = [*document["states"][:1], *document["states"][:-1]]
    assert "state 1 does not follow" in str(
        contradiction(MatchRecord.from_json(document | {"states": states}), TIC_TAC_TOE)
    )
    moves = [["noop", "noop"], *document["moves"][1:]]
    assert "step 1: noop is not legal for white" in str(
        contradiction(MatchRecord.from_json(document | {"moves": moves}), TIC_TAC_TOE)
    )


def test_own_status_is_what_managers_read() -> None:
    assert parse_status("( ( name P ) ( status available ) ( species alien ) )") is not None


# --- what players say besides moves -----------------------------------------------------------


def erring(connection: socket.socket, message: str) -> str | None:
    connection.sendall(b"HTTP/1.1 500 Oh no\r\nContent-Length: 5\r\n\r\nready")
    return None


@pytest.mark.parametrize(
    ("behave", "error", "reply"),
    [
        (lambda c, s: "ready", "", ""),
        (lambda c, s: " (READY) ", "", ""),
        (lambda c, s: "busy", "IL busy", "busy"),
        (lambda c, s: "error", "IL error", "error"),
        (lambda c, s: "nil", "IL nil", "nil"),
        (lambda c, s: "((", "IL null", "(("),
        (lambda c, s: "( Mark\t9  9) ", "IL ( Mark 9 9 )", "( Mark\t9  9) "),
        (lambda c, s: "a" * 9000, f"IL {'a' * 197}...", f"{'a' * 1000}..."),
        (erring, "IL HTTP 500", "ready"),
        (no_http, "IL null", "( mark 1 1 )"),
        (hang_up, "CE", ""),
    ],
)
def test_what_is_answered_to_start_is_kept(
    behave: Callable[[socket.socket, str], str | None], error: str, reply: str
) -> None:
    rules = "(role a) (legal a ready) (legal a x) (init s) (goal a 5) (<= terminal (not (true s)))"
    with ForeignPlayer(behave) as a:
        record = run(gdl.load(rules), [a.port])
    assert record.errors[0] == [error]
    assert record.replies[0] == [reply]
    if (
        error and error != "CE" and behave is not erring
    ):  # so is what is answered instead of a move
        assert record.errors[1] == [error]
        assert record.replies[1] == [reply]


def chunked(connection: socket.socket, message: str) -> str | None:
    word = b"ready" if "START" in message else b"x"
    connection.sendall(
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        + b"".join(b"1;x\r\n%c\r\n" % letter for letter in word)
        + b"0\r\nTrailer: 1\r\n\r\n"
    )
    return None


def test_a_player_may_answer_in_chunks() -> None:
    rules = "(role a) (legal a x) (legal a y) (init s) (goal a 5) (<= terminal (not (true s)))"
    with ForeignPlayer(chunked) as a:
        record = run(gdl.load(rules), [a.port])
    assert (record.errors, record.moves) == ([[""], [""]], [["x"]])


@pytest.mark.parametrize(
    ("behave", "message"),
    [
        (lambda c, s: "((name Deep) (status available) (species alien))", "Deep, available"),
        (lambda c, s: "busy", "busy"),
        (lambda c, s: "((", "answers '((' to INFO"),
        (no_http, "answers to INFO what cannot be read"),
        (hang_up, "does not answer to INFO (the player hung up)"),
    ],
)
def test_players_are_asked_who_they_are(
    behave: Callable[[socket.socket, str], str | None], message: str
) -> None:
    with ForeignPlayer(behave) as a:
        greeting = asyncio.run(greet(Seat("a", "127.0.0.1", a.port), 0.0, pytest.fail))
        assert a.heard == ["( INFO )"]
    assert message in str(greeting)


def test_a_player_that_does_not_listen_yet_is_waited_for() -> None:
    player = ForeignPlayer(lambda c, s: "((name Late) (status available))")
    port = closed_port()
    lines: list[str] = []

    def begin(line: str) -> None:
        lines.append(line)
        player.port = port
        player.__enter__()

    greeting = asyncio.run(greet(Seat("localhost:1", "127.0.0.1", port), 60.0, begin))
    player.__exit__()
    assert str(greeting) == "Late, available"
    assert lines == ["localhost:1 does not listen yet; waiting for it up to 60 s ..."]
    lines.clear()
    greeting = asyncio.run(greet(Seat("p", "127.0.0.1", port), 0.0, lines.append))
    assert "does not take calls" in str(greeting)
    greeting = asyncio.run(greet(Seat("p", "no-such-host.invalid", 9147), 60.0, lines.append))
    assert "does not take calls" in str(greeting)


def test_an_interrupt_while_a_step_is_worked_out_does_not_wait_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    working, over = threading.Event(), threading.Event()

    def slow(self: Manager, answers: object) -> None:
        working.set()
        over.wait(60)

    monkeypatch.setattr(Manager, "_make_step", slow)

    async def interrupted(port: int) -> Manager:
        manager = Manager("m1", TIC_TAC_TOE, [Seat("a", "127.0.0.1", port)] * 2, FAST)
        running = asyncio.ensure_future(manager.run())
        while not working.is_set():
            await asyncio.sleep(0.01)
        manager.stop()
        await asyncio.wait_for(running, 30)
        return manager

    with ForeignPlayer(lambda c, s: "ready") as a:
        manager = asyncio.run(interrupted(a.port))
        assert wait_for(lambda: a.heard[-1] == "( ABORT m1 )")
    over.set()
    assert manager.record.aborted
    assert manager.record.problem() is None
    assert contradiction(manager.record, TIC_TAC_TOE) is None
