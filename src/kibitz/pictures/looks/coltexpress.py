"""The look of Colt Express: the train in two storeys, the round, the bandits and their cards."""
# ruff: noqa: D102 (documented once, on Block)

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from kibitz.components.deck import Deck
from kibitz.library.coltexpress.data import (
    ACTION_CARDS,
    BANDITS,
    CARDS,
    FEW_BANDITS,
    FIRST_JEWEL,
    FIRST_STRONGBOX,
    KINDS,
    PURSES,
    ROUND_CARDS,
    SYMBOLS,
    TOKEN_NAMES,
    TOKENS,
    TurnSymbol,
)
from kibitz.library.coltexpress.table import CAR_NAMES, HELD, Phase
from kibitz.pictures.blocks import Block, Column, Row, Titled, flow, paragraph
from kibitz.pictures.cards import MIDDLE, Card, Pile, fan
from kibitz.pictures.faces import Face
from kibitz.pictures.look import Look
from kibitz.pictures.pen import Pen
from kibitz.pictures.symbols import SYMBOLS as SHAPES
from kibitz.pictures.text import fitting_size, text_width

HUES = ("white", "blue", "red", "green", "purple", "orange")
"""The colours of the bandits, in the order of ``BANDITS``."""
_CARD_SHAPES = ("arrow", "updown", "aim", "bag", "fist", "star", "bullet")
_TURNS = {
    TurnSymbol.STANDARD: ("box", "standard: a card face up"),
    TurnSymbol.TUNNEL: ("house", "tunnel: a card face down"),
    TurnSymbol.SPEEDING_UP: ("arrow", "speeding-up: two turns in a row"),
    TurnSymbol.SWITCHING: ("updown", "switching: in the opposite direction"),
}
_PAINT = ("grey", "brown", "red", "green", "blue", "orange", "teal")
LEAST_CAR = 86.0
MOST_CAR = 190.0


class ColtExpressLook(Look):
    """Draws Colt Express."""

    def face(self, component: Deck, card: int) -> Face:
        """An action card in the colour of its bandit."""
        if component.card_set is not CARDS:
            return super().face(component, card)
        bandit, kind = divmod(card, KINDS)
        name = ACTION_CARDS.word(kind)
        return Face(
            f"{self.bandit(bandit)}'s {name}",
            hue=self.hue(bandit),
            filled=True,
            text=ACTION_CARDS.cards[kind].text,
            symbol=_CARD_SHAPES[kind],
            note=name,
        )

    def back(self, card: int) -> int:
        """The back of a card, which shows its owner."""
        return super().back(card) % 4

    @property
    def table(self) -> Any:
        """The records of the observation."""
        return self.seen.view

    def character(self, bandit: int) -> int:
        """The number of the character that a bandit is."""
        return int(self.table.character.values[bandit])

    def bandit(self, bandit: int) -> str:
        """The name of a bandit."""
        return BANDITS.word(self.character(bandit))

    def hue(self, bandit: int) -> str:
        """The colour of a bandit."""
        return HUES[self.character(bandit)]

    def tokens_at(self, place: int) -> list[LootToken]:
        """The loot at a place, or held by a bandit."""
        tokens = []
        for number in range(TOKENS):
            if self.table.token_at.values[number] == place:
                value = self.table.purses.cards[number] if number < FIRST_JEWEL else -1
                tokens.append(LootToken(number, PURSES.word(value) if value >= 0 else ""))
        return tokens

    def centre(self, width: float) -> list[Block]:
        blocks: list[Block] = [*self._round(width), Train(self, width)]
        pile = self.cards["pile"][int(self.table.next_card.value) :]
        if self.table.phase == Phase.SCHEMING:
            pile = self.cards["pile"]
        if pile:
            blocks.append(Titled(f"cards played · {len(pile)}", fan(pile, width, MIDDLE)))
        return blocks

    def _round(self, width: float) -> Iterator[Block]:
        view = self.table
        card = ROUND_CARDS[view.round_card.value]
        kind = 0 if view.bandits.value <= FEW_BANDITS else 1
        turns = [TurnSymbol(int(s)) for s in SYMBOLS[kind, view.round_card.value] if s >= 0]
        current = view.symbol.value if view.phase == Phase.SCHEMING else -1
        rounds = self.seen.table.parameters.as_dict()["rounds"]
        number = min(view.round + 1, rounds)
        title = f"Round {number} of {rounds}: {card.name}"
        text = card.text if card.properties["event"] != "none" else "no event."
        blocks: list[Block] = [
            RoundCard(title, turns, current),
            paragraph(f"At the end: {text}", min(width, 420), 3),
        ]
        yield flow(blocks, width, 18)

    def seat_marks(self, player: int) -> Iterator[str]:
        deck = self.table.decks[player]
        yield f"deck {deck.count}"
        if self.seen.is_terminal:
            yield from super().seat_marks(player)

    def seat_body(self, player: int, width: float) -> Block:
        bandits: list[Block] = [
            Bandit(self, bandit, min(width, 210))
            for bandit in range(player, self.table.bandits.value, self.seen.players)
        ]
        blocks: list[Block] = [flow(bandits, width)]
        hand, _ = self.part(f"hands[{player}]")
        deck = f"pile-decks-{player}"
        cards: list[Block] = []
        if self.is_lit(deck):
            top = Card(deck, None)
            cards.append(
                Titled("draw", Pile(deck, "deck", self.table.decks[player].count, top, 60))
            )
        size = 72.0 if player == self.view.seat else 32.0
        held = self.deck_block(hand, width - 80 * bool(cards), size)
        if held is not None:
            cards.append(held)
        if cards:
            blocks.append(Row(cards, 14))
        return Column(blocks)

    def things(self, action: int) -> Iterable[str]:
        name, words = self.operands(action)
        bandit = words.get("bandit", "")
        if name == "DRAW":
            yield f"pile-decks-{self.view.actor}"
        elif name in ("PLAY", "HIDE"):
            yield from self.cards_named(f"{bandit}'s {words['card']}", f"hands[{self.view.actor}]")
        elif name == "NOTHING":
            yield from self.cards_named(f"{bandit}'s {words['card']}", "pile")
        elif name == "TAKE":
            yield f"token-{TOKEN_NAMES.index(words['token'])}"
        else:
            yield from self._moves(name, bandit, words)

    def _moves(self, name: str, bandit: str, words: dict[str, str]) -> Iterator[str]:
        who = self._number(words.get("target", bandit))
        if name in ("CLIMB", "DESCEND"):
            yield f"place-{int(self.table.where.values[who]) ^ 1}"
            return
        if "target" in words:
            yield f"bandit-{who}"
        if "car" in words:
            car = CAR_NAMES.index(words["car"])
            inside = name == "LURE" or int(self.table.where.values[who]) % 2 == 0
            yield f"place-{2 * car + (name == 'RUN' or not inside)}"

    def _number(self, name: str) -> int:
        return int(self.table.bandit_of.values[BANDITS.find(name)])


