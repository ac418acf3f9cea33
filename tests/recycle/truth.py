"""The truth of a log: its sentences are read again and compared with the states around an action.

The reader knows the patterns of sentences, and nothing of the data beside them. It keeps a ledger:
whose each card is, by the operations of the option and then by the sentences alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from kibitz.components.deck import Deck
from kibitz.core.changes import Event, Owner
from kibitz.core.game import Table
from kibitz.core.state import State, components_in_play
from kibitz.core.wording import the
from kibitz.recycle.game import telling
from kibitz.recycle.layout import Memory, StoredNumber
from kibitz.sessions import Move, Update

MOST_TRIED = 15
"""Actions that are tried in a sample."""

Lying = dict[int, tuple[str, Owner]]
"""The name and the owner of the place of each card."""


class FalseSentenceError(AssertionError):
    """A sentence of the log is not true, or says nothing that can be read."""


class Cards(NamedTuple):
    """Cards in a sentence: those that it names, and their number."""

    names: list[str]
    number: int


def lying(state: State) -> Lying:
    """Where each card is."""
    places: Lying = {}
    for instance, view in components_in_play(state):
        if isinstance(instance.component, Deck) and not isinstance(instance.component, Memory):
            name, owner, _ = telling(state).name_of(instance)
            places |= {view.cards[i]: (name, owner) for i in range(view.count)}
    return places


def numbers(state: State) -> dict[tuple[str, Owner], int]:
    """The stored numbers by their names and owners."""
    return {
        telling(state).name_of(instance)[:2]: view.value
        for instance, view in components_in_play(state)
        if isinstance(instance.component, StoredNumber)
    }


class Reader:
    """Reads the events of one observer at a table."""

    def __init__(self, table: Table, observer: int | None) -> None:
        self.table = table
        self.observer = observer
        state = table.new_state(1)
        self.wording = telling(state)
        self.card_names: Sequence[str] = self.wording.places.card_names
        places = {name for name, _ in [place[:2] for place in self.wording._place_at]}
        self.place = "|".join(re.escape(name) for name in sorted(places, key=len, reverse=True))
        cards = sorted({the(name) for name in self.card_names}, key=len, reverse=True)
        one = "|".join(map(re.escape, cards))
        self.card = re.compile(rf"(?:{one})(?![a-z])", re.I)
        self.wordings = self.wording.places.wordings
        self.who = r"(?:[Yy]ou|[Pp]layer \d+|[Tt]eam \d+)"
        self.where = rf"(?:[Tt]he |[Yy]our |(?:[Pp]layer \d+|[Tt]eam \d+)'s )(?:{self.place})"

    # -- parts of sentences ------------------------------------------------------------------

    def cards(self, text: str) -> Cards:
        """The cards of a list such as ``the 2 of spades and 3 more``."""
        names = [
            name.removeprefix("The ").removeprefix("the ") for name in self.card.findall(text)
        ]
        rest = self.card.sub("", text)
        more = re.fullmatch(
            r"(?:, )*(?: and )?(?:([Aa]|[\d,]+) cards?|(\d+) more(?: card)?)?(?:, )*",
            rest.strip(" ") and rest,
        )
        if more is None:
            raise FalseSentenceError(f"no cards: {text!r}")
        count = more[1] or more[2]
        number = 0 if count is None else 1 if count in "Aa" else int(count.replace(",", ""))
        return Cards(names, len(names) + number)

    def owner(self, who: str) -> Owner:
        """Who ``you`` or ``player 2`` is."""
        if who.lower() in ("you", "your"):
            return self.observer
        kind, number = who.lower().split()
        return int(number) - 1 if kind == "player" else f"team {number}"

    def place_of(self, text: str) -> tuple[str, Owner]:
        """The place that ``player 2's hand`` or ``the stock`` is."""
        who, _, name = text.partition("'s ") if "'s " in text else ("", "", text)
        if who:
            return name, self.owner(who)
        article, _, name = text.partition(" ")
        return name, self.observer if article.lower() == "your" else None

    # -- sentences ---------------------------------------------------------------------------

    def check(self, update: Update, events: Sequence[Event]) -> int:
        """Compares the events of an action with its states; returns the number of sentences.

        Raises:
            FalseSentenceError: a sentence is not true.
        """
        ledger = Ledger(self, update)
        for number, event in enumerate(events):
            try:
                if number == 0 and event.kind == "action":
                    self._check_action(update, event.text)
                elif event.kind in ("choice", "round", "scores", "out"):
                    continue
                else:
                    ledger.enter(event.text.removesuffix("."))
            except FalseSentenceError as error:
                raise FalseSentenceError(f"{event.text!r}: {error}") from None
        ledger.close()
        return len(events)

    def _check_action(self, update: Update, text: str) -> None:
        """Whether the cards that an option names are those that it picked, moved or showed."""
        if "has chosen" in text:
            return
        match = re.match(rf"({self.who}) ", text)
        if match is None or self.owner(match[1]) != update.move.player:
            raise FalseSentenceError("somebody else acted")
        path = self.wording.rules.path(update.move.action)
        _, effects = self.wording.rules.traced(update.before, update.move.action)
        touched = [effect.card for effect in effects.option if effect.card >= 0]
        if path is not None:
            touched += self.wording._picked_cards(path, update.before, update.move.action)
        allowed = Counter(self.card_names[card] for card in {*touched})
        if path is not None and self.wording.rules.clauses[path.clause] in self.wordings:
            names = self.card.findall(update.move.words)  # the author's own, or picked
            allowed += Counter(name.removeprefix("the ") for name in names)
        named = [n.removeprefix("The ").removeprefix("the ") for n in self.card.findall(text)]
        if Counter(named) - allowed:
            raise FalseSentenceError(f"the option has only {sorted(allowed)}")
        if re.match(rf"{self.who} (?:plays?|discards?|bids?|pass(?:es)?) the ", text):
            own = {
                self.card_names[c]
                for c, p in lying(update.before).items()
                if p[1] == update.move.player
            }
            if "each player" not in update.move.words and named[0] not in own:
                raise FalseSentenceError("it was not theirs")


