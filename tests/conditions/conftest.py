"""Benchmarks that conditions are tried on."""

from __future__ import annotations

from pathlib import Path

import pytest
from mine import bench
from sounds import file_of, sine

from earmark.types import Benchmark


@pytest.fixture
def talkers(tmp_path: Path) -> Benchmark:
    """Ten items, each a tone of its own; two clips are the same recording."""
    for at in range(10):
        (tmp_path / f"clip-{at}.wav").write_bytes(file_of(sine(400.0 + 100 * min(at, 8), 0.5 + 0.1 * at)))
    return bench.make(data=str(tmp_path))
