"""RECYCLE games as games: what the contract, the agents and the command line work with."""

from __future__ import annotations

import ctypes
import functools
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any, ClassVar, NamedTuple

from kibitz.components.deck import Deck
from kibitz.core import state as states
from kibitz.core.actions import KIND_BITS, MAX_ACTIONS
from kibitz.core.fingerprint import text_fingerprint
from kibitz.core.game import MOST_TABLES, Game, Table
from kibitz.core.layout import HEADER, GameState, Layout
from kibitz.core.native import Export, compile_text
from kibitz.core.parameters import GameParameters, Tunable
from kibitz.core.status import Status
from kibitz.core.view import view_at
from kibitz.core.wording import counted, listed, player_name
from kibitz.recycle import options, phrases, primitives, tree
from kibitz.recycle.codegen import collections as lists
from kibitz.recycle.codegen.choices import TOLD
from kibitz.recycle.codegen.module import (
    EXPORTS,
    MOST_TRACED,
    TRACED_EXPORTS,
    Compiled,
    compile_program,
    trace_program,
)
from kibitz.recycle.layout import TEAM_LIST, Cycles, Memory, Places, PointMap
from kibitz.recycle.options import UNSEEN, Hidden, Path, Picks
from kibitz.recycle.parser import program, read_header
from kibitz.recycle.tree import Program, Type
from kibitz.syntax.source import Source, Span

WHEN_STUCK = "pass_when_stuck"
"""The parameter that every game has besides its own."""

NO_OPTION = "no option: pass"
"""What is done by players who may pass because they have no option."""

MOST_SHOWN = 20
"""How many cards are named of those that come to be known after an action."""


class Effect(NamedTuple):
    """A card that was moved or shown."""

    action: tree.Action
    card: int
    seen: int
    """The players, as bits, who knew the card then."""


class Effects(NamedTuple):
    """What an action did to cards, in order."""

    option: list[Effect]
    """By the option itself."""
    rules: list[Effect]
    """By what the rules do after it."""


