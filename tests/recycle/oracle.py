"""A simple interpreter of RECYCLE: the oracle with which compiled games are compared.

An ``Oracle`` walks over the tree of a game, with the plainest data there are: tuples of cards,
sets of players, dictionaries. Nothing here is fast, and nothing is shared with the engine but
the tree and the random numbers. Where the definition leaves an order open (of two things that
may both draw random numbers), it is the order of the source.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Generator, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeAlias

from tests.recycle.oracle_chance import Chance
from tests.recycle.oracle_values import (
    Mistake,
    Over,
    PileKey,
    Seats,
    State,
    Values,
    within_32_bits,
    without,
)

from kibitz.core.randomness import GAME_STREAM
from kibitz.recycle import tree
from kibitz.recycle.layout import Places
from kibitz.recycle.tree import Binding, Program, Type
from kibitz.syntax.source import Span

__all__ = ["Hidden", "Option", "Oracle", "Over", "PileKey", "State"]

TRIAL_STREAM = 77
"""Number of the random stream for trying options out; the tick is its seed."""


class Hidden(NamedTuple):
    """A card that the chooser does not know, by where it lies when it is picked."""

    word: str
    pile: PileKey
    position: int


@dataclass(frozen=True)
class Option:
    """One thing that a player can choose to do."""

    clause: int
    """Its number among those of all choices of the program, in the order of the source."""
    values: tuple[Any, ...]
    """What each ``any`` picked: a card, ``("hidden", pile, position)`` if the chooser does not
    know it, a frozenset of such, a number (also of a player or team), a name, or a pile."""
    picks: tuple[Any, ...] = field(default=(), compare=False)
    """What each ``any`` picked, with sets of cards as lists in their order."""


@dataclass(frozen=True, eq=False)
class Bound:
    """The body of a loop, to be executed for one element."""

    binding: Binding
    value: Any
    body: tree.Statement


@dataclass(frozen=True, eq=False)
class Again:
    """A body that remains to be repeated."""

    times: int
    body: tree.Statement


Step: TypeAlias = "tree.Statement | Bound | Again"


def pile_keys(places: Places) -> list[PileKey]:
    """The oracle's key of each place, in the order of places."""
    key_of: dict[int, PileKey] = {}
    for (sort, kind, name), count in places.indices.items():
        first = places.place(sort, kind, name)
        for index in range(count):
            if sort == "player":
                for player in range(places.players):
                    key = PileKey(("player", player), kind, name, index)
                    key_of[first + index * places.players + player] = key
            else:
                key_of[first + index] = PileKey("game", kind, name, index)
    return [key_of[place] for place in range(places.place_count)]


class NothingThere(Mistake):
    """A move from an empty place: on trial, this makes the option none."""


class Announced(Exception):
    """The rules have announced a result."""


EMPTY = ("nothing to pick from",)
"""The pick at an ``any`` over nothing, whose body is left out."""


