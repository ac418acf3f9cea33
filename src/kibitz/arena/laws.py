"""The laws that a game keeps to, each a function that looks at a state and yields findings.

``Inspector`` holds what is checked in every state of a game; ``STATE_LAWS`` are checked in a
few states of each, since they play on from there.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import math
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from kibitz.arena.findings import Finding, Law
from kibitz.arena.inspection import (
    CardCounts,
    count_cards,
    differences,
    most_common_share,
    places,
    show_card_change,
    show_differences,
    slot_problem,
    slotted,
    uncertain,
)
from kibitz.arena.watched import explain
from kibitz.components import Deck
from kibitz.core.actions import ActionKinds, kind, operand, pack
from kibitz.core.errors import DeadEndError, FileError, IllegalActionError, LimitError
from kibitz.core.layout import Instance
from kibitz.core.state import State
from kibitz.core.status import Status
from kibitz.core.view import RecordView, memory_at, view_at

SAMPLE_SEEDS = (1, 2, 3)
"""With these the hidden part of a state is resampled for each observer."""

VARIED = 8
"""In so many samples of a state it is looked for what varies."""

CERTAINTY = 12.0
"""Samples vary too little when chance explains it less often than once in 10 to this power."""

ACTIONS_TRIED = 24
"""Of the legal actions of a state, how many are tried."""

MOVES_AHEAD = 4
"""How far copies and samples are played on."""


# --- in every state -------------------------------------------------------------------------


class Inspector:
    """Checks the states of one game, looking again only at what has changed."""

    def __init__(self, start: State) -> None:
        self.cards: CardCounts = count_cards(start) if not unsafe(start) else {}
        self._conserved: bool = start.game.conserved
        blank = int(start.table.record["blank"][0])
        self._blank = memory_at(blank, start.table.state_size).tobytes()
        self._last: dict[str, bytes] = {}

    def inspect(self, state: State, tick: int) -> list[Finding]:
        """What is wrong with the state after `tick` actions."""
        found = [*header_law(state, tick)]
        if any(finding.fatal for finding in found):
            return found
        found += unsafe(state)
        if any(finding.fatal for finding in found):
            return found
        content = bytes(state)
        changed = False
        for instance in state.game.layout.instances:
            part = content[instance.offset : instance.offset + instance.dtype.itemsize]
            if self._last.get(instance.path) != part:
                self._last[instance.path] = part
                found += self._component(instance, state, part)
                changed = True
        if changed and self._conserved:
            found += conservation_law(self.cards, state)
        if state.status in (Status.PLAYING, Status.FINISHED):
            found += results_law(state)
        return found

    def _component(self, instance: Instance, state: State, part: bytes) -> Iterator[Finding]:
        if instance.owner is not None and instance.owner >= state.players:
            start = instance.offset
            if part != self._blank[start : start + len(part)]:
                yield Finding(
                    Law.COMPONENT,
                    f"it changed, yet with {state.players} players nobody sits there",
                    instance.path,
                    "loop over state.players only.",
                )
            return
        view = RecordView(memoryview(part), 0, instance.dtype)
        if problem := instance.component.problem(view):
            yield Finding(Law.COMPONENT, problem, instance.path, _COMPONENT_CURE)
        if isinstance(instance.component, Deck):
            yield from kept_sight_law(instance, view)


_COMPONENT_CURE = "change it with the component's own functions, such as move_card."


def unsafe(state: State) -> list[Finding]:
    """Hideable values that the engine could not work with."""
    content = bytes(state)
    return [
        Finding(Law.COMPONENT, problem, instance.path, _COMPONENT_CURE, fatal=True)
        for instance, slots in slotted(state.game.layout, state.players)
        if (problem := slot_problem(content, instance, slots))
    ]


def header_law(state: State, tick: int) -> Iterator[Finding]:
    """The header's numbers make sense; those that the engine keeps are left alone."""
    header = state.view
    seats = range(state.players)
    rules: dict[str, tuple[bool, str]] = {
        "players": (header.players == state.players, f"{state.players}, as at the start"),
        "player": (header.player in seats, f"within 0 .. {state.players - 1}"),
        "turn_owner": (header.turn_owner in seats, f"within 0 .. {state.players - 1}"),
        "first_player": (header.first_player in seats, f"within 0 .. {state.players - 1}"),
        "tick": (header.tick == tick, f"{tick}, the number of actions: the engine counts them"),
        "status": (header.status in list(Status), "a Status"),
        "direction": (header.direction in (-1, 1), "1 or -1"),
        "skip": (header.skip >= 0, "0 or more"),
        "pending": (header.pending >= 0, "0 or more"),
    }
    if state.game.phases is not None:
        known = header.phase in list(state.game.phases)
        rules["phase"] = (known, f"a member of {state.game.phases.__name__}")
    for name, (right, wanted) in rules.items():
        if not right:
            value = getattr(header, name)
            yield Finding(Law.HEADER, f"it is {value} and should be {wanted}", name, fatal=True)
    if not all(0 <= word < 1 << 32 for word in header.rng):
        yield Finding(
            Law.HEADER,
            "the random stream was overwritten",
            "rng",
            "draw from it with random_below, roll or shuffle_deck only.",
            fatal=True,
        )
    for p in range(state.players, len(header.seat)):
        seat = header.seat[p]
        if seat.score or seat.returns or seat.place or seat.out:
            message = f"it changed, yet with {state.players} players nobody sits there"
            yield Finding(
                Law.HEADER, message, f"seat[{p}]", "loop over state.players only.", fatal=True
            )


