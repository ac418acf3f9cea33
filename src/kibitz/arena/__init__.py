"""The match loop, perft, playthroughs, and the conformance check."""
