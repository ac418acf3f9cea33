"""Options in words, for lists of choices and for records of games."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from kibitz.recycle import tree
from kibitz.recycle.layout import Places
from kibitz.recycle.options import UNSEEN, Hidden, Path, Pick, PickPoint, Picks
from kibitz.recycle.tree import Binding, Type

UNKNOWN = "a card"
"""The words for a card whose name is unknown."""

Moved: TypeAlias = Mapping[tree.Action, Sequence[str]]
"""The names of the cards that each action of an option moved or showed, in order."""


class Words(dict[Binding, str]):
    """The words for each variable, and the attributes of known cards.

    Attributes:
        attributes: The attributes of the card that each variable stands for, if it is known.
        moved: The cards that the option has moved; ``None`` if it was not executed.
        shown: The variables whose words have been used in the current action.
    """

    def __init__(self, moved: Moved | None = None) -> None:
        self.attributes: dict[Binding, Mapping[str, str]] = {}
        self.moved = moved
        self.shown: set[Binding] = set()

    def show(self, binding: Binding) -> str:
        """The words for a variable; adds the variable to ``shown``."""
        self.shown.add(binding)
        return self.get(binding, binding.name)


def option(
    places: Places,
    path: Path,
    clause: tree.Statement,
    picks: Picks,
    moved: Moved | None = None,
) -> str:
    """An option as a sentence: its actions, then picks that no action mentions.

    With `moved`, the option has been executed: the moved cards are named, and moves that moved
    nothing are left out.
    """
    values = zip(picked(places, path, picks), attributes_of(places, path, picks), strict=True)
    return _sentence(path, clause, list(values), moved)


def template(
    path: Path, clause: tree.Statement, attributes: Sequence[Mapping[str, str]] = ()
) -> str:
    """The sentence for the options of a path, with placeholders, such as ``{card} to TRICK``.

    Args:
        path: The path of the options.
        clause: The clause of the path.
        attributes: The attributes of the card that is picked at each fork, if it is known.
    """
    places = [f"{{{fork.binding.name.lower()}}}" for fork in path.forks]
    known = attributes or [{}] * len(places)
    return _sentence(path, clause, list(zip(places, known, strict=True)))


def attributes_of(places: Places, path: Path, picks: Picks) -> list[Mapping[str, str]]:
    """For each fork the attributes of the picked card; none if it is unknown, or no card."""
    return [
        places.program.cards[pick].attributes
        if fork.binding.type is Type.CARD and isinstance(pick, int)
        else {}
        for fork, pick in zip(path.forks, picks, strict=True)
    ]


def picked(places: Places, path: Path, picks: Picks) -> list[str]:
    """The words for the pick at each fork."""
    return [
        pick_words(places, fork.binding.type, pick)
        for fork, pick in zip(path.forks, picks, strict=True)
    ]


def _sentence(
    path: Path,
    clause: tree.Statement,
    picks: Sequence[tuple[str, Mapping[str, str]]],
    moved: Moved | None = None,
) -> str:
    """The sentence for a path, from the words and the card's attributes of each pick."""
    over, wholly = _of_sets(clause)
    words = Words(moved)
    pending: dict[Binding, str] = {}  # picks that no action has mentioned so far
    texts: list[str] = []
    waiting = iter(picks)
    for step in path.steps:
        if isinstance(step, PickPoint):
            if step.binding in pending:  # a repetition
                texts.append(pending.pop(step.binding))
            words[step.binding], words.attributes[step.binding] = next(waiting)
            pending[step.binding] = words[step.binding]
            words |= {v: words[step.binding] for v, s in over.items() if s is step.binding}
            continue
        mentioned = {over.get(binding, binding) for binding in _mentions(step)} & pending.keys()
        if isinstance(step, tree.Move | tree.Swap | tree.Reveal) or mentioned:
            if isinstance(step, tree.Move) and step in wholly:
                cards = _named(step, _cards(wholly[step], words), words)
                texts.append(f"{cards} to {_pile(step.pile, words)}")
            elif not isinstance(step, tree.Move) or moved is None or step in moved:
                texts.append(_action(step, words))
            else:
                words.shown |= mentioned
            for binding in mentioned & {over.get(v, v) for v in words.shown}:
                del pending[binding]
            words.shown.clear()
    texts += pending.values()
    if not texts:
        texts = _effects([step for step in path.steps if not isinstance(step, PickPoint)], words)
    return ", ".join(dict.fromkeys(text for text in texts if text)) or "pass"