@dataclass(frozen=True)
class LootToken:
    """A loot token: its number, and its value if known."""

    number: int
    worth: str

    @property
    def name(self) -> str:
        """The token in words."""
        known = f", worth {self.worth}" if self.worth else ""
        return f"{TOKEN_NAMES[self.number]}{known}"

    def draw(self, pen: Pen, x: float, y: float, size: float) -> None:
        """Draws it around a point."""
        shape, hue = "box", "grey"
        if self.number < FIRST_JEWEL:
            shape, hue = "bag", "brown"
        elif self.number < FIRST_STRONGBOX:
            shape, hue = "gem", "pink"
        with pen.thing(f"token-{self.number}", self.name):
            pen.path(SHAPES[shape], f"kz-piece kz-h-{hue}", x, y, size)
            if self.worth and size > 7:
                worth = self.worth.removeprefix("$")
                pen.text(x, y + size * 0.65, worth, size * 0.72, "kz-onpiece kz-h-brown", "middle")
            pen.ring(x - size * 1.2, y - size * 1.2, size * 2.4, size * 2.4, 4)


@dataclass(frozen=True)
class RoundCard:
    """The round card: its turns, with the current one marked."""

    title: str
    turns: Sequence[TurnSymbol]
    now: int

    height = 56.0

    @property
    def width(self) -> float:
        return max(text_width(self.title, 13) * 1.06, 34.0 * len(self.turns))

    def draw(self, pen: Pen, x: float, y: float) -> None:
        pen.text(x + self.width / 2, y + 14, self.title, 13, "kz-strong", "middle")
        slot = x + (self.width - 34 * len(self.turns)) / 2
        for place, symbol in enumerate(self.turns):
            shape, meaning = _TURNS[symbol]
            mark = " kz-now" if place == self.now else ""
            with pen.thing(f"turn-{place}", f"turn {place + 1}, {meaning}"):
                pen.rect(slot + 2, y + 23, 30, 30, f"kz-chip{mark}", 7)
                pen.path(SHAPES[shape], "kz-sign", slot + 17, y + 38, 9)
            slot += 34


