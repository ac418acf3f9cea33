"""The match loop, perft, playthroughs, trials of rules, and the conformance check."""
