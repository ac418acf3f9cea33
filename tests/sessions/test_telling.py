"""Events: everything that a person at the table would notice and may know, in few words."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from tests.recycle.programs import choice, do, game

import kibitz
from kibitz.authoring import (
    Action,
    ActionKinds,
    ActionList,
    CardSet,
    CardType,
    Counter,
    Deck,
    Game,
    GameState,
    Visibility,
    add,
    draw_card,
    eliminate,
    end_round,
    end_turn,
    finish_by_score,
    move_card,
    pack,
    per_player,
    put_copies,
    restore_players,
    shuffle_deck,
    start_round,
)
from kibitz.core.changes import Counted, Exchanged, Moved, Place, Shown, Shuffled, Won
from kibitz.core.game import Table
from kibitz.core.plugins import installed
from kibitz.core.registry import ENTRY_POINTS
from kibitz.core.state import State
from kibitz.recycle import library
from kibitz.recycle.game import RecycleGame, load
from kibitz.sessions import Move, Session, Update
from kibitz.sessions.telling import tell
from kibitz.syntax.source import Source

DATA = Path(__file__).parent / "data"
STOCK, OFFER = Place("stock"), Place("offer")


def texts(*changes: Any, observer: int | None = 0, players: int = 3) -> list[str]:
    return [event.text for event in tell(changes, observer, players)]


def hand(player: int) -> Place:
    return Place("hand", player)


# --- changes in sentences ------------------------------------------------------------------


def test_a_deal_is_one_sentence_and_names_ones_own_cards() -> None:
    deal = [
        Moved(card if p == 0 else None, STOCK, hand(p)) for card in ("A", "B") for p in range(3)
    ]
    assert texts(*deal) == ["2 cards are dealt to each player; you get A and B."]
    hidden = [Moved(None, move.source, move.target) for move in deal]
    assert texts(*hidden, observer=None) == ["2 cards are dealt to each player."]
    assert texts(*deal[1:3]) == ["Player 2 and player 3 are dealt 1 card each."]
    assert texts(deal[0], deal[1], deal[3]) == [
        "Dealt: A and B to you; a card to player 2.",
    ]


def test_a_trick_is_taken_by_somebody() -> None:
    trick = [Moved(f"C{p}", Place("trick", p), Place("won", 1)) for p in range(3)]
    assert texts(*trick) == ["Player 2 takes the trick: C0, C2 and C1."]
    assert texts(*trick, observer=1) == ["You take the trick: C0, C2 and C1."]
    gone = [Moved(f"C{p}", Place("trick", p), Place("discard")) for p in range(3)]
    assert texts(*gone) == ["The trick goes to the discard: C0, C1 and C2."]
    assert texts(Won(0), Won(1), *gone) == ["Player 2 wins the trick: C0, C1 and C2."]


def test_cards_that_go_where_they_are_shuffled() -> None:
    back = [Moved("A", Place("discard"), STOCK), Moved("B", Place("discard"), STOCK)]
    assert texts(*back, Shuffled(STOCK)) == ["The discard is shuffled into the stock."]
    several = [Moved("A", hand(1), STOCK), Moved("B", Place("discard"), STOCK)]
    assert texts(*several, Shuffled(STOCK)) == ["2 cards are shuffled into the stock."]
    assert texts(Shuffled(STOCK)) == ["The stock is shuffled."]


def test_single_cards_are_told_with_where_they_go() -> None:
    assert texts(Moved("A", STOCK, OFFER)) == ["A goes from the stock to the offer."]
    assert texts(Moved("A", STOCK, hand(0))) == ["You get A from the stock."]
    assert texts(Moved(None, STOCK, hand(1))) == ["Player 2 gets a card from the stock."]
    assert texts(Moved("A", hand(0), hand(2))) == ["Player 3 gets A from your hand."]
    mixed = [Moved("A", STOCK, hand(1)), Moved(None, STOCK, hand(1))]
    assert texts(*mixed) == ["Player 2 gets A and 1 more card from the stock."]
    many = [Moved(f"C{i}", STOCK, hand(0)) for i in range(30)]
    assert texts(*many) == ["You get 30 cards from the stock."]


def test_what_arrives_and_leaves_again_is_told_in_order() -> None:
    moves = [Moved("A", hand(1), OFFER), Moved("A", OFFER, hand(2))]
    assert texts(*moves) == [
        "A goes from player 2's hand to the offer.",
        "Player 3 gets A from the offer.",
    ]


def test_an_exchange_and_what_is_shown() -> None:
    assert texts(Exchanged(hand(0), hand(1), "A", "B")) == [
        "A of your hand and B of player 2's hand change places."
    ]
    assert texts(Shown("A", STOCK), Shown("B", hand(1))) == [
        "You see A in the stock and B in player 2's hand."
    ]


def test_numbers_are_told_once_with_how_they_changed() -> None:
    assert texts(Counted("chips", 1, 3, 2)) == ["Player 2 now has 2 chips (-1)."]
    assert texts(Counted("pot", None, 3, 0)) == ["The pot is now 0 (-3)."]
    assert texts(Counted("score", "team 1", 0, 9)) == ["Team 1's score is now 9 (+9)."]
    assert texts(Counted("chips", 1, 3, 2), Counted("chips", 1, 2, 3)) == []
    lives = [Counted("lives", p, 3, 3 - p) for p in range(3)]
    assert texts(*lives) == ["Lives: player 2 now 2 (-1), player 3 now 1 (-2)."]
    assert texts(*(Counted("tricks", p, p + 1, 0) for p in range(3))) == [
        "Everyone now has 0 tricks."
    ]


def test_events_are_data_as_well() -> None:
    (event,) = tell([Moved("A", STOCK, hand(1))], 0, 3)
    assert event.kind == "move"
    assert event.data == {
        "moves": [
            {"from": {"place": "stock"}, "to": {"place": "hand", "player": 2}, "cards": ["A"]}
        ]
    }


# --- RECYCLE -------------------------------------------------------------------------------


def retold(table: Table, seed: int) -> str:
    from kibitz.core.agent import make_agents

    return kibitz.transcript(
        kibitz.record(table, make_agents(["random"], table.players), seed), table
    )


@pytest.mark.parametrize("name", ["take-it-or-pay", "exact-tricks"])
def test_a_transcript_reads_like_a_game(name: str) -> None:
    """Golden transcripts; ``python -m tests.sessions.test_telling`` writes them anew."""
    assert retold(load(DATA / f"{name}.rcy").table(), 3) == (DATA / f"{name}.txt").read_text()


def all_events(name: str, seat: int | None, actions: int, seed: int = 9) -> list[str]:
    table = load(library.FOLDER / f"{name}.rcy").table()
    session = Session(table, ["random"] * table.players, seed)
    told = [event.text for event in session.opening(seat)]
    while not session.is_over and len(session.moves) < actions:
        told += [event.text for event in session.advance().events(seat)]
    return told


@pytest.mark.parametrize(
    ("name", "seat", "line"),
    [
        ("hearts", None, "13 cards are dealt to each player."),
        ("hearts", 0, "13 cards are dealt to each player; you get "),
        ("hearts", None, "Player 2 gets 3 cards from player 1's passed cards; "),
        ("hearts", None, "Player 1 takes the trick: the "),
        ("hearts", None, "52 cards are shuffled into the stock."),
        ("spades", None, "Player 1 now has 1 trick (+1)."),
        ("spades", None, "The discard pile is shuffled into the stock."),
        ("cuckoo", 1, "'s hand change places."),
        ("cuckoo", None, "Player 1 shows the "),
        ("scopa", None, "3 cards are dealt to each player."),
        ("scopa", None, "'s score is now 1 (+1)."),
        ("lost-cities", None, "8 cards are dealt to each player."),
        ("pairs", None, " go to the discard pile."),
        ("go-fish", 0, "Player 3 gets a card from the stock."),
        ("ninety-eight", None, "The count is now "),
    ],
)
def test_library_games_tell_what_the_rules_do(name: str, seat: int | None, line: str) -> None:
    assert any(line in text for text in all_events(name, seat, 90))


def test_marks_and_what_steers_the_game_are_no_events() -> None:
    told = "\n".join(all_events("spades", None, 60) + all_events("scopa", None, 40))
    assert "bids is" not in told
    assert "broken" not in told.lower()
    assert "Last" not in told


@pytest.mark.parametrize(
    "name",
    # in cuckoo cards are shown that are shuffled in before anybody acts: no state has that
    [name for name in sorted(installed(ENTRY_POINTS)) if name != "cuckoo"],
)
def test_what_a_seat_is_told_depends_on_what_it_sees(name: str) -> None:
    """In a state that looks the same to a seat, and afterwards too, the same is told."""
    table = kibitz.load(name).table()
    state, rng, compared = table.new_state(3), random.Random(3), 0
    while not state.is_terminal and state.tick < 60:
        seat = rng.randrange(table.players)
        action = rng.choice(state.legal_actions())
        sample = state.determinize(seat, rng.getrandbits(40))
        told, seen = outcome(state, action, seat)
        if action in sample.legal_actions():
            told_then, seen_then = outcome(sample, action, seat)
            if seen == seen_then:
                compared += 1
                assert told == told_then
        state.apply(action)
    assert compared or name in ("pairs", "ninety-eight", "go-fish")  # all is open


def outcome(state: State, action: int, seat: int) -> tuple[list[str], bytes]:
    after = state.clone()
    after.apply(action)
    move = Move(state.current_player, action, state.action_words(action), forced=False)
    told = [event.text for event in Update(move, state, after).events(seat)]
    return told, bytes(after.observation(seat))


def test_what_all_have_chosen_at_once_is_told_when_all_have() -> None:
    text = game(
        do("(all player 'P (repeat 2 (move (top (game iloc STOCK)) (top ('P iloc HAND)))))"),
        "(stage player simultaneous (end (== (size ((0 player) iloc HAND)) 1)) "
        + choice("(any ((current player) iloc HAND) 'C (move 'C (top (game vloc OUT))))")
        + ")",
        deck="(create deck (game iloc STOCK) (deck (RANK (A, B, C, D, E, F))))",
    )
    table = RecycleGame(Source("game.rcy", text)).table()
    session = Session(table, [None] * 3, 1)
    told = [
        [event.text for event in session.apply(session.state.legal_actions()[0]).events(2)]
        for _ in range(3)
    ]
    assert told[0] == ["Player 1 has chosen"]
    assert told[2][1].startswith("Player 1 plays ")
    assert told[2][2].startswith("Player 2 plays ")


# --- Python and GDL ------------------------------------------------------------------------


def test_what_changed_in_a_game_in_python_is_found_by_what_is_seen() -> None:
    session = Session(kibitz.load("love-letter").table(2), [None, None], 3)
    update = session.apply(session.state.legal_actions()[0])
    while [event.kind for event in update.events(0)] != ["action", "move"]:
        update = session.apply(session.state.legal_actions()[-1])
    mover = update.move.player
    other = 1 - mover
    assert update.events(other)[1].text.startswith("You get ")
    assert update.events(mover)[1].text == f"Player {other + 1} gets a card from the deck."
    assert len(update.events(other)) == 2  # the words say what became of the card played


def test_others_moves_are_told_once_all_roles_have_chosen() -> None:
    session = Session(kibitz.load("light-cycles").table(), [None, None], 3)
    first = session.apply(session.state.legal_actions()[0])
    assert [event.text for event in first.events(1)] == ["Player 1 has chosen"]
    second = session.apply(session.state.legal_actions()[0])
    assert (
        [event.text for event in second.events(1)]
        == [
            f"You: {second.move.words[1:-1]}",  # without the parentheses of KIF
            f"Player 1: {first.move.words[1:-1]}.",
        ]
    )
    assert [event.text for event in second.events(0)] == [f"Player 2: {second.move.words[1:-1]}"]


def test_rounds_scores_and_who_is_out_are_events() -> None:
    session = Session(kibitz.load("love-letter").table(3), ["random"] * 3, 2)
    told: list[str] = []
    while not session.is_over:
        told += [event.text for event in session.advance().events(0)]
    assert "Round 1 is over." in told
    assert {"You are out.", "Player 2 is out.", "Player 3 is out."} & set(told)
    assert any(text.startswith("Scores: you ") for text in told)


CARDS = CardSet("letters", [CardType(name, 1) for name in "ABCDEF"])


class RoundsState(GameState):
    deck = Deck(CARDS)
    hands = per_player(Deck(CARDS, Visibility.OWNER, capacity=2))
    played = Deck(CARDS, Visibility.EVERYONE)
    pot = Counter(0, 9)


class RoundsActions(ActionKinds):
    PLAY = Action("play {card}", card=CARDS)
    FOLD = Action("fold")


class Rounds(Game):
    """Each of two players plays a card, for which the other draws one, or folds.

    Then all cards are dealt anew. The second player scores each of the three rounds.
    """

    name = "rounds"
    title = "Rounds"
    players = (2, 2)
    State = RoundsState
    Actions = RoundsActions
    max_ticks = 20

    @staticmethod
    def setup(state: Any, params: Any) -> None:
        deal_round(state)

    @staticmethod
    def legal_actions(state: Any, params: Any, actions: ActionList) -> None:
        add(actions, pack(RoundsActions.PLAY, state.hands[state.player].cards[0]))
        add(actions, pack(RoundsActions.FOLD))

    @staticmethod
    def apply_action(state: Any, params: Any, action: int) -> None:
        p = state.player
        if action == pack(RoundsActions.FOLD):
            eliminate(state, p)
        else:
            move_card(state, state.hands[p], 0, state.played)
            draw_card(state, state.deck, state.hands[1 - p])
            state.pot.value += 1
        if p == 0:
            end_turn(state)
            return
        state.seat[1].score += 1
        end_round(state)
        restore_players(state)
        if state.round == 3:
            finish_by_score(state)
        else:
            state.pot.value = 5
            deal_round(state)


def deal_round(state: Any) -> None:
    """Everybody's card, from a deck of all."""
    for deck in (state.deck, state.played, state.hands[0], state.hands[1]):
        deck.count = 0
    for card in range(6):
        put_copies(state, state.deck, card, 1)
    shuffle_deck(state, state.deck)
    for p in range(2):
        draw_card(state, state.deck, state.hands[p])
    start_round(state, 0)


