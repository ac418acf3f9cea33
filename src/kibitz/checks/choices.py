"""The laws of choices that players make in secret.

A choice is secret to a player who sees the same whichever of several actions another one plays,
where the actions leave different values in places that are hidden from them. These values depend
on the action alone: a card that the other draws unseen is no choice. Nor is a card that leaves a
hand and is nowhere afterwards: it may have been shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from kibitz.checks.case import Case, observers
from kibitz.checks.contents import Place, hideable, places
from kibitz.checks.laws import Law
from kibitz.checks.outputs import event_data, update_of
from kibitz.core.commitments import Commitment, committed
from kibitz.core.errors import PlayError
from kibitz.core.layout import CHANCE, Instance
from kibitz.core.state import State, components_in_play
from kibitz.sessions.updates import Update
from kibitz.syntax.findings import Finding, Spot

WORLDS = 12
"""The samples in which all actions are tried, to see what choices can leave."""
SEEDS = (1, 2, 3)
"""The seeds of the samples whose choices are examined."""


def choice_laws(case: Case) -> Iterator[Finding]:
    """Laws: events tell no secret choice, and samples have choices that were legal."""
    state = case.state
    if not hideable(state):
        return
    yield from _commitments(state)
    if state.is_terminal:
        return
    mover = state.current_player
    updates = list(_updates(state, case.some_actions()))
    for observer in observers(state):
        if observer != mover:
            for alike in _alike(updates, observer):
                hidden = _chosen(alike, observer)
                if hidden:
                    yield from _told(alike, observer)
                    yield from _impossible(alike, hidden, observer)


def _updates(state: State, actions: Sequence[int]) -> Iterator[Update]:
    """What actions do, but for those that draw random numbers."""
    for action in actions:
        try:
            update = update_of(state, action)
        except PlayError:
            continue
        if bytes(update.after)[CHANCE] == bytes(state)[CHANCE]:
            yield update


def _alike(updates: Sequence[Update], observer: int) -> list[list[Update]]:
    """Groups of several actions after which `observer` sees the same."""
    groups: dict[bytes, list[Update]] = {}
    for update in updates:
        groups.setdefault(bytes(update.observation(observer)), []).append(update)
    return [group for group in groups.values() if len(group) > 1]


def _chosen(alike: Sequence[Update], observer: int) -> list[Place]:
    """The hidden places whose values the actions decide, and only they."""
    first, *others = alike
    mover = first.move.player
    content = [bytes(update.after) for update in others]
    hidden = [
        place
        for place in places(first.after)
        if not place.seen >> observer & 1
        and any(other[place.span] != bytes(first.after)[place.span] for other in content)
    ]
    moved = {place.slots.pool for place in hidden} - _unequal_pools(alike, observer)
    hidden = [place for place in hidden if place.slots.pool in moved]
    if not hidden:
        return []
    for seed in SEEDS[:2]:  # what the mover does not know may lie otherwise
        for update in alike:
            world = first.before.determinize(mover, seed)
            try:
                world.apply(update.move.action)
            except PlayError:
                return []
            actual, resampled = bytes(update.after), bytes(world)
            hidden = [place for place in hidden if actual[place.span] == resampled[place.span]]
    return hidden


def _unequal_pools(alike: Sequence[Update], observer: int) -> set[str | None]:
    """The pools whose pieces hidden from `observer` differ between the actions."""
    counts: dict[str, list[Counter[int]]] = {}
    for number, update in enumerate(alike):
        for place in places(update.after):
            if place.slots.pool is not None and not place.seen >> observer & 1:
                pool = counts.setdefault(place.slots.pool, [Counter() for _ in alike])
                pool[number][place.value] += 1
    return {pool for pool, each in counts.items() if any(c != each[0] for c in each)}


def _told(alike: Sequence[Update], observer: int) -> Iterator[Finding]:
    """Law: an observer to whom the actions look alike gets the same events after each."""
    first, *others = alike
    first_events = event_data(first, observer)
    for update in others:
        if event_data(update, observer) != first_events:
            texts = [" ".join(e.text for e in u.events(observer)) for u in (first, update)]
            yield Finding(
                Law.CHOICES,
                f"player {observer + 1} reads {texts[0]!r} or {texts[1]!r}, and sees nothing of "
                "this choice",
                cure="declare the kinds of action with secret=True, and keep the choice in a "
                "Commitment until it is revealed.",
                spot=Spot(seat=observer, actions=(update.move.action,)),
            )
            return


def _impossible(
    alike: Sequence[Update], hidden: Sequence[Place], observer: int
) -> Iterator[Finding]:
    """Law: a number that was chosen in secret is in samples one that could be chosen."""
    numbers = [p for p in hidden if p.slots.pool is None and p.slots.high > p.slots.low]
    if not numbers:
        return
    before, after = alike[0].before, alike[0].after
    worlds = [before, *(before.determinize(observer, seed) for seed in range(WORLDS))]
    possible = {
        bytes(update.after)[place.span]
        for world in worlds
        for update in _updates(world, world.legal_actions())
        for place in numbers
    }
    for seed in SEEDS:
        sample = bytes(after.determinize(observer, seed))
        for place in numbers:
            if sample[place.span] not in possible:
                value = int.from_bytes(sample[place.span], "little", signed=True)
                yield Finding(
                    Law.COMMITMENTS,
                    f"in a sample for player {observer + 1} it is {value}, which no action of "
                    f"player {alike[0].move.player + 1} leaves there",
                    place.path,
                    "keep the action in a Commitment, or draw it in redeterminize from what was "
                    "legal.",
                    Spot(seat=observer, sample=seed, actions=(alike[0].move.action,)),
                )
                return


def _commitments(state: State) -> Iterator[Finding]:
    """Law: while a commitment is hidden, it is a legal action of its player, also in samples."""
    for instance, view in components_in_play(state):
        owner = instance.owner
        if not isinstance(instance.component, Commitment) or owner is None or not view.count:
            continue
        if view.seen[0] != 1 << owner:
            continue
        if not _is_legal(state, instance):
            yield Finding(
                Law.COMMITMENTS,
                f"player {owner + 1} chose {instance.component.words(view)!r}, which is no longer "
                "legal for them, so that samples have other choices",
                instance.path,
                "until it is revealed, keep what the legal actions of its player depend on.",
            )
            return
        for observer in observers(state):
            for seed in SEEDS if observer != owner else ():
                if not _is_legal(state.determinize(observer, seed), instance):
                    yield Finding(
                        Law.COMMITMENTS,
                        f"in a sample for player {observer + 1}, player {owner + 1} has chosen "
                        "what is not legal for them",
                        instance.path,
                        "leave what players chose to the samples: redeterminize need not draw it.",
                        Spot(seat=observer, sample=seed),
                    )
                    return


def _is_legal(state: State, instance: Instance) -> bool:
    """Whether a commitment is legal for its player in the phase in which it was made."""
    asked = state.clone()
    views = {i.path: view for i, view in components_in_play(asked)}
    view = views[instance.path]
    asked.view.player, asked.view.phase = instance.owner, view.phase
    try:
        return committed(view) in asked.legal_actions()
    except PlayError:
        return False
