"""The Python interface: run, load, compare and score from a script or a notebook."""
