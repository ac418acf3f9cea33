"""States of Uno as text."""

from __future__ import annotations

from typing import Any

from kibitz.components import counted_cards, known_cards, next_player
from kibitz.core.status import Status
from kibitz.core.wording import counted, player_name
from kibitz.library.uno.cards import CARDS, COLOURS, KINDS, SYMBOLS, Card
from kibitz.library.uno.deductions import most_of
from kibitz.library.uno.phases import Phase

_SYMBOLS = tuple(CARDS.word(red).removeprefix("red ") for red in range(SYMBOLS))
_KINDS = (*COLOURS, "wild", *_SYMBOLS)


def describe_table(view: Any, headline: str, observer: int | None) -> str:
    """The table as `observer` sees it, or with everything open for ``None``.

    `view` is the record of the state or observation; `headline` describes a game that is over.
    """
    number = view.round if view.status == Status.FINISHED else view.round + 1
    if view.status == Status.PLAYING:
        headline = f"Turn of {player_name(view.turn_owner, observer)}."
    lines = [f"Round {number}. {headline}", _table(view, observer)]
    if question := _question(view, observer):
        lines.append(question)
    lines += [_player(view, p, observer) for p in range(view.players)]
    return "\n".join(lines)


def _table(view: Any, observer: int | None) -> str:
    top = view.pile.cards[view.pile.count - 1]
    line = f"On the pile of {counted(view.pile.count, 'card')}: {CARDS.word(top)}"
    if top >= Card.WILD and view.colour.value < len(COLOURS):
        line += f", {COLOURS[view.colour.value]} was named"
    line += f". Stock: {counted(view.stock.count, 'card')}."
    if view.status != Status.PLAYING or view.players == 2:
        return line
    after = next_player(view, view.turn_owner)
    for _ in range(view.skip):
        after = next_player(view, after)
    way = "left" if view.direction > 0 else "right"
    return f"{line} Play goes {way}, to {player_name(after, observer)}."


def _question(view: Any, observer: int | None) -> str:
    """The question to the player to move, if there is one besides the turn."""
    if view.status != Status.PLAYING:
        return ""
    owner = player_name(view.turn_owner, observer).capitalize()
    player = player_name(view.player, observer)
    matched = COLOURS[view.matched.value] if view.matched.value < len(COLOURS) else "no colour"
    questions = {
        Phase.DRAWN: f"{owner} has drawn a card, and may play it if it fits.",
        Phase.COLOUR: f"No colour counts yet. Which one does {player} name?",
        Phase.CHALLENGE: f"{owner} has played a Wild Draw Four on {matched}. "
        f"Does {player} challenge it?",
        Phase.CATCH: f"{owner} has one card left and has not called Uno. "
        f"Does {player} catch that?",
    }
    return questions.get(view.phase, "")


def _player(view: Any, player: int, observer: int | None) -> str:
    name = player_name(player, observer).capitalize()
    points = counted(round(view.seat[player].score), "point")
    if view.knocked_out[player].value:
        return f"{name}: {points}; out since round {view.knocked_out[player].value}."
    return f"{name}: {points}; {_hand(view, player)}."


def _hand(view: Any, player: int) -> str:
    hand = view.hands[player]
    known = sorted(known_cards(hand))
    text = counted_cards(hand, ", ".join(CARDS.word(card) for card in known))
    if len(known) < hand.count:
        text += _concluded(view, player, hand.count)
    return text


def _concluded(view: Any, player: int, count: int) -> str:
    """The public deductions about a hand, in words."""
    most = [most_of(view, player, kind) for kind in KINDS.tolist()]
    notes = [f"at most {most[k]} {_KINDS[k]}" for k in range(len(KINDS)) if most[k] < count]
    notes = [note.replace("at most 0", "no") for note in notes]
    proved = view.proved[player].values[0]
    notes += [f"some {COLOURS[c]}" for c in range(len(COLOURS)) if proved >> c & 1]
    return f" ({', '.join(notes)})" if notes else ""
