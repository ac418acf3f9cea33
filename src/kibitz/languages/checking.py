"""``check``: checks a game in any language."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from kibitz.core.plugins import canonical
from kibitz.loading import (
    Playable,
    find_table,
    is_rules_file,
    language_and_source,
    language_called,
    load,
    named_failures,
)
from kibitz.syntax.findings import CheckResult
from kibitz.syntax.language import CheckOptions

if TYPE_CHECKING:
    from kibitz.core.game import Game
    from kibitz.core.progress import Progress


def check(
    game: Playable,
    *,
    games: int | None = None,
    actions: int | None = None,
    players: int | None = None,
    parameters: Mapping[str, Any] | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> CheckResult:
    """Checks whether the rules of a game are right, by reading and by playing them.

    A text in RECYCLE or GDL is read: errors and probable mistakes are reported with their places.
    If it has no errors, it is played at random. Of a game in Python random games are inspected
    action by action: which laws of the contract does a rule break, and where?

    >>> import kibitz
    >>> result = kibitz.check("agram")
    >>> result.ok, result.complete
    (True, True)

    Args:
        game: its name, file, class or instance; of a table its players and parameters are checked.
        games: number of games at each table; 0 only reads a text.  [default: 40 in RECYCLE, 12 in
            GDL and Python]
        actions: number of actions of a game in Python that are inspected one by one.
            [default: 5000]
        players: the only number of players that is checked.  [default: all]
        parameters: fixed values by name; by default the least and the greatest values, and others,
            are tried.
        seed: of the games.
        progress: has a single stage, the games; a total of 0 means that the number is not known.

    Raises:
        KibitzError: there is no such game, or an option does not apply to its language.
    """
    options = CheckOptions(games, actions, players, seed, parameters or {}, progress)
    subject: str | Game | type[Game]
    if isinstance(game, str | os.PathLike):
        subject = spec = os.fspath(game)
        language, source = language_and_source(spec)
    else:
        from kibitz.core.game import Game

        # a class is checked as it is: making a game of it may be what fails
        of_class = isinstance(game, type) and issubclass(game, Game)
        kind: Game | type[Game] = cast("type[Game]", game) if of_class else load(game)
        subject = kind
        language = language_called(kind.language)
        source = None if isinstance(kind, type) else language.source_of(kind)
    plain = isinstance(subject, str) and replace(options, progress=None) == CheckOptions(0)
    if not plain:  # to read a text imports nothing heavy
        options = _checked(game, options)
    with named_failures(language, "check"):
        result = language.check(subject, source, options)
    if isinstance(subject, str) and source is not None and not is_rules_file(subject):
        result.game = canonical(subject)  # a game of the library is not named by its path
    return result


def _checked(game: Playable, options: CheckOptions) -> CheckOptions:
    """The options, of a table with its players and parameters.

    Raises:
        ParameterError: an option is no number, too small, or not that of the table.
    """
    from kibitz.core.game import Table
    from kibitz.core.parameters import by_name, whole_number
    from kibitz.core.randomness import check_seed

    if options.games is not None:
        whole_number("games", options.games, 0)
    if options.actions is not None:
        whole_number("actions", options.actions, 1)
    if options.players is not None:
        whole_number("players", options.players, 1)
    check_seed(options.seed)
    values = by_name("parameters", options.parameters)
    if not isinstance(game, Table):
        return replace(options, parameters=values)
    find_table(game, options.players, values)  # refuses others
    return replace(options, players=game.players, parameters=game.parameters.as_dict())
