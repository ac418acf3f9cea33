"""Pictures of tables: what they must be for every game."""

from __future__ import annotations

import itertools
import random
import xml.etree.ElementTree as ET
from collections.abc import Iterator

import pytest
from tests.checks.sound_games import Island
from tests.components.sandbox import sandbox

from kibitz.authoring import Game
from kibitz.components import CardSet, CardType, Deck, put_card, show_card
from kibitz.core.errors import GameDefinitionError, ParameterError
from kibitz.core.layout import Visibility
from kibitz.core.registry import load, names
from kibitz.core.state import State, components_in_play
from kibitz.gdl.game import GdlGame
from kibitz.library.tictactoe import TicTacToe
from kibitz.pictures import LEAST_WIDTH, Look, Picture, draw
from kibitz.pictures.cards import Card, draw_card
from kibitz.pictures.faces import face_of_name
from kibitz.pictures.pen import Pen, slug
from kibitz.syntax.source import Source

GAMES = names()
SVG = "{http://www.w3.org/2000/svg}"
CLICKABLE = [
    "breakthrough",
    "connect-four",
    "hearts",
    "lost-cities",
    "love-letter",
    "nim",
    "scopa",
    "sliding-puzzle",
    "tic-tac-toe",
    "virus",
]
"""Games in which every action can be begun by a click."""


def positions(name: str, number: int) -> Iterator[State]:
    """So many states of a game: at the start, the end, and here and there."""
    game, rng = load(name), random.Random(name)
    low, high = game.players
    found = 0
    while found < number:
        players = rng.randint(low, min(high, low + 3))
        state = game.new_state(players=players, seed=rng.getrandbits(30))
        until = rng.randrange(120)
        while not state.is_terminal and state.tick < until:
            state.apply(rng.choice(state.legal_actions()))
        yield state
        found += 1


def elements(picture: Picture) -> ET.Element:
    return ET.fromstring(picture.svg)


@pytest.mark.parametrize("name", GAMES)
def test_every_game_is_drawn_for_every_seat(name: str) -> None:
    for number, state in enumerate(positions(name, 8)):
        width = (390, 1920)[number % 2]
        legal = set() if state.is_terminal else set(state.legal_actions())
        for seat in [None, *range(state.players)]:
            picture = draw(state, seat, width=width, styled=False)
            root = elements(picture)
            assert float(root.get("width", 0)) == width == picture.width
            assert picture.height == pytest.approx(float(root.get("height", 0)), abs=0.1)
            ids = [e.get("id") for e in root.iter() if e.get("id")]
            assert len(ids) == len(set(ids))
            assert set(ids) == picture.things
            buttons = [e for e in root.iter() if e.get("data-target")]
            assert {e.get("data-target") for e in buttons} == set(picture.targets)
            assert all(e.get("role") == "button" and e.get("aria-label") for e in buttons)
            assert_inside(root)
            reached = {action for actions in picture.targets.values() for action in actions}
            if seat == state.current_player:
                assert reached | set(picture.unreached(sorted(legal))) == legal
            else:
                assert not reached


def assert_inside(root: ET.Element) -> None:
    """Nothing that is drawn lies outside the picture."""
    _, _, width, height = map(float, root.get("viewBox", "").split())
    for rect in root.iter(f"{SVG}rect"):
        x, y, wide, high = (float(rect.get(k, 0)) for k in ("x", "y", "width", "height"))
        assert -1 <= x <= x + wide <= width + 1
        assert -1 <= y <= y + high <= height + 1
    for text in root.iter(f"{SVG}text"):
        assert 0 <= float(text.get("x", 0)) <= width
        assert 0 <= float(text.get("y", 0)) <= height


def test_many_cards_to_choose_from_fit_on_a_phone() -> None:
    rng = random.Random(2)
    state = load("pandemic").new_state(players=2, seed=2)
    most = 0
    while not state.is_terminal:
        legal = state.legal_actions()
        offered = sum(state.action_words(action).startswith("remove") for action in legal)
        if offered > most:
            most = offered
            assert_inside(elements(draw(state, state.current_player, width=390)))
        state.apply(rng.choice(legal))
    assert most == 15


@pytest.mark.parametrize("name", GAMES)
def test_a_picture_shows_nothing_that_its_seat_cannot_know(name: str) -> None:
    differed = 0
    for number, state in enumerate(positions(name, 4)):
        for seat in range(state.players):
            other = state.determinize(seat, seed=number)
            assert draw(other, seat).svg == draw(state, seat).svg
            differed += draw(other, None).svg != draw(state, None).svg
    assert differed or name not in ("hearts", "love-letter", "uno", "kriegspiel-tic-tac-toe")


