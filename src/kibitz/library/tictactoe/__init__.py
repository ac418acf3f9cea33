"""Tic-Tac-Toe."""

from kibitz.library.tictactoe.rules import TicTacToe

__all__ = ["TicTacToe"]
