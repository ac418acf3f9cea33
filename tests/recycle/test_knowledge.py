"""Hidden information: what determinizations keep and redraw, and never reveal."""

from __future__ import annotations

import ctypes
import itertools
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.recycle.native import misplaced
from tests.recycle.oracle import PileKey, pile_keys
from tests.recycle.programs import choice, do, game, stage, until
from tests.shared import SHARED

from kibitz.core.contract import RULES
from kibitz.core.game import Table, engine
from kibitz.core.memory import record_at
from kibitz.core.randomness import GAME_STREAM, start_stream
from kibitz.core.state import State, components_in_play
from kibitz.core.status import Status
from kibitz.recycle import library
from kibitz.recycle.checker import diagnose
from kibitz.recycle.game import RecycleGame, load
from kibitz.recycle.options import Hidden
from kibitz.syntax.source import Source

HANABI = Path(__file__).parent / "data" / "hanabi.rcy"
LIBRARY = [*sorted(library.FOLDER.glob("*.rcy")), HANABI]
CORPUS = sorted((SHARED / "corpus" / "recycle").glob("current/*.rcy"))
"""Not part of this project; the tests are skipped where it is not."""

ALIKE = ("Agram", "BlackLady", "BlackMaria", "Cheesehead", "Comet", "GolfSix", "Hearts", "Knaves")
ALIKE += ("LAMA", "NinetyEight", "NoThanks", "Pairs", "SpotHearts", "StealingBundles")
"""Beginnings of the names of files that differ in a line or two; one of each is tested."""

_marks = (ctypes.c_int64 * 4096)()


def table_of(text: str) -> Table:
    return RecycleGame(Source("game.rcy", text)).table()


def states(table: Table, games: int, limit: int = 400) -> Iterator[State]:
    """States at which somebody decides, of random games."""
    for seed in range(games):
        pick = random.Random(seed)
        state = State(table, table.blank, seed)
        start_stream(state.view.rng, seed, GAME_STREAM)
        engine()["set_up"](table.address, state.address)
        while state.status == Status.PLAYING and state.tick < limit:
            yield state
            state.apply(pick.choice(state.legal_actions()))


def check_observations(state: State, leaks: bool) -> None:
    """The laws of what players see of a state."""
    rules = record_at(state.table.address, RULES)
    legal = set(state.legal_actions())
    current = state.current_player
    for player in dict.fromkeys((current, 0, state.players - 1)):
        observation = bytes(state.observation(player))
        for seed in (1, 2):
            sample = state.determinize(player, seed)
            assert bytes(sample.observation(player)) == observation
            assert misplaced(rules, sample.address, ctypes.addressof(_marks)) == 0
            if player == current and not leaks:
                options = sample.legal_actions()
                assert set(options) == legal, (state.tick, seed)
                sample_plays(sample, options[seed % len(options)])


def sample_plays(sample: State, action: int) -> None:
    """An action can be played where a player imagines to be."""
    engine()["apply_action"](sample.table.address, sample.address, action)
    assert sample.status != Status.RULES_ERROR, sample.table.wording.explanation(sample)


def leaks(file: Path) -> bool:
    """Whether the checker says that choices depend on what is hidden."""
    diagnostics = diagnose(Source(file.name, file.read_text("utf-8-sig")))
    return any(diagnostic.code == "hidden-information" for diagnostic in diagnostics)


@pytest.mark.parametrize("file", LIBRARY, ids=[file.stem for file in LIBRARY])
def test_library(file: Path) -> None:
    assert not leaks(file)
    game = load(file)
    for players in {game.usual_players, game.players[1]}:
        pick = random.Random(players)
        for state in states(game.table(players), games=2):
            if pick.random() < 0.1:
                check_observations(state, leaks=False)


def unlike() -> list[Path]:
    """The corpus, one file of each kind."""
    by_kind = {}
    for file in CORPUS:
        kind = next((word for word in ALIKE if file.stem.startswith(word)), file.stem)
        by_kind.setdefault(kind, file)
    return list(by_kind.values())


