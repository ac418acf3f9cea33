"""States of Love Letter as text: a line for the table and one for each player."""

from __future__ import annotations

from typing import Any

from kibitz.authoring import CardSet, Status, counted, listed, name_cards, player_name


def describe_table(view: Any, headline: str, cards: CardSet, observer: int | None) -> str:
    """The table as `observer` sees it, or with everything open for ``None``.

    `view` is the record of the state or observation; `headline` names the player to move or the
    winners.
    """
    aside = f", {view.set_aside.count} set aside" if view.set_aside.count else ""
    number = view.round if view.status == Status.FINISHED else view.round + 1
    deck = counted(view.deck.count, "card")
    lines = [f"Round {number}. {headline}", f"Deck: {deck}{aside}."]
    if view.face_up.count:
        lines.append(f"Set aside face up: {name_cards(view.face_up, cards)}.")
    lines += [_player(view, p, cards, observer) for p in range(view.players)]
    return "\n".join(lines)


def _player(view: Any, player: int, cards: CardSet, observer: int | None) -> str:
    tokens = counted(view.tokens[player].value, "token")
    name = player_name(player, observer).capitalize()
    state = "out of the round" if view.seat[player].out else _hand(view, player, cards)
    if view.protected[player].value:
        state += ", protected"
    played = name_cards(view.discards[player], cards) or "nothing yet"
    return f"{name}: {tokens}; {state}; played {played}."


def _hand(view: Any, player: int, cards: CardSet) -> str:
    held = f"holds {name_cards(view.hands[player], cards)}"
    ruled_out = view.ruled_out[player].values[0]
    barred = [cards.word(card) for card in range(len(cards)) if ruled_out >> card & 1]
    if barred and view.hands[player].cards[0] < 0:
        held += f" (kept, and not {listed(barred, 'or')})"
    return held