@functools.lru_cache(maxsize=1024)
def _of_sets(
    clause: tree.Statement,
) -> tuple[dict[Binding, Binding], dict[tree.Statement, tree.Variable]]:
    """Replacements for the words of actions on all cards of a picked set.

    The first result maps the variable of a loop over a set to the variable of the set. The second
    one maps a move that is repeated for all cards of a set to the variable of the set.
    """
    over: dict[Binding, Binding] = {}
    wholly: dict[tree.Statement, tree.Variable] = {}
    for node in tree.walk(clause):
        if isinstance(node, tree.ForEach) and isinstance(node.collection, tree.Variable):
            over[node.binding] = node.collection.binding
        elif (
            isinstance(node, tree.Repeat)
            and isinstance(node.times, tree.Size)
            and isinstance(node.body, tree.Move)
            and isinstance(node.body.card, tree.CardAt)
            and isinstance(node.body.card.cards, tree.Variable)
        ):
            wholly[node.body] = node.body.card.cards
    return over, wholly


@functools.lru_cache(maxsize=4096)
def _mentions(step: tree.Action) -> frozenset[Binding]:
    """The variables that an action uses."""
    return frozenset(node.binding for node in tree.walk(step) if isinstance(node, tree.Variable))


def _effects(actions: Sequence[tree.Action], words: Words) -> list[str]:
    """Actions in words; a pair of changes from one number to another becomes a payment."""
    texts: list[str] = []
    remaining = list(actions)
    while remaining:
        action = remaining.pop(0)
        other = next((a for a in remaining if _is_payment(action, a, words)), None)
        if isinstance(action, tree.SetNumber) and isinstance(other, tree.SetNumber):
            remaining.remove(other)
            payer, payee = sorted((action, other), key=lambda number: number.operator)
            texts.append(_payment(payer, payee, words))
        else:
            texts.append(_action(action, words))
    return texts


def _is_payment(first: tree.Action, second: tree.Action, words: Words) -> bool:
    """Whether two changes of numbers are a payment.

    They move an amount between numbers with the same name, or from the current player's number to
    one of the table.
    """
    if not isinstance(first, tree.SetNumber) or not isinstance(second, tree.SetNumber):
        return False
    payer, payee = sorted((first, second), key=lambda number: number.operator)
    return (
        (payer.operator, payee.operator) == ("dec", "inc")
        and _value(payer.value, words) == _value(payee.value, words)
        and (
            _value(payer.target.name, words) == _value(payee.target.name, words)
            or (_is_own(payer.target.owner) and _is_table(payee.target.owner))
        )
    )


def _payment(payer: tree.SetNumber, payee: tree.SetNumber, words: Words) -> str:
    """A payment in words: ``pay 1 chip``, ``take 2 chips from player 2``."""
    name = _value(payer.target.name, words).lower()
    amount = _value(payer.value, words)
    payment = f"{amount} {singular(name) if amount == '1' else name}"
    source, target = payer.target.owner, payee.target.owner
    pot = _value(payee.target.name, words)
    if pot.lower() != name:
        return f"pay {payment} to {pot}"
    if _is_own(source):
        return f"pay {payment}" + ("" if _is_table(target) else f" to {_owner(target, words)}")
    if _is_own(target):
        return f"take {payment}" + ("" if _is_table(source) else f" from {_owner(source, words)}")
    ends = ("the table" if _is_table(end) else _owner(end, words) for end in (source, target))
    return f"{payment} from {' to '.join(ends)}"


def singular(name: str) -> str:
    """The singular of the name of a number, such as CHIPS, in small letters."""
    return name.lower().removesuffix("s")


def _is_table(owner: tree.Owner) -> bool:
    return isinstance(owner, tree.Table)


def _is_own(owner: tree.Owner) -> bool:
    return isinstance(owner, tree.CurrentPlayer) and owner.which == "current"


def pick_words(places: Places, kind: Type, pick: Pick | tuple[Pick, ...]) -> str:
    """A pick in words."""
    if pick == UNSEEN:
        return UNKNOWN
    if isinstance(pick, Hidden):
        return f"card {pick.position + 1} of {places.place_names[pick.place]}"
    if not isinstance(pick, int):
        return " + ".join(pick_words(places, Type.CARD, card) for card in pick) or "nothing"
    match kind:
        case Type.CARD:
            return places.card_names[pick]
        case Type.PLAYER:
            return f"player {pick + 1}"
        case Type.TEAM:
            return f"team {pick + 1}"
        case Type.STR:
            return places.words[pick]
        case Type.PILE:
            return places.place_names[pick]
    return str(pick)


def _named(action: tree.Action, source: str, words: Words) -> str:
    """The words for the cards of an action: their source, with their names if they are known."""
    names = (words.moved or {}).get(action, ())
    if not set(names) - {UNKNOWN} or sorted(source.split(" + ")) == sorted(names):
        return source
    listed = ", ".join(names)
    return listed if source == UNKNOWN else f"{source} ({listed})"


