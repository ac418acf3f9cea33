"""Pictures of tables: draws a state as one seat sees it, as an SVG with clickable elements."""

from kibitz.pictures.drawing import LEAST_WIDTH, Picture, draw
from kibitz.pictures.look import Look
from kibitz.pictures.motion import Motion, motion
from kibitz.pictures.style import STYLE
from kibitz.pictures.view import View

__all__ = ["LEAST_WIDTH", "STYLE", "Look", "Motion", "Picture", "View", "draw", "motion"]
