"""Fetching data sets: the library that does it in earnest, on a hub of our own on loopback."""

from __future__ import annotations

import contextlib
import hashlib
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from aiohttp import web
from commands import ENV, earmark
from listen_program import listen_eval
from servers import threaded

COMMIT = "0123456789abcdef0123456789abcdef01234567"
NAME = "data/train-00000-of-00001.parquet"


@dataclass
class Hub:
    """A hub with one data set, whose connections may break off once and whose files may be missing."""

    files: dict[str, bytes]
    name: str = "VibeCheck1/LISTEN_full"
    break_off_at: int | None = None
    missing: set[str] = field(default_factory=set)
    asked: list[tuple[str, str]] = field(default_factory=list)  # files that were sent, and from where on

    async def info(self, _: web.Request) -> web.Response:
        siblings = [{"rfilename": name, "size": len(data)} for name, data in self.files.items()]
        card = {"siblings": [*siblings, {"rfilename": "README.md"}], "cardData": {"license": "mit"}}
        return web.json_response({"id": self.name, "sha": COMMIT} | card)

    async def tree(self, _: web.Request) -> web.Response:
        listed = [{"type": "file", "path": name, "size": len(data), "oid": "x"} for name, data in self.files.items()]
        return web.json_response(listed)

    async def file(self, request: web.Request) -> web.StreamResponse:
        name = request.match_info["name"]
        if name in self.missing:
            return web.Response(status=404)
        data = self.files[name]
        headers = {"X-Repo-Commit": COMMIT, "ETag": f'"{hashlib.sha256(data).hexdigest()}"', "Accept-Ranges": "bytes"}
        if request.method == "HEAD":
            return web.Response(headers=headers | {"Content-Length": str(len(data))})
        asked = request.headers.get("Range", "")
        self.asked.append((name, asked))
        first = int(match.group(1)) if (match := re.match(r"bytes=(\d+)-", asked)) else 0
        response = web.StreamResponse(status=206 if first else 200, headers=headers)
        response.content_length = len(data) - first
        if first:
            response.headers["Content-Range"] = f"bytes {first}-{len(data) - 1}/{len(data)}"
        await response.prepare(request)
        broken, self.break_off_at = self.break_off_at, None
        await response.write(data[first : first + broken] if broken else data[first:])
        if broken:
            assert request.transport is not None
            request.transport.close()
        return response


@contextlib.contextmanager
def hub(served: Hub) -> Iterator[str]:
    app = web.Application()
    for path in (f"/api/datasets/{served.name}", f"/api/datasets/{served.name}/revision/{{revision}}"):
        app.router.add_get(path, served.info)
    app.router.add_get(f"/api/datasets/{served.name}/tree/{{revision}}", served.tree)
    app.router.add_route("*", f"/datasets/{served.name}/resolve/{COMMIT}/{{name:.*}}", served.file)
    with threaded(app) as port:
        yield f"http://127.0.0.1:{port}"


@pytest.fixture
def caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, place in {"HF_HOME": "hf", "EARMARK_CACHE": "cache"}.items():
        monkeypatch.setitem(ENV, name, str(tmp_path / place))
    monkeypatch.setitem(ENV, "HF_HUB_DISABLE_XET", "1")


