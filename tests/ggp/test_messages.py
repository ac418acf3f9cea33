"""Messages: every form that is in use is read, and what is written is read back."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kibitz.ggp.messages import (
    Abort,
    Info,
    Joint,
    Message,
    MessageError,
    Percepts,
    Play,
    Preview,
    Start,
    Status,
    Stop,
    candidates,
    items,
    parse,
    parse_status,
    plain,
    spaced,
)

RULES = "((role white) (<= terminal (true (step 9))))"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(INFO)", Info()),
        ("( info )", Info()),
        ("(PING)", Info()),
        ("", Info()),
        (" \r\n", Info()),
        (f"(START m1 white {RULES} 30 10)", Start("m1", "white", RULES, 30, 10)),
        (f"(start M.1-x WHITE {RULES} 30 10)", Start("M.1-x", "WHITE", RULES, 30, 10)),
        (f"(START m1 white {RULES} 30 10 (more) 7)", Start("m1", "white", RULES, 30, 10)),
        (f"(START m1 (player 1) {RULES} 0 1)", Start("m1", "(player 1)", RULES, 0, 1)),
        ("(PLAY m1 NIL)", Play("m1", Joint(None))),
        ("(play m1 nil)", Play("m1", Joint(None))),
        ("(PLAY m1 ())", Play("m1", Joint(None))),
        ("( PLAY m1 (( mark 2 3 ) noop ) )", Play("m1", Joint(("(mark 2 3)", "noop")))),
        ("(PLAY m1 ((mark 2 3)noop))", Play("m1", Joint(("(mark 2 3)", "noop")))),
        ("(PLAY\tm1\r\n(noop ; a word\r (mark 1 1)))", Play("m1", Joint(("noop", "(mark 1 1)")))),
        ("(PLAY m1 (a b) extra (x))", Play("m1", Joint(("a", "b")))),
        ("(PLAY m1 NIL extra more)", Play("m1", Joint(None))),
        ("(PLAY m1 0 NIL NIL)", Play("m1", Percepts(0, None, ()))),
        (
            "(PLAY m1 2 (open 1) ((hear door) x))",
            Play("m1", Percepts(2, "(open 1)", ("(hear door)", "x"))),
        ),
        ("(PLAY m1 2 noop NIL)", Play("m1", Percepts(2, "noop", ()))),
        ("(PLAY m1 2 noop () more)", Play("m1", Percepts(2, "noop", ()))),
        ("(PLAY m1 ((hear door)))", Play("m1", Joint(("(hear door)",)))),
        ("(STOP m1 (noop (mark 1 1)))", Stop("m1", Joint(("noop", "(mark 1 1)")))),
        ("(STOP m1 NIL)", Stop("m1", Joint(None))),
        ("(stop m1 3 noop ((won)))", Stop("m1", Percepts(3, "noop", ("(won)",)))),
        ("(ABORT m1)", Abort("m1")),
        ("(abort m1 extra)", Abort("m1")),
        (f"(PREVIEW {RULES} 60)", Preview(RULES, 60)),
        (f"(preview {RULES} 60 x)", Preview(RULES, 60)),
    ],
)
def test_every_form_of_message_is_read(text: str, message: Message) -> None:
    assert parse(text) == message


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("INFO", "is a list"),
        ("()", "is a list"),
        ("(", "not closed"),
        (")", "closes nothing"),
        ("(INFO))", "closes nothing"),
        ("(INFO) (INFO)", "more than one"),
        ("(DANCE m1)", "no message DANCE"),
        ("((INFO))", "no message"),
        ("(START m1 white)", "needs 5 arguments, and has 2"),
        ("(START m1 white rules 1 1)", "rules are a list"),
        ("(START (m) white ((role w)) 1 1)", "one word"),
        ("(START m1 white ((role w)) soon 1)", "soon is no number"),
        ("(START m1 white ((role w)) -3 1)", "-3 is no number"),
        ("(PLAY m1)", "needs 2 arguments"),
        ("(PLAY m1 noop)", "a list is expected"),
        ("(PLAY m1 1 noop noop)", "a list is expected"),
        ("(PLAY (m1) NIL)", "one word"),
        ("(STOP m1)", "needs 2"),
        ("(ABORT)", "needs 1"),
        (f"(ABORT {'m' * 257})", "at most 256"),
        ("(PREVIEW x 1)", "rules are a list"),
        ("(" * 101 + ")" * 101, "more than 100 parentheses"),
    ],
)
def test_what_is_no_message_is_refused_with_the_reason(text: str, why: str) -> None:
    with pytest.raises(MessageError, match=why):
        parse(text)


ATOM = st.from_regex(r"[a-z0-9+_-]{1,8}", fullmatch=True).filter(lambda word: word != "nil")
TERM = st.recursive(
    ATOM,
    lambda inner: st.lists(inner, min_size=1, max_size=4).map(
        lambda terms: f"({' '.join(terms)})"
    ),
    max_leaves=8,
)
WORD = st.from_regex(r"[A-Za-z][A-Za-z0-9._-]{0,12}", fullmatch=True)
CLOCK = st.integers(0, 3_600)
JOINT = st.one_of(st.none(), st.lists(TERM, min_size=1, max_size=4).map(tuple)).map(Joint)
PERCEPTS = st.builds(
    Percepts,
    st.integers(0, 500),
    st.one_of(st.none(), TERM),
    st.lists(TERM, max_size=4).map(tuple),
)
REPORT = st.one_of(JOINT, PERCEPTS)
RULES_LIST = st.lists(TERM, max_size=5).map(lambda terms: f"({' '.join(terms)})")
MESSAGES = st.one_of(
    st.just(Info()),
    st.builds(Start, WORD, TERM, RULES_LIST, CLOCK, CLOCK),
    st.builds(Play, WORD, REPORT),
    st.builds(Stop, WORD, REPORT),
    st.builds(Abort, WORD),
    st.builds(Preview, RULES_LIST, CLOCK),
)


def test_a_clock_has_an_hour_at_most() -> None:
    """So that nobody holds a place at a player for weeks."""
    message = parse("(START m1 white ((role white)) 1000000 999999999)")
    assert message == Start("m1", "white", "((role white))", 3_600, 3_600)


@given(MESSAGES)
def test_what_is_written_is_read_back(message: Message) -> None:
    assert parse(str(message)) == message


@given(st.text(alphabet="()ab ;\n?\x00é", max_size=60))
def test_any_text_is_a_message_or_refused(text: str) -> None:
    with contextlib.suppress(MessageError):
        assert parse(str(parse(text))) == parse(text)


def test_terms_are_written_as_the_field_writes_them() -> None:
    assert spaced("(mark 2 (f x))") == "( mark 2 ( f x ) )"
    assert plain("( mark 2\t( f x ) )") == "(mark 2 (f x))"
    assert str(Play("m1", Joint(("(mark 2 3)", "noop")))) == "( PLAY m1 ( ( mark 2 3 ) noop ) )"
    assert str(Play("m1", Joint(None))) == "( PLAY m1 NIL )"
    assert str(Play("m1", Percepts(1, "(open 2)", ()))) == "( PLAY m1 1 ( open 2 ) NIL )"
    assert str(Stop("m1", Percepts(0, None, ()))) == "( STOP m1 0 NIL NIL )"


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("((name P) (status available) (species alien))", Status("available", "P", "alien")),
        ("( ( status busy ) ( colour (dark blue) ) )", Status("busy")),
        ("ready", Status("ready")),
        ("BUSY", Status("busy")),
        ("((name P))", None),
        ("(((", None),
        ("", None),
        ("(status)", None),
    ],
)
def test_replies_to_info(text: str, status: Status | None) -> None:
    assert parse_status(text) == status


def test_own_status_is_read_back() -> None:
    status = Status("available", "P", "alien")
    assert str(status) == "( ( name P ) ( status available ) ( species alien ) )"
    assert parse_status(str(status)) == status


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("noop", ["noop"]),
        (" ( mark 2 3 )\r\n", ["(mark 2 3)", "mark"]),
        (
            "((mark 2 3) (explanation x) (taunt y))",
            ["((mark 2 3) (explanation x) (taunt y))", "(mark 2 3)"],
        ),
        ("(mark 2", []),
        ("", []),
        ("a b", []),
        ("()", []),
    ],
)
def test_what_a_reply_to_play_may_mean(text: str, terms: list[str]) -> None:
    assert candidates(text) == terms


def test_a_long_message_is_split_quickly_and_without_recursion() -> None:
    rules = "(" + "(fact 1 2)" * 100_000 + ")"
    assert items(f"(START m w {rules} 1 1)") == ["START", "m", "w", rules, "1", "1"]
