"""The reflex agents of Love Letter: each rule of thumb, honesty, and strength."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from tests.players.asking import answer

import kibitz
from kibitz.core.agent import NativeAgent, make_agent
from kibitz.core.game import Table
from kibitz.core.registry import load
from kibitz.core.state import State
from kibitz.core.status import Status
from kibitz.library.loveletter.agents import CountingReflexAgent, RandomCardAgent, ReflexAgent
from kibitz.library.loveletter.table import CARDS, Card

GUARD, PRIEST, BARON, HANDMAID, PRINCE, KING, COUNTESS, PRINCESS = Card
BOTH = [ReflexAgent, CountingReflexAgent]
Deal = Callable[..., State]


@pytest.fixture(scope="module")
def table() -> Table:
    return load("love-letter").table(4)


@pytest.fixture(scope="module")
def deal(table: Table) -> Deal:
    """Arranges a state in which player 1 (number 0) is to move."""

    def arrange(
        mine: Sequence[int],
        others: Sequence[int | None] = (GUARD, GUARD, GUARD),
        *,
        known: Sequence[int] = (),
        protected: Sequence[int] = (),
        tokens: Mapping[int, int] | None = None,
        discards: Sequence[int] = (),
        ruled_out: Mapping[int, Sequence[int]] | None = None,
        deck: int | None = None,
    ) -> State:
        """`others` are the hands of players 1 to 3 (``None``: out), `known` who was seen.

        All `discards` lie before player 0; `deck` cards are left, the rest face up.
        """
        state = table.new_state(seed=1)
        view = state.view
        piles = [view.deck, view.set_aside, view.face_up, *view.hands, *view.discards]
        for pile in piles:
            for i in range(pile.count):
                pile.cards[i] = 0
                pile.seen[i] = 0
            pile.count = 0

        def put(pile: Any, card: int, seen: int = 0) -> None:
            unused[card] -= 1
            assert unused[card] >= 0, f"too many {CARDS.word(card)}s"
            pile.cards[pile.count] = card
            pile.seen[pile.count] = pile.shown_to | seen
            pile.count += 1

        unused = Counter({card: CARDS.cards[card].count for card in range(len(CARDS))})
        for card in mine:
            put(view.hands[0], card)
        for p, held in enumerate(others, start=1):
            if held is None:
                view.seat[p].out = 1
            else:
                put(view.hands[p], held, seen=1 if p in known else 0)
            view.protected[p].value = int(p in protected)
        for card in discards:
            put(view.discards[0], card)
        for p, number in (tokens or {}).items():
            view.tokens[p].value = number
            view.seat[p].score = number
        for p, cards in (ruled_out or {}).items():
            view.ruled_out[p].values[0] = sum(1 << card for card in cards)
        hidden = list(unused.elements())
        put(view.set_aside, hidden.pop())
        while hidden and (deck is None or view.deck.count < deck):
            put(view.deck, hidden.pop())
        while hidden:  # the face-up cards do not fit, so the discards take them
            put(view.discards[0], hidden.pop())
        return state

    return arrange


def choices(agent: type[NativeAgent], state: State, tries: int = 60) -> set[str]:
    """The actions that the agent chooses in a state with `tries` different seeds."""
    player = agent()
    chosen = set()
    for seed in range(tries):
        player.random.seed(seed)
        chosen.add(state.action_words(player.choose(state)))
    return chosen


def plays(agent: type[NativeAgent], state: State) -> set[str]:
    """The cards that the agent plays in a state."""
    return {words.split()[1] for words in choices(agent, state)}


def targets(agent: type[NativeAgent], state: State) -> set[str]:
    """The players that the agent plays a card on."""
    return {words.split(" on ")[1][: len("player 1")] for words in choices(agent, state)}


def guesses(agent: type[NativeAgent], state: State) -> set[str]:
    """The cards that the agent guesses."""
    return {words.rpartition(" ")[2] for words in choices(agent, state, 400)}


# --- the random agent ---------------------------------------------------------------------


def test_random_draws_the_card_first(deal: Deal) -> None:
    """Guard and Priest are each played in half of the games, though the Guard has 21 actions."""
    state = deal([GUARD, PRIEST])
    player, played = RandomCardAgent(), Counter[str]()
    for seed in range(400):
        player.random.seed(seed)
        words = state.action_words(player.choose(state))
        played["Priest" if "Priest on" in words else "Guard"] += 1
    assert abs(played["Guard"] - 200) < 4 * 10  # four standard deviations
    assert targets(RandomCardAgent, state) == {"player 2", "player 3", "player 4"}


def test_random_never_throws_the_princess_away(deal: Deal) -> None:
    assert plays(RandomCardAgent, deal([PRINCESS, KING])) == {"King"}
    assert choices(RandomCardAgent, deal([COUNTESS, KING])) == {"play Countess"}


# --- the reflex agent, rule by rule -------------------------------------------------------


@pytest.mark.parametrize("agent", BOTH)
@pytest.mark.parametrize("other", [KING, PRINCE])
def test_plays_the_countess_when_it_must(agent: type[NativeAgent], deal: Deal, other: int) -> None:
    assert choices(agent, deal([COUNTESS, other])) == {"play Countess"}


@pytest.mark.parametrize(
    ("hand", "played"),
    [
        ([PRIEST, GUARD], "Guard"),
        ([KING, PRIEST], "Priest"),
        ([HANDMAID, PRINCE], "Handmaid"),
        ([COUNTESS, HANDMAID], "Handmaid"),
        ([PRINCE, KING], "Prince"),
        ([GUARD, BARON], "Guard"),
    ],
)
def test_reflex_plays_the_lower_card(deal: Deal, hand: list[int], played: str) -> None:
    assert plays(ReflexAgent, deal(hand)) == {played}


@pytest.mark.parametrize("agent", BOTH)
@pytest.mark.parametrize("other", [c for c in Card if c != PRINCESS])
@pytest.mark.parametrize("protected", [(), (1, 2, 3)])
def test_never_plays_the_princess(
    agent: type[NativeAgent], deal: Deal, other: int, protected: tuple[int, ...]
) -> None:
    state = deal([PRINCESS, other], (GUARD, GUARD, PRIEST), known=[1], protected=protected)
    assert "Princess" not in plays(agent, state)


def test_reflex_targets_the_most_tokens_and_breaks_ties_at_random(deal: Deal) -> None:
    assert targets(ReflexAgent, deal([PRIEST, KING], tokens={2: 1})) == {"player 3"}
    tied = deal([PRIEST, KING], tokens={1: 2, 2: 1, 3: 2})
    assert targets(ReflexAgent, tied) == {"player 2", "player 4"}


def test_reflex_passes_over_the_protected_and_those_who_are_out(deal: Deal) -> None:
    state = deal([GUARD, KING], (None, GUARD, GUARD), protected=[2], tokens={1: 3, 2: 2})
    assert targets(ReflexAgent, state) == {"player 4"}


def test_reflex_guesses_a_card_it_has_seen_whoever_leads(deal: Deal) -> None:
    state = deal([GUARD, KING], (GUARD, PRINCE, GUARD), known=[2], tokens={1: 3})
    assert choices(ReflexAgent, state) == {"play Guard on player 3 guessing Prince"}


def test_reflex_does_not_waste_a_guess_on_a_guard_it_has_seen(deal: Deal) -> None:
    state = deal([GUARD, KING], (GUARD, None, GUARD), known=[1], tokens={1: 3})
    assert targets(ReflexAgent, state) == {"player 4"}


def test_reflex_guesses_only_cards_not_all_seen(deal: Deal) -> None:
    discards = [PRIEST, BARON, BARON, PRINCE, PRINCE, COUNTESS]
    state = deal([GUARD, KING], discards=discards)
    assert guesses(ReflexAgent, state) == {"Priest", "Handmaid", "Princess"}


def test_reflex_guesses_by_the_number_of_copies(deal: Deal) -> None:
    state = deal([GUARD, KING], (GUARD, None, None))
    agent = ReflexAgent()
    counts: Counter[str] = Counter()
    for seed in range(2000):
        agent.random.seed(seed)
        counts[state.action_words(agent.choose(state)).rpartition(" ")[2]] += 1
    expected = dict.fromkeys(("Priest", "Baron", "Handmaid", "Prince"), 400)
    expected |= {"Countess": 200, "Princess": 200}
    assert set(counts) == set(expected)
    squared = sum((counts[card] - n) ** 2 / n for card, n in expected.items())
    assert squared < 17  # of 5 degrees of freedom: once in 200 times by chance


def test_reflex_plays_a_baron_that_is_sure_to_win(deal: Deal) -> None:
    state = deal([BARON, PRINCE], (KING, HANDMAID, GUARD), known=[1, 2], tokens={1: 3})
    assert choices(ReflexAgent, state) == {"play Baron on player 3"}


@pytest.mark.parametrize("other", [HANDMAID, PRINCE, KING, COUNTESS])
def test_reflex_keeps_a_baron_that_may_lose(deal: Deal, other: int) -> None:
    assert plays(ReflexAgent, deal([BARON, other])) == {CARDS.word(other)}
    known_equal = deal([BARON, other], (PRINCE if other == PRINCE else GUARD, GUARD, GUARD))
    assert plays(ReflexAgent, known_equal) == {CARDS.word(other)}


def test_reflex_plays_the_baron_where_there_is_no_choice(deal: Deal) -> None:
    assert plays(ReflexAgent, deal([BARON, BARON])) == {"Baron"}
    assert plays(ReflexAgent, deal([BARON, PRINCESS])) == {"Baron"}
    nobody = deal([BARON, KING], protected=[1, 2, 3])
    assert choices(ReflexAgent, nobody) == {"play Baron"}


def test_reflex_shuns_a_duel_it_knows_to_lose(deal: Deal) -> None:
    state = deal([BARON, BARON], (KING, GUARD, None), known=[1], tokens={1: 3})
    assert choices(ReflexAgent, state) == {"play Baron on player 3"}


@pytest.mark.parametrize("agent", BOTH)
def test_prince_on_itself_only_when_forced(agent: type[NativeAgent], deal: Deal) -> None:
    assert "player 1" not in targets(agent, deal([PRINCE, PRINCE], tokens={0: 3}))
    forced = deal([PRINCE, PRINCE], protected=[1, 2, 3])
    assert choices(agent, forced) == {"play Prince on player 1"}


@pytest.mark.parametrize("agent", BOTH)
def test_prince_on_a_princess_it_has_seen(agent: type[NativeAgent], deal: Deal) -> None:
    state = deal([PRINCE, KING], (GUARD, PRINCESS, GUARD), known=[2], tokens={1: 3})
    assert choices(agent, state) == {"play Prince on player 3"}


def test_reflex_looks_at_hands_it_does_not_know(deal: Deal) -> None:
    state = deal([PRIEST, KING], known=[1, 2], tokens={1: 3})
    assert targets(ReflexAgent, state) == {"player 4"}
    assert targets(ReflexAgent, deal([PRIEST, KING], known=[1, 2, 3], tokens={1: 3})) == {
        "player 2"
    }


def test_reflex_remembers_what_the_king_gave_away(table: Table) -> None:
    """The card traded away is known in its new hand, as the masks have it."""
    state = table.new_state(seed=4)
    view = state.view
    view.hands[0].cards[0], view.hands[0].cards[1] = int(KING), int(PRINCESS)
    state.apply("play King on player 2")
    view.player = 0
    view.hands[0].cards[0] = int(GUARD)
    view.hands[0].cards[1] = int(PRIEST)
    view.hands[0].seen[1] = 1
    view.hands[0].count = 2
    assert choices(ReflexAgent, state) == {"play Guard on player 2 guessing Princess"}


# --- the counting agent -------------------------------------------------------------------

ALL_BUT_PRINCESS = [PRIEST] * 2 + [BARON] * 2 + [HANDMAID] + [PRINCE] * 2 + [KING, COUNTESS]


def test_counting_guesses_the_only_card_left(deal: Deal) -> None:
    state = deal([GUARD, HANDMAID], (GUARD, GUARD, PRINCESS), discards=ALL_BUT_PRINCESS)
    assert guesses(CountingReflexAgent, state) == {"Princess"}
    assert targets(CountingReflexAgent, state) == {"player 2", "player 3", "player 4"}


def test_counting_prefers_the_leader_where_the_odds_are_equal(deal: Deal) -> None:
    state = deal([GUARD, HANDMAID], discards=ALL_BUT_PRINCESS, tokens={2: 2})
    assert choices(CountingReflexAgent, state) == {"play Guard on player 3 guessing Princess"}


def test_counting_heeds_what_is_ruled_out(deal: Deal) -> None:
    state = deal(
        [GUARD, HANDMAID],
        discards=ALL_BUT_PRINCESS,
        tokens={2: 2},
        ruled_out={2: [PRINCESS], 3: [GUARD]},
    )
    assert choices(CountingReflexAgent, state) == {"play Guard on player 4 guessing Princess"}


def test_counting_prefers_what_it_has_seen_to_any_guess(deal: Deal) -> None:
    state = deal([GUARD, HANDMAID], (PRIEST, KING, GUARD), known=[2], tokens={1: 3})
    assert choices(CountingReflexAgent, state) == {"play Guard on player 3 guessing King"}


def test_counting_guesses_the_likeliest_card(deal: Deal) -> None:
    state = deal([GUARD, GUARD], discards=[PRIEST, BARON, BARON, KING, COUNTESS])
    assert guesses(CountingReflexAgent, state) == {"Prince"}


@pytest.mark.parametrize(
    ("hand", "played"),
    [
        ([BARON, KING], "Baron"),
        ([BARON, PRINCESS], "Baron"),
        ([BARON, PRIEST], "Priest"),
        ([HANDMAID, PRINCESS], "Handmaid"),
        ([KING, HANDMAID], "Handmaid"),
        ([COUNTESS, PRINCESS], "Countess"),
        ([KING, GUARD], "Guard"),
    ],
)
def test_counting_plays_what_promises_most(deal: Deal, hand: list[int], played: str) -> None:
    assert plays(CountingReflexAgent, deal(hand)) == {played}


def test_counting_fights_only_favourable_duels(deal: Deal) -> None:
    low = deal([BARON, HANDMAID], (GUARD, PRINCE, KING), known=[1, 2, 3])
    assert choices(CountingReflexAgent, low) == {"play Baron on player 2"}
    high = deal([BARON, HANDMAID], (COUNTESS, PRINCE, KING), known=[1, 2, 3])
    assert plays(CountingReflexAgent, high) == {"Handmaid"}


def test_counting_trades_for_a_princess_when_the_round_ends(deal: Deal) -> None:
    state = deal([KING, BARON], (GUARD, PRINCESS, None), known=[1, 2], protected=[1], deck=0)
    assert choices(CountingReflexAgent, state) == {"play King on player 3"}


# --- both ---------------------------------------------------------------------------------


def positions(games: int) -> Iterator[State]:
    """States with a choice, met in random play with any number of players."""
    for seed in range(games):
        rng = random.Random(seed)
        state = load("love-letter").new_state(players=2 + seed % 3, seed=seed)
        while not state.is_terminal:
            legal = state.legal_actions()
            if len(legal) > 1:
                yield state.clone()
            state.apply(rng.choice(legal))


@pytest.mark.parametrize("agent", BOTH)
def test_the_choice_does_not_depend_on_the_sample(agent: type[NativeAgent]) -> None:
    """Two observations of one state differ in what is unknown, and lead to the same choice."""
    player = agent()
    differed = 0
    for number, state in enumerate(positions(30)):
        sample, other = (state.determinize(state.current_player, seed) for seed in (1, 2))
        legal = state.legal_actions()
        first = answer(player, sample, legal, seed=number)
        assert first.action in legal
        assert answer(player, other, legal, seed=number) == first
        assert answer(player, state, legal, seed=number) == first
        differed += sample.view.hands != other.view.hands
    assert differed > 300


@pytest.mark.parametrize("agent", BOTH)
def test_unknown_cards_are_not_even_read(agent: type[NativeAgent]) -> None:
    """With -1 in the place of every unknown card the choice is the same."""
    player = agent()
    for number, state in enumerate(positions(30)):
        masked = state.observation(state.current_player)
        legal = state.legal_actions()
        shown = state.determinize(state.current_player, seed=3)
        assert answer(player, masked, legal, number) == answer(player, shown, legal, number)


@pytest.mark.parametrize("agent", BOTH)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_all_choices_are_legal_whatever_the_parameters(
    agent: type[NativeAgent], players: int
) -> None:
    game = load("love-letter")
    odd = {"guards": 1, "kings": 2, "princesses": 2, "countesses": 2, "set_aside": 0}
    for parameters in ({}, odd, {"tokens_to_win": 1, "face_up": 2, "priests": 0}):
        batch = kibitz.play(game.table(players, **parameters), [agent()] * players, 300, seed=4)
        assert (batch.results["status"] == Status.FINISHED).all()


# --- strength -----------------------------------------------------------------------------


def win_rate(specs: Sequence[str], games: int, first: int = 1, **parameters: int) -> float:
    """The share of wins of the first `first` agents together; a shared win counts in part."""
    table = load("love-letter").table(len(specs), **parameters)
    batch = kibitz.play(table, [make_agent(spec) for spec in specs], games, seed=20)
    assert (batch.results["status"] == Status.FINISHED).all()
    seats = batch.results["seats"]
    wins = seats["place"] == 1
    shares = wins / wins.sum(axis=1, keepdims=True)
    return float(np.where(seats["agent"] < first, shares, 0.0).sum() / games)


REFLEX, COUNTING = ReflexAgent.name, CountingReflexAgent.name


def test_one_reflex_agent_against_three_random() -> None:
    assert win_rate([REFLEX] + ["random"] * 3, 4000) >= 0.68


def test_two_reflex_agents_against_two_random() -> None:
    assert win_rate([REFLEX] * 2 + ["random"] * 2, 4000, first=2) >= 0.86


def test_counting_is_better_than_reflex() -> None:
    assert win_rate([COUNTING] + ["random"] * 3, 4000) >= 0.79
    assert win_rate([COUNTING] + [REFLEX] * 3, 4000) >= 0.37
    assert win_rate([COUNTING, REFLEX], 4000) >= 0.55


def test_ismcts_against_three_random() -> None:
    """1,000 iterations; ``docs/strength.md`` has a precise measurement."""
    assert win_rate(["ismcts:iterations=1000"] + ["random"] * 3, 100) >= 0.70