class Ledger:
    """Whose the cards are, by the sentences that follow an option."""

    def __init__(self, reader: Reader, update: Update) -> None:
        self.reader = reader
        self.update = update
        places = lying(update.before)
        simultaneous = reader.wording.rules.is_simultaneous(update.before)
        self.is_open = simultaneous  # several options are carried out at once
        _, effects = reader.wording.rules.traced(update.before, update.move.action)
        path = reader.wording.rules.path(update.move.action)
        told_after = path is not None and reader.wording.rules.clauses[path.clause] in (
            reader.wordings
        )  # what the author's words do not pick moves in sentences of its own
        picked = set()
        if path is not None:
            picked = {*reader.wording._picked_cards(path, update.before, update.move.action)}
        for effect in effects.option:
            if told_after and effect.card not in picked:
                continue
            if effect.card >= 0 and len(effect.numbers) > 3:
                place = reader.wording._place_at[effect.numbers[3]]
                if not place.name.startswith("noted"):
                    places[effect.card] = place.name, place.owner
        self.owner: dict[int, set[Owner]] = {card: {owner} for card, (_, owner) in places.items()}
        self.counts = Counter(owner for _, owner in places.values())
        self.numbers: dict[tuple[str, Owner], int] = {}

    def enter(self, text: str) -> None:
        """Reads a sentence; moves what it says.

        Raises:
            FalseSentenceError: it cannot be read, or it is false.
        """
        r = self.reader
        who, where = r.who, r.where
        goes = rf"(.+) (?:goes|go) from ({where}) to ({where})"
        moves = [re.fullmatch(goes, part) for part in text.split("; ")]
        if all(moves):
            for match in filter(None, moves):
                self._move(r.cards(match[1]), r.place_of(match[2])[1], r.place_of(match[3])[1])
        elif re.match(rf"{who} gets? ", text):
            for part in text.split("; "):
                match = re.fullmatch(rf"({who}) gets? (.+) from ({where})", part)
                if match is None:
                    raise FalseSentenceError("no sentence")
                self._move(r.cards(match[2]), r.place_of(match[3])[1], r.owner(match[1]))
        elif match := re.fullmatch(
            r"(\d+) cards?( each)? (?:is|are) dealt to (.+?)(?:; you get (.+))?", text
        ):
            names = [f"player {p + 1}" for p in range(r.table.players)]
            if match[3] != "each player":
                names = re.split(", | and ", match[3])
            for name in names:
                cards = Cards([], int(match[1]))
                if match[4] and r.owner(name) == r.observer:
                    cards = r.cards(match[4])
                self._move(cards, None, r.owner(name))
        elif text.startswith("Dealt: "):
            for part in text.removeprefix("Dealt: ").split("; "):
                cards, _, target = part.rpartition(" to ")
                to = r.owner(target) if re.fullmatch(who, target) else r.place_of(target)[1]
                self._move(r.cards(cards), None, to)
        elif match := re.fullmatch(rf"The trick goes to ({where}): (.+)", text):
            self._gather(r.cards(match[2]), r.place_of(match[1])[1])
        elif match := re.fullmatch(rf"({who}) takes?(?: the trick:)? (.+)", text):
            self._gather(r.cards(match[2]), r.owner(match[1]))
        elif match := re.fullmatch(rf"(.+) go to ({where})", text):
            self._gather(r.cards(match[1]), r.place_of(match[2])[1])
        elif match := re.fullmatch(rf"(.+) (?:is|are) shuffled into ({where})", text):
            source = match[1]
            if re.fullmatch(where, source):
                self._pour(r.place_of(source), r.place_of(match[2])[1])
            else:
                self.is_open = True
        elif re.fullmatch(rf"{where} (?:is|are) shuffled", text):
            pass
        elif match := re.fullmatch(r"(?:You see|Everyone sees) (.+)", text):
            for cards, place in re.findall(rf"(.+?) in ({where})(?:, | and |$)", match[1]):
                self._own(r.cards(cards), r.place_of(place)[1])
        elif match := re.fullmatch(
            rf"(.+) of ({where}) and (.+) of ({where}) change places", text
        ):
            first, second = r.place_of(match[2])[1], r.place_of(match[4])[1]
            self._move(r.cards(match[1]), first, second)
            self._move(r.cards(match[3]), second, first)
        elif re.match(r"From .+ to .+: ", text):
            for part in text.partition(": ")[2].split("; "):
                match = re.match(rf"({who}) (.+)", part)
                if match is None:
                    raise FalseSentenceError("no sentence")
                self._own(r.cards(match[2]), r.owner(match[1]))
        elif match := re.fullmatch(
            rf"({who}) moves? (.+) from (?:their|your) ({r.place}) to (?:their|your) ({r.place})",
            text,
        ):
            self._own(r.cards(match[2]), r.owner(match[1]))
        elif not self._number(text):
            for part in text.split("; "):
                match = re.fullmatch(rf"({who}) [a-z]+ (.+)", part)
                if match is None:
                    raise FalseSentenceError("no sentence")
                self._own(r.cards(match[2]), r.owner(match[1]))

    def _number(self, text: str) -> bool:
        """Reads a sentence about numbers; whether it is one."""
        r = self.reader
        names = sorted({name for name, _ in numbers(self.update.before)}, key=len, reverse=True)
        stored = "|".join(re.escape(name) for name in names)
        if match := re.fullmatch(rf"The ({stored}) (?:is|are) now (-?\d+) \(([+-]\d+)\)", text):
            self._set(match[1], None, match[2], match[3])
        elif match := re.fullmatch(
            rf"(?:Everyone now has (-?\d+) (.+)|Everyone's ({stored}) is now (-?\d+))", text
        ):
            name = match[3] or next(
                n for n in names if n.removesuffix("s") == match[2].removesuffix("s")
            )
            for p in range(r.table.players):
                self._set(name, p, match[1] or match[4], None)
        elif match := re.fullmatch(rf"({r.who}) now ha(?:s|ve) (-?\d+) (.+) \(([+-]\d+)\)", text):
            name = next(n for n in names if n.removesuffix("s") == match[3].removesuffix("s"))
            self._set(name, r.owner(match[1]), match[2], match[4])
        elif match := re.fullmatch(
            rf"(Your|{r.who}'s) ({stored}) is now (-?\d+) \(([+-]\d+)\)", text
        ):
            self._set(match[2], r.owner(match[1].removesuffix("'s")), match[3], match[4])
        elif match := re.fullmatch(rf"({stored}): ((?:.+ )?now .+)", text[:1].lower() + text[1:]):
            for who, now, change in re.findall(
                r"(?:([a-z]+(?: \d+)?) )?now (-?\d+) \(([+-]\d+)\)", match[2]
            ):
                self._set(match[1], r.owner(who) if who else None, now, change)
        else:
            return False
        return True

    def _set(self, name: str, owner: Owner, now: str, change: str | None) -> None:
        before = self.numbers.get((name, owner))
        if change is not None and before is not None and int(now) - before != int(change):
            raise FalseSentenceError(f"it was {before}")
        self.numbers[name, owner] = int(now)

    def _own(self, cards: Cards, owner: Owner) -> None:
        """Named cards are somebody's."""
        for name in cards.names:
            self._take(name, owner)

    def _move(self, cards: Cards, source: Owner, target: Owner) -> None:
        """Cards go from an owner to another."""
        self.counts[source] -= cards.number
        self.counts[target] += cards.number
        for name in cards.names:
            self.owner[self._take(name, source)] = {target}
        if cards.number > len(cards.names):
            for owners in self.owner.values():
                if source in owners:
                    owners.add(target)

    def _gather(self, cards: Cards, target: Owner) -> None:
        """Named cards go to an owner from wherever they are."""
        if cards.number > len(cards.names):
            self.is_open = True
        for name in cards.names:
            owners = {owner for _, owner in self._holders(name)}
            self.is_open |= len(owners) > 1  # equal cards: which it is, nothing says
            owner = next(iter(owners - {target} or {target}))
            self.counts[owner] -= 1
            self.counts[target] += 1
            self.owner[self._take(name, owner)] = {target}

    def _holders(self, name: str) -> Iterator[tuple[int, Owner]]:
        for card, owners in self.owner.items():
            if self.reader.card_names[card].lower() == name.lower():
                yield from ((card, owner) for owner in owners)

    def _take(self, name: str, owner: Owner) -> int:
        held = [card for card, holder in self._holders(name) if holder == owner]
        if not held and not self.is_open:
            raise FalseSentenceError(f"{name} is not there: {list(self._holders(name))}")
        return held[0] if held else next(card for card, _ in self._holders(name))

    def _pour(self, source: tuple[str, Owner], target: Owner) -> None:
        """All cards of a place go to another, which the sentence does not count."""
        if source[1] != target:
            self.is_open = True

    def close(self) -> None:
        """Compares the ledger with the state after the action.

        Raises:
            FalseSentenceError: they differ.
        """
        after = numbers(self.update.after)
        for key, value in self.numbers.items():
            if after[key] != value:
                raise FalseSentenceError(f"{key} is {after[key]}, not {value}")
        if self.is_open:
            return
        places = lying(self.update.after)
        counts = Counter(owner for _, owner in places.values())
        if +counts != +self.counts:
            raise FalseSentenceError(f"cards: {dict(counts)}, not {dict(self.counts)}")
        for card, owners in self.owner.items():
            if places[card][1] not in owners:
                name = self.reader.card_names[card]
                equal = [c for c in places if self.reader.card_names[c] == name]
                if len(equal) == 1:
                    raise FalseSentenceError(f"{name} is at {places[card]}, not {owners}")


def read(table: Table, update: Update, observer: int | None, events: Sequence[Event]) -> int:
    """Reads the events of an action again; see ``Reader.check``."""
    return Reader(table, observer).check(update, events)


def words_in_samples(update: Update, seat: int, seeds: Sequence[int]) -> Iterator[tuple[Any, Any]]:
    """The events for a seat and for who looks on, and those of what looks the same to the seat.

    In samples of what the seat cannot know all actions are tried, up to a number.
    """
    state = update.before
    seen = bytes(update.after.observation(seat))
    own = [event.text for event in update.events(seat)]
    public = [event.text for event in update.public_events]
    for seed in seeds:
        sample = state.determinize(seat, seed)
        for action in sample.legal_actions()[:MOST_TRIED]:
            after = sample.clone()
            after.apply(action)
            if bytes(after.observation(seat)) == seen:
                move = Move(sample.current_player, action, sample.action_words(action), False)
                other = Update(move, sample, after)
                yield own, [event.text for event in other.events(seat)]
                yield public, [event.text for event in other.public_events]
