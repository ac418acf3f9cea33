"""Tic-Tac-Toe."""

from kibitz.games.tictactoe.rules import TicTacToe

__all__ = ["TicTacToe"]