def kept_sight_law(instance: Instance, view: object) -> Iterator[Finding]:
    """Who may look into a deck sees every card in it."""
    deck: Deck = view  # type: ignore[assignment]
    for i in range(deck.count):
        missing = deck.shown_to & ~deck.seen[i]
        if missing:
            player = (missing & -missing).bit_length()
            yield Finding(
                Law.KEPT_SIGHT,
                f"card {i} is not known to player {player}, who may look into this deck",
                instance.path,
                "move cards with move_card or draw_card, which keep what is known; for cards "
                "that lie face down among open ones declare Visibility.NOBODY and use show_card.",
            )
            return


def conservation_law(before: CardCounts, state: State) -> Iterator[Finding]:
    """As many of each card as after setup."""
    if change := show_card_change(before, count_cards(state)):
        yield Finding(
            Law.CONSERVED,
            f"since setup the cards have changed: {change}",
            ", ".join(cards.name for cards in before),
            "move every card that is taken somewhere (move_card, draw_card, trade_decks); if "
            "cards do come and go in this game, set conserved = False in its class.",
        )


def results_law(state: State) -> Iterator[Finding]:
    """Places and returns agree with each other and with whether the game is over."""
    final, returns = state.places(), state.returns()
    if state.status == Status.PLAYING:
        if any(final) or any(returns):
            yield Finding(
                Law.RESULTS,
                f"the game goes on, yet places are {final} and returns {returns}",
                "seat",
                "set both when the game ends; until then use score and out.",
            )
        return
    cure = "end the game with win, draw_game or finish_by_score, which set both."
    if problem := _bad_places(final) or _bad_returns(final, returns):
        yield Finding(
            Law.RESULTS,
            f"the game is over with places {final} and returns {returns}: {problem}",
            "seat",
            cure,
        )


def _bad_places(found: list[int]) -> str | None:
    """What is wrong with final places, in words; equal ones may count once or each."""
    if min(found) < 1:
        return "a place was not set"
    if min(found) > 1:
        return None if len(set(found)) == 1 else "nobody is first, yet not all have lost alike"
    for place in found:
        better = [other for other in found if other < place]
        if not len(set(better)) < place <= len(better) + 1:
            return f"place {place} does not follow from the others"
    return None


def _bad_returns(found: list[int], returns: list[float]) -> str | None:
    if not all(-1.0 <= value <= 1.0 for value in returns):
        return "a return is not within -1 .. 1"
    ranked = sorted(zip(found, returns, strict=True))
    for (place, value), (next_place, next_value) in itertools.pairwise(ranked):
        if next_place > place and next_value > value:
            return "a worse place has the higher return"
    return None


# --- in some states -------------------------------------------------------------------------


@dataclass
class Variation:
    """Which components vary in samples, as they must where they are hidden.

    Attributes:
        varied: the components that did.
        constant: for each one that could have varied and did not, how surprising that is, as a
            negative logarithm.
    """

    varied: set[str] = field(default_factory=set)
    constant: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))

    def findings(self) -> Iterator[Finding]:
        """The components that never varied, though chance alone would have seen to it."""
        for name, surprise in self.constant.items():
            if surprise > CERTAINTY and name not in self.varied:
                yield Finding(
                    Law.VARIES,
                    "what is hidden in it was the same in all samples of a state, always",
                    name,
                    "redeterminize, or possible, insists on one deal: leave it to chance.",
                )


