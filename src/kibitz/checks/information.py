"""The laws of hidden information: a state is compared with samples of what a seat cannot know."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Iterator

from kibitz.checks.case import MOVES_AHEAD, Case, heuristic_in_range, observers, play_on
from kibitz.checks.contents import differences, hideable, most_common_share, uncertain
from kibitz.checks.explanations import (
    content_differences,
    observation_differences,
    option_differences,
)
from kibitz.checks.inspector import conservation_law, unsafe
from kibitz.checks.laws import Law
from kibitz.checks.swaps import AGAIN, BLIND, CONSISTENT, LOOK, OPTIONS, Swapper, accepts
from kibitz.checks.watched import explain
from kibitz.components.deck import Deck
from kibitz.core.errors import LimitError
from kibitz.core.state import State, components_in_play
from kibitz.syntax.findings import Finding, Spot

SAMPLE_SEEDS = (1, 2, 3)
"""The seeds of the samples for each observer."""

VARIED = 8
"""How many samples of a state are compared for what varies."""


def sample_laws(
    swapper: Swapper, state: State, seat: int, first: int, count: int
) -> Iterator[Finding]:
    """The laws that compare a state with `count` samples of it, with seeds from `first` on.

    Both ``check_game`` and ``certify`` use it, with rules that are compiled or not. The swapper
    keeps the numbers of comparisons.
    """
    rejected = not accepts(state, seat)
    if rejected and (false_fact := _false_fact(state)):
        yield dataclasses.replace(false_fact, spot=Spot(seat=seat, sample=first))
    elif rejected:
        yield Finding(
            Law.CONSISTENT,
            f"is_consistent() rejects the true state on behalf of player {seat + 1}",
            "is_consistent",
            "it may exclude only what this player can exclude for certain.",
            Spot(seat=seat, sample=first),
        )
    for check, seed in swapper.swap(state, seat, first, count):
        if not (rejected and check == CONSISTENT):
            sample, spot = state.determinize(seat, seed), Spot(seat=seat, sample=seed)
            yield dataclasses.replace(_EXPLANATIONS[check](state, sample, seat), spot=spot)


def _false_fact(state: State) -> Finding | None:
    """Which card is of a kind that the facts about it rule out, if one is."""
    for instance, view in components_in_play(state):
        deck = instance.component
        if isinstance(deck, Deck):
            for i in range(view.count if deck.facts else 0):
                if view.ruled_out[i] >> view.cards[i] & 1:
                    return Finding(
                        Law.CONSISTENT,
                        f"card {i + 1} of {instance.path} is {deck.card_set.word(view.cards[i])}, "
                        "which the facts about it rule out",
                        instance.path,
                        "rule_out, rule_out_all and point_out tell what is true: read the cards.",
                    )
    return None


def _other_look(state: State, sample: State, seat: int) -> Finding:
    true, sampled = bytes(state.observation(seat)), bytes(sample.observation(seat))
    differing = differences(state.table.layout, true, sampled)
    shown = observation_differences(sample, state, seat)
    if any(leaf.offset in span for span in hideable(state) for leaf in differing):
        message = f"what player {seat + 1} has seen differs: {shown}"
        cure = "redeterminize may exchange only what this player has not seen (knows_card)."
    else:
        message = f"an open number differs, so it depends on what is hidden: {shown}"
        cure = (
            "what is hidden belongs in a component that declares who sees it: everyone can read "
            "all others."
        )
    return Finding(Law.OBSERVATION, message, differing[0].path, cure)


def _other_options(state: State, sample: State, seat: int) -> Finding:
    return Finding(
        Law.OPTIONS,
        f"what player {seat + 1} may do depends on what they do not know: with the cards of the "
        f"sample {option_differences(sample, state)}",
        "legal_actions",
        "decide by what the player can see; let apply_action find out about the rest.",
    )


def _peeks(state: State, sample: State, seat: int) -> Finding:
    again, true = sample.determinize(seat, AGAIN), state.determinize(seat, AGAIN)
    shown = content_differences(again, true, other_name="from the truth")
    return Finding(
        Law.BLIND,
        f"two states that look the same to player {seat + 1} are resampled differently: {shown}",
        "redeterminize",
        "it may read only what this player knows, and draw only from state.rng.",
    )


def _no_deal(state: State, sample: State, seat: int) -> Finding:
    return Finding(
        Law.CONSISTENT,
        f"no deal was found that is_consistent() accepts for player {seat + 1}",
        "is_consistent",
        "it rules out nearly everything: let it read what this player knows, or write a "
        "redeterminize that deals to fit.",
    )


_EXPLANATIONS = {
    LOOK: _other_look,
    OPTIONS: _other_options,
    BLIND: _peeks,
    CONSISTENT: _no_deal,
}
"""Functions that explain a swap that failed: from the state, the sample and the seat."""


def knowledge_laws(case: Case) -> Iterator[Finding]:
    """All laws of hidden information, for some of the players."""
    state, swapper = case.state, Swapper(case.state.table)
    if not (hideable(state) or state.table.game.redeterminize):
        return
    for p in observers(state):
        samples = [state.determinize(p, seed) for seed in SAMPLE_SEEDS]
        case.checked["samples"] += len(samples)
        findings = [f for sample in samples for f in unsafe(sample)]
        if not findings:
            findings += sample_laws(swapper, state, p, SAMPLE_SEEDS[0], len(samples))
        yield from findings
        for seed, sample in () if findings else zip(SAMPLE_SEEDS, samples, strict=True):
            for finding in _sample_in_order(case, sample, p):
                yield dataclasses.replace(finding, spot=Spot(seat=p, sample=seed))
        _note_variation(case, p)


def _sample_in_order(case: Case, sample: State, player: int) -> Iterator[Finding]:
    """Laws: a sample has the same cards, and the game can be played on from it."""
    yield from heuristic_in_range(sample, player, "")
    if case.state.table.game.conserved:
        yield from conservation_law(case.inspector.cards, sample)
    if case.state.is_terminal:
        return
    try:
        case.checked["sampled moves"] += play_on(sample, case.check.rng, MOVES_AHEAD)
    except LimitError:
        return
    except Exception as problem:
        finding = explain(problem)
        yield dataclasses.replace(
            finding,
            law=Law.PLAYS_ON,
            cure="rules must not rely on hidden cards being as they truly are; if such a deal "
            "cannot be, exclude it in is_consistent().",
        )


def _note_variation(case: Case, player: int) -> None:
    """Records which components vary among the samples of one observer."""
    state, variation = case.state, case.check.variation
    unsure = [p for p in uncertain(state, player) if p.component not in variation.varied]
    if not unsure:
        return
    samples = [bytes(state.determinize(player, seed)) for seed in range(VARIED)]
    for name, group in itertools.groupby(unsure, key=lambda place: place.component):
        hidden = list(group)
        if any(len({sample[p.span] for sample in samples}) > 1 for p in hidden):
            variation.varied.add(name)
        else:
            common = most_common_share(state, player, hidden[0])
            surprise = -(VARIED - 1) * math.log10(common)
            variation.note_constant(name, case.game, surprise)
