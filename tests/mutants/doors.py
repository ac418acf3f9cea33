"""All treatments of an untrusted text, from reading it to recording a game."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from contextlib import suppress

import kibitz
from kibitz.core.agent import make_agents
from kibitz.core.encoder import Encoder
from kibitz.core.errors import GameDefinitionError, KibitzError, PlayError
from kibitz.core.game import Table
from kibitz.core.state import State
from kibitz.core.status import Status
from kibitz.languages.recycle_trial import extreme_settings
from kibitz.loading import from_text, language_for
from kibitz.pictures import draw
from kibitz.recycle.game import RecycleGame
from kibitz.sessions.recording import attempt_game, verify
from kibitz.sessions.records import Record
from kibitz.sessions.session import Session
from kibitz.syntax.language import Language
from kibitz.syntax.source import Source, render, to_json
from kibitz.web import checks

Stage = Callable[[str], None]
"""Called with the name of each stage when it begins."""

MOST_MOVES = 15
"""Greatest number of moves of a game that is recorded."""
MOST_WATCHED = 6
"""Greatest number of moves of a game with a searching agent that all seats watch."""
GAMES = 1
"""Games played at each table without observers."""
EDITED = 0.1
"""The share of texts on which the functions of an editor are run."""
ASKED = 0.25
"""The share of texts with errors from which a table is made nevertheless."""
VARIED = 0.5
"""The share of games that are played with an extreme setting, too."""
THINKS = "ismcts:iterations=12"
BROKEN = (Status.FULL_BUFFER, Status.RULES_ERROR, Status.DEAD_END, Status.ENDLESS)

REFUSED, PLAYED, BROKE_OFF = "refused", "played", "broke off"


class Enough(Exception):
    """Raised to end a game."""


def walk(source: Source, seed: int, stage: Stage) -> str:
    """Reads, checks and plays rules; returns whether they were refused, played or broke off.

    Raises:
        Exception: any exception is a failure.
    """
    language = language_for(source.name)
    assert language is not None
    chance = random.Random(seed)
    if chance.random() < EDITED:
        edits(language, source, stage)
    if not reads(language, source, stage):
        if chance.random() < ASKED:
            refuses(language, source, stage)
        return REFUSED
    stage("load")
    try:
        game = from_text(source, language.name)
        if isinstance(game, RecycleGame):
            game = game.quickly_made()
        tables = [game.table()]
        if isinstance(game, RecycleGame) and chance.random() < VARIED:
            setting = chance.choice(extreme_settings(game))
            with suppress(KibitzError):  # the extremes need not fit together
                tables.append(game.table(setting.players, setting.values))
    except KibitzError:
        return REFUSED
    finished = [plays(table, chance.getrandbits(32), stage) for table in tables]
    finished.append(plays_in_a_session(tables[0], chance, stage))
    return PLAYED if all(finished) else BROKE_OFF


def edits(language: Language, source: Source, stage: Stage) -> None:
    """Finds mistakes, the outline and the layout of a text, as an editor does."""
    stage("find")
    checks.listed(checks.find(source.name, source.text))
    stage("outline")
    language.outline(source)
    language.names(source)
    language.recognizes(source)
    stage("format")
    with suppress(KibitzError):
        formatted = language.format(source)
        assert language.format(Source(source.name, formatted)) == formatted


def reads(language: Language, source: Source, stage: Stage) -> bool:
    """Whether a text has no errors; shows what is wrong with it."""
    stage("diagnose")
    diagnostics = language.diagnose(source, None, {})
    stage("messages")
    for diagnostic in diagnostics:
        assert 0 <= diagnostic.span.start <= diagnostic.span.end <= len(source.text)
        assert diagnostic.message
        render(diagnostic, source)
        json.dumps(to_json(diagnostic, source))
    return not any(diagnostic.is_error for diagnostic in diagnostics)


def refuses(language: Language, source: Source, stage: Stage) -> None:
    """Asks rules with errors for a table."""
    stage("refuse")
    with suppress(KibitzError):
        from_text(source, language.name).table()
        raise AssertionError("rules with errors make a table")


def plays(table: Table, seed: int, stage: Stage) -> bool:
    """Whether games come to an end; records one, and reads and replays the record."""
    stage("games")
    lineup = make_agents("random", table.players)
    batch = kibitz.play(table, lineup, GAMES, seed, workers=1)
    stage("record")
    moves = 0

    def follow(state: State, move: object) -> None:
        nonlocal moves
        moves += 1
        if moves > MOST_MOVES:
            raise Enough

    record, raised = attempt_game(table, lineup, seed, follow=follow)
    if raised is not None and not isinstance(raised, Enough | KibitzError):
        raise raised
    if isinstance(raised, GameDefinitionError):  # no game begins, so there is nothing to replay
        return False
    again = Record.from_json(json.dumps(record.to_json()))
    assert again == record
    verify(again, table)
    stage("transcript")
    assert kibitz.transcript(record, table)
    return not any(status in BROKEN for status in batch.results["status"])


def plays_in_a_session(table: Table, chance: random.Random, stage: Stage) -> bool:
    """Whether a game with a searching agent is not broken off; every seat looks on."""
    stage("session")
    seats = [THINKS, *["random"] * (table.players - 1)]
    try:
        session = Session(table, seats, chance.getrandbits(32))
        shows(session.state, stage)
    except (PlayError, GameDefinitionError):
        return False
    for seat in (None, 0):
        session.opening(seat)
    try:
        for _ in range(MOST_WATCHED):
            if session.is_over:
                break
            stage("decide")
            update = session.advance()
            stage("events")
            for seat in (None, *range(table.players)):
                update.events(seat)
            if chance.random() < 0.3:
                shows(session.state, stage)
        shows(session.state, stage)
        if not session.is_over:
            stage("advise")
            session.advise(THINKS)
    except (PlayError, GameDefinitionError):
        return False
    return True


def shows(state: State, stage: Stage) -> None:
    """Shows a state to each seat, in words, as JSON, as numbers and as a picture."""
    stage("state")
    assert State.from_json(state.table, json.dumps(state.to_json())) == state
    assert State.from_bytes(state.table, bytes(state)) == state
    legal = [] if state.is_terminal else state.legal_actions()
    stage("words")
    for action in legal[:20]:
        assert state.action(state.action_words(action)) in legal
    for seat in range(state.players):
        stage("observe")
        observation = state.observation(seat)
        json.dumps(observation.to_json())
        state.determinize(seat, 1)
        stage("describe")
        assert state.describe(seat)
        stage("draw")
        assert draw(state, seat, legal=legal[:60]).svg
    assert state.describe()
    stage("encode")
    with suppress(GameDefinitionError):  # rules that are evaluated one by one have no numbers
        encoder = Encoder(state.table)
        encoder.encode(state, 0)
        encoder.mask(state)
