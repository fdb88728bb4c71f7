"""`earmark show`."""

from __future__ import annotations

from pathlib import Path

from commands import earmark


def test_a_folder_in_the_place_of_a_file_is_named(run: Path) -> None:
    (run / "run.json").unlink()
    (run / "run.json").mkdir()
    done = earmark("show", str(run))
    assert (done.returncode, "run.json: Is a directory" in done.stderr) == (3, True)
