"""Options in words, for lists of choices and for records of games.

The words for an option describe what it does on the table: its moves of cards, its payments. An
option that only sets storages is described by the picks and by the names that it stores; the
storages themselves belong to the author and are not named.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from kibitz.core.deeds import YOUR, Deed, verb
from kibitz.core.wording import listed, the
from kibitz.recycle import tree
from kibitz.recycle.layout import Places
from kibitz.recycle.naming import plain, plural, several
from kibitz.recycle.options import UNSEEN, Hidden, Path, Pick, PickPoint, Picks
from kibitz.recycle.reading.wording import filled, with_verbs
from kibitz.recycle.tree import Binding, Type

UNKNOWN = "a card"
"""The words for a card whose name is unknown."""
MORE = "go on"
"""The words for an option that only the rules' own storages tell from others."""

INTO = {
    name: verb_into
    for verb_into, names in {
        "play": (
            "trick",
            "table",
            "pile",
            "play",
            "played",
            "laid",
            "board",
            "centre",
            "center",
            "middle",
        )
        + ("tableau", "card", "cards"),
        "discard": ("discard", "discards", "discarded", "trash", "waste", "graveyard"),
        "capture": ("caught", "captured", "captures"),
        "lose": ("lost", "dead"),
        "remove": ("gone", "removed"),
        "bid": ("bid", "bids"),
        "meld": ("meld", "melds"),
        "pass": ("passed",),
        "give": ("given",),
        "keep": ("kept",),
        "show": ("shown",),
        "burn": ("burnt",),
        "sell": ("sold",),
        "spend": ("spent",),
        "take": ("taken",),
        "win": ("won",),
        "draw": ("drawn",),
    }.items()
    for name in names
}
"""The verb for a move of one's card into a location, by the location's name."""
FROM_HAND = ("play", "pass", "take", "draw")
"""Verbs for options only, since the rules also move other cards into such locations."""
STOCKS = ("stock", "deck", "draw", "talon", "draw_pile")
"""Names of locations from which cards are simply drawn."""
_VERBS = frozenset(
    ("accept", "allow", "ask", "assassinate", "attack", "bet", "bid", "block", "buy", "call")
    + ("challenge", "check", "decline", "double", "draw", "exchange", "fight", "fold", "guess")
    + ("hit", "hunt", "keep", "kill", "knock", "murder", "offer", "pass", "pay", "quit", "raise")
    + ("refuse", "reject", "reveal", "roll", "sell", "show", "skip", "stand", "stay", "steal")
    + ("stop", "strike", "swap", "take", "trade", "vote")
)
"""Verbs that rules store as names of what is done."""
_PREPOSITIONS = {"steal": "from ", "trade": "with "}
"""The preposition before a player to whom a verb is done."""
_STORED = {"asked": "ask", "guessed": "guess"} | {
    word: word for word in ("ask", "bet", "bid", "call", "claim", "guess", "offer", "vote")
}
"""The verb for a pick that is stored, by the storage's name."""

Moved: TypeAlias = Mapping[tree.Action, Sequence[str]]
"""The names of the cards that each action of an option moved or showed, in order."""


class Words(dict[Binding, str]):
    """The words for each variable, and the attributes of known cards.

    Attributes:
        places: The names for people.
        collections: What the variables of the option's clause go over.
        attributes: The attributes of the card that each variable stands for, if it is known.
        moved: The cards that the option has moved; ``None`` if it was not executed.
        mentioned: The variables whose words have been used.
    """

    def __init__(self, places: Places, clause: tree.Statement, moved: Moved | None) -> None:
        self.places = places
        self.collections = _collections(clause)
        self.attributes: dict[Binding, Mapping[str, str]] = {}
        self.moved = moved
        self.mentioned: set[Binding] = set()

    def show(self, binding: Binding) -> str:
        """The words for a variable."""
        self.mentioned.add(binding)
        if binding in self:
            return self[binding]
        collection = self.collections.get(binding)
        if binding.type is Type.CARD:
            return UNKNOWN if collection is None else self.show_card_of(collection)
        if binding.type is Type.PLAYER:
            return "each player"
        return {Type.CARDS: "cards", Type.INT: "some"}.get(binding.type, "each")

    def show_card_of(self, collection: tree.Expression) -> str:
        """The words for cards of a list, over which a loop goes."""
        while isinstance(collection, tree.Filter):
            collection = collection.collection
        if isinstance(collection, tree.Variable):
            return self.show(collection.binding)
        return "cards"


