"""Pages as files that anybody can open, from disk or from any host: data are scripts that assign, sound lies beside.

A site is written whole or not at all: in a folder beside its place, which then takes its name.
"""

from __future__ import annotations

import secrets
import shutil
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

import msgspec

from earmark.data.cache import hash64
from earmark.errors import EarmarkError, UsageError
from earmark.journal import Record
from earmark.viewer.item_page import item_details
from earmark.viewer.media import Media
from earmark.viewer.pages import Pages
from earmark.viewer.results import to_plain
from earmark.viewer.server import NONCE, POLICY, STATIC, static_files
from earmark.viewer.site_plan import SitePlan, SiteRun

CHUNK: Final = 50  # items of a file
CORE: Final = '<script src="static/app/core.js"></script>'
META: Final = '<meta http-equiv="Content-Security-Policy" content="{policy}">\n'


def write_site(pages: Pages, plan: SitePlan, out: Path, log: Callable[[str], None]) -> Path:
    """Write a site. Raises UsageError where something lies in its place."""
    if out.exists() or out.is_symlink():
        raise UsageError(f"{out}: is there already, and is not overwritten; give another folder")
    out.parent.mkdir(parents=True, exist_ok=True)
    staged = Path(tempfile.mkdtemp(prefix=".site-", dir=out.parent))
    try:
        staged.chmod(0o755)
        SiteWriter(pages, plan, staged).write(log)
        staged.rename(out)
    finally:
        shutil.rmtree(staged, ignore_errors=True)
    return out


class SiteWriter:
    """Writes the files of a site into a folder."""

    def __init__(self, pages: Pages, plan: SitePlan, folder: Path) -> None:
        self._pages, self._plan, self._folder = pages, plan, folder
        self._names = {run.summary.run: str(number) for number, run in enumerate(plan.runs)}

    def write(self, log: Callable[[str], None]) -> None:
        """Write everything."""
        for name in ("data", "media"):
            (self._folder / name).mkdir()
        self._write_static()
        self._put("site", self._index())
        self._put("runs", {"folder": "", "runs": [to_plain(run.summary) for run in self._plan.runs]})
        self._put("leaderboard", self._try(lambda: self._pages.leaderboard([])))
        for run in self._plan.runs:
            log(f"{run.summary.run}: {len(run.lines):,} items")
            self._write_run(run)
        for first, second in self._plan.pairs:
            query = [("run", first), ("run", second)]
            name = f"{self._names[first]}-{self._names[second]}"
            self._put(f"compare-{name}", self._try(partial(self._pages.compare, query)))
            self._put(f"differences-{name}", self._try(partial(self._pages.differences, query)))

    def _index(self) -> dict[str, Any]:
        return {
            "licences": self._plan.licences(),
            "names": self._names,
            "pairs": self._plan.pairs,
            "items": self._plan.options.items,
            "sound": self._plan.options.sound,
            "chunk": CHUNK,
            "left_out": {
                run.summary.run: [run.left_out, run.total - len(run.lines), run.total] for run in self._plan.runs
            },
        }

    def _write_static(self) -> None:
        for name, path in static_files().items():
            if name != "index.html":
                target = self._folder / "static" / name
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, target)
        nonce = secrets.token_urlsafe(16)
        policy = POLICY.format(nonce=nonce).replace("; frame-ancestors 'none'", "")  # which a meta element cannot say
        text = (STATIC / "index.html").read_text(encoding="utf-8").replace(NONCE, nonce)
        text = text.replace('<meta charset="utf-8">\n', '<meta charset="utf-8">\n' + META.format(policy=policy))
        scripts = f'{CORE}\n<script src="static/app/site.js"></script>\n<script src="data/site.js"></script>'
        (self._folder / "index.html").write_text(text.replace(CORE, scripts), encoding="utf-8")

    def _put(self, name: str, value: Any) -> None:
        """Write data as a script that assigns."""
        body = msgspec.json.encode(value).replace(b"\xe2\x80\xa8", b"\\u2028").replace(b"\xe2\x80\xa9", b"\\u2029")
        (self._folder / "data" / f"{name}.js").write_bytes(b'earmark.put("%s", %s);\n' % (name.encode(), body))

    @staticmethod
    def _try(make: Callable[[], Any]) -> Any:
        """Return the data of a page, or why there are none."""
        try:
            return make()
        except EarmarkError as error:
            return {"error": str(error)}

    def _write_run(self, run: SiteRun) -> None:
        name, query = self._names[run.summary.run], [("run", run.summary.run)]
        self._put(f"run-{name}", self._try(lambda: self._pages.run(query)))
        self._put(f"counts-{name}", self._try(lambda: self._pages.counts(query)))
        if run.summary.state == "audiogram":
            self._put(f"audiogram-{name}", self._try(lambda: self._pages.audiogram(query)))
        table = self._pages.results.table(run.summary.run)
        self._put(f"items-{name}", table.rows(run.lines))
        for number, start in enumerate(range(0, len(run.lines), CHUNK)):
            records = (table.record(line) for line in run.lines[start : start + CHUNK])
            self._put(f"item-{name}-{number}", [self._item(run, record) for record in records])

    def _item(self, run: SiteRun, record: Record) -> dict[str, Any]:
        details = item_details(self._pages.results, run.summary.run, record)
        if not self._plan.options.sound:
            if details["speech"]:
                details["speech"] = {"why": "this site has no sound"}
            return details
        path = self._pages.results.path(run.summary.run)
        described = self._pages.media.describe(path, record)
        for kind, make in (("clips", self._sound_files), ("pictures", self._picture_files)):
            for index, media in enumerate(described[kind]):
                if not media["why"]:
                    media.update(make(path, record, index, media))
        if details["speech"]:
            details["speech"] = self._try_speech(run, record)
        return details | {"media": described}

    def _sound_files(self, run: Path, record: Record, index: int, info: dict[str, Any]) -> dict[str, Any]:
        media = self._pages.media
        drawings = (media.spectrogram(run, record, index, channel) for channel in range(info["drawn"]))
        return {
            "url": self._file(media.sound_media(run, record, index)),
            "spectrograms": [self._file(drawing) for drawing in drawings],
        }

    def _picture_files(self, run: Path, record: Record, index: int, _: dict[str, Any]) -> dict[str, Any]:
        return {"url": self._file(self._pages.media.picture_media(run, record, index))}

    def _try_speech(self, run: SiteRun, record: Record) -> dict[str, str]:
        key = {"item.task": record.item.task, "item.id": record.item.id, "item.condition": record.condition,
               "item.repeat": str(record.repeat)}  # fmt: skip
        try:
            return {"url": self._file(self._pages.speech([("run", run.summary.run), *key.items()])), "why": ""}
        except EarmarkError as error:
            return {"why": str(error)}

    def _file(self, media: Media) -> str:
        """Write bytes once, under their digest, and return their address."""
        path = self._folder / "media" / f"{hash64(media.data)}.{media.name.rpartition('.')[2]}"
        if not path.exists():
            path.write_bytes(media.data)
        return f"media/{path.name}"
