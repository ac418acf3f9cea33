"""States of Exploding Kittens as text."""

from __future__ import annotations

from typing import Any

from kibitz.components import counted_cards, known_cards
from kibitz.core.actions import kind
from kibitz.core.status import Status
from kibitz.core.wording import counted, listed, player_name, tallied
from kibitz.library.explodingkittens.cards import CARDS, NAMES, TITLES
from kibitz.library.explodingkittens.limits import UNLIMITED, limit_of
from kibitz.library.explodingkittens.locations import count_tracked, rows_used
from kibitz.library.explodingkittens.phases import Phase
from kibitz.library.explodingkittens.pile import seen_cards, seen_name
from kibitz.library.explodingkittens.table import ROW, Move


def describe_table(view: Any, headline: str, observer: int | None) -> str:
    """The table as `observer` sees it, or with everything open for ``None``.

    `view` is the record of the state or observation; `headline` describes a game that is over.
    """
    lines = [headline]
    if view.status == Status.PLAYING:
        turn = (_whose_turn(view, observer), _turns(view, observer), _question(view, observer))
        lines = [line for line in turn if line]
    discards = _names(view.discards) or "empty"
    lines += [_deck(view), *_known(view, observer), f"Discard pile: {discards}."]
    lines += [_player(view, p, observer) for p in range(view.players)]
    lines += _tracked(view, observer)
    return "\n".join(lines)


def _whose_turn(view: Any, observer: int | None) -> str:
    """The owner of the turn, and the player to move if that is another one."""
    decides = f"; {player_name(view.player, observer)} decides"
    other = decides if view.turn_owner != view.player else ""
    return f"Turn of {player_name(view.turn_owner, observer)}{other}."


def _turns(view: Any, observer: int | None) -> str:
    """The number of turns that the owner of the turn has left, if there are several."""
    turns = view.turns_left.values[0]
    owner = player_name(view.turn_owner, observer).capitalize()
    return f"{owner} is attacked and has {turns} turns to take." * (turns > 1)


def _question(view: Any, observer: int | None) -> str:
    """The question to the player to move, if there is one besides the turn."""
    owner = player_name(view.turn_owner, observer).capitalize()
    if view.phase == Phase.NOPE:
        return _announced(view, observer)
    if view.phase == Phase.GIVE:
        return f"{owner} asks {player_name(view.player, observer)} for a Favor."
    questions = {
        Phase.NAME: "Three of a kind: which card is asked for?",
        Phase.FIVE_DIFFERENT: "Which cards belong to the five different ones?",
        Phase.TAKE: "Which card comes from the discard pile?",
        Phase.DEFUSE: f"{owner} has drawn an Exploding Kitten!",
        Phase.PLACE: f"{owner} has defused the kitten. Where does it go?",
        Phase.ARRANGE: "In which order do the top cards go back?",
    }
    return questions.get(view.phase, "")


def _announced(view: Any, observer: int | None) -> str:
    """The played cards that can be cancelled now."""
    stack = view.reactions
    owner = player_name(view.turn_owner, observer).capitalize()
    action, report = stack.data[stack.depth - 1]
    words = Move.words(action) if kind(action) != Move.FIVE else "play five different cards"
    if kind(action) == Move.THREE:
        words += f", {NAMES[report >> 4]}"
    if observer is not None:
        words = words.replace(player_name(observer), player_name(observer, observer))
    text, last = f"{owner} wants to {words}", player_name(report & 7, observer)
    if report & 8:
        return f"{text}; {last} says Nope. Does anyone say Nope to that?"
    if report & 7 != view.turn_owner:
        return f"{text}; {last} has cancelled a Nope. Another Nope?"
    return f"{text}. Nope?"


def _deck(view: Any) -> str:
    kittens = view.kittens.count
    texts = {0: "none is an Exploding Kitten", 1: "1 is an Exploding Kitten"}
    of_which = texts.get(kittens, f"{kittens} are Exploding Kittens")
    return f"Deck: {counted(view.deck.count + kittens, 'card')}, of which {of_which}."


def _known(view: Any, observer: int | None) -> list[str]:
    """What `observer` knows of the deck, or all players for ``None``."""
    lines = []
    for i in range(view.peeks.count):
        owner = view.peeks.owner[i]
        cards = seen_cards(view.peeks, i)
        names = ", ".join(seen_name(card) or "?" for card in cards)
        since = view.kittens.count - view.peeks.older[i]
        hint = "" if since == 0 else f" (and {_kittens(since)} put into the deck since)"
        if owner == observer:
            lines.append(f"You have seen, from the top: {names}{hint}.")
        elif observer is None:
            lines.append(f"Player {owner + 1} has seen, from the top: {names}{hint}.")
        else:
            top = counted(len(cards), "card")
            lines.append(f"Player {owner + 1} has seen the top {top}{hint}.")
    lines += [_placed(view, i, observer) for i in range(view.kittens.count)]
    return [line for line in lines if line]


def _placed(view: Any, index: int, observer: int | None) -> str:
    """The place where a player put a kitten, as far as `observer` knows; empty after a shuffle."""
    known_to, below = view.kittens.seen[index], view.kittens.below[index]
    if not known_to:
        return ""
    owner = known_to.bit_length() - 1
    subject = "You have" if owner == observer else f"Player {owner + 1} has"
    if below < 0:
        return f"{subject} put a kitten somewhere into the deck."
    later = view.kittens.count - index - 1
    hint = f", not counting {_kittens(later)} put into the deck since" if later else ""
    return f"{subject} put a kitten into the deck: {counted(below, 'card')} below it{hint}."


def _kittens(number: int) -> str:
    return "a kitten" if number == 1 else f"{number} kittens"


def _player(view: Any, player: int, observer: int | None) -> str:
    name = player_name(player, observer).capitalize()
    if view.seat[player].out:
        return f"{name}: exploded."
    return f"{name}: {_hand(view, player)}."


def _hand(view: Any, player: int) -> str:
    hand = view.hands[player]
    hidden = len(known_cards(hand)) < hand.count
    return counted_cards(hand, _names(hand)) + (_concluded(view, player) if hidden else "")


def _concluded(view: Any, player: int) -> str:
    """The public deductions about a hand, in words."""
    notes = []
    for card in range(TITLES):
        limit = limit_of(view, player, card) + count_tracked(view, player, card)
        if limit < min(UNLIMITED, view.hands[player].count):
            notes.append(f"at most {limit} {CARDS.word(card)}" if limit else f"no {NAMES[card]}")
    return f" ({', '.join(notes)})" if notes else ""


def _tracked(view: Any, observer: int | None) -> list[str]:
    """The tracked cards, with the players who may hold them."""
    lines = []
    for first in range(0, ROW * rows_used(view), ROW):
        row = [view.locations.values[first + i] for i in range(ROW)]
        holders = [player_name(p, observer) for p in range(view.players) if row[p + 1] > 0]
        if row[0] > 0:
            card = CARDS.word(row[0] - 1)
            lines.append(f"One of {listed(holders)} has a {card}, as all know.")
    return lines


def _names(deck: Any) -> str:
    """The cards that are not hidden, with the number of each."""
    return tallied(CARDS.word(card) for card in sorted(known_cards(deck)))
