"""What rules tell all players of cards: an attribute, or of which cards a condition holds."""

from __future__ import annotations

import pytest
from tests.recycle.agreement import play_both
from tests.recycle.programs import choice, do, game
from tests.recycle.test_knowledge import lying, of_game, of_player, table_of

from kibitz.core.state import State, components_in_play
from kibitz.recycle.parser import parse
from kibitz.syntax.source import Source, SourceError

DECK = "(create deck (game iloc STOCK) (deck (RANK (A, B, C)) (SUIT (X, Y))))"
"""AX, AY, BX, BY, CX, CY: cards 0 to 5, the last one on top."""
DEAL = "(repeat 3 (move (top (game iloc STOCK)) (top ((0 player) oloc HAND))))"
"""Player 0 gets 5, 4, 3 and does not see them."""
HAND = "((0 player) oloc HAND)"
RANK_C = f"(tell {HAND} 'C (== (cardatt RANK 'C) C))"


def after(*steps: str, kind: str = "oloc") -> State:
    text = game(do(DEAL, *steps), choice("(turn pass)"), deck=DECK).replace("oloc", kind)
    return table_of(text).new_state(1)


def hands(state: State, player: int = 0, kind: str = "oloc") -> set[tuple[int, ...]]:
    """The hands of player 0 in samples for a player."""
    place = of_player(0, kind=kind)
    return {tuple(lying(state.determinize(player, seed))[place]) for seed in range(400)}


def possible(state: State, player: int = 0, kind: str = "oloc") -> list[set[int]]:
    """The cards that each card of the hand may be."""
    return [set(cards) for cards in zip(*hands(state, player, kind), strict=True)]


def test_an_attribute_is_known_and_the_rest_is_not() -> None:
    assert possible(after(f"(tell RANK (top {HAND}))")) == [{*range(6)}, {*range(6)}, {2, 3}]


def test_all_learn_of_which_cards_it_holds_and_of_which_not() -> None:
    state = after(RANK_C)
    assert possible(state) == [{4, 5}, {4, 5}, {0, 1, 2, 3}]
    assert len(hands(state)) == 8
    stock = {tuple(lying(state.determinize(0, n))[of_game("STOCK", "iloc")]) for n in range(99)}
    assert not any({4, 5} & {*cards} for cards in stock)


def test_what_several_sentences_say_is_added_up() -> None:
    both = after(RANK_C, f"(tell {HAND} 'C (== (cardatt SUIT 'C) X))")
    assert possible(both) == [{5}, {4}, {1, 3}]


def test_samples_for_who_sees_the_cards_are_as_without() -> None:
    assert possible(after(RANK_C), player=1) == [{5}, {4}, {3}]


def test_all_consistent_deals_are_equally_likely() -> None:
    state = after(RANK_C)
    counts: dict[tuple[int, ...], int] = {}
    for seed in range(4000):
        hand = tuple(lying(state.determinize(0, seed))[of_player(0, kind="oloc")])
        counts[hand] = counts.get(hand, 0) + 1
    assert len(counts) == 8
    assert all(abs(count - 500) < 100 for count in counts.values())


MOVED = f"(all (filter {HAND} 'C (== (cardatt SUIT 'C) X)) 'C (move 'C (top (game hloc GONE))))"
"""Card 4, the middle one, goes where nobody sees it."""


def test_facts_follow_a_card_whose_place_everybody_sees() -> None:
    state = after(RANK_C, MOVED)
    assert possible(state) == [{5}, {1, 3}]  # and no card X is left
    gone = {tuple(lying(state.determinize(0, n))[of_game("GONE")]) for n in range(99)}
    assert gone == {(4,), (5,)} or gone == {(4,)}


def test_of_a_card_of_an_unseen_place_remains_what_holds_for_all() -> None:
    state = after(RANK_C, f"(tell {HAND} 'C (== (cardatt RANK 'C) A))", MOVED, kind="iloc")
    assert possible(state, player=1, kind="iloc") == [{3, 5}] * 2  # no A; and no X is left


def test_of_shuffled_cards_remains_what_holds_for_all() -> None:
    state = after(RANK_C, f"(tell {HAND} 'C (== (cardatt RANK 'C) A))", f"(shuffle {HAND})")
    assert possible(state) == [{2, 3, 4, 5}] * 3


@pytest.mark.parametrize(
    "steps",
    [
        f"(shuffle faro {HAND})",
        f"(swap (top {HAND}) (bottom {HAND}))",
        f"(swap (top {HAND}) (top (game iloc STOCK)))",
        f"(swap {HAND} (game iloc STOCK))",
        f"(move (1 {HAND}) (bottom {HAND}))",
        f"(move (max {HAND} using (game points P)) (0 (game iloc STOCK)))",
        f"(remember (top {HAND}) (top (game mem M)))",
    ],
)
def test_facts_go_where_the_oracle_says(steps: str) -> None:
    tells = [RANK_C, f"(tell SUIT (bottom {HAND}))", "(tell RANK (top (game iloc STOCK)))"]
    for kind in ("oloc", "iloc", "hloc", "vloc"):
        text = game(do(DEAL, *tells, steps), choice("(turn pass)"), deck=DECK)
        play_both(text.replace("oloc", kind), seed=1)


def test_the_table_shows_what_is_known() -> None:
    state = after(RANK_C)
    shown = state.table.wording.describe(state.observation(0), 0)
    assert "Player 1 (you): hand: ? (C), ? (C), ? (not C)" in shown


@pytest.mark.parametrize(
    ("step", "code", "piece"),
    [
        (
            f"(tell {HAND} 'C (== (cardatt RANK 'C) (cardatt RANK (top (game iloc STOCK)))))",
            "hidden-condition",
            "(== (cardatt RANK 'C) (cardatt RANK (top (game iloc STOCK))))",
        ),
        (f"(tell {HAND} 'C (> (random 3) 1))", "hidden-condition", "(> (random 3) 1)"),
        (f"(tell {HAND} 'C)", "expected-name", HAND),
        (f"(tell {HAND})", "too-few-arguments", f"(tell {HAND})"),
        ("(tell player 'P (== 1 1))", "wrong-type", "player"),
        (f"(tell {HAND} 'C (size {HAND}))", "wrong-type", f"(size {HAND})"),
        (f"(tell RANC (top {HAND}))", "unknown-attribute", "RANC"),
    ],
)
def test_diagnostics(step: str, code: str, piece: str) -> None:
    text = game(do(step), choice("(turn pass)"), deck=DECK)
    _, diagnostics = parse(Source("game.rcy", text))
    assert (code, piece) in [(d.code, text[d.span.start : d.span.end]) for d in diagnostics]


def test_there_may_be_63_cards() -> None:
    for cards, accepted in ((63, True), (64, False)):
        deck = f"(create deck (game iloc STOCK) (deck (NUMBER 1 .. {cards})))"
        text = game(do("(tell NUMBER (top (game iloc STOCK)))"), choice("(turn pass)"), deck=deck)
        if accepted:
            assert table_of(text).new_state(1).table.record["has_facts"][0]
        else:
            with pytest.raises(SourceError, match="at most 63 cards"):
                table_of(text)


def test_games_that_tell_nothing_have_no_facts() -> None:
    state = table_of(game(choice("(turn pass)"), deck=DECK)).new_state(1)
    decks = [view for inst, view in components_in_play(state) if "cards" in inst.dtype.names]
    assert all(len(deck.ruled_out) == 0 for deck in decks)
