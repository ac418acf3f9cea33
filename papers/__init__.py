"""The tables and figures of papers, made again: ``python -m papers PAPER``.

A client of the package, which is not installed with it. Each paper is a module with a ``TITLE``
and its ``EXHIBITS``: functions that play games and give numbers beside those of the paper.
"""

from papers import report as report  # registers how a reproduction is reported
from papers.bench import Bench
from papers.exhibit import Exhibit, Figure, Reference
from papers.reproduction import PAPERS, Reproduction, reproduce

__all__ = ["PAPERS", "Bench", "Exhibit", "Figure", "Reference", "Reproduction", "reproduce"]
