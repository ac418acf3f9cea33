"""The look of Love Letter: cards with their numbers and texts, tokens as hearts."""
# ruff: noqa: D102 (documented once, on Look)

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kibitz.components.deck import Deck
from kibitz.library.loveletter.table import CARDS
from kibitz.pictures.blocks import Block, Column, Row, Titled, flow
from kibitz.pictures.cards import Card, fan
from kibitz.pictures.faces import Face
from kibitz.pictures.look import Look
from kibitz.pictures.pen import slug
from kibitz.pictures.tokens import Tokens

_SYMBOLS = ("shield", "cross", "swords", "fan", "crown", "crown", "fan", "hearts")
_HUES = ("blue", "brown", "green", "teal", "orange", "purple", "pink", "red")
"""The colour of each card, the Guard first, as in ``_SYMBOLS``."""
GUESS, TABLE, OTHERS, OWN = 58.0, 70.0, 46.0, 104.0
"""The widths of cards in pixels: those to guess, on the table, in others' hands, in one's own."""


class LoveLetterLook(Look):
    """Draws Love Letter."""

    def face(self, component: Deck, card: int) -> Face:
        kind = CARDS.cards[card]
        return Face(
            kind.name,
            str(kind.properties["value"]),
            hue=_HUES[card % len(_HUES)],
            text=kind.text,
            symbol=_SYMBOLS[card % len(_SYMBOLS)],
        )

    def seat_marks(self, player: int) -> Iterator[str]:
        if self.seen.view.protected[player].value:
            yield "protected"
        yield from (mark for mark in super().seat_marks(player) if "point" not in mark)

    def centre(self, width: float) -> list[Block]:
        piles = [self._pile(path) for path in ("deck", "set_aside", "face_up")]
        blocks: list[Block] = [flow([pile for pile in piles if pile], width, 16)]
        if guesses := self._guesses(width):
            blocks.append(Titled("guess", guesses))
        return blocks

    def _pile(self, path: str) -> Block | None:
        instance, record = self.part(path)
        return self.deck_block(instance, 260, TABLE) if record.count or path == "deck" else None

    def _guesses(self, width: float) -> Block | None:
        """The cards that a Guard can name."""
        named = {self.operands(action)[1].get("guess") for action in self.view.legal}
        cards = [
            Card(f"guess-{slug(name)}", self.face(self.part("deck")[0].component, number))  # type: ignore[arg-type]
            for number, name in enumerate(CARDS.words)
            if name in named
        ]
        return fan(cards, width, GUESS) if cards else None

    def seat_body(self, player: int, width: float) -> Block:
        own = player == self.view.seat
        size = OWN if own else OTHERS
        hand = self.deck_block(self.part(f"hands[{player}]")[0], width, size, titled=False)
        discards = self.deck_block(
            self.part(f"discards[{player}]")[0], width - 2 * size - 30, size if own else 34
        )
        if own:
            discards = self.deck_block(self.part(f"discards[{player}]")[0], width, OTHERS)
        cards = [block for block in (hand, discards) if block is not None]
        body: list[Block] = [Row(cards, 16) if not own else flow(cards, width, 16)]
        if tokens := int(self.seen.view.tokens[player].value):
            body.append(Tokens(f"tokens-{player}", "tokens of affection", tokens, "hearts", "red"))
        return Column(body)

    def things(self, action: int) -> Iterable[str]:
        name, words = self.operands(action)
        card = "Guard" if name == "GUESS" else words["card"]
        yield from self.cards_named(card, f"hands[{self.view.actor}]")
        if "target" in words:
            yield f"seat-{int(words['target'].removeprefix('player ')) - 1}"
        if "guess" in words:
            yield f"guess-{slug(words['guess'])}"
