"""RECYCLE, acted out as it is defined: the oracle that compiled games are compared with.

An ``Oracle`` walks over the tree of a game, with the plainest data there are: tuples of cards,
sets of players, dictionaries. Nothing here is fast, and nothing is shared with the engine but
the tree and the random numbers. Where the definition leaves an order open (of two things that
may both draw random numbers), it is the order of the source.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeAlias

from kibitz.core.randomness import GAME_STREAM, next_uint32, random_below, start_stream
from kibitz.recycle import tree
from kibitz.recycle.tree import Binding, Program, Type
from kibitz.syntax.source import Span

MASK = 0xFFFFFFFF
TRIAL_STREAM = 77
"""Of the stream for what is random while options are tried out; its seed is the tick."""
MOST_STEPS = 100_000
"""Automatic steps between two decisions."""

Owner: TypeAlias = "str | tuple[str, int]"
"""``"game"``, ``("player", 2)`` or ``("team", 0)``."""


class PileKey(NamedTuple):
    """What a location is known by."""

    owner: Owner
    kind: str
    name: str
    index: int


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
    """The same, with sets of cards in their order."""


class Seats(NamedTuple):
    """A cycle of players: whose turn it is, and who was told to be next."""

    current: int
    queued: int | None


@dataclass
class State:
    """Everything that an action can change. The values are immutable, so it is easily copied."""

    piles: dict[PileKey, tuple[int, ...]]
    """The cards that lie in each location, or are referred to by a memory, bottom first."""
    knowers: dict[int, frozenset[int]]
    """Who knows each card, where it lies."""
    numbers: dict[tuple[Owner, str], int]
    texts: dict[tuple[Owner, str], str]
    maps: dict[tuple[Owner, str], tuple[tuple[tuple[tuple[str, str], ...], int], ...]]
    """The awards of each point map: conditions, as (attribute, value), and points."""
    teams: tuple[tuple[int, ...], ...]
    player_cycles: tuple[Seats, ...]
    team_cycles: tuple[int, ...]
    variables: dict[Binding, Any]

    def copy(self) -> State:
        """A state that can change on its own."""
        return replace(
            self,
            piles=dict(self.piles),
            knowers=dict(self.knowers),
            numbers=dict(self.numbers),
            texts=dict(self.texts),
            maps=dict(self.maps),
            variables=dict(self.variables),
        )


@dataclass(frozen=True, eq=False)
class Bound:
    """What is left of a loop: its body, once, for one element."""

    binding: Binding
    value: Any
    body: tree.Statement


@dataclass(frozen=True, eq=False)
class Again:
    """What is left of a repetition."""

    times: int
    body: tree.Statement


Step: TypeAlias = "tree.Statement | Bound | Again"


class Over(Exception):
    """The game is over before its end."""

    def __init__(self, status: str, message: str, span: Span) -> None:
        super().__init__(message)
        self.status = status
        self.problem = (message, span)


class Mistake(Over):
    """The rules ask for what is impossible."""

    def __init__(self, message: str, node: tree.Node) -> None:
        super().__init__("error", message, node.span)


class NothingThere(Mistake):
    """A move from an empty place: on trial, this makes the option none."""


class Oracle:
    """One game of a program, from its start to its end.

    Attributes:
        player: who chooses.
        status: ``"playing"``, ``"finished"``, ``"dead end"``, ``"error"`` or ``"endless"``.
        problem: what went wrong and where, if something did.
        tick: how many options have been played.
        scores: of all players, when the game is finished.
    """

    def __init__(self, program: Program, seed: int) -> None:
        self.program = program
        self.status = "playing"
        self.problem: tuple[str, Span] | None = None
        self.player = 0
        self.tick = 0
        self.scores: list[int] = []
        self._clause_numbers = _clause_numbers(program)
        self._options: list[Option] = []
        self._random = [0, 0, 0, 0]
        start_stream(self._random, seed, GAME_STREAM)
        self._tie_key: int | None = None
        self._steps = 0
        self._on_trial = False
        self._known: dict[int, frozenset[int]] = {}
        """Who knew each card when the options were made."""
        self.state = State(
            {}, {}, {}, {}, {}, program.teams, (Seats(0, None),), (0,), {}
        )  # nothing is stored, nobody queued
        self._flow = self._game()
        self._go_on(None)

    # -- from outside ---------------------------------------------------------------------

    def options(self) -> list[Option]:
        """What the player can choose, in order; none when the game is over."""
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
                case tree.Stage():
                    yield from self._stage(item)

    def _stage(self, stage: tree.Stage) -> Generator[None, Option, None]:
        if stage.kind == "player":
            self.state.player_cycles += (Seats(self._current, None),)
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
        for player, option in zip(players, chosen, strict=True):
            self._set_current(player)
            self._carry_out(choice, option)
            yield from self._items(others)

    # -- choices --------------------------------------------------------------------------

    def _decide(self, choice: tree.Choice) -> Generator[None, Option, Option]:
        self.player = self._current
        options = self._try_out(choice)
        if not options:
            raise Over("dead end", f"Player {self.player + 1} has no option.", choice.span)
        self._options = options
        return (yield)

    def _try_out(self, choice: tree.Choice) -> list[Option]:
        """All options; those that cannot be told apart by what they pick are one."""
        before, stream = self.state, self._random
        self._known = before.knowers
        self._steps = 0
        self._on_trial = True
        found: list[Option] = []
        for number, clause in enumerate(choice.clauses, self._clause_numbers[choice]):
            self.state = before.copy()
            self._random = [0, 0, 0, 0]
            start_stream(self._random, self.tick, TRIAL_STREAM)
            self._tie_key = None
            self._try(number, [clause], (), False, found)
        self.state, self._random = before, stream
        self._on_trial = False
        return list(dict.fromkeys(found))

    def _try(
        self,
        clause: int,
        agenda: list[Step],
        picks: tuple[Any, ...],
        acted: bool,
        found: list[Option],
    ) -> None:
        """Does what is on the agenda, last entry first, and notes what options this gives.

        A fork undoes everything after each element, also what was drawn at random; only how
        ties are broken stays the same in all options of a clause.
        """
        while agenda:
            step = agenda.pop()
            if isinstance(step, tree.Fork):
                values = list(self._each(step.collection))
                before, stream = self.state, self._random
                for value in values:
                    self.state, self._random = before.copy(), list(stream)
                    self.state.variables[step.binding] = value
                    pick = self._token(value, step.binding.type)
                    self._try(clause, [*agenda, step.body], (*picks, pick), acted, found)
                return
            acted = acted or isinstance(step, tree.Action)
            try:
                agenda += reversed(self._step(step))
            except NothingThere:
                return
        if acted:
            values = tuple(frozenset(p) if isinstance(p, list) else p for p in picks)
            found.append(Option(clause, values, picks))

    def _carry_out(self, choice: tree.Choice, option: Option) -> None:
        """Does an option in earnest: each ``any`` has the element that was picked."""
        self._tie_key = None
        picks = iter(option.picks)
        agenda: list[Step] = [choice.clauses[option.clause - self._clause_numbers[choice]]]
        while agenda:
            step = agenda.pop()
            if isinstance(step, tree.Fork):
                value = self._resolve(next(picks, None), step)
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
            return tuple(self._resolve(part, node) for part in token)
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

    def _count_step(self, node: tree.Node) -> None:
        self._steps += 1
        if self._steps > MOST_STEPS:
            raise Over("endless", f"More than {MOST_STEPS} steps without a decision.", node.span)

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
                    state.piles[pile] = _without(self._lying(pile), place)
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
                state.numbers[key] = _within_32_bits(value, action)
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
        return conditions, _within_32_bits(self._value(award.value), award)

    def _move(self, move: tree.Move) -> None:
        card, followed = self._find(move.card)
        if card is None:
            if move.lenient and not self._on_trial:
                return
            raise NothingThere("There is no card to move.", move.card)
        source, target = self._where(card), self._value(move.pile)
        if followed != source:
            self._lose_sight(source, target)
        self.state.piles[source] = _without(self._lying(source), self._lying(source).index(card))
        self._put(card, target, move.where, move)
        self._learn(card, self._who_may_look(target))
        if isinstance(move.card, tree.CardAt) and isinstance(move.card.cards, tree.Variable):
            if move.card.cards.type is Type.CARDS:
                self._take_off_list(card, move.card.cards.binding)

    def _take_off_list(self, card: int, binding: Binding) -> None:
        cards = self.state.variables[binding]
        self.state.variables[binding] = _without(cards, cards.index(card))

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
        here, there = self._where(first), self._where(second)
        if first_followed != here:
            self._lose_sight(here, there)
        if second_followed != there:
            self._lose_sight(there, here)
        other = {first: second, second: first}
        for pile in {here, there}:
            self.state.piles[pile] = tuple(other.get(card, card) for card in self._lying(pile))
        self._learn(first, self._who_may_look(there))
        self._learn(second, self._who_may_look(here))

    def _shuffle(self, pile: PileKey, faro: bool) -> None:
        cards = list(self._lying(pile))
        if faro:
            half = (len(cards) + 1) // 2
            cards[::2], cards[1::2] = cards[:half], cards[half:]
        else:
            for i in range(len(cards) - 1, 0, -1):
                j = random_below(self._random, i + 1)
                cards[i], cards[j] = cards[j], cards[i]
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
        """On trial nobody learns anything: an option may not tell what it would show."""
        if not self._on_trial:
            self.state.knowers[card] |= players

    def _lose_sight(self, source: PileKey, target: PileKey) -> None:
        """Before a move of a card that was not taken by its place in the source: those who
        look into neither pile do not know which of the source's cards it is."""
        blind = frozenset(range(self.program.players))
        blind -= self._who_may_look(source) | self._who_may_look(target)
        for card in self._lying(source):
            self.state.knowers[card] -= blind

    # -- where things are -----------------------------------------------------------------

    def _lying(self, pile: PileKey) -> tuple[int, ...]:
        return self.state.piles.get(pile, ())

    def _where(self, card: int) -> PileKey:
        """The only pile in which a card lies; memories do not count."""
        (pile,) = [
            key for key, cards in self.state.piles.items() if card in cards and key.kind != "mem"
        ]
        return pile

    def _pile(self, pile: tree.Pile) -> PileKey:
        index = 0 if pile.index is None else self._value(pile.index)
        if index < 0:
            raise Mistake(
                f"Locations are counted from 0; there is none with number {index}.", pile
            )
        return PileKey(self._owner(pile.owner), pile.kind, self._value(pile.name), index)

    def _owner(self, owner: tree.Owner) -> Owner:
        if isinstance(owner, tree.Table):
            return "game"
        return ("team" if owner.type is Type.TEAM else "player", self._value(owner))

    # -- whose turn it is -----------------------------------------------------------------

    @property
    def _current(self) -> int:
        return self.state.player_cycles[-1].current

    @property
    def _next_player(self) -> int:
        queued = self.state.player_cycles[-1].queued
        return (self._current + 1) % self.program.players if queued is None else queued

    def _set_current(self, player: int) -> None:
        self._set_seats(self.state.player_cycles[-1]._replace(current=player))

    def _set_seats(self, seats: Seats) -> None:
        self.state.player_cycles = (*self.state.player_cycles[:-1], seats)

    # -- expressions ----------------------------------------------------------------------

    def _value(self, node: tree.Expression) -> Any:
        """A number, truth value, name, card, player, team or pile; of a collection, a tuple."""
        state = self.state
        match node:
            case tree.Variable():
                return state.variables[node.binding]
            case tree.Number() | tree.Truth() | tree.Text():
                return node.value
            case tree.Texts():
                return node.values
            case tree.Pile():
                return self._pile(node)
            case tree.Pick():
                return self._pick(node)
            case tree.Stored():
                return state.numbers.get((self._owner(node.owner), self._value(node.name)), 0)
            case tree.StoredText():
                return state.texts.get((self._owner(node.owner), self._value(node.name)), "")
        match node.type:
            case Type.INT:
                return self._number(node)
            case Type.BOOL:
                return self._condition(node)
            case Type.PLAYER | Type.TEAM:
                return self._seat(node)
            case Type.STR:
                assert isinstance(node, tree.Attribute)
                name, (card, _) = self._value(node.name), self._find(node.card)
                return "" if card is None else self._attribute(card, name)
            case Type.CARD:
                card, _ = self._find(node)
                if card is None:
                    raise Mistake("There is no such card.", node)
                return card
        return tuple(self._each(node))

    def _number(self, node: tree.Expression) -> int:
        match node:
            case tree.Size(collection=tree.Subsets() as subsets):
                return 2 ** len(self._subset_cards(subsets)) - (not subsets.empty)
            case tree.Size():
                return len(self._elements(node.collection))
            case tree.Total():
                return sum(self._with(node, value) for value in self._each(node.collection))
            case tree.Sum():
                cards = self._cards(node.cards)
                return sum(map(self._scorer(node.points), cards))
            case tree.Score():
                card = self._value(node.card)
                return self._scorer(node.points)(card)
            case tree.BestScore():
                scores = list(map(self._scorer(node.points), self._cards(node.cards)))
                if not scores:
                    raise Mistake("There are no cards to score.", node)
                return max(scores) if node.highest else min(scores)
            case tree.Arithmetic():
                return _calculate(node, self._value(node.left), self._value(node.right))
            case tree.Triangular():
                n = max(self._value(node.number), 0)
                return _within_32_bits(n * (n + 1) // 2, node)
            case tree.Fibonacci():
                a, b = 0, 1
                for _ in range(self._value(node.number)):
                    a, b = _within_32_bits(b, node), a + b
                return a
            case tree.Random():
                low, high = self._value(node.low), self._value(node.high)
                if low > high:
                    raise Mistake(f"There is no number from {low} to {high}.", node)
                return low + random_below(self._random, high - low + 1)
            case tree.SeatNumber():
                return self._value(node.player)
        raise TypeError(node)

    def _condition(self, node: tree.Expression) -> bool:
        match node:
            case tree.Logic(operator="and"):
                return all(self._value(part) for part in node.parts)
            case tree.Logic(operator="or"):
                return any(self._value(part) for part in node.parts)
            case tree.Not():
                return not self._value(node.condition)
            case tree.Compare():
                return _COMPARISONS[node.operator](self._value(node.left), self._value(node.right))
            case tree.Same() if node.left.type is Type.CARD:
                (left, _), (right, _) = self._find(node.left), self._find(node.right)
                return (left == right and left is not None) == node.equal
            case tree.Same():
                return (self._value(node.left) == self._value(node.right)) == node.equal
            case tree.Quantified():
                holds = (self._with(node, value) for value in self._each(node.collection))
                return all(holds) if node.every else any(holds)
        raise TypeError(node)

    def _seat(self, node: tree.Expression) -> int:
        """A player or a team."""
        players, teams = self.program.players, self.state.teams
        match node:
            case tree.CurrentPlayer(which="current"):
                return self._current
            case tree.CurrentPlayer(which="next"):
                return self._next_player
            case tree.CurrentPlayer(which="previous"):
                return (self._current - 1) % players
            case tree.CurrentTeam():
                distance = {"current": 0, "next": 1, "previous": -1}[node.which]
                return (self.state.team_cycles[-1] + distance) % len(teams)
            case tree.Seat() | tree.TeamNumber():
                number = self._value(node.number)
                if not 0 <= number < (players if node.type is Type.PLAYER else len(teams)):
                    raise Mistake(f"There is no {node.type.value} {number}.", node)
                return number
            case tree.OwnerOf():
                owner = self._where(self._value(node.card)).owner
                if owner[0] != "player":
                    raise Mistake("The card lies where no player owns it.", node)
                return owner[1]
            case tree.TeamOf():
                player = self._value(node.player)
                for team, members in enumerate(teams):
                    if player in members:
                        return team
                raise Mistake("The player is in no team.", node)
        raise TypeError(node)

    def _find(self, node: tree.Expression) -> tuple[int | None, PileKey | None]:
        """A card, or None if there is none where it should be; and the pile in whose order it
        was found, if it was."""
        match node:
            case tree.CardAt():
                pile = self._value(node.cards) if node.cards.type is Type.PILE else None
                cards = self._lying(pile) if pile else self._value(node.cards)
                place = self._place(node.which, len(cards))
                return (None if place is None else cards[place]), pile
            case tree.Best():
                cards, score = self._cards(node.cards), self._scorer(node.points)
                if not cards:
                    return None, None
                best = (max if node.highest else min)(map(score, cards))
                return self._one_of({card for card in cards if score(card) == best}), None
        return self._value(node), None

    def _one_of(self, tied: set[int]) -> int:
        """One of tied cards: the same of the same ones until a new key is drawn."""
        if len(tied) > 1 and self._tie_key is None:
            self._tie_key = next_uint32(self._random)
        return max(tied, key=lambda card: _mix(self._tie_key or 0, card))

    def _place(self, which: tree.Which, count: int) -> int | None:
        """The index of the element that is meant, if there is one."""
        ends = {"top": count - 1, "bottom": 0}
        place = ends[which] if isinstance(which, str) else self._value(which)
        return place if 0 <= place < count else None

    def _attribute(self, card: int, name: str) -> str:
        return self.program.cards[card].attributes.get(name, "")

    def _scorer(self, points: tree.Points) -> Callable[[int], int]:
        """What a card scores by a point map."""
        awards = self.state.maps.get((self._owner(points.owner), self._value(points.name)), ())
        return lambda card: sum(
            value
            for conditions, value in awards
            if all(self._attribute(card, name) == word for name, word in conditions)
        )

    # -- collections ----------------------------------------------------------------------

    def _cards(self, node: tree.Expression) -> tuple[int, ...]:
        """The cards of a pile or of a list of cards."""
        value = self._value(node)
        return self._lying(value) if node.type is Type.PILE else value

    def _with(self, node: Any, value: Any) -> Any:
        """The body of a node that binds a variable, for a value of it."""
        self.state.variables[node.binding] = value
        return self._value(node.body)

    def _each(self, collection: tree.Expression) -> Iterator[Any]:
        """The elements, one by one; long collections are counted as steps."""
        for element in self._elements(collection):
            if isinstance(collection, tree.Range | tree.Subsets):
                self._count_step(collection)
            yield element

    def _elements(self, node: tree.Expression) -> Any:
        """The elements of a collection: a sequence, but for subsets."""
        players, teams = self.program.players, self.state.teams
        match node:
            case tree.Range():
                return range(self._value(node.low), self._value(node.high) + 1)
            case tree.Players():
                return [p for p in range(players) if not (node.others and p == self._current)]
            case tree.Teams():
                current = self.state.team_cycles[-1] % len(teams)
                return [t for t in range(len(teams)) if not (node.others and t == current)]
            case tree.Members():
                return teams[self._value(node.team)]
            case tree.Filter():
                elements = [v for v in self._each(node.collection) if self._with(node, v)]
                return [v for v in elements if v] if node.type is Type.SETS else elements
            case tree.Each():
                bodies = []
                for value in self._each(node.collection):
                    self.state.variables[node.binding] = value
                    in_place = node.body.type is Type.PILE
                    bodies.append((self._value if in_place else self._cards)(node.body))
                return bodies
            case tree.Indexed():
                owner, name = self._owner(node.owner), self._value(node.name)
                held = [pile for pile, cards in self.state.piles.items() if cards]
                return sorted(k for k in held if k[:3] == (owner, node.kind, name))
            case tree.Combined():
                return self._combined(node)
            case tree.Sorted():
                return sorted(self._cards(node.cards), key=self._scorer(node.points))
            case tree.Several():
                count, cards = max(self._value(node.count), 0), self._cards(node.cards)
                return (cards[::-1] if node.which == "top" else cards)[:count]
            case tree.RunAt():
                return self._run_at(node)
            case tree.Tuples():
                return self._tuples(node)
            case tree.Partition():
                attribute = self._value(node.attribute)
                groups: dict[str, list[int]] = {}
                for card in itertools.chain.from_iterable(self._parts(node.parts)):
                    groups.setdefault(self._attribute(card, attribute), []).append(card)
                return [tuple(group) for group in groups.values()]
            case tree.Subsets():
                return self._subsets(node)
            case tree.Runs():
                return self._runs(node)
            case tree.Variable() | tree.Pile() | tree.Pick() | tree.Texts():
                return self._cards(node)
        raise TypeError(node)

    def _pick(self, node: tree.Pick) -> Any:
        sets = tuple(self._each(node.sets))
        place = self._place(node.which, len(sets))
        if place is None:
            raise Mistake("There is nothing to pick from.", node)
        return sets[place]

    def _parts(self, parts: Iterable[tree.Expression]) -> list[tuple[int, ...]]:
        """The lists of cards that parts consist of; a collection of piles or sets is many."""
        lists = []
        for part in parts:
            match part.type:
                case Type.PILES:
                    lists += [self._lying(pile) for pile in self._each(part)]
                case Type.SETS:
                    lists += list(self._each(part))
                case _:
                    lists.append(self._cards(part))
        return lists

    def _combined(self, node: tree.Combined) -> list[int]:
        lists = self._parts(node.parts)
        union = [card for cards in lists for card in cards]
        once = list(dict.fromkeys(union))
        match node.how:
            case "union":
                return union
            case "intersect":
                return [card for card in once if all(card in cards for cards in lists)]
            case "disjunction":
                return [card for card in once if union.count(card) == 1]

    def _run_at(self, node: tree.RunAt) -> list[int]:
        least, cards = self._value(node.least), self._cards(node.cards)
        score = self._scorer(node.points)
        for count in range(len(cards), max(least, 1) - 1, -1):
            run = sorted(cards[-count:] if node.which == "top" else cards[:count], key=score)
            if [score(card) for card in run] == [score(run[0]) + i for i in range(count)]:
                return run
        return []

    def _tuples(self, node: tree.Tuples) -> list[tuple[int, ...]]:
        size, cards = self._value(node.size), self._cards(node.cards)
        score = self._scorer(node.points)
        sets: list[tuple[int, ...]] = []
        if size > 0:
            for value in sorted(set(map(score, cards))):
                sets += itertools.combinations([c for c in cards if score(c) == value], size)
        return sets

    def _subset_cards(self, node: tree.Subsets) -> tuple[int, ...]:
        cards = self._cards(node.cards)
        if len(cards) > 20:
            raise Mistake(f"{len(cards)} cards have too many subsets; at most 20 can.", node)
        return cards

    def _subsets(self, node: tree.Subsets) -> Iterator[tuple[int, ...]]:
        cards = self._subset_cards(node)
        numbers = range(0 if node.empty else 1, 2 ** len(cards))
        return (tuple(c for i, c in enumerate(cards) if number >> i & 1) for number in numbers)

    def _runs(self, node: tree.Runs) -> list[tuple[int, ...]]:
        least, cards = self._value(node.least), self._cards(node.cards)
        score = self._scorer(node.points)
        scored: dict[int, list[int]] = {}
        for card in cards:
            scored.setdefault(score(card), []).append(card)
        sets: list[tuple[int, ...]] = []
        for first in sorted(scored):
            last = first
            while last in scored:
                on_its_own = first - 1 not in scored and last + 1 not in scored
                if last - first + 1 >= least and (on_its_own or not node.longest):
                    sets += itertools.product(*[scored[s] for s in range(first, last + 1)])
                last += 1
        return sets


_COMPARISONS = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
}


def _calculate(node: tree.Arithmetic, left: int, right: int) -> int:
    match node.operator:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return _within_32_bits(left * right, node)
        case "^":
            if right < 0:
                raise Mistake(f"{left} cannot be raised to {right}.", node)
            too_large = abs(left) > 1 and right > 31  # so it need not be worked out
            return _within_32_bits(2**31 if too_large else left**right, node)
        case "//" | "%":
            if right == 0:
                raise Mistake(f"{left} cannot be divided by zero.", node)
            quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
            return quotient if node.operator == "//" else left - quotient * right


def _within_32_bits(value: int, node: tree.Node) -> int:
    if not -(2**31) <= value < 2**31:
        raise Mistake(f"{value} is too large a number.", node)
    return value


def _mix(key: int, card: int) -> int:
    """A number that looks random, different for each card."""
    x = (key ^ (card * 0x9E3779B1)) & MASK
    x = (x ^ (x >> 16)) * 0x85EBCA6B & MASK
    x = (x ^ (x >> 13)) * 0xC2B2AE35 & MASK
    return x ^ (x >> 16)


def _without(cards: tuple[int, ...], place: int) -> tuple[int, ...]:
    return (*cards[:place], *cards[place + 1 :])


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
