"""How a state of Uno is told to people: two lines for the table and one for each player."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kibitz.core.status import Status
from kibitz.games.uno.cards import CARDS, COLOURS, Card
from kibitz.games.uno.table import Phase

_KINDS = (*COLOURS, "wild")


def describe_table(view: Any, headline: str, observer: int | None) -> str:
    """The table as `observer` sees it (``None``: everything).

    Args:
        view: the state's records, hidden cards being -1.
        headline: whose turn it is, or who has won.
        observer: who is told, marked as "you".
    """
    number = view.round if view.status == Status.FINISHED else view.round + 1
    if view.status == Status.PLAYING:
        headline = f"Turn of player {view.turn_owner + 1}."
    lines = [f"Round {number}. {headline}", _table(view)]
    if question := _question(view):
        lines.append(question)
    lines += [_player(view, p, observer) for p in range(view.players)]
    return "\n".join(lines)


def tell_outcome(words: str, played: bool, before: Any, after: Any, observer: int) -> str:
    """What `observer` is told of an action: what was done, and what came of it.

    Args:
        words: what was done.
        played: whether that took a card out of a hand.
        before: the records before it.
        after: and afterwards.
        observer: who is told; only they hear of the cards that they drew.
    """
    if after.round > before.round:
        return "; ".join([words, *_told_scores(before, after)])
    told = [words]
    if not played and after.pile.count > before.pile.count:  # the card drawn had to be played
        told.append(f"it is {CARDS.word(after.pile.cards[after.pile.count - 1])} and played")
    for p in range(after.players):
        left_with = before.hands[p].count - (played and p == before.player)
        drawn = after.hands[p].count - left_with
        if drawn > 1 or (drawn == 1 and p == observer):  # of others the words tell of one
            told.append(_told_draw(after, p, drawn, observer))
    return "; ".join(told)


def _told_scores(before: Any, after: Any) -> Iterator[str]:
    """Whose score has changed."""
    for p in range(after.players):
        if gain := after.seat[p].score - before.seat[p].score:
            yield f"player {p + 1} gets {gain:.0f} points"


def _told_draw(view: Any, player: int, drawn: int, observer: int) -> str:
    """That a player has drawn so many cards, which lie on top of the hand."""
    if player != observer:
        return f"player {player + 1} gets {_cards(drawn)}"
    hand = view.hands[player]
    return "you get " + ", ".join(
        CARDS.word(hand.cards[hand.count - drawn + i]) for i in range(drawn)
    )


def _table(view: Any) -> str:
    top = view.pile.cards[view.pile.count - 1]
    line = f"On the pile of {_cards(view.pile.count)}: {CARDS.word(top)}"
    if top >= Card.WILD and view.colour.value < len(COLOURS):
        line += f", {COLOURS[view.colour.value]} was named"
    way = "left" if view.direction > 0 else "right"
    return f"{line}. Stock: {_cards(view.stock.count)}. Play goes to the {way}."


def _question(view: Any) -> str:
    """What the player to move is asked, where it is not simply their turn."""
    if view.status != Status.PLAYING:
        return ""
    owner, asked = f"Player {view.turn_owner + 1}", f"player {view.player + 1}"
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
    name = f"Player {player + 1}" + (" (you)" if player == observer else "")
    points = f"{view.seat[player].score:.0f} points"
    if view.knocked_out[player].value:
        return f"{name}: {points}; out since round {view.knocked_out[player].value}."
    return f"{name}: {points}; {_hand(view, player)}."


def _hand(view: Any, player: int) -> str:
    hand = view.hands[player]
    cards = [hand.cards[i] for i in range(hand.count)]
    known = sorted(card for card in cards if card >= 0)
    text = _cards(len(cards))
    if known:
        names = ", ".join(CARDS.word(card) for card in known)
        text += f": {names}" if len(known) == len(cards) else f", among them {names}"
    if len(known) < len(cards):
        text += _concluded(view, player, len(cards))
    return text


def _concluded(view: Any, player: int, count: int) -> str:
    """What everyone can conclude about a hand."""
    room = view.room[player].values
    notes = [f"at most {room[k]} {_KINDS[k]}" for k in range(len(_KINDS)) if room[k] < count]
    notes = [note.replace("at most 0", "no") for note in notes]
    proved = view.proved[player].values[0]
    notes += [f"some {COLOURS[c]}" for c in range(len(COLOURS)) if proved >> c & 1]
    return f" ({', '.join(notes)})" if notes else ""


def _cards(number: int) -> str:
    return "1 card" if number == 1 else f"{number} cards"
