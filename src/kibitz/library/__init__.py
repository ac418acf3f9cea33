"""The games written in Python, one folder each."""
