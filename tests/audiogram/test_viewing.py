"""Audiograms as the viewer shows them."""

from __future__ import annotations

import asyncio
from pathlib import Path

from earmark.audiogram.run import run_audiogram
from earmark.audiogram.viewing import describe_audiogram, open_trials
from earmark.config.compose import compose_config
from earmark.engine.progress import Callbacks
from earmark.journal import JOURNAL_FILE, read_journal
from earmark.viewer.foreign_code import CodePolicy
from earmark.viewer.pages import Pages
from earmark.viewer.results import Audiograms, Results


def test_trials_are_scored_and_played(tmp_path: Path) -> None:
    words = ("model=fake", "model.reply=A", "dimensions=[pitch]", "tracks=2", "trials=24", f"results={tmp_path}",
             "preflight=false")  # fmt: skip
    run = asyncio.run(run_audiogram(compose_config(words), Callbacks(lambda _: None, lambda _: None))).folder
    page = describe_audiogram(run)
    assert [result["dimension"] for result in page["results"]] == ["pitch"]
    for level, share in page["results"][0]["fitted"]:
        assert level > 0
        assert 0 <= share <= 1
    assert open_trials(run).tasks == ("pitch",)
    audiograms = Audiograms(describe_audiogram, open_trials)
    pages = Pages(Results(tmp_path), CodePolicy(lambda _: None), audiograms)
    name = run.relative_to(tmp_path).as_posix()
    assert pages.audiogram([("run", name)]) == page
    first = next(read_journal(run / JOURNAL_FILE))
    query = [("run", name), ("item.task", "pitch"), ("item.id", first.item.id)]
    described = pages.sounds(query)
    assert [clip["why"] for clip in described["clips"]] == [""] * len(first.audio_sent)
    assert len(pages.sound(query).data) >= first.audio_sent[0].bytes
    look = pages.live([("run", name)])
    assert all(row["right"] in (True, False, None) for row in look["new"])
    assert any(row["right"] is not None for row in look["new"])
