"""The laws of hidden information: observations and determinizations."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Iterator

from kibitz.checks.case import MOVES_AHEAD, Case, heuristic_in_range, observers, play_on
from kibitz.checks.contents import (
    differences,
    hideable,
    most_common_share,
    show_differences,
    uncertain,
)
from kibitz.checks.findings import Finding, Law
from kibitz.checks.inspector import conservation_law, unsafe
from kibitz.checks.watched import explain
from kibitz.core.errors import DeadEndError, LimitError
from kibitz.core.state import State

SAMPLE_SEEDS = (1, 2, 3)
"""The seeds of the samples for each observer."""

VARIED = 8
"""How many samples of a state are compared for what varies."""


def knowledge_laws(case: Case) -> Iterator[Finding]:
    """All laws of hidden information, for some of the players."""
    for p in observers(case.state):
        if not accepts(case.state, p):
            yield Finding(
                Law.CONSISTENT,
                f"is_consistent() rejects the true state on behalf of player {p + 1}",
                "is_consistent",
                "it may exclude only what this player can exclude for certain.",
            )
        if hideable(case.state) or case.state.table.game.redeterminize:
            yield from _sample_laws(case, p)
            _note_variation(case, p)


def accepts(state: State, player: int) -> bool:
    """Whether the game's ``is_consistent`` accepts the state; without one, all are accepted."""
    rule = type(state.table.game).is_consistent
    if rule is None:
        return True
    return bool(rule(state.view, state.table.params, player))


def _sample_laws(case: Case, player: int) -> Iterator[Finding]:
    """Laws of one observer's samples."""
    state = case.state
    for seed in SAMPLE_SEEDS:
        case.checked["samples"] += 1
        sample = state.determinize(player, seed)
        findings = unsafe(sample) or [
            *_looks_same_law(state, sample, player),
            *_blind_law(state, sample, player),
            *_sample_in_order(case, sample, player),
        ]
        where = f"in state.determinize({player}, seed={seed}): "
        for finding in findings:
            yield dataclasses.replace(finding, message=where + finding.message)
        if findings:
            return


def _looks_same_law(state: State, sample: State, player: int) -> Iterator[Finding]:
    layout = state.table.layout
    true, sampled = bytes(state.observation(player)), bytes(sample.observation(player))
    differing = differences(layout, true, sampled)
    if not differing:
        return
    shown = show_differences(layout, true, sampled)
    if any(leaf.offset in span for span in hideable(state) for leaf in differing):
        yield Finding(
            Law.LOOKS_SAME,
            f"what player {player + 1} has seen differs: {shown}",
            differing[0].path,
            "redeterminize may exchange only what this player has not seen (knows_card).",
        )
    else:
        yield Finding(
            Law.LOOKS_SAME,
            f"an open number differs, so it depends on what is hidden: {shown}",
            differing[0].path,
            "what is hidden belongs in a component that declares who sees it: everyone can read "
            "all others.",
        )


def _blind_law(state: State, sample: State, player: int) -> Iterator[Finding]:
    """Law: a sample of a sample is the sample of the state with the same seed."""
    again = 11
    direct, indirect = state.determinize(player, again), sample.determinize(player, again)
    if direct != indirect:
        shown = show_differences(state.table.layout, bytes(direct), bytes(indirect))
        yield Finding(
            Law.BLIND,
            f"two states that look the same to player {player + 1} are resampled differently: "
            f"{shown}",
            "redeterminize",
            "it may read only what this player knows, and draw only from state.rng.",
        )


def _sample_in_order(case: Case, sample: State, player: int) -> Iterator[Finding]:
    """Law: a sample has the same cards, the same actions for its observer, and can be played."""
    state = case.state
    yield from heuristic_in_range(sample, player, "")
    if state.table.game.conserved:
        yield from conservation_law(case.inspector.cards, sample)
    if not accepts(sample, player):
        yield Finding(
            Law.CONSISTENT,
            f"no deal was found that is_consistent() accepts for player {player + 1}",
            "is_consistent",
            "it rules out nearly everything: let it read what this player knows, or write a "
            "redeterminize that deals to fit.",
        )
    if state.is_terminal:
        return
    if state.current_player == player:
        yield from _own_actions_law(state, sample, player)
    try:
        case.checked["sampled moves"] += play_on(sample, case.rng, MOVES_AHEAD)
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
    """Records which components vary among the samples of one observer."""
    state = case.state
    unsure = [p for p in uncertain(state, player) if p.component not in case.variation.varied]
    if not unsure:
        return
    samples = [bytes(state.determinize(player, seed)) for seed in range(VARIED)]
    for name, group in itertools.groupby(unsure, key=lambda place: place.component):
        hidden = list(group)
        if any(len({sample[p.span] for sample in samples}) > 1 for p in hidden):
            case.variation.varied.add(name)
        else:
            common = most_common_share(state, player, hidden[0])
            surprise = -(VARIED - 1) * math.log10(common)
            case.variation.note_constant(name, case.game, surprise)
