"""Small games solved exactly: information sets, best responses, exploitability, equilibria.

``tree`` enumerates a game by ``walk``, within ``limits``; ``policies`` evaluates policies and
finds equilibria (CFR+); ``play`` asks agents in every information set.
"""
