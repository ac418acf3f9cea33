"""Certificates that nothing hidden leaks: swaps, information sets, uniform samples."""