@pytest.mark.parametrize("name", CLICKABLE)
def test_every_action_can_be_clicked(name: str) -> None:
    for state in positions(name, 12):
        if not state.is_terminal:
            legal = state.legal_actions()
            if len(legal) > 1:
                assert draw(state, state.current_player).unreached(legal) == []


def test_a_known_card_keeps_its_id_wherever_it_goes() -> None:
    rng = random.Random(4)
    state = load("hearts").new_state(seed=4)
    for _ in range(40):
        observation = state.observation(0)
        known = {
            f"card-{slug(name)}-1"
            for path, cards in observation.to_json()["components"].items()
            if path.partition("[")[0] in ("hand", "trick")
            for name in cards
            if name
        }
        assert known
        assert known <= draw(state, 0).things
        state.apply(rng.choice(state.legal_actions()))


def test_hidden_cards_have_the_id_of_their_place() -> None:
    state = load("love-letter").new_state(players=2, seed=1)
    other = 1 - state.current_player
    things = draw(state, state.current_player).things
    assert f"back-hands-{other}-0" in things
    assert not any(thing.startswith(f"back-hands-{state.current_player}") for thing in things)


def test_a_second_click_chooses_among_what_the_first_left() -> None:
    state = load("breakthrough").new_state()
    first = draw(state, 0)
    moves = first.targets["cell-2-2"]
    assert [state.action_words(move) for move in moves] == [
        "(move 2 2 1 3)",
        "(move 2 2 2 3)",
        "(move 2 2 3 3)",
    ]
    second = draw(state, 0, legal=moves, chosen=["cell-2-2"])
    assert set(second.targets) == {"cell-1-3", "cell-2-3", "cell-3-3"}
    assert all(len(actions) == 1 for actions in second.targets.values())
    assert "kz-chosen" in second.svg


def test_what_can_be_done_is_said_in_words() -> None:
    state = load("tic-tac-toe").new_state()
    assert 'aria-label="column 3, row 2: empty: mark 2 1"' in draw(state, 0).svg


def test_a_picture_is_not_too_narrow() -> None:
    state = load("tic-tac-toe").new_state()
    with pytest.raises(ParameterError, match="at least 240 pixels wide"):
        draw(state, 0, width=LEAST_WIDTH - 1)


def test_names_are_for_all_players() -> None:
    state = load("tic-tac-toe").new_state()
    with pytest.raises(ParameterError, match="names"):
        draw(state, 0, names=["Ann"])
    assert "Ben &amp; Co." in draw(state, 0, names=["Ann", "Ben & Co."]).svg


class Plain(Look):
    """A look of its own."""

    def headline(self) -> str:
        return "my own headline"


