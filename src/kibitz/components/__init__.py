"""The components of games: decks, boards, numbers, turns.

Authors import them from ``kibitz.authoring``.

A component declares a record, the places of its values that may be hidden (``Slots``), and how
it is shown. Observation, redeterminization, the hidden share, JSON, text, features and
conservation checks follow from these declarations.

**Who knows what.** Beside each card is a mask of the players who know it. A place declares who
sees what arrives there. Who knew a card before still knows it while it moves openly; a shuffle
makes all others forget. A ``Note`` keeps what a player has seen of cards that are gone.

**Redeterminization.** ``redeal_slots`` (``kibitz.core.contract``) collects the values of a pool
that the observer does not know, sorts them, shuffles them with the agent's random stream, and
deals them back. Since they are sorted first, the result depends only on what the observer knows.
Facts of decks (``facts=True``) restrict where cards are dealt.
A game whose history excludes other deals rejects them in ``is_consistent``. Where nearly all deals
would be rejected, ``deals`` and ``batch_sampling`` sample under constraints; ``batches`` keeps
which cards were shuffled together.
"""

from kibitz.components.boards import (
    Graph,
    GraphBoard,
    GridBoard,
    cell_at,
    hide_cell,
    on_board,
    set_cell,
    show_cell,
)
from kibitz.components.card_text import counted_cards, known_cards, name_cards
from kibitz.components.deck import (
    CardSet,
    CardType,
    Deck,
    cards_in,
    clear_deck,
    count_card,
    draw_card,
    find_card,
    knows_card,
    move_all,
    move_card,
    move_copy,
    place_card,
    point_out,
    put_card,
    put_copies,
    rule_out,
    rule_out_all,
    show_card,
    show_deck,
    shuffle_deck,
    take_card,
    trade_decks,
)
from kibitz.components.numbers import (
    Counter,
    Die,
    Note,
    Token,
    change,
    hide_value,
    roll,
    show_value,
    show_value_to_all,
)
from kibitz.components.turns import (
    Interrupts,
    eliminate,
    end_round,
    end_turn,
    interrupt,
    lead,
    next_player,
    players_left,
    restore_players,
    resume,
    reverse_order,
    skip_players,
    start_round,
)
from kibitz.core.commitments import (
    Commitment,
    ask,
    clear_commitment,
    commit,
    committed,
    everyone,
    reveal,
)

__all__ = [
    "CardSet",
    "CardType",
    "Commitment",
    "Counter",
    "Deck",
    "Die",
    "Graph",
    "GraphBoard",
    "GridBoard",
    "Interrupts",
    "Note",
    "Token",
    "ask",
    "cards_in",
    "cell_at",
    "change",
    "clear_commitment",
    "clear_deck",
    "commit",
    "committed",
    "count_card",
    "counted_cards",
    "draw_card",
    "eliminate",
    "end_round",
    "end_turn",
    "everyone",
    "find_card",
    "hide_cell",
    "hide_value",
    "interrupt",
    "known_cards",
    "knows_card",
    "lead",
    "move_all",
    "move_card",
    "move_copy",
    "name_cards",
    "next_player",
    "on_board",
    "place_card",
    "players_left",
    "point_out",
    "put_card",
    "put_copies",
    "restore_players",
    "resume",
    "reveal",
    "reverse_order",
    "roll",
    "rule_out",
    "rule_out_all",
    "set_cell",
    "show_card",
    "show_cell",
    "show_deck",
    "show_value",
    "show_value_to_all",
    "shuffle_deck",
    "skip_players",
    "start_round",
    "take_card",
    "trade_decks",
]
