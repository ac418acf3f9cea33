"""One game in progress, its events, and the record of it."""

from kibitz.sessions.recording import Move, Record, Result, record, replay, verify
from kibitz.sessions.session import Session, Update, play_again

__all__ = [
    "Move",
    "Record",
    "Result",
    "Session",
    "Update",
    "play_again",
    "record",
    "replay",
    "verify",
]