@pytest.mark.parametrize("look", [Plain, f"{__name__}:Plain"])
def test_a_game_has_the_look_that_it_names(
    look: type[Look] | str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(TicTacToe, "look", look)
    assert "my own headline" in draw(TicTacToe().new_state(), 0).svg


@pytest.mark.parametrize("look", ["no.such:Look", "kibitz.pictures:draw", Game])
def test_a_look_that_is_none_is_an_error(look: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TicTacToe, "look", look)
    with pytest.raises(GameDefinitionError, match="tic-tac-toe: its look"):
        draw(TicTacToe().new_state(), 0)


def test_all_components_are_drawn() -> None:
    """A game with hidden boards, a die and tokens, of which nothing is said how it looks."""
    state = Island(False).new_state(seed=1)
    rng = random.Random(1)
    for _ in range(6):
        state.apply(rng.choice(state.legal_actions()))
    picture = draw(state, state.current_player)
    assert {"dice-0", "roles-0", "cell-island-0-0", "cell-dug-2-2"} <= picture.things
    assert ">?<" in picture.svg
    assert ">?<" not in draw(state, None).svg
    assert picture.unreached(state.legal_actions()) == []


def test_a_trail_has_its_rider_s_colour_and_north_is_up() -> None:
    state = load("light-cycles").new_state()
    first = draw(state, 0, legal=state.legal_actions())
    moves = {state.action_words(action): action for action in state.legal_actions()}
    ways = {"north": "cell-2-3", "south": "cell-2-5", "east": "cell-3-4", "west": "cell-1-4"}
    for way, cell in ways.items():
        assert list(first.targets[cell]) == [moves[f"(ride {way})"]]
    top = {e.get("id"): e for e in elements(first).iter() if e.get("id")}

    def height(cell: str) -> float:
        return float(next(top[cell].iter(f"{SVG}rect")).get("y", 0))

    assert height("cell-2-3") < height("cell-2-4") < height("cell-2-5")
    state.apply("(ride north)")
    state.apply("(ride west)")
    pieces = [e.get("data-piece") for e in elements(draw(state, 0)).iter() if e.get("data-piece")]
    trails = sorted(piece for piece in pieces if piece and piece.startswith("trail"))
    assert trails == ["trail blue n", "trail blue s", "trail red e", "trail red w"]


def test_things_of_which_several_facts_tell_stand_in_a_row() -> None:
    state = load("monty-hall").new_state(seed=1)
    while len(state.legal_actions()) < 2:
        state.apply(state.legal_actions()[0])
    picture = draw(state, 0, legal=state.legal_actions())
    assert {f"cell-{door}" for door in (1, 2, 3)} <= picture.targets.keys()
    state.apply("(choose 2)")
    shown = {e.get("id"): "".join(e.itertext()) for e in elements(draw(state, 0)).iter()}
    assert "chosen" in shown["cell-2"]
    assert "chosen" not in shown["cell-1"]


def test_expeditions_that_have_not_begun_are_empty_places() -> None:
    state = load("lost-cities").new_state(seed=1)
    colours = ("blue", "green", "red", "white", "yellow")
    for seat in (0, 1):
        things = draw(state, seat).things
        for colour in colours:
            assert f"pile-game-vloc-{colour}" in things
            assert {f"pile-player-vloc-{colour}-{p}" for p in (0, 1)} <= things
    assert not any("trick" in thing for thing in draw(load("hearts").new_state(seed=1), 0).things)


def test_what_a_team_has_stands_in_a_line_of_its_own() -> None:
    text = draw(load("spades").new_state(seed=1), 0).svg
    assert text.count(">Team 1<") == text.count(">Team 2<") == 1
    assert "of team" not in text


def test_the_name_of_a_card_is_narrower_than_the_card() -> None:
    """Measured in a wide bold typeface, DejaVu Sans Bold: 'Beard Cat' is 5.56 times as wide as
    its letters are high."""
    face = face_of_name("Beard Cat", "Two of them steal a card.")
    for width in (34, 54, 72, 82):
        pen = Pen({}, (), {})
        draw_card(pen, Card("card", face), 0, 0, width)
        root = ET.fromstring(f"<svg>{pen.svg}</svg>")
        for text in root.iter("text"):
            if text.text == "Beard Cat":
                assert 5.56 * float(text.get("font-size", 0)) <= 0.92 * width


def test_the_names_of_pandemic_s_piles_are_not_cut() -> None:
    state = load("pandemic").new_state(2, seed=1)
    for width in (390, 960, 1920):
        assert ">infection discards<" in draw(state, 0, width=width).svg


def test_on_a_wide_screen_pandemic_s_piles_stand_beside_the_map() -> None:
    state = load("pandemic").new_state(4, seed=1)
    assert draw(state, 0, width=1920).height < 0.8 * 1920


def test_the_names_of_pandemic_s_cities_can_be_read_on_a_phone() -> None:
    """Other cities cover hardly a fiftieth of a name."""
    root = elements(draw(load("pandemic").new_state(2, seed=1), seat=0, width=374))
    places = [g for g in root.iter(f"{SVG}g") if g.get("id", "").startswith("place-")]
    assert len(places) == 48
    circles, names = {}, {}
    for place in places:
        circle = next(c for c in place.iter(f"{SVG}circle") if "kz-city" in c.get("class", ""))
        circles[place.get("id")] = [float(circle.get(key, 0)) for key in ("cx", "cy", "r")]
        veil = next(r for r in place.iter(f"{SVG}rect") if "kz-veil" in r.get("class", ""))
        names[place.get("id")] = [float(veil.get(k, 0)) for k in ("x", "y", "width", "height")]
    for city, (left, top, wide, high) in names.items():
        covered = 0.0
        for other, (x, y, r) in circles.items():
            if other != city:
                across = min(left + wide, x + r) - max(left, x - r)
                down = min(top + high, y + r) - max(top, y - r)
                covered += max(0.0, across) * max(0.0, down)
        assert covered < 0.02 * wide * high, city


def test_a_game_that_breaks_off_in_its_first_moves_is_drawn() -> None:
    text = """(role left) (role right) (direction north) (direction south)
        (line 1) (line 2) (line 3) (after 1 2) (after 2 3)
        (init (at left 1 2)) (init (at right 3 2))
        (<= (legal ?w (ride ?d)) (direction ?d) (true (at ?w ?x ?y)))
        (<= (next (at ?w ?x 1)) (does ?w (ride north)) (true (at ?w ?x 2)))
        (<= terminal (true (at left 3 3))) (goal left 0) (goal right 0)"""
    state = GdlGame(Source("stuck.kif", text)).new_state()
    assert draw(state, 0).svg


# --- the order of cards -------------------------------------------------------------------

CARDS = CardSet("Cards", [CardType(name, 99) for name in ("Ace", "King", "Queen")])
ACE, KING, QUEEN = range(3)


def pile(cards: list[int], visible_to: Visibility, shown: int = 0) -> State:
    """A state with a pile of these cards, from the bottom; player 1 has seen the top ones."""
    state = sandbox(2, pile=Deck(CARDS, visible_to))
    for card in cards:
        put_card(state.view, state.view.pile, card)
    for place in range(len(cards) - shown, len(cards)):
        show_card(state.view.pile, place, 0)
    return state


def cards_shown(picture: Picture) -> list[tuple[str, float, float]]:
    """The cards of a picture from the lowest to the uppermost, each with its corner."""
    found = []
    for element in elements(picture).iter(f"{SVG}g"):
        thing = element.get("id", "")
        if thing.startswith(("card-", "back-")):
            rect = next(element.iter(f"{SVG}rect"))
            found.append((thing, float(rect.get("x", 0)), float(rect.get("y", 0))))
    return found


def test_the_last_card_of_an_open_pile_is_on_top() -> None:
    picture = draw(pile([ACE, *[KING] * 30, QUEEN], Visibility.EVERYONE), 0)
    assert [thing for thing, _, _ in cards_shown(picture)] == ["card-queen-1"]
    body = next(e for e in elements(picture).iter() if e.get("id") == "pile-pile")
    rects = [
        (r.get("class", "").split()[0], float(r.get("x", 0))) for r in body.iter(f"{SVG}rect")
    ]
    kinds, corners = zip(*rects, strict=True)
    assert kinds == ("kz-under", "kz-under", "kz-face")
    assert [x - corners[-1] for x in corners] == [5, 2.5, 0]


@pytest.mark.parametrize("cards", [[ACE, KING, QUEEN, ACE], [ACE, QUEEN, KING, ACE]])
def test_open_cards_lie_from_left_to_right_and_the_last_one_covers_the_others(
    cards: list[int],
) -> None:
    words = ["ace", "king", "queen"]
    shown = cards_shown(draw(pile(cards, Visibility.EVERYONE), 0))
    numbers = [1, 1, 1, 2]
    names = [f"card-{words[c]}-{n}" for c, n in zip(cards, numbers, strict=True)]
    assert [thing for thing, _, _ in shown] == names
    steps = [b[1] - a[1] for a, b in itertools.pairwise(shown)]
    assert steps == [59, 59, 59]
    assert len({y for _, _, y in shown}) == 1


def test_a_draw_pile_hides_its_cards_but_those_that_somebody_has_seen_on_top() -> None:
    state = pile([ACE, ACE, KING, QUEEN], Visibility.NOBODY, shown=2)
    things = ["back-pile-0", "back-pile-1", "card-king-1", "card-queen-1"]
    assert [thing for thing, _, _ in cards_shown(draw(state, 0))] == things
    other = draw(state, 1)
    assert cards_shown(other) == []
    assert "pile-pile" in other.things
    counted = [e.text for e in elements(other).iter() if e.get("class") == "kz-counted"]
    assert counted == ["4"]


@pytest.mark.parametrize(
    ("name", "path"), [("uno", "pile"), ("virus", "discard"), ("pandemic", "infection_discards")]
)
def test_the_top_of_a_discard_pile_is_the_card_that_came_last(name: str, path: str) -> None:
    rng = random.Random(2)
    state = load(name).new_state(players=2, seed=2)
    checked = 0
    while not state.is_terminal and checked < 5:
        state.apply(rng.choice(state.legal_actions()))
        record = getattr(state.view, path)
        if record.count < 2 or record.cards[0] == record.cards[record.count - 1]:
            continue
        place = next(i for i, _ in components_in_play(state) if i.path == path)
        top = slug(place.component.card_set.word(record.cards[record.count - 1]))
        picture = draw(state, None)
        lying = next(group for at, group in picture.piles.items() if at.name == path).things
        (shown,) = set(lying) & {thing for thing, _, _ in cards_shown(picture)}
        assert shown == lying[-1]
        assert shown.rpartition("-")[0].endswith(f"-{top}")
        checked += 1
    assert checked == 5