def _action(action: tree.Action, words: Words) -> str:
    match action:
        case tree.Move(card=card, pile=pile):
            return f"{_named(action, _card(card, words), words)} to {_pile(pile, words)}"
        case tree.Remember(card=card, memory=memory):
            cards = _named(action, _card(card, words), words)
            return f"remember {cards} in {_pile(memory, words)}"
        case tree.Forget(memory=memory):
            return f"forget {_pile(memory, words)}"
        case tree.Shuffle(pile=pile):
            return f"shuffle {_pile(pile, words)}"
        case tree.SetNumber(operator="set", target=target, value=value):
            return f"{_storage(target, words)} = {_value(value, words)}"
        case tree.SetNumber(operator=operator, target=target, value=value):
            verb = "raise" if operator == "inc" else "lower"
            return f"{verb} {_storage(target, words)} by {_value(value, words)}"
        case tree.SetText(target=target, value=value):
            return f"{_storage(target, words)} = {_value(value, words)}"
        case tree.Swap(first=first, second=second):
            show = _pile if first.type is Type.PILE else _card
            cards = f"{show(first, words)} and {show(second, words)}"
            return f"swap {_named(action, cards, words)}"
        case tree.Reveal(card=card):
            return f"show {_named(action, _card(card, words), words)}"
        case tree.Cycle(which=which, player=player):
            return f"{_owner(player, words)} is {which}"
        case tree.Eliminate(players=players):
            return f"eliminate {_owner(players, words)}" if players.type is Type.PLAYER else ""
        case tree.Announce(won=won):
            return "win" if won else "lose"
        case tree.Pass():
            return "pass"
    return ""


def _card(e: tree.Expression, words: Words) -> str:
    match e:
        case tree.Variable(binding=binding):
            return words.show(binding)
        case tree.CardAt(which="top" | "bottom" as which, cards=cards):
            return f"{which} of {_cards(cards, words)}"
        case tree.CardAt(which=tree.Expression() as which, cards=cards):
            return f"card {_value(which, words)} of {_cards(cards, words)}"
        case tree.Best(highest=highest, cards=cards):
            return f"{'highest' if highest else 'lowest'} of {_cards(cards, words)}"
    return UNKNOWN


def _cards(e: tree.Expression, words: Words) -> str:
    match e:
        case tree.Pile():
            return _pile(e, words)
        case tree.Variable(binding=binding):
            return words.show(binding)
        case tree.Filter(collection=collection):
            return _cards(collection, words)
        case tree.Combined(parts=parts) if len(parts) == 1:
            return _cards(parts[0], words)
        case tree.Each(collection=tree.Players(), body=tree.Pile(name=name)):
            return f"all {_value(name, words)}"
    return "the cards"


def _pile(e: tree.Expression, words: Words) -> str:
    match e:
        case tree.Pile(owner=owner, name=name, index=index):
            shown = _value(name, words)
            if index is not None:
                shown += f" {_value(index, words)}"
            if _is_table(owner):
                return shown
            if _is_own(owner):
                return f"own {shown}"
            return f"{shown} of {_owner(owner, words)}"
        case tree.Variable(binding=binding):
            return words.show(binding)
    return "a place"


def _storage(e: tree.Stored | tree.StoredText, words: Words) -> str:
    name = _value(e.name, words)
    if _is_table(e.owner):
        return name
    if _is_own(e.owner):
        return f"own {name}"
    return f"{name} of {_owner(e.owner, words)}"


def _owner(e: tree.Owner, words: Words) -> str:
    match e:
        case tree.Variable(binding=binding):
            return words.show(binding)
        case tree.CurrentPlayer(which=which):
            return f"the {which} player"
        case tree.CurrentTeam(which=which):
            return f"the {which} team"
        case tree.Seat(number=tree.Number(value=value)):
            return f"player {value + 1}"
        case tree.TeamNumber(number=tree.Number(value=value)):
            return f"team {value + 1}"
        case tree.OwnerOf(card=card):
            return f"the owner of {_card(card, words)}"
        case tree.TeamOf(player=player):
            return f"the team of {_owner(player, words)}"
    return "a player"


def _value(e: tree.Expression, words: Words) -> str:
    match e:
        case tree.Number(value=value):
            return str(value)
        case tree.Text(value=text):
            return text
        case tree.Variable(binding=binding):
            return words.show(binding)
        case tree.Attribute(name=tree.Text(value=name), card=tree.Variable(binding=card)) if (
            name in words.attributes.get(card, {})
        ):
            return words.attributes[card][name]
        case tree.Attribute(name=name, card=tree.Variable(binding=card)):  # an unknown card
            return f"{_value(name, words)} of {words.get(card, card.name)}"
        case tree.Attribute(name=name, card=card):
            return f"{_value(name, words)} of {_card(card, words)}"
        case tree.SeatNumber(player=player):
            return _owner(player, words)
        case tree.Stored() | tree.StoredText():
            return _storage(e, words)
        case tree.Size(collection=cards):
            return f"number of {_cards(cards, words)}"
        case tree.Arithmetic(operator=operator, left=left, right=right):
            return f"{_value(left, words)} {operator} {_value(right, words)}"
        case tree.Score(card=card):
            return f"score of {_card(card, words)}"
    return "so much"
