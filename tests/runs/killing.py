"""Kills a run at random moments, then looks at it: ``python -m tests.runs.killing 100``."""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.runs.test_store import EXPERIMENT, PLAYING, Run, content, go_on


def main() -> None:
    """Prints how many kills there were, and how often a process came to the end of the run."""
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    ended = 0
    with tempfile.TemporaryDirectory() as place:
        uninterrupted = Path(place) / "whole"
        go_on(Run.create(uninterrupted, EXPERIMENT))
        expected = content(uninterrupted)
        folder = Path(place) / "0"
        for number in range(kills):
            code = PLAYING.format(tests=str(Path(__file__).parents[2]), folder=str(folder))
            process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(random.uniform(0, 0.2))
            process.kill()
            out, _ = process.communicate()
            before = Run.open(folder).played
            if b"done" in out or before == EXPERIMENT.games:
                ended += 1
                assert content(folder) == expected
                folder = Path(place) / str(number + 1)
        if folder.exists():
            go_on(Run.open(folder))
            assert content(folder) == expected
    print(f"{kills} kills, {ended} runs came to their end; all rows are as they should be")


if __name__ == "__main__":
    main()
