"""`earmark fetch`: a benchmark brings its data, one that needs none says so, and no setting is dropped."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from earmark.cli import earmark as program
from earmark.errors import EarmarkError, UsageError

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
