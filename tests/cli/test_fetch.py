"""`earmark fetch`: a benchmark brings its data, one that needs none says so, and no setting is dropped."""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from huggingface_hub import DatasetInfo, HfApi

from earmark.cli import earmark as program
from earmark.errors import BadSetup, EarmarkError, UsageError

BENCHMARK = '''"""A benchmark that fetches."""
from pathlib import Path
from msgspec import Struct
from earmark.types import Benchmark
class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    data: str = "data"
def load(settings, context):
    def fetch(log):
        log(f"bringing {settings.data}")
        Path(settings.data).write_text("here")
    return Benchmark(
        version=1, tasks=("all",), items=list, prompt=lambda item: None, scorers=lambda task: (), fetch=fetch
    )
'''


def fetch(*words: str) -> str:
    done = CliRunner().invoke(program, ["fetch", *words], catch_exceptions=False)
    assert done.exit_code == 0
    return done.output


@pytest.fixture
def _own_benchmark(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("own").mkdir()
    Path("own/fetched.py").write_text(BENCHMARK)
    monkeypatch.syspath_prepend(str(Path.cwd()))
    for name in ("own", "own.fetched"):
        monkeypatch.delitem(sys.modules, name, raising=False)


@pytest.mark.usefixtures("_own_benchmark")
def test_a_benchmark_brings_its_data_by_its_own_settings() -> None:
    assert fetch("own.fetched", "data=there") == "bringing there\nown.fetched: all data is present\n"
    assert Path("there").read_text() == "here"


def test_a_benchmark_that_makes_its_sounds_says_that_nothing_can_be_fetched() -> None:
    assert fetch("acoustics").startswith("acoustics: nothing to download; earmark info acoustics shows ")


@pytest.mark.usefixtures("_own_benchmark")
@pytest.mark.parametrize("word", ["limit=3", "nonsense=1", "model.name=x"])
def test_a_setting_that_fetches_nothing_is_refused_before_anything_is_brought(word: str) -> None:
    with pytest.raises(EarmarkError, match=word.partition("=")[0]):
        fetch("own.fetched", "data=there", word)
    assert not Path("there").exists()


def test_an_unknown_benchmark_is_told_with_those_that_are_there() -> None:
    with pytest.raises(UsageError, match="no benchmark is called 'beeps'; there are: "):
        fetch("beeps")


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[dict[str, Any]]:
    """A hub with the files of two repositories, one of them gated; what was fetched is listed."""
    monkeypatch.setenv("EARMARK_CACHE", str(tmp_path / "cache"))
    fetched: list[dict[str, Any]] = []
    files = {
        "lmms-lab-audio/mmau": [
            "README.md",
            "data/test_mini-00000-of-00001.parquet",
            "data/test-00000-of-00001.parquet",
        ],
        "hlt-lab/voicebench": ["sd-qa/usa-00000-of-00001.parquet", "alpacaeval/test-00000-of-00001.parquet"],
    }

    def info(self: HfApi, name: str, **_: Any) -> DatasetInfo:
        if name not in files:
            raise OSError("no such repository")
        siblings = [{"rfilename": file, "size": 1_500_000} for file in files[name]]
        return DatasetInfo(  # type: ignore[no-untyped-call]
            id=name, sha="f" * 40, siblings=siblings, gated="auto" if "hlt" in name else False,
                           cardData={"license": "mit"}, tags=[])  # fmt: skip

    def snapshot(name: str, *, revision: str, allow_patterns: list[str], local_dir: Path | None, **_: Any) -> str:
        fetched.append({"name": name, "revision": revision, "patterns": allow_patterns})
        place = local_dir or tmp_path / "snapshot"
        for file in files[name]:
            if any(fnmatch(file, pattern) for pattern in allow_patterns):
                (place / file).parent.mkdir(parents=True, exist_ok=True)
                (place / file).write_bytes(b"x")
        return str(place)

    monkeypatch.setattr(HfApi, "dataset_info", info)
    monkeypatch.setattr("huggingface_hub.snapshot_download", snapshot)
    return fetched


def test_sizes_and_licences_come_first_then_a_folder_for_each_repository(hub: list[dict[str, Any]]) -> None:
    output = fetch("mmau", "voicebench:sd-qa", "data=audio")
    lines = output.splitlines()
    (mmau,) = (line for line in lines if line.startswith("mmau ") and "lmms-lab-audio/mmau" in line)
    assert "3.0 MB" in mmau
    assert "Apache-2.0 (questions)" in mmau
    assert "to download: 4.5 MB" in output
    assert "gated" in output
    assert output.index("to download") < output.index("fetching lmms-lab-audio/mmau")
    assert {one["revision"] for one in hub} == {"f" * 40}
    assert Path("audio/lmms-lab-audio--mmau/data/test_mini-00000-of-00001.parquet").exists()
    assert not Path("audio/lmms-lab-audio--mmau/data/test-00000-of-00001.parquet").exists()
    assert not Path("audio/hlt-lab--voicebench/alpacaeval").exists()  # of another task
    note = json.loads(Path("audio/lmms-lab-audio--mmau/earmark-fetched.json").read_text())
    assert note["commit"] == "f" * 40
    assert note["files"]["README.md"] == hashlib.sha256(b"x").hexdigest()
    assert "which the table does not pin" in output


def test_a_set_that_cannot_be_reached_is_told_and_the_rest_is_fetched(hub: list[dict[str, Any]]) -> None:
    done = CliRunner().invoke(program, ["fetch", "big_bench_audio", "mmau", "data=audio"])
    assert done.exit_code == BadSetup.status
    assert "big_bench_audio: " in done.output
    assert "cannot be fetched" in done.output
    assert [one["name"] for one in hub] == ["lmms-lab-audio/mmau"]


def test_a_download_that_has_no_room_is_refused(hub: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _: shutil._ntuple_diskusage(10, 9, 1))
    with pytest.raises(BadSetup, match=r"1 bytes free, 3\.0 MB needed"):
        fetch("mmau", "data=audio")
    assert not hub
