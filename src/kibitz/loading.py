"""Loading games by name, and from files, Python code and texts.

Games are described in languages (``kibitz.syntax.language``), found through the entry point group
``kibitz.languages``: ``recycle = "kibitz.languages.recycle:RECYCLE"``.

``load`` is for a person who types: it takes a name, a path or a text, and runs the Python code
that is named. What comes from elsewhere (records, messages, files of others) must never be
handed to it: names go to ``load_installed``, which knows installed games only, and rules to
``from_text``, which takes a text and its language, and reads no file and runs no code.
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
"""What can be played: a game, its class, a table of it, or what ``load`` takes, such as a name."""

FALLBACK = "recycle"
"""A text that no language recognizes is read in this one, which says what is wrong with it."""


# --- languages ----------------------------------------------------------------------------


@functools.cache
def languages() -> dict[str, Language]:
    """All languages, by name; one that cannot be used is left out, with a warning."""
    from kibitz.core.plugins import imported, installed
    from kibitz.core.registry import LANGUAGES
    from kibitz.syntax.language import Language

    found: dict[str, Language] = {}
    entries = installed(LANGUAGES)
    for name in sorted(entries, key=lambda name: (name != FALLBACK, name)):
        entry = entries[name]
        said = f"the language {name} is registered as {entry.value}, which"
        try:
            language = imported(entry, said, GameDefinitionError)
        except GameDefinitionError as problem:
            _warn(problem)
            continue
        fault = language.fault() if isinstance(language, Language) else "is no Language"
        if fault:
            _warn(GameDefinitionError(f"{said} {fault}."))
        else:
            found[name] = language
    if FALLBACK not in found:
        raise KibitzError(
            "No languages are installed: Kibitz is newer than its installation. "
            "'pip install -e .' in its folder helps."
        )
    return found


def language_called(name: str) -> Language:
    """The language called `name`; case does not matter.

    Raises:
        UnknownNameError: there is none; the message lists those that exist.
    """
    if not isinstance(name, str):
        raise UnknownNameError(
            f"{name!r} is no language: give the name of one, {', '.join(languages())}."
        )
    wanted = name.strip().lower()
    if wanted not in languages():
        raise UnknownNameError(did_you_mean(wanted, languages(), "language"))
    return languages()[wanted]


def language_of(source: Source) -> Language | None:
    """The language of a text, by its file's suffix if that decides it, else by its content."""
    suffix = Path(source.name).suffix
    every = languages().values()
    decided = (one for one in every if suffix in one.decided_by)
    recognized = (one for one in every if _says(one, one.recognizes, source))
    return next(decided, None) or next(recognized, None)


def language_for(file: str) -> Language | None:
    """The language of a file, by its suffix."""
    suffix = Path(file).suffix
    return next((one for one in languages().values() if suffix in one.suffixes), None)


def language_of_code(spec: str) -> Language | None:
    """The language of the code that ``FILE.py`` or ``MODULE:CLASS`` names."""
    if is_rules_file(spec):
        return None
    every = languages().values()
    return next((one for one in every if _says(one, one.names_code, spec)), None)


def _says(language: Language, asked: Callable[[T], bool], about: T) -> bool:
    """What a language answers; one that fails is left out, with a warning."""
    try:
        return asked(about)
    except Exception as problem:
        _warn(_failure(language, asked.__name__, problem))
        return False


@contextmanager
def named_failures(language: Language, call: str) -> Iterator[None]:
    """Says in which call a language, of another package most likely, failed, if it does.

    Raises:
        GameDefinitionError: it raised what is no error of Kibitz.
    """
    try:
        yield
    except KibitzError:
        raise
    except Exception as problem:
        raise _failure(language, call, problem) from problem


def _failure(language: Language, call: str, problem: Exception) -> GameDefinitionError:
    """Says in which call a language, of another package most likely, failed."""
    cause = f"{type(problem).__name__}: {problem}"
    return GameDefinitionError(f"The language {language.name} failed in {call}: {cause}")


# --- games --------------------------------------------------------------------------------


