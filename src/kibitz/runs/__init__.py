"""Runs of games as data: experiments, their shards, runners, and rows of results."""

from kibitz.runs.batch import Batch, play
from kibitz.runs.experiment import Design, Experiment, Shard
from kibitz.runs.places import folder_at, place_at
from kibitz.runs.processes import ProcessRunner, runner_for
from kibitz.runs.rows import Rows
from kibitz.runs.runner import Runner, ThreadRunner, Workers
from kibitz.runs.store import Run

__all__ = [
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
    "runner_for",
]
