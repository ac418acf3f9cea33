"""Functions that load games by name, from files, from Python code and from texts.

Games are described in languages (``kibitz.syntax.language``), which packages register in the entry
point group ``kibitz.languages``: ``recycle = "kibitz.languages.recycle:RECYCLE"``.

``load`` is for input of the person at the keyboard: it takes a name, a path or a text, and may run
the Python code that is named. Input from elsewhere (records, messages, files of others) must never
be passed to it. Such names go to ``load_installed``, which loads installed games only. Such rules
go to ``from_text``, which reads no file and runs no code.
"""

from __future__ import annotations

import functools
import logging
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from kibitz.core.errors import (
    FileError,
    GameDefinitionError,
    KibitzError,
    ParameterError,
    UnknownGameError,
    UnknownNameError,
    did_you_mean,
)

if TYPE_CHECKING:
    from kibitz.core.agent import Agent
    from kibitz.core.game import Game, Table
    from kibitz.syntax.language import Language
    from kibitz.syntax.source import Source

T = TypeVar("T")

logger = logging.getLogger("kibitz")

Playable: TypeAlias = "Game | type[Game] | Table | str | os.PathLike[str]"
"""A game in any of the ways that functions accept: a game, its class, one of its tables, or an
argument of ``load``, such as a name."""

FALLBACK = "recycle"
"""The language in which a text is read that no language recognizes; its errors are reported."""


# --- languages ----------------------------------------------------------------------------


@functools.cache
def languages() -> dict[str, Language]:
    """All languages by name. A language that cannot be used is left out, with a warning.

    Raises:
        KibitzError: No languages are installed.
    """
    from kibitz.core.plugins import imported, installed
    from kibitz.core.registry import LANGUAGES
    from kibitz.syntax.language import Language

    usable: dict[str, Language] = {}
    entries = installed(LANGUAGES)
    for name in sorted(entries, key=lambda name: (name != FALLBACK, name)):
        entry = entries[name]
        registration = f"the language {name} is registered as {entry.value}, which"
        try:
            language = imported(entry, registration, GameDefinitionError)
        except GameDefinitionError as problem:
            _warn(problem)
            continue
        fault = language.fault() if isinstance(language, Language) else "is no Language"
        if fault:
            _warn(GameDefinitionError(f"{registration} {fault}."))
        else:
            usable[name] = language
    if FALLBACK not in usable:
        raise KibitzError(
            "No languages are installed: Kibitz is newer than its installation. "
            "'pip install -e .' in its folder helps."
        )
    return usable


def language_called(name: str) -> Language:
    """The language called `name`, in upper or lower case.

    Raises:
        UnknownNameError: No language has this name; the message lists the names.
    """
    if not isinstance(name, str):
        raise UnknownNameError(
            f"{name!r} is no language: give the name of one, {', '.join(languages())}."
        )
    key = name.strip().lower()
    if key not in languages():
        raise UnknownNameError(did_you_mean(key, languages(), "language"))
    return languages()[key]


def language_of(source: Source) -> Language | None:
    """The language of a text: the only one that has its file's suffix, else by its content.

    If several languages have the suffix and none recognizes the content, it is ``language_for``.
    """
    candidates = _languages_with_suffix(source.name)
    if len(candidates) == 1:
        return candidates[0]
    every = languages().values()
    recognized = (language for language in every if _says(language, language.recognizes, source))
    return next(recognized, None) or next(iter(candidates), None)


def language_for(file: str) -> Language | None:
    """The language whose files usually have the suffix of a file.

    If several languages have the suffix, it is the one that lists it earliest.
    """
    return next(iter(_languages_with_suffix(file)), None)


def _languages_with_suffix(file: str) -> list[Language]:
    """The languages that have the suffix of a file, beginning with those that list it earliest."""
    suffix = Path(file).suffix
    matches = [language for language in languages().values() if suffix in language.suffixes]
    return sorted(matches, key=lambda language: language.suffixes.index(suffix))


def language_of_code(spec: str) -> Language | None:
    """The language of the code that a specification such as ``MODULE:CLASS`` names."""
    if is_rules_file(spec):
        return None
    matches = (
        language for language in languages().values() if _says(language, language.names_code, spec)
    )
    return next(matches, None)


