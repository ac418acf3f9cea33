"""Kibitz plays your tabletop game thousands of times and tells you what it saw.

::

    import kibitz

    game = kibitz.load("love-letter")
    state = game.new_state(players=3, seed=1)
    state.apply(state.legal_actions()[0])
    print(state.describe(player=1))

    print(kibitz.playtest("love-letter", games=10_000))

Names are imported when they are first used, so that ``import kibitz`` costs next to nothing;
``__init__.pyi`` lists them.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
