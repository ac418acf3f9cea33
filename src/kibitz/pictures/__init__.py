"""Pictures of tables: draws a state as one seat sees it, as an SVG with clickable elements.

1. ``draw`` makes the seat's observation and draws that alone, with the seat's legal actions: a
   picture is the same whatever is hidden.
2. A ``Look`` says what lies where. The base class derives it from the components; ``recycle``
   and ``gdl`` have looks of their language, ``looks`` those of single games.
3. A look makes *blocks* (``blocks``, ``cards``, ``boards``, ``tokens``), which know their size
   for a width before they are drawn, so that a table fits a phone and a wide screen.
4. Blocks write with a ``Pen``, which gives things ids and marks those that actions are about.

``motion`` compares two pictures by the ids in each place, for pages that move the pieces. In GDL
``facts`` looks for a board among the facts: a relation with two adjacent arguments that run
through numbers or letters. The words for a cell become a piece (``pieces``).
"""

from kibitz.pictures.drawing import LEAST_WIDTH, Picture, draw
from kibitz.pictures.look import Look
from kibitz.pictures.motion import Motion, motion
from kibitz.pictures.style import STYLE
from kibitz.pictures.view import View

__all__ = ["LEAST_WIDTH", "STYLE", "Look", "Motion", "Picture", "View", "draw", "motion"]
