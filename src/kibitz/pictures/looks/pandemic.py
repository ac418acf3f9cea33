"""The look of Pandemic: the map of the world, with cubes, pawns and stations, and the tracks."""
# ruff: noqa: D102 (documented once, on Block)

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from kibitz.components.deck import Deck
from kibitz.core.layout import Instance
from kibitz.core.parameters import read_json_object
from kibitz.library.pandemic.table import CURED, RATES, STATION, SUPPLY
from kibitz.library.pandemic.world import (
    COLOURS,
    EPIDEMIC,
    PLAYER_CARDS,
    ROLES,
    WORLD,
)
from kibitz.pictures.blocks import Block, Column, Row, Titled, flow
from kibitz.pictures.cards import MIDDLE, Card, Pile
from kibitz.pictures.faces import Face
from kibitz.pictures.look import Look
from kibitz.pictures.pen import Pen, slug
from kibitz.pictures.pieces import FIGURES
from kibitz.pictures.symbols import SYMBOLS
from kibitz.pictures.text import fitting_size, text_width

_DRAWN = read_json_object(Path(__file__).with_name("pandemic.json"))
_WIDTH, _HEIGHT = _DRAWN["size"]
_AT: list[tuple[float, float]] = [tuple(_DRAWN["cities"][name]) for name in WORLD.words]
_LAND = [
    [(float(x), float(y)) for x, y in (point.split(",") for point in outline.split())]
    for outline in _DRAWN["land"]
]
_LINKS = sorted(
    {
        (min(a, int(b)), max(a, int(b)))
        for a, near in enumerate(WORLD.neighbours)
        for b in near
        if b >= 0
    }
)
_FAR = 500
"""The length from which a link crosses the Pacific: it leaves the map at both edges."""
PAWNS = ("orange", "teal", "pink", "purple")
"""The hues of the players' pawns."""
_MOST_PILE = 560.0
"""The maximum width of cards that are spread out."""
_WIDE = 900.0
"""The width from which the tracks and piles stand beside the map."""
_BESIDE = 250.0
"""The width of the tracks and piles beside the map."""
NARROW = 620.0
"""The width below which the map is stretched vertically, to make room for the names of cities."""


