"""How texts become trees: what all dialects share, each dialect, wrong parentheses."""
