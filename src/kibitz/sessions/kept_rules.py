"""The rules that a recorded game was played by, kept with the record.

Of an installed game a record keeps the fingerprint, of rules in a file their text as well: so the
record is replayed wherever it goes, and says which rule has changed. Code is named, never kept:
nothing that a record holds is run.
"""

from __future__ import annotations

import contextlib
import difflib
from dataclasses import dataclass
from pathlib import Path

from kibitz.core import registry
from kibitz.core.errors import FileError, KibitzError, UnknownGameError
from kibitz.core.game import Game
from kibitz.core.plugins import installed
from kibitz.core.wording import printable
from kibitz.loading import from_text, is_rules_file, load_installed
from kibitz.syntax.source import MOST_BYTES, Source

MOST_LINES = 6
"""Changed lines that are shown."""
MOST_COLUMNS = 80
"""Characters of such a line."""
MOST_COMPARED = 300
"""Lines between the first and the last difference of two texts that are compared."""


@dataclass(frozen=True)
class KeptRules:
    """The rules of a recorded game.

    Attributes:
        fingerprint: ``Game.fingerprint``.
        language: in which they are written.
        file: the file or code that they were loaded from; empty for an installed game.
        text: the text of a file; empty for an installed game and for code.
    """

    fingerprint: str
    language: str
    file: str = ""
    text: str = ""

    @classmethod
    def of(cls, game: Game) -> KeptRules:
        """What a record keeps of a game's rules."""
        rules_text = game.rules_text
        if rules_text is None:
            return cls(game.fingerprint, game.language, game.origin.where)
        if not game.origin.where and _is_installed(game):
            return cls(game.fingerprint, game.language)
        suffix, text = rules_text
        return cls(
            game.fingerprint, game.language, game.origin.where or f"{game.name}{suffix}", text
        )

    def game(self, name: str) -> Game:
        """The game of these rules; safe for records of strangers.

        Args:
            name: of the game, by which installed games are found.

        Raises:
            UnknownGameError: no game of this name is installed, and there is no text.
            FileError: the text cannot be used.
        """
        try:
            known = load_installed(name)
        except UnknownGameError as problem:
            if not self.text:
                raise UnknownGameError(f"{problem}{self._cure}") from None
        else:
            if not self.text or known.fingerprint == self.fingerprint:
                return known
        if len(self.text.encode(errors="replace")) > MOST_BYTES:
            raise FileError(f"{name}: its rules are longer than {MOST_BYTES:,} bytes.")
        return from_text(Source(Path(self.file).name or name, self.text), self.language, name)

    @property
    def _cure(self) -> str:
        if not self.file:
            return ""
        return (
            f" Its rules are the code {self.file}, which a record never runs: "
            f"'kibitz replay' takes it as an argument after the record, {self.file}."
        )

    def changed_file(self, folder: Path) -> str:
        """What has changed in the file since, in words; empty if nothing has, or it is gone.

        Only a file with rules on this machine is read, whatever the record names.

        Args:
            folder: of the record, where a relative path is looked for before the current folder.
        """
        foreign = self.file.startswith(("//", "\\\\"))  # Windows would log in at another machine
        if not self.text or foreign or not is_rules_file(self.file):
            return ""
        places = (folder / self.file, Path(self.file))
        with contextlib.suppress(OSError, ValueError, KibitzError):  # such a path may be anything
            place = next((place for place in places if place.is_file()), None)
            text = self.text if place is None else Source.load(place).text
            if text != self.text:
                return f"{place} has changed since the game was recorded{self._lines(text)}"
        return ""

    def changed_in(self, game: Game) -> str:
        """How the rules of a game differ from these, in words; empty if they do not."""
        if game.fingerprint == self.fingerprint:
            return ""
        rules_text = game.rules_text
        lines = self._lines(rules_text[1]) if self.text and rules_text is not None else "."
        return f"The rules of {game.name} have changed since the game was recorded{lines}"

    def _lines(self, text: str) -> str:
        """The lines in which a text differs from this one, at the end of a sentence."""
        old, new = self.text.splitlines(), text.splitlines()
        least = min(len(old), len(new))
        head = next((n for n in range(least) if old[n] != new[n]), least)
        ends = zip(reversed(old[head:]), reversed(new[head:]), strict=False)
        tail = next(
            (n for n, (old_line, new_line) in enumerate(ends) if old_line != new_line),
            least - head,
        )
        old, new = old[head : len(old) - tail], new[head : len(new) - tail]
        if max(len(old), len(new)) > MOST_COMPARED:
            return f", from line {head + 1} on."
        changed = []
        matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
        for kind, i, i_end, j, j_end in matcher.get_opcodes():
            if kind != "equal":
                changed += [
                    f"  line {head + n + 1}: - {printable(old[n].strip(), MOST_COLUMNS)}"
                    for n in range(i, i_end)
                ]
                changed += [
                    f"  line {head + n + 1}: + {printable(new[n].strip(), MOST_COLUMNS)}"
                    for n in range(j, j_end)
                ]
        more = len(changed) - MOST_LINES
        ellipsis = [f"  and {more} more lines"] if more > 0 else []
        return "\n".join([":", *changed[:MOST_LINES], *ellipsis])


def _is_installed(game: Game) -> bool:
    """Whether the rules are those of the installed game of this name."""
    if game.name not in installed(registry.ENTRY_POINTS):
        return False
    return load_installed(game.name).fingerprint == game.fingerprint
