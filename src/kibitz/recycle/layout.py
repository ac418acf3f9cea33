"""The layout of the state of a RECYCLE game: its locations and storages.

Every location that the rules can name becomes a ``Deck`` of the state, and every storage a small
component. If a name is computed during play, every name that it can be gets a location or storage.
All locations have room for all cards and follow each other in memory, so that a location is a
number: its *place*.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from kibitz.components.deck import MOST_KINDS, CardSet, CardType, Deck
from kibitz.core.features import Feature, TableDescription, flags, numbers, one_hot, seats
from kibitz.core.layout import HEADER, Component, GameState, Layout, Slots, Visibility, per_player
from kibitz.core.parameters import GameParameters
from kibitz.core.wording import counted
from kibitz.recycle import conclusions, tree
from kibitz.recycle.naming import Names
from kibitz.recycle.tree import Program, Sort, owner_sort
from kibitz.syntax.source import Diagnostic, Severity, SourceError, Span

FACTS = "conclusions"
"""The name of the component with public facts."""
MOST_SETS = 4
"""The number of sets kept for a location of which at least one card lies there; a new set replaces
the oldest."""
TEAM_LIST = "team_list"
"""The name of the component that holds the number of the current assignment to teams."""
MOST_INDICES = 32
"""The maximum number of locations of a name if the rules do not bound the index."""
MOST_PLACES = 2000
"""The maximum number of places, which are operands of actions."""
MOST_TOLD = 8
"""The maximum number of cards of a location about which encodings of states have facts."""
MOST_BYTES = 1 << 18
"""The maximum size of a state in bytes; a search copies the state at every step."""


class Location(Deck):
    """A list of cards at one place of the table."""

    is_told = False
    """Whether the rules tell something about its cards."""

    @property
    def places_in_features(self) -> int:
        return min(self.capacity, MOST_TOLD) if self.is_told else 0


class Memory(Deck):
    """A list of references to cards, visible to all; the cards lie elsewhere."""

    def slots(self, dtype: np.dtype[Any]) -> Slots | None:
        return None

    def pieces(self, view: Any) -> int:
        return 0


class StoredNumber(Component):
    """A number that the rules store."""

    def dtype(self, parameters: type[GameParameters]) -> np.dtype[Any]:
        return np.dtype([("value", np.int32)], align=True)

    def pieces(self, view: Any) -> int:
        return 0

    def to_json(self, view: Any) -> Any:
        return view.value

    def describe(self, view: Any) -> str:
        return str(view.value)

    def features(self, dtype: np.dtype[Any], table: TableDescription) -> Iterator[Feature]:
        yield numbers(0, ("",), item=4)


class StoredName(Component):
    """A variable of the rules that holds a name: its index among all names of the rules."""

    def __init__(self, words: tuple[str, ...], possible: Iterable[int], names: Names) -> None:
        self.words = words
        self.names = names
        """The words for them that people read."""
        self.possible = frozenset(possible)
        """The numbers of the names that can be stored."""

    def dtype(self, parameters: type[GameParameters]) -> np.dtype[Any]:
        return np.dtype([("value", np.int16)], align=True)

    def pieces(self, view: Any) -> int:
        return 0

    def to_json(self, view: Any) -> Any:
        return self.words[view.value]

    def describe(self, view: Any) -> str:
        return self.names.value(self.words[view.value])

    def features(self, dtype: np.dtype[Any], table: TableDescription) -> Iterator[Feature]:
        possible = sorted(self.possible)
        slots = [possible.index(i) if i in self.possible else -1 for i in range(len(self.words))]
        yield one_hot(0, [self.words[i] or "-" for i in possible], slots=slots)


class PointMap(Component):
    """A point map: the site that set it last, and the values that were computed then."""

    def __init__(self, values: int) -> None:
        self.values = values

    def dtype(self, parameters: type[GameParameters]) -> np.dtype[Any]:
        return np.dtype([("site", np.int32), ("values", np.int32, (self.values,))], align=True)

    def pieces(self, view: Any) -> int:
        return 0

    def to_json(self, view: Any) -> Any:
        return {"map": view.site, "values": [view.values[i] for i in range(self.values)]}

    def describe(self, view: Any) -> str:
        return f"point map {view.site}" if view.site else "not set"

    def features(self, dtype: np.dtype[Any], table: TableDescription) -> Iterator[Feature]:
        yield numbers(0, ("map",), item=4)
        if self.values:
            yield numbers(4, ("value",), length=self.values, item=4)


class Cycles(Component):
    """The current and the next player or team of each nested stage."""

    def __init__(self, depth: int, teams: int = 0) -> None:
        self.depth = depth
        self.teams = teams
        """The number of teams that take turns; 0 if players take turns."""

    def dtype(self, parameters: type[GameParameters]) -> np.dtype[Any]:
        stack = (np.int16, (self.depth,))
        return np.dtype([("current", *stack), ("queued", *stack)], align=True)

    def pieces(self, view: Any) -> int:
        return 0

    def to_json(self, view: Any) -> Any:
        return [view.current[i] for i in range(self.depth)]

    def describe(self, view: Any) -> str:
        return ", ".join(str(view.current[i] + 1) for i in range(self.depth))

    def features(self, dtype: np.dtype[Any], table: TableDescription) -> Iterator[Feature]:
        fields: Any = dtype.fields
        for name, label in (("current", "turn of"), ("queued", "next")):
            at = fields[name][1]
            if self.teams:
                teams = [f"team {team + 1}" for team in range(self.teams)]
                yield one_hot(at, teams, (label,), length=self.depth)
            else:
                yield seats(at, table, (label,), length=self.depth)


class Commitment(Component):
    """The action that a player has chosen in a simultaneous stage, hidden from the others."""

    def dtype(self, parameters: type[GameParameters]) -> np.dtype[Any]:
        return np.dtype(
            [
                ("action", np.int16, (4,)),  # as a 64-bit number
                ("seen", np.int16, (4,)),
                ("length", np.int64),  # 4 after the player has chosen
            ],
            align=True,
        )

    def initialize(self, view: Any, owner: int | None, parameters: GameParameters) -> None:
        for i in range(4):
            view.seen[i] = Visibility.OWNER.mask(owner)

    def pieces(self, view: Any) -> int:
        return 0

    def slots(self, dtype: np.dtype[Any]) -> Slots:
        return Slots(0, 8, 16, 4, None, choice=True)

    def to_json(self, view: Any) -> Any:
        return bool(view.length)

    def describe(self, view: Any) -> str:
        return "made" if view.length else "open"

    def features(self, dtype: np.dtype[Any], table: TableDescription) -> Iterator[Feature]:
        yield flags(16, ("made",), item=8)


class PublicFacts(Component):
    """What everybody may conclude about the cards in some locations (``conclusions.py``).

    A card is a bit of a number. The rules keep the facts true when cards are moved.
    """

    def __init__(self, cards: tuple[str, ...], labels: tuple[str, ...], some: int) -> None:
        self.cards = cards
        self.labels = labels
        """The names of the locations."""
        self.some = some
        """The number of sets per location of which at least one card lies there; 0 is no set."""

    def dtype(self, parameters: type[GameParameters]) -> np.dtype[Any]:
        count = len(self.labels)
        names = [("absent", np.int64, (count,))]
        if self.some:
            names.append(("some", np.int64, (count * self.some,)))
        return np.dtype(names, align=True)

    def pieces(self, view: Any) -> int:
        return 0

    def to_json(self, view: Any) -> Any:
        facts: dict[str, Any] = {}
        for i, label in enumerate(self.labels):
            if view.absent[i]:
                facts.setdefault(label, {})["none of"] = self._names(view.absent[i])
            for k in range(i * self.some, (i + 1) * self.some):
                if view.some[k]:
                    facts.setdefault(label, {}).setdefault("one of", []).append(
                        self._names(view.some[k])
                    )
        return facts

    def describe(self, view: Any) -> str:
        known = sum(1 for i in range(len(self.labels)) if view.absent[i])
        return f"cards excluded from {counted(known, 'location')}"

    def _names(self, cards: int) -> list[str]:
        return [name for card, name in enumerate(self.cards) if cards >> card & 1]

    def features(self, dtype: np.dtype[Any], table: TableDescription) -> Iterator[Feature]:
        return iter(())  # they follow from what was seen


@dataclass(frozen=True)
class Site:
    """An action in the rules that sets a point map."""

    number: int
    """The number of the site, from 1; 0 stands for a map that was never set."""
    action: tree.SetPoints
    static: tuple[int, ...]
    """The score of each card by the awards that do not depend on the state."""
    dynamic: tuple[tuple[tuple[tuple[str, int], ...], tuple[str, ...], int | None], ...]
    """The other awards. Each has its fixed conditions as (attribute, value), the attributes that
    are compared with a value stored in the map, and the points; these are ``None`` if they are
    stored in the map, too."""

    @property
    def stored(self) -> int:
        """The number of values that the map stores."""
        return sum(len(names) + (points is None) for _, names, points in self.dynamic)


_LOOPS = (
    tree.ForEach | tree.Fork | tree.Filter | tree.Each | tree.Quantified | tree.Total | tree.Tell
)


class Places:
    """The layout of a game's state: its locations, storages and cards, and their offsets.

    Attributes:
        words: The vocabulary; a name in the state is an index into it. The first name is empty.
        attributes: The names of the cards' attributes.
        values: The value of each card, as an index into the vocabulary, by attribute.
        names_for_people: The words for cards and for names of the rules.
        card_names: The display names of the cards.
        grids: The grids whose places number the locations with an owner's sort, kind and name.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.players = program.players
        nodes = list(tree.everything(program))
        self.attributes = sorted({name for card in program.cards for name in card.attributes})
        self.words = _vocabulary(program, nodes)
        self.word = {word: number for number, word in enumerate(self.words)}
        self.values = {
            name: tuple(self.word[card.attributes.get(name, "")] for card in program.cards)
            for name in self.attributes
        }
        self.card_values = {v for card in program.cards for v in card.attributes.values()}
        self.names_for_people = Names(program, self.words)
        self.wordings = {
            clause: words
            for node in nodes
            if isinstance(node, tree.Choice)
            for clause, words in node.worded
            if words
        }
        self.card_names = self.names_for_people.cards
        self.backs = sorted({card.deck for card in program.cards})
        self.assignments = [program.teams]  # of players to teams
        self.assignment: dict[tree.MakeTeams, int] = {}
        for node in nodes:
            if isinstance(node, tree.MakeTeams):
                self.assignment[node] = len(self.assignments)
                self.assignments.append(node.teams)
        self.teams = max(len(teams) for teams in self.assignments)
        self._collections = {
            node.binding: node.collection for node in nodes if isinstance(node, _LOOPS)
        }
        self._texts_set = [node for node in nodes if isinstance(node, tree.SetText)]
        self.sites = self._point_maps(nodes)
        self.eliminates = any(isinstance(n, tree.Eliminate) for n in nodes)
        """Whether players can be eliminated."""
        self.simultaneous = any(isinstance(n, tree.Stage) and n.simultaneous for n in nodes)
        self.depth = 1 + max((_depth(item, "player") for item in program.items), default=0)
        self.team_depth = 1 + max((_depth(item, "team") for item in program.items), default=0)
        self.told = _told(program, nodes)
        """The names of the locations about whose cards the rules tell something."""
        self.conclusions = conclusions.of(program)
        self._declare(nodes)

    def names(
        self, expression: tree.Expression, visited: frozenset[str] = frozenset()
    ) -> set[str]:
        """All names that an expression can give."""
        if isinstance(expression, tree.Text):
            return {expression.value}
        if isinstance(expression, tree.Variable) and expression.binding.values is not None:
            return set(expression.binding.values)
        if isinstance(expression, tree.Attribute) and isinstance(expression.name, tree.Text):
            names = {self.words[value] for value in self.values.get(expression.name.value, ())}
            has_card = isinstance(expression.card, tree.Variable)
            return names if has_card else {*names, ""}  # of a missing card
        if isinstance(expression, tree.StoredText) and isinstance(expression.name, tree.Text):
            return self._names_stored(expression.name.value, visited)
        if isinstance(expression, tree.Entry) and isinstance(expression.table, tree.Texts):
            return set(expression.table.values)
        return set(self.words)

    def _names_stored(self, storage_name: str, visited: frozenset[str] = frozenset()) -> set[str]:
        """All names that a storage with this name can hold; empty until it is set."""
        names = {""}
        if storage_name not in visited:
            for action in self._texts_set:
                target = action.target.name
                if not isinstance(target, tree.Text) or target.value == storage_name:
                    names |= self.names(action.value, visited | {storage_name})
        return names

    def grid_of(self, binding: tree.Binding) -> tree.Grid | None:
        """The grid whose places a variable stands for; ``None`` if it stands for others."""
        places = self._collections.get(binding)
        while isinstance(places, tree.Filter):
            places = places.collection
        if isinstance(places, tree.Along):
            return places.grid
        return places if isinstance(places, tree.Grid) else None

    def spot(self, grid: tree.Grid | None, index: int) -> str:
        """What people call one of several locations: its number, or its place on a grid."""
        if grid is None:
            return str(index + 1)
        return f"row {index // grid.columns + 1}, column {index % grid.columns + 1}"

    def numbered(self, noun: str, grid: tree.Grid | None, index: int) -> str:
        """The noun for one of several locations: ``row 2``, ``place (row 2, column 1)``."""
        spot = self.spot(grid, index)
        return f"{noun} {spot}" if grid is None else f"{noun} ({spot})"

    def bound(self, binding: tree.Binding) -> int | None:
        """An upper bound of the numbers, from 0 on, that a fork picks; ``None`` if unknown."""
        if grid := self.grid_of(binding):
            return grid.values[-1]
        loop = self._collections.get(binding)
        if not isinstance(loop, tree.Range) or not isinstance(loop.low, tree.Number):
            return None
        return self._highest(loop.high) if loop.low.value >= 0 else None

    def _highest(self, number: tree.Expression) -> int | None:
        """An upper bound of an expression for a number; ``None`` if unknown."""
        match number:
            case tree.Number(value=value):
                return value
            case tree.Variable(binding=binding):
                if grid := self.grid_of(binding):
                    return grid.values[-1]
                loop = self._collections.get(binding)
                return self._highest(loop.high) if isinstance(loop, tree.Range) else None
            case tree.Arithmetic(operator="+", left=left, right=right):
                highest = (self._highest(left), self._highest(right))
                return None if None in highest else sum(h or 0 for h in highest)
            case tree.Arithmetic(operator="-", left=left, right=tree.Number(value=value)):
                return None if (most := self._highest(left)) is None else most - value
            case tree.Arithmetic(operator="%", right=tree.Number(value=value)):
                return value - 1
            case tree.SeatNumber():
                return self.players
            case tree.Entry(table=tree.Numbers(values=values)):
                return max(values)
        return None

    # -- declaring ------------------------------------------------------------------------

    def _declare(self, nodes: list[tree.Node]) -> None:
        """Declares the components of the state, and computes their offsets.

        Raises:
            SourceError: The state would be too large.
        """
        program = self.program
        piles: dict[tuple[Sort, str, str], int] = {}  # how many indices each location has
        self.grids: dict[tuple[Sort, str, str], tree.Grid] = {}
        stored: dict[tuple[Sort, str, str], None] = {}
        for node in [*program.decks, *nodes]:
            match node:
                case tree.Pile() | tree.Indexed():
                    self._note_pile(node, piles)
                case tree.Stored():
                    self._note(stored, node.owner, "sto", node.name)
                case tree.StoredText():
                    self._note(stored, node.owner, "str", node.name)
                case tree.Points():
                    self._note(stored, node.owner, "points", node.name)
        labels = self._labels = _labels([*piles, *stored])
        self.shown = _shown(labels, self.names_for_people, frozenset(self.card_values))
        shown = self.names_for_people.shown
        cards = CardSet(
            "cards",
            [
                CardType(
                    name,
                    1,
                    properties={
                        attribute: self.names_for_people.value(card.attributes[attribute])
                        for attribute in shown
                        if attribute in card.attributes
                    },
                )
                for name, card in zip(self.card_names, program.cards, strict=True)
            ],
        )
        looked_at = {
            (owner_sort(pile.owner), pile.kind, name)
            for node in nodes
            if isinstance(node, tree.CardAt | tree.Several | tree.RunAt)
            for pile in [node.cards]
            if isinstance(pile, tree.Pile)
            for name in self.names(pile.name)
        }
        members: dict[str, Any] = {}
        self._place: dict[tuple[Sort, str, str], int] = {}
        self.indices = piles
        place = 0
        for key, count in sorted(piles.items(), key=lambda entry: (entry[0][0], entry[0][2])):
            sort, kind, _ = key
            self._place[key] = place
            for index in range(count):
                label = labels[key] + (f"_{index}" if count > 1 else "")
                make = Memory if kind == "mem" else Location
                ordered = kind == "vloc" and key in looked_at
                deck = make(cards, _visibility(sort, kind), ordered=ordered, facts=self.tells)
                if isinstance(deck, Location):
                    deck.is_told = self.told is not None and key in self.told
                members[label] = per_player(deck) if sort == "player" else deck
                place += self.players if sort == "player" else 1
        self.place_count = place
        self.has_memory = any(kind == "mem" for _, kind, _ in piles)
        widest = max((site.stored for site in self.sites.values()), default=0)
        for key in stored:
            sort, kind, _ = key
            component = {
                "sto": StoredNumber(),
                "str": StoredName(
                    self.words,
                    {self.word[name] for name in self._names_stored(key[2])},
                    self.names_for_people,
                ),
                "points": PointMap(widest),
            }[kind]
            if sort == "team":
                for team in range(self.teams):
                    members[f"{labels[key]}_of_team_{team + 1}"] = component
            else:
                members[labels[key]] = per_player(component) if sort == "player" else component
        members["turns"] = Cycles(self.depth)
        members["team_turns"] = Cycles(self.team_depth, self.teams)
        members[TEAM_LIST] = StoredNumber()
        if self.simultaneous:
            # the compiled code reads and writes the action of a commitment as 64 bits
            members["commitment"] = per_player(Commitment())
        self._declare_facts(members)
        self.state = type("State", (GameState,), members)
        self.layout = Layout(self.state, GameParameters, self.players)
        size = self.layout.dtype.itemsize
        if place > MOST_PLACES or size > MOST_BYTES:
            raise _refusal(
                program,
                "too-large",
                f"The game needs {place} locations for {len(program.cards)} cards, a state of "
                f"{size // 1024} kB; at most {MOST_PLACES} locations and {MOST_BYTES // 1024} "
                "kB are possible.",
            )
        fields: Any = self.layout.dtype.fields
        self.offset = {label: int(fields[label][1]) for label in members}
        first = next(iter(members)) if piles else "turns"
        commitment = Commitment().dtype(GameParameters)
        commitment_fields: Any = commitment.fields
        self.commitment_size = commitment.itemsize
        self.commitment_field = {
            name: int(commitment_fields[name][1]) for name in commitment.names or ()
        }
        self.piles_at = self.offset[first]
        deck_type = Deck(cards, facts=self.tells).dtype(GameParameters)
        self.pile_size = deck_type.itemsize
        deck_fields: Any = deck_type.fields
        self.pile_field = {name: int(deck_fields[name][1]) for name in deck_type.names or ()}
        self._stored_at: dict[tuple[Sort, str, str], tuple[int, int]] = {}
        for key in stored:
            sort, kind, _ = key
            label = labels[key] + ("_of_team_1" if sort == "team" else "")
            stride = 0
            if sort == "player":
                stride = fields[label][0].base.itemsize
            elif sort == "team" and self.teams > 1:
                stride = self.offset[f"{labels[key]}_of_team_2"] - self.offset[label]
            self._stored_at[key] = (self.offset[label], stride)
        self.place_names = self._name_places(piles)

    def _declare_facts(self, members: dict[str, Any]) -> None:
        """Declares the component for what can be concluded, if anything can be."""
        self.fact_of_place = [-1] * self.place_count
        self.fact_places: list[int] = []
        self.facts_of_some = 0
        drawn = list(self.conclusions.all())
        piles = {name for c in drawn if (name := conclusions.pile_name(c.pile)) is not None}
        for key in sorted(piles):
            owners = self.players if key[0] == "player" else 1
            for place in range(self._place[key], self._place[key] + owners * self.indices[key]):
                self.fact_of_place[place] = len(self.fact_places)
                self.fact_places.append(place)
        if self.fact_places:
            self.facts_of_some = MOST_SETS if any(c.some for c in drawn) else 0
            names = self._name_places(self.indices)
            members[FACTS] = PublicFacts(
                self.card_names,
                tuple(names[place] for place in self.fact_places),
                self.facts_of_some,
            )

    @property
    def tells(self) -> bool:
        """Whether each card has facts, what all players know of it in part."""
        return self.told is not None

    @property
    def samples(self) -> bool:
        """Whether more than the hidden cards, each anywhere, is to be sampled."""
        return self.simultaneous or bool(self.fact_places)

    def virtual_places(self) -> list[int]:
        """1 for each place that is a memory, whose cards lie elsewhere, else 0."""
        virtual = [0] * self.place_count
        for (sort, kind, name), count in self.indices.items():
            if kind == "mem":
                first = self.place(sort, kind, name)
                for i in range(count * (self.players if sort == "player" else 1)):
                    virtual[first + i] = 1
        return virtual

    def counted_places(self) -> list[int]:
        """1 for each place whose cards everybody tells apart by their places there, else 0."""
        counted = [0] * self.place_count
        for (sort, kind, name), count in self.indices.items():
            if kind in ("vloc", "oloc"):
                first = self.place(sort, kind, name)
                for i in range(count * (self.players if sort == "player" else 1)):
                    counted[first + i] = 1
        return counted

    def _note_pile(
        self, node: tree.Pile | tree.Indexed, piles: dict[tuple[Sort, str, str], int]
    ) -> None:
        """Adds the locations that a node can denote, with the number of their indices."""
        count = 1
        index = node.index if isinstance(node, tree.Pile) else None
        if isinstance(index, tree.Number):
            count = index.value + 1
        elif index is not None:
            highest = self._highest(index)
            most = max(2, min(MOST_INDICES, len(self.program.cards)))
            count = most if highest is None else max(1, highest + 1)
        if count > MOST_PLACES:
            raise _refusal(
                self.program,
                "too-large",
                f"A location has index {count - 1}; at most {MOST_PLACES} are possible.",
                node.span,
            )
        grid = self.grid_of(index.binding) if isinstance(index, tree.Variable) else None
        for name in sorted(self.names(node.name)):
            key = (owner_sort(node.owner), node.kind, name)
            if grid is not None and grid.rows > 1:
                self.grids[key] = grid
            piles[key] = max(piles.get(key, 1), count)

    def _note(
        self,
        stored: dict[tuple[Sort, str, str], None],
        owner: tree.Owner,
        kind: str,
        name: tree.Expression,
    ) -> None:
        """Adds the storages that a node can denote."""
        for word in sorted(self.names(name)):
            stored[owner_sort(owner), kind, word] = None

    def _name_places(self, piles: dict[tuple[Sort, str, str], int]) -> list[str]:
        """The display name of each place, by number."""
        names = [""] * self.place_count
        for key, count in piles.items():
            noun = self.noun(key)
            for index in range(count):
                shown = self.numbered(noun, self.grids.get(key), index) if count > 1 else noun
                if key[0] == "player":
                    for player in range(self.players):
                        place = self._place[key] + index * self.players + player
                        names[place] = f"player {player + 1}'s {shown}"
                else:
                    names[self._place[key] + index] = f"the {shown}"
        return names

    def noun(self, key: tuple[Sort, str, str]) -> str:
        """The noun for the locations or the storage with an owner's sort, a kind and a name."""
        return self.shown[self._labels[key]]

    def label(self, key: tuple[Sort, str, str]) -> str:
        """The label of the locations or the storage with an owner's sort, a kind and a name."""
        return self._labels[key]

    @property
    def storages(self) -> list[tuple[Sort, str, str]]:
        """The sort of the owner, the kind and the name of every storage."""
        return list(self._stored_at)

    # -- looking up -----------------------------------------------------------------------

    def place(self, sort: Sort, kind: str, name: str) -> int:
        """The place of a location of player 0 with index 0; -1 if the rules never denote it.

        The places of the next players follow, then those of the next index.
        """
        return self._place.get((sort, kind, name), -1)

    def stored(self, sort: Sort, kind: str, name: str) -> tuple[int, int]:
        """The offset of a storage of the first owner, and its distance to that of the next one."""
        return self._stored_at.get((sort, kind, name), (-1, 0))

    # -- point maps -----------------------------------------------------------------------

    def _point_maps(self, nodes: list[tree.Node]) -> dict[tree.SetPoints, Site]:
        sites: dict[tree.SetPoints, Site] = {}
        for node in nodes:
            if isinstance(node, tree.SetPoints):
                sites[node] = self._site(len(sites) + 1, node)
        return sites

    def _site(self, number: int, action: tree.SetPoints) -> Site:
        """The site of an action; separates its static awards from the dynamic ones."""
        static = [0] * len(self.program.cards)
        dynamic = []
        for award in action.awards:
            fixed: list[tuple[str, int]] = []
            stored: list[str] = []
            for attribute, value in award.conditions:
                if not isinstance(attribute, tree.Text):
                    raise _refusal(
                        self.program,
                        "dynamic-attribute",
                        "An award's attribute has to be a plain name.",
                        attribute.span,
                    )
                if isinstance(value, tree.Text):
                    fixed.append((attribute.value, self.word[value.value]))
                else:
                    stored.append(attribute.value)
            points = award.value.value if isinstance(award.value, tree.Number) else None
            if not stored and points is not None:
                for card in range(len(static)):
                    if all(self.card_word(name, card) == word for name, word in fixed):
                        static[card] += points
            else:
                dynamic.append((tuple(fixed), tuple(stored), points))
        return Site(number, action, tuple(static), tuple(dynamic))

    def card_word(self, attribute: str, card: int) -> int:
        """The value of an attribute of a card as the number of a word; 0 without a value."""
        values = self.values.get(attribute)
        return values[card] if values else 0


