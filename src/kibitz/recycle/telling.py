"""Actions, events and states of a game in RECYCLE in words."""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from kibitz.components.deck import Deck
from kibitz.core import state as states
from kibitz.core.action_parts import ActionParts, Operand
from kibitz.core.actions import MAX_ACTIONS
from kibitz.core.chance import seed_chance
from kibitz.core.changes import (
    Change,
    Counted,
    Event,
    Exchanged,
    Moved,
    Paused,
    Place,
    Shown,
    Shuffled,
    choice_event,
)
from kibitz.core.deeds import Deed
from kibitz.core.game import Table
from kibitz.core.layout import HEADER, Instance
from kibitz.core.phrase import ANY, Phrase, Vocabulary
from kibitz.core.status import Status
from kibitz.core.table_wording import TableWording
from kibitz.core.view import view_at
from kibitz.core.wording import ARTICLE, HAS_CHOSEN, capitalized, counted, listed, player_name
from kibitz.recycle import options, phrases, tree
from kibitz.recycle.codegen.flow import START
from kibitz.recycle.layout import (
    SIDES,
    TEAM_LIST,
    Cycles,
    Memory,
    PointMap,
    PublicFacts,
    StoredName,
    StoredNumber,
)
from kibitz.recycle.options import UNSEEN, Path, Pick, Picks
from kibitz.recycle.rules import NO_OPTION, Effect, Effects, RecycleRules
from kibitz.recycle.tree import Type
from kibitz.syntax.source import Span

EMPTY = ("nothing", "none")
"""What a stored name says that holds nothing."""
MOST_SHOWN = 20
"""The maximum number of cards of a location that an error names."""