class PandemicLook(Look):
    """Draws Pandemic."""

    def face(self, component: Deck, card: int) -> Face:
        """City cards have the colour of their disease."""
        kind = component.card_set.cards[card]
        if card < len(WORLD):
            hue = COLOURS[card // (len(WORLD) // len(COLOURS))]
            return Face(kind.name, hue=hue, filled=True, text=kind.text)
        if component.card_set is PLAYER_CARDS and card == EPIDEMIC:
            return Face(kind.name, hue="green", filled=True, text=kind.text, symbol="cross")
        return Face(kind.name, hue="orange", text=kind.text, symbol="star")

    def seat_marks(self, player: int) -> Iterator[str]:
        yield ROLES.word(self.seen.view.roles[player].value)
        if self.seen.is_terminal:
            yield from super().seat_marks(player)
        elif player == self.seen.view.turn_owner and (
            actions := self.seen.view.actions_left.value
        ):
            yield f"{actions} action{'s' * (actions > 1)} left"

    def seat_body(self, player: int, width: float) -> Block:
        instance, _ = self.part(f"hands[{player}]")
        size = 70.0 if player == self.view.seat else 46.0
        hand = [self.deck_block(instance, width, size, titled=False)]
        return flow([block for block in hand if block is not None], width)

    def centre(self, width: float) -> list[Block]:
        view = self.seen.view
        limit = int(self.seen.table.parameters.as_dict()["outbreaks_to_lose"])
        tracks: list[Block] = [
            Track("outbreaks", [str(n) for n in range(limit + 1)], view.outbreaks.value, "red"),
            Track("infection rate", [str(n) for n in RATES], view.epidemics.value, "green"),
        ]
        cures: list[Block] = [self._disease(number) for number in range(len(COLOURS))]
        stations = StationsLeft(int(view.stations_left.value))
        beside = width >= _WIDE
        room = _BESIDE if beside else min(_MOST_PILE, width)
        piles = [pile for path in _PILES[:4] if (pile := self._pile(path, room)) is not None]
        extras = [pile for path in _PILES[4:] if (pile := self._pile(path, width)) is not None]
        if beside:
            column = Column([*tracks, Row([*cures, stations], 6), flow(piles, _BESIDE, 16)])
            top = Row([WorldMap(self, width - _BESIDE - 16), column], 16)
            return [top, *([flow(extras, width, 16)] if extras else [])]
        return [
            WorldMap(self, width),
            flow([*tracks, Row([*cures, stations], 8)], width, 16),
            flow([*piles, *extras], width, 16),
        ]

    def _disease(self, number: int) -> Block:
        at = self.seen.view.diseases.at
        return Disease(COLOURS[number], int(at[number, CURED]), int(at[number, SUPPLY]))

    def _pile(self, path: str, width: float) -> Block | None:
        instance, record = self.part(path)
        if not record.count and path not in _PILES[:4]:
            return None
        lit = any(self.is_lit(card.thing_id) for card in self.cards[path])
        if lit or path not in _PILES[:4]:
            return self.deck_block(instance, width, MIDDLE)
        return self._top(instance)

    def _top(self, instance: Instance) -> Block:
        """A pile with its top card visible."""
        cards, thing_id = self.cards[instance.path], f"pile-{slug(instance.path)}"
        top = cards[-1] if cards else None
        if top is not None and top.face is None:
            top = Card(thing_id, None, instance.path.startswith("infection"))
        name = self.label(instance)
        return Titled(name, Pile(thing_id, name, len(cards), top, MIDDLE))

    def things(self, action: int) -> Iterable[str]:
        name, words = self.operands(action)
        hand = f"hands[{self.view.actor}]"
        if (city := words.get("city")) is not None:
            if name in ("REMOVE", "PUT_BACK"):
                yield from self.cards_named(city, "infection_discards", "forecast")
            yield f"place-{slug(city)}"
        if name in ("TREAT", "BUILD", "REBUILD"):
            yield f"place-{slug(WORLD.word(self._where(self.view.actor)))}"
        if (disease := words.get("disease")) is not None:
            yield f"disease-{disease}"
        if name == "TAKE":
            yield from self.cards_named(words["card"], "hands")
        elif "card" in words:
            yield from self.cards_named(words["card"], hand)
        if (event := words.get("event")) is not None:
            where = "player_discards" if name == "PREPARE" else hand
            yield from self.cards_named(event, where, "prepared")
        for role in ("pawn", "other", "player"):
            if role in words:
                player = int(words[role].removeprefix("player ")) - 1
                yield f"seat-{player}"
                yield f"pawn-{player}"

    def _where(self, player: int) -> int:
        return int(self.seen.view.pawns[player].value)


_PILES = (
    "player_deck",
    "player_discards",
    "infection_deck",
    "infection_discards",
    "forecast",
    "prepared",
    "resilient",
)


@dataclass(frozen=True)
class Track:
    """A row of numbers with one of them marked."""

    name: str
    steps: list[str]
    at: int
    hue: str

    STEP = 19.0

    @property
    def width(self) -> float:
        return self.STEP * len(self.steps) + 4

    @property
    def height(self) -> float:
        return 44

    def draw(self, pen: Pen, x: float, y: float) -> None:
        pen.text(x + self.width / 2, y + 12, self.name, 12, "kz-quiet", "middle")
        for number, step in enumerate(self.steps):
            middle = x + self.STEP * (number + 0.5) + 2
            marked = number == min(self.at, len(self.steps) - 1)
            pen.circle(
                middle,
                y + 31,
                10.5 if marked else 8.5,
                f"kz-step kz-h-{self.hue}" * marked or "kz-chip",
            )
            ink = f"kz-onpiece kz-h-{self.hue}" if marked else "kz-quiet"
            pen.text(middle, y + 35, step, 11, ink, "middle")


@dataclass(frozen=True)
class Disease:
    """A disease: its remaining cubes, and whether it is cured."""

    colour: str
    cured: int
    supply: int

    width = 40.0
    height = 44.0

    def draw(self, pen: Pen, x: float, y: float) -> None:
        condition = ("not cured", "cured", "eradicated")[self.cured]
        with pen.thing(
            f"disease-{self.colour}", f"{self.colour}: {condition}, {self.supply} cubes left"
        ):
            pen.rect(x, y, 40, 44, "kz-chip", 8)
            pen.path(
                _VIAL,
                f"kz-piece kz-h-{self.colour}" + " kz-faint" * (not self.cured),
                x + 13,
                y + 22,
                13,
            )
            if self.cured:
                pen.path(_TICK if self.cured == 1 else _NONE, "kz-stroke", x + 13, y + 24, 6)
            pen.text(x + 30, y + 27, str(self.supply), 12, "kz-strong", "middle")
            pen.ring(x, y, 40, 44, 8)


@dataclass(frozen=True)
class StationsLeft:
    """The remaining research stations."""

    count: int

    width = 40.0
    height = 44.0

    def draw(self, pen: Pen, x: float, y: float) -> None:
        with pen.thing("stations", f"{self.count} research stations left"):
            pen.rect(x, y, 40, 44, "kz-chip", 8)
            pen.path(SYMBOLS["house"], "kz-house", x + 13, y + 22, 9)
            pen.text(x + 30, y + 27, str(self.count), 12, "kz-strong", "middle")


_VIAL = "M-.3 -1H.3V-.3C.6 0 .6 1 0 1C-.6 1 -.6 0 -.3 -.3Z"
_TICK = "M-.7 .1L-.2 .6L.7 -.5"
_NONE = "M-.6 -.6L.6 .6M.6 -.6L-.6 .6"


class WorldMap:
    """The world: cities, links, cubes, stations and pawns."""

    def __init__(self, look: PandemicLook, width: float) -> None:
        self._look = look
        self.width = width
        self._across = width / _WIDTH
        self._down = self._across if width >= NARROW else width * 1.28 / _HEIGHT
        self.height = _HEIGHT * self._down
        self._size = max(6.5, min(10.0, width / 80))
        """The radius of a city."""
        self._above: list[bool] = []
        """Whether the name of each city stands above it, where it covers less than below."""

    def draw(self, pen: Pen, x: float, y: float) -> None:
        pen.rect(x, y, self.width, self.height, "kz-sea", 12)
        for outline in _LAND:
            points = [self._spot(point, x, y) for point in outline]
            pen.path(_smooth(points), "kz-land")
        spots = [self._spot(point, x, y) for point in _AT]
        self._above = self._names_above(spots)
        for a, b in _LINKS:
            self._link(pen, x, spots[a], spots[b])
        look, view = self._look, self._look.seen.view
        at = [int(view.pawns[player].value) for player in range(look.seen.players)]
        # what can be clicked lies above what cannot
        for lit in (False, True):
            for city, spot in enumerate(spots):
                if look.is_lit(_place(city)) == lit:
                    self._city(pen, city, *spot)
            for player, city in enumerate(at):
                if look.is_lit(f"pawn-{player}") == lit:
                    self._pawn(pen, player, *spots[city], at[:player].count(city))

    def _spot(self, point: tuple[float, float], x: float, y: float) -> tuple[float, float]:
        return x + point[0] * self._across, y + point[1] * self._down

    def _names_above(self, spots: list[tuple[float, float]]) -> list[bool]:
        """Chooses the place of each name, one city after the other."""
        radius = self._size
        cities = [(x - radius, y - radius, 2 * radius, 2 * radius) for x, y in spots]
        taken: list[_Box] = []
        above = []
        for city, (x, y) in enumerate(spots):
            others = [*cities[:city], *cities[city + 1 :], *taken]
            boxes = [self._name_box(city, x, y, above=side) for side in (False, True)]
            covered = [sum(_overlap(box, other) for other in others) for box in boxes]
            above.append(covered[True] < covered[False])
            taken.append(boxes[above[-1]])
        return above

    def _name_size(self, city: int) -> float:
        return fitting_size(WORLD.word(city), self._size * 9, self._size * 1.18, 6)

    def _name_box(self, city: int, x: float, y: float, *, above: bool) -> _Box:
        """The box of the name of a city at this spot."""
        size = self._name_size(city)
        wide, high = text_width(WORLD.word(city), size) * 0.92, size * 1.12
        top = y - self._size - 0.5 - high if above else y + self._size + 0.5
        return x - wide / 2, top, wide, high

    def _link(self, pen: Pen, x: float, a: tuple[float, float], b: tuple[float, float]) -> None:
        if abs(a[0] - b[0]) < _FAR * self._across:
            pen.line(*a, *b, "kz-link")
            return
        west, east = sorted((a, b))
        span = west[0] - x + x + self.width - east[0]
        level = west[1] + (east[1] - west[1]) * (west[0] - x) / span
        pen.line(*west, x, level, "kz-link")
        pen.line(*east, x + self.width, level, "kz-link")

    def _city(self, pen: Pen, city: int, x: float, y: float) -> None:
        view, radius = self._look.seen.view, self._size
        name = WORLD.word(city)
        at = view.cities.at
        colour = COLOURS[city // (len(WORLD) // len(COLOURS))]
        cubes = {c: int(at[city, n]) for n, c in enumerate(COLOURS) if at[city, n]}
        holds = [f"{number} {c} cubes" for c, number in cubes.items()]
        station = bool(at[city, STATION])
        description = ", ".join([name, *holds, *["research station"] * station])
        with pen.thing(_place(city), description):
            pen.circle(x, y, radius, f"kz-city kz-h-{colour}")
            if station:
                pen.path(SYMBOLS["house"], "kz-house", x, y, radius * 0.8)
            name_x, name_y, wide, high = self._name_box(city, x, y, above=self._above[city])
            size = self._name_size(city)
            pen.rect(name_x, name_y, wide, high, "kz-veil", 3)
            pen.text(x, name_y + size * 0.9 - 0.5, name, size, "kz-text", "middle")
            pen.ring(x - radius * 1.5, y - radius * 1.5, radius * 3, radius * 3, radius * 1.5)
            self._cubes(pen, cubes, x + radius * 0.75, y - radius * 1.6)

    def _cubes(self, pen: Pen, cubes: dict[str, int], x: float, y: float) -> None:
        edge = self._size * 0.85
        place = 0
        for colour, number in cubes.items():
            for _ in range(number):
                across, down = place % 2, place // 2
                cube_x, cube_y = x + across * edge * 1.12, y - down * edge * 1.12
                pen.rect(cube_x, cube_y, edge, edge, f"kz-piece kz-h-{colour}", edge * 0.15)
                place += 1

    def _pawn(self, pen: Pen, player: int, x: float, y: float, others: int) -> None:
        """Draws a pawn at a city, to the left of others there."""
        radius = self._size
        x, y = x - radius * 1.5 - others * radius * 1.1, y - radius * 0.9
        with pen.thing(f"pawn-{player}", f"pawn of {self._look.view.names[player]}"):
            pen.path(FIGURES["pawn"], f"kz-piece kz-h-{PAWNS[player]}", x, y, radius * 1.5)
            ink = f"kz-onpiece kz-h-{PAWNS[player]}"
            pen.text(x, y + radius * 1.15, str(player + 1), radius * 0.95, ink, "middle")
            pen.ring(x - radius, y - radius * 1.5, 2 * radius, 3 * radius, radius)


_Box = tuple[float, float, float, float]
"""A box: left, top, width and height."""


def _overlap(a: _Box, b: _Box) -> float:
    """The area that two boxes share."""
    wide = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    high = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    return max(0.0, wide) * max(0.0, high)


def _place(city: int) -> str:
    """The id of a city."""
    return f"place-{slug(WORLD.word(city))}"


def _smooth(points: list[tuple[float, float]]) -> str:
    """The path of a closed outline through the midpoints of a polygon's edges."""
    middles = [
        ((ax + bx) / 2, (ay + by) / 2)
        for (ax, ay), (bx, by) in zip(points, [*points[1:], points[0]], strict=True)
    ]
    start = middles[-1]
    curves = "".join(
        f"Q{px:.0f} {py:.0f} {mx:.0f} {my:.0f}"
        for (px, py), (mx, my) in zip(points, middles, strict=True)
    )
    return f"M{start[0]:.0f} {start[1]:.0f}{curves}Z"
