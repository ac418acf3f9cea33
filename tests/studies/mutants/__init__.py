"""Games of the library with planted flaws, made by rule.

``mutation.py`` changes the native rules of any game in one of a few ways; ``catalogue.py`` lists
the mutants; ``python -m benchmarks.flaws`` has the report look at all of them.
"""