@pytest.mark.shared
@pytest.mark.usefixtures("caches")
def test_data_is_fetched_at_a_commit_and_run_without_a_folder(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = (shared / "fixtures/listen/data/train-00000-of-00002.parquet").read_bytes()
    with hub(Hub({NAME: data})) as endpoint:
        monkeypatch.setitem(ENV, "HF_ENDPOINT", endpoint)
        done = earmark("fetch", "listen")
    assert done.returncode == 0, done.stderr
    assert f"VibeCheck1/LISTEN_full at {COMMIT} is in " in done.stdout
    assert f"{hashlib.sha256(data).hexdigest()}  {NAME}" in done.stdout
    ran = earmark("run", "listen:1_audio", "model=fake", "limit=2")  # the hub is gone
    assert ran.returncode == 0, ran.stderr


@pytest.mark.shared
@pytest.mark.usefixtures("caches")
def test_listen_eval_brings_its_data_and_says_what_it_is(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = (shared / "fixtures/listen/data/train-00000-of-00002.parquet").read_bytes()
    words = ("model=fake", "experiments=[1_audio]", "limit=2")
    with hub(Hub({NAME: data})) as endpoint:
        monkeypatch.setitem(ENV, "HF_ENDPOINT", endpoint)
        monkeypatch.setitem(ENV, "HF_HUB_OFFLINE", "1")
        offline = listen_eval(*words)
        assert offline.returncode == 4
        assert "unset HF_HUB_OFFLINE to download it, or copy the files by hand and give data=FOLDER" in offline.stderr
        monkeypatch.delitem(ENV, "HF_HUB_OFFLINE")
        ran = listen_eval(*words)
    assert ran.returncode == 0, ran.stderr
    assert (
        f"fetching VibeCheck1/LISTEN_full at {COMMIT[:12]} (main): 1 files, {len(data) / 1e6:.1f} MB, licence: mit"
        in (ran.stderr)
    )
    monkeypatch.setitem(ENV, "EARMARK_CACHE", ENV["EARMARK_CACHE"] + "2")
    monkeypatch.setitem(ENV, "HF_HUB_OFFLINE", "1")
    cached = listen_eval("--no-resume", f"revision={COMMIT}", *words)  # from the cache of the hub's own library
    assert cached.returncode == 0, cached.stderr
    assert "HF_HUB_OFFLINE is set" in cached.stderr


@pytest.mark.usefixtures("caches")
def test_a_connection_that_breaks_is_taken_up_within_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    data = bytes(range(256)) * 100_000
    served = Hub({NAME: data}, break_off_at=12_000_000)
    with hub(served) as endpoint:
        monkeypatch.setitem(ENV, "HF_ENDPOINT", endpoint)
        done = earmark("fetch", "listen")
    assert done.returncode == 0, done.stderr
    assert hashlib.sha256(data).hexdigest() in done.stdout
    whole, rest = (int(asked.removeprefix("bytes=").removesuffix("-") or 0) for _, asked in served.asked)
    assert whole == 0
    assert rest >= 10_000_000


@pytest.mark.usefixtures("caches")
def test_a_fetch_that_failed_keeps_the_files_that_came(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = NAME, NAME.replace("00000", "00001", 1)
    served = Hub({first: b"one" * 1000, second: b"two" * 1000}, missing={second})
    with hub(served) as endpoint:
        monkeypatch.setitem(ENV, "HF_ENDPOINT", endpoint)
        failed = earmark("fetch", "listen")
        assert failed.returncode == 4, failed.stderr
        assert failed.stderr.strip().splitlines()[-1].startswith("earmark: VibeCheck1/LISTEN_full cannot be fetched")
        served.missing.clear()
        done = earmark("fetch", "listen")
    assert done.returncode == 0, done.stderr
    assert [name for name, _ in served.asked] == [first, second]


@pytest.mark.shared
@pytest.mark.usefixtures("caches")
def test_data_and_clips_of_personalized_hearing_come_and_a_run_goes_without_what_is_missing(
    shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fixture = shared / "fixtures/personalized_hearing"
    files = {str(path.relative_to(fixture)): path.read_bytes() for path in (fixture / "data").rglob("*.json")}
    clips = sorted(path.name for path in (fixture / "media").iterdir())
    Path("clips").mkdir()
    for clip in clips[1:]:
        shutil.copytree(fixture / "media" / clip, Path("clips") / clip)
    with hub(Hub(files, "facebook/personalized-hearing")) as endpoint:
        monkeypatch.setitem(ENV, "HF_ENDPOINT", endpoint)
        done = earmark("fetch", "personalized_hearing", "clips_from=clips")
        assert done.returncode == 0, done.stderr
        assert f"not there: {clips[0]}: clips: not there" in done.stdout
        assert "media/missing.txt lists them; runs go without" in done.stdout
    ran = earmark(
        "run", "personalized_hearing", "model=fake", "model.reply=mine.replies:length", "users=001", "limit=1"
    )
    assert "clips are not in media: their sessions keep their date alone" in ran.stdout + ran.stderr, ran.stderr


def test_no_hub_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ENV, "HF_ENDPOINT", "http://127.0.0.1:9")
    done = earmark("fetch", "listen")
    assert done.returncode == 4
    assert "or copy the files by hand and give data=FOLDER" in done.stderr