@pytest.mark.skipif(not CORPUS, reason="the corpus is not here")
@pytest.mark.parametrize("file", unlike(), ids=[file.stem for file in unlike()])
def test_corpus(file: Path) -> None:
    pick = random.Random(1)
    gives_away = leaks(file)
    for state in states(load(file).table(), games=1, limit=200):
        if pick.random() < 0.2:
            check_observations(state, gives_away)


# --- what has been seen ---------------------------------------------------------------------

FACE_DOWN = "(create deck (game iloc STOCK) (deck (RANK (A, B, C, D, E, F, G, H))))"
"""Cards 0 to 7, the last one on top."""
DEAL = "(repeat 3 (move (top (game iloc STOCK)) (top ((0 player) iloc HAND))))"
"""Player 0 gets 7, 6, 5."""
AWAY = "(move (top (game vloc OPEN)) (top (game hloc DARK)))"
OPEN = "(move (top (game iloc STOCK)) (top (game vloc OPEN)))"


def after(*steps: str) -> State:
    """The state after these steps, at a choice of player 0 of three."""
    text = game(do(*steps), choice("(turn pass)"), deck=FACE_DOWN)
    return table_of(text).new_state(1)


def lying(state: State) -> dict[PileKey, list[int]]:
    """The cards in each location."""
    decks = [
        view for inst, view in components_in_play(state) if "cards" in (inst.dtype.names or ())
    ]
    return {
        key: [deck.cards[i] for i in range(deck.count)]
        for key, deck in zip(pile_keys(state.table.rules.places), decks, strict=True)
    }


def of_game(name: str, kind: str = "hloc") -> PileKey:
    return PileKey("game", kind, name, 0)


def of_player(player: int, name: str = "HAND", kind: str = "iloc") -> PileKey:
    return PileKey(("player", player), kind, name, 0)


def samples(state: State, player: int, place: PileKey, count: int = 60) -> set[tuple[int, ...]]:
    """The contents of a location in determinizations for a player."""
    return {tuple(lying(state.determinize(player, seed))[place]) for seed in range(count)}


def test_a_card_seen_going_face_down_is_remembered() -> None:
    state = after(OPEN, OPEN, AWAY, AWAY, DEAL)
    for player in range(3):
        assert samples(state, player, of_game("DARK")) == {(6, 7)}
        assert samples(state, player, of_game("OPEN", "vloc")) == {()}


def test_until_a_shuffle() -> None:
    state = after(OPEN, OPEN, AWAY, AWAY, "(shuffle (game hloc DARK))")
    for player in range(3):
        assert {frozenset(cards) for cards in samples(state, player, of_game("DARK"))} > {
            frozenset((6, 7))
        }


def test_what_is_dealt_is_known_to_who_got_it() -> None:
    state = after(DEAL)
    assert samples(state, 0, of_player(0)) == {(7, 6, 5)}
    assert len(samples(state, 1, of_player(0))) > 30
    assert all(len(set(cards)) == 3 for cards in samples(state, 1, of_player(0)))


def test_a_card_moved_by_its_place_is_followed() -> None:
    """All saw it go from the open into a hand, and from there to another."""
    steps = (OPEN, "(move (top (game vloc OPEN)) (top ((0 player) iloc HAND)))")
    pass_on = "(move (top ((0 player) iloc HAND)) (top ((1 player) iloc HAND)))"
    for player in range(3):
        assert samples(after(*steps, pass_on), player, of_player(1)) == {(7,)}


def test_somebody_moves_a_card_that_others_cannot_see() -> None:
    """Only the two players concerned know which of two known cards was passed on."""
    steps = (
        OPEN,
        OPEN,
        "(repeat 2 (move (top (game vloc OPEN)) (top ((0 player) iloc HAND))))",
        "(all (filter ((0 player) iloc HAND) 'C (== (cardatt RANK 'C) H)) 'C"
        " (move 'C (top ((1 player) iloc HAND))))",
    )
    state = after(*steps)
    assert samples(state, 1, of_player(1)) == {(7,)}
    assert samples(state, 0, of_player(1)) == {(7,)}
    # the third player forgets more than a person would: that it is one of the two
    assert {(6,), (7,)} <= samples(state, 2, of_player(1), 200)


