"""Interrupts: where they are raised or deferred, and what they stop."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.core.interrupting import caught_signals, interrupted_at_each_line, pressed

import kibitz
from kibitz import gdl
from kibitz.arena import worker as worker_module
from kibitz.arena.match import native_play_games
from kibitz.core import files, interrupt
from kibitz.core import game as game_module
from kibitz.core.actions import ACTION_LIST
from kibitz.core.agent import AGENT, Agent, make_agent, make_agents
from kibitz.core.contract import RULES
from kibitz.core.errors import FileError
from kibitz.core.files import write_text
from kibitz.core.interrupt import (
    Interrupted,
    allowed,
    deferred,
    exit_code,
    first_signal_calls,
    run_interruptibly,
    take_pending,
    watch_end,
)
from kibitz.core.memory import record_at
from kibitz.core.randomness import start_stream
from kibitz.core.registry import load
from kibitz.core.state import State
from kibitz.library.loveletter.rules import LoveLetter
from kibitz.library.tictactoe.rules import TicTacToe
from kibitz.players.belief import belief_of
from kibitz.players.graph import MOST_KEPT_STATE
from kibitz.players.seat import AgentSeat
from kibitz.sessions import recording as record_module
from kibitz.sessions.recording import attempt_game, verify
from kibitz.sessions.records import Move, Record

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_is_raised_when_the_block_ends(number: int) -> None:
    done = []

    def work() -> None:
        with deferred():
            signal.raise_signal(number)
            done.append(1)

    with caught_signals():
        with pytest.raises(Interrupted) as raised:
            work()
        assert (raised.value.number, exit_code(), done) == (number, 128 + number, [1])


def test_without_a_command_line_ctrl_c_waits_too_and_the_handler_comes_back() -> None:
    before = signal.getsignal(signal.SIGINT)
    done = []

    def work() -> None:
        with deferred():
            signal.raise_signal(signal.SIGINT)
            done.append(1)

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done == [1]
    assert signal.getsignal(signal.SIGINT) is before


def test_a_handler_of_ones_own_is_called_at_the_end() -> None:
    heard: list[str] = []
    before = signal.signal(signal.SIGINT, lambda *_: heard.append("own"))
    try:
        with deferred():
            signal.raise_signal(signal.SIGINT)
            heard.append("work")
    finally:
        signal.signal(signal.SIGINT, before)
    assert heard == ["work", "own"]


def test_where_it_is_allowed_a_signal_is_raised_at_once() -> None:
    done = []

    def work() -> None:
        signal.raise_signal(signal.SIGINT)
        done.append(1)

    with caught_signals(), deferred(), pytest.raises(Interrupted):
        allowed(work)
    assert done == []


def test_who_takes_an_interrupt_is_not_interrupted() -> None:
    with caught_signals(), deferred():
        signal.raise_signal(signal.SIGTERM)
        taken = take_pending()
        assert take_pending() is None
    assert taken is not None
    assert taken.number == signal.SIGTERM


def test_a_burst_of_signals_is_one_interrupt() -> None:
    with caught_signals():
        with pytest.raises(Interrupted):
            signal.raise_signal(signal.SIGHUP)
        signal.raise_signal(signal.SIGHUP)
        signal.raise_signal(signal.SIGTERM)
        assert exit_code() == 129


def test_a_signal_that_comes_while_another_is_on_its_way_does_not_hide_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In ``input``, Python 3.11 runs a signal handler with an exception set."""

    def with_an_exception_set() -> float:
        raise SystemError("returned a result with an exception set") from Interrupted(1)

    with caught_signals():
        monkeypatch.setattr(interrupt.time, "monotonic", with_an_exception_set)
        with pytest.raises(Interrupted) as raised:
            signal.raise_signal(signal.SIGTERM)
        assert raised.value.number == signal.SIGHUP