class Telling(TableWording):
    """The wording of actions, events and states at a table of a game in RECYCLE."""

    def __init__(self, table: Table) -> None:
        super().__init__(table)
        rules = table.rules
        assert isinstance(rules, RecycleRules)
        self.rules = rules
        self.places = rules.places
        self.text = rules.program.source

    def words(self, state: states.State, action: int) -> str:
        """An action as a sentence."""
        path = self.rules.path(action)
        if path is None:
            return NO_OPTION
        picks = self.rules.picks(state, action)
        return str(self._said(path, picks)) + self._line(state, action, path, picks)

    def parts(self, state: states.State, action: int) -> ActionParts:
        """An option as the sentence of its kind, and its picks by the names of their variables.

        A clause has no name, so the sentence with placeholders, such as ``{c} to TRICK``, is the
        name of the kind. Clauses with the same sentence are numbered from the second on, and so
        are equal cards.
        """
        path = self.rules.path(action)
        if path is None:
            return ActionParts(NO_OPTION)
        picks = self.rules.picks(state, action)
        values = [
            self._operand(fork.binding.type, pick)
            for fork, pick in zip(path.forks, picks, strict=True)
        ]
        return ActionParts(self._kind(path), **dict(zip(_operands(path), values, strict=True)))

    def operands(self) -> dict[str, tuple[str, ...]]:
        """The names of the variables that are picked, by the sentence of each kind of option."""
        kinds = {self._kind(path): _operands(path) for path in self.rules.translation.paths}
        return kinds | ({NO_OPTION: ()} if self.rules.passes_when_stuck else {})

    def _kind(self, path: Path) -> str:
        """The sentence of a path, with a number from the second clause on that has the same."""
        template = phrases.template(self.places, path, self.rules.clauses[path.clause])
        paths = self.rules.translation.paths
        alike = {paths[kind - 1].clause for kind in self.rules.worded_alike[path.kind]}
        number = 1 + sum(clause < path.clause for clause in alike)
        return f"{template} ({number})" if number > 1 else template

    def _operand(self, kind: Type, pick: Pick | tuple[Pick, ...]) -> Operand:
        """A pick as data: a number, a word, or the words for a set of cards."""
        if isinstance(pick, tuple):
            return tuple(str(self._operand(Type.CARD, card)) for card in pick)
        if isinstance(pick, int) and kind is Type.CARD:
            return self._numbered_cards[pick]
        if isinstance(pick, int) and kind is Type.INT:
            return pick
        return phrases.pick_words(self.places, kind, pick)

    @functools.cached_property
    def _numbered_cards(self) -> list[str]:
        """The names of the cards; equal ones are numbered from the second on."""
        names: list[str] = []
        counts: Counter[str] = Counter()
        for name in self.places.card_names:
            counts[name] += 1
            names.append(f"{name} ({counts[name]})" if counts[name] > 1 else name)
        return names

    @property
    def needs_state(self) -> bool:
        """Whether the options of a state must be listed to find the cards that an action picks."""
        return not all(path.packed for path in self.rules.translation.paths)

    def possible_words(self, action: int, state: states.State | None = None) -> tuple[str, ...]:
        """The words of an action without its line in the text, and with it.

        The line is added if other options have the same words.
        """
        path = self.rules.path(action)
        if path is None:
            return (NO_OPTION,)
        if path.packed or state is None:
            picks = options.unpack(path, action)
        else:  # a digest has the same picks in every state
            picks = self.rules.picks(state, action)
        words = str(self._said(path, picks))
        return words, words + self._standing(path)

    def phrase(self, action: int) -> Phrase:
        """An action as a phrase with its picks as parts; those of a digest are left open."""
        path = self.rules.path(action)
        if path is None:
            return Phrase((NO_OPTION,), ())
        clause = self.rules.clauses[path.clause]
        picked: list[str] = [ANY] * len(path.forks)
        template = phrases.template(self.places, path, clause)
        if path.packed:
            picks = options.unpack(path, action)
            picked = [str(Deed(w)) for w in phrases.picked(self.places, path, clause, picks)]
            known = phrases.attributes_of(self.places, path, picks)
            template = phrases.template(self.places, path, clause, known)
        pieces = re.split(r"{([^}]*)}", template)
        words: dict[str, str] = {}
        for fork, word in zip(path.forks, picked, strict=True):
            name = fork.binding.name.lower()
            words[name] = ANY if words.get(name, word) != word else word
        values = [words[name] for name in pieces[1::2]]
        texts = [
            text + ARTICLE * value.startswith(ARTICLE)
            for text, value in zip(pieces[::2], [*values, ""], strict=True)
        ]
        return Phrase(tuple(texts), tuple(value.removeprefix(ARTICLE) for value in values))

    def vocabulary(self) -> Vocabulary:
        """The kinds of options whose words do not depend on a card, and the names of cards.

        The names are empty if no option picks a card by name.
        """
        kinds: set[str] = set()
        card_names: set[str] = set()
        for path in self.rules.translation.paths:
            clause = self.rules.clauses[path.clause]
            known = [dict.fromkeys(self._attributes, "") for _ in path.forks]
            template = phrases.template(self.places, path, clause)
            if template == phrases.template(self.places, path, clause, known):
                kinds.add(re.sub(r"{[^}]*}", ANY, template))
            if path.packed and any(fork.binding.type is Type.CARD for fork in path.forks):
                card_names.update(self.places.card_names)
        return Vocabulary(frozenset(kinds), frozenset(card_names))

    @functools.cached_property
    def _attributes(self) -> set[str]:
        """The names of the attributes of cards."""
        return {name for card in self.places.program.cards for name in card.attributes}

    def event_text(
        self, before: states.State, action: int, after: states.State, observer: int | None
    ) -> str:
        """An action in words, without the cards that the observer does not know.

        In a simultaneous stage, other players learn a choice only after all have chosen. The
        observer ``None`` learns every choice, and the moved cards that everybody knows.
        """
        path = self.rules.path(action)
        if path is None:
            return NO_OPTION
        mover = before.current_player
        picks = self.rules.picks(before, action)
        if observer is None:
            return self._executed(path, picks, before, action, None)
        if self._is_pending(after, mover) and observer != mover:
            return HAS_CHOSEN
        return self._known_option(before, action, after, mover, observer)

    def _known_option(
        self,
        before: states.State,
        action: int,
        after: states.State,
        mover: int,
        observer: int | None,
    ) -> str:
        """A chosen option in words, without the cards that `observer` does not know."""
        path = self.rules.path(action)
        if path is None:
            return NO_OPTION
        picks = self.rules.picks(before, action)
        if mover != observer:
            effects = self._effects(before, action)
            for seat in range(before.players) if observer is None else (observer,):
                picks = self._unless_unknown(path, picks, before, after, effects, seat)
        return self._executed(path, picks, before, action, observer)

    def _executed(
        self,
        path: Path,
        picks: Picks,
        before: states.State,
        action: int,
        observer: int | None,
    ) -> Deed:
        """An executed option in words, with the moved cards that the observer knows."""
        everybody = (1 << before.players) - 1
        viewers = everybody if observer is None else 1 << observer
        return self._said(path, picks, self._effects(before, action), viewers)

    def public_text(self, before: states.State, action: int, after: states.State) -> str:
        """An option in words, without the cards that not everybody knows."""
        if self._is_pending(after, before.current_player):
            return HAS_CHOSEN
        return self._known_option(before, action, after, before.current_player, None)

    def public_consequences(
        self, before: states.State, action: int, after: states.State
    ) -> Iterator[Change]:
        """The changes that follow an action, and the choices that it reveals, for who looks on."""
        if not self._is_pending(after, before.current_player):
            yield from self._choices_revealed(before, after, before.current_player, None)
        yield from self.consequences(before, action, after, None)

    def consequences(
        self, before: states.State, action: int, after: states.State, observer: int | None
    ) -> Iterator[Change]:
        """The changes that follow an action, and the choices of others that it reveals."""
        everybody = (1 << before.players) - 1
        viewers = everybody if observer is None else 1 << observer
        mover = before.current_player
        if self._is_pending(after, mover):
            return
        if observer is not None:  # without an observer, the choice was an event before
            yield from self._choices_revealed(before, after, mover, observer)
        effects = self.rules.traced(before, action)[1]
        wording = self.event_text(before, action, after, observer)
        known = self._known_to(before, observer)
        path = self.rules.path(action)
        given = path is not None and self.rules.clauses[path.clause] in self.places.wordings
        picked = set(self._picked_cards(path, before, action)) if path and given else set()
        for effect in effects.option:
            for change in self._changes(effect, viewers, known):
                if given and not isinstance(change, Counted) and effect.card not in picked:
                    yield change  # the author's words need not say it
                # the words of the option contain its cards, and perhaps the change of a number
                if (
                    isinstance(change, Counted)
                    and phrases.singular(change.name) not in wording.lower()
                ):
                    yield change
        yield Paused()
        yield from self._all_changes(effects.rules, viewers, known)

    def opening(self, start: states.State, observer: int | None) -> Iterator[Change]:
        """The changes before the first decision, such as a deal."""
        if start.seed is None:
            return
        blank = states.State(start.table, start.table.blank)
        seed_chance(blank.view, start.seed)
        blank.view.tick -= 1  # ``traced`` counts an action
        effects = self.rules.traced(blank, START)[1]
        viewers = (1 << start.players) - 1 if observer is None else 1 << observer
        yield from self._all_changes(effects.option + effects.rules, viewers, set())

    def _picked_cards(self, path: Path, state: states.State, action: int) -> Iterator[int]:
        """The cards that an option picks, as the chooser knows them."""
        for fork, pick in zip(path.forks, self.rules.picks(state, action), strict=True):
            if isinstance(pick, tuple):
                yield from (card for card in pick if isinstance(card, int))
            elif isinstance(pick, int) and fork.binding.type is Type.CARD:
                yield pick

    def _all_changes(
        self, effects: Sequence[Effect], viewers: int, known: set[int]
    ) -> Iterator[Change]:
        """The changes by several effects; a swap has two effects."""
        entries = iter(effects)
        for effect in entries:
            if isinstance(effect.action, tree.Swap):
                yield self._exchanged(effect, next(entries), viewers)
            else:
                yield from self._changes(effect, viewers, known)

    def _choices_revealed(
        self, before: states.State, after: states.State, mover: int, observer: int | None
    ) -> Iterator[Event]:
        """The revealed choices of the others, once all have chosen."""
        for p in range(before.players if self.places.simultaneous else 0):
            if p == mover or not self._is_pending(before, p):
                continue
            action = self._commitment(before, p)
            chosen_in = self.rules.asking(before, p)
            wording = self._known_option(chosen_in, action, after, p, observer)
            yield choice_event(p, wording, observer)

    def _commitment(self, state: states.State, player: int) -> int:
        """The action that a player has committed to."""
        pieces = state.view.commitment[player].action
        return sum((pieces[i] & 0xFFFF) << 16 * i for i in range(4))

    def _changes(self, effect: Effect, viewers: int, known: set[int]) -> Iterator[Change]:
        """The changes by one effect; updates the cards that all `viewers` know."""
        places, numbers = self._place_at, effect.numbers
        match effect.action:
            case tree.Move():
                card, seen_by, source, target = numbers[:4]
                clear = seen_by & viewers == viewers
                known -= {card}
                known |= {card} if clear else set()
                if places[source] != places[target]:
                    name = self.places.card_names[card] if clear else None
                    yield Moved(name, places[source], places[target])
            case tree.Reveal() | tree.Remember():
                card, seen_by, _, place = numbers[:4]
                if seen_by & viewers == viewers and card not in known:
                    known.add(card)
                    yield Shown(self.places.card_names[card], places[place])
            case tree.Shuffle():
                yield Shuffled(places[numbers[0]])
            case tree.SetNumber():
                where, old, new = numbers[:3]
                if effect.action in self.reported_numbers:
                    named = self.number_at[where]
                    yield Counted(named.name, named.owner, old, new)

    def _exchanged(self, first: Effect, second: Effect, viewers: int) -> Exchanged:
        """The change by the two effects of a swap of cards."""
        names = [
            self.places.card_names[effect.card] if effect.seen & viewers == viewers else None
            for effect in (first, second)
        ]
        return Exchanged(
            self._place_at[first.numbers[2]], self._place_at[second.numbers[2]], *names
        )

    @functools.cached_property
    def reported_numbers(self) -> set[tree.SetNumber]:
        """The actions whose changes of numbers are reported to players.

        A number of players or teams is reported unless it is only set to constants, like a mark. A
        number of the table is reported if it is a total that depends on cards or players, or a pot
        from which players' numbers are computed. Other numbers of the table only control the
        course of the game.
        """
        nodes = [n for n in tree.everything(self.rules.program) if isinstance(n, tree.SetNumber)]
        table = [n for n in nodes if isinstance(n.target.owner, tree.Table)]
        others = [n for n in nodes if n not in table]
        totals = {_name(n.target) for n in table if not all(map(_steers, tree.walk(n.value)))}
        pots = {
            _name(read)
            for n in others
            for read in tree.walk(n.value)
            if isinstance(read, tree.Stored) and isinstance(read.owner, tree.Table)
        }
        counts = {
            _name(n.target)
            for n in others
            if n.operator != "set" or not isinstance(n.value, tree.Number)
        }
        return {
            *(n for n in table if _name(n.target) in totals | pots),
            *(n for n in others if _name(n.target) in counts),
        }

    @functools.cached_property
    def reported_names(self) -> frozenset[str]:
        """The names, in small letters, of the numbers whose changes are reported to players."""
        names = self.places.names_for_people
        return frozenset(names.storage(_name(number.target)) for number in self.reported_numbers)

    @functools.cached_property
    def _place_at(self) -> list[Place]:
        """The display name and the owner of each location, by place."""
        places = [self.name_of(deck) for deck in self._decks]
        own = {noun: verb for noun, verb in self.places.names_for_people.declared.values() if verb}
        verbs = [own.get(place.name, phrases.INTO.get(_stem(place.name), "")) for place in places]
        return [
            place._replace(verb="" if verb in phrases.FROM_HAND else verb)
            for place, verb in zip(places, verbs, strict=True)
        ]

    @functools.cached_property
    def number_at(self) -> dict[int, Place]:
        """The display names and the owners of stored numbers, by their offset in the state."""
        return {
            instance.offset: self.name_of(instance)
            for instance in self.rules.layout.instances
            if isinstance(instance.component, StoredNumber)
        }

    def name_of(self, instance: Instance) -> Place:
        """The display name and the owner of a location or number."""
        label = instance.path.partition("[")[0]
        name, of_team, team = label.rpartition("_of_team_")
        if of_team:
            return Place(self._shown(name), f"team {team}")
        return Place(self._shown(label), instance.owner)

    def _known_to(self, state: states.State, observer: int | None) -> set[int]:
        """The cards whose places the observer knows; without an observer, all players."""
        seats = range(state.players) if observer is None else (observer,)
        return set.intersection(*(self._known(state, p) for p in seats))

    def _unless_unknown(
        self,
        path: Path,
        picks: Picks,
        before: states.State,
        after: states.State,
        effects: Effects | None,
        observer: int,
    ) -> Picks:
        """The picks, with ``UNSEEN`` for the cards that the observer does not know."""
        known = self._known(before, observer)
        if effects is None:
            known |= self._known(after, observer)
        else:  # an observer who knew the cards of a hand need not see which one is moved
            known -= {effect.card for effect in effects.option}
            known |= {effect.card for effect in effects.option if effect.seen >> observer & 1}
        visible: Picks = []
        for fork, pick in zip(path.forks, picks, strict=True):
            if fork.binding.type is Type.CARD and isinstance(pick, int):
                visible.append(pick if pick in known else UNSEEN)
            elif isinstance(pick, tuple):
                visible.append(tuple(card if card in known else UNSEEN for card in pick))
            else:
                visible.append(pick)
        return visible

    def _said(
        self,
        path: Path,
        picks: Picks,
        effects: Effects | None = None,
        viewers: int = 0,
    ) -> Deed:
        """An option in words; if executed, with the cards that all `viewers` (bits) know."""
        moved: dict[tree.Action, list[str]] | None = None
        if effects is not None:
            moved = {}
            for effect in effects.option:
                if effect.card < 0:
                    continue
                known = effect.seen & viewers == viewers
                name = self.places.card_names[effect.card] if known else phrases.UNKNOWN
                moved.setdefault(effect.action, []).append(name)
        return phrases.option(self.places, path, self.rules.clauses[path.clause], picks, moved)

    def _line(self, state: states.State, action: int, path: Path, picks: Picks) -> str:
        """The line of an option in the text, if another option has the same words, else empty."""
        if not self._is_ambiguous(state, action, path, picks):
            return ""
        return self._standing(path)

    def _standing(self, path: Path) -> str:
        """The line of an option in the text, with its column if others have the same line."""
        paths = self.rules.translation.paths
        alike = [paths[kind - 1].clause for kind in self.rules.worded_alike[path.kind]]
        line, column = self._position(path.clause)
        if any(self._position(clause)[0] == line for clause in alike):
            return f" (line {line}, column {column})"
        return f" (line {line})"

    def _position(self, clause: int) -> tuple[int, int]:
        """The line and column at which a clause begins."""
        return self.text.position(self.rules.clauses[clause].span.start)

    def _is_pending(self, state: states.State, player: int) -> bool:
        """Whether a player has a commitment that has not been executed."""
        return self.places.simultaneous and bool(state.view.commitment[player].length)

    def _effects(self, before: states.State, action: int) -> Effects | None:
        """The effects of an action; ``None`` if its option is carried out with those of others."""
        if self.rules.is_simultaneous(before):
            return None
        return self.rules.traced(before, action)[1]

    def _known(self, state: states.State, player: int) -> set[int]:
        """The cards whose places a player knows."""
        number = len(self._decks)
        if number == 0:
            return set()
        piles = np.frombuffer(bytes(state), self._pile, number, self.places.piles_at)
        in_use = np.arange(piles["cards"].shape[1]) < piles["count"][:, np.newaxis]
        known = (piles["seen"] >> player & 1).astype(bool)
        return set(piles["cards"][in_use & known & self._holds_cards[:, np.newaxis]].tolist())

    @functools.cached_property
    def _decks(self) -> list[Instance]:
        """The locations and memories, by their numbers."""
        decks = [i for i in self.rules.layout.instances if isinstance(i.component, Deck)]
        return sorted(decks, key=lambda instance: instance.offset)

    @functools.cached_property
    def _pile(self) -> np.dtype[Any]:
        """The record of a location or memory in the state."""
        return self._decks[0].dtype

    @functools.cached_property
    def _holds_cards(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Whether each location or memory is a location, by place."""
        return np.array([not isinstance(deck.component, Memory) for deck in self._decks], bool)

    def _is_ambiguous(self, state: states.State, action: int, path: Path, picks: Picks) -> bool:
        """Whether another clause has a legal option with the same words."""
        alike = self.rules.worded_alike.get(path.kind, set())
        if not alike or state.is_terminal:
            return False
        legal = state.clone().legal_actions()
        return any(
            options.kind_of(other) in alike and self.rules.picks(state, other) == picks
            for other in legal
        )

    def describe(self, state: states.State, observer: int | None) -> str:
        """The state as text: the table, then one line for each player."""
        piles: list[str] = []
        stored: list[str] = []
        seats: list[list[str]] = [[] for _ in range(state.players)]
        for instance, view in states.components_in_play(state):
            if isinstance(instance.component, Cycles | PointMap | PublicFacts):
                continue
            label = instance.path.partition("[")[0]
            one_of_many = isinstance(instance.component, Deck) and label not in self.places.shown
            if label == TEAM_LIST or (one_of_many and view.count == 0):
                continue
            if not self.is_told(instance, view):
                continue
            text = f"{self._shown(label)}: {instance.component.describe(view)}"
            if instance.owner is not None:
                seats[instance.owner].append(text)
            elif isinstance(instance.component, Deck):
                piles.append(text)
            else:
                stored.append(text)
        lines = [capitalized(text) for text in [*piles, "; ".join(stored)] if text]
        for player, texts in enumerate(seats):
            if texts:
                name = player_name(player, observer).capitalize()
                lines.append(f"{name}: {'; '.join(texts)}")
        return "\n".join([state.headline(), *lines])

    def is_told(self, instance: Instance, view: Any) -> bool:
        """Whether people read a component: not the rules' own counters, and no empty names."""
        component = instance.component
        if isinstance(component, StoredNumber):
            return self._number_name(instance) in self.reported_names
        return not (isinstance(component, StoredName) and component.describe(view) in EMPTY)

    def _number_name(self, instance: Instance) -> str:
        """The name of a number, without its owner and its kind."""
        return self.name_of(instance).name.partition(" (")[0]

    def _shown(self, label: str) -> str:
        """The display name of a label of the layout, with its index if there are several."""
        if label in self.places.shown:
            return self.places.shown[label]
        name, _, number = label.rpartition("_")
        if name in self.places.shown and number.isdigit():
            return f"{self.places.shown[name]} {int(number) + 1}"
        return label.replace("_", " ")

    def explain(self, state: states.State) -> str | None:
        """The place in the text at which the rules broke the game off, and the reason."""
        fault = self.fault(state)
        if fault is None:
            return None
        line, column = self.text.position(fault[0].start)
        return f"{self.text.name}:{line}:{column}: {fault[1]}"

    def _cards_of(self, state: states.State, player: int) -> str:
        """The cards of a player in words, by location."""
        texts = []
        for instance, view in states.components_in_play(state):
            deck = instance.component
            if instance.owner != player or not isinstance(deck, Deck) or isinstance(deck, Memory):
                continue
            if view.count:
                is_long = view.count > MOST_SHOWN
                cards = counted(view.count, "card") if is_long else deck.describe(view)
                texts.append(f"{self._shown(instance.path.partition('[')[0])}: {cards}")
        return "; ".join(texts) or "no cards of their own"

    def fault(self, state: states.State) -> tuple[Span, str] | None:
        """The span of the rules that broke the game off, and the reason; ``None`` for no fault."""
        header = view_at(state.address, HEADER)
        number = int(header.phase)
        if state.status in (Status.RULES_ERROR, Status.ENDLESS):
            sites = self.rules.translation.sites
            return sites[number - 1] if 1 <= number <= len(sites) else None
        # otherwise the phase is the choice at which the game stopped
        if state.status == Status.DEAD_END:
            clauses = self.rules.translation.choices[number].clauses
            lines = {self.text.position(clause.span.start)[0]: None for clause in clauses}
            where = f"line{'s' * (len(lines) > 1)} {listed([str(line) for line in lines])}"
            why = f"player {header.player + 1} has no option by {where} ("
            why += f"{self._cards_of(state, int(header.player))})"
        elif state.status == Status.FULL_BUFFER:
            why = f"player {header.player + 1} has more than {MAX_ACTIONS} options; "
            why += "let less be decided at once"
        else:
            return None
        return self.rules.translation.choices[number].span, why


def _operands(path: Path) -> tuple[str, ...]:
    """The names of the operands of a path: its variables; repeated names are numbered."""
    names: list[str] = []
    for fork in path.forks:
        name = fork.binding.name.lower()
        count = 1 + sum(other.partition(" ")[0] == name for other in names)
        names.append(f"{name} {count}" if count > 1 else name)
    return tuple(names)


def _name(stored: tree.Stored) -> str:
    """The literal name of a number; empty if it is computed."""
    return stored.name.value if isinstance(stored.name, tree.Text) else ""


def _stem(place: str) -> str:
    """The name of a location in the rules, from its noun."""
    noun = place.removesuffix(" cards").removesuffix(" pile") or place
    return noun.rpartition(" ")[2] if noun.startswith((*SIDES.values(),)) else noun


def _steers(node: tree.Node) -> bool:
    """Whether a part of an expression depends neither on cards nor on players' numbers."""
    if isinstance(node, tree.Stored):
        return isinstance(node.owner, tree.Table)
    steering = tree.Number | tree.Arithmetic | tree.Text | tree.Table
    return isinstance(node, steering | tree.SeatNumber | tree.CurrentPlayer) or (
        isinstance(node, tree.Variable) and node.type in (Type.PLAYER, Type.INT)
    )
