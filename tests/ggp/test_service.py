"""The player as a service, called by managers that were not written with Kibitz."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.ggp.foreign import Serving, body, dresden, exchange, ggp_base, serving, wait_for

from kibitz import gdl
from kibitz.gdl import library
from kibitz.ggp import process
from kibitz.ggp.settings import ServiceSettings

TIC_TAC_TOE = f"({library.gdl_tic_tac_toe.text.text})"
KRIEGSPIEL = f"({library.kriegspiel_tic_tac_toe.text.text})"
LIGHT_CYCLES = f"({library.light_cycles.text.text})"
NO_END = "((role a) (legal a x) (legal a y) (<= terminal (true never)) (goal a 0))"


@pytest.fixture(scope="module")
def shared() -> Iterator[Serving]:
    """A random player that serves many tests; each takes away its matches."""
    with serving(player="random", name="P", matches=3, seed=1) as server:
        yield server


@pytest.fixture
def player(shared: Serving) -> Iterator[Serving]:
    shared.lines.clear()
    yield shared
    for match in shared.service.matches:
        shared.say(f"(ABORT {match})")
    assert shared.service.matches == []


def start(match: str, role: str = "white", rules: str = TIC_TAC_TOE, clocks: str = "20 5") -> str:
    return f"(START {match} {role} {rules} {clocks})"


# --- bytes ------------------------------------------------------------------------------------

HEADERS = b"HTTP/1.0 200 OK\r\nContent-type: text/acl\r\nContent-length: %d\r\n\r\n"
INFO = b"( ( name P ) ( status available ) ( species alien ) )"
REPLY = HEADERS % len(INFO) + INFO


@pytest.mark.parametrize(
    ("request_bytes", "hang_up"),
    [
        (
            b"POST / HTTP/1.0\r\nAccept: text/delim\r\nHost: localhost\r\nSender: GAMESERVER\r\n"
            b"Receiver: P\r\nContent-Type: text/acl\r\nContent-Length: 6\r\n\r\n(INFO)",
            False,
        ),
        (
            b"POST / HTTP/1.0\r\nAccept: text/delim\r\nSender: Gamecontroller\r\n"
            b"Receiver: localhost\r\nContent-type: text/acl\r\nContent-length: 8\r\n\r\n( PING )",
            False,
        ),
        (b"POST /any/path HTTP/1.1\r\nX-Unknown: (1)\r\n\r\n(info)", True),
        (b"POST / HTTP/1.0\nContent-Length: 6\n\n(INFO)", False),
        (b"post / HTTP/1.0\r\ncontent-length:6\r\n\r\n(INFO)", False),
        (b"POST / HTTP/1.0\r\nContent-Length: 0\r\n\r\n", False),
        (b"POST / HTTP/1.0\r\n\r\n", True),
        (b"GET /%28INFO%29 HTTP/1.0\r\n\r\n", False),
        (b"GET /%28+PING+%29 HTTP/1.0\r\n\r\n", False),
        (b"GET /(INFO) HTTP/1.1\r\nHost: localhost\r\n\r\n", False),
        (b"GET / HTTP/1.0\r\n\r\n", False),
        # no length, and nobody hangs up: it is complete, and nothing follows
        (b"POST / HTTP/1.0\r\n\r\n(INFO)", False),
        # a length in letters, of a text with more bytes; and one that promises too much
        ("POST / HTTP/1.0\r\nContent-Length: 12\r\n\r\n(INFO é é é)".encode(), False),
        (b"POST / HTTP/1.0\r\nContent-Length: 60\r\n\r\n(INFO)", False),
    ],
)
def test_every_form_of_request_is_answered(
    player: Serving, request_bytes: bytes, hang_up: bool
) -> None:
    assert exchange(player.port, request_bytes, hang_up) == REPLY


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"OPTIONS / HTTP/1.1\r\nOrigin: null\r\n\r\n",
        b"POST / HTTP/1.1\r\nOrigin: http://evil.example\r\nContent-Length: 6\r\n\r\n(INFO)",
        b"POST / HTTP/1.1\r\norigin: http://127.0.0.1:9147\r\nContent-Length: 6\r\n\r\n(INFO)",
        b"GET /(INFO) HTTP/1.1\r\nSec-Fetch-Site: cross-site\r\n\r\n",
        b"GET /(INFO) HTTP/1.1\r\nSec-Fetch-Site: same-origin\r\n\r\n",
    ],
)
def test_web_pages_are_refused(player: Serving, request_bytes: bytes) -> None:
    answer = exchange(player.port, request_bytes)
    assert answer.startswith(b"HTTP/1.0 403")
    assert b"Access-Control" not in answer
    assert b"available" not in answer


def test_who_types_an_address_is_no_page(player: Serving) -> None:
    typed = b"GET /(INFO) HTTP/1.1\r\nSec-Fetch-Site: none\r\n\r\n"
    assert exchange(player.port, typed) == REPLY


def test_a_manager_in_a_browser_is_let_in_by_its_origin() -> None:
    with serving(name="P", origins=("http://manager.example",)) as player:
        allowed = b"Origin: http://manager.example\r\n"
        answer = exchange(player.port, b"OPTIONS / HTTP/1.1\r\n" + allowed + b"\r\n")
        assert b"Access-Control-Allow-Origin: http://manager.example\r\n" in answer
        body = b"Content-Length: 6\r\n\r\n(INFO)"
        answer = exchange(player.port, b"POST / HTTP/1.1\r\n" + allowed + body)
        assert answer.endswith(INFO)
        other = b"POST / HTTP/1.1\r\nOrigin: http://other.example\r\n" + body
        assert exchange(player.port, other).startswith(b"HTTP/1.0 403")


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"POST / HTTP/1.0\r\nContent-Length: 7\r\n\r\n(DANCE)",
        b"POST / HTTP/1.0\r\nContent-Length: 5\r\n\r\n(INFO",
        b"POST / HTTP/1.0\r\nContent-Length: many\r\n\r\n(INFO)",
        b"POST / HTTP/1.0\r\nContent-Length: 99999999999\r\n\r\n(INFO)",
        b"DELETE / HTTP/1.0\r\n\r\n",
        b"GET /favicon.ico HTTP/1.1\r\n\r\n",
        b"hello\r\n\r\n",
        b"X" * 20_000,
    ],
)
def test_what_is_no_message_is_answered_at_once(player: Serving, request_bytes: bytes) -> None:
    assert body(exchange(player.port, request_bytes, seconds=20.0)) == "error"
    assert "not understood" in player.lines[-1]


def test_a_giant_message_is_refused_while_it_is_being_sent(player: Serving) -> None:
    with socket.create_connection(("127.0.0.1", player.port), timeout=20) as connection:
        connection.sendall(b"POST / HTTP/1.0\r\n\r\n")
        sent = 0
        try:
            while sent < 64 << 20:
                connection.sendall(b"(" * 65536)
                sent += 65536
        except OSError:
            pass
    assert sent < 32 << 20
    assert player.say("(INFO)")


# --- a match ----------------------------------------------------------------------------------


def test_a_match_as_ggp_base_runs_it(player: Serving) -> None:
    roles, state, moves_text = gdl.findroles(TIC_TAC_TOE), gdl.findinits(TIC_TAC_TOE), "NIL"
    assert ggp_base(player.port, f"( START kiosk.ttt-1 white {TIC_TAC_TOE} 20 5)") == "ready"
    while not gdl.findterminalp(state, TIC_TAC_TOE):
        reply = ggp_base(player.port, f"( PLAY kiosk.ttt-1 {moves_text} )")
        legal = gdl.findlegals("white", state, TIC_TAC_TOE)
        assert reply.replace("( ", "(").replace(" )", ")") in legal
        moves = [reply, gdl.findlegalx("black", state, TIC_TAC_TOE)]
        state = gdl.findnext(roles, moves, state, TIC_TAC_TOE)
        moves_text = f"({' '.join(moves)} )"
    assert ggp_base(player.port, f"( STOP kiosk.ttt-1 {moves_text} )") == "done"
    assert player.service.matches == []
    goal = gdl.findreward("white", state, TIC_TAC_TOE)
    assert player.lines[-1].startswith(f"kiosk.ttt-1: over, {goal} for us")


def test_a_match_in_capitals_is_answered_as_the_rules_spell(player: Serving) -> None:
    rules = TIC_TAC_TOE.replace("mark", "Mark").replace("noop", "noOp")
    assert player.say(start("M1", "white", rules)) == "ready"
    reply = dresden(player.port, "(PLAY M1 NIL)")
    assert reply.startswith("( Mark ")
    assert dresden(player.port, f"(PLAY M1 ({reply} noop))") == "noOp"


def test_a_match_of_dresden_is_all_in_capitals(player: Serving) -> None:
    assert dresden(player.port, start("m2", "black")) == "ready"
    assert dresden(player.port, "(PLAY m2 NIL)") == "NOOP"
    assert dresden(player.port, "(PLAY m2 ((mark 1 1) noop))").startswith("( MARK ")


def test_imperfect_information_with_turn_and_percepts(player: Serving) -> None:
    assert player.say(start("k1", "white", KRIEGSPIEL)) == "ready"
    first = player.say("(PLAY k1 0 NIL NIL)")
    assert first == player.say("(PLAY k1 0 NIL NIL)")
    game = gdl.load(KRIEGSPIEL)
    state = gdl.findinits(game)
    assert first.replace("( ", "(").replace(" )", ")") in gdl.findlegals("white", state, game)
    second = player.say(f"(PLAY k1 1 {first} NIL)")
    assert second != "nil"
    assert second == player.say(f"(PLAY k1 1 {first} NIL)")
    assert player.say(f"(PLAY k1 3 {first} NIL)") == "nil"  # a turn is missing
    assert player.say(f"(STOP k1 2 {second} NIL)") == "done"


def test_imperfect_information_with_percepts_alone(player: Serving) -> None:
    assert player.say(start("k2", "white", KRIEGSPIEL)) == "ready"
    assert player.say("(PLAY k2 NIL)") not in ("nil", "error")
    assert player.say("(PLAY k2 NIL)") not in ("nil", "error")
    assert player.say("(STOP k2 NIL)") == "done"


def test_the_own_last_move_is_taken_from_the_message(player: Serving) -> None:
    player.say(start("m3"))
    chosen = player.say("(PLAY m3 NIL)")
    other = "(mark 1 1)" if "1 1" not in chosen else "(mark 3 3)"
    assert player.say(f"(PLAY m3 ({other} noop))") == "noop"
    # what it chose first is free, since the manager replaced it
    assert player.say(f"(PLAY m3 (noop {chosen}))") not in ("nil", "noop")


@pytest.mark.parametrize(
    "report",
    ["((mark 1 1))", "((mark 9 9) noop)", "((mark ?x 1) noop)", "(noop noop noop)", "(x y)"],
)
def test_a_wrong_joint_move_is_answered_and_the_match_goes_on(
    player: Serving, report: str
) -> None:
    player.say(start("m4"))
    player.say("(PLAY m4 NIL)")
    assert player.say(f"(PLAY m4 {report})") == "nil"
    assert player.say("(PLAY m4 ((mark 1 1) noop))") == "noop"


def test_a_play_that_comes_twice_is_answered_alike(player: Serving) -> None:
    player.say(start("m5"))
    first = player.say("(PLAY m5 NIL)")
    assert [player.say("(PLAY m5 NIL)") for _ in range(3)] == [first] * 3
    player.say(f"(PLAY m5 ({first} noop))")
    square = "(mark 1 1)" if "1 1" not in first else "(mark 3 3)"
    third = player.say(f"(PLAY m5 (noop {square}))")
    assert [player.say(f"(PLAY m5 (noop {square}))") for _ in range(3)] == [third] * 3


def test_the_id_of_a_match_may_be_written_in_other_capitals(player: Serving) -> None:
    player.say(start("Cap1"))
    first = player.say("(PLAY cap1 NIL)")
    assert first.startswith("( mark ")
    assert player.say("(PLAY CAP1 NIL)") == first
    assert player.say("(STOP cAP1 NIL)") == "done"
    assert player.lines[-1].startswith("Cap1: over")


def test_a_step_like_the_last_one_is_another_step(player: Serving) -> None:
    rules = """((role a) (init (step 0)) (legal a go)
        (<= (next (step ?n)) (true (step ?m)) (s ?m ?n))
        (s 0 1) (s 1 2) (s 2 3) (<= terminal (true (step 3))) (<= (goal a 7) (true (step 3))))"""
    player.say(start("m6", "a", rules))
    assert [player.say(f"(PLAY m6 {moves})") for moves in ("NIL", "(go)", "(go)")] == ["go"] * 3
    player.say("(STOP m6 (go))")
    assert player.lines[-1] == "m6: over, 7 for us (7)"


def test_unknown_matches_are_answered_busy(player: Serving) -> None:
    for message in ("(PLAY nobody NIL)", "(STOP nobody NIL)", "(ABORT nobody)"):
        assert player.say(message) == "busy"


def test_stop_and_abort_that_come_twice_are_answered_alike(player: Serving) -> None:
    for end, word in (("(STOP m7 NIL)", "done"), ("(ABORT m7)", "aborted")):
        assert player.say(start("m7")) == "ready"
        assert [player.say(end) for _ in range(2)] == [word] * 2
        assert player.say("(PLAY m7 NIL)") == "busy"


def test_start_that_comes_twice_is_one_match_and_another_of_its_id_is_none(
    player: Serving,
) -> None:
    assert [player.say(start("m8")) for _ in range(2)] == ["ready"] * 2
    assert player.say(start("m8", "black")) == "busy"
    assert player.service.matches == ["m8"]


def test_when_all_places_are_taken_it_is_busy(player: Serving) -> None:
    for number in range(3):
        assert player.say(start(f"n{number}")) == "ready"
    assert player.say(start("n3")) == "busy"
    assert "( status busy )" in player.say("(INFO)")
    player.say("(ABORT n1)")
    assert "( status available )" in player.say("(INFO)")
    assert player.say(start("n3")) == "ready"


@pytest.mark.parametrize(
    ("rules", "role", "why"),
    [
        ("((role white)", "white", ""),
        ("((role white) (next 1 2))", "white", "rules are wrong"),
        ("((role white) (legal ?x noop) terminal (goal white 1))", "white", "rules are wrong"),
        ("()", "white", "rules are wrong"),
        (TIC_TAC_TOE, "green", "no role green, but white, black"),
        ("(" + "(f " * 80 + ")" * 80 + ")", "white", "rules are wrong"),
    ],
)
def test_rules_that_are_wrong_are_refused_and_nothing_is_kept(
    player: Serving, rules: str, role: str, why: str
) -> None:
    assert player.say(start("bad", role, rules)) == "error"
    assert player.service.matches == []
    assert why in player.lines[-1]
    assert player.say("(PLAY bad NIL)") == "busy"


def test_after_the_end_and_without_moves_the_answer_is_nil(player: Serving) -> None:
    rules = """((role a) (role b) (init s) (legal b x) (<= terminal (not (true s)))
        (<= (legal a x) (not (true s))) (goal a 1) (goal b 2))"""
    player.say(start("e1", "a", rules))
    assert player.say("(PLAY e1 NIL)") == "nil"
    rules = "((role a) (init s) (legal a x) (<= terminal (not (true s))) (goal a 1))"
    player.say(start("e2", "a", rules))
    assert player.say("(PLAY e2 NIL)") == "x"
    assert player.say("(PLAY e2 (x))") == "nil"
    assert player.say("(PLAY e2 (x))") == "nil"
    player.say("(STOP e2 (x))")
    assert player.lines[-1] == "e2: over, 1 for us (1)"


def test_a_preview_is_answered_and_its_rules_are_ready_at_start(player: Serving) -> None:
    assert player.say(f"(PREVIEW {TIC_TAC_TOE} 20)") == "ready"
    processes = player.service.processes
    assert player.say(start("v1")) == "ready"
    assert player.service.processes == processes  # the one that has seen the rules
    assert player.say("(PLAY v1 NIL)").startswith("( mark ")
    assert player.say("(PREVIEW ((role a) (next 1 2)) 20)") == "error"
    assert player.say(f"(PREVIEW {LIGHT_CYCLES} 20)") == "ready"
    assert player.say(f"(PREVIEW {KRIEGSPIEL} 20)") == "ready"
    assert player.service.processes <= 3


# --- clocks and concurrency -------------------------------------------------------------------


@pytest.fixture(scope="module")
def thinker() -> Iterator[Serving]:
    """A player that uses all its time."""
    with serving(player="mcts", matches=3, seed=1) as server:
        yield server


def test_info_is_answered_while_it_thinks_and_the_clock_is_kept(thinker: Serving) -> None:
    thinker.say(start("t1", clocks="20 2"))
    replies: list[str] = []
    began = time.monotonic()
    thinking = threading.Thread(target=lambda: replies.append(thinker.say("(PLAY t1 NIL)")))
    thinking.start()
    waited = []
    while thinking.is_alive():
        asked = time.monotonic()
        assert "status" in thinker.say("(INFO)")
        waited.append(time.monotonic() - asked)
        time.sleep(0.05)
    assert len(waited) > 5
    assert sorted(waited)[len(waited) // 2] < 0.5  # far less than the clock
    assert 1.0 < time.monotonic() - began < 6.0  # of endless thought
    assert replies[0].startswith("( mark ")
    assert "expected" in thinker.lines[-1]
    thinker.say("(ABORT t1)")


def test_matches_are_played_at_the_same_time(thinker: Serving) -> None:
    for match in ("t2", "t3"):
        thinker.say(start(match, clocks="20 2"))
    replies: list[str] = []
    began = time.monotonic()
    threads = [
        threading.Thread(target=lambda m=match: replies.append(thinker.say(f"(PLAY {m} NIL)")))
        for match in ("t2", "t3")
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert time.monotonic() - began < 4.0  # two clocks
    assert all(reply.startswith("( mark ") for reply in replies)
    for match in ("t2", "t3"):
        thinker.say(f"(ABORT {match})")


def test_a_play_that_comes_twice_while_it_thinks_is_thought_about_once(thinker: Serving) -> None:
    thinker.say(start("t4", clocks="20 2"))
    replies: list[str] = []
    threads = [
        threading.Thread(target=lambda: replies.append(thinker.say("(PLAY t4 NIL)")))
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(replies)) == 1
    assert sum("t4: ( mark" in line for line in thinker.lines) == 1
    thinker.say("(ABORT t4)")


def test_abort_ends_the_thinking(thinker: Serving) -> None:
    thinker.say(start("t5", clocks="20 60"))
    replies: list[str] = []
    thinking = threading.Thread(target=lambda: replies.append(thinker.say("(PLAY t5 NIL)")))
    thinking.start()
    assert wait_for(lambda: thinker.service.matches == ["t5"])
    time.sleep(0.3)
    assert thinker.say("(ABORT t5)") == "aborted"
    thinking.join(15)
    assert not thinking.is_alive()
    assert wait_for(lambda: thinker.service.processes == 0)


def test_a_manager_that_goes_on_early_does_not_wait(thinker: Serving) -> None:
    thinker.say(start("t6", clocks="20 30"))
    thinking = threading.Thread(target=lambda: thinker.say("(PLAY t6 NIL)"))
    thinking.start()
    time.sleep(0.3)
    began = time.monotonic()
    assert thinker.say("(PLAY t6 ((mark 1 1) noop))") == "noop"
    assert time.monotonic() - began < 15  # half a clock
    thinking.join(15)
    thinker.say("(ABORT t6)")


def test_slow_clients_do_not_block_others(player: Serving) -> None:
    slow = [socket.create_connection(("127.0.0.1", player.port)) for _ in range(140)]
    try:
        for connection in slow:
            connection.sendall(b"POST / HTTP/1.0\r\nContent-Le")
        assert player.say("(INFO)") == INFO.decode()
    finally:
        for connection in slow:
            connection.close()
    assert wait_for(lambda: player.service.connections == 0)


def test_a_request_that_does_not_arrive_is_given_up(
    player: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kibitz.ggp.http.RECEIVING", 0.3)
    assert (
        body(exchange(player.port, b"POST / HTTP/1.0\r\nContent-Length: 10\r\n\r\n(IN")) == "error"
    )


# --- what takes long --------------------------------------------------------------------------


def explosive(width: int) -> str:
    """Rules with far too many instances, and a game that is quickly worked out."""
    facts = " ".join(f"(n {i})" for i in range(width))
    variables = " ".join(f"?{letter}" for letter in "abcdef")
    body = " ".join(f"(n ?{letter})" for letter in "abcdef")
    return f"""((role r) (init (s 0)) (legal r x) (legal r y) {facts}
        (<= (next (wide {variables})) {body} (does r x) (true (s 1)))
        (<= (next (s 2)) (true (wide {variables}))) (<= (next (s 0)) (does r y))
        (<= (next (s 1)) (does r y))
        (<= terminal (true (s 2))) (goal r 0))"""


def test_what_cannot_be_grounded_in_time_is_played_rule_by_rule(player: Serving) -> None:
    began = time.monotonic()
    assert player.say(start("x1", "r", explosive(40), "2 2")) == "ready"
    assert time.monotonic() - began < 20  # of ages
    assert any("rule by rule" in line for line in player.lines)
    assert player.say("(PLAY x1 NIL)") in "xy"
    assert player.say("(PLAY x1 (y))") in "xy"
    player.say("(ABORT x1)")
    assert wait_for(lambda: player.service.processes <= 2)


def test_matches_nobody_comes_back_to_are_forgotten() -> None:
    with serving(player="random", idle=0.5) as server:
        assert server.say(start("m1", clocks="1 0")) == "ready"
        assert server.service.matches == ["m1"]
        assert wait_for(lambda: server.service.matches == [], 6)
        assert wait_for(lambda: server.service.processes == 0)
        assert server.say("(PLAY m1 NIL)") == "busy"
        assert "forgotten" in server.lines[-2]


def test_records_of_what_was_said(tmp_path: Path) -> None:
    with serving(player="legal", records=tmp_path / "records") as server:
        server.say(start("../m1"))
        reply = server.say("(PLAY ../m1 NIL)")
        server.say(f"(STOP ../m1 ({reply} noop))")
    (file,) = (tmp_path / "records").iterdir()
    document = json.loads(file.read_text())
    assert document["matchId"] == "../m1"
    assert document["role"] == "white"
    assert [entry["answered"] for entry in document["messages"]] == [reply, "done"]
    assert document["messages"][0]["received"] == "( PLAY ../m1 NIL )"


def test_an_agent_that_ignores_its_clock_is_replaced(tmp_path: Path) -> None:
    code = """