def test_the_first_signal_calls_a_function_and_a_later_one_is_raised() -> None:
    heard: list[str] = []
    with caught_signals():
        with deferred(), first_signal_calls(lambda: heard.append("called")):
            signal.raise_signal(signal.SIGTERM)
            signal.raise_signal(signal.SIGHUP)  # of the same burst
            assert take_pending() is None
        assert (heard, exit_code()) == (["called"], 128 + signal.SIGTERM)
        interrupt._signals.when -= 2 * interrupt.BURST
        with first_signal_calls(lambda: heard.append("again")):
            signal.raise_signal(signal.SIGINT)
            interrupt._signals.when -= 2 * interrupt.BURST
            with pytest.raises(Interrupted):
                signal.raise_signal(signal.SIGINT)
        assert heard == ["called", "again"]
        interrupt._signals.when -= 2 * interrupt.BURST
        with pytest.raises(Interrupted):
            signal.raise_signal(signal.SIGINT)


def test_an_interrupt_that_python_swallows_comes_again() -> None:
    class Swallowing:
        def __del__(self) -> None:
            signal.raise_signal(signal.SIGINT)

    def work() -> None:
        Swallowing()
        threading.Event().wait(60)

    with caught_signals(), pytest.raises(Interrupted):
        work()


def test_in_other_threads_the_functions_only_call() -> None:
    results: list[int] = []

    def work() -> None:
        with deferred():
            results.append(allowed(int, 3))
            results.append(run_interruptibly(lambda: 4, np.zeros(1, np.int64)))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert results == [3, 4]


# --- native work --------------------------------------------------------------------------

ENDLESS = ["mcts", "mcts:loop=closed", "ismcts", "ismcts:trees=many", "pimc", "rhea", "ggp"]


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("spec", ENDLESS)
def test_an_interrupt_ends_every_search(spec: str, compiled: bool) -> None:
    limits = "iterations=100000000" + (",determinizations=0" if spec == "pimc" else "")
    agent = make_agent(f"{spec}{',' if ':' in spec else ':'}{limits}")
    state = load("love-letter", compiled=compiled).new_state(seed=1)
    agent.bind(state.table)  # compiles it
    with pressed(), pytest.raises(Interrupted):
        agent.choose(state)
    assert state.legal_actions()


@pytest.mark.parametrize(
    "spec", ["mcts", "mcts:loop=closed", "ismcts", "pimc", "rhea:length=40", "osla:samples=99"]
)
def test_a_search_looks_at_the_stop_word_within_an_iteration(spec: str) -> None:
    played = []

    class Counting(TicTacToe):
        @staticmethod
        def apply_action(state: Any, params: Any, action: int) -> None:
            TicTacToe.apply_action(state, params, action)
            played.append(action)
            if len(played) == 5:
                binding.stop[0] = 1

    table = Counting(compiled=False).table(size=7)
    binding: Any = make_agent(spec).bind(table)
    state = table.new_state(1)
    legal = np.zeros(1, ACTION_LIST)
    legal["count"] = len(state.legal_actions())
    legal["items"][0, :49] = state.legal_actions()
    binding.ask(table.address, state.address, int(legal.ctypes.data), 49)
    assert len(played) == 5


@pytest.mark.parametrize("at", [300, 301, 302, 303])
def test_a_descent_that_plays_the_rules_anew_looks_at_the_stop_word(at: int) -> None:
    played = []

    class Counting(LoveLetter):
        @staticmethod
        def apply_action(state: Any, params: Any, action: int) -> None:
            LoveLetter.apply_action(state, params, action)
            played.append(action)
            if len(played) == at:
                binding.stop[0] = 1

    table = Counting(compiled=False).table(2)
    assert table.state_size > MOST_KEPT_STATE
    agent = make_agent("mcts:loop=closed,rollout_length=0,iterations=100000000")
    binding: Any = agent.bind(table)
    state = table.new_state(1)
    legal = np.zeros(1, ACTION_LIST)
    count = len(state.legal_actions())
    legal["items"][0, :count] = state.legal_actions()
    binding.ask(table.address, state.address, int(legal.ctypes.data), count)
    assert len(played) == at


