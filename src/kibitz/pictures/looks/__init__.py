"""The looks of single games. Each game names its own in its attribute ``look``."""