@functools.lru_cache(maxsize=1024)
def _collections(clause: tree.Statement) -> dict[Binding, tree.Expression]:
    """What each variable of a clause goes over, or stands for."""
    return {
        node.binding: node.value if isinstance(node, tree.Let) else node.collection
        for node in tree.walk(clause)
        if isinstance(node, tree.ForEach | tree.Fork | tree.Let)
    }


# -- options ---------------------------------------------------------------------------------


def option(
    places: Places,
    path: Path,
    clause: tree.Statement,
    picks: Picks,
    moved: Moved | None = None,
) -> Deed:
    """An option in words.

    With `moved`, the option has been executed: the moved cards are named, and moves that moved
    nothing are left out.
    """
    texts = picked(places, path, clause, picks)
    values = zip(texts, attributes_of(places, path, picks), strict=True)
    return _deed(places, path, clause, list(values), moved)


def template(
    places: Places,
    path: Path,
    clause: tree.Statement,
    attributes: Sequence[Mapping[str, str]] = (),
) -> str:
    """The words for the options of a path, with placeholders, such as ``play {c}``.

    Args:
        places: The names for people.
        path: The path of the options.
        clause: The clause of the path.
        attributes: The attributes of the card that is picked at each fork, if it is known.
    """
    slots = [f"{{{fork.binding.name.lower()}}}" for fork in path.forks]
    known = attributes or [{}] * len(slots)
    return str(_deed(places, path, clause, list(zip(slots, known, strict=True)), None))


def attributes_of(places: Places, path: Path, picks: Picks) -> list[Mapping[str, str]]:
    """For each fork the attributes of the picked card; none if it is unknown, or no card."""
    return [
        places.program.cards[pick].attributes
        if fork.binding.type is Type.CARD and isinstance(pick, int)
        else {}
        for fork, pick in zip(path.forks, picks, strict=True)
    ]


def picked(places: Places, path: Path, clause: tree.Statement, picks: Picks) -> list[str]:
    """The words for the pick at each fork; a rank that an option asks for is in the plural."""
    indices, asked, told = _indices(path), _asked(path), _told(path)
    words = []
    for fork, pick in zip(path.forks, picks, strict=True):
        if isinstance(pick, Hidden) and pick != UNSEEN and _is_of_ones_own(fork.binding, clause):
            noun = places.place_names[pick.place].partition("'s ")[2]
            words.append(f"card {pick.position + 1} of {YOUR} {noun}")
            continue
        if fork.binding in indices and isinstance(pick, int):  # people count from one
            words.append(places.spot(places.grid_of(fork.binding), pick))
            continue
        text = pick_words(places, fork.binding.type, pick)
        is_rank = asked and asked[1] is fork.binding and isinstance(pick, int)
        if (
            is_rank
            and isinstance(pick, int)
            and places.words[pick] in places.names_for_people.ranks
        ):
            text = plural(text)
        if fork.binding in told:
            text = several(text)
        words.append(text)
    return words


def pick_words(places: Places, kind: Type, pick: Pick | tuple[Pick, ...]) -> str:
    """A pick in words."""
    if pick == UNSEEN:
        return UNKNOWN
    if isinstance(pick, Hidden):
        return f"card {pick.position + 1} of {places.place_names[pick.place]}"
    if not isinstance(pick, int):
        return listed([pick_words(places, Type.CARD, card) for card in pick]) or "no cards"
    match kind:
        case Type.CARD:
            return the(places.card_names[pick])
        case Type.PLAYER:
            return f"player {pick + 1}"
        case Type.TEAM:
            return f"team {pick + 1}"
        case Type.STR:
            return places.names_for_people.value(places.words[pick])
        case Type.PILE:
            return places.place_names[pick]
    return str(pick)