class RecycleGame(Game):
    """A game described in RECYCLE.

    An object of this class is the game for so many players with certain parameters, since the
    locations that it has and the code that it becomes depend on them; ``table`` goes to a
    sibling for others.
    """

    language = "recycle"
    text: ClassVar[Source]
    loops = 4  # Bell, Goadrich 2016, section 4: a layout seen for the fourth time
    declared_players: ClassVar[int] = 1
    """How many players the text says that there are."""
    optimised: ClassVar[bool] = True
    """Whether the machine code is to be quick; else it is quickly made."""
    own_parameters: ClassVar[Mapping[str, str]] = {}
    """The names of parameters as the file has them, by the names that people use."""

    def __init__(
        self,
        compiled: bool | None = None,
        players: int | None = None,
        parameters: GameParameters | None = None,
    ) -> None:
        self.compiled = True  # there is no other form of it
        self._players = self.usual_players if players is None else players
        self._values = self.Parameters(self._players) if parameters is None else parameters
        self._siblings: dict[tuple[int, GameParameters], RecycleGame] = {}
        self._siblings[self._players, self._values] = self
        self._tables: dict[tuple[int, GameParameters], Table] = {}

    @property
    def usual_players(self) -> int:
        """As many as the text says."""
        return self.declared_players

    # -- what the text becomes -------------------------------------------------------------

    @functools.cached_property
    def program(self) -> Program:
        """The rules as a tree.

        Raises:
            SourceError: the text has errors.
        """
        values = {
            name: int(getattr(self._values, public))
            for public, name in self.own_parameters.items()
        }
        return program(self.text, self._players, values)

    @functools.cached_property
    def places(self) -> Places:
        """Where everything lies in the state."""
        return Places(self.program)

    @functools.cached_property
    def translation(self) -> Compiled:
        """The rules as the text of a native module."""
        return compile_program(self.places, self.passes_when_stuck)

    @property
    def passes_when_stuck(self) -> bool:
        """Whether a player without an option passes."""
        return bool(getattr(self._values, WHEN_STUCK))

    @property
    def layout(self) -> Layout:  # type: ignore[override]
        """The layout of the state."""
        return self.places.layout

    @property
    def State(self) -> type[GameState]:  # type: ignore[override]
        """The components of the state."""
        return self.places.state

    @property
    def lowest_score_wins(self) -> bool:  # type: ignore[override]
        """Whether a lower score is a better one."""
        return not self.program.highest_wins

    @functools.cached_property
    def Actions(self) -> RecycleActions:  # type: ignore[override]
        """The kinds of actions."""
        return RecycleActions(self)

    @functools.cached_property
    def _native(self) -> Mapping[str, int]:
        wanted = [name for name in EXPORTS if name != "redeterminize" or self.places.simultaneous]
        externals = primitives.addresses()
        text = self.translation.text
        return compile_text(self.name, text, wanted, externals, self.optimised)

    @property
    def rules_text(self) -> tuple[str, str]:
        """The text that was read."""
        return ".rcy", self.text.text

    @functools.cached_property
    def fingerprint(self) -> str:
        """That of the text."""
        return text_fingerprint(self.text.text)

    def addresses(self) -> dict[str, int]:
        """The addresses of the rule functions."""
        return {name: address for name, address in self._native.items() if name != "tell"}

    def table(self, players: int | None = None, **parameters: Any) -> Table:
        """The game ready for so many players (default: as many as the text says).

        Raises:
            ParameterError: a name, a value or a combination is not allowed.
            SourceError: the text has errors.
        """
        n = self.check_players(players)
        values = self.Parameters(n, **parameters)
        key = (n, values)
        if key not in self._tables:
            if len(self._tables) >= MOST_TABLES:
                self._tables.clear()
                self._siblings.clear()
            game = self._siblings.get(key)
            if game is None:
                game = self._siblings[key] = type(self)(None, n, values)
                game._siblings, game._tables = self._siblings, self._tables
            self._tables[key] = Table(game, n, values)
        return self._tables[key]

    def backs(self, players: int, parameters: GameParameters) -> Sequence[int]:
        """The deck of every card, where there are several."""
        if len(self.places.backs) < 2:
            return ()
        return [self.places.backs.index(card.deck) for card in self.program.cards]

    # -- words -----------------------------------------------------------------------------

    def words(self, state: states.State, action: int) -> str:
        """An action as a sentence."""
        path = self.path(action)
        if path is None:
            return NO_OPTION
        picks = self._picks(state, action)
        return self._said(path, picks) + self._line(state, action, path, picks)

    def told(self, before: states.State, action: int, after: states.State, observer: int) -> str:
        """What `observer` is told of an action: no card that they do not know.

        What is chosen in a simultaneous stage nobody else is told before all have chosen.
        """
        path = self.path(action)
        if path is None:
            return NO_OPTION
        mine = before.current_player == observer
        if (
            self.places.simultaneous
            and not mine
            and self._is_pending(after, before.current_player)
        ):
            return "has chosen"
        picks = self._picks(before, action)
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
        path = self.path(action)
        if path is None:
            return NO_OPTION
        picks = self._picks(before, action)
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
        return phrases.option(self.places, path, self.clauses[path.clause], picks, moved)

    def _line(self, state: states.State, action: int, path: Path, picks: Picks) -> str:
        """Where an option stands in the text, if another has the same words."""
        if not self._is_ambiguous(state, action, path, picks):
            return ""
        line, _ = self.text.position(self.clauses[path.clause].span.start)
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

    # -- what an action does ---------------------------------------------------------------

    @functools.cached_property
    def _trace(self) -> tuple[Callable[..., Any], tuple[tree.Action, ...]]:
        """The function that applies an action and logs it, and the actions that it logs."""
        traced = trace_program(self.places, self.passes_when_stuck)
        wanted = list(TRACED_EXPORTS)
        native = compile_text(
            self.name, traced.text, wanted, primitives.addresses(), optimised=False
        )
        trace = Export(print, TRACED_EXPORTS["trace"]).bind(native["trace"])
        return trace, traced.traced

    def traced(self, before: states.State, action: int) -> tuple[states.State, Effects]:
        """The state after an action, and what it did to cards."""
        trace, actions = self._trace
        log = (ctypes.c_int64 * (3 * (MOST_TRACED + 1)))()
        after = before.clone()
        after.view.tick += 1
        trace(0, after.address, action, ctypes.addressof(log))
        effects = [
            Effect(actions[log[at]], log[at + 1], log[at + 2])
            for at in range(3, 3 * (log[0] + 1), 3)
        ]
        return after, Effects(effects[: log[1]], effects[log[1] :])

    def _effects(self, before: states.State, action: int) -> Effects | None:
        """What an action does to cards; ``None`` where others choose at the same time."""
        return None if self.places.simultaneous else self.traced(before, action)[1]

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
        alike = self._told_alike.get(path.kind, set())
        if not alike or state.is_terminal:
            return False
        legal = state.clone().legal_actions()
        return any(
            options.kind_of(other) in alike and self._picks(state, other) == picks
            for other in legal
        )

    @functools.cached_property
    def _told_alike(self) -> dict[int, set[int]]:
        """For each kind of action those of other clauses that are told in the same words."""
        kinds: dict[tuple[int, str], list[Path]] = {}
        for path in self.translation.paths:
            template = phrases.template(path, self.clauses[path.clause])
            kinds.setdefault((path.choice, re.sub(r"{[^}]*}", "{}", template)), []).append(path)
        return {
            path.kind: {other.kind for other in alike if other.clause != path.clause}
            for alike in kinds.values()
            for path in alike
        }

    def describe(self, state: states.State, observer: int | None) -> str:  # type: ignore[override]
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

    @functools.cached_property
    def clauses(self) -> list[tree.Statement]:
        """The clauses of all choices, in the order of the source."""
        return [clause for choice in self.translation.choices for clause in choice.clauses]

    def path(self, action: int) -> Path | None:
        """What the kind of an action stands for; ``None`` for having no option.

        Raises:
            ValueError: there is no such kind.
        """
        kind = options.kind_of(action)
        if kind == options.PASS_KIND:
            return None
        if kind > len(self.translation.paths):
            raise ValueError(f"{action} is no action of {self.name}")
        return self.translation.paths[kind - 1]

    def decode(self, state: states.State, action: int) -> tuple[int, tuple[Any, ...]]:
        """The number of the clause that an action chooses, and what it picks at its forks.

        A set of cards is a tuple of them; a card that the chooser does not know is ``Hidden``.
        """
        path = self.path(action)
        if path is None:
            return -1, ()
        return path.clause, tuple(self._picks(state, action))

    def _picks(self, state: states.State, action: int) -> Picks:
        """What an action picks at its forks, as far as the chooser knows it.

        Raises:
            ValueError: it can only be told of an action that is legal, and this one is not.
        """
        path = self.path(action)
        if path is None:
            return []
        if path.packed:
            return options.unpack(path, action)
        told = (ctypes.c_int64 * path.room(lists.room_for(len(self.program.cards))))()
        tell = Export(print, EXPORTS["tell"]).bind(self._native["tell"])
        copy = state.clone()
        if tell(0, copy.address, action, ctypes.addressof(told)) != TOLD:
            raise ValueError(f"{action} is no option of {self.name} here")
        return options.read_told(path, list(told))

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
            sites = self.translation.sites
            return sites[number - 1] if 1 <= number <= len(sites) else None
        # the choice that was waited at
        if state.status == Status.DEAD_END:
            clauses = self.translation.choices[number].clauses
            lines = {self.text.position(clause.span.start)[0]: None for clause in clauses}
            where = f"line{'s' * (len(lines) > 1)} {listed([str(line) for line in lines])}"
            why = f"player {header.player + 1} has no option by {where} ("
            why += f"{self._cards_of(state, int(header.player))})"
        elif state.status == Status.FULL_BUFFER:
            why = f"player {header.player + 1} has more than {MAX_ACTIONS} options; "
            why += "let less be decided at once"
        else:
            return None
        return self.translation.choices[number].span, why


