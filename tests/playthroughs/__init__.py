"""Golden playthroughs: one readable random game for each game; see ``variants.py``."""
