"""The look of games in RECYCLE: cards by their attributes, locations by their names."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from kibitz.components.deck import Deck
from kibitz.core.layout import Instance
from kibitz.core.state import components_in_play
from kibitz.pictures.blocks import Block, Chip, Column, Label, Row, flow
from kibitz.pictures.faces import Face, face_of_attributes
from kibitz.pictures.look import Look
from kibitz.pictures.pen import slug
from kibitz.recycle import tree
from kibitz.recycle.game import rules_of, telling
from kibitz.recycle.layout import PILE, SIDES, Memory, StoredName, StoredNumber
from kibitz.recycle.options import Hidden, Path
from kibitz.recycle.rules import RecycleRules
from kibitz.recycle.tree import Type

_SIDE = re.compile(f"(?:{'|'.join(SIDES.values())}) ")
_TEAM = re.compile(r"(.+) of team (\d+)")
MOST_PLACES = 6
"""The most values of a card attribute for which locations named after values are always drawn."""
MOST_LISTED = 400
"""The most options of a decision for which picks that have to be looked up can be clicked."""


class RecycleLook(Look):
    """Draws a game in RECYCLE."""

    def is_shown(self, instance: Instance, record: Any) -> bool:
        """Whether a component is drawn: locations, and numbers and names that players learn of."""
        component = instance.component
        if isinstance(component, Memory):
            return False
        if isinstance(component, Deck):
            indexed = instance.path.partition("[")[0] not in self._rules.places.shown
            place = (instance.owner, *self._named_and_numbered(instance))
            return bool(record.count) or not (indexed or place in self._occupied)
        known = StoredNumber | StoredName
        return isinstance(component, known) and self._telling.is_told(instance, record)

    @functools.cached_property
    def _occupied(self) -> set[tuple[int | None, str, int]]:
        """Owner, name and number of the locations that hold cards."""
        return {
            (instance.owner, *self._named_and_numbered(instance))
            for instance, record in components_in_play(self.view.seen)
            if isinstance(instance.component, Deck) and record.count
        }

    @functools.cached_property
    def _rules(self) -> RecycleRules:
        return rules_of(self.view.state)

    @functools.cached_property
    def _telling(self) -> Any:
        return telling(self.view.state)

    def order(self, instance: Instance) -> Any:
        """The sort key of locations: those of the same name by number, whatever their kind.

        Locations that are named after values of cards come last, in a row.
        """
        name, number = self._named_and_numbered(instance)
        return self.keeps_its_place(instance), self._first[name], number

    @functools.cached_property
    def _first(self) -> dict[str, int]:
        """The index at which the first location of each name is declared."""
        indices: dict[str, int] = {}
        for number, instance in enumerate(self._rules.layout.instances):
            indices.setdefault(self._named_and_numbered(instance)[0], number)
        return indices

    def _named_and_numbered(self, instance: Instance) -> tuple[str, int]:
        """The name of a location without its kind, and its number, from 0; -1 without a number."""
        name = self._telling.name_of(instance).name
        if isinstance(instance.component, Deck):
            name = name[match.end() :] if (match := _SIDE.match(name)) else name
        stem, _, number = name.rpartition(" ")
        if isinstance(instance.component, Deck) and number.isdigit():
            return stem, int(number) - 1
        return name, -1

    def label(self, instance: Instance) -> str:
        """The name of a location or number in the rules; numbers are counted from 1."""
        owner = self._telling.name_of(instance).owner
        name, number = self._named_and_numbered(instance)
        if number >= 0:
            name = f"{name} {number + 1}"
        return f"{name} of {owner}" if isinstance(owner, str) else name

    def face(self, component: Deck, card: int) -> Face:
        """The face of a card, derived from its attributes."""
        return _face(self._rules, card)

    def keeps_its_place(self, instance: Instance) -> bool:
        """Whether a location is one of few whose names are values of cards, such as colours."""
        name = self._named_and_numbered(instance)[0].removesuffix(PILE).upper()
        return any(
            name in (word.upper() for word in words)
            for words in _values(self._rules).values()
            if len(words) <= MOST_PLACES
        )

    def deck_of(self, place: int) -> str:
        """The path of a location, by its number."""
        return self._paths.get(place, "")

    def block_for(self, instance: Instance, record: Any, width: float) -> Block:
        """The block for a number or name of the rules."""
        value = instance.component.describe(record).lower()
        return Chip(self.label(instance), value, slug(instance.path))

    def is_in_centre(self, instance: Instance) -> bool:
        """Whether a component has no owner, excluding numbers and names of teams."""
        return super().is_in_centre(instance) and self._team(instance) is None

    def centre(self, width: float) -> list[Block]:
        """The blocks for the middle, and a line for each team with its numbers and names."""
        lines: dict[str, list[Block]] = {}
        for instance, record in self.parts:
            if (team := self._team(instance)) is not None:
                value = instance.component.describe(record).lower()
                chip = Chip(team[1], value, slug(instance.path))
                lines.setdefault(team[2], []).append(chip)
        teams: list[Block] = []
        for number, chips in sorted(lines.items()):
            name = Label(f"Team {number}", 13, "kz-strong")
            teams.append(Row([name, flow(chips, width - name.width - 10, 6)], centred=True))
        return [*super().centre(width), *([Column(teams, 6)] if teams else [])]

    def _team(self, instance: Instance) -> re.Match[str] | None:
        """A match of the name of a team's number or text, and of the team; else ``None``."""
        if not isinstance(instance.component, StoredNumber | StoredName):
            return None
        return _TEAM.fullmatch(self.label(instance))

    @functools.cached_property
    def _paths(self) -> dict[int, str]:
        places = self._rules.places
        return {
            (instance.offset - places.piles_at) // places.pile_size: instance.path
            for instance in self._rules.layout.instances
            if isinstance(instance.component, Deck)
        }

    def things(self, action: int) -> Iterable[str]:
        """The cards, players and locations that an option picks, and where cards go."""
        rules = self._rules
        path = rules.path(action)
        if path is None or (not path.packed and len(self.view.legal) > MOST_LISTED):
            return
        picks = rules.picks(self.view.state, action)
        for fork, pick in zip(path.forks, picks, strict=True):
            kind = fork.binding.type
            for item in pick if isinstance(pick, tuple) else (pick,):
                if isinstance(item, Hidden):
                    yield from self._hidden_card(item)
                elif kind in (Type.CARD, Type.CARDS):
                    yield self.thing_of_card.get(item, "")
                elif kind is Type.PLAYER:
                    yield f"seat-{item}"
                elif kind is Type.PILE:
                    yield f"pile-{slug(self.deck_of(item))}"
        picked = {f.binding: pick for f, pick in zip(path.forks, picks, strict=True)}
        yield from self._places_of(path, picked)

    def _hidden_card(self, card: Hidden) -> Iterator[str]:
        """The pile and the card of a hidden pick, which is known by its place only."""
        path = self.deck_of(card.place)
        yield f"pile-{slug(path)}"
        thing_ids = self.things_at.get(path, ())
        if 0 <= card.position < len(thing_ids):
            yield thing_ids[card.position]

    def _places_of(self, path: Path, picked: Mapping[tree.Binding, object]) -> Iterator[str]:
        """The locations that an option takes cards from or puts them into, if the rules name them.

        The mover's own hand is left out as the destination of a card.
        """
        for step in path.steps:
            if isinstance(step, tree.Move):
                source = step.card.cards if isinstance(step.card, tree.CardAt) else None
                if place := self._place(source, picked):
                    yield f"pile-{slug(place)}"
                place = self._place(step.pile, picked)
                if place and not (place in self._own_hands and source is not None):
                    yield f"pile-{slug(place)}"

    @functools.cached_property
    def _own_hands(self) -> set[str]:
        """The paths of the locations that only the player to move sees."""
        return {
            instance.path
            for instance, _ in self.parts
            if instance.owner == self.view.actor and self.is_hand(instance)
        }

    def _place(self, pile: object, picked: Mapping[tree.Binding, object]) -> str:
        """The path of a location that the text or a pick names; empty for others."""
        if not isinstance(pile, tree.Pile):
            return ""
        name = self._word(pile.name, picked)
        index: object = 0
        if isinstance(pile.index, tree.Number):
            index = pile.index.value
        elif isinstance(pile.index, tree.Variable):
            index = picked.get(pile.index.binding)
        elif pile.index is not None:
            index = None
        if not isinstance(index, int) or not name:
            return ""
        sort = tree.owner_sort(pile.owner)
        if sort == "team" or (sort == "player" and not _is_current(pile.owner)):
            return ""
        first = self._rules.places.place(sort, pile.kind, name)
        if first < 0:
            return ""
        if sort == "player":
            return self.deck_of(first + index * self.seen.players + self.view.actor)
        return self.deck_of(first + index)

    def _word(self, name: tree.Expression, picked: Mapping[tree.Binding, object]) -> str:
        """A name that is in the text, that was picked, or that is on a picked card; else empty."""
        if isinstance(name, tree.Text):
            return name.value
        if isinstance(name, tree.Variable):
            pick = picked.get(name.binding)
            words = self._rules.places.words
            return words[pick] if isinstance(pick, int) and 0 <= pick < len(words) else ""
        if isinstance(name, tree.Attribute) and isinstance(name.card, tree.Variable):
            pick = picked.get(name.card.binding)
            if isinstance(pick, int) and isinstance(name.name, tree.Text):
                return self._rules.program.cards[pick].attributes.get(name.name.value, "")
        return ""


def _is_current(owner: tree.Owner) -> bool:
    return isinstance(owner, tree.CurrentPlayer) and owner.which == "current"


@functools.lru_cache(maxsize=4096)
def _face(rules: RecycleRules, card: int) -> Face:
    attributes = rules.program.cards[card].attributes
    return face_of_attributes(rules.places.card_names[card], attributes, _values(rules))


@functools.lru_cache(maxsize=64)
def _values(rules: RecycleRules) -> dict[str, tuple[str, ...]]:
    """All values that cards have, by attribute, in the order of the cards."""
    values: dict[str, dict[str, None]] = {}
    for card in rules.program.cards:
        for name, word in card.attributes.items():
            values.setdefault(name, {})[word] = None
    return {name: tuple(words) for name, words in values.items()}
