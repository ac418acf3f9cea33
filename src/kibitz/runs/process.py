"""The main program of a worker process of ``ProcessRunner``.

It is run as ``python -m kibitz.runs.process DESCRIPTOR``, with the file descriptor of a socket. It
reads a job, answers ``READY``, and then answers each shard with its rows. SIGINT ends the current
shard early.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
from multiprocessing.connection import Connection

from kibitz.core.errors import KibitzError
from kibitz.core.interrupt import catch_signals, deferred
from kibitz.runs.messages import PROBLEM, READY, ROWS, Job, rows_to_bytes, shard_from_bytes
from kibitz.runs.rows import Rows
from kibitz.runs.runner import ThreadRunner


def main(descriptor: int) -> None:
    """Plays shards until the other end of the socket is closed."""
    threading.Thread(target=_end_with, args=(descriptor,), daemon=True).start()
    connection = Connection(descriptor)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # the parent may ignore SIGINT
    catch_signals()
    with deferred():  # a signal that finds it idle is noted; the other end is closed next
        try:
            job = Job.from_bytes(connection.recv_bytes())
            runner = ThreadRunner(job.experiment, *job.seated(), workers=1)
            connection.send_bytes(READY)
            while True:
                shard = shard_from_bytes(connection.recv_bytes())
                received = [Rows.none(shard, job.experiment.players)]
                runner.play(received.append, [shard])
                connection.send_bytes(ROWS)
                for content in rows_to_bytes(received[-1], job.experiment):
                    connection.send_bytes(content)
        except (EOFError, ConnectionError):
            return
        except Exception as problem:
            own = isinstance(problem, KibitzError)
            text = str(problem) if own else f"{type(problem).__name__}: {problem}"
            connection.send_bytes(PROBLEM)
            connection.send_bytes(text.encode())


def _end_with(descriptor: int) -> None:
    """Waits until the other end of the socket is closed, and then ends this process."""
    poll = select.poll()
    poll.register(descriptor, 0)
    poll.poll()
    os._exit(0)


if __name__ == "__main__":
    main(int(sys.argv[1]))
