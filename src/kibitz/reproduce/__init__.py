"""The tables and figures of papers, made again.

Each paper is a module with a ``TITLE`` and its ``exhibits``, numbers beside those of the paper.
"""

from kibitz.reproduce import report as report  # registers how a reproduction is reported
from kibitz.reproduce.bench import Bench
from kibitz.reproduce.exhibit import Exhibit, Figure, Reference
from kibitz.reproduce.papers import PAPERS, Reproduction, reproduce

__all__ = ["PAPERS", "Bench", "Exhibit", "Figure", "Reference", "Reproduction", "reproduce"]
