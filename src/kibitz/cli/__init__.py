"""The command line: ``kibitz COMMAND ...``.

Each command is a function in one of the modules here. ``kibitz.__main__`` is the entry point,
which calls ``main``. What a command needs it imports when it runs, so that ``kibitz --help``
answers at once.
"""

from __future__ import annotations

from kibitz.cli.app import app, main

__all__ = ["app", "main"]
