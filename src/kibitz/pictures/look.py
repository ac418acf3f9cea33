"""``Look``: how a game is drawn. The base class derives everything from the declared components.

A game with its own look names a subclass in its attribute ``look``; what the subclass does not
override is derived.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from kibitz.components.boards import GraphBoard, GridBoard
from kibitz.components.deck import Deck
from kibitz.components.numbers import Counter, Die, Note, Token
from kibitz.components.turns import Interrupts
from kibitz.core.changes import Place
from kibitz.core.layout import Component, Instance, Visibility
from kibitz.core.state import components_in_play
from kibitz.core.wording import player_name
from kibitz.pictures.blocks import (
    GAP,
    Block,
    Chip,
    Column,
    Fit,
    Label,
    Panel,
    Titled,
    columns,
    flow,
    paragraph,
)
from kibitz.pictures.boards import DieFace, GraphPicture, GridPicture, Square
from kibitz.pictures.cards import LARGE, MIDDLE, SMALL, Card, Pile, Spread, fan
from kibitz.pictures.faces import HUE_ORDER, SUIT_ORDER, Face, face_of_name
from kibitz.pictures.pen import slug
from kibitz.pictures.pieces import piece_of
from kibitz.pictures.view import View

MOST_OPEN = 14
"""The most cards of an open pile that is spread out; a larger one shows its top card."""
BACK = "back-"
"""The prefix of the ids of cards that the observer does not know."""
LEAST_SEAT = 168.0
"""The minimum width of a player's part of the table in pixels."""


@dataclass(frozen=True)
class CardGroup:
    """Cards that lie together.

    Attributes:
        kind: the kind of cards; cards of other kinds never come here.
        things: the ids of the cards, whether drawn or covered in a pile.
    """

    kind: str
    things: tuple[str, ...]


