"""GDL, the game description language of general game playing."""