@dataclass(frozen=True)
class OptionKind:
    """One way through a clause of a choice, as a kind of action.

    Attributes:
        name: where it stands in the text.
        template: its words, with a place for what is picked at each fork.
        sizes: how many different picks each fork's operand can tell apart; or how many digests
            there are.
    """

    name: str
    template: str
    sizes: tuple[int, ...]

    @property
    def size(self) -> int:
        """How many different actions there can be of this kind."""
        return math.prod(self.sizes)

    @property
    def action(self) -> OptionKind:
        """Itself: where kinds of actions have their declaration."""
        return self


class RecycleActions:
    """The actions of a RECYCLE game, as ``ActionKinds`` has them for games in Python."""

    def __init__(self, game: RecycleGame) -> None:
        self.game = game
        places = game.places
        cards = len(places.card_names)
        self._kinds: list[OptionKind] = [OptionKind("stuck", NO_OPTION, ())]
        for path in game.translation.paths:
            template = phrases.template(path, game.clauses[path.clause])
            line = places.program.source.position(
                game.translation.choices[path.choice].span.start
            )[0]
            if not path.packed:
                digests = 1 << options.DIGEST_BITS
                self._kinds.append(OptionKind(f"line {line}", template, (digests,)))
                continue
            sizes = []
            for fork in path.forks:
                assert fork.bits is not None
                known = {
                    Type.CARD: cards,
                    Type.PLAYER: places.players,
                    Type.TEAM: places.teams,
                    Type.STR: len(places.words),
                    Type.PILE: places.place_count,
                }.get(fork.binding.type, 1 << fork.bits)
                sizes.append(known + fork.hidden * cards * places.place_count)
            self._kinds.append(OptionKind(f"line {line}", template, tuple(sizes)))

    def __iter__(self) -> Iterator[OptionKind]:
        return iter(self._kinds if self.game.passes_when_stuck else self._kinds[1:])

    def parse(self, text: str) -> int | None:
        """Actions are recognised among those that are legal: not from the words alone."""
        return None

    def total(self) -> int:
        """How many distinct actions there could be: the length of an RL mask."""
        return sum(kind.size for kind in self._kinds)

    def index(self, action: int) -> int:
        """The action's place in an RL mask, 0 .. total() - 1, the same for ever.

        Raises:
            ValueError: there is no such action.
        """
        path = self.game.path(action)
        if path is None:
            return 0
        first = sum(kind.size for kind in self._kinds[: path.kind])
        if not path.packed:
            return first + (action >> KIND_BITS)
        index = 0
        for operand, fork, size in zip(
            options.operands(path, action), path.forks, self._kinds[path.kind].sizes, strict=True
        ):
            pick = options.as_card(operand) if fork.binding.type is Type.CARD else operand
            if isinstance(pick, Hidden):
                cards = len(self.game.places.card_names)
                value = cards + pick.place * cards + pick.position
            else:
                value = pick
            if value >= size:
                raise ValueError(f"{action} is no action of {self.game.name}")
            index = index * size + value
        return first + index


