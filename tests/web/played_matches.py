"""Records of matches without players: every role makes its first legal move."""

from __future__ import annotations

import kibitz
from kibitz.gdl.game import GdlGame
from kibitz.ggp.position import Position
from kibitz.ggp.record import MatchRecord, game_goals


def played(name: str) -> MatchRecord:
    """The record of a whole match of an installed game."""
    game = kibitz.load(name)
    assert isinstance(game, GdlGame)
    position = Position(game)
    roles = range(len(position.roles))
    nothing = [""] * len(position.roles)
    record = MatchRecord("m", name, ["legal"] * len(position.roles), 5, 5, 1000)
    record.states.append(position.facts())
    while not position.over:
        moves = [position.words(position.legal(role)[0]) for role in roles]
        position.step(moves)
        record.moves.append(moves)
        record.states.append(position.facts())
    for number in range(len(record.states)):
        record.errors.append([*nothing])
        record.replies.append([*nothing])
        record.seconds.append([0.1] * len(nothing))
        record.times.append(1000 + number)
    record.goals, record.completed = game_goals(position), True
    return record