class Look:
    """Draws any game by its declared components."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.seen = view.seen
        self.parts: list[tuple[Instance, Any]] = sorted(
            (entry for entry in components_in_play(view.seen) if self.is_shown(*entry)),
            key=lambda entry: self.order(entry[0]),
        )
        self.cards: dict[str, list[Card]] = {}
        self.thing_of_card: dict[int, str] = {}  # the last copy of each known card
        self.things_at: dict[str, list[str]] = {}  # by path, in the order of the deck
        self._place_cards()

    # -- methods for subclasses to override ------------------------------------------------

    def is_shown(self, instance: Instance, record: Any) -> bool:
        """Whether a component is drawn; by default not data that only rules use."""
        component = instance.component
        if isinstance(component, Note | Interrupts):
            return False
        known = (Deck, Counter, Die, Token, GridBoard, GraphBoard)
        return isinstance(component, known) or type(component).contents is not Component.contents

    def order(self, instance: Instance) -> Any:
        """The sort key of components; by default the order of declaration."""
        return 0

    def label(self, instance: Instance) -> str:
        """The name of a component for people."""
        name = re.sub(r"\[\d+\]", "", instance.path).replace("_", " ").replace(".", " ")
        return name[:-1] if name.endswith("s") and instance.owner is not None else name

    def face(self, component: Deck, card: int) -> Face:
        """The printed side of a card."""
        kind = component.card_set.cards[card]
        return face_of_name(kind.name, kind.text)

    def rank(self, component: Deck, card: int) -> tuple[int, ...]:
        """The sort key of cards in a hand: by suit or colour, then as declared."""
        if card < 0:
            return ()
        face = self.face(component, card)
        suit = SUIT_ORDER.index(face.suit) if face.suit in SUIT_ORDER else len(SUIT_ORDER)
        hue = HUE_ORDER.index(face.hue) if face.filled else len(HUE_ORDER)
        return suit, hue, card

    def back(self, card: int) -> int:
        """The back of a hidden card, from its negative number in an observation."""
        return max(0, -1 - card)

    def seat_marks(self, player: int) -> Iterator[str]:
        """Short remarks beside a player's name."""
        state = self.seen
        if any(state.scores()):
            score = state.scores()[player]
            yield f"{score:g} point{'s' * (score != 1)}"
        if state.view.seat[player].out:
            yield "out"
        if place := state.places()[player]:
            yield f"place {place}"

    def is_in_centre(self, instance: Instance) -> bool:
        """Whether a component lies in the middle of the table; by default if it has no owner."""
        return instance.owner is None

    def keeps_its_place(self, instance: Instance) -> bool:
        """Whether an empty deck is drawn even if no action is about it; by default not."""
        return False

    def centre(self, width: float) -> list[Block]:
        """The blocks for the middle of the table."""
        piles: list[Block] = []
        boards: list[Block] = []
        chips: list[Block] = []
        for instance, record in self.parts:
            if self.is_in_centre(instance):
                self._sort_in(instance, record, width, piles, boards, chips, MIDDLE)
        blocks = [*boards]
        if piles:
            blocks.append(flow(piles, width, 16))
        if chips:
            blocks.append(flow(chips, width, 6))
        return blocks

    def seat_body(self, player: int, width: float) -> Block:
        """The block for a player's own components."""
        own = player == self.view.seat
        hands: list[Block] = []
        piles: list[Block] = []
        boards: list[Block] = []
        chips: list[Block] = []
        for instance, record in self.parts:
            if instance.owner == player:
                hand = self.is_hand(instance)
                size = SMALL if not own else LARGE if hand else MIDDLE
                if isinstance(instance.component, Deck) and instance.component.facts:
                    size = max(size, MIDDLE)  # facts are read on the cards
                lying = hands if hand else piles
                self._sort_in(instance, record, width, lying, boards, chips, size)
        table = [*boards, *([flow(piles, width, GAP)] if piles else [])]
        held: list[Block] = [flow(hands, width, GAP)] if hands else []
        blocks = [*table, *held] if own else [*held, *table]
        if chips:
            blocks.append(flow(chips, width, 6))
        return Column(blocks)

    def things(self, action: int) -> Iterable[str]:
        """The ids of the things that an action is about: those that its sentence names."""
        wording = self.view.words[action]
        if self._draw_pile and re.match(r"draw\b", wording, re.IGNORECASE):
            yield self._draw_pile
        yield from self._cells_of(action)
        if self._named is not None:
            for name in self._named.findall(wording):
                yield from self._names[name.lower()]

    @property
    def piles(self) -> dict[Place, CardGroup]:
        """The cards of each place."""
        return {
            Place(instance.path, instance.owner): CardGroup(
                instance.component.piece_kind, tuple(self.things_at[instance.path])
            )
            for instance, _ in self.parts
            if instance.path in self.things_at
        }

    # -- the whole table --------------------------------------------------------------------

    def block(self, width: float) -> Block:
        """The block for the whole table, for this width."""
        view, players = self.view, self.seen.players
        inside = width - 2 * GAP
        first = 0 if view.seat is None else view.seat + 1
        others = [(first + i) % players for i in range(players - (view.seat is not None))]
        fits: list[Fit] = [functools.partial(self.seat_panel, p) for p in others]
        blocks: list[Block] = [Label(self.headline(), 15, "kz-strong")]
        if fits:
            blocks.append(columns(fits, inside, LEAST_SEAT))
        middle = self.centre(inside - 16)
        if middle:
            blocks.append(Column(middle, least=inside))
        if view.seat is not None:
            blocks.append(self.seat_panel(view.seat, inside))
        return Column(blocks, GAP, inside)

    def headline(self) -> str:
        """The player to move, or how the game has ended, in words."""
        state, view = self.seen, self.view
        if state.is_terminal:
            return re.sub(
                r"\b[Pp]layer (\d+)\b",
                lambda match: view.names[int(match[1]) - 1],
                state.headline(),
            )
        phases = state.table.game.phases
        name = phases(state.view.phase).name.lower().replace("_", " ") if phases else ""
        phase = f" · {name}" if name and name not in ("turn", "play", "action") else ""
        if view.actor == view.seat:
            return f"Your turn{phase}"
        return f"{view.names[view.actor]} is to move{phase}"

    def seat_panel(self, player: int, width: float) -> Panel:
        """A player's part of the table."""
        state = self.seen
        kinds = []
        if not state.is_terminal and player == state.current_player:
            kinds.append("kz-turn")
        if state.view.seat[player].out:
            kinds.append("kz-out")
        return Panel(
            self.view.names[player],
            self.seat_body(player, width - 2 * Panel.PADDING),
            width,
            f"seat-{player}",
            " ".join(kinds),
            tuple(self.seat_marks(player)),
        )

    # -- cards --------------------------------------------------------------------------------

    def _place_cards(self) -> None:
        """Gives every card an id: by its name if the observer knows it, else by its place.

        Copies of a card are numbered in the order of the places, so that an id reveals no more
        than the picture does.
        """
        sets = {
            instance.component.card_set.name
            for instance, _ in self.parts
            if isinstance(instance.component, Deck)
        }
        copies: dict[str, int] = {}
        for instance, record in self.parts:
            deck = instance.component
            if not isinstance(deck, Deck):
                continue
            cards = [int(record.cards[i]) for i in range(record.count)]
            order = list(range(len(cards)))
            if deck.visible_to is Visibility.OWNER:  # a hand is sorted
                order.sort(key=lambda place: (cards[place] < 0, self.rank(deck, cards[place])))
            prefix = f"card-{slug(deck.card_set.name)}-" if len(sets) > 1 else "card-"
            placed = []
            thing_ids = [""] * len(cards)
            for place in order:
                card = cards[place]
                facts = deck.known_in_part(record, place)
                if card < 0:
                    name = f"{BACK}{slug(instance.path)}-{place}"
                    placed.append(Card(name, None, self.back(card), facts))
                    thing_ids[place] = name
                    continue
                stem = prefix + slug(deck.card_set.word(card))
                copies[stem] = copies.get(stem, 0) + 1
                thing_ids[place] = self.thing_of_card[card] = f"{stem}-{copies[stem]}"
                placed.append(Card(thing_ids[place], self.face(deck, card), facts=facts))
            self.cards[instance.path] = placed
            self.things_at[instance.path] = thing_ids

    def hand_block(self, player: int, width: float, own: float, others: float) -> Block:
        """A player's ``hands``, with cards of width `own` for the observer, else `others`."""
        size = own if player == self.view.seat else others
        hand = self.deck_block(self.part(f"hands[{player}]")[0], width, size, titled=False)
        return flow([hand] if hand is not None else [], width)

    def deck_block(
        self, instance: Instance, width: float, size: float, titled: bool = True
    ) -> Block | None:
        """A deck as a fan or a pile; ``None`` for an empty one that is not needed now."""
        cards = self.cards[instance.path]
        thing_id, name = f"pile-{slug(instance.path)}", self.label(instance)
        if not cards and not self.is_lit(thing_id) and not self.keeps_its_place(instance):
            return None
        lit = any(self.is_lit(card.thing_id) for card in cards)
        hidden = all(card.face is None for card in cards)
        piled = hidden if instance.owner is None else len(cards) > 30
        piled = piled or (len(cards) > MOST_OPEN and not self.is_hand(instance))
        if not cards or (piled and not lit):
            top = cards[-1] if cards else None
            if top is not None and top.face is None:
                top = Card(thing_id, None, top.back)
            block: Block = Pile(thing_id, name, len(cards), top, size)
            return Titled(name, block) if titled else block
        corner = 0.22 if hidden else 0.36
        spread = fan(cards, width, size, corner)
        shown = f"{name} · {len(cards)}" if len(cards) > 1 else name
        block = Spread(thing_id, name, spread) if self.is_lit(thing_id) else spread
        return Titled(shown, block) if titled else block

    def is_hand(self, instance: Instance) -> bool:
        """Whether some players, but not all, see the cards of a component."""
        return getattr(instance.component, "visible_to", None) in (
            Visibility.OWNER,
            Visibility.OTHERS,
        )

    # -- other components -----------------------------------------------------------------------

    def _sort_in(
        self,
        instance: Instance,
        record: Any,
        width: float,
        piles: list[Block],
        boards: list[Block],
        chips: list[Block],
        size: float,
    ) -> None:
        """Appends the block for a component to the list of its kind."""
        component, name = instance.component, self.label(instance)
        thing_id = slug(instance.path)
        match component:
            case Deck():
                if (block := self.deck_block(instance, width, size)) is not None:
                    piles.append(block)
            case GridBoard() | GraphBoard():
                picture = self.grid if isinstance(component, GridBoard) else self.graph
                board = picture(instance, record, width)
                boards.append(Titled(name, board) if len(self._boards) > 1 else board)
            case Die():
                value = component.number(record)
                piles.append(Titled(name, DieFace(thing_id, name, value, component.sides)))
            case Token() | Counter():
                chips.append(Chip(name, component.describe(record), thing_id))
            case _:
                chips.append(self.block_for(instance, record, width))

    def block_for(self, instance: Instance, record: Any, width: float) -> Block:
        """The block for a component that is not a deck, board, die, token or counter: its text."""
        text = f"{self.label(instance)}: {instance.component.describe(record)}"
        return paragraph(text, width)

    def grid(self, instance: Instance, record: Any, width: float) -> Block:
        """A board of cells."""
        board = instance.component
        assert isinstance(board, GridBoard)
        stem = f"cell-{slug(instance.path)}"
        rows = [
            [self._square(board, f"{stem}-{x}-{y}", x, y, value) for x, value in enumerate(row)]
            for y, row in enumerate(board.to_json(record))
        ]
        return GridPicture(rows, min(width, 460))

    def _square(self, board: GridBoard, thing_id: str, x: int, y: int, value: int) -> Square:
        symbol = "?" if value < 0 else board.symbols[value]
        name = f"column {x + 1}, row {y + 1}"
        if value == 0:
            return Square(thing_id, name)
        return Square(thing_id, name, (piece_of((symbol,)),), symbol)

    def graph(self, instance: Instance, record: Any, width: float) -> Block:
        """A map of places with their contents."""
        board = instance.component
        assert isinstance(board, GraphBoard)
        contents = {
            place: ", ".join(
                f"{track} {_shown(value)}" if len(board.tracks) > 1 else _shown(value)
                for track, value in tracks.items()
            )
            for place, tracks in board.to_json(record).items()
        }
        return GraphPicture(board.graph, contents, width)

    # -- the things that actions are about --------------------------------------------------------

    def operands(self, action: int) -> tuple[str, dict[str, str]]:
        """The name of the kind of an action, and its operands in words, for games in Python."""
        parts = self.seen.action_parts(action)
        words = {name: str(value) for name, value in parts.operands.items()}
        return parts.kind, words

    def cards_named(self, name: str, *prefixes: str) -> list[str]:
        """The ids of the cards of this name in decks whose paths have one of these prefixes."""
        return [
            card.thing_id
            for path, cards in self.cards.items()
            if path.startswith(prefixes)
            for card in cards
            if card.face is not None and card.face.name == name
        ]

    def part(self, path: str) -> tuple[Instance, Any]:
        """The component with this path, and its record."""
        return next(entry for entry in self.parts if entry[0].path == path)

    @functools.cached_property
    def targets(self) -> dict[str, list[int]]:
        """The legal actions that each thing stands for, by the thing's id."""
        targets: dict[str, list[int]] = {}
        for action in self.view.legal:
            for thing_id in dict.fromkeys(self.things(action)):
                targets.setdefault(thing_id, []).append(action)
        return targets

    def is_lit(self, thing_id: str) -> bool:
        """Whether a legal action is about a thing."""
        return thing_id in self.targets

    @functools.cached_property
    def _names(self) -> dict[str, list[str]]:
        """The ids of the things that a name in a sentence can mean, by the name."""
        named: dict[str, list[str]] = {}
        actor = self.view.actor
        for rank in range(3):  # a card in the mover's own hand takes precedence
            for instance, _ in self.parts:
                mine = instance.owner == actor
                if rank != (0 if mine and self.is_hand(instance) else 2 - mine):
                    continue
                names: dict[str, list[str]] = {}
                for card in self.cards.get(instance.path, ()):
                    if card.face is not None:
                        names.setdefault(card.face.name.lower(), []).append(card.thing_id)
                for name, thing_ids in names.items():
                    named.setdefault(name, thing_ids)
                if isinstance(instance.component, GraphBoard):
                    for place in instance.component.graph.words:
                        named.setdefault(place.lower(), []).append(f"place-{slug(place)}")
        for player in range(self.seen.players):
            named[player_name(player).lower()] = [f"seat-{player}"]
        return named

    @functools.cached_property
    def _named(self) -> re.Pattern[str] | None:
        names = sorted(self._names, key=len, reverse=True)
        if not names:
            return None
        alternatives = "|".join(re.escape(name) for name in names)
        return re.compile(rf"(?<!\w)(?:{alternatives})(?!\w)", re.IGNORECASE)

    @functools.cached_property
    def _draw_pile(self) -> str:
        """The id of the pile that cards are drawn from: the table's first hidden pile."""
        for instance, _ in self.parts:
            hidden = isinstance(instance.component, Deck) and instance.owner is None
            if hidden and instance.component.visible_to is Visibility.NOBODY:
                return f"pile-{slug(instance.path)}"
        return ""

    @functools.cached_property
    def _boards(self) -> list[Instance]:
        return [i for i, _ in self.parts if isinstance(i.component, GridBoard | GraphBoard)]

    @functools.cached_property
    def _grids(self) -> list[Instance]:
        return [i for i in self._boards if isinstance(i.component, GridBoard)]

    def _cells_of(self, action: int) -> Iterator[str]:
        """The cells whose column and row are operands of an action."""
        if not self._grids or self.seen.table.game.Actions is None:
            return
        _, operands = self.operands(action)
        numbers = [word for word in operands.values() if word.isdigit()]
        for x, y in zip(numbers[::2], numbers[1::2], strict=False):
            for instance in self._grids:
                yield f"cell-{slug(instance.path)}-{x}-{y}"


def _shown(value: int) -> str:
    """A number on a board; a question mark for a hidden one."""
    return "?" if value < 0 else str(value)
