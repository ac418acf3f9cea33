"""Small games in full: information sets, best responses, exploitability, equilibria."""
