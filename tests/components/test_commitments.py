"""Commitments and choices of several players at the same time, in the vote and the quests."""

from __future__ import annotations

import inspect
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from tests.components.secret_games import Quests, SecretVote, VoteMove

from kibitz.authoring import (
    Action,
    ActionKinds,
    Commitment,
    GameState,
    ask,
    commit,
    committed,
    everyone,
    finish_by_score,
    hide_value,
    pack,
    per_player,
    reveal,
    start_round,
)
from kibitz.authoring import Counter as Number
from kibitz.checks.smoke_test import smoke_test
from kibitz.core.errors import CompileError, GameDefinitionError, ParameterError
from kibitz.core.game import Game
from kibitz.core.state import State
from kibitz.sessions.records import Move
from kibitz.sessions.updates import Update


def played(game: Game, players: int, seed: int) -> Iterator[tuple[State, int, State]]:
    """A random game: each state with the action chosen in it and the state after it."""
    rng = random.Random(seed)
    state = game.new_state(players, seed)
    while not state.is_terminal:
        before, action = state.clone(), rng.choice(state.legal_actions())
        state.apply(action)
        yield before, action, state.clone()


def texts(before: State, action: int, after: State, seat: int | None) -> list[str]:
    move = Move(
        player=before.current_player,
        action=action,
        words=before.action_words(action),
        forced=False,
    )
    return [event.text for event in Update(move, before, after).events(seat)]


VOTE, QUESTS = SecretVote(compiled=False), Quests(compiled=False)


def after_votes(*votes: str) -> State:
    """The quests after the first team was proposed and so many have voted."""
    state = QUESTS.new_state(5, 1)
    state.apply("propose 1 2")
    for vote in votes:
        state.apply(vote)
    return state


# --- choosing at the same time ------------------------------------------------------------


def test_each_is_asked_once_and_all_choose_in_the_same_state() -> None:
    state = VOTE.new_state(3, 1)
    assert state.choosing == (0, 1, 2)
    last = state.asking(2)
    options = last.legal_actions()
    state.apply("choose 1")
    assert state.choosing == (1, 2)
    with pytest.raises(ParameterError, match="Player 1 has no decision"):
        state.asking(0)
    state.apply("choose 1")
    assert state.choosing == (2,)
    assert state.legal_actions() == state.asking(2).legal_actions() == options
    state.apply("choose 2")
    assert state.choosing == (0, 1, 2)
    assert state.scores() == [0, 0, 2]


def test_only_those_who_are_asked_choose() -> None:
    state = after_votes("approve", "approve", "approve", "reject", "reject")
    assert state.choosing == (0, 1)
    state.apply("succeed")
    state.apply("succeed")
    assert state.choosing == (1,)  # the next leader
    assert state.view.won.value == 1


def test_nobody_chooses_when_the_game_is_over() -> None:
    *_, (_, _, end) = played(VOTE, 2, 0)
    assert end.choosing == ()


def test_the_order_in_which_choices_are_made_is_irrelevant() -> None:
    """A choice changes no other player's options, nor what they see but that it was made."""
    for before, _, after in played(QUESTS, 5, 3):
        for player in before.choosing[1:]:
            if player in after.choosing:
                options = before.asking(player).legal_actions()
                assert after.asking(player).legal_actions() == options


# --- what is hidden -----------------------------------------------------------------------


def test_others_see_that_a_choice_was_made_and_not_what_it_is() -> None:
    seen = [after_votes(vote).observation(1) for vote in ("approve", "reject")]
    assert bytes(seen[0]) == bytes(seen[1])
    assert seen[0].to_json()["components"]["vote[0]"] == {
        "asked": False,
        "made": True,
        "action": None,
    }
    assert "vote: made" in seen[0].describe()
    own = after_votes("reject").observation(0)
    assert own.to_json()["components"]["vote[0]"]["action"] == "reject"
    assert "vote: reject" in own.describe()
    assert own.to_json()["components"]["vote[1]"]["asked"]


def test_learners_see_what_players_see() -> None:
    encoder = QUESTS.table(5).encoder
    approved, rejected = after_votes("approve"), after_votes("reject")
    assert (encoder.encode(approved, 1) == encoder.encode(rejected, 1)).all()
    assert (encoder.encode(approved, 0) != encoder.encode(rejected, 0)).any()
    assert (encoder.encode(approved, 1) != encoder.encode(after_votes(), 1)).any()
    chosen = [VOTE.new_state(2, 1) for _ in range(2)]
    for state, words in zip(chosen, ("choose 1", "choose 2"), strict=True):
        state.apply(words)
    own = [VOTE.table(2).encoder.encode(state, 0) for state in chosen]
    assert (own[0] != own[1]).any()


def test_events_tell_a_choice_when_it_is_revealed_and_not_before() -> None:
    revealed = 0
    for before, action, after in played(QUESTS, 5, 4):
        mover, words = before.current_player, before.action_words(action)
        for seat in range(5):
            told = texts(before, action, after, seat)
            if seat == mover:
                assert told[0] == f"You: {words}"
            elif words in ("succeed", "fail") or (
                words in ("approve", "reject") and len(before.choosing) > 1
            ):
                assert told[0] == f"Player {mover + 1} has chosen"
                assert not any(word in " ".join(told) for word in ("succeed", "fail:", "approve"))
            else:
                assert told[0] == f"Player {mover + 1}: {words}"
            if words in ("approve", "reject") and len(before.choosing) == 1:
                votes = [text for text in told[1:] if text.endswith(("approve.", "reject."))]
                assert len(votes) == 4 - (seat != mover)
                revealed += 1
        assert texts(before, action, after, None)[0] == f"Player {mover + 1}: {words}"
    assert revealed > 20