class Oracle(Values):
    """One game of a program, from its start to its end.

    Attributes:
        player: the player who chooses, counted from 0.
        status: ``"playing"``, ``"finished"``, ``"dead end"``, ``"error"`` or ``"endless"``.
        problem: what went wrong and where, if something did.
        tick: how many options have been played.
        scores: of all players, when the game is finished.
        winners: the players whom the rules have announced as winners; ``None`` if scores decide.
    """

    def __init__(self, program: Program, seed: int) -> None:
        super().__init__(program)
        self.status = "playing"
        self.problem: tuple[str, Span] | None = None
        self.player = 0
        self.tick = 0
        self.scores: list[int] = []
        self.winners: frozenset[int] | None = None
        self._clause_numbers = _clause_numbers(program)
        self._options: list[Option] = []
        self._on_trial = False
        self._known: dict[int, frozenset[int]] = {}
        """The players who knew each card when the options were made."""
        self._numbers = {key: n for n, key in enumerate(pile_keys(Places(program)))}
        self._chance = Chance.started(seed, GAME_STREAM)
        self._flow = self._game()
        self._go_on(None)

    # -- from outside ---------------------------------------------------------------------

    def options(self) -> list[Option]:
        """The options of the player, in order; empty when the game is over."""
        return list(self._options)

    def play(self, choice: int | Option) -> None:
        """Plays an option, or the one of a number, up to the next decision."""
        assert self.status == "playing"
        option = self._options[choice] if isinstance(choice, int) else choice
        assert option in self._options
        option = self._options[self._options.index(option)]
        self.tick += 1
        self._go_on(option)

    @property
    def piles(self) -> dict[PileKey, list[int]]:
        """The cards of all locations that hold any, bottom first."""
        return {key: list(cards) for key, cards in self.state.piles.items() if cards}

    def knowers(self, card: int) -> frozenset[int]:
        """The players who know a card."""
        return self.state.knowers[card]

    def _go_on(self, option: Option | None) -> None:
        self._options = []
        self._steps = 0
        try:
            self._flow.send(option)
        except StopIteration:
            self.status = "finished"
        except Announced:
            self.status = "finished"
            self._score()
        except Over as over:
            self.status = over.status
            self.problem = over.problem

    # -- the flow of the game -------------------------------------------------------------

    def _game(self) -> Generator[None, Option, None]:
        for number, card in enumerate(self.program.cards):
            pile = self._pile(self.program.decks[card.place])
            self.state.knowers[number] = self._who_may_look(pile)
            self.state.piles[pile] = (*self._lying(pile), number)
        yield from self._items(self.program.items)
        self._score()

    def _score(self) -> None:
        for player in range(self.program.players):
            self._tie_key = None
            self.state.player_cycles = (Seats(player, None),)
            self.scores.append(self._value(self.program.score))

    def _items(self, items: Iterable[tree.Item]) -> Generator[None, Option, None]:
        for item in items:
            match item:
                case tree.Block():
                    self._tie_key = None
                    self._do(item.body)
                case tree.Choice():
                    option = yield from self._decide(item)
                    self._carry_out(item, option)
                case tree.Stage(responders=None):
                    yield from self._stage(item)
                case tree.Stage():
                    yield from self._respond(item)

    def _respond(self, stage: tree.Stage) -> Generator[None, Option, None]:
        choice, *others = stage.items
        assert isinstance(choice, tree.Choice)
        assert stage.responders is not None
        began, last = self._current, self._clause_numbers[choice] + len(choice.clauses) - 1
        around = self.state.player_cycles
        for i in range(1, self.program.players + 1):
            self._count_step(stage)
            self.state.player_cycles = around
            self._tie_key = None
            asked = self._players(stage.responders)
            who = (began + i) % self.program.players
            self.state.player_cycles = (*around, Seats(who, None))
            steps = self._steps
            can = who in asked and len(self._try_out(choice)) != 1
            self._steps = steps
            if can:
                option = yield from self._decide(choice)
                self._carry_out(choice, option)
                if option.clause != last:
                    yield from self._items(others)
                    break
        self.state.player_cycles = self.state.player_cycles[:-1]

    def _players(self, players: tree.Expression) -> list[int]:
        """One player, or those of a collection."""
        if players.type is Type.PLAYER:
            return [self._value(players)]
        return list(self._each(players))

    def _stage(self, stage: tree.Stage) -> Generator[None, Option, None]:
        if stage.kind == "player":
            current = self._current
            if current in self.state.out:
                current = self._beside(current, 1)
            self.state.player_cycles += (Seats(current, None),)
        else:
            self.state.team_cycles += (self.state.team_cycles[-1],)
        for turn in itertools.count():
            self._count_step(stage)
            self._tie_key = None
            if self._value(stage.end):
                break
            if turn > 0:
                self._advance(stage.kind)
            if stage.simultaneous:
                yield from self._all_at_once(stage)
            else:
                yield from self._items(stage.items)
        if stage.kind == "player":
            self.state.player_cycles = self.state.player_cycles[:-1]
        else:
            self.state.team_cycles = self.state.team_cycles[:-1]

    def _advance(self, kind: str) -> None:
        state = self.state
        if kind == "team":
            next_team = (state.team_cycles[-1] + 1) % len(state.teams)
            state.team_cycles = (*state.team_cycles[:-1], next_team)
        else:
            self._set_seats(Seats(self._next_player, None))

    def _all_at_once(self, stage: tree.Stage) -> Generator[None, Option, None]:
        choice, *others = stage.items
        assert isinstance(choice, tree.Choice)
        players = [(self._current + i) % self.program.players for i in range(self.program.players)]
        chosen = []
        for player in players:
            self._set_current(player)
            chosen.append((yield from self._decide(choice)))
        chosen = [self._settled(choice, option) for option in chosen]
        for player, option in zip(players, chosen, strict=True):
            self._set_current(player)
            self._carry_out(choice, option)
            yield from self._items(others)

    def _settled(self, choice: tree.Choice, option: Option) -> Option:
        """A card picked by where it lies is the one there now, whatever others do to the place.

        What is picked after a first action of the option depends on what that does.
        """
        picks, at = list(option.picks), 0
        before, self.state = self.state, self.state.copy()
        agenda: list[Step] = [choice.clauses[option.clause - self._clause_numbers[choice]]]
        while agenda:
            step = agenda.pop()
            if isinstance(step, tree.Action):
                break
            if isinstance(step, tree.Fork):
                picks[at] = self._resolve(picks[at], step)
                if picks[at] is not EMPTY:
                    agenda.append(Bound(step.binding, picks[at], step.body))
                at += 1
            else:
                agenda += reversed(self._step(step))
        self.state = before
        return replace(option, picks=tuple(picks))

    # -- choices --------------------------------------------------------------------------

    def _decide(self, choice: tree.Choice) -> Generator[None, Option, Option]:
        self.player = self._current
        options = self._try_out(choice)
        if not options:
            raise Over("dead end", f"Player {self.player + 1} has no option.", choice.span)
        self._options = options
        return (yield)

    def _try_out(self, choice: tree.Choice) -> list[Option]:
        """All options; of several with the same clause and values, only the first."""
        before, chance = self.state, self._chance
        self._known = before.knowers
        self._steps = 0
        self._on_trial = True
        options: list[Option] = []
        for number, clause in enumerate(choice.clauses, self._clause_numbers[choice]):
            self.state = before.copy()
            self._chance = Chance.started(self.tick, TRIAL_STREAM)
            self._tie_key = None
            self._try(number, [clause], (), False, options)
        self.state, self._chance = before, chance
        self._on_trial = False
        return list(dict.fromkeys(options))

    def _try(
        self,
        clause: int,
        agenda: list[Step],
        picks: tuple[Any, ...],
        acted: bool,
        options: list[Option],
    ) -> None:
        """Does what is on the agenda, last entry first, and notes what options this gives.

        A fork undoes everything after each element, also what was drawn at random; only how
        ties are broken stays the same in all options of a clause.
        """
        while agenda:
            step = agenda.pop()
            if isinstance(step, tree.Fork):
                values = list(self._each(step.collection))
                if not values:
                    picks = (*picks, EMPTY)
                    continue
                before, chance = self.state, self._chance
                for value in values:
                    self.state, self._chance = before.copy(), chance.copy()
                    self.state.variables[step.binding] = value
                    pick = self._token(value, step.binding.type)
                    self._try(clause, [*agenda, step.body], (*picks, pick), acted, options)
                return
            acted = acted or isinstance(step, tree.Action)
            try:
                agenda += reversed(self._step(step))
            except NothingThere:
                return
        if acted:
            values = tuple(frozenset(p) if isinstance(p, list) else p for p in picks)
            options.append(Option(clause, values, picks))

    def _carry_out(self, choice: tree.Choice, option: Option) -> None:
        """Does an option in earnest: each ``any`` has the element that was picked."""
        self._tie_key = None
        picks = iter(option.picks)
        agenda: list[Step] = [choice.clauses[option.clause - self._clause_numbers[choice]]]
        while agenda:
            step = agenda.pop()
            if isinstance(step, tree.Fork):
                value = self._resolve(next(picks, None), step)
                if value is not EMPTY:
                    agenda.append(Bound(step.binding, value, step.body))
            else:
                agenda += reversed(self._step(step))

    def _token(self, value: Any, type: Type) -> Any:
        """What a player calls a value: which card it is they can only say if they knew it before
        the option began."""
        if type is Type.CARDS:
            return [self._token(card, Type.CARD) for card in value]
        if type is not Type.CARD or self.player in self._known[value]:
            return value
        pile = self._where(value)
        return Hidden("hidden", pile, self._lying(pile).index(value))

    def _resolve(self, token: Any, node: tree.Node) -> Any:
        if isinstance(token, list):
            return tuple(self._resolve(element, node) for element in token)
        if token is None:  # on trial the option did not come here
            raise Mistake("Nothing was picked for this.", node)
        if not isinstance(token, Hidden):
            return token
        cards = self._lying(token.pile)
        if token.position >= len(cards):
            raise Mistake("The card that was picked is not there any more.", node)
        return cards[token.position]

    # -- statements -----------------------------------------------------------------------

    def _do(self, statement: tree.Statement) -> None:
        agenda: list[Step] = [statement]
        while agenda:
            agenda += reversed(self._step(agenda.pop()))

    def _step(self, step: Step) -> list[Step]:
        """Does an action, or takes one step into a statement; returns what is to be done next."""
        variables = self.state.variables
        match step:
            case tree.Do():
                return list(step.steps)
            case tree.When():
                return [step.body] if self._value(step.condition) else []
            case tree.Cases():
                value = self._value(step.key)
                return [case.body for case in step.cases if case.value == value]
            case tree.ForEach() | tree.Fork():
                values = self._each(step.collection)
                return [Bound(step.binding, value, step.body) for value in values]
            case Bound():
                variables[step.binding] = step.value
                return [step.body]
            case tree.Let():
                of_cards = step.binding.type is Type.CARDS  # then a snapshot of a pile, too
                variables[step.binding] = (self._cards if of_cards else self._value)(step.value)
                return [step.body]
            case tree.Repeat():
                return [Again(self._value(step.times), step.body)]
            case Again():
                if step.times <= 0:
                    return []
                self._count_step(step.body)
                return [step.body, Again(step.times - 1, step.body)]
        self._act(step)
        return []

    # -- actions --------------------------------------------------------------------------

    def _act(self, action: tree.Action) -> None:
        state = self.state
        match action:
            case tree.Move():
                self._move(action)
            case tree.Swap() if action.first.type is Type.CARD:
                self._swap_cards(action)
            case tree.Swap():
                first, second = self._value(action.first), self._value(action.second)
                cards = self._lying(first), self._lying(second)
                state.piles[second], state.piles[first] = cards
                for pile in (first, second):
                    for card in self._lying(pile):
                        self._learn(card, self._who_may_look(pile))
            case tree.Remember():
                card, pile = self._value(action.card), self._value(action.memory)
                self._put(card, pile, action.where, action)
                self._learn(card, frozenset(range(self.program.players)))
            case tree.Forget():
                pile = self._value(action.memory)
                place = self._place(action.which, len(self._lying(pile)))
                if place is not None:
                    state.piles[pile] = without(self._lying(pile), place)
                elif self._lying(pile):
                    raise Mistake("There is no reference of that number.", action)
            case tree.Shuffle():
                self._shuffle(self._value(action.pile), action.faro)
            case tree.Pass():
                pass
            case tree.SetNumber():
                key = self._owner(action.target.owner), self._value(action.target.name)
                change = {"set": lambda old, new: new, "inc": operator.add, "dec": operator.sub}
                value = self._value(action.value)
                value = change[action.operator](state.numbers.get(key, 0), value)
                state.numbers[key] = within_32_bits(value, action)
            case tree.SetText():
                key = self._owner(action.target.owner), self._value(action.target.name)
                state.texts[key] = self._value(action.value)
            case tree.SetPoints():
                key = self._owner(action.target.owner), self._value(action.target.name)
                state.maps[key] = tuple(self._award(award) for award in action.awards)
            case tree.Cycle(which="next"):
                self._set_seats(Seats(self._current, self._value(action.player)))
            case tree.Cycle(which="current"):
                self._set_current(self._value(action.player))
            case tree.Eliminate():
                state.out |= frozenset(self._players(action.players))
            case tree.Announce():
                if not self._on_trial:
                    everybody = frozenset(range(self.program.players))
                    named = everybody
                    if action.players is not None:
                        named = frozenset(self._players(action.players))
                    self.winners = named if action.won else everybody - named
                    raise Announced
            case tree.MakeTeams():
                state.teams = action.teams
            case tree.Reveal():
                card = self._value(action.card)
                players = range(self.program.players)
                if action.players is not None:
                    shown = self._value(action.players)
                    players = [shown] if action.players.type is Type.PLAYER else shown
                self._learn(card, frozenset(players))
            case _:
                raise TypeError(action)

    def _award(self, award: tree.Award) -> tuple[tuple[tuple[str, str], ...], int]:
        conditions = tuple(
            (self._value(name), self._value(word)) for name, word in award.conditions
        )
        return conditions, within_32_bits(self._value(award.value), award)

    def _move(self, move: tree.Move) -> None:
        card, followed = self._find(move.card)
        if card is None:
            if move.lenient and not self._on_trial:
                return
            raise NothingThere("There is no card to move.", move.card)
        source, target = self._where(card), self._value(move.pile)
        if followed != source:
            self._lose_sight(source, target)
        self.state.piles[source] = without(self._lying(source), self._lying(source).index(card))
        self._put(card, target, move.where, move)
        self._learn(card, self._who_may_look(target))
        if isinstance(move.card, tree.CardAt) and isinstance(move.card.cards, tree.Variable):
            if move.card.cards.type is Type.CARDS:
                self._take_off_list(card, move.card.which, move.card.cards.binding)

    def _take_off_list(self, card: int, position: tree.Which, binding: Binding) -> None:
        cards = self.state.variables[binding]
        place = len(cards) - 1 if position == "top" else cards.index(card)
        self.state.variables[binding] = without(cards, place)

    def _put(self, card: int, pile: PileKey, where: tree.Which, node: tree.Node) -> None:
        cards = self._lying(pile)
        place = len(cards) if where == "top" else 0
        if isinstance(where, tree.Expression):
            place = self._value(where)
            if not 0 <= place <= len(cards):
                raise Mistake(f"A card cannot become number {place} of {len(cards)}.", node)
        self.state.piles[pile] = (*cards[:place], card, *cards[place:])

    def _swap_cards(self, swap: tree.Swap) -> None:
        first, first_followed = self._find(swap.first)
        second, second_followed = self._find(swap.second)
        if first is None or second is None:
            raise NothingThere("There is no card to swap.", swap)
        first_pile, second_pile = self._where(first), self._where(second)
        if first_followed != first_pile:
            self._lose_sight(first_pile, second_pile)
        if second_followed != second_pile:
            self._lose_sight(second_pile, first_pile)
        other = {first: second, second: first}
        for pile in {first_pile, second_pile}:
            self.state.piles[pile] = tuple(other.get(card, card) for card in self._lying(pile))
        self._learn(first, self._who_may_look(second_pile))
        self._learn(second, self._who_may_look(first_pile))

    def _shuffle(self, pile: PileKey, faro: bool) -> None:
        cards = list(self._lying(pile))
        if faro:
            half = (len(cards) + 1) // 2
            cards[::2], cards[1::2] = cards[:half], cards[half:]
        else:
            deal = self.state.numbers.get(("game", self.program.deals), 0)
            cards = self._chance.shuffled(cards, self._numbers[pile], deal)
            for card in cards:
                self.state.knowers[card] &= self._who_may_look(pile)
        self.state.piles[pile] = tuple(cards)

    # -- who knows what -------------------------------------------------------------------

    def _who_may_look(self, pile: PileKey) -> frozenset[int]:
        everybody = frozenset(range(self.program.players))
        owners: frozenset[int] = frozenset()
        if pile.owner != "game":
            sort, number = pile.owner
            owners = frozenset([number] if sort == "player" else self.state.teams[number])
        match pile.kind:
            case "vloc" | "mem":
                return everybody
            case "iloc":
                return owners
            case "oloc":
                return everybody - owners
        return frozenset()

    def _learn(self, card: int, players: frozenset[int]) -> None:
        self.state.knowers[card] |= players

    def _lose_sight(self, source: PileKey, target: PileKey) -> None:
        """Before a move of a card that was not taken by its place in the source: those who
        look into neither pile do not know which of the source's cards it is."""
        blind = frozenset(range(self.program.players))
        blind -= self._who_may_look(source) | self._who_may_look(target)
        for card in self._lying(source):
            self.state.knowers[card] -= blind


def _clause_numbers(program: Program) -> dict[tree.Choice, int]:
    """The number of each choice's first clause."""
    numbers: dict[tree.Choice, int] = {}
    items: list[tree.Item] = list(program.items)
    count = 0
    while items:
        item = items.pop(0)
        if isinstance(item, tree.Choice):
            numbers[item] = count
            count += len(item.clauses)
        elif isinstance(item, tree.Stage):
            items = [*item.items, *items]
    return numbers
