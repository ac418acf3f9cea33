"""States of Pandemic as text."""

from __future__ import annotations

from typing import Any

from kibitz.authoring import (
    Status,
    counted,
    known_cards,
    name_cards,
    player_name,
)
from kibitz.core import state as states
from kibitz.library.pandemic.table import CURED, RATES, STATION, SUPPLY, Phase, Stage
from kibitz.library.pandemic.world import (
    CITIES,
    COLOURS,
    DEGREE,
    EPIDEMIC,
    INFECTION_CARDS,
    NEIGHBOURS,
    PLAYER_CARDS,
    ROLE_TEXTS,
    ROLES,
    WORLD,
    colour_of,
)

_DECISIONS = {
    Phase.EVENT: "may play an event",
    Phase.DISCARD: "has too many cards",
    Phase.DESTINATION: "chooses where to fly",
    Phase.STATION_FROM: "chooses a research station to move",
    Phase.STATION_TO: "chooses where the research station goes",
    Phase.RESILIENCE: "chooses an infection card to remove",
    Phase.FORECAST: "puts the forecast cards back, the top one last",
    Phase.KEEP: "chooses a card to keep",
}
_NEXT = {
    Stage.DRAW: "cards are drawn",
    Stage.INTENSIFY: "the epidemic intensifies",
    Stage.NEXT_EPIDEMIC: "there is another epidemic",
    Stage.BEFORE_INFECTION: "cities are infected",
    Stage.INFECT: "the next city is infected",
}


def describe_table(state: states.State, observer: int | None) -> str:
    """The table as `observer` sees it, or with everything open for ``None``."""
    view = state.view
    lines = [_headline(state, view, observer), _clock(view, state.table.parameters)]
    lines += _diseases(view)
    lines.append("Research stations: " + _stations(view))
    lines += [_player(view, p, observer) for p in range(view.players)]
    if view.prepared.count:
        lines.append(f"Prepared: {name_cards(view.prepared, PLAYER_CARDS)}.")
    if discarded := _hand(view.player_discards):
        lines.append(f"Player discards: {discarded}.")
    lines += _infection_cards(view)
    return "\n".join(lines)


def _headline(state: states.State, view: Any, observer: int | None) -> str:
    if view.status != Status.PLAYING:
        return f"Turn {view.turn + 1}. {state.headline()}"
    player, owner = player_name(view.player, observer), player_name(view.turn_owner, observer)
    if view.phase == Phase.ACTION:
        decision = f"has {counted(view.actions_left.value, 'action')} left"
    else:
        decision = _DECISIONS[Phase(view.phase)]
        if view.phase == Phase.EVENT and view.stage.value in _NEXT:
            decision += f" before {_NEXT[Stage(view.stage.value)]}"
        elif view.phase == Phase.EVENT:
            decision += f" before {owner} acts"
    if view.player == view.turn_owner:
        return f"Turn {view.turn + 1}: {player} {decision}."
    return f"Turn {view.turn + 1}, of {owner}: {player} {decision}."


def _clock(view: Any, parameters: Any) -> str:
    """A line with the outbreaks, the infection rate and the player deck."""
    drawn = sum(
        view.player_discards.cards[i] == EPIDEMIC for i in range(view.player_discards.count)
    )
    epidemics = parameters.epidemics - drawn
    quiet = ", the next infection is left out" if view.quiet.value else ""
    return (
        f"Outbreaks: {view.outbreaks.value} of {parameters.outbreaks_to_lose}. "
        f"Infection rate: {RATES[view.epidemics.value]}{quiet}. "
        f"Player deck: {counted(view.player_deck.count, 'card')} with "
        f"{counted(epidemics, 'epidemic')}."
    )


