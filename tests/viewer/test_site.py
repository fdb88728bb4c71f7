"""A static site as files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from viewed_runs import acoustics, pages_of, six

from earmark.errors import UsageError
from earmark.journal import JOURNAL_FILE, read_journal
from earmark.viewer import site as site_module
from earmark.viewer.pages import Pages
from earmark.viewer.site import write_site
from earmark.viewer.site_plan import SiteOptions, plan_site


def data(folder: Path, name: str) -> Any:
    """What a script of data assigns."""
    text = (folder / "data" / f"{name}.js").read_bytes()
    assert text.startswith(b'earmark.put("%s", ' % name.encode())
    return msgspec.json.decode(text.partition(b", ")[2].rstrip(b");\n"))


def written(pages: Pages, out: Path, **options: Any) -> Path:
    return write_site(pages, plan_site(pages, SiteOptions(**options)), out, lambda _: None)


def test_pages_and_data_and_nothing_else(tmp_path: Path) -> None:
    root, out = tmp_path / "results", tmp_path / "out" / "site"
    run = acoustics(str(root))
    pages = pages_of(root)
    written(pages, out, items="all")
    text = (out / "index.html").read_text()
    assert text.index("Content-Security-Policy") < text.index("<script")
    assert "frame-ancestors" not in text
    assert "{{nonce}}" not in text
    name = run.relative_to(root).as_posix()
    assert data(out, "run-0") == msgspec.json.decode(msgspec.json.encode(pages.run([("run", name)])))
    assert data(out, "items-0") == pages.items([("run", name)])["rows"]
    assert [each["item"]["id"] for each in data(out, "item-0-0")] == [row["id"] for row in data(out, "items-0")]
    assert list((out / "media").iterdir()) == []
    assert {path.name for path in out.parent.iterdir()} == {"site"}


def test_sound_is_what_was_sent(tmp_path: Path) -> None:
    run = acoustics(str(tmp_path / "results"))
    pages = pages_of(tmp_path / "results")
    out = written(pages, tmp_path / "site", items="all", sound=True)
    records = list(read_journal(run / JOURNAL_FILE))
    for details, record in zip(data(out, "item-0-0"), records, strict=True):
        for index, clip in enumerate(details["media"]["clips"]):
            path = pages.results.path(run.relative_to(tmp_path / "results").as_posix())
            assert (out / clip["url"]).read_bytes() == pages.media.sound(path, record, index).data
            assert (out / clip["spectrograms"][0]).read_bytes().startswith(b"\x89PNG")


def test_an_existing_folder_is_not_overwritten(tmp_path: Path) -> None:
    six(tmp_path / "results")
    out = tmp_path / "site"
    out.mkdir()
    with pytest.raises(UsageError, match="is there already"):
        written(pages_of(tmp_path / "results"), out)
    assert list(out.iterdir()) == []


def test_a_site_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    six(tmp_path / "results")
    pages = pages_of(tmp_path / "results")
    plan = plan_site(pages, SiteOptions())

    def fail(*_: Any) -> None:
        raise OSError("disk is full")

    monkeypatch.setattr(site_module.SiteWriter, "_write_run", fail)
    with pytest.raises(OSError, match="disk is full"):
        write_site(pages, plan, tmp_path / "out" / "site", lambda _: None)
    assert list((tmp_path / "out").iterdir()) == []


def test_what_is_left_out_is_said(tmp_path: Path) -> None:
    six(tmp_path / "results")
    out = written(pages_of(tmp_path / "results"), tmp_path / "site", items="wrong", most=2)
    index = data(out, "site")
    assert list(index["left_out"].values()) == [[1, 4, 6]]
    assert index["licences"] == ["mine.bench: neither source nor licence is told by the benchmark"]


def test_line_separators_break_no_script(tmp_path: Path) -> None:
    six(tmp_path / "results", replies=("a\u2028b\u2029c", *"AAAAA"))
    out = written(pages_of(tmp_path / "results"), tmp_path / "site", items="all")
    assert b"\xe2\x80\xa8" not in (out / "data" / "item-0-0.js").read_bytes()
    assert data(out, "item-0-0")[0]["response"]["text"] == "a\u2028b\u2029c"
