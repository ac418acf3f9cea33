"""What everybody may conclude about hidden cards from what the rules made happen.

An option is legal only if its conditions hold. If one of them is that no card of the hand has the
suit led, every observer of the option knows that the hand lacks this suit. When all cards that
pass a filter have been moved out of a location, none is left there. ``of`` finds these parts of a
program. The compiled code notes there, for each location, the cards that are absent, and sets of
cards with at least one card present.

A conclusion is drawn only where everybody can draw it: the conditions around it look at nothing
hidden, and no other clause could have led to what was seen. So it is public, and the same whatever
is hidden.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from kibitz.recycle import tree
from kibitz.recycle.dependence import forks_below
from kibitz.recycle.tree import Binding, Expression, Statement

MOST_CARDS = 63
"""The maximum number of cards of a game in which conclusions are drawn: bits of a number."""

PileName = tuple[tree.Sort, str, str]
"""The sort of the owner of a location, its kind and its name."""
Part = tuple[Expression, bool]
"""A condition on a card, and whether it has to hold or not to hold."""


@dataclass(frozen=True, eq=False)
class Rival:
    """Another clause that may lead to the same, if all its conditions hold."""

    conditions: tuple[Expression, ...]
    bindings: tuple[Binding, ...]
    """The variables in the conditions that stand for the card that was picked."""


@dataclass(frozen=True, eq=False)
class Conclusion:
    """That no card of a set lies in a location, or that at least one does."""

    source: Expression
    """The condition from which it follows."""
    pile: tree.Pile
    bindings: tuple[Binding, ...]
    """The variables that stand for the card in the parts."""
    parts: tuple[Part, ...]
    """The set: the cards for which all of these are so."""
    some: bool
    """Whether at least one card of the set lies in the location; otherwise none does."""
    unless: tuple[Expression, ...] = ()
    """Conditions that rule the conclusion out if one of them holds."""
    rivals: tuple[Rival, ...] = ()
    """Clauses that rule the conclusion out if one of them is possible."""
    picked: Binding | None = None
    """The variable for the picked card, for the rivals."""


@dataclass
class Conclusions:
    """The conclusions of a program, by the statement before or after which they are noted."""

    before: dict[Statement, tuple[Conclusion, ...]] = field(default_factory=dict)
    after: dict[Statement, tuple[Conclusion, ...]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.before or self.after)

    def all(self) -> Iterator[Conclusion]:
        """All conclusions."""
        for drawn in [*self.before.values(), *self.after.values()]:
            yield from drawn


def of(program: tree.Program) -> Conclusions:
    """The conclusions that a program allows; none if it has too many cards."""
    conclusions = Conclusions()
    if len(program.cards) <= MOST_CARDS:
        _in_items(program.items, conclusions)
    return conclusions


def _in_items(items: tuple[tree.Item, ...], conclusions: Conclusions) -> None:
    for item in items:
        match item:
            case tree.Block():
                _after_loops(item.body, frozenset(), conclusions)
            case tree.Choice():
                _of_choice(item, conclusions)
            case tree.Stage(simultaneous=False):
                _in_items(item.items, conclusions)


# --- the conditions of options --------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Chain:
    """A clause in which conditions and forks follow each other, and then something is done."""

    conditions: tuple[Expression, ...]
    forks: tuple[tree.Fork, ...]
    body: Statement
    moves: tuple[PileName, ...] | None
    """Where cards are moved to, in order; ``None`` if that depends."""
    published: frozenset[Binding]
    """The variables of forks whose picks everybody can see."""

    @property
    def picked(self) -> Binding | None:
        """The variable for the card that the clause moves to a visible place, if that is all."""
        match self.body:
            case tree.Move(card=tree.Variable(binding=binding), pile=tree.Pile(kind="vloc")):
                return binding
        return None


def _of_choice(choice: tree.Choice, conclusions: Conclusions) -> None:
    chains = [_chain(clause) for clause in choice.clauses]
    drawn = [_of_chain(chain) for chain in chains]
    for chain, own in zip(chains, drawn, strict=True):
        if own:
            conclusions.before[chain.body] = tuple(
                replace(
                    conclusion,
                    rivals=tuple(
                        _rival(chain, other)
                        for other, theirs in zip(chains, drawn, strict=True)
                        if other is not chain
                        and _may_look_alike(chain, other)
                        and not any(_implies(same, conclusion) for same in theirs)
                    ),
                    picked=chain.picked,
                )
                for conclusion in own
            )
    if len(chains) == 1 and not forks_below(chains[0].body):
        _after_loops(chains[0].body, chains[0].published, conclusions)


def _of_chain(chain: _Chain) -> tuple[Conclusion, ...]:
    """What follows from the conditions of a clause."""
    if forks_below(chain.body):
        return ()
    return tuple(
        conclusion
        for condition in chain.conditions
        for conclusion in _from(condition, True, chain.published)
    )


def _implies(conclusion: Conclusion, other: Conclusion) -> bool:
    """Whether two conclusions are the same, and the first is always drawn."""
    same = conclusion.some == other.some and not conclusion.unless
    return same and tree.equivalent(conclusion.source, other.source)


def _chain(clause: Statement) -> _Chain:
    conditions: list[Expression] = []
    forks: list[tree.Fork] = []
    node = clause
    while True:
        match node:
            case tree.When():
                conditions.append(node.condition)
                node = node.body
            case tree.Fork():
                forks.append(node)
                node = node.body
            case tree.Do(steps=(step,)):
                node = step
            case _:
                break
    steps = node.steps if isinstance(node, tree.Do) else (node,)
    moves: tuple[PileName, ...] | None = None
    if all(isinstance(step, tree.Action) for step in steps):
        targets = [pile_name(step.pile) for step in steps if isinstance(step, tree.Move)]
        if None not in targets:
            moves = tuple(target for target in targets if target is not None)
    seen = frozenset(fork.binding for fork in forks if any(_shows(s, fork.binding) for s in steps))
    return _Chain(tuple(conditions), tuple(forks), node, moves, seen)


def _shows(step: Statement, binding: Binding) -> bool:
    """Whether everybody can see from a step what a variable stands for."""
    match step:
        case tree.Move(card=tree.Variable(binding=moved), pile=tree.Pile(kind="vloc")):
            return moved is binding
        case tree.SetText(value=tree.Variable(binding=value)):
            return value is binding
        case tree.SetNumber(operator="set", value=tree.Number(), target=target):
            owner = target.owner
            return isinstance(owner, tree.Variable) and owner.binding is binding
        case tree.SetNumber(operator="set", value=tree.Variable(binding=value)):
            return value is binding
    return False


def _may_look_alike(chain: _Chain, other: _Chain) -> bool:
    """Whether options of two clauses may look alike: they move cards to the same locations."""
    return chain.moves is None or other.moves is None or chain.moves == other.moves


def _rival(chain: _Chain, other: _Chain) -> Rival:
    """The public conditions of another clause that may look like the options of a chain."""
    alike: tuple[Binding, ...] = ()
    conditions = list(other.conditions)
    picked = other.picked
    if chain.picked is not None and picked is not None:
        alike = (picked,)
        for fork in other.forks:
            if fork.binding is picked and isinstance(fork.collection, tree.Filter):
                alike += (fork.collection.binding,)
                conditions.append(fork.collection.body)
    public = tuple(part for c in conditions for part in _parts(c) if is_public(part, {*alike}))
    return Rival(public, alike)


def _parts(condition: Expression) -> Iterator[Expression]:
    """The conditions that all have to hold for a condition to hold."""
    if isinstance(condition, tree.Logic) and condition.operator == "and":
        for part in condition.parts:
            yield from _parts(part)
    else:
        yield condition


def _from(condition: Expression, holds: bool, public: frozenset[Binding]) -> Iterator[Conclusion]:
    """What follows if a condition holds, or if it does not."""
    match condition:
        case tree.Not():
            yield from _from(condition.condition, not holds, public)
        case tree.Logic(operator=operator, parts=parts) if (operator == "and") == holds:
            for part in parts:
                yield from _from(part, holds, public)
        case tree.Logic(operator="or", parts=parts) if holds:
            hidden = [part for part in parts if not is_public(part, public)]
            open_parts = tuple(part for part in parts if is_public(part, public))
            if len(hidden) == 1:
                for conclusion in _from(hidden[0], True, public):
                    yield replace(conclusion, unless=conclusion.unless + open_parts)
        case tree.Quantified(every=every, body=body):
            some = every != holds
            tested = _about(condition.collection, condition.binding, (body, not every), public)
            for cards in tested:
                yield Conclusion(condition, *cards, some)
        case tree.Compare(operator=operator, left=tree.Size() as size, right=tree.Number(value=0)):
            if operator in ("==", "!=", ">") and isinstance(size.collection, tree.Filter):
                some = (operator == "==") != holds
                for cards in _filtered(size.collection, public):
                    yield Conclusion(condition, *cards, some)


_Cards = tuple[tree.Pile, tuple[Binding, ...], tuple[Part, ...]]
"""Cards in a hidden location: the location, the variables for a card, and the conditions."""


def _filtered(cards: tree.Filter, public: frozenset[Binding]) -> Iterator[_Cards]:
    """The cards of a filter of a hidden location."""
    return _about(cards.collection, cards.binding, (cards.body, True), public)


def _about(
    cards: Expression, binding: Binding, part: Part, public: frozenset[Binding]
) -> Iterator[_Cards]:
    """The cards of a hidden location that a condition and maybe filters let pass.

    There is nothing if the location is not hidden, or not everybody can evaluate the conditions.
    """
    bindings: tuple[Binding, ...] = (binding,)
    parts: tuple[Part, ...] = (part,)
    while isinstance(cards, tree.Filter):
        bindings += (cards.binding,)
        parts += ((cards.body, True),)
        cards = cards.collection
    if isinstance(cards, tree.Pile) and _is_hidden(cards, public):
        if all(is_public(condition, public | {*bindings}) for condition, _ in parts):
            yield cards, bindings, parts


def _is_hidden(pile: tree.Pile, public: frozenset[Binding]) -> bool:
    """Whether a location hides cards, and everybody knows which location it is."""
    where = [node for node in (pile.owner, pile.index) if isinstance(node, Expression)]
    named = pile_name(pile) is not None and pile.kind in ("iloc", "oloc", "hloc")
    return named and all(is_public(node, public) for node in where)


def pile_name(pile: Expression) -> PileName | None:
    """The name of a location of the table or of players; ``None`` if it is computed."""
    if isinstance(pile, tree.Pile) and isinstance(pile.name, tree.Text):
        sort = tree.owner_sort(pile.owner)
        return None if sort == "team" else (sort, pile.kind, pile.name.value)
    return None


# --- loops that leave nothing behind ----------------------------------------------------------


def _after_loops(
    statement: Statement, public: frozenset[Binding], conclusions: Conclusions
) -> None:
    """Finds loops that move all cards of a kind out of a hidden location."""
    match statement:
        case tree.Do():
            for step in statement.steps:
                _after_loops(step, public, conclusions)
        case tree.When() if is_public(statement.condition, public):
            _after_loops(statement.body, public, conclusions)
        case tree.Let() if is_public(statement.value, public):
            _after_loops(statement.body, public | {statement.binding}, conclusions)
        case tree.ForEach() if is_public(statement.collection, public):
            _after_loops(statement.body, public | {statement.binding}, conclusions)
        case tree.ForEach(collection=tree.Filter() as filtered, body=tree.Move() as move):
            if isinstance(move.card, tree.Variable) and move.card.binding is statement.binding:
                target = pile_name(move.pile)
                for cards in _filtered(filtered, public):
                    if target is not None and target != pile_name(cards[0]):
                        conclusions.after[statement] = (Conclusion(filtered, *cards, some=False),)


# --- what everybody can see -------------------------------------------------------------------


def is_public(node: tree.Node, bindings: frozenset[Binding] | set[Binding]) -> bool:
    """Whether everybody can evaluate an expression with these variables.

    It contains no hidden card and no chance.
    """
    match node:
        case tree.Variable():
            return node.binding in bindings
        case tree.Size(collection=tree.Pile() as pile):
            return all(is_public(child, bindings) for child in tree.children(pile))
        case tree.Pile() if node.kind not in ("vloc", "mem"):
            return False
        case tree.Random() | tree.Best() | tree.OwnerOf() | tree.Indexed():
            return False
        case tree.Quantified() | tree.Filter() | tree.Total() | tree.Each():
            inside = {*bindings, node.binding}
            return is_public(node.collection, bindings) and is_public(node.body, inside)
    return all(is_public(child, bindings) for child in tree.children(node))
