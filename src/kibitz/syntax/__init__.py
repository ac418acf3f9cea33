"""Source texts, what is said about them, and the reader of S-expressions."""
