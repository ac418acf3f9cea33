"""Actions and states of a game in RECYCLE in words."""

from __future__ import annotations

from kibitz.components.deck import Deck
from kibitz.core import state as states
from kibitz.core.actions import MAX_ACTIONS
from kibitz.core.layout import HEADER
from kibitz.core.status import Status
from kibitz.core.view import view_at
from kibitz.core.wording import counted, listed, player_name
from kibitz.recycle import options, phrases, tree
from kibitz.recycle.layout import TEAM_LIST, Cycles, Memory, PointMap
from kibitz.recycle.options import UNSEEN, Path, Picks
from kibitz.recycle.rules import NO_OPTION, Effects, RecycleRules
from kibitz.recycle.tree import Type
from kibitz.syntax.source import Span

MOST_SHOWN = 20
"""How many cards are named of those that come to be known after an action."""


class Telling:
    """The words for what happens at the tables of one ``RecycleRules``."""

    def __init__(self, rules: RecycleRules) -> None:
        self.rules = rules
        self.places = rules.places
        self.text = rules.program.source

    def words(self, state: states.State, action: int) -> str:
        """An action as a sentence."""
        path = self.rules.path(action)
        if path is None:
            return NO_OPTION
        picks = self.rules.picks(state, action)
        return self._said(path, picks) + self._line(state, action, path, picks)

    def told(self, before: states.State, action: int, after: states.State, observer: int) -> str:
        """What `observer` is told of an action: no card that they do not know.

        What is chosen in a simultaneous stage nobody else is told before all have chosen.
        """
        path = self.rules.path(action)
        if path is None:
            return NO_OPTION
        mine = before.current_player == observer
        if (
            self.places.simultaneous
            and not mine
            and self._is_pending(after, before.current_player)
        ):
            return "has chosen"
        picks = self.rules.picks(before, action)
        effects = self._effects(before, action)
        if not mine:
            picks = self._unless_unknown(path, picks, before, after, effects, observer)
        return self._said(path, picks, effects, 1 << observer) + self._shown_then(before, effects)

    def _unless_unknown(
        self,
        path: Path,
        picks: Picks,
        before: states.State,
        after: states.State,
        effects: Effects | None,
        observer: int,
    ) -> Picks:
        """What was picked, without the cards that `observer` does not know."""
        known = self._known(before, observer)
        if effects is None:
            known |= self._known(after, observer)
        else:  # who knew what lies in a hand need not see which of it is moved
            known -= {effect.card for effect in effects.option}
            known |= {effect.card for effect in effects.option if effect.seen >> observer & 1}
        told: Picks = []
        for fork, pick in zip(path.forks, picks, strict=True):
            if fork.binding.type is Type.CARD and isinstance(pick, int):
                told.append(pick if pick in known else UNSEEN)
            elif isinstance(pick, tuple):
                told.append(tuple(one if one in known else UNSEEN for one in pick))
            else:
                told.append(pick)
        return told

    def transcribed(self, before: states.State, action: int) -> str:
        """An action in its words, with the cards that everybody knows once it is done."""
        path = self.rules.path(action)
        if path is None:
            return NO_OPTION
        picks = self.rules.picks(before, action)
        effects = self._effects(before, action)
        said = self._said(path, picks, effects, (1 << before.players) - 1)
        line = self._line(before, action, path, picks)
        return said + line + self._shown_then(before, effects)

    def _said(
        self,
        path: Path,
        picks: Picks,
        effects: Effects | None = None,
        viewers: int = 0,
    ) -> str:
        """An option as a sentence; executed, with the cards that all `viewers` (bits) know."""
        moved: dict[tree.Action, list[str]] | None = None
        if effects is not None:
            moved = {}
            for effect in effects.option:
                known = effect.seen & viewers == viewers
                name = self.places.card_names[effect.card] if known else phrases.UNKNOWN
                moved.setdefault(effect.action, []).append(name)
        return phrases.option(self.places, path, self.rules.clauses[path.clause], picks, moved)

    def _line(self, state: states.State, action: int, path: Path, picks: Picks) -> str:
        """Where an option stands in the text, if another has the same words."""
        if not self._is_ambiguous(state, action, path, picks):
            return ""
        line, _ = self.text.position(self.rules.clauses[path.clause].span.start)
        return f" (line {line})"

    def _shown_then(self, before: states.State, effects: Effects | None) -> str:
        """The cards that everybody comes to know by what the rules do after an option."""
        if effects is None:
            return ""
        everybody = (1 << before.players) - 1
        known = set.intersection(*(self._known(before, p) for p in range(before.players)))
        known |= {e.card for e in effects.option if e.seen & everybody == everybody}
        shown = dict.fromkeys(e.card for e in effects.rules if e.seen & everybody == everybody)
        names = [self.places.card_names[card] for card in shown if card not in known]
        if len(names) > MOST_SHOWN:
            names[MOST_SHOWN:] = [f"and {len(names) - MOST_SHOWN} more"]
        return f"; shown then: {', '.join(names)}" if names else ""

    def _is_pending(self, state: states.State, player: int) -> bool:
        """Whether what a player has committed to is yet to be executed."""
        return bool(state.view.commitment[player].length)

    def _effects(self, before: states.State, action: int) -> Effects | None:
        """What an action does to cards; ``None`` where others choose at the same time."""
        return None if self.places.simultaneous else self.rules.traced(before, action)[1]

    def _known(self, state: states.State, player: int) -> set[int]:
        """The cards that a player knows the places of."""
        return {
            view.cards[i]
            for instance, view in state.instances()
            if isinstance(instance.component, Deck) and not isinstance(instance.component, Memory)
            for i in range(view.count)
            if view.seen[i] >> player & 1
        }

    def _is_ambiguous(self, state: states.State, action: int, path: Path, picks: Picks) -> bool:
        """Whether the same words, by another clause, are an option as well."""
        alike = self.rules.worded_alike.get(path.kind, set())
        if not alike or state.is_terminal:
            return False
        legal = state.clone().legal_actions()
        return any(
            options.kind_of(other) in alike and self.rules.picks(state, other) == picks
            for other in legal
        )

    def describe(self, state: states.State, observer: int | None) -> str:
        """The state as text: the table, then each player in a line."""
        piles: list[str] = []
        stored: list[str] = []
        seats: list[list[str]] = [[] for _ in range(state.players)]
        for instance, view in state.instances():
            if isinstance(instance.component, Cycles | PointMap):
                continue
            label = instance.path.partition("[")[0]
            one_of_many = isinstance(instance.component, Deck) and label not in self.places.shown
            if label == TEAM_LIST or (one_of_many and view.count == 0):
                continue
            text = f"{self._shown(label)}: {instance.component.describe(view)}"
            if instance.owner is not None:
                seats[instance.owner].append(text)
            elif isinstance(instance.component, Deck):
                piles.append(text)
            else:
                stored.append(text)
        lines = [text[:1].upper() + text[1:] for text in [*piles, "; ".join(stored)] if text]
        for player, texts in enumerate(seats):
            if texts:
                name = player_name(player, observer).capitalize()
                lines.append(f"{name}: {'; '.join(texts)}")
        return "\n".join([state.headline(), *lines])

    def _shown(self, label: str) -> str:
        """A label of the layout in people's words: one of several has its number."""
        if label in self.places.shown:
            return self.places.shown[label]
        name, _, number = label.rpartition("_")
        if name in self.places.shown and number.isdigit():
            return f"{self.places.shown[name]} {number}"
        return label.replace("_", " ")

    def explain(self, state: states.State) -> str | None:
        """Where in the text, and why, the rules broke the game off."""
        fault = self.fault(state)
        if fault is None:
            return None
        line, column = self.text.position(fault[0].start)
        return f"{self.text.name}:{line}:{column}: {fault[1]}"

    def _cards_of(self, state: states.State, player: int) -> str:
        """The cards that a player has, by location."""
        told = []
        for instance, view in state.instances():
            deck = instance.component
            if instance.owner != player or not isinstance(deck, Deck) or isinstance(deck, Memory):
                continue
            if view.count:
                many = view.count > MOST_SHOWN
                cards = counted(view.count, "card") if many else deck.describe(view)
                told.append(f"{self._shown(instance.path.partition('[')[0])}: {cards}")
        return "; ".join(told) or "no cards of their own"

    def fault(self, state: states.State) -> tuple[Span, str] | None:
        """The place in the text that broke the game off, and why."""
        header = view_at(state.address, HEADER)
        number = int(header.phase)
        if state.status in (Status.RULES_ERROR, Status.ENDLESS):
            sites = self.rules.translation.sites
            return sites[number - 1] if 1 <= number <= len(sites) else None
        # the choice that was waited at
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