def _says(language: Language, predicate: Callable[[T], bool], argument: T) -> bool:
    """The answer of a method of a language; a failure is logged and counts as ``False``."""
    try:
        return predicate(argument)
    except Exception as problem:
        _warn(_failure(language, predicate.__name__, problem))
        return False


@contextmanager
def named_failures(language: Language, call: str) -> Iterator[None]:
    """A context in which unexpected exceptions of a language become errors that name the call.

    Raises:
        GameDefinitionError: The language raised an exception that is not a ``KibitzError``.
    """
    try:
        yield
    except KibitzError:
        raise
    except Exception as problem:
        raise _failure(language, call, problem) from problem


def _failure(language: Language, call: str, problem: Exception) -> GameDefinitionError:
    """The error that a language, probably one of another package, failed in a call."""
    cause = f"{type(problem).__name__}: {problem}"
    return GameDefinitionError(f"The language {language.name} failed in {call}: {cause}")


# --- games --------------------------------------------------------------------------------


def load(what: Playable, *, language: str | None = None, compiled: bool | None = None) -> Game:
    """Loads a game by its name, from a file, or from a text.

    >>> import kibitz
    >>> kibitz.load("love-letter").players
    (2, 4)
    >>> rules = "(role a) (legal a x) (init s) (goal a 70) (<= terminal (not (true s)))"
    >>> kibitz.load(rules, language="gdl").players
    (1, 1)

    Errors in rules in RECYCLE are raised as ``SourceError`` when a table is made, because the
    rules may depend on the players and parameters. ``kibitz check`` lists all errors.

    A compiled game in Python that does not come with Kibitz is smoke-tested at each of its tables
    before play: see ``kibitz.checks.smoke_test``.

    Args:
        what: A name, as ``kibitz games`` lists it; the path of a file in RECYCLE
            (``mygame.rcy``) or GDL (``mygame.kif``); or Python code as ``FILE.py``,
            ``FILE.py:CLASS`` or ``MODULE:CLASS``, which is run. A ``Path`` is always a file. Of a
            game, its class or a table it is that game.
        language: The language of the rules: ``python``, ``recycle``, ``gdl`` or another that is
            installed. If given, `what` is a text, or the ``Path`` of one. A text in Python is run.
        compiled: With ``False``, the rules of a game in Python are interpreted, so that a debugger
            can follow them; see ``Game``.

    Raises:
        UnknownGameError: There is no such game or file.
        FileError: The file cannot be read, or its rules cannot be used.
        GameDefinitionError: The code has no such game, or does not run.
    """
    from kibitz.core import registry
    from kibitz.core.parameters import truth

    if compiled is not None:
        truth("compiled", compiled)
    if not isinstance(what, str | os.PathLike):
        return _of_object(what, language, compiled)
    spec = os.fspath(what)
    is_path = isinstance(what, os.PathLike)
    if language is not None and not is_path:
        return registry.prepared(_from_text(language_called(language), spec, compiled))
    chosen = language_of_code(spec) if language is None else language_called(language)
    if chosen is not None and chosen.runs_code:
        game = chosen.load_code(spec, compiled)
    elif is_path or is_rules_file(spec):
        source = read(spec)
        chosen = chosen or language_of(source) or language_called(FALLBACK)
        game = _read_in(chosen, source)
    else:
        return _load_named(spec, compiled)
    game.origin.where = spec
    return registry.prepared(game)


def _of_object(what: object, language: str | None, compiled: bool | None) -> Game:
    """The game that an object which is no text or path stands for.

    Raises:
        UnknownGameError: The object is no game, class of games or table.
        ParameterError: A language is given, too.
    """
    from kibitz.core.game import Game, Table

    if isinstance(what, type) and issubclass(what, Game):
        game = what()
    elif isinstance(what, Table):
        game = what.game
    elif isinstance(what, Game):
        game = what
    else:
        raise UnknownGameError(
            f"{what!r} names no game: give a name, the path of a file, or a text."
        )
    if language is not None:
        raise ParameterError(f"language = {language!r} is for a text or a path, not for a game.")
    return game if compiled is None else game.fork(compiled)


