"""What differs between two states that should look alike, in words."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

import numpy as np

from kibitz.checks.contents import Place, differences, places, slotted
from kibitz.core.layout import CHANCE, Instance
from kibitz.core.state import State
from kibitz.core.wording import listed

MOST_COMPONENTS = 2
MOST_VALUES = 3
"""How many components, and values of each, are named."""


def value_words(instance: Instance, value: int) -> str:
    """A value of a component in words: the name of a card, if it holds cards."""
    cards = instance.component.card_set
    if cards is None:
        return f"value {value}"
    return repr(cards.word(value)) if value >= 0 else "a hidden card"


def content_differences(
    state: State, other: State, owner: int | None = None, other_name: str = "in truth"
) -> str:
    """The components that hold other values in two states: ``hand[2] has 'A', in truth 'B'``.

    Args:
        state: the state to describe.
        other: the state that it is compared with.
        owner: the seat whose components are named first.
        other_name: how the text refers to `other`.
    """
    by_component = sorted(
        _component_differences(state, other, other_name),
        key=lambda pair: owner is None or pair[0].owner != owner,
    )
    texts = [text for _, text in by_component]
    return _shortened(texts or number_differences(state, other, other_name))


def _component_differences(
    state: State, other: State, other_name: str
) -> Iterator[tuple[Instance, str]]:
    values, others = _by_component(state), _by_component(other)
    for path, held in values.items():
        mates = others.get(path, [])
        instance = held[0].instance
        first_value, other_value = Counter(p.value for p in held), Counter(p.value for p in mates)
        if first_value != other_value:
            text = (
                f"{path} has {_named(instance, first_value - other_value)}, {other_name} "
                f"{_named(instance, other_value - first_value)}"
            )
            yield instance, text
        elif [p.value for p in held] != [p.value for p in mates]:
            yield instance, f"{path} has another order"


def _by_component(state: State) -> dict[str, list[Place]]:
    components: dict[str, list[Place]] = {}
    for place in places(state):
        components.setdefault(place.instance.path, []).append(place)
    return components


def _named(instance: Instance, values: Counter[int]) -> str:
    """Some values in words, the first few of many."""
    words = [value_words(instance, value) for value in sorted(values.elements())]
    if not words:
        return "nothing"
    if len(words) > MOST_VALUES:
        words[MOST_VALUES:] = [f"{len(words) - MOST_VALUES} more"]
    return listed(words)


def number_differences(state: State, other: State, other_name: str) -> list[str]:
    """The numbers that differ between two states or observations: ``note.value is 3, seen 4``.

    The random stream and the masks of who sees a value are left out.
    """
    first, second = bytes(state), bytes(other)
    layout = state.table.layout
    instances = slotted(layout, state.players)
    masks = {
        instance.offset + slots.seen + 2 * i
        for instance, slots in instances
        for i in range(slots.capacity)
    }
    by_offset = {
        instance.offset + slots.values + 2 * i: instance
        for instance, slots in instances
        for i in range(slots.capacity)
    }
    texts = []
    for leaf in differences(layout, first, second):
        if leaf.offset < CHANCE.stop or leaf.offset in masks:
            continue
        first_value, other_value = leaf.read(first), leaf.read(second)
        if leaf.offset in by_offset:
            instance = by_offset[leaf.offset]
            words = (
                value_words(instance, int(first_value)),
                value_words(instance, int(other_value)),
            )
        else:
            words = str(first_value), str(other_value)
        texts.append(f"{leaf.path} is {words[0]}, {other_name} {words[1]}")
    return texts


def observation_differences(state: State, true: State, seat: int) -> str:
    """What a seat sees in a state that differs from what it sees in the true one."""
    return _shortened(
        number_differences(state.observation(seat), true.observation(seat), "in truth")
    )


def option_differences(state: State, true: State) -> str:
    """The legal actions that only one of two states has, in words."""
    first_value, other_value = set(state.legal_actions()), set(true.legal_actions())
    texts = [
        f"{state.action_words(action)!r} is legal" for action in sorted(first_value - other_value)
    ]
    texts += [
        f"{true.action_words(action)!r} is not legal"
        for action in sorted(other_value - first_value)
    ]
    return _shortened(texts) or "they have another order"


def hidden_places(state: State) -> Iterator[Place]:
    """The places whose content is hidden from somebody."""
    everyone = (1 << state.players) - 1
    return (place for place in places(state) if place.seen & everyone != everyone)


def unordered_observation(state: State, seat: int) -> bytes:
    """What a seat sees of a state, without the order in which components hold hidden cards."""
    return _sorted_within(state, seat, hidden_places(state))


def hands_in_order(state: State, seat: int) -> bytes:
    """What a seat sees of a state, with the cards of each hand sorted, open ones included."""
    return _sorted_within(
        state, seat, (place for place in places(state) if place.instance.owner is not None)
    )


def _sorted_within(state: State, seat: int, chosen: Iterator[Place]) -> bytes:
    """An observation with the values of some places, and who sees them, sorted by component."""
    numbers = np.frombuffer(bytes(state.observation(seat)), np.int16).copy()
    by_component: dict[str, list[Place]] = defaultdict(list)
    for place in chosen:
        by_component[place.instance.path].append(place)
    for group in by_component.values():
        masks = [(p.instance.offset + p.slots.seen) // 2 + p.index for p in group]
        for spots in ([p.span.start // 2 for p in group], masks):
            numbers[spots] = np.sort(numbers[spots])
    return numbers.tobytes()


def _shortened(texts: list[str]) -> str:
    if len(texts) > MOST_COMPONENTS:
        texts = [*texts[:MOST_COMPONENTS], f"{len(texts) - MOST_COMPONENTS} more"]
    return "; ".join(texts)