def _diseases(view: Any) -> list[str]:
    """A line for each disease: its state, and its cubes by city, the most first."""
    lines = []
    for colour, name in enumerate(COLOURS):
        cured = ("not cured", "cured", "eradicated")[view.diseases.at[colour, CURED]]
        cubes = [(view.cities.at[city, colour], city) for city in range(CITIES)]
        places = sorted((-number, city) for number, city in cubes if number)
        shown = ", ".join(f"{WORLD.word(city)} {-number}" for number, city in places)
        supply = counted(view.diseases.at[colour, SUPPLY], "cube")
        lines.append(f"{name.capitalize()}: {cured}, {supply} left; {shown or 'none in cities'}.")
    return lines


def _stations(view: Any) -> str:
    places = [WORLD.word(c) for c in range(CITIES) if view.cities.at[c, STATION]]
    return f"{', '.join(places)}; {view.stations_left.value} left."


def _player(view: Any, player: int, observer: int | None) -> str:
    name = player_name(player, observer).capitalize()
    role = ROLES.word(view.roles[player].value)
    place = WORLD.word(view.pawns[player].value)
    held = _hand(view.hands[player]) or "no cards"
    return f"{name}, {role} in {place}: {held}."


def _hand(hand: Any) -> str:
    """The cards of a hand or pile by colour, then the events, without epidemics."""
    cards = sorted(card for card in known_cards(hand) if card != EPIDEMIC)
    groups: dict[str, list[str]] = {}
    for card in cards:
        name = COLOURS[colour_of(card)] if card < CITIES else "event"
        groups.setdefault(name, []).append(PLAYER_CARDS.word(card))
    return "; ".join(f"{name} {', '.join(group)}" for name, group in groups.items())


def _infection_cards(view: Any) -> list[str]:
    """Lines with what is known of the infection cards."""
    deck = view.infection_deck
    lines = [f"Infection deck: {counted(deck.count, 'card')}{_known(view)}."]
    for title, cards in (
        ("Infection discards", view.infection_discards),
        ("Forecast", view.forecast),
        ("Removed", view.resilient),
    ):
        if cards.count:
            lines.append(f"{title}: {name_cards(cards, INFECTION_CARDS)}.")
    return lines


def _known(view: Any) -> str:
    """The infection deck from the top down, as far as all players can know it."""
    layers = _layers(view)
    groups: list[str] = []
    i = view.infection_deck.count - 1
    while i >= 0:
        if view.infection_deck.seen[i]:
            shown = []
            while i >= 0 and view.infection_deck.seen[i]:
                shown.append(INFECTION_CARDS.word(view.infection_deck.cards[i]))
                i -= 1
            groups.append(f"{', '.join(shown)} in this order" if len(shown) > 1 else shown[0])
        else:
            layer, cards = layers.pop()
            i -= len(cards)
            if layer:
                shown = sorted(map(INFECTION_CARDS.word, cards))
                groups.append(", ".join(shown) + " in some order" * (len(shown) > 1))
    return "; on top " + "; then ".join(groups) if groups else ""


def _layers(view: Any) -> list[tuple[int, list[int]]]:
    """The hidden infection cards by the number of their shuffle, the top layer last."""
    open_cards: set[int] = set()
    for deck in (view.infection_discards, view.forecast, view.resilient):
        open_cards.update(deck.cards[i] for i in range(deck.count))
    deck = view.infection_deck
    open_cards.update(deck.cards[i] for i in range(deck.count) if deck.seen[i])
    layers: dict[int, list[int]] = {}
    for card in range(CITIES):
        if card not in open_cards:
            layers.setdefault(view.shuffled_in.values[card], []).append(card)
    return sorted(layers.items())


# --- the glossary -------------------------------------------------------------------------


def glossary_texts(world: int) -> dict[str, dict[str, str]]:
    """Explanations of roles and cards, and the links of map number `world`."""
    neighbours = {
        f"{WORLD.word(city)} ({COLOURS[colour_of(city)]})": ", ".join(
            WORLD.word(neighbour) for neighbour in NEIGHBOURS[world, city, : DEGREE[world, city]]
        )
        for city in range(CITIES)
    }
    cards = {card.name: card.text for card in list(PLAYER_CARDS)[CITIES:]}
    return {"The roles": ROLE_TEXTS, "The cards": cards, "The map": neighbours}