FORCED = """(role a) (init start) (init (s 0))
    (<= (legal a left) (true start)) (<= (legal a right) (true start))
    (<= (legal a noop) (not (true start))) (<= (next (s 1)) (true (s 0)))
    (<= (next (s 0)) (true (s 1))) (<= terminal (true (s 5))) (goal a 50)"""
"""After the first move the game goes on without a choice."""


@pytest.mark.parametrize("spec", ["mccfr", "ismcts:trees=many", "mcts:loop=open", "rhea"])
def test_an_interrupt_ends_a_search_among_forced_moves(spec: str) -> None:
    limits = "iterations=100000000"
    if spec != "rhea":
        limits += ",rollout_length=5"
    agent = make_agent(f"{spec}{',' if ':' in spec else ':'}{limits}")
    state = gdl.load(FORCED).new_state(seed=1)
    agent.bind(state.table)  # compiles it
    with pressed(), pytest.raises(Interrupted):
        agent.choose(state)


def test_an_interrupt_ends_the_particle_filter_and_what_it_believed() -> None:
    table = load("whist").table()
    agent = make_agent(
        "ismcts:belief=actions,particles=500,opponent_calls=2000000000,iterations=10"
    )
    seat = AgentSeat(agent, table, 1)
    seat.begin(1)
    state = table.new_state(1)
    seat.watch(state)
    after = state.clone()
    after.apply(after.legal_actions()[0])
    with pressed(), pytest.raises(Interrupted):
        seat.watch(after)
    belief = belief_of(
        record_at(seat.binding.address, AGENT), record_at(table.address, RULES), 500
    )
    assert belief.count == 0
    assert seat.decide(after, after.legal_actions()) in after.legal_actions()


THROWS = f"""(role a) (role random) (init (step 0)) {" ".join(f"(coin {i})" for i in range(40))}
    {" ".join(f"(succ {i} {i + 1})" for i in range(7))}
    (<= (legal random (throw ?i)) (coin ?i)) (legal a wait)
    (<= (next (step ?y)) (true (step ?x)) (succ ?x ?y)) (<= terminal (true (step 7)))
    (<= (next (thrown ?s ?i)) (does random (throw ?i)) (true (step ?s)))
    (<= (next (thrown ?s ?i)) (true (thrown ?s ?i)))
    (<= (sees a (thrown ?s ?i)) (true (step 5)) (true (thrown ?s ?i)))
    (goal a 50) (goal random 0)"""
"""Throws are perceived only at the end, so that almost no sampled history fits."""


def test_a_search_for_a_history_ends_when_its_own_work_is_stopped() -> None:
    """Rules look at the stop word of the call that they serve, and at no other."""
    state = gdl.load(THROWS).new_state(seed=1)
    for _ in range(6):
        state.apply(state.legal_actions()[0])
    expected = bytes(state.determinize(0, 2))
    sample, rng, stop = state.clone(), np.zeros(4, np.int64), np.zeros(1, np.int64)

    def seconds() -> float:
        start_stream(rng, 2, 0)
        began = time.perf_counter()
        with state.table.borrowed(stop) as rules:
            state.table.engine["determinize"](
                rules.address, state.address, 0, sample.address, rng.ctypes.data
            )
        return time.perf_counter() - began

    searched = seconds()
    stop[0] = 1
    assert seconds() < searched / 5
    with state.table.borrowed(stop):
        assert bytes(state.determinize(0, 2)) == expected


