"""The reader of the part before the rules: declared values, players, teams, decks."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Literal, cast

from kibitz.core.errors import ParameterError, check_names
from kibitz.core.wording import counted
from kibitz.recycle import header
from kibitz.recycle.reading.context import Broken, Elaborator, Mend, is_constant
from kibitz.recycle.tree import (
    Arithmetic,
    Award,
    Block,
    Card,
    CurrentPlayer,
    Deck,
    Declaration,
    Entry,
    Expression,
    Fibonacci,
    Item,
    Listed,
    Number,
    Numbers,
    Parameter,
    Pile,
    Points,
    Seat,
    SetPoints,
    Table,
    Text,
    Triangular,
    Type,
)
from kibitz.recycle.words import (
    MOST_CARDS,
    MOST_PLAYERS,
    NUMBER,
    VARIABLE,
    is_word,
    nearest,
    one_of,
)
from kibitz.syntax.sexpr import Atom, Form, Node
from kibitz.syntax.source import Source, Span

_MOST_DIGITS = 9
"""The maximum number of digits of a number in the source."""
ITEMS = (
    *("stage", "choice", "comp", "do", "any", "all", "let", "scoring", "setup", "declare"),
    *("define", "effects", "respond", "names"),
)
"""The first words of the items of a game."""


class Setup(Elaborator):
    """The reader of the declarations and the setup; subclasses read the rules."""

    dialect: Literal["A", "B", "C"] = "B"

    def __init__(
        self, source: Source, players: int | None = None, values: Mapping[str, int] | None = None
    ) -> None:
        super().__init__(source)
        self.comment = header.read_comment(source)
        self.asked_players = players
        self.asked_values = {name.lower(): value for name, value in (values or {}).items()}
        self.players = 0
        self.players_word: Atom | None = None
        self.declared_players: int | None = None
        """The number of players in the file, whichever number the game is read for."""
        self.least_players, self.most_players = 1, MOST_PLAYERS
        self.parameters: list[Parameter] = []
        self.values: dict[str, int] = {}
        self.teams: tuple[tuple[int, ...], ...] = ()
        self.first_seat = 0
        """The number of the first seat in the file, 0 or 1."""
        self.seats: Expression = Broken(Span(0, 0))
        """The number of players as the setup gives it."""
        self.declared: list[Declaration] = []
        self.made: list[Deck] = []
        self.decks: list[Pile] = []
        self.cards_made: list[Card] = []
        self.attributes: dict[str, set[str]] = {}
        self.numbered: dict[str, Span] = {}
        """The attributes whose numbers the rules use, with the span of the first use."""
        self._lowered: dict[str, str] = {}

    # --- what the dialects supply ---------------------------------------------------------

    def condition(self, node: Node) -> Expression:
        """Reads a condition."""
        raise NotImplementedError

    def number(self, node: Node) -> Expression:
        """Reads an expression for a number."""
        raise NotImplementedError

    def pile(self, node: Node) -> Expression:
        """Reads a location; a computed list of cards is an error."""
        raise NotImplementedError

    def block(self, node: Node) -> Item:
        """Reads an automatic block."""
        raise NotImplementedError

    def choice(self, form: Form) -> Item:
        """Reads a choice."""
        raise NotImplementedError

    def respond(self, form: Form) -> Item:
        """Reads a question to players whether they react."""
        raise NotImplementedError

    def value(self, node: Node) -> str | None:
        """Reads a literal name, such as an attribute or a value; anything else is an error."""
        raise NotImplementedError

    def card_value(self, node: Atom) -> str | None:
        """Reads a value that a card may have: a name or a number."""
        if NUMBER.fullmatch(node.text) and digits(node.text) is not None:
            return str(int(node.text))
        return self.value(node)

    def prepare(self, nodes: Sequence[Node]) -> Sequence[Node] | None:
        """The forms of a text as they are read; ``None`` if an error makes that impossible.

        It sets ``dialect`` by the words of the text.
        """
        raise NotImplementedError

    def item(self, node: Node) -> Item:
        """Reads an item of a game or a stage."""
        raise NotImplementedError

    def misplaced(
        self, node: Node, where: str, hint: str = "Perhaps a ')' is missing before it."
    ) -> Broken:
        """Reports a form that is not allowed at its place; a ')' before it might fix that."""
        return self.error(
            node,
            "misplaced",
            f"'{first_word(node) or self.show(node)}' cannot stand here. {where}",
            hint,
            mends=[Mend(node.span.start, "close")],
        )

    def action_for_value(self, form: Form, first: Atom, hint: str) -> Broken:
        """Reports an action in place of a value."""
        return self.error(
            form,
            "action-for-value",
            f"'{first.text}' does something; here a value is wanted.",
            hint,
            mends=[Mend(form.span.start, "close")],
        )

    # --- declarations ---------------------------------------------------------------------

    def _find_players(self, setups: Sequence[Node]) -> None:
        """Sets ``players_word``, the variable for the number of players, if there is one."""
        items = [form for form in setups if isinstance(form, Form)]
        word = header.players_word(items)
        if word is not None and word.text.startswith("'"):
            self.players_word = word

    def _declare(self, form: Node) -> None:
        """Reads ``(declare VALUE 'NAME)`` and adds the variable to the scope."""
        assert isinstance(form, Form)
        if len(form.items) != 3:
            self.unfit(form, "(declare VALUE 'NAME)")
            return
        value, name = form.items[1:]
        if not self.is_variable(name, "(declare VALUE 'NAME)"):
            return
        assert isinstance(name, Atom)
        word = name.text.lstrip("'")
        if word in self.scope:
            self.error(name, "declared-twice", f"'{word} is declared twice.")
            return
        source = declared = self.expression(value)
        if isinstance(declared, Number) and isinstance(value, Atom):
            declared = self._parameter(form, name, declared)
        elif declared.type is Type.INT and not isinstance(declared, Broken):
            declared = self.folded(value, declared)
        elif not isinstance(declared, Broken) and not is_constant(declared):
            declared = self.error(
                value,
                "not-constant",
                "A declared value is known before the game begins; this is not.",
                "(let VALUE 'NAME ...) names a value during the game.",
            )
        self.scope = {**self.scope, word: declared}
        self.declared.append(Declaration(form.span, word, source, declared))

    def _parameter(self, form: Form, name: Atom, value: Number) -> Expression:
        """The value of a declared number, which is a parameter of the game.

        Raises:
            ParameterError: The value that was given for it is out of range.
        """
        word = name.text.lstrip("'")
        if self.players_word is not None and self.players_word.text[1:] == word:
            self.declared_players = value.value
            return Number(
                value.span, value.value if self.asked_players is None else self.asked_players
            )
        made = header.parameter(self.comment, name, value.value, form)
        number = self.asked_values.get(word.lower(), value.value)
        if not made.low <= made.high:
            self.error(form, "bad-range", f"The header's range of {word} is empty.")
        elif not made.low <= value.value <= made.high:
            self.error(
                form,
                "out-of-range",
                f"{word} is {value.value}; the header allows {made.low} to {made.high}.",
            )
        elif not made.low <= number <= made.high:
            raise ParameterError(f"{word.lower()} is {made.low} to {made.high}, not {number}.")
        self.parameters.append(made)
        self.values[word] = number
        return Number(value.span, number, word)

    def _reject_unknown_values(self) -> None:
        """Raises an error if a value was given for a parameter that does not exist."""
        known = [parameter.name.lower() for parameter in self.parameters]
        if not self.errors:
            check_names(self.asked_values, known)

    def is_variable(self, node: Node, shape: str) -> bool:
        """Whether a node names a variable; reports an error if not, or if its quote is missing."""
        if isinstance(node, Atom):
            if VARIABLE.fullmatch(node.text):
                return True
            if VARIABLE.fullmatch("'" + node.text) and node.text not in self.words:
                self.error(
                    node,
                    "missing-quote",
                    f"A variable begins with a quote: '{node.text}.",
                    f"It looks like this: {shape}.",
                )
                return True
        self.error(
            node,
            "expected-variable",
            f"Here a variable should stand, such as 'P, not '{self.show(node)}'.",
            f"It looks like this: {shape}.",
        )
        return False

    def folded(self, node: Node, value: Expression) -> Expression:
        """The number that an expression gives; an error if the number is not constant."""
        try:
            return Number(value.span, fold(value))
        except (ValueError, ZeroDivisionError, OverflowError):
            return self.error(
                node,
                "not-constant",
                f"'{self.show(node)}' should be a number that is known before the game begins.",
            )

    # --- setup ----------------------------------------------------------------------------

    def _setup(self, root: Form, setups: Sequence[Node]) -> None:
        """Reads the players, the teams and the decks of ``(setup ...)``."""
        shape = "(setup (create players NUMBER) (create deck LOCATION (deck ...)))"
        if not setups:
            near = [
                item
                for item in root.items
                if isinstance(item, Form) and nearest(item.head, ["setup"])
            ]
            if not near:
                self.error(
                    root.items[0],
                    "no-setup",
                    "The game has no setup.",
                    f"It looks like this: {shape}.",
                )
            self.players = 2
            return
        for form in setups[1:]:
            self.error(form, "second-setup", "There is a second setup.")
        setup = setups[0]
        assert isinstance(setup, Form)
        items = setup.items[1:]
        players = [item for item in items if creates(item, "players")]
        if players:
            assert isinstance(players[0], Form)
            self._players(players[0])
        else:
            self.error(
                setup.items[0],
                "no-players",
                "The setup does not say how many play.",
                "(create players 4)",
            )
        self.players = self.players or 2
        for form in players[1:]:
            self.error(form, "second-players", "The number of players is set twice.")
        teams = [item for item in items if creates(item, "teams")]
        if teams:
            assert isinstance(teams[0], Form)
            self.teams = self.team_lists(teams[0])
        else:
            self.teams = tuple((seat,) for seat in range(self.players))
        for form in teams[1:]:
            self.error(form, "second-teams", "The teams are set twice.")
        for item in items:
            if item not in players and item not in teams:
                self._deck_of_setup(item, 1, ())
        if not self.cards_made and not self.errors:
            self.error(setup.items[0], "no-cards", "The setup creates no cards.", shape)

    def _players(self, form: Form) -> None:
        """Reads ``(create players NUMBER)`` and checks it against the header.

        Raises:
            ParameterError: The game is not for the requested number of players.
        """
        if len(form.items) != 3:
            self.unfit(form, "(create players NUMBER)")
            return
        node = form.items[2]
        value = self.seats = self.number(node)
        if isinstance(value, Broken):
            return
        value = self.folded(node, value)
        if not isinstance(value, Number):
            return
        self.least_players, self.most_players = header.players_range(
            self.comment, node if isinstance(node, Atom) else Atom(str(value.value), node.span)
        )
        count = value.value
        usual = count if self.declared_players is None else self.declared_players
        if not 1 <= usual <= MOST_PLAYERS:
            self.error(node, "players", f"There can be 1 to {MOST_PLAYERS} players, not {usual}.")
            return
        self.players = usual
        if not 1 <= self.least_players <= self.most_players <= MOST_PLAYERS:
            self.error(
                node,
                "players",
                f"The header says {self.least_players}-{self.most_players} players;"
                f" there can be 1 to {MOST_PLAYERS}.",
            )
        elif self.comment.players not in (None, (count, count)) and self.players_word is None:
            self.error(
                node,
                "players",
                f"The header says {self.least_players}-{self.most_players} players; here the"
                f" number is fixed to {count}.",
                f"(declare {count} 'NUMP) in front, and (create players 'NUMP), leave it open.",
            )
        elif not self.least_players <= usual <= self.most_players:
            self.error(
                node,
                "players",
                f"The header says {self.least_players}-{self.most_players} players, not {usual}.",
            )
        elif self.asked_players is not None and self.asked_players != count:
            raise ParameterError(f"This game is for {count} players, not {self.asked_players}.")
        elif not self.least_players <= count <= self.most_players:
            raise ParameterError(
                f"This game is for {self.least_players} to {self.most_players} players,"
                f" not {count}."
            )
        else:
            self.players = count

    def team_lists(self, form: Form) -> tuple[tuple[int, ...], ...]:
        """The teams of ``(create teams (0, 2) (1, 3))``, then a team for each player in none."""
        shape = "(create teams (0, 2) (1, 3))"
        if len(form.items) < 3:
            self.unfit(form, shape)
            return ()
        teams: list[tuple[int, ...]] = []
        seats: list[tuple[int, Node]] = []
        for item in form.items[2:]:
            if not isinstance(item, Form) or not item.items:
                self.unfit(form, shape)
                return ()
            if not self.check_list(item, f"It looks like this: {shape}."):
                return ()
            team = []
            for node in item.items:
                if not isinstance(node, Atom) or not NUMBER.fullmatch(node.text):
                    self.error(
                        node, "expected-number", "A team lists the numbers of its players.", shape
                    )
                    return ()
                team.append(int(node.text[:6]))
                seats.append((team[-1], node))
            teams.append(tuple(team))
        numbers = [number for number, _ in seats]
        if 0 not in numbers and self.players in numbers and self.dialect != "A":
            self.first_seat = 1
            self.dialect = "C"
            self.warn(
                form,
                "seats-from-one",
                f"The teams name a player {self.players} and none 0: players are numbered from 1.",
                "Number them from 0 to have it otherwise.",
            )
        for index, (number, node) in enumerate(seats):
            if not self.first_seat <= number < self.first_seat + self.players:
                self.no_player(node, number)
            elif number in numbers[:index]:
                self.error(node, "seat", f"Player {number} is in two teams.")
        listed = [tuple(seat - self.first_seat for seat in team) for team in teams]
        alone = [(seat,) for seat in range(self.players) if seat + self.first_seat not in numbers]
        return (*listed, *alone)

    def no_player(self, node: Node, number: int) -> Broken:
        """Reports the number of a player that does not exist."""
        first, last = self.first_seat, self.first_seat + self.players - 1
        numbers = (
            f"numbers go from {first} to {last}" if first < last else f"its number is {first}"
        )
        hint = ""
        if self.players_word is not None and self.comment.players is None:
            hint = (
                "No header says how many can play, so this is checked for 1 to"
                f" {MOST_PLAYERS}: put a comment such as ';; Players: 2-4' above the rules."
            )
        elif self.least_players < self.most_players:
            hint = f"The game is for {self.least_players} to {self.most_players} players."
        return self.error(
            node,
            "seat",
            f"With {counted(self.players, 'player')} there is no player {number}: {numbers}.",
            hint,
        )

    def check_list(self, form: Form, hint: str) -> bool:
        """Whether a form is a list of items, not a range; missing commas are reported.

        Args:
            form: The form to be checked.
            hint: The hint for a range.
        """
        if any(is_word(item, "..", "range") for item in form.items):
            self.error(form, "range-for-list", "Here a list is wanted, not a range.", hint)
            return False
        for before, node in itertools.pairwise(form.items):
            if isinstance(before, Form) or isinstance(node, Form):
                continue
            if "," not in self.source.text[before.span.end : node.span.start]:
                self.error(
                    Span(before.span.start, node.span.end),
                    "two-names",
                    f"'{self.show(before)}' and '{self.show(node)}' stand side by side.",
                    f"Put a comma between them: {self.show(before)}, {self.show(node)}.",
                )
        return True

    # --- decks ----------------------------------------------------------------------------

    def _deck_of_setup(self, node: Node, copies: int, repeats: tuple[Expression, ...]) -> None:
        """Reads an item of the setup that creates decks, perhaps several times."""
        if creates(node, "deck"):
            assert isinstance(node, Form)
            self._deck(node, copies, repeats)
            return
        if isinstance(node, Form) and node.head == "repeat" and len(node.items) == 3:
            times, number = self._times(node.items[1])
            self._deck_of_setup(node.items[2], _capped(copies * number), (*repeats, times))
            return
        head = first_word(node)
        if head in ITEMS:
            self.misplaced(node, "It is no part of the setup.")
            self.item(node)
        else:
            self.error(
                node,
                "unknown-setup",
                f"'{self.show(node)}' is no part of a setup.",
                "A setup consists of (create players NUMBER), (create teams ...),"
                " (create deck LOCATION (deck ...)) and (repeat NUMBER (create deck ...)).",
                mends=[Mend(node.span.start, "open")] if is_word(node, "create", "repeat") else [],
            )

    def _times(self, node: Node) -> tuple[Expression, int]:
        """Reads a number that is known before the game begins; 1 if there is an error."""
        times = self.number(node)
        value = times if isinstance(times, Broken) else self.folded(node, times)
        return times, value.value if isinstance(value, Number) else 1

    def _deck(self, form: Form, copies: int, repeats: tuple[Expression, ...]) -> None:
        """Reads ``(create deck LOCATION (deck ...))`` and makes its cards."""
        shape = "(create deck LOCATION (deck (ATTRIBUTE (VALUE, VALUE)) ...))"
        items = list(form.items[2:])
        name = ""
        if items and isinstance(items[0], Atom):
            name = self.value(items.pop(0)) or ""
        if len(items) != 2:
            self.unfit(form, shape)
            return
        place, deck = items
        if not isinstance(deck, Form) or deck.head != "deck" or len(deck.items) < 2:
            word = deck.items[0] if isinstance(deck, Form) and deck.items else deck
            self.error(
                word,
                "expected-deck",
                "Here (deck ...) should stand.",
                f"It looks like this: {shape}.",
            )
            return
        pile = self.pile(place)
        attributes = list(deck.items[1:])
        own = 1
        if isinstance(attributes[0], Atom) and NUMBER.fullmatch(attributes[0].text):
            own = int(attributes.pop(0).text[:6])  # type: ignore[union-attr]
            copies = _capped(copies * own)
        elif isinstance(attributes[0], Atom) and VARIABLE.fullmatch(attributes[0].text):
            times, number = self._times(attributes.pop(0))
            repeats, copies = (*repeats, times), _capped(copies * number)
        count = copies
        lists: list[list[dict[str, str]]] = []
        for node in attributes:
            alternatives = self._deck_attribute(node)
            lists.append(alternatives)
            count = min(count * max(1, len(alternatives)), MOST_CARDS + 1)
        if count + len(self.cards_made) > MOST_CARDS:
            self.error(
                form,
                "too-many-cards",
                f"With this deck there are more than {MOST_CARDS} cards.",
            )
            return
        if isinstance(pile, Broken) or not isinstance(pile, Pile) or not all(lists):
            return
        location = self._setup_location(pile)
        self.decks.append(location)
        listed = tuple(map(_listed, attributes))
        self.made.append(Deck(form.span, name, repeats, own, location, listed))
        for _ in range(copies):
            for choice in itertools.product(*lists):
                card: dict[str, str] = {}
                for values in choice:
                    card.update(values)
                self.cards_made.append(Card(card, name, len(self.decks) - 1))

    def _setup_location(self, pile: Pile) -> Pile:
        """The location of a deck, in which the current player is replaced by seat 0.

        It must not depend on the state of the game.
        """
        if isinstance(pile.owner, CurrentPlayer):
            step = {"current": 0, "next": 1, "previous": -1}[pile.owner.which]
            seat = Number(pile.owner.span, step % self.players)
            return Pile(pile.span, Seat(pile.owner.span, seat), pile.kind, pile.name, pile.index)
        if not isinstance(pile.owner, (Table, Seat)) or not isinstance(pile.name, Text):
            self.error(
                pile.span, "not-constant", "A deck is created in a place that is known beforehand."
            )
        return pile

    def _deck_attribute(self, node: Node) -> list[dict[str, str]]:
        """The combinations of values of ``(KEY (VALUE, VALUE (KEY ...)) ...)``, each a dict.

        The result is empty if there is an error.
        """
        shape = (
            "(ATTRIBUTE (VALUE, VALUE)), (ATTRIBUTE NUMBER .. NUMBER) or"
            " (ATTRIBUTE (VALUE (ATTRIBUTE (VALUE, ...))) ...)"
        )
        if not isinstance(node, Form) or len(node.items) < 2 or isinstance(node.items[0], Form):
            self.error(
                node,
                "deck-attribute",
                f"'{self.show(node)}' is no attribute of a deck.",
                f"It looks like this: {shape}.",
                mends=[Mend(node.span.start, "open")],
            )
            return []
        key = self.value(node.items[0])
        if key is None:
            return []
        if key not in self.attributes:
            alike = self._lowered.setdefault(key.lower(), key)
            if alike != key:
                self.warn(
                    node.items[0],
                    "letter-case",
                    f"{key} and {alike} are two attributes: capitals and small letters differ.",
                    f"Did you mean {alike}?",
                )
            self.attributes[key] = set()
        if len(node.items) == 4 and is_word(node.items[2], ".."):
            numbers = self._numbers_between(node)
            self.attributes[key].update(numbers)
            return [{key: number} for number in numbers]
        alternatives: list[dict[str, str]] = []
        for alternative in node.items[1:]:
            if not isinstance(alternative, Form) or not alternative.items:
                self.error(
                    alternative,
                    "deck-attribute",
                    "The values of an attribute stand in parentheses of their own.",
                    f"It looks like this: {shape}.",
                    mends=[Mend(alternative.span.start, "open")],
                )
                return []
            values = self._alternative(key, alternative)
            if not values:
                return []
            alternatives += values
            if len(alternatives) > MOST_CARDS:
                return alternatives
        return alternatives

    def _numbers_between(self, form: Form) -> list[str]:
        """The values of ``(ATTRIBUTE LOW .. HIGH)``; the result is empty if there is an error."""
        ends = [self.number(form.items[1]), self.number(form.items[3])]
        if any(isinstance(end, Broken) for end in ends):
            return []
        low, high = (
            self.folded(item, end) for item, end in zip(form.items[1::2], ends, strict=True)
        )
        if not isinstance(low, Number) or not isinstance(high, Number):
            return []
        if low.value > high.value:
            self.error(
                form,
                "bad-range",
                f"There is no number from {low.value} to {high.value}.",
                "The smaller number stands before the '..'.",
            )
        # one card more than the maximum is enough for the error about too many cards
        last = min(high.value, low.value + MOST_CARDS)
        return [str(number) for number in range(low.value, last + 1)]

    def _alternative(self, key: str, form: Form) -> list[dict[str, str]]:
        """The combinations of values of ``(VALUE, VALUE (KEY ...) ...)`` for an attribute.

        The result is empty if there is an error.
        """
        values: list[str] = []
        nested: list[list[dict[str, str]]] = []
        count = 1
        listed = "Write every value of the attribute, with commas: (ONE, TWO, THREE)."
        if not self.check_list(form, listed):
            return []
        for item in form.items:
            if isinstance(item, Atom):
                value = self.card_value(item)
                if value is None:
                    return []
                values.append(value)
            else:
                alternatives = self._deck_attribute(item)
                if not alternatives:
                    return []
                nested.append(alternatives)
                count = min(count * len(alternatives), MOST_CARDS + 1)
        if not values:
            self.error(
                form,
                "deck-attribute",
                "Here a value should stand.",
                f"For example ({key} (VALUE, VALUE)).",
            )
            return []
        self.attributes[key].update(values)
        # one card more than the maximum is enough for the error about too many cards
        combinations = itertools.islice(itertools.product(values, *nested), MOST_CARDS + 1)
        cards = []
        for first, *others in combinations:
            card = {key: cast(str, first)}
            for attributes in cast(list[dict[str, str]], others):
                card.update(attributes)
            cards.append(card)
        return cards

    def set_numbers(self) -> list[Item]:
        """The steps that begin the game: they set the point maps with the numbers of cards."""
        return [
            Block(
                span,
                SetPoints(
                    span,
                    number_map(span, key),
                    tuple(
                        Award(
                            span, ((Text(span, key), Text(span, value)),), Number(span, int(value))
                        )
                        for value in sorted(filter(is_number, self.attributes[key]), key=int)
                    ),
                ),
            )
            for key, span in self.numbered.items()
        ]

    def misspelt_kind(self, form: Form, kinds: Sequence[str]) -> Broken | None:
        """Reports a misspelt kind in a form that otherwise looks like a location or storage."""
        if len(form.items) != 3 or not isinstance(form.items[1], Atom):
            return None
        first, kind = form.items[:2]
        owner = is_word(first, "game") or (isinstance(first, Form) and len(first.items) == 2)
        if not owner and not (isinstance(first, Atom) and first.text.startswith("'")):
            return None
        return self.unknown(
            cast(Atom, kind), "kind of location or storage", kinds, f"It is {one_of(kinds)}."
        )

    def check_attribute(self, node: Node, name: Expression) -> None:
        """Warns about an attribute that no card has."""
        if isinstance(name, Text) and self.attributes and name.value not in self.attributes:
            near = nearest(name.value, self.attributes)
            self.warn(
                node,
                "unknown-attribute",
                f"No card has an attribute {self.show(node)}.",
                f"Did you mean {near}?" if near else f"Known: {', '.join(self.attributes)}.",
            )


def _listed(node: Node) -> Listed:
    """The words of a form, nested as they are."""
    return node.text if isinstance(node, Atom) else tuple(map(_listed, node.items))


def first_word(node: Node) -> str:
    """The first word of a form; empty if the node is no form or begins with a form."""
    return node.head if isinstance(node, Form) else ""


def _capped(cards: int) -> int:
    """A number of cards; one more than the maximum is enough for the error about it."""
    return max(0, min(cards, MOST_CARDS + 1))


def creates(node: Node, noun: str) -> bool:
    """Whether a node is ``(create NOUN ...)``."""
    return (
        isinstance(node, Form)
        and node.head == "create"
        and len(node.items) > 1
        and is_word(node.items[1], noun)
    )


def fold(value: Expression) -> int:
    """The value of an expression for a number that is known before the game begins.

    Raises:
        ValueError: The value depends on the state of the game.
        OverflowError: The value does not fit into 32 bits.
        ZeroDivisionError: The expression divides by zero.
    """
    number = _fold(value)
    if abs(number) >= 2**31:
        raise OverflowError(number)
    return number


def _fold(value: Expression) -> int:
    if isinstance(value, Number):
        return value.value
    if isinstance(value, Triangular):
        number = fold(value.number)
        return number * (number + 1) // 2
    if isinstance(value, Entry) and isinstance(value.table, Numbers):
        index = fold(value.index)
        if not 0 <= index < len(value.table.values):
            raise ValueError(index)
        return value.table.values[index]
    if isinstance(value, Fibonacci):
        low, high = 0, 1
        for _ in range(_small(fold(value.number))):
            low, high = high, low + high
        return low
    if not isinstance(value, Arithmetic):
        raise ValueError("not known before the game begins")
    left, right = fold(value.left), fold(value.right)
    if value.operator == "+":
        return left + right
    if value.operator == "-":
        return left - right
    if value.operator == "*":
        return left * right
    if value.operator == "^":
        return int(left ** _small(right))
    quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
    return quotient if value.operator == "//" else left - quotient * right


def _small(number: int) -> int:
    """Returns an exponent or index that keeps the result small enough to compute.

    Raises:
        OverflowError: The number is negative or above 64.
    """
    if not 0 <= number <= 64:
        raise OverflowError(number)
    return number


def is_number(value: str) -> bool:
    """Whether a value of a card is a number."""
    return bool(NUMBER.fullmatch(value.removeprefix("-")))


NUMBER_MAP = "numbers of "
"""How the names begin of point maps in which cards score their numbers; no author can write it."""


def number_map(span: Span, attribute: str) -> Points:
    """The point map in which cards score their numbers."""
    return Points(span, Table(span), Text(span, f"{NUMBER_MAP}{attribute}"))


def numbered_by(points: Points) -> str | None:
    """The attribute whose numbers a point map gives; ``None`` for a point map of the text."""
    if not isinstance(points.name, Text) or not points.name.value.startswith(NUMBER_MAP):
        return None
    return points.name.value.removeprefix(NUMBER_MAP)


def digits(text: str) -> int | None:
    """The number that digits of the source denote; ``None`` if there are too many digits."""
    return int(text) if len(text) <= _MOST_DIGITS else None
