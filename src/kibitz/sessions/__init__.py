"""One game in progress, its events, and the record of it."""

from kibitz.sessions.recording import record, replay, verify
from kibitz.sessions.records import Move, Record, Result
from kibitz.sessions.session import Session, play_again
from kibitz.sessions.updates import Update

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