def test_work_in_another_thread_is_not_stopped_with_an_interrupted_search() -> None:
    state = gdl.load(THROWS).new_state(seed=1)
    for _ in range(6):
        state.apply(state.legal_actions()[0])
    expected = [bytes(state.determinize(0, seed)) for seed in range(8)]
    samples: list[bytes] = []

    def sample() -> None:
        samples.extend(bytes(state.determinize(0, seed)) for seed in range(8))

    agent = make_agent("ismcts:iterations=100000000")
    agent.bind(state.table)
    thread = threading.Thread(target=sample)
    thread.start()
    with pressed(), pytest.raises(Interrupted):
        agent.choose(state)
    thread.join()
    assert samples == expected


class Endless(Agent):
    """An agent in Python that never decides."""

    name = "endless"

    def choose(self, state: object) -> int:
        while True:
            pass


def test_an_agent_in_python_that_never_decides_is_interrupted() -> None:
    table = load("tic-tac-toe").table()
    native_play_games()  # compiles the match loop
    with pressed(signal.SIGTERM):
        record, raised = attempt_game(table, [make_agent("random"), Endless()], 1)
    assert isinstance(raised, Interrupted)
    assert (record.result.status, len(record.moves)) == ("interrupted", 1)
    verify(record, table)
    with pressed():
        batch = kibitz.play(table, [make_agent("random"), Endless()], 3)
    assert batch.interrupted


@pytest.mark.parametrize("number", SIGNALS)
def test_a_game_that_is_told_ends_with_the_action_at_which_an_interrupt_comes(number: int) -> None:
    table = load("uno").table(3)
    followed: list[Move | None] = []

    def follow(state: State, move: Move | None) -> None:
        followed.append(move)
        if len(followed) == 40:
            signal.raise_signal(number)

    with caught_signals():
        record, raised = attempt_game(table, make_agents(["random"], 3), 1, follow=follow)
    assert isinstance(raised, Interrupted)
    assert (record.result.status, len(followed)) == ("interrupted", 40)
    assert [None, *record.moves] == followed
    verify(record, table)


def test_a_game_ends_when_nobody_can_be_told_of_it_any_more() -> None:
    table = load("uno").table(3)

    def follow(state: State, move: Move | None) -> None:
        if state.tick == 39:
            raise BrokenPipeError

    record, raised = attempt_game(table, make_agents(["random"], 3), 1, follow=follow)
    assert isinstance(raised, BrokenPipeError)
    assert (record.result.status, len(record.moves)) == ("interrupted", 39)
    verify(record, table)


def test_the_loss_of_a_reader_ends_a_search() -> None:
    reading, writing = os.pipe()
    agent, state = make_agent("mcts:iterations=100000000"), load("tic-tac-toe").new_state()
    agent.bind(state.table)
    with caught_signals(), open(writing, "w") as stream:
        watch_end(stream, signal.SIGPIPE)
        threading.Timer(0.3, os.close, [reading]).start()
        with pytest.raises(Interrupted) as raised:
            agent.choose(state)
    assert raised.value.number == signal.SIGPIPE


@pytest.mark.parametrize("typed", [b"", b"1\n"])
def test_an_input_that_was_closed_is_an_interrupt_when_all_was_read(typed: bytes) -> None:
    """A script may have typed ahead."""
    reading, writing = os.pipe()
    os.write(writing, typed)
    os.close(writing)
    agent, state = make_agent("mcts:iterations=20"), load("tic-tac-toe").new_state()
    agent.bind(state.table)
    with caught_signals(), open(reading) as stream:
        watch_end(stream, signal.SIGHUP)
        if typed:
            agent.choose(state)
            assert stream.buffer.readline() == typed
        with pytest.raises(Interrupted) as raised:
            make_agent("mcts:iterations=100000000").choose(state)
        assert raised.value.number == signal.SIGHUP


