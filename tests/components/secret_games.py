"""Games in which players choose in secret: a vote, rounds of a duel, and a small Avalon."""

from __future__ import annotations

import enum
from typing import Any

import numpy as np

from kibitz.authoring import (
    Action,
    ActionKinds,
    ActionList,
    CardSet,
    CardType,
    Commitment,
    Counter,
    Deck,
    Game,
    GameState,
    Note,
    Visibility,
    add,
    ask,
    clear_commitment,
    commit,
    committed,
    draw_card,
    end_round,
    everyone,
    finish_by_place,
    finish_by_score,
    kind,
    operand,
    pack,
    per_player,
    put_card,
    reveal,
    shuffle_deck,
    start_round,
)


class VoteMove(ActionKinds):
    CHOOSE = Action("choose {n}", n=range(4), secret=True)


class VoteSheet(GameState):
    choice = per_player(Commitment(VoteMove.CHOOSE))


class SecretVote(Game):
    """Players choose a number at the same time, three times; equal ones score nothing."""

    name = "secret-vote"
    title = "Secret vote"
    players = (2, 4)
    State = VoteSheet
    Actions = VoteMove
    max_ticks = 50

    @staticmethod
    def setup(state: VoteSheet, params: Any) -> None:
        start_round(state, 0)
        ask(state, state.choice, everyone(state))

    @staticmethod
    def legal_actions(state: VoteSheet, params: Any, actions: ActionList) -> None:
        for n in range(1, 4):
            if (n + state.player) % 3 != state.round:
                add(actions, pack(VoteMove.CHOOSE, n))

    @staticmethod
    def apply_action(state: VoteSheet, params: Any, action: int) -> None:
        if not commit(state, state.choice, action):
            return
        chosen = 0
        for p in range(state.players):
            chosen += 1 << 4 * operand(reveal(state.choice[p]), 0)
        for p in range(state.players):
            number = operand(committed(state.choice[p]), 0)
            if chosen >> 4 * number & 15 == 1:
                state.seat[p].score += number
        end_round(state)
        if state.round == 3:
            finish_by_score(state)
        else:
            ask(state, state.choice, everyone(state))


SERVANT, MERLIN, MINION = range(3)
ROLES = CardSet("roles", [CardType("Servant", 2), CardType("Merlin", 1), CardType("Minion", 2)])
SEATS = 5
SIZES = np.array([2, 3, 2, 3, 3])
BITS = np.array([bin(team).count("1") for team in range(1 << SEATS)])
TEAMS = [
    " ".join(str(p + 1) for p in range(SEATS) if t >> p & 1) or "-" for t in range(1 << SEATS)
]


class Phase(enum.IntEnum):
    PROPOSE = 0
    VOTE = 1
    QUEST = 2


class QuestMove(ActionKinds):
    PROPOSE = Action("propose {team}", team=TEAMS)
    APPROVE = Action("approve", secret=True)
    REJECT = Action("reject", secret=True)
    SUCCEED = Action("succeed", secret=True)
    FAIL = Action("fail", secret=True)


class QuestSheet(GameState):
    pack_of_roles = Deck(ROLES, Visibility.NOBODY, capacity=SEATS)
    role = per_player(Deck(ROLES, Visibility.OWNER, capacity=1))
    knows = per_player(Note(1, Visibility.OWNER))  # the players who are evil, one bit each
    fails_of = per_player(Note(5, Visibility.OWNER))
    vote = per_player(Commitment(QuestMove.APPROVE, QuestMove.REJECT))
    card = per_player(Commitment(QuestMove.SUCCEED, QuestMove.FAIL))
    won = Counter(0, 3)
    lost = Counter(0, 3)
    refused = Counter(0, 5)
    team = Note(1)
    went = Note(5)
    fails = Note(5)