def _is_of_ones_own(binding: Binding, clause: tree.Statement) -> bool:
    """Whether a card is picked from a location of who acts."""
    collections = _collections(clause)
    sources = piles(collections[binding], collections) if binding in collections else []
    return bool(sources) and all(map(_is_mine, sources))


@functools.lru_cache(maxsize=1024)
def _indices(path: Path) -> frozenset[Binding]:
    """The picked numbers by which locations are numbered."""
    return frozenset(
        node.index.binding
        for step in path.steps
        if not isinstance(step, PickPoint)
        for node in tree.walk(step)
        if isinstance(node, tree.Pile) and isinstance(node.index, tree.Variable)
    )


@functools.lru_cache(maxsize=1024)
def _asked(path: Path) -> tuple[Binding, Binding] | None:
    """The variables of the asked player and of the name asked for; ``None`` if nobody is asked."""
    actions = [step for step in path.steps if not isinstance(step, PickPoint)]
    kinds = {fork.binding.type: fork.binding for fork in path.forks}
    asks = any(
        isinstance(action, tree.SetText | tree.SetNumber)
        and _STORED.get(_name(action.target).lower()) == "ask"
        for action in actions
    )
    if asks and len(path.forks) == 2 and {Type.PLAYER, Type.STR} <= kinds.keys():
        return kinds[Type.PLAYER], kinds[Type.STR]
    return None


@functools.lru_cache(maxsize=1024)
def _told(path: Path) -> frozenset[Binding]:
    """The variables of values of cards that others are told about."""
    tells = [step for step in path.steps if isinstance(step, tree.Tell)]
    return frozenset(tell.value.binding for tell in tells if isinstance(tell.value, tree.Variable))


# -- the words of a path -----------------------------------------------------------------------


@functools.lru_cache(maxsize=1024)
def _implied(path: Path, clause: tree.Statement) -> frozenset[Binding]:
    """The picked numbers that a picked set of cards shows by its size."""
    forks = {fork.binding for fork in path.forks}
    return frozenset(
        size.binding
        for binding, collection in _collections(clause).items()
        if binding in forks and binding.type is Type.CARDS
        for sets in tree.walk(collection)
        if isinstance(size := getattr(sets, "size", getattr(sets, "count", None)), tree.Variable)
    )


class _Part(NamedTuple):
    """What an action does: ``play``, ``the 2 of spades``, ``to the canvas``."""

    verb: str
    what: str = ""
    where: str = ""


def _joined(parts: Sequence[_Part]) -> str:
    """The words for several parts; neighbours that differ only in their things become one."""
    merged: list[_Part] = []
    for part in dict.fromkeys(parts):
        before = merged[-1] if merged else None
        if before and (before.verb, before.where) == (part.verb, part.where):
            merged[-1] = before._replace(what=f"{before.what}, {part.what}")
        else:
            merged.append(part)
    return listed([" ".join(filter(None, (verb(p.verb), p.what, p.where))) for p in merged])


def _deed(
    places: Places,
    path: Path,
    clause: tree.Statement,
    picks: Sequence[tuple[str, Mapping[str, str]]],
    moved: Moved | None,
) -> Deed:
    """The words for a path, from the words and the card's attributes of each pick."""
    words = Words(places, clause, moved)
    if wording := places.wordings.get(clause):
        given = {f.binding.name: text for f, (text, _) in zip(path.forks, picks, strict=True)}
        return Deed(with_verbs(filled(wording, given)))
    if asked := _asked(path):
        slots = {fork.binding: text for fork, (text, _) in zip(path.forks, picks, strict=True)}
        return Deed(f"{verb('ask')} {slots[asked[0]]} for {slots[asked[1]]}")
    waiting = iter(picks)
    parts: list[_Part] = []
    stored: list[tree.SetText | tree.SetNumber] = []
    pending: dict[Binding, str] = {}  # picks that no words contain so far
    for step in path.steps:
        if isinstance(step, PickPoint):
            if step.binding in pending:  # a repetition
                parts += _choices(pending, stored, words, [step.binding])
            words[step.binding], words.attributes[step.binding] = next(waiting)
            pending[step.binding] = words[step.binding]
        elif isinstance(step, tree.SetText | tree.SetNumber):
            stored.append(step)
        else:
            words.mentioned.clear()
            if (part := _done(step, clause, words)) is not None:
                parts.append(part)
            for binding in words.mentioned & pending.keys():
                del pending[binding]
    for binding in _implied(path, clause) & pending.keys():
        del pending[binding]
    if pending or not parts:
        parts += _choices(pending, [] if parts else stored, words, list(pending))
    if parts:
        return Deed(_joined(parts))
    passes = not stored or any(isinstance(step, tree.Pass) for step in path.steps)
    return Deed(verb("pass" if passes else MORE))


