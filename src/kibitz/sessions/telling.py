"""Changes at the table as events: one short sentence for all that belongs together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from kibitz.core.changes import (
    Change,
    Counted,
    Event,
    Exchanged,
    Moved,
    Owner,
    Place,
    Shown,
    Shuffled,
    Won,
)
from kibitz.core.wording import (
    addressed,
    capitalized,
    counted,
    is_plural,
    listed,
    the,
    third_person,
)
from kibitz.sessions.grouping import Flow, alike, grouped

TRICK = "trick"
"""The name of the places, one for each player, whose cards together are a trick."""
MOST_NAMED = 20
"""Cards that an event lists by name; of more cards it gives the number."""


def tell(changes: Iterable[Change], observer: int | None, players: int) -> list[Event]:
    """Changes as events, for `observer`, whom their texts address as "you".

    Args:
        changes: as this observer perceives them, in order.
        observer: a seat; ``None``: somebody who sees what all players see.
        players: their number, by which "each player" is recognized.
    """
    teller = _Teller(observer, players)
    return [event for group in grouped(changes) for event in teller.events(group)]


class _Teller:
    """Makes events of changes that belong together, in the words for one observer."""

    def __init__(self, observer: int | None, players: int) -> None:
        self.observer = observer
        self.players = players

    def events(self, changes: Sequence[Change]) -> Iterator[Event]:
        """Moves first, then what was shown or exchanged, then numbers."""
        flows: dict[Flow, list[str | None]] = {}
        shuffled = [change.place for change in changes if isinstance(change, Shuffled)]
        for change in changes:
            if isinstance(change, Moved):
                flows.setdefault((change.source, change.target), []).append(change.card)
        into = {flow: cards for flow, cards in flows.items() if flow[1] in shuffled}
        wins = [change.player for change in changes if isinstance(change, Won)]
        winner = wins[-1] if wins else None  # a trump has the last word
        for group in alike(flow for flow in flows if flow not in into):
            yield self._moves({flow: flows[flow] for flow in group}, winner)
        for place in shuffled:
            yield self._shuffle(place, {f: cards for f, cards in into.items() if f[1] == place})
        shown = [change for change in changes if isinstance(change, Shown)]
        if shown:
            yield self._shown(shown)
        for change in changes:
            if isinstance(change, Exchanged):
                yield self._exchange(change)
            elif isinstance(change, Event):
                yield change
        yield from self._numbers([change for change in changes if isinstance(change, Counted)])

    # -- cards -----------------------------------------------------------------------------

    def _moves(self, flows: dict[Flow, list[str | None]], winner: int | None) -> Event:
        """Cards that go from places of one name to places of one name; who won a trick."""
        sources, targets = [flow[0] for flow in flows], [flow[1] for flow in flows]
        kind = "move"
        if all(source.owner == target.owner is not None for source, target in flows):
            text = self._put(flows)
        elif len(flows) > 1 and all(source.owner is None for source in sources):
            kind, text = "deal", self._deal(flows)
        elif len({*targets}) == 1 and len(flows) > 1:
            trick = [card for cards in flows.values() for card in cards]
            kind, text = self._gathered(sources, targets[0], trick, winner)
        else:
            text = "; ".join(
                self._one(source, target, cards) for (source, target), cards in flows.items()
            )
        return Event(kind, _sentence(text), {"moves": [_json(f, c) for f, c in flows.items()]})

    def _one(self, source: Place, target: Place, cards: Sequence[str | None]) -> str:
        named = self._cards(cards)
        if target.owner is None:
            goes = "goes" if len(cards) == 1 else "go"
            return f"{named} {goes} from {self._place(source)} to {self._place(target)}"
        return f"{self._does(target.owner, 'get')} {named} from {self._place(source)}"

    def _gathered(
        self,
        sources: Sequence[Place],
        target: Place,
        cards: Sequence[str | None],
        winner: int | None,
    ) -> tuple[str, str]:
        """The event of cards from several places that go to one: mostly a trick."""
        named = self._cards(cards)
        if {source.name for source in sources} == {TRICK} and len(cards) == len(sources):
            if target.owner is None and winner is not None:
                return TRICK, f"{self._does(winner, 'win')} the trick: {named}"
            if target.owner is None:
                return TRICK, f"the trick goes to {self._place(target)}: {named}"
            return TRICK, f"{self._does(target.owner, 'take')} the trick: {named}"
        if target.owner is None:
            return "move", f"{named} go to {self._place(target)}"
        return "move", f"{self._does(target.owner, 'take')} {named}"

    def _put(self, flows: dict[Flow, list[str | None]]) -> str:
        """The event of cards that players move between their own places."""
        source, target = next(iter(flows))
        if target.verb:
            return "; ".join(
                f"{self._does(target.owner, target.verb)} {self._cards(cards)}"
                for (_, target), cards in flows.items()
            )
        if len(flows) == 1:
            own = "your" if target.owner == self.observer else "their"
            return (
                f"{self._does(target.owner, 'move')} {self._cards(flows[source, target])}"
                f" from {own} {source.name} to {own} {target.name}"
            )
        cards_by_player = [
            f"{self._name(target.owner)} {self._cards(cards)}"
            for (_, target), cards in flows.items()
        ]
        return f"from {source.name} to {target.name}: {'; '.join(cards_by_player)}"

    def _deal(self, flows: dict[Flow, list[str | None]]) -> str:
        """Cards from the table to several players."""
        dealt: dict[Owner, list[str | None]] = {}
        for (_, target), cards in flows.items():
            dealt.setdefault(target.owner, []).extend(cards)
        hidden = {owner: not any(cards) for owner, cards in dealt.items()}
        numbers = {len(cards) for cards in dealt.values()}
        own = dealt.get(self.observer, []) if self.observer is not None else []
        others_hidden = all(hidden[owner] for owner in hidden if owner != self.observer)
        if len(numbers) == 1 and others_hidden and None not in hidden:
            number = numbers.pop()
            share = counted(number, "card")
            names = [self._name(owner) for owner in hidden]
            text = f"{share} {_are(number)} dealt to {listed(names)}"
            if len(names) == self.players:
                text = f"{share} {_are(number)} dealt to each player"
            elif len(names) > 1:
                text = f"{listed(names)} are dealt {share} each"
            return text + (f"; you get {self._cards(own)}" if any(own) else "")
        cards_by_place = [
            f"{self._cards(cards)} to "
            + (self._name(target.owner) if target.owner is not None else self._place(target))
            for (_, target), cards in flows.items()
        ]
        return f"dealt: {'; '.join(cards_by_place)}"

    def _shuffle(self, place: Place, flows: dict[Flow, list[str | None]]) -> Event:
        cards = sum(map(len, flows.values()))
        if not flows:
            text = f"{self._place(place)} {_is(place.name)} shuffled"
        elif len(flows) == 1:
            (source, _), *_ = flows
            text = f"{self._place(source)} {_is(source.name)} shuffled into {self._place(place)}"
        else:
            text = f"{counted(cards, 'card')} {_are(cards)} shuffled into {self._place(place)}"
        data = {"place": _place_json(place), "cards": cards}
        return Event("shuffle", _sentence(text), data)

    def _shown(self, shown: Sequence[Shown]) -> Event:
        cards: dict[Place, list[str | None]] = {}
        for change in shown:
            cards.setdefault(change.place, []).append(change.card)
        seen = [f"{self._cards(names)} in {self._place(place)}" for place, names in cards.items()]
        data = {
            "cards": [{"card": s.card, "place": _place_json(s.place)} for s in shown],
        }
        sees = "everyone sees" if self.observer is None else "you see"
        return Event("show", _sentence(f"{sees} {listed(seen)}"), data)

    def _exchange(self, change: Exchanged) -> Event:
        sides = [
            f"{the(card) if card else 'a card'} of {self._place(place)}"
            for place, card in (
                (change.first, change.from_first),
                (change.second, change.from_second),
            )
        ]
        data = {
            "places": [_place_json(change.first), _place_json(change.second)],
            "cards": [change.from_first, change.from_second],
        }
        return Event("exchange", _sentence(f"{' and '.join(sides)} change places"), data)

    # -- numbers ---------------------------------------------------------------------------

    def _numbers(self, changes: Sequence[Counted]) -> Iterator[Event]:
        first: dict[tuple[str, Owner], int] = {}
        last: dict[tuple[str, Owner], int] = {}
        for change in changes:
            first.setdefault((change.name, change.owner), change.before)
            last[change.name, change.owner] = change.after
        for name, sort in dict.fromkeys((name, type(owner)) for name, owner in first):
            owners = [
                o
                for n, o in first
                if n == name and isinstance(o, sort) and first[n, o] != last[n, o]
            ]
            if not owners:
                continue
            values = [(owner, first[name, owner], last[name, owner]) for owner in owners]
            data = {
                "name": name,
                "values": [{**_owner_json(o), "before": b, "after": a} for o, b, a in values],
            }
            yield Event("number", _sentence(self._values(name, values)), data)

    def _values(self, name: str, values: Sequence[tuple[Owner, int, int]]) -> str:
        after = {after for _, _, after in values}
        if len(values) == self.players > 1 and len(after) == 1:
            return self._has("everyone", name, after.pop())
        owner, old, new = values[0]
        if len(values) == 1 and owner is None:
            return f"the {name} {_is(name)} now {new} ({new - old:+})"
        if len(values) == 1:
            return f"{self._has(self._name(owner), name, new)} ({new - old:+})"
        texts = [
            ("" if owner is None else f"{self._name(owner)} ") + f"now {new} ({new - old:+})"
            for owner, old, new in values
        ]
        return f"{name}: {', '.join(texts)}"

    def _has(self, who: str, name: str, number: int) -> str:
        """A number of a player: ``player 1 now has 2 coins``, ``your score is now 5``."""
        if is_plural(name):
            unit = name.removesuffix("s") if number == 1 and not name.endswith("ies") else name
            return f"{who} now {'have' if who == 'you' else 'has'} {number} {unit}"
        whose = "your" if who == "you" else f"{who}'s"
        return f"{whose} {name} is now {number}"

    # -- names -----------------------------------------------------------------------------

    def _cards(self, cards: Sequence[str | None]) -> str:
        named = [the(card) for card in cards if card is not None]
        unknown = len(cards) - len(named)
        if not named or len(cards) > MOST_NAMED:
            return "a card" if len(cards) == 1 else counted(len(cards), "card")
        if unknown:
            named.append(f"{unknown} more" if unknown > 1 else "1 more card")
        return listed(named)

    def _name(self, owner: Owner) -> str:
        if not isinstance(owner, int):
            return owner or "the table"
        return addressed(owner, self.observer)

    def _does(self, owner: Owner, verb: str) -> str:
        return f"{self._name(owner)} {verb if owner == self.observer else third_person(verb)}"

    def _place(self, place: Place) -> str:
        if place.owner is None:
            return f"the {place.name}"
        if place.owner == self.observer:
            return f"your {place.name}"
        return f"{self._name(place.owner)}'s {place.name}"


def _is(noun: str) -> str:
    return "are" if is_plural(noun) else "is"


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


def _sentence(text: str) -> str:
    return f"{capitalized(text)}."


def _json(flow: Flow, cards: Sequence[str | None]) -> dict[str, Any]:
    source, target = flow
    return {"from": _place_json(source), "to": _place_json(target), "cards": list(cards)}


def _place_json(place: Place) -> dict[str, Any]:
    return {"place": place.name, **_owner_json(place.owner)}


def _owner_json(owner: Owner) -> dict[str, Any]:
    if isinstance(owner, int):
        return {"player": owner + 1}
    return {} if owner is None else {"team": owner}
