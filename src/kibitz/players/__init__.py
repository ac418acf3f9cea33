"""The agents that play any game: random, one-step look-ahead, evolution, tree searches, people."""