def _choices(
    pending: dict[Binding, str],
    stored: Sequence[tree.SetText | tree.SetNumber],
    words: Words,
    wanted: Sequence[Binding],
) -> list[_Part]:
    """The parts that describe changes of storages: a payment, a stored name, and picks."""
    names = [
        words.places.names_for_people.value(action.value.value)
        for action in stored
        if isinstance(action, tree.SetText) and isinstance(action.value, tree.Text)
    ]
    payments = _payments([a for a in stored if isinstance(a, tree.SetNumber)], words)
    players = [pending[b] for b in wanted if b.type is Type.PLAYER]
    others = [pending[b] for b in wanted if b.type is not Type.PLAYER]
    action_verb = next((name for name in names if name in _VERBS), "")
    objects = listed([*others, *players])
    if action_verb:
        preposition = _PREPOSITIONS.get(action_verb, "")
        objects = listed([*others, *(f"{preposition}{player}" for player in players)])
    elif wanted:
        action_verb = _verb_of_storage(stored, wanted)
        if names and action_verb == "choose":
            objects = listed([names[0], objects])
    elif names and not payments:
        action_verb, objects = "choose", names[0]
    elif roles := [_noun_of(a.target, words) for a in stored if _is_role(a)]:
        action_verb, objects = "become", f"the {roles[0]}"
    for binding in wanted:
        del pending[binding]
    return [*([_Part(action_verb, objects)] if action_verb else []), *payments]


def _verb_of_storage(
    stored: Sequence[tree.SetText | tree.SetNumber], wanted: Sequence[Binding]
) -> str:
    """The verb for picks, from the name of the storage that keeps one."""
    for action in stored:
        if _bindings(action.value) & {*wanted}:
            return _STORED.get(_name(action.target).lower(), "choose")
    return "choose"


def _is_role(action: tree.SetText | tree.SetNumber) -> bool:
    """Whether an action notes the number of who acts, as that of the challenger."""
    value = action.value
    return isinstance(value, tree.SeatNumber) and _is_own(value.player)


def _name(target: tree.Stored | tree.StoredText) -> str:
    """The literal name of a storage; empty if it is computed."""
    return target.name.value if isinstance(target.name, tree.Text) else ""


def _noun_of(target: tree.Stored | tree.StoredText, words: Words) -> str:
    return words.places.names_for_people.storage(_name(target))


@functools.lru_cache(maxsize=4096)
def _bindings(node: tree.Node) -> frozenset[Binding]:
    """The variables in a part of the rules."""
    return frozenset(n.binding for n in tree.walk(node) if isinstance(n, tree.Variable))


# -- payments ----------------------------------------------------------------------------------


def _payments(actions: Sequence[tree.SetNumber], words: Words) -> list[_Part]:
    """Changes of numbers that go from one owner to another, or that a player gains or loses."""
    parts: list[_Part] = []
    remaining = list(actions)
    while remaining:
        action = remaining.pop(0)
        other = next((a for a in remaining if _is_payment(action, a, words)), None)
        if other is not None:
            remaining.remove(other)
            payer, payee = sorted((action, other), key=lambda number: number.operator)
            parts.append(_payment(payer, payee, words))
        elif action.operator != "set" and _is_own(action.target.owner):
            name = _noun_of(action.target, words)
            if name.endswith("s") and isinstance(action.value, tree.Number | tree.Variable):
                amount = _amount(_value(action.value, words), name)
                parts.append(_Part("gain" if action.operator == "inc" else "pay", amount))
    return parts


