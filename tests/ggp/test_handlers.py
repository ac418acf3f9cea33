"""Players in five handlers: the book's match of tic-tac-toe, slips in a file, faults in play."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.ggp.foreign import Serving, ggp_base

from kibitz.cli.new import PLAYER
from kibitz.core.errors import FileError
from kibitz.gdl import library
from kibitz.ggp import messages
from kibitz.ggp.handlers import load_handlers

TIC_TAC_TOE = f"({library.gdl_tic_tac_toe.text.text})"
KRIEGSPIEL = f"({library.kriegspiel_tic_tac_toe.text.text})"

Listen = Callable[..., Serving]


@pytest.fixture
def listen(tmp_path: Path) -> Iterator[Listen]:
    """Serves the template's handlers, with pieces of text replaced."""
    opened: list[Serving] = []

    def serve(*changes: tuple[str, str]) -> Serving:
        text = PLAYER.read_text()
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        file = tmp_path / "my_player.py"
        file.write_text(text)
        opened.append(Serving(file))
        return opened[-1]

    yield serve
    for serving in opened:
        serving.close()


def test_the_match_of_the_book(listen: Listen) -> None:
    """The legal player answers as in section 4.3."""
    player = listen()
    assert player.say("(INFO)") == "ready"
    assert player.say(f"(START m23 white {TIC_TAC_TOE} 10 10)") == "ready"
    assert player.say("(PLAY m23 NIL)") == "( mark 1 1 )"
    assert player.say("(PLAY m23 ((mark 1 1) noop))") == "noop"
    assert player.say("(PLAY m23 (noop (mark 1 3)))") == "( mark 1 2 )"
    assert player.say("(STOP m23 ((mark 3 3) noop))") == "done"
    assert player.say("(ABORT m23)") == "done"


def test_the_random_player_varies(listen: Listen) -> None:
    player = listen(("return legal_move()", "return random_move()"))
    moves = set()
    for number in range(20):
        player.say(f"(START m{number} white {TIC_TAC_TOE} 10 10)")
        moves.add(player.say(f"(PLAY m{number} NIL)"))
    assert len(moves) > 3


def test_handlers_get_the_arguments_of_the_message(listen: Listen) -> None:
    statement = 'return repr((id, player, len(rules), startclock, playclock)).replace(" ", "")'
    player = listen(
        ("    game = gdl.load(rules)", f"    {statement}"),
        ("    state = gdl.simulate(move, state, game)\n", '    return "_".join(["p", *move])\n'),
    )
    count = len(messages.items(TIC_TAC_TOE) or ())
    reply = player.say(f"(START m white {TIC_TAC_TOE} 10 5)")
    assert reply.replace(" ", "") == f"('m','white',{count},10,5)"
    assert player.say("(PLAY m 1 (mark 1 1) (yes (no 2)))") == "p_yes_ ( no 2 )"
    assert player.say("(PREVIEW ((role a)) 5)") == "ready"


def test_an_exception_is_shown_and_the_next_message_is_answered(
    listen: Listen, capfd: pytest.CaptureFixture[str]
) -> None:
    player = listen(("return legal_move()", "return legal_move() if move == 'nil' else 1 / 0"))
    player.say(f"(START m white {TIC_TAC_TOE} 10 10)")
    assert player.say("(PLAY m NIL)") == "( mark 1 1 )"
    assert player.say("(PLAY m ((mark 1 1) noop))") == "error"
    line = PLAYER.read_text().splitlines().index("    return legal_move()") + 1
    assert player.lines[-1] == (
        f"m: play failed: ZeroDivisionError: division by zero (line {line}, in play)"
    )
    traceback = capfd.readouterr().err
    assert "my_player.py" in traceback
    assert "1 / 0" in traceback
    assert player.say("(INFO)") == "ready"


def test_an_error_of_kibitz_is_shown_without_a_traceback(
    listen: Listen, capfd: pytest.CaptureFixture[str]
) -> None:
    player = listen(("    return legal_move()", '    gdl.load("(role")'))
    player.say(f"(START m white {TIC_TAC_TOE} 10 10)")
    assert player.say("(PLAY m NIL)") == "error"
    assert "m: play failed: SourceError: " in player.lines[-1]
    assert "is never closed. [unbalanced] (line " in player.lines[-1]
    printed = capfd.readouterr().err
    assert "    1 | (role\n" in printed
    assert "Traceback" not in printed


def test_what_a_handler_raises_does_not_control_the_terminal(
    listen: Listen, capfd: pytest.CaptureFixture[str]
) -> None:
    player = listen(("    return legal_move()", '    raise ValueError(move + "\\x1b[2J")'))
    player.say(f"(START m white {TIC_TAC_TOE} 10 10)")
    assert player.say("(PLAY m NIL)") == "error"
    printed = capfd.readouterr().err
    assert "ValueError: nil?[2J" in printed
    assert "\x1b" not in printed + player.lines[-1]


def test_a_handler_that_returns_no_text_is_named(listen: Listen) -> None:
    player = listen(("return legal_move()", "return None"))
    player.say(f"(START m white {TIC_TAC_TOE} 10 10)")
    assert player.say("(PLAY m NIL)") == "error"
    assert player.lines[-1].startswith("m: play failed: it returned None")


def test_nonsense_is_an_error(listen: Listen) -> None:
    player = listen()
    assert ggp_base(player.port, "(DANCE m)") == "error"
    assert player.lines[-1].startswith("not understood:")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("x =", "cannot be run: SyntaxError"),
        ("\ndef f(): 1 / 0\nf()", "cannot be run (line 2, in f): ZeroDivisionError: division by"),
        ("import sys\nsys.exit('no')", "cannot be run (line 2, in <module>): SystemExit: no"),
        (
            "from kibitz import gdl\ngdl.load('(')",
            "cannot be run (line 2, in <module>): Source",
        ),
        ("def info(): return 'ready'", "has no handler start. Add: def start(id, role, rules"),
        ("start = play = stop = abort = info = lambda: 1", "start: too many positional argument"),
        ("start = 5\ndef info(): ...", "has no handler start"),
    ],
)
def test_a_file_that_lacks_a_handler_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, problem: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "slip.py").write_text(text)
    for file in (tmp_path / "slip.py", Path("slip.py")):
        with pytest.raises(FileError, match=r"slip\.py: ") as raised:
            load_handlers(file)
        assert problem in str(raised.value)


def test_a_handler_that_hangs_does_not_hold_up_other_messages(listen: Listen) -> None:
    player = listen(("return legal_move()", "import time; time.sleep(3)"))
    player.say(f"(START m white {TIC_TAC_TOE} 10 10)")
    asking = threading.Thread(target=player.say, args=("(PLAY m NIL)",))
    asking.start()
    assert player.say("(INFO)") == "ready"
    assert player.say("(ABORT m)") == "done"
    assert asking.is_alive()
    asking.join()


def test_a_reply_that_cannot_be_sent_is_an_error(listen: Listen) -> None:
    player = listen(("return legal_move()", 'return "\\ud800"'))
    player.say(f"(START m white {TIC_TAC_TOE} 10 10)")
    assert player.say("(PLAY m NIL)") == "error"
