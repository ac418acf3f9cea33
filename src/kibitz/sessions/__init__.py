"""One game in progress, its events, and the record of it."""

from kibitz.sessions.record import Move, Record, Result, record_game, replay, verify
from kibitz.sessions.session import Session, Update, play_again

__all__ = [
    "Move",
    "Record",
    "Result",
    "Session",
    "Update",
    "play_again",
    "record_game",
    "replay",
    "verify",
]