def _is_payment(first: tree.SetNumber, second: tree.SetNumber, words: Words) -> bool:
    """Whether two changes of numbers are a payment.

    They move an amount between numbers with the same name, or from the current player's number to
    one of the table.
    """
    payer, payee = sorted((first, second), key=lambda number: number.operator)
    return (
        (payer.operator, payee.operator) == ("dec", "inc")
        and _value(payer.value, words) == _value(payee.value, words)
        and (
            _value(payer.target.name, words) == _value(payee.target.name, words)
            or (_is_own(payer.target.owner) and _is_table(payee.target.owner))
        )
    )


def _payment(payer: tree.SetNumber, payee: tree.SetNumber, words: Words) -> _Part:
    """A payment in words: ``pay 1 chip``, ``take 2 chips from player 2``."""
    name = _noun_of(payer.target, words)
    amount = _amount(_value(payer.value, words), name)
    source, target = payer.target.owner, payee.target.owner
    pot = _noun_of(payee.target, words)
    if pot != name:
        return _Part("pay", amount, f"to the {pot}")
    if _is_own(source):
        return _Part("pay", amount, "" if _is_table(target) else f"to {_owner(target, words)}")
    if _is_own(target):
        return _Part("take", amount, "" if _is_table(source) else f"from {_owner(source, words)}")
    ends = ("the table" if _is_table(end) else _owner(end, words) for end in (source, target))
    return _Part("move", amount, f"from {' to '.join(ends)}")


def _amount(number: str, name: str) -> str:
    return f"{number} {singular(name) if number == '1' else name}"


def singular(name: str) -> str:
    """The singular of the name of a number, such as CHIPS, in small letters."""
    return name.lower().removesuffix("s")


def _is_table(owner: tree.Owner) -> bool:
    return isinstance(owner, tree.Table)


def _is_own(owner: tree.Owner) -> bool:
    return isinstance(owner, tree.CurrentPlayer) and owner.which == "current"


# -- moves -------------------------------------------------------------------------------------


def _done(action: tree.Action, clause: tree.Statement, words: Words) -> _Part | None:
    """What an action does on the table; ``None`` if people see nothing of it."""
    if words.moved is not None and action not in words.moved and isinstance(action, tree.Move):
        words.mentioned |= _bindings(action)  # it moved nothing
        return None
    match action:
        case tree.Move():
            return _move(action, clause, words)
        case tree.Remember(card=card):
            return _Part("note", _cards_of(action, card, words))
        case tree.Swap(first=first, second=second):
            show = _pile if first.type is Type.PILE else _card
            return _Part("exchange", show(first, words), f"for {show(second, words)}")
        case tree.Reveal(card=card, players=players):
            cards = _cards_of(action, card, words)
            if isinstance(players, tree.CurrentPlayer) and _is_own(players):
                return _Part("look at", cards)
            return _Part("show", cards, "" if players is None else "to some players")
        case tree.Tell():
            return _tell(action, words)
        case tree.TellAttribute(name=name, card=card):
            shown = f"the {plain(name.value).lower()} of {_card(card, words)}"
            return _Part("show", shown)
        case tree.Shuffle(pile=pile):
            return _Part("shuffle", _pile(pile, words))
        case tree.Eliminate(players=players) if players.type is Type.PLAYER:
            return _Part("eliminate", _owner(players, words))
        case tree.Announce(won=won):
            return _Part("win" if won else "lose", "the game")
    return None


