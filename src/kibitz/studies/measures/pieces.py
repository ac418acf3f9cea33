"""The number of pieces of a game."""

from __future__ import annotations

from typing import Any, ClassVar

from kibitz.studies.measures.base import Measure
from kibitz.studies.sample import Sample


class Pieces(Measure):
    """The number of cards, tokens, dice and so on after setup."""

    members: ClassVar[dict[str, str]] = {
        "pieces": "how many cards, tokens, dice and the like there are once the game is set up"
    }
    unit = "pieces"
    source = "TAG's state size, which counts decks, hands and boards as pieces, too"

    def add(self, sample: Sample) -> None:
        """Does nothing: the number is in the metadata."""

    def finish(self) -> dict[str, Any]:
        return {"pieces": self.metadata.pieces}