def test_the_standing_is_reported_between_the_end_of_a_round_and_the_next_deal() -> None:
    session = Session(Rounds(compiled=False).table(), [None, None], 1)
    options = iter([0, 0, 1, 0, 0, 1])
    updates = []
    while not session.is_over:
        updates.append(session.apply(session.state.legal_actions()[next(options)]))
    told = {seat: [[e.text for e in u.events(seat)] for u in updates] for seat in (0, 1, None)}
    shuffled = "The deck is shuffled."
    assert told[0] == [
        ["You: play D", "Player 2 gets a card from the deck.", "The pot is now 1 (+1)."],
        [
            "Player 2: play E",
            "You get B from the deck.",
            "The pot is now 5 (+4).",
            "Round 1 is over.",
        ]
        + ["Scores: you 0, player 2 1.", shuffled, "1 card is dealt to each player; you get F."],
        ["You: fold", "You are out."],
        ["Player 2: play C", "You get D from the deck.", "Round 2 is over."]
        + ["Scores: you 0, player 2 2.", shuffled, "1 card is dealt to each player; you get A."],
        ["You: play A", "Player 2 gets a card from the deck.", "The pot is now 6 (+1)."],
        ["Player 2: fold", "Player 2 is out.", "Round 3 is over."],
    ]
    assert told[1] == [
        ["Player 1: play D", "You get F from the deck.", "The pot is now 1 (+1)."],
        ["You: play E", "Player 1 gets a card from the deck.", "The pot is now 5 (+4)."]
        + ["Round 1 is over.", "Scores: player 1 0, you 1.", shuffled]
        + ["1 card is dealt to each player; you get C."],
        ["Player 1: fold", "Player 1 is out."],
        ["You: play C", "Player 1 gets a card from the deck.", "Round 2 is over."]
        + ["Scores: player 1 0, you 2.", shuffled, "1 card is dealt to each player; you get C."],
        ["Player 1: play A", "You get F from the deck.", "The pot is now 6 (+1)."],
        ["You: fold", "You are out.", "Round 3 is over."],
    ]
    assert told[None][1] == [
        *("Player 2: play E", "Player 1 gets a card from the deck.", "The pot is now 5 (+4)."),
        *("Round 1 is over.", "Scores: player 1 0, player 2 1.", shuffled),
        "1 card is dealt to each player.",
    ]
    opening = [event.text for event in session.opening(1)]
    assert opening == [shuffled, "1 card is dealt to each player; you get E."]
    number, ended, scored = updates[1].events(None)[2:5]
    assert number.data == {"name": "pot", "values": [{"before": 1, "after": 5}]}
    assert (ended.kind, ended.data) == ("round", {"round": 1})
    assert (scored.kind, scored.data) == ("scores", {"scores": [0, 1]})


if __name__ == "__main__":
    for file in DATA.glob("*.rcy"):
        file.with_suffix(".txt").write_text(retold(load(file).table(), 3))
