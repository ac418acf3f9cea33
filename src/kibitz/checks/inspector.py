"""The laws that are checked in every state of a game: header, components, cards, results."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from kibitz.checks.contents import (
    CardCounts,
    count_cards,
    show_card_change,
    slot_problem,
    slotted,
)
from kibitz.checks.laws import Law
from kibitz.components import Deck
from kibitz.core.layout import Instance
from kibitz.core.state import State
from kibitz.core.status import Status
from kibitz.core.utility import is_zero_sum, utilities, utility_at
from kibitz.core.view import RecordView, memory_at
from kibitz.syntax.findings import Finding


class Inspector:
    """Checks the states of one game; looks again only at what has changed."""

    def __init__(self, start: State) -> None:
        self.cards: CardCounts = count_cards(start) if not unsafe(start) else {}
        self._conserved: bool = start.table.game.conserved
        blank = int(start.table.record["blank"][0])
        self._blank = memory_at(blank, start.table.state_size).tobytes()
        self._last: dict[str, bytes] = {}

    def begin(self) -> None:
        """Resets the inspector: the next state does not follow from the last one."""
        self._last.clear()

    def inspect(self, state: State, tick: int) -> list[Finding]:
        """The problems of the state after `tick` actions."""
        findings = [*header_law(state, tick)]
        if any(finding.fatal for finding in findings):
            return findings
        findings += unsafe(state)
        if any(finding.fatal for finding in findings):
            return findings
        content = bytes(state)
        changed = False
        for instance in state.table.layout.instances:
            record = content[instance.offset : instance.offset + instance.dtype.itemsize]
            if self._last.get(instance.path) != record:
                self._last[instance.path] = record
                findings += self._component(instance, state, record)
                changed = True
        if changed and self._conserved:
            findings += conservation_law(self.cards, state)
        if state.status in (Status.PLAYING, Status.FINISHED):
            findings += results_law(state)
        if state.status == Status.FINISHED:
            findings += scores_law(state)
        return findings

    def _component(self, instance: Instance, state: State, record: bytes) -> Iterator[Finding]:
        if instance.owner is not None and instance.owner >= state.players:
            start = instance.offset
            if record != self._blank[start : start + len(record)]:
                yield Finding(
                    Law.COMPONENT,
                    f"it changed, yet with {state.players} players nobody sits there",
                    instance.path,
                    "loop over state.players only.",
                )
            return
        view = RecordView(memoryview(record), 0, instance.dtype)
        if problem := instance.component.problem(view):
            yield Finding(Law.COMPONENT, problem, instance.path, _COMPONENT_CURE)
        if isinstance(instance.component, Deck):
            yield from visibility_law(instance, view)


_COMPONENT_CURE = "change it with the component's own functions, such as move_card."


def unsafe(state: State) -> list[Finding]:
    """Findings of invalid hideable values, with which the engine could not work."""
    content = bytes(state)
    return [
        Finding(Law.COMPONENT, problem, instance.path, _COMPONENT_CURE, fatal=True)
        for instance, slots in slotted(state.table.layout, state.players)
        if (problem := slot_problem(content, instance, slots))
    ]


def header_law(state: State, tick: int) -> Iterator[Finding]:
    """Law: the header's numbers are valid, and those that the engine keeps are unchanged."""
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
        "unsampled": (header.unsampled == 0, "0: only playouts and the match loop set it"),
    }
    if state.table.game.phases is not None:
        known = header.phase in list(state.table.game.phases)
        known |= state.status == Status.FINISHED and header.phase in state.table.game.endings
        rules["phase"] = (known, f"a member of {state.table.game.phases.__name__}")
    for name, (right, expectation) in rules.items():
        if not right:
            value = getattr(header, name)
            yield Finding(
                Law.HEADER, f"it is {value} and should be {expectation}", name, fatal=True
            )
    if not all(0 <= word < 1 << 32 for word in header.rng):
        yield Finding(
            Law.HEADER,
            "the random stream was overwritten",
            "rng",
            "draw from it with random_below or roll only.",
            fatal=True,
        )
    for p in range(state.players, len(header.seat)):
        seat = header.seat[p]
        if seat.score or seat.returns or seat.place or seat.out:
            message = f"it changed, yet with {state.players} players nobody sits there"
            yield Finding(
                Law.HEADER, message, f"seat[{p}]", "loop over state.players only.", fatal=True
            )


