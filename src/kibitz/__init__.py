"""Kibitz plays your tabletop game thousands of times and tells you what it saw."""
from kibitz.core.registry import load
