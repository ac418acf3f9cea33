"""How large a game may be that is written down whole."""

MOST_NODES = 20_000_000
"""Trees with more nodes are refused, unless asked otherwise: these take three gigabytes."""
