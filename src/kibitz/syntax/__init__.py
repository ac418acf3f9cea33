"""Source texts, diagnostics, and the reader of S-expressions."""