def _tell(action: tree.Tell, words: Words) -> _Part:
    """The words for a hint: ``tell player 2 about reds: cards 1 and 4``."""
    sources = piles(action.collection, words.collections)
    about = "cards"
    match action.value:
        case tree.Variable(binding=binding):
            about = words.show(binding)
        case tree.Text(value=value):
            about = several(words.places.names_for_people.value(value))
        case tree.Number(value=number):
            about = several(str(number))
    which = ""
    if words.moved is not None:
        numbers = words.moved.get(action, ())
        noun = "card" if len(numbers) == 1 else "cards"
        which = f": {noun} {listed(numbers)}" if numbers else ": none"
    if len(sources) == 1 and not _is_table(sources[0].owner) and not _is_mine(sources[0]):
        return _Part("tell", f"{_owner(sources[0].owner, words)} about {about}{which}")
    words.mentioned |= _bindings(action.collection)
    return _Part("point out", f"{about} in {_list(action.collection, words)}{which}")


def _move(action: tree.Move, clause: tree.Statement, words: Words) -> _Part:
    """A move in words, by the owners and the kinds of the locations of its ends."""
    collection, is_top = _origin(action.card, words)
    sources = piles(collection, words.collections)
    source = sources[0] if len(sources) == 1 else None
    target = action.pile if isinstance(action.pile, tree.Pile) else None
    if action in _moves_of_all(clause):
        listed_cards = _list(collection, words)
        is_set = collection.type in (Type.CARDS, Type.SETS)
        cards = _named(action, listed_cards if is_set else f"all cards of {listed_cards}", words)
    else:
        cards = _cards_of(action, action.card, words)
    known = bool(_names_of(action, words))
    if target is None:
        return _Part("move", cards, f"to {_pile(action.pile, words)}")
    if source is None or not _is_told(source.owner, words):
        return _from_several(cards, target, words)
    if known or isinstance(action.card, tree.Variable):
        words.mentioned |= _bindings(source)
    if _is_table(source.owner):
        return _from_table(cards, source, target, is_top, known, words)
    if (
        _is_same_owner(source, target)
        and _is_hidden(source)
        and not _is_hidden(target)
        and (_location_name(target) == _location_name(source) or is_top)
        and not (_is_mine(source) and _verb_into(target, words))
    ):
        if not known:
            return _Part("turn up", cards)
        return _Part("turn up", cards, f"of {_pile(source, words)}")
    if _is_mine(source):
        return _from_mine(action, cards, target, words)
    if _is_mine(target):
        return _Part("take", cards, f"from {_owner(source.owner, words)}")
    return _Part("move", cards, _from_to(cards, source, target, words))


def _from_to(cards: str, source: tree.Pile, target: tree.Pile, words: Words) -> str:
    """The ends of a move; the words for a card may contain its place."""
    stock = _pile(source, words)
    return ("" if cards.endswith(f" of {stock}") else f"from {stock} ") + (
        f"to {_pile(target, words)}"
    )


def _from_several(cards: str, target: tree.Pile, words: Words) -> _Part:
    """A move of a card from one of several places."""
    into = _verb_into(target, words)
    if into == "capture" or (into and not _is_mine(target)):
        return _Part(into, cards)
    if _is_mine(target):
        return _Part("take", cards)
    return _Part("move", cards, f"to {_pile(target, words)}")


def _from_table(
    cards: str, source: tree.Pile, target: tree.Pile, is_top: bool, known: bool, words: Words
) -> _Part:
    """A move of a card of the table: it is drawn, taken, captured or turned up."""
    is_open = not _is_hidden(source)
    if _is_mine(target):
        if _verb_into(target, words) == "capture":
            return _Part("capture", cards)
        if is_top and not is_open:
            drawn = "" if _location_name(source) in STOCKS else f"from {_pile(source, words)}"
            return _Part("draw", cards if known else UNKNOWN, drawn)
        return _Part("take", cards, f"from {_pile(source, words)}" if known or not is_top else "")
    if _is_table(target.owner) and not _is_hidden(target) and not is_open:
        return _Part("turn up", cards)
    return _Part("move", cards, _from_to(cards, source, target, words))