@dataclass
class Case:
    """A state to be examined.

    Attributes:
        state: the state; laws play on in copies only.
        inspector: of the game that it comes from.
        rng: for choices that the laws leave open.
        checked: how often what was looked at.
        lengths: how many numbers the vectors of observations had so far.
        variation: what varied in samples so far.
    """

    state: State
    inspector: Inspector
    rng: random.Random
    checked: Counter[str]
    lengths: set[int] = field(default_factory=set)
    variation: Variation = field(default_factory=lambda: Variation())

    def some_actions(self) -> list[int]:
        """The legal actions, or a choice of them where there are many."""
        legal = self.state.legal_actions()
        return self.rng.sample(legal, ACTIONS_TRIED) if len(legal) > ACTIONS_TRIED else legal


StateLaw = Callable[[Case], Iterator[Finding]]


def clone_law(case: Case) -> Iterator[Finding]:
    """A copy is equal, hashes alike, and can be played without a trace in the original."""
    state = case.state
    before = bytes(state)
    copy = state.clone()
    if copy != state or hash(copy) != hash(state) or bytes(copy) != before:
        yield Finding(Law.CLONE, "a fresh copy is not equal to its original")
    _play_on(copy, case.rng, MOVES_AHEAD)
    if bytes(state) != before:
        shown = show_differences(state.game.layout, before, bytes(state))
        yield Finding(
            Law.CLONE,
            f"playing on in a copy changed the original: {shown}",
            cure="keep everything that changes in the declared State.",
        )
    if copy.tick > state.tick and copy == state:
        yield Finding(Law.CLONE, "a copy is equal to its original after further actions")


def serialise_law(case: Case) -> Iterator[Finding]:
    """Bytes and JSON give back the state, JSON the parameters."""
    state = case.state
    table = state.table
    if State.from_bytes(table, bytes(state)) != state:
        yield Finding(Law.SERIALISE, "the state that from_bytes made is another one")
    text = json.dumps(state.to_json(), allow_nan=False)
    try:
        if State.from_json(table, text) != state:
            yield Finding(Law.SERIALISE, "the state that from_json made is another one")
    except FileError as problem:
        if not any(i.component.problem(view) for i, view in state.instances()):
            yield Finding(Law.SERIALISE, f"from_json refuses it: {problem}")
    again = type(table.parameters)(state.players, **json.loads(text)["parameters"])
    if again != table.parameters:
        yield Finding(Law.SERIALISE, f"JSON turns the parameters {table.parameters} into {again}")


def legal_law(case: Case) -> Iterator[Finding]:
    """Each legal action can be played, and leads to a state in order."""
    state = case.state
    for action in case.some_actions():
        case.checked["actions tried"] += 1
        after = state.clone()
        try:
            after.apply(action)
            found = case.inspector.inspect(after, state.tick + 1)
            if not found:
                after.legal_actions()
        except LimitError:
            continue
        except Exception as problem:
            found = [explain(problem)]
        for finding in found:
            message = f"after {state.action_words(action)!r}: {finding.message}"
            yield dataclasses.replace(finding, message=message, then=(action,))


def words_law(case: Case) -> Iterator[Finding]:
    """Each legal action is of a declared kind, is said in words, and these are read as it."""
    kinds = case.state.game.Actions
    for action in case.some_actions():
        if problem := _undeclared(kinds, action):
            yield Finding(
                Law.WORDS, problem, cure="pack only values that the declared Action allows."
            )
            continue
        words = kinds.words(action)
        read = kinds.parse(words)
        if read != action:
            what = "nothing" if read is None else f"another action, {read}"
            yield Finding(
                Law.WORDS,
                f"{words!r}, the words for action {action}, are read as {what}",
                f"{kinds.__name__}.{kinds(kind(action)).name}",
                "give each kind a template, and each value of an operand words, of its own.",
                then=(action,),
            )


def _undeclared(kinds: type[ActionKinds], action: int) -> str | None:
    """Why an action is none that was declared, in words."""
    if action < 0 or kind(action) >= len(kinds):
        return f"action {action} is of kind {kind(action)}, and there are {len(kinds)} kinds"
    declared = list(kinds)[kind(action)]
    domains = declared.action.domains
    operands = [operand(action, i) for i in range(len(domains))]
    for (name, domain), value in zip(domains.items(), operands, strict=True):
        if value >= len(domain):
            return f"{declared.name} has {name} = {value}, which is none of {len(domain)} values"
    if pack(declared, *operands) != action:
        return f"{declared.name} was packed with more operands, or larger ones, than it declares"
    return None