import time
from kibitz import gdl
from kibitz.ggp import Player

class Sleeper(Player):
    def choose(self, state, seconds):
        time.sleep(60)

class Fool(Player):
    def choose(self, state, seconds):
        return "(mark 9 9)"
"""
    (tmp_path / "own.py").write_text(code)
    with serving(player=f"{tmp_path / 'own.py'}:Sleeper") as server:
        server.say(start("m1", clocks="20 1"))
        began = time.monotonic()
        assert server.say("(PLAY m1 NIL)").startswith("( mark ")
        assert time.monotonic() - began < 20  # of a minute
        assert server.say("(PLAY m1 ((mark 1 1) noop))") == "noop"
    with serving(player=f"{tmp_path / 'own.py'}:Fool") as server:
        server.say(start("m1"))
        assert server.say("(PLAY m1 NIL)").startswith("( mark ")


def test_a_process_that_dies_does_not_take_the_service_with_it(tmp_path: Path) -> None:
    code = """
import os
from kibitz.ggp import Player

class Suicide(Player):
    def choose(self, state, seconds):
        if seconds > 1:
            os._exit(1)
"""
    (tmp_path / "own.py").write_text(code)
    with serving(player=f"{tmp_path / 'own.py'}:Suicide") as server:
        server.say(start("m1"))
        assert server.say("(PLAY m1 NIL)").startswith(("( mark ", "nil"))
        assert wait_for(lambda: server.service.matches == [])
        assert "status available" in server.say("(INFO)")
        assert server.say(start("m1")) == "ready"


def test_processes_are_to_be_had_again_when_their_fork_server_has_died() -> None:
    with serving(player="random") as server:
        assert server.say(start("m1")) == "ready"
        fork_server = server.service._fork_server._process
        assert fork_server is not None
        fork_server.kill()
        fork_server.wait()
        assert server.say("(PLAY m1 NIL)").startswith("( mark ")
        assert server.say(start("m2")) == "ready"
        assert server.say("(PLAY m2 NIL)").startswith("( mark ")
        assert server.say("(STOP m1 NIL)") == "done"


def test_it_may_think_on_while_the_others_have_not_answered(tmp_path: Path) -> None:
    code = """