def _from_mine(action: tree.Move, cards: str, target: tree.Pile, words: Words) -> _Part:
    """A move of a card of who acts: it is played, discarded, passed, laid down."""
    into, where = _verb_into(target, words), _pile(target, words)
    if not _is_mine(target) and not _is_table(target.owner):
        return _Part("pass", cards, f"to {_owner(target.owner, words)}")
    if into:
        return _Part(into, cards)
    if not _is_hidden(target):
        return _Part("play", cards, f"to {where}")
    if _is_mine(target):
        return _Part("put", cards, f"into {where}")
    return _Part("put", cards, f"{'under' if action.where == 'bottom' else 'on'} {where}")


def _verb_into(pile: tree.Pile, words: Words) -> str:
    """The verb for a move of one's card into a location; empty if its name says nothing."""
    name = pile.name.value if isinstance(pile.name, tree.Text) else ""
    return words.places.names_for_people.verb(name) or INTO.get(name.lower(), "")


def _is_told(owner: tree.Owner, words: Words) -> bool:
    """Whether an owner has words: it is no variable of a loop that goes over all players."""
    return not isinstance(owner, tree.Variable) or owner.binding in words


def _origin(card: tree.Expression, words: Words) -> tuple[tree.Expression, bool]:
    """The list from which a card comes, and whether the rules say which card of it."""
    if isinstance(card, tree.CardAt):
        return card.cards, True
    if isinstance(card, tree.Best):
        return card.cards, True
    if isinstance(card, tree.Variable) and card.binding in words.collections:
        inner = words.collections[card.binding]
        if inner.type is Type.CARD:
            return _origin(inner, words)
        return inner, False
    return card, False


def piles(e: tree.Expression, collections: Mapping[Binding, tree.Expression]) -> list[tree.Pile]:
    """The locations of the cards of a list."""
    match e:
        case tree.Pile():
            return [e]
        case tree.Variable(binding=binding) if binding in collections:
            return piles(collections[binding], collections)
        case tree.Combined(parts=parts) | tree.Partition(parts=parts):
            return [pile for part in parts for pile in piles(part, collections)]
        case tree.Filter(collection=inner) | tree.Each(body=inner) | tree.Pick(sets=inner):
            return piles(inner, collections)
    cards = getattr(e, "cards", None)
    return piles(cards, collections) if isinstance(cards, tree.Expression) else []


@functools.lru_cache(maxsize=1024)
def _moves_of_all(clause: tree.Statement) -> frozenset[tree.Statement]:
    """The moves that a clause repeats for all cards of a list."""
    return frozenset(
        node.body
        for node in tree.walk(clause)
        if isinstance(node, tree.Repeat)
        and isinstance(node.times, tree.Size)
        and isinstance(node.body, tree.Move)
        and isinstance(node.body.card, tree.CardAt)
    )


def _location_name(pile: tree.Pile) -> str:
    return pile.name.value.lower() if isinstance(pile.name, tree.Text) else ""


def _is_mine(pile: tree.Pile) -> bool:
    return _is_own(pile.owner)


def _is_hidden(pile: tree.Pile) -> bool:
    return pile.kind != "vloc"


def _is_same_owner(first: tree.Pile, second: tree.Pile) -> bool:
    return tree.equivalent(first.owner, second.owner)


# -- cards, places and numbers -----------------------------------------------------------------


def _names_of(action: tree.Action, words: Words) -> list[str]:
    """The names of the cards that an executed action moved or showed, if any is known."""
    names = (words.moved or {}).get(action, ())
    named = [name if name == UNKNOWN else the(name) for name in names]
    return named if {*named} - {UNKNOWN} else []


def _named(action: tree.Action, otherwise: str, words: Words) -> str:
    """The cards of an action by name; by other words if they are unknown."""
    names = _names_of(action, words)
    known = [name for name in names if name != UNKNOWN]
    hidden = len(names) - len(known)
    if not names:
        count = len((words.moved or {}).get(action, ()))
        return f"{count} cards" if count > 1 else otherwise
    return listed([*known, *([f"{hidden} more"] if hidden else [])])


