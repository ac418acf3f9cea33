"""``draw``: the picture of a table, as one seat sees it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from kibitz.core.changes import Place
from kibitz.core.errors import ParameterError
from kibitz.core.parameters import in_list, real_number, truth
from kibitz.core.state import State, state_given
from kibitz.core.wording import player_name
from kibitz.pictures.blocks import GAP
from kibitz.pictures.choosing import look_for
from kibitz.pictures.look import CardGroup
from kibitz.pictures.pen import Pen, num
from kibitz.pictures.style import STYLE
from kibitz.pictures.view import View

LEAST_WIDTH = 240
"""The minimum width of a picture in pixels."""
USUAL_WIDTH = 960
_NATURAL = 1000.0
"""The width in pixels up to which a picture shows more; a wider one is magnified instead."""
_MOST_MAGNIFIED = 1.6


@dataclass(frozen=True)
class Picture:
    """A picture of a table.

    Attributes:
        svg: the picture as SVG 1.1, with its own style sheet and without scripts.
        width, height: its size in pixels.
        targets: the legal actions of each clickable thing, by its id (the attribute
            ``data-target`` in the SVG). If a thing belongs to several actions, draw again with
            these as `legal` and the thing as `chosen`, to choose among them.
        things: the ids of everything drawn that has one.
        piles: the cards in each place. The places are named by their paths in the state.
        round: the number of the round, since cards are dealt anew for the next one.
    """

    svg: str
    width: float
    height: float
    targets: Mapping[str, tuple[int, ...]]
    things: frozenset[str]
    piles: Mapping[Place, CardGroup]
    round: int

    def _repr_svg_(self) -> str:
        """The picture, in a notebook."""
        return self.svg

    def unreached(self, legal: Sequence[int]) -> list[int]:
        """The actions of `legal` that no thing of the picture stands for.

        These have to be offered in words.
        """
        reached = {action for actions in self.targets.values() for action in actions}
        return [action for action in legal if action not in reached]


def draw(
    state: State,
    seat: int | None,
    *,
    legal: Sequence[int] | None = None,
    chosen: Sequence[str] = (),
    width: int = USUAL_WIDTH,
    names: Sequence[str] | None = None,
    styled: bool = True,
) -> Picture:
    """Draws a table as one seat sees it.

    >>> import kibitz
    >>> state = kibitz.load("tic-tac-toe").new_state()
    >>> picture = kibitz.draw(state, 0)
    >>> picture.svg[:4], len(picture.targets)
    ('<svg', 9)

    Nothing in the picture depends on what the seat cannot know: everything is drawn from its
    observation; only the legal actions, if the seat is to move, come from the state.

    Args:
        state: the state; not an observation.
        seat: the observer, from 0; ``None``: everything is open and nothing is clickable.
        legal: the actions that can be clicked; by default all legal ones. Ignored if the seat is
            not to move.
        chosen: ids of things that were clicked already, where an action needs several.
        width: in pixels; at least ``LEAST_WIDTH``.
        names: the names of the players.  [default: Player 1, Player 2, ...]
        styled: whether the SVG contains the style sheet; a page with many pictures can contain it
            once (``pictures.STYLE``).

    Raises:
        ParameterError: an argument has a wrong type, the width is too small, or the number of
            names is not that of players.
        IndexError: there is no such seat.
        PlayError: the state is an observation, which has no legal actions.
    """
    state_given(state)
    if real_number("width", width) < LEAST_WIDTH:
        raise ParameterError(f"A picture is at least {LEAST_WIDTH} pixels wide, not {width}.")
    truth("styled", styled)
    in_list("chosen", chosen, "ids")
    if legal is not None:
        in_list("legal", legal, "actions")
    if names is None:
        names = [player_name(p).capitalize() for p in range(state.players)]
    elif len(in_list("names", names, "names")) != state.players:
        raise ParameterError(f"{len(names)} names are not enough for {state.players} players.")
    observation = state if seat is None else state.observation(seat)
    if seat != state.current_player or state.is_terminal:
        legal = ()
    elif legal is None:
        legal = state.legal_actions()
    view = View(state, observation, seat, legal, names)
    look = look_for(view)
    scale = min(_MOST_MAGNIFIED, max(1.0, width / _NATURAL))
    inside = width / scale
    block = look.block(inside)
    pen = Pen(look.targets, chosen, view.words)
    block.draw(pen, GAP, GAP)
    height = (block.height + 2 * GAP) * scale
    title = f"{state.table.game.title or state.table.game.name}: {look.headline()}"
    style = f"<style>{STYLE}</style>" if styled else ""
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="kz" width="{width}" '
        f'height="{num(height)}" viewBox="0 0 {num(inside)} {num(height / scale)}" '
        f'role="group" aria-label="{escape(title)}">{style}{pen.svg}</svg>'
    )
    targets = {
        thing_id: tuple(actions)
        for thing_id, actions in look.targets.items()
        if thing_id in pen.drawn and thing_id not in chosen
    }
    return Picture(
        svg, width, height, targets, frozenset(pen.drawn), look.piles, int(observation.view.round)
    )