_TAKEN = ("self", "players", WHEN_STUCK)
"""Names that no parameter of a text can have for people."""


def game_class(source: Source, name: str | None = None) -> type[RecycleGame]:
    """The class of the game that a text describes. Its rules are read when they are needed."""
    header = read_header(source)
    stem = FilePath(source.name).stem
    declared: dict[str, Any] = {}
    own: dict[str, str] = {}
    for parameter in header.parameters:
        public = parameter.name.lower()
        while public in own or public in _TAKEN or hasattr(GameParameters, public):
            public = f"the_{public}"
        own[public] = parameter.name
        declared[public] = Tunable(
            parameter.default, range(parameter.low, parameter.high + 1), parameter.doc
        )
    declared[WHEN_STUCK] = Tunable(
        False, doc="a player without an option passes, instead of the game breaking off"
    )
    parameters = type("Parameters", (GameParameters,), declared)
    members = {
        "__doc__": header.about or f"{header.title or stem}, a game described in RECYCLE.",
        "__module__": __name__,
        "name": name or re.sub(r"[^a-z0-9]+", "-", stem.lower()).strip("-"),
        "title": header.title or stem,
        "players": (header.least_players, header.most_players),
        "declared_players": header.usual_players,
        "source": header.url,
        "categories": ("card game", *header.words.categories),
        "mechanics": header.words.mechanics,
        "Parameters": parameters,
        "text": source,
        "own_parameters": own,
    }
    return type(re.sub(r"\W", "", stem) or "Unnamed", (RecycleGame,), members)


def load(path: str | FilePath) -> RecycleGame:
    """The game in a file.

    Raises:
        FileError: the file cannot be used.
    """
    return game_class(Source.load(path))()


__all__ = ["Hidden", "RecycleGame", "game_class", "load"]
