"""The page about GGP is true: messages, record, player, commands, limits."""

from __future__ import annotations

import contextlib
import json
import re
import shlex
from pathlib import Path

import pytest
import typer
from tests.ggp.foreign import Serving, serving

from kibitz.cli.app import app
from kibitz.cli.new import PLAYER
from kibitz.gdl import library
from kibitz.ggp import http
from kibitz.ggp.messages import candidates, parse, parse_status
from kibitz.ggp.record import MatchRecord
from kibitz.ggp.replaying import contradiction
from kibitz.ggp.settings import MEGABYTES, MOST_MATCHES, ServiceSettings
from kibitz.syntax.sexpr import MOST_DEPTH

PAGE = (Path(__file__).parents[2] / "docs" / "ggp.md").read_text("utf-8")
ROWS = re.findall(r"^\| `(\(.*?\))` \| `(.*?)` \|", PAGE, re.M)
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE, re.S | re.M)
"""The pieces of Python on the page."""


def block(language: str) -> str:
    match = re.search(rf"^```{language}\n(.*?)^```", PAGE, re.S | re.M)
    assert match is not None
    return match[1]


@pytest.mark.parametrize(("message", "reply"), ROWS, ids=[message for message, _ in ROWS])
def test_messages_and_replies_are_as_they_are_shown(message: str, reply: str) -> None:
    assert parse(str(parse(message))) == parse(message)
    assert candidates(reply)
    if message == "(INFO)":
        assert parse_status(reply) is not None


def test_all_kinds_of_messages_are_shown() -> None:
    verbs = {message.strip("(").split()[0].strip(")") for message, _ in ROWS}
    assert verbs == {"INFO", "PREVIEW", "START", "PLAY", "STOP", "ABORT"}


def test_the_request_says_how_long_it_is() -> None:
    request = re.search(r"^POST.*?Content-Length: (\d+)\n\n(.*?)```", PAGE, re.S | re.M)
    assert request is not None
    assert int(request[1]) == len(request[2].strip())


def test_the_record_is_one_and_follows_the_rules() -> None:
    record = MatchRecord.from_json(json.loads(block("json")))
    assert record.to_json() == json.loads(block("json"))
    assert contradiction(record, library.monty_hall.fork()) is None


def test_the_handlers_of_the_page_play(tmp_path: Path) -> None:
    handlers = [text for text in BLOCKS if text.startswith("def ")]
    assert len(handlers) == 2
    file = tmp_path / "my_player.py"
    file.write_text("\n".join([PLAYER.read_text(), *handlers]))
    with contextlib.closing(Serving(file)) as player:
        assert (
            player.say(f"(START m1 white ({library.gdl_tic_tac_toe.text.text}) 20 10)") == "ready"
        )
        assert player.say("(PLAY m1 NIL)") == "( mark 1 1 )"
        assert player.say("(PLAY m1 ((mark 1 1) noop))") == "noop"


def test_the_player_of_the_page_wins_where_it_can(tmp_path: Path) -> None:
    text = next(text for text in BLOCKS if "class Greedy" in text)
    (tmp_path / "greedy.py").write_text(text)
    rules = library.gdl_tic_tac_toe.text.text
    with serving(player=f"{tmp_path}/greedy.py:Greedy") as player:
        player.say(f"(START m1 white ({rules}) 20 10)")
        player.say("(PLAY m1 NIL)")
        steps = [("(mark 1 1)", "noop"), ("noop", "(mark 2 1)"), ("(mark 1 2)", "noop")]
        for moves in steps:
            player.say(f"(PLAY m1 ({' '.join(moves)}))")
        assert player.say("(PLAY m1 (noop (mark 2 2)))") == "( mark 1 3 )"
        assert "at random" not in " ".join(player.lines)


def test_the_commands_of_the_page_have_these_options() -> None:
    command = typer.main.get_command(app)
    lines = re.findall(r"^(?:\$ )?kibitz ggp (.*)$", PAGE, re.M)
    assert len(lines) >= 6
    for line in lines:
        name, *words = shlex.split(line)
        known = command.commands["ggp"].commands[name]  # type: ignore[attr-defined]
        options = {option for parameter in known.params for option in parameter.opts}
        assert {word for word in words if word.startswith("--")} <= options


def test_the_limits_are_those_of_the_page() -> None:
    assert http.MOST_BODY == 4 << 20
    assert http.MOST_REPLY == 64 << 10
    assert http.RECEIVING == 30
    assert http.MOST_CONNECTIONS == 100
    assert MOST_DEPTH == 100
    assert MEGABYTES == 6000
    assert MOST_MATCHES == 4
    assert ServiceSettings().idle == 60
    assert [ServiceSettings().budget(clock) for clock in (1, 5, 60)] == [0.9, 4.5, 58.5]