def visibility_law(instance: Instance, view: object) -> Iterator[Finding]:
    """Law: players who may look into a deck see every card in it."""
    deck: Deck = view  # type: ignore[assignment]
    for i in range(deck.count):
        missing = deck.shown_to & ~deck.seen[i]
        if missing:
            player = (missing & -missing).bit_length()
            yield Finding(
                Law.VISIBILITY,
                f"card {i} is not known to player {player}, who sees this deck",
                instance.path,
                "move cards with move_card or draw_card, which keep what is known; for cards "
                "that lie face down among open ones declare Visibility.NOBODY and use show_card.",
            )
            return


def conservation_law(before: CardCounts, state: State) -> Iterator[Finding]:
    """Law: there are as many of each card as after setup."""
    if change := show_card_change(before, count_cards(state)):
        yield Finding(
            Law.CONSERVED,
            f"since setup the cards have changed: {change}",
            ", ".join(cards.name for cards in before),
            "move every card that is taken somewhere (move_card, draw_card, trade_decks); if "
            "cards do come and go in this game, set conserved = False in its class.",
        )


def results_law(state: State) -> Iterator[Finding]:
    """Law: places and returns agree with each other and with whether the game is over."""
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
    cure = "end the game with win, lose, draw_game or finish_by_score, which set both."
    if problem := _bad_places(final) or _bad_returns(final, returns):
        yield Finding(
            Law.RESULTS,
            f"the game is over with places {final} and returns {returns}: {problem}",
            "seat",
            cure,
        )
    squeezed = [score / (1 + abs(score)) for score in state.scores()]
    table = state.table
    if not table.has_rivals and table.played_for == "place" and any(returns):
        if [abs(value) for value in returns] == [abs(value) for value in squeezed]:
            yield Finding(
                Law.RESULTS,
                "all seats are one side, so a comparison of scores says nothing",
                "played_for",
                'declare played_for = "score", or end the game with win or lose.',
            )


def scores_law(state: State) -> Iterator[Finding]:
    """Law: final scores are in the declared range, and utilities add up to zero if declared."""
    table, scores = state.table, state.scores()
    if table.score_range is not None:
        low, high = table.score_range
        if not all(low <= score <= high for score in scores):
            yield Finding(
                Law.SCORES,
                f"the game is over with the scores {scores}, and score_range declares "
                f"{low:g} to {high:g}",
                "score_range",
                "declare the lowest and the highest score that a game can end with.",
            )
    by = utility_at(table)
    if is_zero_sum(table) and abs(total := sum(utilities(state, by))) > ROUNDING:
        what = "scores" if by == "score" else "returns"
        values = scores if by == "score" else state.returns()
        yield Finding(
            Law.SCORES,
            f"the game is over with the {what} {values}, which add up to {total:g}, and zero_sum "
            "declares that they add up to zero",
            "zero_sum",
            "leave zero_sum out, or end the game with win, draw_game or finish_by_score.",
        )


ROUNDING = 1e-6
"""The greatest rounding error of the sum of utilities."""


def _bad_places(final: list[int]) -> str | None:
    """What is wrong with final places, in words; after 1 and 1 the next may be 2 or 3."""
    if min(final) < 1:
        return "a place was not set"
    if min(final) > 1:
        return None if len(set(final)) == 1 else "nobody is first, yet not all have lost alike"
    for place in final:
        better = [other for other in final if other < place]
        if not len(set(better)) < place <= len(better) + 1:
            return f"place {place} does not follow from the others"
    return None


def _bad_returns(final: list[int], returns: list[float]) -> str | None:
    if not all(-1.0 <= value <= 1.0 for value in returns):
        return "a return is not within -1 .. 1"
    ranked = sorted(zip(final, returns, strict=True))
    for (place, value), (next_place, next_value) in itertools.pairwise(ranked):
        if next_place > place and next_value > value:
            return "a worse place has the higher return"
    return None
