"""The readers that turn the forms of a text into a tree, one for each group of dialects.

``dialect_a`` reads the dialect of 2016, ``dialect_b`` the dialects B and C; both build on
``context`` and ``skeleton``. ``repair`` finds wrong parentheses: it tries the changes that the
indentation and the problems suggest, and keeps the one that leaves the fewest errors.
"""