from pathlib import Path
from kibitz import gdl
from kibitz.ggp import Player

class Ponderer(Player):
    pondered = 0

    def ponder(self, position, role, seconds):
        while not self.stop[0]:
            pass
        self.pondered += 1

    def choose(self, state, seconds):
        if self.pondered:
            return max(gdl.findlegals(self.role, state, self.game))
        return min(gdl.findlegals(self.role, state, self.game))
"""
    (tmp_path / "own.py").write_text(code)
    rules = """((role a) (init s) (next s) (legal a x) (legal a y) (legal a z) (goal a 1)
        (<= terminal (true t)))"""
    for ponder, second in ((True, "z"), (False, "x")):
        with serving(player=f"{tmp_path / 'own.py'}:Ponderer", ponder=ponder) as server:
            server.say(start("m1", "a", rules))
            assert server.say("(PLAY m1 NIL)") == "x"
            time.sleep(0.2)
            assert server.say("(PLAY m1 (y))") == second


def test_what_strangers_say_is_shown_in_a_line(player: Serving) -> None:
    player.say("(PLAY \x1b[31mred NIL)")
    player.say(f"({'x' * 5000})")
    assert player.lines[0] == "?[31mred: PLAY in an unknown match, busy"
    assert max(map(len, player.lines)) <= 300


def test_nothing_is_left_when_the_service_ends() -> None:
    threads = threading.active_count()
    with serving(player="random") as server:
        server.say(start("m1"))
        assert server.service.processes == 1
    assert threading.active_count() == threads
    with pytest.raises(ConnectionRefusedError):
        server.say("(INFO)")


def test_the_margin_is_what_is_asked_for_but_never_all_of_the_clock() -> None:
    budget = ServiceSettings().budget
    assert [budget(clock) for clock in (0, 1, 5, 10, 60)] == [0, 0.9, 4.5, 9.0, 58.5]
    assert ServiceSettings(margin=2.0).budget(10) == 8.0
    assert ServiceSettings(margin=2.0).budget(2) == 1.0
    assert ServiceSettings(margin=0.0).budget(2) == 2.0


# --- what comes again -------------------------------------------------------------------------


def test_a_play_that_comes_again_in_other_capitals_is_the_same(player: Serving) -> None:
    player.say(start("c1"))
    first = player.say("(PLAY c1 NIL)")
    report = f"({first} noop)"
    second = player.say(f"(PLAY c1 {report})")
    again = [player.say(f"(PLAY c1 {variant})") for variant in (report.upper(), report.title())]
    assert again == [second] * 2 == ["noop"] * 2


def test_a_start_that_comes_again_in_other_capitals_is_the_same(player: Serving) -> None:
    assert player.say(start("c2")) == "ready"
    assert player.say(start("c2").replace("(START c2 white", "(start c2 WHITE")) == "ready"
    assert player.service.matches == ["c2"]


@pytest.mark.parametrize("role", ["white", "black"])
def test_a_start_in_the_middle_of_a_match_begins_it_anew(
    player: Serving, role: str, tmp_path: Path
) -> None:
    assert player.say(start("c3")) == "ready"
    first = player.say("(PLAY c3 NIL)")
    player.say(f"(PLAY c3 ({first} noop))")
    assert player.say(start("c3", role)) == "ready"
    assert "c3: begins anew" in player.lines
    assert player.service.matches == ["c3"]
    move = player.say("(PLAY c3 NIL)")
    assert move.startswith("( mark ") == (role == "white")
    assert move != "nil"
    assert player.say("(STOP c3 NIL)") == "done"


def test_records_are_never_overwritten_and_end_with_the_service(tmp_path: Path) -> None:
    with serving(player="legal", records=tmp_path) as server:
        for end in ("(STOP m1 NIL)", "(ABORT m1)", start("m1", "black"), ""):
            server.say(start("m1"))
            server.say("(PLAY m1 NIL)")
            server.say(end or "(INFO)")
    names = sorted(file.name for file in tmp_path.iterdir())
    assert names == ["m1.black.json", "m1.white.2.json", "m1.white.3.json", "m1.white.json"]
    for name in names:
        messages = [
            entry["received"] for entry in json.loads((tmp_path / name).read_text())["messages"]
        ]
        assert "( PLAY m1 NIL )" in messages


def test_what_is_compiled_is_announced_once_for_each_name(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The evaluator of GDL is compiled for each kind of game."""
    monkeypatch.setattr(process, "_announced", set())
    for name in ("the GDL evaluator", "the engine", "the GDL evaluator"):
        process._announce(name)
    lines = capsys.readouterr().err.splitlines()
    assert [line.partition(",")[0] for line in lines] == [
        "Compiling the GDL evaluator",
        "Compiling the engine",
    ]