class Bandit:
    """A bandit: figure, remaining bullets and loot."""

    def __init__(self, look: ColtExpressLook, bandit: int, width: float) -> None:
        self.width = width
        self._look, self._bandit = look, bandit
        self._loot = look.tokens_at(HELD + bandit)
        self._each = max(1, int((width - 50) // 20))
        self.height = 46.0 + 20 * -(-len(self._loot) // self._each)

    def draw(self, pen: Pen, x: float, y: float) -> None:
        look, bandit = self._look, self._bandit
        pen.rect(x, y, self.width, self.height, "kz-chip", 8)
        pen.path(SHAPES["bandit"], f"kz-piece kz-h-{look.hue(bandit)}", x + 21, y + 22, 15)
        cash = int(look.table.cash.values[bandit])
        name = look.bandit(bandit) + (f" +${cash}" if cash else "")
        pen.text(x + 42, y + 18, name, fitting_size(name, self.width - 46, 14, 9), "kz-strong")
        for number in range(int(look.table.bullets.values[bandit])):
            pen.path(SHAPES["bullet"], "kz-gilt", x + 47 + 12 * number, y + 32, 7)
        for place, token in enumerate(self._loot):
            row, column = divmod(place, self._each)
            token.draw(pen, x + 52 + 20 * column, y + 54 + 20 * row, 8)


class Train:
    """The train: the locomotive and the cars, each with its inside and its roof."""

    ROOF, INSIDE, GAP = 46.0, 66.0, 6.0

    def __init__(self, look: ColtExpressLook, width: float) -> None:
        self._look = look
        self._cars = int(look.table.bandits.value) + 1
        most = max(1, int(width // LEAST_CAR))
        rows = -(-self._cars // most)
        self._each = -(-self._cars // rows)
        self._car = min(MOST_CAR, width / self._each)
        self.width = self._car * self._each
        self._row = self.ROOF + self.INSIDE + 30
        self.height = rows * self._row

    def draw(self, pen: Pen, x: float, y: float) -> None:
        for car in range(self._cars):
            row, column = divmod(car, self._each)
            car_x, car_y = x + column * self._car, y + row * self._row
            self._draw_car(pen, car, car_x, car_y)

    def _draw_car(self, pen: Pen, car: int, x: float, y: float) -> None:
        wide = self._car - self.GAP
        last = car == self._cars - 1
        name = "locomotive" if car == 0 else f"car {car}" + (", the caboose" if last else "")
        floor = y + self.ROOF + self.INSIDE
        pen.line(x, floor + 22, x + self._car, floor + 22, "kz-rail")
        for wheel in (0.22, 0.78):
            pen.circle(x + wide * wheel, floor + 12, 9, "kz-wheel")
        if car < self._cars - 1:
            pen.rect(x + wide, floor - 8, self.GAP, 4, "kz-wheel")
        with pen.thing(f"place-{2 * car + 1}", f"roof of {name}"):
            pen.rect(x, y, wide, self.ROOF, "kz-sky")
            pen.rect(x - 2, y + self.ROOF - 5, wide + 4, 7, "kz-roof", 3)
            pen.ring(x + 1, y + 1, wide - 2, self.ROOF - 2, 5)
        with pen.thing(f"place-{2 * car}", f"inside {name}"):
            pen.rect(x, y + self.ROOF + 2, wide, self.INSIDE, f"kz-car kz-h-{_PAINT[car]}", 4)
            pen.rect(x + 5, y + self.ROOF + 8, wide - 10, self.INSIDE - 24, "kz-window", 3)
            shown = name.partition(",")[0] if not last else "caboose"
            pen.text(x + wide / 2, floor - 3, shown, 11, "kz-oncar", "middle")
            pen.ring(x + 1, y + self.ROOF + 3, wide - 2, self.INSIDE - 2, 5)
        self._contents(pen, 2 * car + 1, x + 4, y + 2, wide - 8, self.ROOF - 8)
        self._contents(pen, 2 * car, x + 8, y + self.ROOF + 10, wide - 16, self.INSIDE - 28)

    def _contents(
        self, pen: Pen, place: int, x: float, y: float, width: float, height: float
    ) -> None:
        """Draws the bandits, the Marshal and the loot of a place into a box of this size."""
        look = self._look
        where = look.table.where.values
        bandits = [b for b in range(look.table.bandits.value) if where[b] == place]
        marshal = place % 2 == 0 and look.table.marshal.value * 2 == place
        tokens = look.tokens_at(place)
        figures = len(bandits) + marshal
        size = min(13.0, height / 2.3)
        token = 7.0
        wide = figures * 2 * size + -(-len(tokens) // 2) * 2.4 * token
        shrink = min(1.0, width / wide) if wide else 1.0
        size, token = size * shrink, token * max(0.7, shrink)
        at = x + size + 1
        for bandit in bandits:
            with pen.thing(f"bandit-{bandit}", look.bandit(bandit)):
                kind = f"kz-piece kz-h-{look.hue(bandit)}"
                pen.path(SHAPES["bandit"], kind, at, y + height - size, size)
                pen.ring(at - size, y + height - 2 * size, 2 * size, 2 * size, 4)
            at += 2 * size
        if marshal:
            with pen.thing("marshal", "the Marshal"):
                pen.path(SHAPES["bandit"], "kz-piece kz-h-yellow", at, y + height - size, size)
                star = SHAPES["star"]
                pen.path(star, "kz-badge", at, y + height - size * 0.6, size * 0.42)
            at += 2 * size
        at += token * 1.2 - size
        for number, loot in enumerate(tokens):
            across, down = divmod(number, 2)
            loot.draw(
                pen, at + across * 2.4 * token, y + height - token * (1.1 + 2.2 * down), token
            )
