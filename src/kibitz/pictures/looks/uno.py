"""The look of Uno: the pile, the current colour, and colours to name."""
# ruff: noqa: D102 (documented once, on Look)

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kibitz.components.deck import Deck
from kibitz.core.layout import Instance
from kibitz.library.uno.cards import COLOURS
from kibitz.pictures.blocks import Block, Label, Row, Titled, flow
from kibitz.pictures.cards import Pile
from kibitz.pictures.faces import Face
from kibitz.pictures.look import Look
from kibitz.pictures.tokens import Swatch

_TABLE, _OWN, _OTHERS = 78.0, 74.0, 34.0


class UnoLook(Look):
    """Draws Uno."""

    def is_shown(self, instance: Instance, record: object) -> bool:
        """Whether it is a pile of cards; everything else is shown in other ways."""
        return isinstance(instance.component, Deck)

    def face(self, component: Deck, card: int) -> Face:
        """The face of a card; wild cards are black, with a sign or a star."""
        face = super().face(component, card)
        if face.hue != "wild":
            return face
        return Face(
            face.name,
            "+4" if "Four" in face.name else "",
            hue="wild",
            filled=True,
            text=face.text,
            symbol="" if "Four" in face.name else "star",
            note="Wild",
        )

    def seat_marks(self, player: int) -> Iterator[str]:
        count = self.seen.view.hands[player].count
        yield f"{count} card{'s' * (count != 1)}"
        if self.seen.view.knocked_out[player].value:
            yield "knocked out"
        yield from super().seat_marks(player)

    def centre(self, width: float) -> list[Block]:
        stock = self.deck_block(self.part("stock")[0], 200, _TABLE)
        cards = self.cards["pile"]
        top = cards[-1] if cards else None
        pile = Titled("pile", Pile("pile-pile", "pile", len(cards), top, _TABLE))
        table: list[Block] = [block for block in (stock, pile) if block is not None]
        colour = int(self.seen.view.colour.value)
        if 0 <= colour < len(COLOURS):
            name = COLOURS[colour]
            table.append(Titled("colour", Swatch("colour", f"{name} counts", name, 52)))
        if self.seen.players > 2:
            way = "clockwise ↻" if self.seen.view.direction > 0 else "anticlockwise ↺"
            table.append(Label(way, 13, "kz-quiet"))
        blocks: list[Block] = [flow(table, width, 20)]
        named = [c for c in COLOURS if self.is_lit(f"name-{c}")]
        if named:
            swatches = [Swatch(f"name-{c}", f"name {c}", c) for c in named]
            blocks.append(Titled("name a colour", Row(swatches, 10)))
        return blocks

    def seat_body(self, player: int, width: float) -> Block:
        return self.hand_block(player, width, _OWN, _OTHERS)

    def things(self, action: int) -> Iterable[str]:
        name, words = self.operands(action)
        if "card" in words:
            yield from self.cards_named(words["card"], f"hands[{self.view.actor}]")
        if "colour" in words:
            yield f"name-{words['colour']}"
        if name in ("DRAW", "ACCEPT"):
            yield "pile-stock"