def _vocabulary(program: Program, nodes: Iterable[tree.Node]) -> tuple[str, ...]:
    """All names of a program in alphabetic order; the empty name is the first."""
    words = {""}
    for card in program.cards:
        words.update(card.attributes.values())
    for node in nodes:
        if isinstance(node, tree.Text):
            words.add(node.value)
        elif isinstance(node, tree.Texts):
            words.update(node.values)
        elif isinstance(node, tree.Case):
            words.add(node.value)
    return tuple(sorted(words))


def _told(
    program: Program, nodes: Iterable[tree.Node]
) -> frozenset[conclusions.PileName | None] | None:
    """The locations about whose cards something is told; ``None`` if nothing is told at all.

    Raises:
        SourceError: There are too many cards for facts.
    """
    told = [node for node in nodes if isinstance(node, tree.Tell | tree.TellAttribute)]
    if not told:
        return None
    if len(program.cards) > MOST_KINDS:
        message = (
            f"What is told of cards is kept for at most {MOST_KINDS} cards, and there are "
            f"{len(program.cards)}."
        )
        raise _refusal(program, "too-many-cards", message, told[0].span)
    return frozenset(
        conclusions.pile_name(pile)
        for node in told
        for pile in tree.walk(node)
        if isinstance(pile, tree.Pile)
    )


