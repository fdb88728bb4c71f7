"""`earmark show`."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
from commands import earmark

from earmark.report.files import read_metrics
from earmark.types import Signature, rules_of


def test_a_folder_in_the_place_of_a_file_is_named(run: Path) -> None:
    (run / "run.json").unlink()
    (run / "run.json").mkdir()
    done = earmark("show", str(run))
    assert (done.returncode, "run.json: Is a directory" in done.stderr) == (3, True)


def test_signatures_of_older_versions_are_texts_and_are_read(run: Path) -> None:
    """They are shown as ever, and rescoring writes those of today."""
    metrics = run / "metrics.json"
    told = json.loads(metrics.read_text())
    new = earmark("show", str(run), "--all")
    for row in told["rows"]:
        row["signature"] = str(msgspec.convert(row["signature"], Signature))
        assert isinstance(row["signature"], str)
    metrics.write_text(json.dumps(told))
    (row, *_) = read_metrics(run).rows
    assert rules_of(row.signature) == "choice|reader:earmark.2"
    old = earmark("show", str(run), "--all")
    assert (old.returncode, old.stdout) == (0, new.stdout), old.stderr
    again = earmark("rescore", str(run))
    assert again.returncode == 0, again.stderr
    assert isinstance(read_metrics(run).rows[0].signature, Signature)
