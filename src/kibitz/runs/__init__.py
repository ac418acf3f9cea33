"""Runs as data: experiments, the shards that they are cut into, and rows of what was seen."""

from kibitz.runs.batch import Batch, play_batch
from kibitz.runs.experiment import Design, Experiment, Shard
from kibitz.runs.places import folder_at, place_at
from kibitz.runs.processes import ProcessRunner, runner_for
from kibitz.runs.rows import Rows
from kibitz.runs.runner import Progress, Runner, ThreadRunner, Workers, progress_after
from kibitz.runs.store import Run

__all__ = [
    "Batch",
    "Design",
    "Experiment",
    "ProcessRunner",
    "Progress",
    "Rows",
    "Run",
    "Runner",
    "Shard",
    "ThreadRunner",
    "Workers",
    "folder_at",
    "place_at",
    "play_batch",
    "progress_after",
    "runner_for",
]
