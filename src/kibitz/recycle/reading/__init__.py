"""The reader that turns the forms of a text into a tree.

It reads the dialects B and C; ``dialect_a`` converts the forms of dialect A to those of B before.
``repair`` finds wrong parentheses: it tries the changes that the indentation and the problems
suggest, and keeps the one that leaves the fewest errors.
"""