class Quests(Game):
    """A small Avalon: find out who is evil before they spoil three quests."""

    name = "quests"
    title = "Quests"
    players = (SEATS, SEATS)
    phases = Phase
    State = QuestSheet
    Actions = QuestMove
    max_ticks = 400

    @staticmethod
    def setup(state: QuestSheet, params: Any) -> None:
        for role in (MERLIN, MINION, MINION, SERVANT, SERVANT):
            put_card(state, state.pack_of_roles, role)
        shuffle_deck(state, state.pack_of_roles)
        for p in range(SEATS):
            draw_card(state, state.pack_of_roles, state.role[p])
        for p in range(SEATS):
            state.knows[p].values[0] = evil_seen_by(state, p)
        start_round(state, 0)

    @staticmethod
    def legal_actions(state: QuestSheet, params: Any, actions: ActionList) -> None:
        if state.phase == Phase.PROPOSE:
            for team in range(1 << SEATS):
                if BITS[team] == SIZES[state.round]:
                    add(actions, pack(QuestMove.PROPOSE, team))
        elif state.phase == Phase.VOTE:
            add(actions, pack(QuestMove.APPROVE))
            add(actions, pack(QuestMove.REJECT))
        else:
            add(actions, pack(QuestMove.SUCCEED))
            if state.role[state.player].cards[0] == MINION:
                add(actions, pack(QuestMove.FAIL))

    @staticmethod
    def apply_action(state: QuestSheet, params: Any, action: int) -> None:
        if state.phase == Phase.PROPOSE:
            state.team.values[0] = operand(action, 0)
            state.phase = Phase.VOTE
            ask(state, state.vote, everyone(state))
        elif state.phase == Phase.VOTE:
            if commit(state, state.vote, action):
                count_votes(state)
        elif commit(state, state.card, action):
            end_quest(state)

    @staticmethod
    def is_consistent(state: QuestSheet, params: Any, player: int) -> bool:
        if evil_seen_by(state, player) != state.knows[player].values[0]:
            return False
        for quest in range(state.round):
            could_fail = state.fails_of[player].values[quest]
            for p in range(SEATS):
                if p != player and state.went.values[quest] >> p & 1:
                    could_fail += state.role[p].cards[0] == MINION
            if could_fail < state.fails.values[quest]:
                return False
        return True


def evil_seen_by(state: QuestSheet, player: int) -> int:
    seen = 0
    if state.role[player].cards[0] != SERVANT:
        for p in range(SEATS):
            if state.role[p].cards[0] == MINION:
                seen |= 1 << p
    return seen


def count_votes(state: QuestSheet) -> None:
    approved = 0
    for p in range(SEATS):
        approved += kind(reveal(state.vote[p])) == QuestMove.APPROVE
    if 2 * approved > SEATS:
        state.refused.value = 0
        state.phase = Phase.QUEST
        ask(state, state.card, state.team.values[0])
        return
    state.refused.value += 1
    pass_lead(state)
    if state.refused.value == 5:
        finish(state, MINION)


def end_quest(state: QuestSheet) -> None:
    fails = 0
    for p in range(SEATS):
        if kind(committed(state.card[p])) == QuestMove.FAIL:
            fails += 1
            state.fails_of[p].values[state.round] = 1
        clear_commitment(state.card[p])
    state.went.values[state.round] = state.team.values[0]
    state.fails.values[state.round] = fails
    end_round(state)
    if fails > 0:
        state.lost.value += 1
    else:
        state.won.value += 1
    pass_lead(state)
    if state.lost.value == 3 or state.won.value == 3:
        finish(state, MINION if state.lost.value == 3 else SERVANT)


def pass_lead(state: QuestSheet) -> None:
    state.turn_owner = (state.turn_owner + 1) % SEATS
    state.player = state.turn_owner
    state.phase = Phase.PROPOSE


def finish(state: QuestSheet, winner: int) -> None:
    for p in range(SEATS):
        evil = state.role[p].cards[0] == MINION
        state.seat[p].place = 1 if evil == (winner == MINION) else 2
    finish_by_place(state)
