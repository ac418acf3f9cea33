"""Parameters that make the rules of TAG's games those of TAG in September 2020.

What has no parameter is listed at each game in ``docs/games.md``.
"""

from __future__ import annotations

from typing import Any

TAG_RULES: dict[str, dict[str, Any]] = {
    "uno": {
        "scoring": "all",
        "uno_call": False,
        "wild_draw_four": "nothing",
        "voluntary_draw": False,
        "must_play_drawn": True,
        "match_symbols": False,
        "wild_numbers": True,
        "colourless_drawn": True,
        "wild_start": False,
    },
    "virus": {
        "glove_on_one": True,
        "contagion_viruses": 1,
        "transplant_own": True,
        "medicine_own": True,
        "reshuffle": True,
        "matching": "either",
        "round_limit": 100,
    },
    "exploding-kittens": {
        "attack": "chosen",
        "combos": "none",
        "alter_future": True,
        "forced_defuse": True,
        "ask_holders_only": True,
    },
    "colt-express": {
        "bandits_each": 1,
        "ghost_must_hide": True,
        "lenient_marshal": True,
        "short_push": True,
        "copied_purses": True,
        "harsh_revenge": True,
        "full_box_per_car": True,
        "neutral_bullets": 30,
    },
    "pandemic": {
        "outbreaks_reach": "pawns",
        "outbreaks_add_supply": True,
        "quarantine_neighbours": False,
        "medic_prevention": False,
        "cure_discards_all": True,
        "cure_eradicates": False,
        "may_pass": False,
        "events_cost_actions": True,
        "events_any_time": False,
        "events_at_limit": False,
        "one_flight_a_turn": False,
        "map": "tag",
    },
}
"""The parameters by game; other games need none."""
