"""One worker for each peer: a program of its own, in its own virtual environment."""
