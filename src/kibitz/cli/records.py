"""Records in files: of Kibitz's own sessions, and of matches under any GGP game manager."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from kibitz.cli import terminal
from kibitz.cli.ggp.options import find_gdl_game
from kibitz.cli.options import find_game, prepare_rules
from kibitz.core.errors import FileError, UnknownGameError

if TYPE_CHECKING:
    from kibitz.core.game import Table
    from kibitz.core.state import State
    from kibitz.gdl.game import GdlGame
    from kibitz.ggp.record import MatchRecord
    from kibitz.sessions.records import Record


def read_record(file: Path) -> Record | MatchRecord:
    """Reads the record in a file, of a game or of a match.

    Raises:
        FileError: the file cannot be read or is no record; names the place or the member.
    """
    from kibitz.core.parameters import read_json_object
    from kibitz.ggp.record import MatchRecord, is_match
    from kibitz.sessions.records import Record

    document = read_json_object(file)
    kind = MatchRecord if is_match(document) else Record
    return kind.from_json(document, str(file))


def recorded_states(file: Path, game: str | None) -> tuple[int, Iterator[State]]:
    """The number of moves, or steps, in a record, and its states, which are replayed lazily.

    The end of the game is checked after the last state.

    Args:
        game: the game to replay it by.  [default: that of the record]

    Raises:
        KibitzError: there is no such record or no such game, or they contradict each other.
    """
    from kibitz.ggp.replaying import replay as replay_match
    from kibitz.sessions.recording import replay
    from kibitz.sessions.records import Record

    record = read_record(file)
    if isinstance(record, Record):
        return len(record.moves), replay(record, table_of(record, game))
    match, rules = match_and_rules(record, game)
    return len(match.moves), replay_match(match, rules)


def match_and_rules(record: MatchRecord, game: str | None) -> tuple[MatchRecord, GdlGame]:
    """A match record, with what its writer left out, and the game to replay it by.

    Args:
        game: the game to replay it by.  [default: that of the record]

    Raises:
        FileError: the record is of a game with another number of roles.
        KibitzError: there is no such game, it is not in GDL, or its rules are wrong.
    """
    from kibitz.ggp.record import recorded_game

    if game is not None:
        rules = find_gdl_game(game)
    else:
        terminal.announce_compilations()
        rules = prepare_rules(recorded_game(record))
    return record.filled(len(rules.description.roles)), rules


def table_of(record: Record, game: str | None) -> Table:
    """The table of a record, or the same table of the game that the person named.

    Raises:
        UnknownGameError: the record is of a game that is not installed.
        FileError: the game named is another one.
    """
    if game is None:
        terminal.announce_compilations()
        try:
            table = record.table()
        except UnknownGameError as problem:
            own = not record.rules.file
            hint = " If it is one of your own, give it after the record." if own else ""
            raise UnknownGameError(f"{record.source}: {problem}{hint}") from None
        if changed := record.rules.changed_file(Path(record.source).parent):
            terminal.say(f"{changed}\nIt is replayed by the rules in the record.")
        return table
    named = find_game(game)
    if named.name != record.game:
        raise FileError(f"{record.source}: is a game of {record.game}, not of {named.name}.")
    if changed := record.rules.changed_in(named):
        terminal.say(changed)
    return record.table(named)
