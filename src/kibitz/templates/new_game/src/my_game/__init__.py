"""My Game."""

from my_game.rules import MyGame

__all__ = ["MyGame"]