def test_the_watch_leaves_input_where_it_is() -> None:
    """Whoever reads a line at that moment would lose what is taken out of the pipe."""
    reading, writing = os.pipe()
    os.write(writing, b"1\n")
    os.close(writing)
    agent, state = make_agent("mcts:milliseconds=150"), load("tic-tac-toe").new_state()
    agent.bind(state.table)
    with caught_signals(), open(reading) as stream:
        watch_end(stream, signal.SIGHUP)
        agent.choose(state)
        assert os.read(reading, 9) == b"1\n"


# --- what is kept -------------------------------------------------------------------------


@pytest.mark.parametrize("compiled", [True, False])
def test_a_game_interrupted_at_any_line_is_kept_up_to_its_last_action(compiled: bool) -> None:
    table = load("tic-tac-toe", compiled=compiled).table()
    agents = make_agents(["first-legal"], 2)
    records = []

    def work() -> None:
        record, raised = attempt_game(table, agents, 1)
        records.append(record)
        if raised is not None:
            raise raised

    modules = [record_module, worker_module, interrupt]
    rules = sys.modules[type(table.game).__module__]
    if not compiled:
        modules = [record_module, game_module, rules]
    lengths = set()
    for raised in interrupted_at_each_line(work, modules, step=1 if compiled else 7):
        assert raised is None or isinstance(raised, Interrupted)
        if records:
            record = records.pop()
            verify(record, table)
            lengths.add(len(record.moves))
    assert lengths <= set(range(8))
    assert {0, 7} <= lengths


def test_uncompiled_rules_that_are_interrupted_cost_no_action_but_their_own() -> None:
    completed: list[int] = []

    class Counting(TicTacToe):
        @staticmethod
        def setup(state: Any, params: Any) -> None:
            TicTacToe.setup(state, params)
            completed.append(0)

        @staticmethod
        def apply_action(state: Any, params: Any, action: int) -> None:
            TicTacToe.apply_action(state, params, action)
            completed[-1] += 1

    table = Counting(compiled=False).table()
    agents = make_agents(["first-legal"], 2)
    records: list[Record] = []
    lengths = set()
    rules = sys.modules[TicTacToe.__module__]
    for _ in interrupted_at_each_line(
        lambda: records.append(attempt_game(table, agents, 1)[0]), [rules]
    ):
        record, played = records.pop(), (completed or [0])[0]
        verify(record, table)
        assert len(record.moves) == played
        lengths.add(played)
        completed.clear()
    assert lengths == set(range(8))


def test_a_state_is_as_it_was_when_uncompiled_rules_are_interrupted_at_any_line() -> None:
    table = load("tic-tac-toe", compiled=False).table()
    rules = sys.modules[type(table.game).__module__]
    before = table.new_state(1)
    legal, first = before.legal_actions(), before.legal_actions()[0]
    after = before.clone()
    after.apply(first)
    state = before.clone()
    results = []

    def work() -> None:
        results.append(state.legal_actions())
        results.append(state.heuristic(0))
        state.apply(first)

    raised = Counter[bool]()
    for problem in interrupted_at_each_line(work, [rules, game_module]):
        assert problem is None or isinstance(problem, Interrupted)
        assert bytes(state) in (bytes(before), bytes(after))
        assert table.exception is None
        assert problem is not None or bytes(state) == bytes(after)
        raised[bytes(state) == bytes(after)] += problem is not None
        state = before.clone()
    assert state.legal_actions() == legal
    assert raised[False] > 20


def test_a_file_is_whole_whenever_an_interrupt_comes(tmp_path: Path) -> None:
    file = tmp_path / "kept.json"
    file.write_text("old")
    for _ in interrupted_at_each_line(lambda: write_text(file, "new" * 9), [files, interrupt]):
        assert file.read_text() in ("old", "new" * 9)
        assert os.listdir(tmp_path) == ["kept.json"]
        file.write_text("old")


def test_a_file_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="No such file"):
        write_text(tmp_path / "none" / "kept.json", "new")
    (tmp_path / "folder").mkdir()
    with pytest.raises(FileError, match="cannot be written"):
        write_text(tmp_path / "folder", "new")
    assert os.listdir(tmp_path) == ["folder"]


