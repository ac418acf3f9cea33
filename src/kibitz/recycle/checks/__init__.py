"""What a RECYCLE game probably does not mean, one kind of mistake per module.

``knowledge`` finds out about the whole program what the others ask for; ``logic`` says which
conditions exclude each other.
"""
