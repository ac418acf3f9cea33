"""Small games solved exactly: information sets, best responses, exploitability, equilibria."""