def load(
    what: str | os.PathLike[str], *, language: str | None = None, compiled: bool | None = None
) -> Game:
    """Loads a game by its name, from a file, or from a text.

    >>> import kibitz
    >>> kibitz.load("love-letter").players
    (2, 4)
    >>> rules = "(role a) (legal a x) (init s) (goal a 70) (<= terminal (not (true s)))"
    >>> kibitz.load(rules, language="gdl").players
    (1, 1)

    Mistakes in rules in RECYCLE are raised when a table is made, as ``SourceError``: what is read
    may depend on the players and parameters. ``kibitz check`` lists them all.

    A game in Python that does not come with Kibitz is smoke-tested before it is played compiled,
    at each of its tables: see ``kibitz.arena.conformance.smoke_test``.

    Args:
        what: a name, as ``kibitz games`` lists it; a file in RECYCLE (``mygame.rcy``) or GDL
            (``mygame.kif``), by its path; or Python code as ``FILE.py``, ``FILE.py:CLASS``,
            ``MODULE`` or ``MODULE:CLASS``, which is run. A ``Path`` is always a file.
        language: of the rules: ``python``, ``recycle``, ``gdl`` or another that is installed. With
            it, `what` is a text, or the ``Path`` of one. A text in Python is run.
        compiled: ``False`` leaves the rules of a game in Python to a debugger; see ``Game``.

    Raises:
        UnknownGameError: there is no such game or file.
        FileError: the file cannot be read, or its rules cannot be used.
        GameDefinitionError: the code has no such game, or does not run.
    """
    if not isinstance(what, str | os.PathLike):
        raise UnknownGameError(
            f"{what!r} names no game: give a name, the path of a file, or a text."
        )
    spec = os.fspath(what)
    is_path = isinstance(what, os.PathLike)
    if language is not None and not is_path:
        return _registered(_from_text(language_called(language), spec, compiled))
    chosen = language_of_code(spec) if language is None else language_called(language)
    if chosen is not None and chosen.runs_code:
        game = chosen.load_code(spec, compiled)
    elif is_path or is_rules_file(spec):
        source = read(spec)
        chosen = chosen or language_of(source) or language_called(FALLBACK)
        game = _read_in(chosen, source)
    else:
        return _load_named(spec, compiled)
    game.where = spec
    return _registered(game)


def _load_named(spec: str, compiled: bool | None) -> Game:
    """Loads an installed game by its name; says what else a wrong name may be."""
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
    """The game that a text describes in a language, which may be one of another package.

    Raises:
        FileError: the text cannot be used.
        GameDefinitionError: the language fails, or makes no game.
    """
    from kibitz.core.game import Game

    with named_failures(language, "load"):
        game = language.load(source, name, compiled)
    if not isinstance(game, Game):
        raise GameDefinitionError(f"The language {language.name} made {game!r}, which is no game.")
    return game


def _registered(game: Game) -> Game:
    """Registers a game by name, unless an installed one has the name, and prepares it."""
    from kibitz.core import registry
    from kibitz.core.plugins import installed

    if game.name and game.name not in installed(registry.ENTRY_POINTS):
        registry.register(game)
    return registry.prepared(game)


def load_installed(name: str, *, compiled: bool | None = None) -> Game:
    """Loads an installed game by its name. Safe for untrusted names.

    Raises:
        UnknownGameError: there is no such game.
        GameDefinitionError: it is registered but cannot be imported.
    """
    from kibitz.core import registry

    return registry.load(name, compiled=compiled)


def loaded(game: Playable) -> Game:
    """The game, which may be given in several ways; that of a table, if it is one.

    Raises:
        UnknownGameError: there is no such game or file.
    """
    from kibitz.core.game import Game, Table

    if isinstance(game, Table):
        return game.game
    if isinstance(game, type) and issubclass(game, Game):
        return game()
    return game if isinstance(game, Game) else load(game)


def find_table(
    game: Playable,
    players: int | None = None,
    parameters: Mapping[str, Any] | None = None,
) -> Table:
    """The table of a game, which may be given in several ways.

    Args:
        game: what is played.
        players: how many; by default ``usual_players``, or as many as the table has.
        parameters: values by name; the rest keep their defaults.

    Raises:
        UnknownGameError: there is no such game or file.
        ParameterError: a name, a value or a combination is not allowed.
    """
    from kibitz.core.errors import check_names
    from kibitz.core.game import Table
    from kibitz.core.parameters import by_name

    if isinstance(game, Table):
        if players not in (None, game.players) or parameters:
            raise ParameterError(f"{game}: a table has its players and parameters already.")
        return game
    chosen = loaded(game)
    values = by_name("parameters", parameters)
    check_names(values, chosen.Parameters.known_names())
    return chosen.table(players, values)


