"""Runs of games as data: experiments, their shards, runners, and rows of results.

- ``experiment``: an ``Experiment`` is all that its games depend on: game, fingerprint of the
  rules, players, parameters, agents, seed, number of games. It is cut into *shards*, whose size
  depends on the experiment alone. With ``duplicate`` consecutive games share a deal, one for
  each seat; with ``randomize`` parameters are drawn for each deal (``randomized``).
- ``runner``, ``processes``, ``cluster``: a runner plays shards and hands their rows over in
  order: in threads; in processes, for rules and agents in Python; on a Ray cluster. ``messages``
  has jobs as JSON and rows as Arrow streams.
- ``rows``: a row for each game, and for each game and seat; the sums of the numbers of options;
  if asked, a row for each decision, each judged step (``kibitz.arena.judging``) and each event
  (``events``). Rows contain no times: they are the same bytes whoever plays the shard.
- ``batch.play`` keeps rows in memory. ``batch.play_seeds`` plays chosen deals with chosen luck
  afterwards. ``store.Run`` keeps a Parquet file for each shard and
  table, written atomically, and then a line of the ``ledger``: files that the ledger does not
  name are ignored, and their games are played again.
"""

from kibitz.arena.match import SEEDS
from kibitz.runs.batch import Batch, play, play_seeds
from kibitz.runs.experiment import Design, Experiment, Shard
from kibitz.runs.places import folder_at, place_at
from kibitz.runs.processes import ProcessRunner, runner_for
from kibitz.runs.rows import Rows
from kibitz.runs.runner import Runner, ThreadRunner, Workers
from kibitz.runs.store import Run

__all__ = [
    "SEEDS",
    "Batch",
    "Design",
    "Experiment",
    "ProcessRunner",
    "Rows",
    "Run",
    "Runner",
    "Shard",
    "ThreadRunner",
    "Workers",
    "folder_at",
    "place_at",
    "play",
    "play_seeds",
    "runner_for",
]
