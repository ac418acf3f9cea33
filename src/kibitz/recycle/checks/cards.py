"""Warnings about cards: attributes and values that no card has, best cards that may tie."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kibitz.core.wording import counted
from kibitz.recycle import tree
from kibitz.recycle.checks.keys import Key
from kibitz.recycle.checks.reachable import CardKind, Knowledge, Visit
from kibitz.recycle.checks.report import Report
from kibitz.recycle.tree import Award, Expression
from kibitz.recycle.words import nearest, one_of

_MOST_COMBINATIONS = 500
"""The maximum number of combinations of values for which ties are looked for."""
_MOST_SHOWN = 6
"""The maximum number of names that a hint lists."""


def check(knowledge: Knowledge, report: Report) -> None:
    """Warns about attributes and values that no card has, and about ties."""
    for visit in knowledge.of(tree.SetPoints):
        assert isinstance(visit.node, tree.SetPoints)
        for award in visit.node.awards:
            for attribute, value in award.conditions:
                _check_award(knowledge, report, visit.node, attribute, value)
    for visit in knowledge.of(tree.Same):
        _check_comparison(knowledge, report, visit)
    for visit in knowledge.of(tree.Best):
        _check_tie(knowledge, report, visit)


# --- attributes and values ----------------------------------------------------------------


def _check_award(
    knowledge: Knowledge,
    report: Report,
    action: tree.SetPoints,
    attribute: Expression,
    value: Expression,
) -> None:
    """Warns about an award for an attribute or a value that no card has."""
    if not isinstance(attribute, tree.Text) or not knowledge.attributes:
        return
    name = attribute.value
    if name not in knowledge.attributes:
        near = nearest(name, knowledge.attributes)
        report.warn(
            "unknown-attribute",
            attribute.span,
            f"No card has an attribute {name}: nothing ever scores by this.",
            f"Did you mean {near}?" if near else f"Known: {', '.join(knowledge.attributes)}.",
        )
    elif isinstance(value, tree.Text) and value.value not in knowledge.attributes[name]:
        named = {
            condition[1].value
            for award in action.awards
            for condition in award.conditions
            if isinstance(condition[0], tree.Text)
            and condition[0].value == name
            and isinstance(condition[1], tree.Text)
        }
        known = knowledge.attributes[name] - {""}
        unnamed = sorted(known - named)
        hint = _meant(value.value, unnamed or sorted(known))
        if len(unnamed) == 1:
            hint = f"Did you mean {unnamed[0]}? Nothing is said about it here."
        report.warn(
            "unknown-value",
            value.span,
            f"No card has the {name} {value.value}: nothing ever scores by this.",
            hint,
        )


def _check_comparison(knowledge: Knowledge, report: Report, visit: Visit) -> None:
    """Warns about a comparison of two names that can never be the same."""
    node = visit.node
    assert isinstance(node, tree.Same)
    if knowledge.truth(node) is not (not node.equal) or _is_never_set(knowledge, node):
        return
    left_names, right_names = knowledge.names(node.left), knowledge.names(node.right)
    if left_names is None or right_names is None:
        return
    outcome = "never holds" if node.equal else "always holds"
    for side, other in ((node.left, node.right), (node.right, node.left)):
        if isinstance(side, tree.Attribute) and isinstance(side.name, tree.Text):
            if side.name.value not in knowledge.attributes:
                return  # another check warns about the attribute
            if isinstance(other, tree.Text):
                report.warn(
                    "unknown-value",
                    other.span,
                    f"No card has the {side.name.value} {other.value}: this {outcome}.",
                    _meant(other.value, sorted(knowledge.attributes[side.name.value])),
                )
                return
        if isinstance(other, tree.Text) and isinstance(side, tree.StoredText):
            values = knowledge.names(side)
            assert values is not None
            report.warn(
                "never-equal",
                node.span,
                f"This is never {other.value}, but {_listed(values)}: the comparison {outcome}.",
                _meant(other.value, sorted(values - {""})),
            )
            return
    report.warn(
        "never-equal",
        node.span,
        f"The two have no value in common: the comparison {outcome}.",
        f"One is {_listed(left_names)}, the other {_listed(right_names)}.",
    )


def _is_never_set(knowledge: Knowledge, node: tree.Same) -> bool:
    """Whether a comparison is about a stored name that nothing sets; the check of names warns."""
    return any(
        isinstance(side, tree.StoredText)
        and not any(place in knowledge.texts for place in knowledge.places(side))
        for side in (node.left, node.right)
    )


def _meant(word: str, known: Sequence[str]) -> str:
    """A hint that shows the value that the author probably meant, or else all values."""
    near = nearest(word, known)
    if near is None:
        related = [
            name for name in known if name and (name.startswith(word) or word.startswith(name))
        ]
        near = related[0] if len(related) == 1 else None
    return f"Did you mean {near}?" if near else f"There is {_listed(known)}."


def _listed(names: Sequence[str] | frozenset[str]) -> str:
    shown = [name or "the empty name" for name in sorted(names)]
    if len(shown) > _MOST_SHOWN:
        shown = [*shown[: _MOST_SHOWN - 1], f"{len(shown) - _MOST_SHOWN + 1} others"]
    return one_of(shown)


# --- ties ---------------------------------------------------------------------------------


class _Tie(NamedTuple):
    """Kinds of cards that share the best score."""

    kinds: list[CardKind]
    score: int


def _check_tie(knowledge: Knowledge, report: Report, visit: Visit) -> None:
    """Warns about a best card that several cards can be, so that chance decides."""
    best = visit.node
    assert isinstance(best, tree.Best)
    if not knowledge.cards_of(best.cards) or _is_guarded(knowledge, visit):
        return
    places = set(knowledge.places(best.points))
    for site in knowledge.of(tree.SetPoints):
        action = site.node
        assert isinstance(action, tree.SetPoints)
        if places.isdisjoint(knowledge.places(action.target)):
            continue
        tie = _Scoring(knowledge, best, action.awards).tie()
        if tie is None or _is_harmless(knowledge, visit, tie):
            continue
        extreme = "highest" if best.highest else "lowest"
        report.warn(
            "tie",
            best.span,
            f"Several cards can share the {extreme} score here, and then chance decides:"
            f" {_example(tie)}.",
            "Give them different points, or say by ';; ok: tie' that it is meant.",
            notes=((action.target.span, "The points are set here."),),
        )
        return


def _is_guarded(knowledge: Knowledge, visit: Visit) -> bool:
    """Whether a condition around it depends on the same cards, so that it may exclude the tie."""
    best = visit.node
    assert isinstance(best, tree.Best)
    piles = {place for pile in knowledge.piles(best.cards) for place in knowledge.places(pile)}
    for around, child in visit.above():
        if not isinstance(around, tree.When) or child is around.condition:
            continue
        if knowledge.truth(around.condition):
            continue
        for node in knowledge.walk(around.condition):
            if isinstance(node, (tree.Attribute, tree.Score)):
                looked_at: Expression = node.card
            elif isinstance(node, (tree.BestScore, tree.Tuples, tree.Partition)):
                looked_at = node
            else:
                continue
            for pile in knowledge.piles(looked_at):
                if not piles.isdisjoint(knowledge.places(pile)):
                    return True
    return False


def _is_harmless(knowledge: Knowledge, visit: Visit, tie: _Tie) -> bool:
    """Whether the rules use only a property of the best card that all tied cards share."""
    around = visit.parent.node if visit.parent is not None else None
    best = visit.node
    assert isinstance(best, tree.Best)
    if isinstance(around, tree.Score):
        return knowledge.keys.key(around.points) == knowledge.keys.key(best.points)
    if isinstance(around, tree.Attribute) and isinstance(around.name, tree.Text):
        return len({kind.attributes.get(around.name.value) for kind in tie.kinds}) == 1
    return False


class _Slot(NamedTuple):
    """An expression for a name on which scores depend; its value depends on the state."""

    attribute: str
    """The attribute of cards with which the name is compared."""
    value: Expression
    """The expression."""


class _Scoring:
    """The scores of the cards among which ``tree.Best`` selects."""

    def __init__(self, knowledge: Knowledge, best: tree.Best, awards: Sequence[Award]) -> None:
        self.knowledge = knowledge
        self.best = best
        self.slots: dict[Key, _Slot] = {}
        self.filters = self._filters(best.cards)
        self.in_filters = set(self.slots)
        self.awards = self._awards(awards)

    def tie(self) -> _Tie | None:
        """Cards that can share the best score; ``None`` if no such cards are known."""
        if self.awards is None:
            return None
        cards = self.knowledge.cards_of(self.best.cards)
        kinds = [kind for number, kind in enumerate(self.knowledge.kinds) if cards >> number & 1]
        work = len(self.awards) * len(kinds) // 4
        for values in self._combinations():
            self.knowledge.budget.spend(work)
            among = [kind for kind in kinds if self._is_among(kind, values)]
            if tie := self._tie_among(among, values):
                return tie
        return None

    def _tie_among(self, kinds: Sequence[CardKind], values: dict[Key, str]) -> _Tie | None:
        """Cards of the given kinds that share the best score, for given values of the slots."""
        sharing: dict[int, list[CardKind]] = defaultdict(list)
        leading: list[int] = []
        for kind in kinds:
            score, leads = self._score(kind, values)
            sharing[score].append(kind)
            if leads:
                leading.append(score)
        least: float = -math.inf
        if set(self.slots) - self.in_filters and (self.best.highest or self._is_pair()):
            # a card of the suit that was led is among the cards, and lower scores do not win
            if not leading:
                return None
            least = min(leading)
        for score in sorted(sharing, reverse=self.best.highest):
            if score >= least and sum(kind.copies for kind in sharing[score]) > 1:
                return _Tie(sharing[score], score)
        return None

    def _is_pair(self) -> bool:
        """Whether the cards are those of each of two players."""
        cards = self.best.cards
        collections = cards.parts if isinstance(cards, tree.Combined) else (cards,)
        return self.knowledge.program.players == 2 and all(
            isinstance(each, tree.Each) and isinstance(each.collection, tree.Players)
            for each in collections
        )

    def _score(self, kind: CardKind, values: dict[Key, str]) -> tuple[int, bool]:
        """The score of a card, and whether it has points that depend on the state."""
        assert self.awards is not None
        score, leads = 0, False
        for conditions, points in self.awards:
            if all(
                kind.attributes.get(name, "") == (v if isinstance(v, str) else values[v])
                for name, v in conditions
            ):
                score += points
                leads |= points > 0 and any(not isinstance(v, str) for _, v in conditions)
        return score, leads

    def _awards(
        self, awards: Sequence[Award]
    ) -> list[tuple[list[tuple[str, str | Key]], int]] | None:
        """The conditions and points of each award; ``None`` if they are not known."""
        known: list[tuple[list[tuple[str, str | Key]], int]] = []
        for award in awards:
            points = self.knowledge.interval(award.value)
            if math.isinf(points.low) or points.low != points.high:
                return None
            conditions: list[tuple[str, str | Key]] = []
            for attribute, value in award.conditions:
                if not isinstance(attribute, tree.Text):
                    return None
                conditions.append((attribute.value, self._value(attribute.value, value)))
            known.append((conditions, int(points.low)))
        return known

    def _value(self, attribute: str, value: Expression) -> str | Key:
        """The only name that an expression can give, or the key of a slot for it."""
        names = self.knowledge.names(value)
        if names is not None and len(names) == 1:
            return next(iter(names))
        key = self.knowledge.keys.key(value)
        self.slots[key] = _Slot(attribute, value)
        return key

    def _filters(self, cards: Expression) -> list[tree.Filter]:
        """The filters that the cards pass; adds slots for the names that they compare."""
        filters: list[tree.Filter] = []
        while True:
            if isinstance(cards, tree.Variable):
                source = self.knowledge.sources.get(cards.binding)
                if not isinstance(source, tree.Let):
                    return filters
                cards = source.value
            elif isinstance(cards, tree.Filter):
                filters.append(cards)
                for node in self.knowledge.walk(cards.body):
                    if isinstance(node, tree.Same):
                        for side, other in ((node.left, node.right), (node.right, node.left)):
                            if _is_shown(side, cards.binding) and not _is_shown(
                                other, cards.binding
                            ):
                                assert isinstance(side, tree.Attribute)
                                if isinstance(side.name, tree.Text):
                                    self._value(side.name.value, other)
                cards = cards.collection
            else:
                return filters

    def _is_among(self, kind: CardKind, values: dict[Key, str]) -> bool:
        """Whether a card may pass all filters."""
        return all(
            self.knowledge.holds(passed.body, passed.binding, kind, values) is not False
            for passed in self.filters
        )

    def _combinations(self) -> Iterator[dict[Key, str]]:
        """The values that the slots can have at the same time."""
        knowledge = self.knowledge
        groups: dict[Key, list[tuple[Key, tree.Attribute, str]]] = defaultdict(list)
        choices: list[list[dict[Key, str]]] = []
        for key, slot in self.slots.items():
            value = slot.value
            if isinstance(value, tree.Attribute) and isinstance(value.name, tree.Text):
                card = knowledge.keys.key(value.card)
                groups[card].append((key, value, value.name.value))
            else:
                values = knowledge.attributes.get(slot.attribute, frozenset())
                names = knowledge.names(value)
                either = values if names is None else names & values
                choices.append([{key: name} for name in sorted(either)])
        for group in groups.values():  # attributes of the same card vary together
            cards = knowledge.cards_of(group[0][1].card)
            shown = {
                tuple(kind.attributes.get(name, "") for _, _, name in group)
                for number, kind in enumerate(knowledge.kinds)
                if cards >> number & 1
            }
            keys = [key for key, _, _ in group]
            choices.append([dict(zip(keys, names, strict=True)) for names in sorted(shown)])
        every = itertools.product(*choices)
        for combination in itertools.islice(every, _MOST_COMBINATIONS):
            yield {key: name for choice in combination for key, name in choice.items()}


def _is_shown(node: Expression, card: tree.Binding) -> bool:
    """Whether an expression is an attribute of the card that a variable stands for."""
    return (
        isinstance(node, tree.Attribute)
        and isinstance(node.card, tree.Variable)
        and node.card.binding is card
    )


def _example(tie: _Tie) -> str:
    """A sentence with two of the tied cards and their score."""
    first = tie.kinds[0]
    points = counted(tie.score, "point")
    if first.copies > 1:
        return f"{_show(first)} is there {first.copies} times ({points})"
    return f"{_show(first)} and {_show(tie.kinds[1])} ({points} each)"


def _show(kind: CardKind) -> str:
    """The attributes of a card in words."""
    return " ".join(kind.attributes.values()) or "a card without attributes"