def _load_named(spec: str, compiled: bool | None) -> Game:
    """Loads an installed game by its name.

    Raises:
        FileError: The name is that of a folder.
        UnknownGameError: There is no such game; the message says if the name looks like rules.
    """
    try:
        return load_installed(spec, compiled=compiled)
    except UnknownGameError:
        if os.path.isdir(spec):
            raise FileError(f"{spec}: is a folder; give the file with the rules.") from None
        if "(" in spec or "\n" in spec:
            start = spec if len(spec) <= 40 else f"{spec[:40]}..."
            raise UnknownGameError(
                f"There is no game {start!r}. If these are rules, give language=, too."
            ) from None
        raise


def _from_text(language: Language, text: str, compiled: bool | None) -> Game:
    """The game that a text describes, under a name made from a hash of the text."""
    import hashlib

    from kibitz.syntax.source import Source

    digest = hashlib.sha256(text.encode(errors="replace")).hexdigest()
    return _read_in(language, Source("text", text), f"text-{digest[:8]}", compiled)


def _read_in(
    language: Language, source: Source, name: str | None = None, compiled: bool | None = None
) -> Game:
    """The game that a text describes in a language, which may come from another package.

    Raises:
        FileError: The text has errors.
        GameDefinitionError: The language fails, or does not return a game.
    """
    from kibitz.core.game import Game

    with named_failures(language, "load"):
        game = language.load(source, name, compiled)
    if not isinstance(game, Game):
        raise GameDefinitionError(f"The language {language.name} made {game!r}, which is no game.")
    return game


def load_installed(name: str, *, compiled: bool | None = None) -> Game:
    """Loads an installed game by its name. Safe for untrusted names.

    Raises:
        UnknownGameError: No game has this name.
        GameDefinitionError: The game is registered but cannot be imported.
    """
    from kibitz.core import registry
    from kibitz.core.game import Game

    game = registry.load(name, compiled=compiled)
    assert isinstance(game, Game), "every registered object is a Game"
    return game


def find_table(
    game: Playable,
    players: int | None = None,
    parameters: Mapping[str, Any] | None = None,
) -> Table:
    """The table for a number of players and values of the parameters.

    Args:
        game: A game, or one of its tables, which is returned.
        players: The number of players, by default the game's ``usual_players``. It must not
            contradict a table.
        parameters: Values by name; other parameters keep their defaults. None are allowed for a
            table.

    Raises:
        UnknownGameError: There is no such game or file.
        ParameterError: A name, a value or a combination is not allowed.
    """
    from kibitz.core.errors import check_names
    from kibitz.core.game import Table
    from kibitz.core.parameters import by_name

    if isinstance(game, Table):
        if players not in (None, game.players) or parameters:
            raise ParameterError(f"{game}: a table has its players and parameters already.")
        return game
    chosen = load(game)
    values = by_name("parameters", parameters)
    check_names(values, chosen.Parameters.known_names())
    return chosen.table(players, values)


def table_with_seats(game: Playable, seats: int) -> Table:
    """The table of a game for a number of seats; a table is returned unchanged.

    Raises:
        UnknownGameError: There is no such game or file.
        ParameterError: The game does not allow this number of players.
    """
    from kibitz.core.game import Table

    return game if isinstance(game, Table) else find_table(game, seats)


# --- lists --------------------------------------------------------------------------------


def _warn(problem: KibitzError) -> None:
    logger.warning("Left out: %s", problem)


def games(
    word: str = "",
    *,
    players: int | None = None,
    category: str | None = None,
    mechanic: str | None = None,
    language: str | None = None,
    left_out: Callable[[KibitzError], None] = _warn,
) -> list[Game]:
    """The games that are known by name; ``kibitz.games``.

    >>> import kibitz
    >>> [game.name for game in kibitz.games("deduction", players=4)]
    ['hanabi', 'love-letter', 'recycle-hanabi']

    Args:
        word: Part of the name, the title, a category or a mechanic of the game.
        players: A number of players that the game allows.
        category: Part of one of the game's categories.
        mechanic: Part of one of the game's mechanics.
        language: The language in which the game is written.
        left_out: Called with the error of each game that cannot be loaded; by default a warning
            is logged.

    Raises:
        UnknownNameError: There is no such language; the message lists the names.
        ParameterError: `players` is no number of players.
    """
    from kibitz.core import registry
    from kibitz.core.parameters import whole_number

    language_name = None if language is None else language_called(language).name
    if players is not None:
        whole_number("players", players)
    matches = []
    for game in _loadable(registry.names(), load_installed, left_out):
        low, high = game.players
        texts = (game.name, game.title, *game.categories, *game.mechanics)
        if (
            _mentions(texts, word)
            and (players is None or low <= players <= high)
            and (category is None or _mentions(game.categories, category))
            and (mechanic is None or _mentions(game.mechanics, mechanic))
            and (language_name is None or game.language == language_name)
        ):
            matches.append(game)
    return matches