def test_kinds_of_locations() -> None:
    knowers = {"iloc": {1}, "oloc": {0, 2}, "hloc": set(), "vloc": {0, 1, 2}}
    state = after(
        *[f"(move (top (game iloc STOCK)) (top ((1 player) {kind} HAND)))" for kind in knowers]
    )
    for kind, expected in knowers.items():
        place = of_player(1, "HAND", kind)
        assert {p for p in range(3) if len(samples(state, p, place)) == 1} == expected


def test_a_revealed_card() -> None:
    state = after(DEAL, "(reveal (1 ((0 player) iloc HAND)) (2 player))")
    assert {cards[1] for cards in samples(state, 2, of_player(0))} == {6}
    assert len({cards[1] for cards in samples(state, 1, of_player(0))}) > 3


# --- backs ----------------------------------------------------------------------------------

TWO_BACKS = game(
    do(
        "(shuffle (game iloc STOCK))",
        "(all player 'P (repeat 3 (move (top (game iloc STOCK)) (top ('P iloc HAND)))))",
    ),
    stage(
        until(9),
        choice(
            "(any ((current player) iloc HAND) 'C (move 'C (top (game hloc HEAP))))", "(turn pass)"
        ),
        do("(inc (game sto N) 1)"),
    ),
    deck="(create deck RED (game iloc STOCK) (deck (RANK (A, B, C, D, E, F))))"
    " (create deck BLUE (game iloc STOCK) (deck (RANK (A, B, C, D, E, F))))",
)


def test_cards_of_different_backs_do_not_mix() -> None:
    """The first six cards are red."""
    moved = 0
    for state in states(table_of(TWO_BACKS), games=3):
        check_observations(state, leaks=False)
        truth = backs(state)
        for player in range(3):
            for seed in range(5):
                sample = state.determinize(player, seed)
                assert backs(sample) == truth
                moved += cards(sample) != cards(state)
    assert moved > 100


def cards(state: State) -> list[list[int]]:
    """All cards, place by place."""
    return list(lying(state).values())


def backs(state: State) -> list[list[bool]]:
    """Whether each card is red."""
    return [[card < 6 for card in place] for place in cards(state)]


# --- who does not see their own hand --------------------------------------------------------

BLIND = game(
    do("(all player 'P (repeat 2 (move (top (game iloc STOCK)) (top ('P oloc HAND)))))"),
    choice("(any ((current player) oloc HAND) 'C (move 'C (top (game vloc OPEN))))"),
    choice(
        "(any (union (all player 'P ('P oloc HAND))) 'C (move 'C (top (game vloc OPEN))))",
    ),
    deck=FACE_DOWN,
)


def test_own_cards_are_chosen_by_their_places() -> None:
    state = table_of(BLIND).new_state(1)
    picks = [state.table.rules.decode(state, action)[1][0] for action in state.legal_actions()]
    assert [(type(pick), pick.position) for pick in picks] == [(Hidden, 0), (Hidden, 1)]
    words = [state.action_words(action) for action in state.legal_actions()]
    assert words == [f"play card {n} of your hand to the open cards" for n in (1, 2)]
    assert [state.action(text) for text in words] == state.legal_actions()
    state.apply(words[0])
    assert lying(state)[of_game("OPEN", "vloc")] == [7]


def test_known_and_unknown_cards_in_one_choice() -> None:
    """Own cards by their places, those of the others by what they are."""
    state = table_of(BLIND).new_state(1)
    state.apply(state.legal_actions()[1])
    picks = [state.table.rules.decode(state, action)[1][0] for action in state.legal_actions()]
    assert [pick if isinstance(pick, int) else "?" for pick in picks] == ["?", 5, 4, 3, 2]
    check_observations(state, leaks=False)


def test_hanabi_shows_the_others_hands() -> None:
    state = load(HANABI).table(4).new_state(1)
    for player in range(4):
        text = state.describe(player)
        own = next(line for line in text.splitlines() if f"Player {player + 1} (you)" in line)
        assert own.count("1 hidden card") == 4
        assert text.count("1 hidden card") == 4
    state.apply("play the top card of your C pile")
    assert state.tick == 1


