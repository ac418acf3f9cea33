"""``GameDeclarations``: what the author of a game in Python declares."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from kibitz.core.actions import ActionKinds
from kibitz.core.announcements import AnnouncementKinds
from kibitz.core.errors import GameDefinitionError
from kibitz.core.layout import GameState
from kibitz.core.parameters import GameParameters
from kibitz.core.registry import Registrable

if TYPE_CHECKING:
    from kibitz.core.state import State as PlayedState


class GameDeclarations(Registrable):
    """What the author of a game declares, in the order of a page; ``Game`` makes it playable.

    Properties are class attributes, rules are static functions over records, and texts are
    methods. Everything has a default but ``name``, ``State``, ``Actions`` and the first three
    rules.
    """

    # -- what the game is -------------------------------------------------------------------

    name: str = ""
    """Its name on the command line."""
    title: str = ""
    """Its name on the box."""
    players: tuple[int, int] = (2, 2)
    """The smallest and the largest number of players."""
    categories: tuple[str, ...] = ()
    """Words to search by, such as ``"card game"``."""
    mechanics: tuple[str, ...] = ()
    """Words to search by, such as ``"hand management"``."""
    source: str = ""
    """Where the rules come from."""

    # -- what it is made of -----------------------------------------------------------------

    Parameters: type[GameParameters] = GameParameters
    """The numbers and choices that a table may change."""
    State: type[GameState] = GameState
    """The components."""
    Actions: type[ActionKinds] | None = None
    """The kinds of actions, each with a sentence and named operands."""
    phases: ClassVar[type[enum.IntEnum] | None] = None
    """An ``IntEnum`` that names the values of ``state.phase``, if it has phases."""

    # -- rules ------------------------------------------------------------------------------
    # They use only what Numba compiles, and may call any module-level function that does the
    # same. Their arguments are records and numbers.

    setup: ClassVar[Callable[..., None] | None] = None
    """``setup(state, params)``: from a state of zeros to the first decision."""
    legal_actions: ClassVar[Callable[..., None] | None] = None
    """``legal_actions(state, params, actions)``: adds every legal action of ``state.player``."""
    apply_action: ClassVar[Callable[..., None] | None] = None
    """``apply_action(state, params, action)``: plays one, to the next decision or the end."""

    @staticmethod
    def heuristic(state: Any, params: Any, player: int) -> float:
        """The value of a state for `player`, from -1 to 1; by default the lead in score."""
        return score_lead(state, player, 1.0)

    heuristics: ClassVar[Mapping[str, Callable[..., float]]] = {}
    """Further heuristics by name; an agent takes one of them with ``heuristic=NAME``."""

    redeterminize: ClassVar[Callable[..., None] | None] = None
    """Optional ``redeterminize(state, params, player)``: resamples hidden values without slots.

    It is called after the slots were dealt anew, and must not read what `player` cannot know.
    """

    is_consistent: ClassVar[Callable[..., bool] | None] = None
    """Optional ``is_consistent(state, params, player)``: whether a redealt state is possible.

    It is if it agrees with all that `player` has seen; other deals are dealt again.
    """

    features: ClassVar[Callable[..., None] | None] = None
    """Optional ``features(state, params, player, values)``: writes more numbers of an observation.

    It writes to ``values[0]``, ``values[1]``, ... (32-bit floats, zeros before); ``feature_names``
    names the numbers. The state is an observation of `player`: values they do not know are -1.
    """

    def feature_names(self, players: int, parameters: GameParameters) -> Sequence[str]:
        """The names of the numbers that ``features`` writes at a table; none by default."""
        if type(self).features is not None:
            raise GameDefinitionError(
                f"{self.name} has a function `features`, and no method `feature_names` that says "
                "how many numbers it writes."
            )
        return ()

    @classmethod
    def problem(cls, players: int, parameters: GameParameters) -> str | None:
        """Why these parameters cannot be combined, in words; ``None`` if they can be."""
        return None

    def backs(self, players: int, parameters: GameParameters) -> Sequence[int]:
        """The back of each card, by number, from 0; empty if all backs are the same.

        All players see the backs, so hidden cards are redealt only among places with the same
        back. A game with several backs returns them for all its card sets.
        """
        return ()

    # -- how it ends, and what counts -------------------------------------------------------

    def sides(self, players: int, parameters: GameParameters) -> Sequence[Sequence[int]]:
        """The seats that win and lose together at a table.

        By default each seat is a side of its own, as is a seat that is left out; in a game of the
        category "cooperative" all seats are one side. Two pairs of partners are
        ``[(0, 2), (1, 3)]``, a cooperative game is ``[range(players)]``.
        """
        return [range(players)] if "cooperative" in self.categories else []

    def seat_names(self, players: int) -> Sequence[str]:
        """The names of the seats, such as roles; none where they have only numbers.

        An agent can be given to a seat by its name.
        """
        return ()

    endings: ClassVar[Mapping[int, str]] = {}
    """For reports, the reason for the end of a game by the phase in which it ended.

    For instance ``{Phase.WON: "all four diseases are cured"}``. Rules set the phase before the
    end.
    """
    lowest_score_wins: ClassVar[bool] = False
    """Whether a lower score is better."""
    played_for: str = "place"
    """``"place"``, or ``"score"`` if players want the points themselves, such as chips.

    A place includes a result that the rules announce, such as ``win_together``. With ``"score"``
    searches maximize the score; so they should where all seats are one side that plays for points.
    """
    zero_sum: bool = False
    """Whether the players' utilities add up to zero at the end of every game.

    The utility is the return or the score, as ``played_for`` says. It is so where one side wins
    what the others lose: rivals for places, or chips that only change hands. OpenSpiel's solvers
    need to know it, and ``check_game`` verifies it.
    """

    def score_range(self, players: int, parameters: GameParameters) -> tuple[float, float] | None:
        """The lowest and the highest score with which a game can end; ``None`` if not known.

        It bounds the utilities of a game that is played for the score, as OpenSpiel asks;
        ``check_game`` verifies it.
        """
        return None

    several_deals: ClassVar[bool] = False
    """Whether it is a match of several deals that share only the scores.

    Each deal is a round (``end_round``). Playouts then end with the deal by default.
    """
    max_ticks: ClassVar[int] = 10_000
    """A game that is not over after this number of actions is broken off."""
    timed: ClassVar[bool] = False
    """Whether the number of turns, rounds or actions decides anything by itself.

    For instance a game may end after ten rounds. If not, states that differ only in these numbers
    are the same, and a game that returns to one may be going round in circles.
    """
    loops: ClassVar[int] = 0
    """The number of visits to the same state after which a loop is suspected; 0: never.

    The game is then broken off, even with chance or choices in between. A certain loop, without
    chance or choices, is always detected.
    """
    conserved: ClassVar[bool] = True
    """Whether all cards stay in the game's decks to the end, which ``check_game`` verifies."""

    # -- what people see --------------------------------------------------------------------

    default_agent: ClassVar[str] = "kibitz"
    """The agent that plays with people and gives them hints, as ``make_agent`` reads it.

    To be set if another one plays better than the default.
    """
    look: ClassVar[type | str | None] = None
    """The class that draws it: a ``kibitz.pictures.Look``, or ``"MODULE:CLASS"``.

    The latter is imported for the first picture. ``None``: the picture follows from the
    components.
    """
    Announcements: ClassVar[type[AnnouncementKinds] | None] = None
    """The sentences that its rules ``announce``, for the log of a table; ``None`` for none."""
    logs_rounds: ClassVar[bool] = True
    """Whether the console shows the ends of rounds and changes of scores as events.

    ``False`` if these happen in almost every turn and the table shows them.
    """

    def describe(self, state: PlayedState, observer: int | None) -> str | None:
        """The state as text for `observer`, or with everything open for ``None``.

        By default it returns ``None``: the text is derived from the components.
        """
        return None

    how_to_play: ClassVar[Mapping[str, Sequence[str]]] = {}
    """The rules as sentences for people, by chapter, such as the aim and a turn.

    ``{name}`` stands for the value of a parameter. Cards are explained by ``glossary``.
    """

    def glossary(
        self, players: int, parameters: GameParameters
    ) -> Mapping[str, Mapping[str, str]] | None:
        """Explanations that a person can look up at a table, by heading and name.

        By default it returns ``None``: the explanations are the texts of the game's cards.
        """
        return None

    def explain(self, state: PlayedState) -> str | None:
        """Why the rules broke off the game in `state`, in words; ``None`` if that is not known.

        It serves rules that store what went wrong, for instance in ``state.phase``. The text is
        added to errors and reports: "line 43: a card is moved from an empty place".
        """
        return None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.lowest_score_wins and cls.heuristic is GameDeclarations.heuristic:
            cls.heuristic = staticmethod(_lowest_score_heuristic)  # type: ignore[method-assign]


def score_lead(state: Any, player: int, sign: float) -> float:
    """The lead in score over the best of the other sides, squeezed into -1 .. 1.

    Without another side it is the score itself. `sign` is 1 if the highest score wins and -1 if
    the lowest does.
    """
    rivals = 0
    best = -1e300
    for p in range(state.players):
        if state.seat[p].side != state.seat[player].side:
            rivals += 1
            best = max(best, sign * state.seat[p].score)
    lead = sign * state.seat[player].score - (best if rivals > 0 else 0.0)
    return lead / (1.0 + abs(lead))


def _lowest_score_heuristic(state: Any, params: Any, player: int) -> float:
    return score_lead(state, player, -1.0)


RULES_AND_TEXTS = (
    "setup",
    "legal_actions",
    "apply_action",
    "heuristic",
    "redeterminize",
    "is_consistent",
    "features",
    "feature_names",
    "problem",
    "backs",
    "seat_names",
    "sides",
    "score_range",
    "describe",
    "glossary",
    "how_to_play",
    "explain",
)
"""What a game declares to be called by tables and states, rather than by users."""
