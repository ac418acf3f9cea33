"""The look of Hanabi: the fireworks by colour, and under each card what its owner knows."""
# ruff: noqa: D102 (documented once, on Look)

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kibitz.components.deck import Deck
from kibitz.library.hanabi.table import CARDS, COLOURS, RAINBOW, RANKS, Rainbow
from kibitz.pictures.blocks import Block, Chip, Titled, flow
from kibitz.pictures.cards import MIDDLE, SMALL, Card, Pile, fan
from kibitz.pictures.faces import Face
from kibitz.pictures.look import Look


class HanabiLook(Look):
    """Draws Hanabi."""

    def face(self, component: Deck, card: int) -> Face:
        kind = CARDS.cards[card]
        hue = "wild" if card >= RANKS * RAINBOW else kind.properties["colour"]
        return Face(kind.name, str(kind.properties["rank"]), hue=hue, filled=True)

    def seat_marks(self, player: int) -> Iterator[str]:
        return iter(())  # the score is that of all players

    def centre(self, width: float) -> list[Block]:
        deck, _ = self.part("deck")
        table = [self.deck_block(deck, 200, MIDDLE), *self._fireworks()]
        chips: list[Block] = [
            Chip(name, str(self.part(name)[1].value), name) for name in ("clues", "fuses")
        ]
        chips.append(Chip("points", f"{self.seen.scores()[0]:g}", "points"))
        blocks: list[Block] = [flow([block for block in table if block is not None], width, 10)]
        if discards := sorted(self._discards(), key=lambda card: card[0]):
            cards = [card for _, card in discards]
            blocks.append(Titled("discards", fan(cards, width, SMALL, 0.5)))
        return [*blocks, flow(chips, width, 6)]

    def _fireworks(self) -> Iterator[Block]:
        """A pile for each colour of this table."""
        values = self.seen.table.parameters.as_dict()
        cards = dict(zip(self._played(), self.cards["fireworks"], strict=True))
        for colour, name in enumerate(COLOURS):
            plays = colour < values["colours"]
            if colour == RAINBOW:
                plays = values["rainbow"] != Rainbow.NONE
            if plays:
                height = int(self.seen.view.heights.values[colour])
                top = cards[RANKS * colour + height - 1] if height else None
                yield Titled(name, Pile(f"pile-{name}", name, height, top, MIDDLE))

    def _played(self) -> list[int]:
        record = self.part("fireworks")[1]
        return [int(record.cards[i]) for i in range(record.count)]

    def _discards(self) -> Iterator[tuple[int, Card]]:
        """The discarded cards by number."""
        record = self.part("discards")[1]
        for i, card in enumerate(self.cards["discards"]):
            yield int(record.cards[i]), card

    def things(self, action: int) -> Iterable[str]:
        _, words = self.operands(action)
        if "place" in words:
            yield self.things_at[f"hands[{self.view.actor}]"][int(words["place"]) - 1]
        else:
            target = int(words["target"].removeprefix("player ")) - 1
            yield f"seat-{target}"
            clue = words.get("colour") or int(words["rank"].removesuffix("s"))
            record = self.part(f"hands[{target}]")[1]
            for place, thing_id in enumerate(self.things_at[f"hands[{target}]"]):
                if clue in CARDS.cards[record.cards[place]].properties.values():
                    yield thing_id
