"""The readers that turn the forms of a text into a tree, one for each group of dialects.

``repair`` finds wrong parentheses by reading the text with changed ones.
"""