def test_links_permissions_and_devices_stay_what_they_are(tmp_path: Path) -> None:
    file, link = tmp_path / "kept.json", tmp_path / "link.json"
    file.write_text("old")
    file.chmod(0o640)
    link.symlink_to(file)
    write_text(link, "new")
    assert link.is_symlink()
    assert (file.read_text(), file.stat().st_mode & 0o777) == ("new", 0o640)
    write_text("/dev/null", "new")
    assert Path("/dev/null").is_char_device()


# --- whole commands -----------------------------------------------------------------------


@pytest.mark.parametrize("number", SIGNALS)
def test_a_command_that_is_told_to_end_says_so_and_keeps_the_game(
    number: int, tmp_path: Path
) -> None:
    file = tmp_path / "kept.json"
    words = ["record", "tic-tac-toe", "--agents", "mcts:iterations=100000000", "--out", str(file)]
    program = (
        "import os, sys, threading; from kibitz.arena import worker; from kibitz.__main__ import "
        "main; play = worker.Worker.play; worker.Worker.play = lambda *a: (threading.Timer(.2, "
        f"os.kill, [os.getpid(), {int(number)}]).start(), play(*a))[1]; main()"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program, *words],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ended.returncode == 128 + number
    assert ended.stderr.splitlines()[-1] == "Stopped after 0 actions."
    verify(record_module.Record.read(file))


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("module", ["typer", "kibitz.cli.ggp"])
def test_a_signal_while_the_command_line_is_imported_ends_it_quietly(
    number: int, module: str
) -> None:
    program = (
        "import os, sys; from kibitz.__main__ import main\n"
        "class Finder:\n"
        "    def find_spec(self, name, *_):\n"
        f"        if name == {module!r}: os.kill(os.getpid(), {int(number)})\n"
        "sys.meta_path.insert(0, Finder()); main()"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program, "games"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (128 + number, "")
    assert ended.stderr.strip() == "Stopped."


def test_a_signal_while_a_command_makes_a_class_ends_it_quietly() -> None:
    """Python 3.11 makes another error of it."""
    program = (
        "import os; from kibitz.__main__ import main; from kibitz.cli import app\n"
        "class Field:\n"
        "    def __set_name__(self, *_): os.kill(os.getpid(), 15)\n"
        "def make(): type('Made', (), {'field': Field()})\n"
        "app.command('make')(make); main()"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program, "make"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (ended.returncode, ended.stderr.strip()) == (143, "Stopped.")


def test_a_thread_that_is_left_behind_does_not_hold_up_the_end() -> None:
    """Resources of the thread are freed only by the end of the process."""
    program = (
        "import threading; from kibitz.__main__ import main; from kibitz.cli import app\n"
        "def late() -> None: threading.Thread(target=threading.Event().wait, args=[60]).start()\n"
        "app.command('late')(late); main()"
    )
    ended = subprocess.run([sys.executable, "-c", program, "late"], timeout=300, check=False)
    assert ended.returncode == 0


def test_a_command_that_was_interrupted_clears_nothing_up() -> None:
    """Unloading all modules would take a tenth of a second."""
    program = (
        "import atexit, os; from kibitz.__main__ import main; from kibitz.cli import app\n"
        "def service() -> None:\n"
        "    atexit.register(print, 'cleared up')\n"
        "    if {}:\n"
        "        try: os.kill(os.getpid(), 15)\n"
        "        except KeyboardInterrupt: print('stopped')\n"
        "app.command('service')(service); main()"
    )
    for signalled, output in ((True, "stopped\n"), (False, "cleared up\n")):
        ended = subprocess.run(
            [sys.executable, "-c", program.format(signalled), "service"],
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert (ended.returncode, ended.stdout, ended.stderr) == (0, output, "")