def test_who_has_been_told_colour_and_number_knows_the_card() -> None:
    """By playing on until it happens; then, and only then, the owner sees the card."""
    known_cards = 0
    for state in states(load(HANABI).table(2), games=40):
        views = {instance.path: view for instance, view in components_in_play(state)}
        for place, player in itertools.product("abcde", range(2)):
            hand, colour, number = (
                views[f"player_{kind}_{place}[{player}]"] for kind in ("oloc", "str", "sto")
            )
            if hand.count > 0:
                both = state.table.rules.places.words[colour.value] != "NONE" and number.value > 0
                assert bool(hand.seen[0] >> player & 1) == both
                known_cards += both
    assert known_cards > 20


# --- all at once ----------------------------------------------------------------------------

OWN_HAND = "((current player) iloc HAND)"
BIDS = game(
    do("(all player 'P (repeat 3 (move (top (game iloc STOCK)) (top ('P iloc HAND)))))"),
    stage(
        until(3),
        choice(
            "(any ((current player) iloc HAND) 'C (move 'C (top ((current player) vloc BID))))"
        ),
        do("(inc (game sto N) 1)"),
        kind="player simultaneous",
    ),
    deck="(create deck (game iloc STOCK) (deck (RANK (A, B, C, D, E, F, G, H, I, J))))",
)
"""Each lays a card of three, all at the same time; once, as the counter goes up for each."""


def test_nobody_sees_what_the_others_have_chosen() -> None:
    table = table_of(BIDS)
    for committed in range(1, 3):
        variants = []
        for last in range(3):
            state = table.new_state(1)
            for _ in range(committed - 1):
                state.apply(state.legal_actions()[0])
            state.apply(state.legal_actions()[last])
            variants.append(state)
        assert {state.current_player for state in variants} == {committed}
        for player in range(3):
            views = {bytes(state.observation(player)) for state in variants}
            assert len(views) == (3 if player == committed - 1 else 1)
        assert len({tuple(state.legal_actions()) for state in variants}) == 1
        assert len({state.describe(2) for state in variants}) == 1


def test_hidden_choices_are_drawn_anew() -> None:
    """Each of the other's three cards is as likely, whatever they are; one's own choice stays."""
    table = table_of(BIDS)
    state = table.new_state(1)
    state.apply(state.legal_actions()[2])
    samples = 1500
    laid, places = Counter(), Counter()
    for seed in range(samples):
        other = state.determinize(1, seed)
        hand = lying(other)[of_player(0)]
        bid = bids(play_out(other))[0]
        laid[bid] += 1
        places[hand.index(bid)] += 1
        own = state.determinize(0, seed)
        assert bids(play_out(own))[0] == bids(play_out(state.clone()))[0]
    assert set(places) == {0, 1, 2}
    for count in places.values():
        assert abs(count - samples / 3) < 4 * (samples * 2 / 9) ** 0.5
    assert len(laid) == 7  # all but the three of player 1


def play_out(state: State) -> State:
    """The first option for all, to the end."""
    while not state.is_terminal:
        state.apply(state.legal_actions()[0])
    return state


def bids(state: State) -> list[int]:
    """The first card that each has laid."""
    return [lying(state)[of_player(player, "BID", "vloc")][0] for player in range(3)]


def test_all_is_done_together() -> None:
    """No card is laid before all have chosen; then all are."""
    state = table_of(BIDS).new_state(1)
    for player in range(3):
        assert state.current_player == player
        assert [len(lying(state)[of_player(p)]) for p in range(3)] == [3, 3, 3]
        state.apply(state.legal_actions()[player])
    assert [len(lying(state)[of_player(p)]) for p in range(3)] == [2, 2, 2]
    assert len(bids(state)) == 3


def test_observations_of_simultaneous_stages() -> None:
    for state in states(table_of(BIDS), games=5):
        check_observations(state, leaks=False)
