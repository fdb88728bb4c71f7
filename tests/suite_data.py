"""A folder of small data sets in the layouts of several benchmarks."""

from __future__ import annotations

from pathlib import Path

import table_data as data


def write_sets(folder: Path) -> Path:
    """MMAU, MMAR and LibriSpeech, each in a folder of its own."""
    data.mmau_github(folder / "mmau")
    data.mmar_github(folder / "mmar")
    data.libri_published(folder / "librispeech")
    return folder
