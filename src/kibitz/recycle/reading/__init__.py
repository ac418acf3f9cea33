"""The reader that turns the forms of a text into a tree.

It reads the dialects B and C; ``dialect_a`` converts the forms of dialect A to those of B before.
``repair`` finds wrong parentheses by reading the text with changed ones.
"""
