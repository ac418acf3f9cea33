"""The look of Exploding Kittens: the deck with its kittens, cards seen in it, the hands."""
# ruff: noqa: D102 (documented once, on Look)

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kibitz.components.deck import Deck
from kibitz.core.layout import Instance
from kibitz.library.explodingkittens.cards import CARDS, Card
from kibitz.library.explodingkittens.pile import seen_cards
from kibitz.pictures.blocks import Block, Label, Titled, flow
from kibitz.pictures.cards import Card as PictureCard
from kibitz.pictures.cards import Pile, fan
from kibitz.pictures.faces import Face
from kibitz.pictures.look import Look

_HUES = {
    Card.DEFUSE: ("green", "shield"),
    Card.ATTACK: ("orange", "swords"),
    Card.FAVOR: ("brown", "hearts"),
    Card.NOPE: ("red", "cross"),
    Card.SHUFFLE: ("purple", "updown"),
    Card.SKIP: ("blue", "arrow"),
    Card.SEE_THE_FUTURE: ("pink", "star"),
    Card.KITTEN: ("black", "bomb"),
}
"""The colour and the symbol of each card; all others are cats."""
_TABLE, _OWN, _OTHERS = 76.0, 82.0, 34.0
_NARROW = 520.0


class KittensLook(Look):
    """Draws Exploding Kittens."""

    def is_shown(self, instance: Instance, record: object) -> bool:
        """The decks; the kittens are counted with the deck."""
        return isinstance(instance.component, Deck) and instance.path != "kittens"

    def face(self, component: Deck, card: int) -> Face:
        kind = CARDS.cards[min(card, len(CARDS.cards) - 1)]
        number = Card.KITTEN if card >= Card.KITTEN else card
        hue, symbol = _HUES.get(number, ("teal", "cat"))  # type: ignore[call-overload]
        return Face(kind.name, hue=hue, text=kind.text, symbol=symbol)

    def seat_marks(self, player: int) -> Iterator[str]:
        view = self.seen.view
        turns = view.turns_left.values[0]
        if view.turn_owner == player and not self.seen.is_terminal:
            yield f"{turns} turns" if turns > 1 else "turn"
        if view.seat[player].out:
            yield "exploded"

    def centre(self, width: float) -> list[Block]:
        view = self.seen.view
        kittens = int(view.kittens.count)
        count = int(view.deck.count) + kittens
        top = PictureCard("pile-deck", None) if count else None
        deck = Titled("deck", Pile("pile-deck", "deck", count, top, _TABLE))
        table: list[Block] = [deck]
        narrow = width < _NARROW  # then discards get their own row, with smaller cards
        room, size = (width, 0.6 * _TABLE) if narrow else (width - 140, _TABLE)
        discards = self.deck_block(self.part("discards")[0], room, size)
        if discards is not None:
            table.append(discards)
        blocks: list[Block] = [flow(table, width, 20)]
        subject = "1 Exploding Kitten is" if kittens == 1 else f"{kittens} Exploding Kittens are"
        blocks.append(Label(f"{subject} in the deck", 12, "kz-quiet"))
        blocks += self._looks(width)
        return blocks

    def _looks(self, width: float) -> Iterator[Block]:
        """The cards that the observer has seen in the deck, from the top."""
        view = self.seen.view
        for number in range(view.peeks.count):
            if view.peeks.owner[number] != self.view.seat:
                continue
            deck = self.part("deck")[0].component
            assert isinstance(deck, Deck)
            cards = [
                PictureCard(f"seen-{number}-{i}", self.face(deck, card) if card >= 0 else None)
                for i, card in enumerate(seen_cards(view.peeks, number))
            ]
            if cards:
                yield Titled("seen on top of the deck", fan(cards, width, 52))

    def seat_body(self, player: int, width: float) -> Block:
        return self.hand_block(player, width, _OWN, _OTHERS)

    def things(self, action: int) -> Iterable[str]:
        name, words = self.operands(action)
        hand = f"hands[{self.view.actor}]"
        if name == "TAKE":
            yield from self.cards_named(words["card"], "discards")
        elif name == "NOPE":
            yield from self.cards_named("Nope", hand)
        elif name == "DEFUSE":
            yield from self.cards_named("Defuse", hand)
        elif "card" in words and name != "NAME":
            yield from self.cards_named(words["card"], hand)
        if "target" in words:
            yield f"seat-{int(words['target'].removeprefix('player ')) - 1}"
        if name in ("DRAW", "PLACE"):
            yield "pile-deck"
