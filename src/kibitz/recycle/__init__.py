"""RECYCLE: a language for card games."""
