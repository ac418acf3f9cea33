"""States and actions of Uno as text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kibitz.components import counted_cards, known_cards, next_player
from kibitz.core.actions import kind
from kibitz.core.status import Status
from kibitz.core.wording import counted, done_by, player_name
from kibitz.games.uno.cards import CARDS, COLOURS, KINDS, SYMBOLS, Card
from kibitz.games.uno.deductions import most_of
from kibitz.games.uno.phases import Phase
from kibitz.games.uno.table import Move

_SYMBOLS = tuple(CARDS.word(red).removeprefix("red ") for red in range(SYMBOLS))
_KINDS = (*COLOURS, "wild", *_SYMBOLS)


def describe_table(view: Any, headline: str, observer: int | None) -> str:
    """The table as `observer` sees it (``None``: everything).

    Args:
        view: the state's records, hidden cards being -1.
        headline: whose turn it is, or who has won.
        observer: who is told, marked as "you".
    """
    number = view.round if view.status == Status.FINISHED else view.round + 1
    if view.status == Status.PLAYING:
        headline = f"Turn of {player_name(view.turn_owner, observer)}."
    lines = [f"Round {number}. {headline}", _table(view, observer)]
    if question := _question(view, observer):
        lines.append(question)
    lines += [_player(view, p, observer) for p in range(view.players)]
    return "\n".join(lines)


def tell_outcome(words: str, action: int, before: Any, after: Any, observer: int) -> str:
    """An action and its outcome, as told to `observer`.

    That somebody else draws a card is told together with what they then do.

    Args:
        words: what was done.
        action: the same as a number.
        before: the records before it.
        after: and afterwards.
        observer: who is told, or as many as there are players: a reader, who sees what all do;
            only they hear of the cards that they drew.
    """
    move = kind(action)
    played = move <= Move.NAME_AND_CALL
    if observer not in (before.player, before.players):
        if move == Move.DRAW and after.phase == Phase.DRAWN:
            return ""
        if before.phase == Phase.DRAWN:
            words = "draw a card and keep it" if move == Move.KEEP else f"draw a card, {words}"
    if after.round > before.round:
        return "; ".join([words, *_told_scores(before, after, observer)])
    told = [words]
    if not played and after.pile.count > before.pile.count:  # the card drawn had to be played
        told.append(f"it is {CARDS.word(after.pile.cards[after.pile.count - 1])} and played")
    for p in range(after.players):
        left_with = before.hands[p].count - (played and p == before.player)
        drawn = after.hands[p].count - left_with
        in_words = 0
        if p == before.player and move in (Move.DRAW, Move.ACCEPT):
            in_words = 1 if move == Move.DRAW else 4
        if drawn > 0 and (p == observer or drawn != in_words):
            told.append(_told_draw(after, p, drawn, observer))
    return "; ".join(told)


def _told_scores(before: Any, after: Any, observer: int) -> Iterator[str]:
    """The changes of scores."""
    for p in range(after.players):
        if gain := after.seat[p].score - before.seat[p].score:
            yield f"{done_by(p, observer, 'get')} {counted(round(gain), 'point')}"


def _told_draw(view: Any, player: int, drawn: int, observer: int) -> str:
    """The cards that a player has drawn, which lie on top of the hand."""
    cards = counted(drawn, "card")
    if player == observer:
        hand = view.hands[player]
        cards = ", ".join(CARDS.word(hand.cards[hand.count - drawn + i]) for i in range(drawn))
    return f"{done_by(player, observer, 'get')} {cards}"


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
    """The question to the player to move, where it is not simply their turn."""
    if view.status != Status.PLAYING:
        return ""
    owner = player_name(view.turn_owner, observer).capitalize()
    asked = player_name(view.player, observer)
    matched = COLOURS[view.matched.value] if view.matched.value < len(COLOURS) else "no colour"
    questions = {
        Phase.DRAWN: f"{owner} has drawn a card, and may play it if it fits.",
        Phase.COLOUR: f"No colour counts yet. Which one does {asked} name?",
        Phase.CHALLENGE: f"{owner} has played a Wild Draw Four on {matched}. "
        f"Does {asked} challenge it?",
        Phase.CATCH: f"{owner} has one card left and has not called Uno. Does {asked} catch that?",
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
    most = [most_of(view, player, kind) for kind in range(KINDS)]
    notes = [f"at most {most[k]} {_KINDS[k]}" for k in range(KINDS) if most[k] < count]
    notes = [note.replace("at most 0", "no") for note in notes]
    proved = view.proved[player].values[0]
    notes += [f"some {COLOURS[c]}" for c in range(len(COLOURS)) if proved >> c & 1]
    return f" ({', '.join(notes)})" if notes else ""
