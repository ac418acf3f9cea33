"""RECYCLE, a language for card games: its parser, its checks, its compiler and its games."""