def test_a_choice_is_told_though_the_next_round_begins_at_once() -> None:
    games = list(played(VOTE, 3, 5))
    before, action, after = games[2]
    assert after.choosing == (0, 1, 2)
    told = texts(before, action, after, 0)
    second = before.view.choice[1]
    assert told[0] == f"Player 3: {before.action_words(action)}"
    assert told[1] == f"Player 2: {before.action_words(committed(second))}."


# --- samples ------------------------------------------------------------------------------


def test_samples_have_commitments_that_were_legal() -> None:
    state = VOTE.new_state(3, 1)
    legal = {words for a in state.legal_actions() for words in [state.action_words(a)]}
    state.apply("choose 1")
    samples = Counter(
        state.action_words(committed(state.determinize(1, seed).view.choice[0]))
        for seed in range(200)
    )
    assert set(samples) == legal == {"choose 1", "choose 2"}
    assert min(samples.values()) > 60
    own = {committed(state.determinize(0, s).view.choice[0]) for s in range(20)}
    assert own == {pack(VoteMove.CHOOSE, 1)}


def test_a_sampled_commitment_fits_the_hidden_role_in_the_sample() -> None:
    """Only the evil ones may fail; others see neither who they are nor what they played."""
    checked = 0
    for seed in range(6):
        for _, _, state in played(QUESTS, 5, seed):
            for player in range(5):
                card = state.view.card[player]
                if card.count == 0:
                    continue
                for observer in {0, 2, 4} - {player}:
                    sample = state.determinize(observer, seed)
                    legal = QUESTS.table(5).rules.asking(sample, player).legal_actions()
                    assert committed(sample.view.card[player]) in legal
                    checked += len(legal) == 2
    assert checked > 20


def test_compiled_rules_sample_the_same() -> None:
    compiled = SecretVote()
    for (state, _, _), (same, _, _) in zip(
        played(VOTE, 3, 7), played(compiled, 3, 7), strict=True
    ):
        assert bytes(state) == bytes(same)
        for observer in range(3):
            assert bytes(state.determinize(observer, 4)) == bytes(same.determinize(observer, 4))


# --- declarations and rules ---------------------------------------------------------------


class PlainMove(ActionKinds):
    SHOW = Action("show")
    HIDE = Action("hide", secret=True)


def test_what_everybody_would_read_cannot_be_committed_to() -> None:
    with pytest.raises(GameDefinitionError, match=r"SHOW can be .*secret=True"):
        Commitment(PlainMove.HIDE, PlainMove.SHOW)
    with pytest.raises(GameDefinitionError, match="needs the kinds"):
        Commitment()


def test_a_commitment_needs_an_owner() -> None:
    class Sheet(GameState):
        choice = Commitment(PlainMove.HIDE)

    class Unowned(SecretVote):
        State: Any = Sheet
        Actions: Any = PlainMove

    with pytest.raises(GameDefinitionError, match="declare it per_player"):
        Unowned(compiled=False)


def test_operations() -> None:
    state = VOTE.new_state(4, 1)
    view = state.view
    choice = view.choice
    assert committed(choice[0]) == reveal(choice[0]) == -1
    action = pack(VoteMove.CHOOSE, 3)
    assert everyone(view) == 0b1111
    view.seat[2].out = 1
    assert everyone(view) == 0b1011
    assert not commit(view, choice, action)
    assert (view.player, committed(choice[0]), choice[0].seen[0]) == (1, action, 0b0001)
    assert reveal(choice[0]) == action
    ask(view, choice, 0b1100)  # a second question while the first is open
    assert (view.player, choice[0].count) == (2, 6)


def test_an_undeclared_kind_is_named() -> None:
    class TwoSheet(GameState):
        hidden = per_player(Commitment(PlainMove.HIDE))

    component: Any = TwoSheet.hidden
    view = VOTE.new_state(2, 1).view.choice[0]
    view.count, view.action[0] = 6, PlainMove.SHOW
    assert "holds an action of kind 0, and is declared for HIDE" in (
        component.component.problem(view) or ""
    )


# --- what cannot be hidden ----------------------------------------------------------------


class OpenSheet(GameState):
    choice = per_player(Number(1, 3))


class Never(SecretVote):
    """Its rules hide an open number in a situation that never comes."""

    name = "never"
    State: Any = OpenSheet

    @staticmethod
    def setup(state: Any, params: Any) -> None:
        start_round(state, 0)

    @staticmethod
    def apply_action(state: Any, params: Any, action: int) -> None:
        if state.tick > 1000:
            hide_value(state.choice[0], 0)
        finish_by_score(state)


class Always(Never):
    name = "always"

    @staticmethod
    def apply_action(state: Any, params: Any, action: int) -> None:
        hide_value(state.choice[0], 0)


def line_of(game: type[Game]) -> str:
    """The file and the line in which a game hides what is open."""
    rule: Any = game.apply_action
    lines, first = inspect.getsourcelines(rule)
    return f"{first + next(i for i, line in enumerate(lines) if 'hide_value' in line)}"


def test_hiding_what_is_open_does_not_compile_though_it_never_happens() -> None:
    with pytest.raises(CompileError, match=r"test_commitments.py:\d+") as caught:
        Never(compiled=True).new_state(2, 1)
    assert f"test_commitments.py:{line_of(Never)}: apply_action hides" in str(caught.value)
    assert "declare it with visible_to" in str(caught.value)


def test_hiding_what_is_open_is_an_error_in_play() -> None:
    state = Always(compiled=False).new_state(2, 1)
    with pytest.raises(AttributeError, match="it is declared open"):
        state.apply("choose 1")
    with pytest.raises(GameDefinitionError, match=rf"test_commitments.py:{line_of(Always)}, "):
        smoke_test(Always(compiled=False).table(2))