def agents(
    word: str = "",
    *,
    game: Playable | None = None,
    left_out: Callable[[KibitzError], None] = _warn,
) -> list[type[Agent]]:
    """The classes of the agents that are known by name; ``kibitz.agents``.

    >>> import kibitz
    >>> [agent.name for agent in kibitz.agents("love-letter")]
    ['love-letter-counting', 'love-letter-random', 'love-letter-reflex']

    Args:
        word: Part of the agent's name or description.
        game: A game that the agent can play.
        left_out: Called with the error of each agent that cannot be loaded; by default a warning
            is logged.

    Raises:
        UnknownGameError: No game has this name.
    """
    from kibitz.core.agent import agent_class, agent_names

    name = None if game is None else load(game).name
    return [
        agent
        for agent in _loadable(agent_names(), agent_class, left_out)
        if _mentions((agent.name, agent.__doc__ or ""), word)
        and (name is None or agent.game in (None, name))
    ]


def _loadable(
    names: Iterable[str], find: Callable[[str], T], left_out: Callable[[KibitzError], None]
) -> Iterator[T]:
    """The objects that `find` loads by name; failures are passed to `left_out`."""
    for name in names:
        try:
            yield find(name)
        except KibitzError as problem:
            left_out(problem)
        except Exception as problem:  # in the code of another package
            cause = f"{type(problem).__name__}: {problem}"
            left_out(GameDefinitionError(f"{name} cannot be loaded: {cause}"))


def _mentions(texts: Iterable[str], word: str) -> bool:
    """Whether a text contains the word; hyphens, underscores and spaces are equivalent.

    Raises:
        ParameterError: The word is not a string.
    """
    from kibitz.core.parameters import text_given
    from kibitz.core.plugins import canonical

    pattern = canonical(text_given("a word to search for", word))
    return any(pattern in canonical(text) for text in texts)


# --- texts --------------------------------------------------------------------------------


def from_text(source: Source, language: str = "", name: str | None = None) -> Game:
    """Loads a game from its rules. Safe for untrusted texts: no code is run.

    Args:
        source: The rules, and their name in messages.
        language: The name of their language.  [default: recognized by suffix or content]
        name: The name of the game.  [default: made from the name of the source]

    Raises:
        FileError: The rules have errors, or are code.
        UnknownNameError: There is no such language.
    """
    chosen = language_called(language) if language else language_of(source)
    chosen = chosen or language_called(FALLBACK)
    if chosen.runs_code:
        raise FileError(f"{source.name}: is {chosen.title} code, which is not run from here.")
    return _read_in(chosen, source, name)


def is_rules_file(spec: str) -> bool:
    """Whether a specification is a file with rules, not an installed game or Python code."""
    path = Path(spec)
    language = language_for(spec)
    if language is not None:
        return not language.runs_code
    return ("." in path.name or path.name != spec) and path.is_file()


def read(path: str | os.PathLike[str]) -> Source:
    """Reads the rules in a file.

    Raises:
        UnknownGameError: There is no such file.
        FileError: The file cannot be read.
    """
    from kibitz.syntax.source import Source

    if not os.path.lexists(path):
        raise UnknownGameError(f"{path}: there is no such file.")
    return Source.load(path)


def language_and_source(spec: str) -> tuple[Language, Source | None]:
    """The language of a game, and its rules if they are a text.

    Python code that is named is not run, and rules are not parsed, so they may have errors.

    Raises:
        UnknownGameError: There is no such game or file.
        FileError: The file cannot be read.
    """
    if language := language_of_code(spec):
        return language, None
    if is_rules_file(spec):
        source = read(spec)
        return language_of(source) or language_called(FALLBACK), source
    game = load_installed(spec)
    language = language_called(game.language)
    return language, language.source_of(game)