def index_law(case: Case) -> Iterator[Finding]:
    """Each legal action has a place of its own in a mask, and can be found by it."""
    kinds = case.state.game.Actions
    for action in case.some_actions():
        if _undeclared(kinds, action):
            continue
        index = kinds.index(action)
        if not 0 <= index < kinds.total() or kinds.at(index) != action:
            yield Finding(
                Law.INDEX,
                f"{kinds.words(action)!r} has place {index} of {kinds.total()}, where another "
                "action is",
                f"{kinds.__name__}.{kinds(kind(action)).name}",
            )


def refused_law(case: Case) -> Iterator[Finding]:
    """Actions that are not legal are refused, and leave the state as it was."""
    state = case.state
    kinds = state.game.Actions
    legal = set(state.legal_actions())
    candidates = [kinds.at(case.rng.randrange(kinds.total())) for _ in range(8)]
    for action in [*[a for a in candidates if a not in legal][:2], 255]:
        copy = state.clone()
        refused = False
        try:
            copy.apply(action)
        except IllegalActionError:
            refused = True
        if not refused or copy != state:
            words = state.action_words(action)
            yield Finding(Law.REFUSED, f"{words!r}, which is not legal, changed the state")


def shown_law(case: Case) -> Iterator[Finding]:
    """The state can be put into text, JSON and numbers, for everyone who looks at it."""
    for observer in (None, *range(case.state.players)):
        who = "everyone" if observer is None else f"player {observer + 1}"
        try:
            problem = _show(case, observer)
        except Exception as failure:
            problem = explain(failure).message
        if problem:
            cure = "remember that values hidden from the observer are -1 in what is shown."
            yield Finding(Law.SHOWN, f"it cannot be shown to {who}: {problem}", cure=cure)
            return


def _show(case: Case, observer: int | None) -> str | None:
    """Shows the state in every way; what is wrong with the result, in words."""
    state = case.state
    if not isinstance(state.describe(observer), str):
        return "describe gives no text"
    if observer is None:
        return None
    json.dumps(state.masked(observer).to_json(), allow_nan=False)
    vector = state.features(observer)
    case.lengths.add(len(vector))
    if len(case.lengths) > 1:
        return f"it has {len(vector)} features, and other states have {min(case.lengths)}"
    return None if all(math.isfinite(x) for x in vector) else "a feature is not finite"


def heuristic_law(case: Case) -> Iterator[Finding]:
    """The heuristic is a number from -1 to 1 for every player."""
    for p in range(case.state.players):
        yield from _heuristic_in_range(case.state, p, "")


def _heuristic_in_range(state: State, player: int, where: str) -> Iterator[Finding]:
    value = state.heuristic(player)
    if not -1.0 <= value <= 1.0:
        yield Finding(
            Law.HEURISTIC,
            f"{where}for player {player + 1} it is {value}",
            "heuristic",
            "scale it to -1 .. 1, and never divide by zero.",
        )


# --- what is hidden -------------------------------------------------------------------------


def knowledge_laws(case: Case) -> Iterator[Finding]:
    """All laws about what players know, for each of them."""
    for p in range(case.state.players):
        if not believes(case.state, p):
            yield Finding(
                Law.POSSIBLE,
                f"possible() rejects the true state on behalf of player {p + 1}",
                "possible",
                "it may exclude only what this player can exclude for certain.",
            )
        if next(places(case.state), None) or case.state.game.redeterminize:
            yield from _sample_laws(case, p)
            _note_variation(case, p)


def believes(state: State, player: int) -> bool:
    """Whether the game's ``possible`` accepts the state; without one, everything is accepted."""
    possible = type(state.game).possible
    if possible is None:
        return True
    table = state.table
    params = view_at(int(table.record["context"][0]), table.parameters.dtype())
    return bool(possible(state.view, params, player))


def _sample_laws(case: Case, player: int) -> Iterator[Finding]:
    """The laws of one observer's samples."""
    state = case.state
    for seed in SAMPLE_SEEDS:
        case.checked["samples"] += 1
        sample = state.observe(player, seed)
        found = unsafe(sample) or [
            *_looks_same_law(state, sample, player),
            *_blind_law(state, sample, player),
            *_sample_in_order(case, sample, player),
        ]
        where = f"in state.observe({player}, seed={seed}): "
        for finding in found:
            yield dataclasses.replace(finding, message=where + finding.message)
        if found:
            return


