"""The games written in Python, one folder each: rules, data, agents of their own.

The folder's ``__init__`` exports the ``Game``; ``pyproject.toml`` gives it a name. Uno,
Exploding Kittens and Virus! sample hidden cards with ``components.batches`` and
``components.deals``: their rules note what everybody has seen of each batch of cards.
"""
