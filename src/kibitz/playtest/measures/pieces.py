"""How many pieces a game has."""

from __future__ import annotations

from typing import Any, ClassVar

from kibitz.playtest.measures.base import Measure
from kibitz.playtest.sample import Sample


class Pieces(Measure):
    """The cards, tokens, dice and so on of a game."""

    members: ClassVar[dict[str, str]] = {
        "pieces": "how many cards, tokens, dice and the like there are once the game is set up"
    }
    unit = "pieces"
    source = "TAG's state size, which counts decks, hands and boards as pieces, too"

    def add(self, sample: Sample) -> None:
        """Nothing to add: the metadata has the number."""

    def finish(self) -> dict[str, Any]:
        return {"pieces": self.metadata.pieces}
