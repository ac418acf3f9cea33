"""The look of Virus!: bodies of organs, with the viruses and medicines that lie on them."""
# ruff: noqa: D102 (documented once, on Block)

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from kibitz.components.deck import Deck
from kibitz.core.layout import Instance
from kibitz.library.virus.bodies import CARDS, COLOURS, Class, class_of
from kibitz.pictures.blocks import Block, Column, Titled, flow
from kibitz.pictures.cards import RATIO, Card, Pile, draw_card
from kibitz.pictures.faces import Face
from kibitz.pictures.look import Look
from kibitz.pictures.pen import Pen

_HUES = ("red", "green", "blue", "yellow", "wild")
_ORGANS = ("hearts", "stomach", "brain", "bone", "star")
_TABLE, _OWN, _OTHERS = 64.0, 76.0, 30.0


class VirusLook(Look):
    """Draws Virus!."""

    def face(self, component: Deck, card: int) -> Face:
        """The face of a card: organs are filled with colour; other cards have a symbol."""
        kind = CARDS.cards[card]
        sort = Class(class_of(card)) if class_of(card) < Class.TREATMENT else Class.TREATMENT
        if sort is Class.TREATMENT:
            return Face(kind.name, hue="purple", text=kind.text, symbol="star")
        colour = card % COLOURS
        if sort is Class.ORGAN:
            return Face(
                kind.name,
                hue=_HUES[colour],
                filled=True,
                text=kind.text,
                symbol=_ORGANS[colour],
                note=kind.name,
            )
        symbol = "germ" if sort is Class.VIRUS else "pill"
        return Face(kind.name, hue=_HUES[colour], text=kind.text, symbol=symbol)

    def seat_marks(self, player: int) -> Iterator[str]:
        goal = self.seen.table.parameters.as_dict()["organs_to_win"]
        yield f"{self.seen.view.bodies[player].healthy}/{goal} ♥"
        if self.seen.is_terminal:
            yield from (m for m in super().seat_marks(player) if "point" not in m)

    def centre(self, width: float) -> list[Block]:
        deck, discard = self.cards["deck"], self.cards["discard"]
        blocks: list[Block] = []
        for path, cards in (("deck", deck), ("discard", discard)):
            thing_id = f"pile-{path}"
            top = cards[-1] if cards else None
            if top is not None and top.face is None:
                top = Card(thing_id, None)
            blocks.append(Titled(path, Pile(thing_id, path, len(cards), top, _TABLE)))
        return [flow(blocks, width, 20)]

    def seat_body(self, player: int, width: float) -> Block:
        own = player == self.view.seat
        body, _ = self.part(f"bodies[{player}]")
        size = 66.0 if own else 50.0
        organs: list[Block] = [Organ(player, cards, size) for cards in self._organs(body)]
        blocks: list[Block] = [flow(organs, width, 8)] if organs else []
        hand = self.deck_block(
            self.part(f"hands[{player}]")[0], width, _OWN if own else _OTHERS, titled=own
        )
        if hand is not None:
            blocks.append(hand)
        return Column(blocks)

    def _organs(self, body: Instance) -> list[list[tuple[int, Card]]]:
        """The organs of a body, each with the cards on it: numbers and cards."""
        record = self.part(body.path)[1]
        stacks: list[list[tuple[int, Card]]] = []
        for place, card in enumerate(self.cards[body.path]):
            number = int(record.cards[place])
            if class_of(number) == Class.ORGAN:
                stacks.append([])
            stacks[-1].append((number, card))
        return stacks

    def things(self, action: int) -> Iterable[str]:
        name, words = self.operands(action)
        hand = f"hands[{self.view.actor}]"
        if name == "ORGAN":
            yield from self.cards_named(words["organ"], hand)
            return
        for operand in ("card", "first", "second", "third"):
            if operand in words:
                yield from self.cards_named(words[operand], hand)
        if name in _PLAYED:
            yield from self.cards_named(_PLAYED[name], hand)
        if "organ" in words:
            owner = int(words["owner"].removeprefix("player ")) - 1
            yield organ_thing(owner, CARDS.find(words["organ"]))
        if "source" in words:
            yield organ_thing(self.view.actor, CARDS.find(words["source"]))
        if "target" in words:
            yield f"seat-{int(words['target'].removeprefix('player ')) - 1}"
        if name == "DRAW":
            yield "pile-deck"


_PLAYED = {
    "TRANSPLANT": "Transplant",
    "STEAL": "Organ Thief",
    "CONTAGION": "Contagion",
    "GLOVE": "Latex Glove",
    "GLOVE_ON": "Latex Glove",
    "ERROR": "Medical Error",
}


def organ_thing(player: int, organ: int) -> str:
    """The id of an organ of a body."""
    return f"organ-{player}-{organ}"


class Organ:
    """An organ with the cards on it, as a thing of its own, and its condition.

    Args:
        cards: numbers and cards, the organ first.
        size: the width of a card.
    """

    def __init__(self, player: int, cards: Sequence[tuple[int, Card]], size: float) -> None:
        self._player, self._cards, self._size = player, cards, size
        self._step = size * 0.5
        self.width = size + 8
        self.height = size * RATIO + self._step * (len(cards) - 1) + 8

    def draw(self, pen: Pen, x: float, y: float) -> None:
        organ, card = self._cards[0]
        laid = [number for number, _ in self._cards[1:]]
        condition = "free"
        if len(laid) == 2:
            condition = "immune"
        elif laid:
            infected = class_of(laid[0]) == Class.VIRUS
            condition = "infected" if infected else "vaccinated"
        with pen.thing(organ_thing(self._player, organ), f"{card.label}, {condition}"):
            pen.rect(x, y, self.width, self.height, f"kz-organ kz-{condition}", 9)
            pen.ring(x, y, self.width, self.height, 9)
        top = y + 4
        for number, laid_card in reversed(self._cards):
            low = top if number != organ else y + 4 + self._step * (len(self._cards) - 1)
            if number != organ:
                draw_card(pen, laid_card, x + 4, low, self._size)
                top += self._step
        draw_card(pen, card, x + 4, y + 4 + self._step * (len(self._cards) - 1), self._size)
