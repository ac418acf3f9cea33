"""Source texts, diagnostics, the reader of S-expressions, and the interface of languages.

``sexpr`` reads words and parentheses with their positions; it does not recurse, is bounded, and
reports every problem instead of the first. ``source`` has texts and diagnostics, ``language``
the class that every language derives from.
"""
