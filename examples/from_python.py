"""Evaluate from Python instead of the command line: python examples/from_python.py"""

from __future__ import annotations

import earmark


def main() -> None:
    """Run one benchmark with one model, with and without the audio, and print its scores."""
    model = {"model": "fake", "reply": "examples.listeners:loudest"}
    run = earmark.run("acoustics:loudness", model, items=20, condition=["plain", "silence"])
    print(run.table, run.gains, run.folder, sep="\n")


if __name__ == "__main__":
    main()
