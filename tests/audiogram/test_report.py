"""Reports on audiograms: thresholds, pictures and ranks."""

from __future__ import annotations

import re
from pathlib import Path

from audiogram_runs import EAR, folder
from commands import earmark


def test_files_show_and_pictures(tmp_path: Path) -> None:
    done = earmark("audiogram", *EAR, "dimensions=[loudness,tone]", "tracks=1", "trials=20")
    assert done.returncode == 0, done.stderr
    assert "Jesteadt, Wier and Green 1977" in done.stdout
    where = folder()
    for name in ("audiogram.png", "curves.png"):
        assert (where / name).read_bytes().startswith(b"\x89PNG")
    page = (where / "audiogram.html").read_text()
    assert "loudness" in page
    assert page.count("<svg") == 2
    assert not re.search(r'(?:src|href)="(?!#)', page)  # nothing is needed beside it
    shown = earmark("show", str(where), "--plot", str(tmp_path / "a.svg"))
    assert shown.stdout.splitlines()[:8] == done.stdout.splitlines()[:8]
    assert (
        "tone-1000" not in (tmp_path / "a.svg").read_text()
    )  # letters stay letters, and tones are told by their hertz
    assert "loudness" in (tmp_path / "a.svg").read_text()
    assert "simulated  audiogram" in earmark("list", "runs").stdout


def test_models_are_ranked_by_their_thresholds_and_not_compared_question_by_question() -> None:
    for name, reply in {"deaf": "A", "simulated": "examples.ears:ear"}.items():
        words = ("dimensions=[loudness]", "tracks=2", "trials=16")
        done = earmark("audiogram", "model=fake", f"model.name={name}", f"model.reply={reply}", *words)
        assert done.returncode == 0, done.stderr
    ranked = earmark("leaderboard", "results").stdout.splitlines()
    assert [line.split()[:2] for line in ranked if line.startswith(("1", "2"))] == [["1", "simulated"], ["2", "deaf"]]
    refused = earmark("compare", *map(str, sorted(Path("results").glob("*/audiogram/*"))))
    assert refused.returncode == 3
    assert "is an audiogram: each trial depends on the answers before it" in refused.stderr
    run = next(Path("results").glob("*/audiogram/*"))
    refused = earmark("export", str(run), "--to", "csv")
    assert (refused.returncode, "is an audiogram, which has no other form" in refused.stderr) == (3, True)