def table_with_seats(game: Playable, seats: int) -> Table:
    """The table of a game for those who sit there; one that is a table already stays as it is.

    Raises:
        UnknownGameError: there is no such game or file.
        ParameterError: so many cannot play it.
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
    """The games that are known by name, as ``kibitz.games``.

    >>> import kibitz
    >>> [game.name for game in kibitz.games("deduction", players=4)]
    ['love-letter']

    Args:
        word: only games that have it in their name, title, categories or mechanics.
        players: only games that so many can play.
        category: only games of this category, or one that contains the word.
        mechanic: only games with this mechanic, or one that contains the word.
        language: only games that are written in it.
        left_out: told of each game that cannot be loaded; by default a warning is logged.

    Raises:
        UnknownNameError: there is no such language; the message lists those that exist.
        ParameterError: `players` is no number of players.
    """
    from kibitz.core import registry
    from kibitz.core.parameters import whole_number

    wanted = None if language is None else language_called(language).name
    if players is not None:
        whole_number("players", players)
    found = []
    for game in _loadable(registry.names(), load_installed, left_out):
        low, high = game.players
        texts = (game.name, game.title, *game.categories, *game.mechanics)
        if (
            _mentions(texts, word)
            and (players is None or low <= players <= high)
            and (category is None or _mentions(game.categories, category))
            and (mechanic is None or _mentions(game.mechanics, mechanic))
            and (wanted is None or game.language == wanted)
        ):
            found.append(game)
    return found


def agents(
    word: str = "",
    *,
    game: Playable | None = None,
    left_out: Callable[[KibitzError], None] = _warn,
) -> list[type[Agent]]:
    """The classes of the agents that are known by name, as ``kibitz.agents``.

    >>> import kibitz
    >>> [agent.name for agent in kibitz.agents("love-letter")]
    ['love-letter-counting', 'love-letter-random', 'love-letter-reflex']

    Args:
        word: only agents that have it in their name or description.
        game: only agents that can play this game.
        left_out: told of each agent that cannot be loaded; by default a warning is logged.

    Raises:
        UnknownGameError: no game has this name.
    """
    from kibitz.core.agent import agent_class, agent_names

    name = None if game is None else loaded(game).name
    return [
        agent
        for agent in _loadable(agent_names(), agent_class, left_out)
        if _mentions((agent.name, agent.__doc__ or ""), word)
        and (name is None or agent.game in (None, name))
    ]


def _loadable(
    names: Iterable[str], find: Callable[[str], T], left_out: Callable[[KibitzError], None]
) -> Iterator[T]:
    """Loads each name; reports the failures to `left_out`, and goes on."""
    for name in names:
        try:
            yield find(name)
        except KibitzError as problem:
            left_out(problem)
        except Exception as problem:  # in the code of another package
            cause = f"{type(problem).__name__}: {problem}"
            left_out(GameDefinitionError(f"{name} cannot be loaded: {cause}"))


def _mentions(texts: Iterable[str], word: str) -> bool:
    """Whether a text has the word in it; hyphens, underscores and spaces are alike.

    Raises:
        ParameterError: the word is no text.
    """
    from kibitz.core.parameters import text_given
    from kibitz.core.plugins import canonical

    wanted = canonical(text_given("a word to search for", word))
    return any(wanted in canonical(text) for text in texts)


# --- texts --------------------------------------------------------------------------------


def from_text(source: Source, language: str = "", name: str | None = None) -> Game:
    """Loads a game from its rules. Safe for untrusted texts: no code is run.

    Args:
        source: the rules, and what to call them in messages.
        language: of the rules.  [default: recognized by their content]
        name: of the game.  [default: made from the name of the source]

    Raises:
        FileError: the rules cannot be used, or are code.
        UnknownNameError: there is no such language.
    """
    chosen = language_called(language) if language else language_of(source)
    chosen = chosen or language_called(FALLBACK)
    if chosen.runs_code:
        raise FileError(f"{source.name}: is {chosen.title} code, which is not run from here.")
    return _read_in(chosen, source, name)


def is_rules_file(spec: str) -> bool:
    """Whether this names a file with rules, rather than an installed game or Python code."""
    path = Path(spec)
    language = language_for(spec)
    if language is not None:
        return not language.runs_code
    return ("." in path.name or path.name != spec) and path.is_file()


def read(path: str | os.PathLike[str]) -> Source:
    """The rules in a file.

    Raises:
        UnknownGameError: there is no such file.
        FileError: it cannot be read.
    """
    from kibitz.syntax.source import Source

    if not os.path.lexists(path):
        raise UnknownGameError(f"{path}: there is no such file.")
    return Source.load(path)


def language_and_source(spec: str) -> tuple[Language, Source | None]:
    """The language of a game, and its rules if they are a text.

    No code is run, and the rules are not parsed: they may be wrong.

    Raises:
        UnknownGameError: there is no such game or file.
        FileError: the file cannot be read.
    """
    if language := language_of_code(spec):
        return language, None
    if is_rules_file(spec):
        source = read(spec)
        return language_of(source) or language_called(FALLBACK), source
    from kibitz.core import registry

    game = registry.load(spec)
    language = language_called(game.language)
    return language, language.source_of(game)