def _visibility(sort: Sort, kind: str) -> Visibility:
    """The players who see the cards of a location."""
    if kind in ("vloc", "mem"):
        return Visibility.EVERYONE
    if kind == "hloc":
        return Visibility.NOBODY
    if kind == "iloc":
        return Visibility.OWNER if sort == "player" else Visibility.NOBODY
    return Visibility.OTHERS if sort == "player" else Visibility.EVERYONE


def _depth(item: tree.Item, kind: str) -> int:
    """The depth of nested stages of a kind in an item, the item included."""
    if not isinstance(item, tree.Stage):
        return 0
    return (item.kind == kind) + max((_depth(inner, kind) for inner in item.items), default=0)


_RESERVED = frozenset(HEADER.names or ()) | {
    "turns",
    "team_turns",
    TEAM_LIST,
    FACTS,
    "commitment",
}


def _labels(keys: list[tuple[Sort, str, str]]) -> dict[tuple[Sort, str, str], str]:
    """A unique field name for each location and storage, made from its name."""
    plain = {key: re.sub(r"\W", "_", key[2].lower()) or "unnamed" for key in keys}
    count: dict[str, int] = {}
    for label in plain.values():
        count[label] = count.get(label, 0) + 1
    labels: dict[tuple[Sort, str, str], str] = {}
    for key, label in plain.items():
        if count[label] > 1 or label in _RESERVED or label[0].isdigit() or label[0] == "_":
            label = f"{key[0]}_{key[1]}_{label}"
        while label in labels.values():
            label += "_"
        labels[key] = label
    return labels


