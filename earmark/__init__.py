"""Earmark measures how well models listen. Start reading at `evaluate.py`."""

__version__ = "0.1.0"
