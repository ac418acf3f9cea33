"""The truth of logs: every sentence of random games is checked against the states."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import kibitz
from kibitz.core.game import Table
from kibitz.core.state import State
from kibitz.sessions import Session, Update

WHO = r"([Yy]ou|[Pp]layer \d)"
"""A player in a pattern of a sentence."""
WHOSE = r"([Yy]our|[Pp]layer \d's)"


@dataclass
class Reading:
    """A sentence of an action, as one reader gets it.

    Attributes:
        update: the action, with the states before and after it.
        reader: a seat; ``None``: somebody who knows what all players know.
        text: the sentence.
        texts: all sentences behind the words of the action.
    """

    update: Update
    reader: int | None
    text: str
    texts: list[str]

    @property
    def before(self) -> Any:
        return self.update.before.view

    @property
    def after(self) -> Any:
        return self.update.after.view

    @property
    def mover(self) -> int:
        return self.update.move.player

    @property
    def words(self) -> str:
        return self.update.move.words

    @property
    def round_goes_on(self) -> bool:
        return bool(self.before.round == self.after.round and not self.update.after.is_terminal)

    def seat(self, words: str) -> int:
        """A player, whom a sentence calls "you" if and only if it is the reader."""
        if words.lower() in ("you", "your"):
            assert self.reader is not None
            return self.reader
        player = int(re.findall(r"\d+", words)[0]) - 1
        assert player != self.reader, words
        return player

    def pile(self, view: Any, words: str) -> tuple[Any, Any]:
        """The record and the component of a deck, such as "player 2's hand" or "the stock"."""
        owner, name = (
            words.split(" ", 1) if words[:4] in ("the ", "your") else words.split("s ", 1)
        )
        declared = {
            instance.path: instance for instance in self.update.after.table.layout.instances
        }
        name = name.replace(" ", "_")
        if owner == "the":
            return getattr(view, name), declared[name].component
        plural = name[:-1] + "ies" if name.endswith("y") else name + "s"
        seat = self.seat(owner)
        return getattr(view, plural)[seat], declared[f"{plural}[{seat}]"].component

    def named(self, state: State, words: str) -> list[str]:
        """The cards of a deck that the reader knows."""
        seats = range(state.players) if self.reader is None else (self.reader,)
        views = [self.pile(state.observation(seat).view, words) for seat in seats]
        names = [[card for card in deck.to_json(view) if card] for view, deck in views]
        return min(names, key=len)


PLACE = r"(?:the |your |player \d's )[a-z ]"
"""The beginning of a pattern of a place."""

Check = Callable[[Reading, re.Match[str]], bool]


def check_log(table: Table, seeds: Iterable[int], sentences: Mapping[str, Check]) -> set[str]:
    """Checks every sentence of random games for every reader.

    Args:
        table: where they are played.
        seeds: those of the games.
        sentences: patterns of the sentences, each with a check whether one is true. The first
            pattern that matches counts.

    Returns:
        The patterns that occurred.
    """
    occurred = set()
    for seed in seeds:
        pick = random.Random(seed)
        session = Session(table, [None] * table.players, seed)
        while not session.is_over:
            update = session.apply(pick.choice(session.state.legal_actions()))
            occurred.update(check_update(update, sentences))
    return occurred


def check_update(update: Update, sentences: Mapping[str, Check]) -> Iterator[str]:
    """Yields the pattern of each sentence of an action, for every reader, after its check."""
    patterns = sentences | COMMON
    for reader in (None, *range(update.before.players)):
        events = update.events(reader)
        texts = [event.text for event in events if event.kind != "action"]
        for text in texts:
            reading = Reading(update, reader, text, texts)
            matches = ((p, re.fullmatch(p, text)) for p in patterns)
            pattern, match = next(((p, m) for p, m in matches if m is not None), ("", None))
            assert match is not None, f"nobody can read {text!r}"
            assert patterns[pattern](reading, match), (reader, text, texts)
            yield pattern


def played(name: str, players: int, **parameters: Any) -> Table:
    return kibitz.load(name).table(players, **parameters)


# --- sentences of all games -----------------------------------------------------------------


def cards_of(words: str) -> list[str]:
    """The cards that a sentence names; none for "2 cards"."""
    words = re.sub(r" and \d+ more( cards?)?", "", words)
    if re.fullmatch(r"(?:\d+|a) cards?", words, re.IGNORECASE):
        return []
    return [re.sub(r"^the ", "", card, flags=re.I) for card in re.split(", | and ", words)]


def moved(reading: Reading, cards: list[str], source: str, target: str) -> bool:
    """Whether the reader knows the named cards, in the source or in the target."""
    known = reading.named(reading.update.before, source)
    known += reading.named(reading.update.after, target)
    return not reading.round_goes_on or {*cards} <= {*known}


def gets(reading: Reading, match: re.Match[str]) -> bool:
    deck = "your hand" if match[1].lower() == "you" else f"{match[1].lower()}'s hand"
    return moved(reading, cards_of(match[2]), match[3], deck)


def puts(reading: Reading, match: re.Match[str]) -> bool:
    return moved(reading, cards_of(match[1]), match[2], match[3])


def shown(reading: Reading, match: re.Match[str]) -> bool:
    """Whether cards were where they were shown, or lie there now."""
    parts = re.findall(rf"(.+?) in ({PLACE}+?)(?:, | and |$)", match[1])
    assert parts
    for cards, place in parts:
        held = []
        for state in (reading.update.before, reading.update.after):
            view, deck = reading.pile(state.view, place)
            held += deck.to_json(view)
        if not {*cards_of(cards)} <= {*held}:
            return False
    return True


def scores(reading: Reading, match: re.Match[str]) -> bool:
    parts = [part.rsplit(" ", 1) for part in match[1].split(", ")]
    written = {reading.seat(who): points for who, points in parts}
    return [written[p] for p in sorted(written)] == [
        f"{score:g}" for score in reading.update.after.scores()
    ]


COMMON: dict[str, Check] = {
    rf"{WHO} gets? (.+) from ({PLACE}+)\.": gets,
    rf"(.+) go(?:es)? from ({PLACE}+) to ({PLACE}+)\.": puts,
    r"(?:You see|Everyone sees) (.+)\.": shown,
    r"The [a-z ]+ (?:is|are) shuffled( into the [a-z ]+)?\.": lambda reading, match: True,
    r"Dealt: .+\.|.+ (?:is|are) dealt to each player.*\.": lambda reading, match: (
        not reading.round_goes_on
    ),
    r"Round (\d+) is over\.": lambda reading, match: int(match[1]) == reading.after.round,
    r"Scores: (.+)\.": scores,
    rf"{WHO} (is|are) out\.": lambda reading, match: bool(
        reading.after.seat[reading.seat(match[1])].out
    ),
}
"""Patterns of sentences that the log of any game may have."""
