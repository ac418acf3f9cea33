"""The agents that play any game: random, one-step look-ahead, evolution, tree searches, people.

``search`` has what the searches share: the budget of a decision, the layout of the working
memory, advice. ``playouts`` plays from a state to its end or a limit, ``evaluation`` values a
state.

**One tree search.** ``mcts``, ``ismcts``, ``pimc`` and ``ggp`` are presets of one compiled
search, ``tree_search``. They differ in a record of *policies* (``policies``), which an agent
fills from its options and its method ``policies``. The open loop plays the rules anew in each
iteration; in the closed loop an edge leads to one node, whose state may be stored. The modules,
each of which uses those below it:

================================  ===============================================================
``mcts``, ``pimc``, ``ggp``       options, and the policies that they stand for
``tree_search``                   a decision from beginning to end
``decision``                      the action after the search, and the advice on the others
``closed_loop``, ``open_loop``    the descent: transpositions and proofs; samples and availability
``mixing``                        mixed strategies at a node: regret matching, Exp3
``single_player``                 the best line in games of one player
``belief``, ``particle_filter``   particles: states that may be the true one
``guide``, ``opponent_model``     what other players would do
``selection``, ``proof``          the edge to follow; bounds of each player's returns
``graph``, ``memory``             nodes, edges, keys, recycling; the working memory
``averages``, ``decisive``        what playouts learn; moves that win at once
================================  ===============================================================

``mccfr`` is compiled apart: its walks (``regret_walk``) branch, and nodes are found by all that
a player has seen, which ``commitments`` keeps. ``network`` evaluates trained networks, which
``neural`` plays by, and ``ismcts`` takes as a prior. ``rhea`` evolves plans.
``kibitz``, the default agent, plays the first setting in ``settings.json`` that fits the table.
``restricted`` limits another agent's actions; ``human`` asks a person.

**Following the game.** An agent whose record has a ``watch`` is shown what its seat sees at the
beginning and after every action (``watching``), with a random stream made of the game's seed,
the seat and the number of actions. So what it keeps is the same after an undo or a replay. A
belief lives on this.

An agent without a search can be the ``guide`` of a search: it is bound to the same table and
called by the address of its record.
"""
