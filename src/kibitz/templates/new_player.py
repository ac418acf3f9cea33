"""A player for general game playing: five handlers, which a listener calls.

Serve it, and let it play a match as white:

    kibitz ggp player --handlers my_player.py
    kibitz ggp match gdl-tic-tac-toe --players localhost:9147,random

The handlers are those of M. Genesereth, M. Thielscher, "General Game Playing", 2014, chapter 4;
the subroutines of the book, such as findlegals, come from kibitz.gdl.
"""

import random

from kibitz import gdl

# The state of the match between calls. There is one match at a time: a second START replaces it.
game = None
role = ""
roles = []
state = []


def info():
    """Tells the manager that the player is ready."""
    return "ready"


def start(id, player, rules, startclock, playclock):
    """Begins a match; must return within `startclock` seconds, the time to think about the game.

    `rules` is a list of texts, `player` the role to play, `playclock` the seconds for each move.
    """
    global game, role, roles, state
    game = gdl.load(rules)
    role = player
    roles = gdl.findroles(game)
    state = gdl.findinits(game)
    return "ready"


def play(id, move):
    """Returns the next move; `move` lists the last moves of all roles, or is "nil" at first."""
    global state
    state = gdl.simulate(move, state, game)
    return legal_move()


def stop(id, move):
    """Ends a match; `move` lists the last moves."""
    return "done"


def abort(id):
    """Ends a match without a result."""
    return "done"


# --- ways to choose a move: call another one in play, or write your own --------------------------


def legal_move():
    """The choice of the legal player: the first legal move."""
    return gdl.findlegalx(role, state, game)


def random_move():
    """The choice of the random player: any legal move."""
    return random.choice(gdl.findlegals(role, state, game))
