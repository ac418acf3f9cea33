"""The view of a table: the picture, the options, the log, as data and HTML."""

from __future__ import annotations

import functools
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from kibitz.core.state import State
from kibitz.core.wording import listed
from kibitz.languages.rulebooks import rules as written_rules
from kibitz.loading import load_installed
from kibitz.pictures import Picture, draw
from kibitz.reports import Outline, Point
from kibitz.reports.rules import document
from kibitz.syntax.rulebook import Rulebook
from kibitz.web.choosing import Choice
from kibitz.web.games import GameChoice
from kibitz.web.kibitzer import option_words
from kibitz.web.tables import HostedTable

MOST_OPTIONS = 150
"""Options that are listed in words; a filter finds the rest."""
MOST_LINES = 400
"""Lines of the log."""
EXAMPLE_ACTIONS = 400
"""Most actions of the random game that shows what a game looks like."""
EXAMPLE_SHARE = 0.45
"""How far that game is when it is drawn."""
EXAMPLE_WIDTH = 640


@dataclass(frozen=True)
class View:
    """A table as one viewer sees it, as plain data.

    Attributes:
        seat: whose eyes; ``None``: of somebody who only looks on.
        open: whether everything is shown.
        acts: whether it is for this viewer to choose.
        words: the actions to choose from, in words.
        tick: how many actions had been played.
        status: the present situation, in a sentence.
        log: what happened, as HTML.
    """

    seat: int | None
    open: bool
    acts: bool
    words: Mapping[int, str]
    tick: int
    status: str
    log: str

    @property
    def legal(self) -> tuple[int, ...]:
        """The actions to choose from."""
        return tuple(self.words)

    @classmethod
    def of(cls, hosted: HostedTable, seat: int | None) -> View:
        """How a viewer sees the table now."""
        session = hosted.session
        state = session.state
        acts = seat is not None and session.awaits == seat
        words = {a: option_words(state, a) for a in state.legal_actions()} if acts else {}
        return cls(
            seat,
            hosted.is_open,
            acts,
            words,
            state.tick,
            status(hosted, seat),
            log(hosted, seat),
        )


def picture(
    hosted: HostedTable, seat: int | None, tick: int, choice: Choice, width: int
) -> Picture | None:
    """The picture, with the actions that each thing in it stands for.

    Args:
        hosted: the table to draw.
        seat: whose eyes; ``None``: of somebody who only looks on.
        tick: how many actions have been played; ``None`` is returned where there are more now.
        choice: what the viewer may still mean.
        width: of the picture, in pixels.
    """
    session = hosted.session
    state, eyes = session.state, seat
    if state.tick != tick:
        return None
    acts = seat is not None and session.awaits == seat
    if hosted.is_open:
        eyes = None
    elif seat is None:
        for player in range(state.players):  # what all players see
            state = state.observation(player)
    return draw(
        state,
        eyes,
        legal=choice.meant if acts else (),
        chosen=choice.clicked,
        width=width,
        names=hosted.card.names(seat),
    )


@functools.lru_cache(maxsize=128)
def example(name: str) -> str:
    """An installed game under way in a random game, as the player to move sees it, as SVG.

    Raises:
        KibitzError: its rules cannot be made ready.
    """
    table = load_installed(name).table()
    chance = random.Random(1)
    state = table.new_state(seed=1)
    passed = [state.clone()]
    while not state.is_terminal and len(passed) <= EXAMPLE_ACTIONS:
        state.apply(chance.choice(state.legal_actions()))
        passed.append(state.clone())
    middle = passed[int(EXAMPLE_SHARE * (len(passed) - 1))]
    return draw(middle, middle.current_player, legal=(), width=EXAMPLE_WIDTH).svg


def rules(hosted: HostedTable) -> str:
    """The rules of the game at a table in words, as HTML."""
    book = written_rules(hosted.session.table)
    return "".join(f"<p>{escape(line)}</p>" for line in document(book).about) + _chapters(book)


def usual_rules(choice: GameChoice) -> str:
    """The rules of a game for the usual number of players, without what it is about, as HTML.

    Raises:
        KibitzError: no game has this name, or its text is wrong.
    """
    return _chapters(written_rules(choice.game()))


def _chapters(book: Rulebook) -> str:
    return "".join(
        f"<h3>{escape(section.title)}</h3>{_points(block.points)}"
        for section in document(book).sections
        for block in section.blocks
        if isinstance(block, Outline)
    )


def _points(points: Sequence[Point]) -> str:
    """The sentences of an outline as nested lists."""
    items = (
        f"<li>{escape(point.text)}{_points(point.points) if point.points else ''}</li>"
        for point in points
    )
    return f"<ul>{''.join(items)}</ul>"


def status(hosted: HostedTable, seat: int | None) -> str:
    """The present situation, in a sentence."""
    session = hosted.session
    if session.is_over:
        return outcome(session.state, seat)
    player = session.player
    agent = session.agents[player]
    if seat is not None and session.awaits == seat:
        return "Your turn."
    if agent is not None:
        return f"Player {player + 1} ({agent.name}) is thinking."
    return f"Waiting for player {player + 1}."


def outcome(state: State, seat: int | None) -> str:
    """How the finished game has ended, for one seat."""
    if seat is None or not any(state.places()) or state.table.is_only_scored:
        return state.headline()
    places = state.places()
    first = [p for p in range(state.players) if places[p] == 1]
    if len(first) in (0, state.players):
        verdicts = {1.0: "You have won.", -1.0: "You have lost."}
        return verdicts.get(state.returns()[seat], state.headline())
    if seat in first:
        mine = next(side for side in state.table.sides if seat in side)
        return "You have won." if set(first) <= set(mine) else "You share the victory."
    winners = listed([f"player {p + 1}" for p in first])
    return f"{winners.capitalize()} {'have' if len(first) > 1 else 'has'} won."


def options(view: View, choice: Choice, query: str = "") -> str:
    """The options in words as buttons.

    Args:
        view: the view of the seat to move.
        choice: what was clicked already: only what is still meant is listed.
        query: only options with these words.
    """
    words = query.lower().split()
    listing = [(action, view.words[action]) for action in choice.meant]
    fitting = [(a, text) for a, text in listing if all(w in text.lower() for w in words)]
    rows = [
        f'<button type="button" class="option" data-act="{action}">'
        f"<kbd>{number if number < 10 else ''}</kbd><span>{escape(text)}</span></button>"
        for number, (action, text) in enumerate(fitting[:MOST_OPTIONS], 1)
    ]
    more = len(fitting) - MOST_OPTIONS
    if more > 0:
        rows.append(f'<p class="quiet">and {more} more: type some words to find them.</p>')
    if not fitting:
        rows.append('<p class="quiet">Nothing you can do now has these words.</p>')
    return "".join(rows)


def log(hosted: HostedTable, seat: int | None) -> str:
    """The log as a seat may know it, the latest first."""
    lines = []
    for number, event in hosted.events_for(seat)[-MOST_LINES:]:
        kind = "said" if event.kind == "action" else "fact"
        counter = f'<span class="nr">{number}</span>' if event.kind == "action" else ""
        text = f'<span class="told">{escape(event.text)}</span>'
        lines.append(f'<li class="{kind}">{counter}{text}</li>')
    return f"<ol>{''.join(reversed(lines))}</ol>" if lines else '<p class="quiet">Nothing yet.</p>'