def _cards_of(action: tree.Action, card: tree.Expression, words: Words) -> str:
    """The cards of an action: by name, else by how the rules find them."""
    shown = _card(card, words)
    return _named(action, shown, words)


def _card(e: tree.Expression, words: Words) -> str:
    match e:
        case tree.Variable(binding=binding):
            return words.show(binding)
        case tree.CardAt(which="top" | "bottom" as which, cards=tree.Variable() as cards):
            return _list(cards, words)
        case tree.CardAt(which="top" | "bottom" as which, cards=cards):
            if words.moved is not None:
                return UNKNOWN
            if len(piles(cards, words.collections)) != 1:
                return UNKNOWN
            return f"the {which} card of {_list(cards, words)}"
        case tree.CardAt(which=tree.Expression() as which, cards=cards):
            return f"card {_value(which, words)} of {_list(cards, words)}"
        case tree.Best(highest=highest, cards=cards):
            if words.moved is not None:
                return UNKNOWN
            best = "highest" if highest else "lowest"
            suits = " possible" if isinstance(cards, tree.Filter) else ""
            return f"the {best}{suits} card of {_list(cards, words)}"
    return UNKNOWN


def _list(e: tree.Expression, words: Words) -> str:
    match e:
        case tree.Pile():
            return _pile(e, words)
        case tree.Variable(binding=binding):
            return words.show(binding)
        case tree.Filter(collection=collection):
            return _list(collection, words)
        case tree.Combined(parts=parts) if len(parts) == 1:
            return _list(parts[0], words)
        case tree.Each(collection=tree.Players(), body=tree.Pile() as pile):
            return f"any player's {_noun(pile, words)}"
    return "the cards"


def _pile(e: tree.Expression, words: Words) -> str:
    match e:
        case tree.Pile(owner=owner):
            noun = _noun(e, words)
            if _is_table(owner):
                return f"the {noun}"
            if _is_own(owner):
                return f"{YOUR} {noun}"
            return f"{_owner(owner, words)}'s {noun}"
        case tree.Variable(binding=binding):
            return words.show(binding)
    return "a place"


def _noun(pile: tree.Pile, words: Words) -> str:
    """The noun for a location, with its number."""
    places = words.places
    name = pile.name
    text = ""
    if isinstance(name, tree.Text):
        text = name.value
    elif isinstance(name, tree.Attribute):
        text = _attribute(name, words) or ""
    if text:
        noun = places.noun((tree.owner_sort(pile.owner), pile.kind, text))
        if pile.index is not None:
            noun = places.names_for_people.location(text)
    elif isinstance(name, tree.Variable):
        noun = f"{words.show(name.binding)} pile"
    else:
        noun = "pile of its kind"
    match pile.index:
        case tree.Number(value=value):
            grid = places.grids.get((tree.owner_sort(pile.owner), pile.kind, text))
            return places.numbered(noun, grid, value)
        case tree.Variable(binding=binding) if places.grid_of(binding):
            return f"{noun} ({words.show(binding)})"
        case tree.Variable(binding=binding):
            return f"{noun} {words.show(binding)}"
    return noun


def _attribute(e: tree.Attribute, words: Words) -> str | None:
    """The value of an attribute of a known card, as a name of the rules."""
    if isinstance(e.name, tree.Text) and isinstance(e.card, tree.Variable):
        return words.attributes.get(e.card.binding, {}).get(e.name.value)
    return None


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
        case tree.OwnerOf():
            return "its owner"
        case tree.TeamOf(player=player):
            return f"the team of {_owner(player, words)}"
    return "a player"


def _value(e: tree.Expression, words: Words) -> str:
    """The words for a number or a name; general ones for an unknown value."""
    match e:
        case tree.Number(value=value):
            return str(value)
        case tree.Text(value=text):
            return text
        case tree.Variable(binding=binding):
            return words.show(binding)
        case tree.SeatNumber(player=player):
            return _owner(player, words)
        case tree.Arithmetic(operator=operator, left=left, right=right):
            return f"{_value(left, words)} {operator} {_value(right, words)}"
    return "some"
