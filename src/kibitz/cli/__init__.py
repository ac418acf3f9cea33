"""The command line: ``kibitz COMMAND ...``.

Each command is a function in one of the modules here. ``kibitz.__main__`` is the entry point,
which calls ``main``. A command imports what it needs when it runs, so that ``kibitz --help`` is
fast.
"""

from __future__ import annotations

from kibitz.cli.app import app, main

__all__ = ["app", "main"]
