"""Values and states of the oracle of RECYCLE."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

from tests.recycle.oracle_chance import Chance

from kibitz.core.randomness import next_uint32, random_below
from kibitz.recycle import tree
from kibitz.recycle.tree import Binding, Program, Type
from kibitz.syntax.source import Span

MASK = 0xFFFFFFFF
MOST_STEPS = 100_000
"""Automatic steps between two decisions."""

Owner: TypeAlias = "str | tuple[str, int]"
"""``"game"``, ``("player", 2)`` or ``("team", 0)``."""


class PileKey(NamedTuple):
    """The key of a location."""

    owner: Owner
    kind: str
    name: str
    index: int


class Seats(NamedTuple):
    """A cycle of players: the current one, and the one queued as the next, if any."""

    current: int
    queued: int | None


@dataclass
class State:
    """Everything that an action can change. The values are immutable, so it is easily copied."""

    piles: dict[PileKey, tuple[int, ...]]
    """The cards that lie in each location, or are referred to by a memory, bottom first."""
    knowers: dict[int, frozenset[int]]
    """The players who know each card at its present place."""
    numbers: dict[tuple[Owner, str], int]
    texts: dict[tuple[Owner, str], str]
    maps: dict[tuple[Owner, str], tuple[tuple[tuple[tuple[str, str], ...], int], ...]]
    """The awards of each point map: conditions, as (attribute, value), and points."""
    teams: tuple[tuple[int, ...], ...]
    player_cycles: tuple[Seats, ...]
    team_cycles: tuple[int, ...]
    variables: dict[Binding, Any]
    out: frozenset[int] = frozenset()
    """The players who are eliminated."""

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


class Values:
    """Evaluates expressions, as their docstrings in the tree define them."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.state = State({}, {}, {}, {}, {}, program.teams, (Seats(0, None),), (0,), {})
        self._chance = Chance()
        self._tie_key: int | None = None
        """Random key by which ties are broken; None before the first tie."""
        self._steps = 0
        """Automatic steps since the last decision."""

    def _count_step(self, node: tree.Node) -> None:
        self._steps += 1
        if self._steps > MOST_STEPS:
            raise Over("endless", f"More than {MOST_STEPS} steps without a decision.", node.span)

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
        return self._beside(self._current, 1) if queued is None else queued

    def _beside(self, player: int, step: int) -> int:
        """The next player in a direction who is in; the player if there is no other."""
        others = [(player + step * i) % self.program.players for i in range(1, 16)]
        return next((p for p in others if p == player or p not in self.state.out), player)

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
            case tree.Number() | tree.Text():
                return node.value
            case tree.Texts() | tree.Numbers():
                return node.values
            case tree.Entry():
                index, entries = self._value(node.index), node.table.values
                if not 0 <= index < len(entries):
                    raise Mistake(f"There is no entry {index} of {len(entries)}.", node)
                return entries[index]
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
                return within_32_bits(n * (n + 1) // 2, node)
            case tree.Fibonacci():
                a, b = 0, 1
                for _ in range(self._value(node.number)):
                    a, b = within_32_bits(b, node), a + b
                return a
            case tree.Random():
                low, high = self._value(node.low), self._value(node.high)
                if low > high:
                    raise Mistake(f"There is no number from {low} to {high}.", node)
                return low + random_below(self._chance.rng, high - low + 1)
            case tree.SeatNumber():
                return self._value(node.player)
        raise TypeError(node)

    def _condition(self, node: tree.Expression) -> bool:
        match node:
            case tree.Logic(operator="and"):
                return all(self._value(operand) for operand in node.parts)
            case tree.Logic(operator="or"):
                return any(self._value(operand) for operand in node.parts)
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
                return self._beside(self._current, -1)
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
        """The card that an expression denotes, or None if the place is empty; and the pile that
        it was looked up in, if any."""
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
            self._tie_key = next_uint32(self._chance.rng)
        return max(tied, key=lambda card: _mix(self._tie_key or 0, card))

    def _place(self, position: tree.Which, count: int) -> int | None:
        """The index of the element that is meant, if there is one."""
        ends = {"top": count - 1, "bottom": 0}
        place = ends[position] if isinstance(position, str) else self._value(position)
        return place if 0 <= place < count else None

    def _attribute(self, card: int, name: str) -> str:
        return self.program.cards[card].attributes.get(name, "")

    def _scorer(self, points: tree.Points) -> Callable[[int], int]:
        """A function that gives the score of a card by a point map."""
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
                inside = [p for p in range(players) if p not in self.state.out]
                return [p for p in inside if not (node.others and p == self._current)]
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
            case tree.Variable() | tree.Pile() | tree.Pick() | tree.Texts() | tree.Numbers():
                return self._cards(node)
        raise TypeError(node)

    def _pick(self, node: tree.Pick) -> Any:
        sets = tuple(self._each(node.sets))
        place = self._place(node.which, len(sets))
        if place is None:
            raise Mistake("There is nothing to pick from.", node)
        return sets[place]

    def _parts(self, expressions: Iterable[tree.Expression]) -> list[tuple[int, ...]]:
        """The lists of cards that parts consist of; a collection of piles or sets is many."""
        lists = []
        for expression in expressions:
            match expression.type:
                case Type.PILES:
                    lists += [self._lying(pile) for pile in self._each(expression)]
                case Type.SETS:
                    lists += list(self._each(expression))
                case _:
                    lists.append(self._cards(expression))
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
            return within_32_bits(left * right, node)
        case "^":
            if right < 0:
                raise Mistake(f"{left} cannot be raised to {right}.", node)
            too_large = abs(left) > 1 and right > 31  # so it need not be worked out
            return within_32_bits(2**31 if too_large else left**right, node)
        case "//" | "%":
            if right == 0:
                raise Mistake(f"{left} cannot be divided by zero.", node)
            quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
            return quotient if node.operator == "//" else left - quotient * right


def within_32_bits(value: int, node: tree.Node) -> int:
    if not -(2**31) <= value < 2**31:
        raise Mistake(f"{value} is too large a number.", node)
    return value


def _mix(key: int, card: int) -> int:
    """A number that looks random, different for each card."""
    x = (key ^ (card * 0x9E3779B1)) & MASK
    x = (x ^ (x >> 16)) * 0x85EBCA6B & MASK
    x = (x ^ (x >> 13)) * 0xC2B2AE35 & MASK
    return x ^ (x >> 16)


def without(cards: tuple[int, ...], place: int) -> tuple[int, ...]:
    return (*cards[:place], *cards[place + 1 :])