def _looks_same_law(state: State, sample: State, player: int) -> Iterator[Finding]:
    layout = state.game.layout
    true, seen = bytes(state.masked(player)), bytes(sample.masked(player))
    found = differences(layout, true, seen)
    if not found:
        return
    shown = show_differences(layout, true, seen)
    if any(place.path == leaf.path for place in places(state) for leaf in found):
        yield Finding(
            Law.LOOKS_SAME,
            f"what player {player + 1} has seen differs: {shown}",
            found[0].path,
            "redeterminize may exchange only what this player has not seen (knows_card).",
        )
    else:
        yield Finding(
            Law.LOOKS_SAME,
            f"an open number differs, so it depends on what is hidden: {shown}",
            found[0].path,
            "what is hidden belongs in a component that declares who sees it: everyone can read "
            "all others.",
        )


def _blind_law(state: State, sample: State, player: int) -> Iterator[Finding]:
    """A sample of a sample is the sample of the state with the same seed."""
    again = 11
    direct, indirect = state.observe(player, again), sample.observe(player, again)
    if direct != indirect:
        shown = show_differences(state.game.layout, bytes(direct), bytes(indirect))
        yield Finding(
            Law.BLIND,
            f"two states that look the same to player {player + 1} are resampled differently: "
            f"{shown}",
            "redeterminize",
            "it may read only what this player knows, and draw only from state.rng.",
        )


def _sample_in_order(case: Case, sample: State, player: int) -> Iterator[Finding]:
    """A sample has the same cards, the same choice for its observer, and can be played."""
    state = case.state
    yield from _heuristic_in_range(sample, player, "")
    if state.game.conserved:
        yield from conservation_law(case.inspector.cards, sample)
    if not believes(sample, player):
        yield Finding(
            Law.POSSIBLE,
            f"no deal was found that possible() accepts for player {player + 1}",
            "possible",
            "it rules out nearly everything: let it read what this player knows, or write a "
            "redeterminize that deals to fit.",
        )
    if state.is_terminal:
        return
    if state.current_player == player:
        yield from _own_actions_law(state, sample, player)
    try:
        case.checked["sampled moves"] += _play_on(sample, case.rng, MOVES_AHEAD)
    except LimitError:
        return
    except Exception as problem:
        finding = explain(problem)
        yield dataclasses.replace(
            finding,
            law=Law.PLAYS_ON,
            cure="rules must not rely on hidden cards being as they truly are; if such a deal "
            "cannot be, exclude it in possible().",
        )


def _own_actions_law(state: State, sample: State, player: int) -> Iterator[Finding]:
    true, sampled = set(state.legal_actions()), _offers(sample)
    if true != sampled:
        words = sorted(state.action_words(action) for action in true ^ sampled)
        yield Finding(
            Law.OWN_ACTIONS,
            f"whether player {player + 1} may {words[0]!r} depends on what they do not know",
            "legal_actions",
            "decide by what the player can see; let apply_action find out about the rest.",
        )


def _offers(state: State) -> set[int]:
    try:
        return set(state.legal_actions())
    except DeadEndError:
        return set()


def _note_variation(case: Case, player: int) -> None:
    """Takes note of what varies among the samples of one observer."""
    state = case.state
    unsure = uncertain(state, player)
    if not unsure:
        return
    samples = [bytes(state.observe(player, seed)) for seed in range(VARIED)]
    for name, group in itertools.groupby(unsure, key=lambda place: place.component):
        hidden = list(group)
        if any(len({sample[p.span] for sample in samples}) > 1 for p in hidden):
            case.variation.varied.add(name)
        else:
            common = most_common_share(state, player, hidden[0])
            case.variation.constant[name] -= (VARIED - 1) * math.log10(common)


def _play_on(state: State, rng: random.Random, moves: int) -> int:
    """Plays random actions, at most so many; returns how many."""
    for move in range(moves):
        if state.is_terminal:
            return move
        state.apply(rng.choice(state.legal_actions()))
    return moves


STATE_LAWS: tuple[StateLaw, ...] = (
    clone_law,
    serialise_law,
    words_law,
    index_law,
    legal_law,
    refused_law,
    shown_law,
    heuristic_law,
    knowledge_laws,
)
