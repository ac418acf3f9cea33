"""The command line: ``kibitz COMMAND ...``.

Each command is a function in one of the modules here. ``kibitz.__main__`` is the entry point,
which calls ``main``. A command imports what it needs when it runs, so that ``kibitz --help`` is
fast.

``app`` lists the commands and reports errors; ``options`` and ``groups`` have the options that
commands share; ``results`` delivers a result as a report, files and JSON. All output goes
through ``terminal``, so that no text of a stranger controls the terminal.
"""

from __future__ import annotations

from kibitz.cli.app import app, main

__all__ = ["app", "main"]