PILE = " pile"
"""What is added to the name of a location that is a value of cards: the ``white pile``."""
_STORAGES = ("sto", "str", "points")
SIDES = {
    "vloc": "face-up",
    "iloc": "face-down",
    "hloc": "hidden",
    "oloc": "turned",
    "mem": "noted",
}
"""What tells locations of one name from each other, by their kinds."""


def _shown(
    labels: dict[tuple[Sort, str, str], str], names: Names, values: frozenset[str]
) -> dict[str, str]:
    """The noun for each field; its kind is added if others of its owner have the same name.

    A location that is named after a value of cards is its pile.
    """
    shown: dict[str, str] = {}
    for key, label in labels.items():
        sort, kind, name = key
        is_storage = kind in _STORAGES
        shared = any(
            other != key and other[::2] == (sort, name) and (other[1] in _STORAGES) == is_storage
            for other in labels
        )
        if is_storage:
            shown[label] = names.storage(name) + (f" ({kind})" if shared else "")
        else:
            noun = names.location(name)
            if name in values and name not in names.declared:
                noun += PILE
            shown[label] = (f"{SIDES[kind]} " if shared else "") + noun
    return shown


def _refusal(program: Program, code: str, message: str, span: Span | None = None) -> SourceError:
    """The error that a program cannot be compiled."""
    where = span if span is not None else Span(0, 1)
    return SourceError(program.source, [Diagnostic(Severity.ERROR, code, message, where)])
