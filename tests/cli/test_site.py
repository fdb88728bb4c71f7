"""The command that writes a static site."""

from __future__ import annotations

from pathlib import Path

from commands import earmark
from viewed_runs import six


def test_size_and_licences_are_told_and_the_place_is_named() -> None:
    six(Path("results"))
    done = earmark("site", "results", "out/site", "--items", "all")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "about 0.3 MB: 1 runs, 6 items"
    assert lines[1] == "mine.bench: neither source nor licence is told by the benchmark"
    assert lines[-1] == "site: out/site/index.html"
    assert Path("out/site/index.html").is_file()
    again = earmark("site", "results", "out/site")
    assert again.returncode == 2
    assert "out/site: is there already" in again.stderr
    missing = earmark("site", "nowhere", "out2")
    assert (missing.returncode, Path("out2").exists()) == (3, False)
