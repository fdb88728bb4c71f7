"""docs/switching.md: every row is tried, in its order, on fixtures and servers of ours."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from pathlib import Path
from typing import Any, NamedTuple

import click
import duckdb
import msgspec
import pytest
from click.testing import CliRunner
from servers import said, serving
from stand_in_servers import commands, install

from earmark.benchmarks import _acousticbench_made as made
from earmark.cli import earmark as program
from earmark.cli.listen_eval import command as listen_eval
from earmark.data.cache import cache_dir, sha256_file
from earmark.data.fetch import FetchedDataset

PAGE = Path(__file__).parents[1] / "docs" / "switching.md"
SERVER = "http://127.0.0.1:8000/v1"  # on the page; a server of the test stands in for it
FAKE = "backend: fake\n"
VLLM_ROW = "name: gemma\nhf_id: google/gemma-4-E2B-it\nbackend: fake\nmax_model_len: 4096\nsampling: {max_tokens: 8}\n"
LAYOUT = """
questions: questions/*.jsonl
columns:
  {id: question_id, question: question, sound: [first], answer: gold, tags: {split: split, kind: kind}}
"""
pytestmark = pytest.mark.shared


class Row(NamedTuple):
    """A row of a table: what stands there, and what stands here."""

    there: str
    here: str


def rows(section: str) -> list[Row]:
    """The rows of the table of a section."""
    text = PAGE.read_text(encoding="utf-8").partition(f"## {section}\n")[2].partition("\n## ")[0]
    cells = [line.strip("|").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    return [
        Row(there.strip(), re.findall(r"`([^`]+)`", here)[0]) for there, here, *_ in cells if there.strip() != "there"
    ]


def newest_run() -> str:
    """The run that was made last, of those that are not imported."""
    runs = [path.parent for path in Path().rglob("run.json") if "imported" not in path.parts]
    return str(max(runs, key=lambda run: (run / "run.json").stat().st_mtime_ns))


def try_row(row: Row, url: str) -> str:
    """Run the command of a row, or look for its file; what it printed."""
    first = row.here.split()[0]
    if first not in ("earmark", "listen-eval"):
        pattern = re.sub(r"\b(MODEL|DATE)\b", "*", row.here)
        assert list(Path().glob(pattern)), f"{row.there}: no {row.here}"
        return ""
    text = row.here.replace(SERVER, url)
    words = shlex.split(text.replace("RUN", newest_run()) if " RUN" in text else text)[1:]
    command: click.Command = program if first == "earmark" else listen_eval
    done = CliRunner().invoke(command, words, catch_exceptions=True, prog_name=first)
    error = done.exception if not isinstance(done.exception, SystemExit) else None
    assert error is None, f"{row.here}: {error!r}"
    assert done.exit_code == 0, f"{row.here}: status {done.exit_code}: {done.output}"
    return done.output


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EARMARK_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    for name in ("EARMARK_CONF",):
        monkeypatch.setenv(name, "x")
        monkeypatch.delenv(name)
    install(tmp_path)
    sys.stdout.flush()


def write_models(**texts: str) -> None:
    """YAML files of models in the working folder."""
    Path("conf/model").mkdir(parents=True)
    for name, text in texts.items():
        Path(f"conf/model/{name}.yaml").write_text(text)


def note_fetched(repository: str, folder: Path) -> None:
    """Let a folder stand for what was fetched from the hub."""
    files = {str(path.relative_to(folder)): sha256_file(path) for path in sorted(folder.rglob("*")) if path.is_file()}
    dataset = FetchedDataset(repository, "main", "0" * 40, str(folder), files)
    path = cache_dir("data") / f"{repository.replace('/', '--')}@main.json"
    path.write_bytes(msgspec.json.encode(dataset))


def test_every_row_of_listen(shared: Path) -> None:
    some = Path("fetched/data/train.parquet").absolute()  # two corpora are enough to try commands on
    some.parent.mkdir(parents=True)
    with duckdb.connect() as made_of:
        source = f"read_parquet('{shared}/fixtures/listen/data/*.parquet')"
        query = f"select * from {source} where dataset_source in ('CREMA-D', 'MELD')"  # noqa: S608 - ours
        made_of.execute(f"copy ({query}) to '{some}'")
    note_fetched("VibeCheck1/LISTEN_full", some.parents[1])
    write_models(gemma4_e2b=VLLM_ROW, gemma4_e4b=FAKE, mine=FAKE)
    shutil.copytree("conf", "configs")
    table = rows("LISTEN on vLLM")
    assert len(table) > 20
    with serving(lambda *_: said("A")) as server:
        outputs = {row.here: try_row(row, server.url) for row in table}
    assert "comparison" in outputs[next(row.here for row in table if " -m " in row.here)]
    assert server.asked[-1]["model"] == "google/gemma-4-E2B-it"


def test_every_row_of_acousticbench(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    Path("archive.zip").write_bytes(made.pack_zip(made.files(made.items())))
    Path("other.zip").write_bytes(_other_layout())
    Path("layout.yaml").write_text(LAYOUT)
    Path(".env").write_text("OPENAI_API_KEY=x\n")
    write_models(gemini=FAKE, kimi_audio_lora="hf_id: ./merged\n")
    table = rows("AcousticBench")
    assert len(table) > 20
    number = iter(range(10**6))

    def answer(body: dict[str, Any], _: int) -> Any:
        return said("A" if next(number) % 7 else "I cannot tell.")

    with serving(answer, ("Voxtral-Mini-3B",)) as server:
        monkeypatch.setenv("ACOUSTICBENCH_VOXTRAL_MINI_3B_ENDPOINT", server.url.removesuffix("/v1"))
        outputs = [(row, try_row(row, server.url)) for row in table]
    told = {row.there: text for row, text in outputs}
    assert told["`run.py --verify-checksums --task all`"] == "All 96 questions passed checksum verification.\n"
    assert "Reference comparison: " in told["`--compare-reference`"]
    assert not commands(tmp_path / "commands.jsonl"), "a dry run starts nothing"


def _other_layout() -> bytes:
    """The set that is made, its clips in one column of another name."""
    files = made.files(made.items())
    changed = {}
    for name, content in files.items():
        if name.startswith("questions/"):
            lines = [msgspec.json.decode(line) for line in content.splitlines()]
            changed[name] = (
                b"\n".join(msgspec.json.encode(line | {"first": line["audio"][0]}) for line in lines) + b"\n"
            )
        else:
            changed[name] = content
    return made.pack_zip(changed)


def test_every_row_of_personalized_hearing(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fixture = shared / "fixtures/personalized_hearing"
    shutil.copytree(fixture / "data", "data")
    shutil.copytree(fixture / "media", "clips")
    write_models(openai="backend: openai\napi_key_env: ''\n")
    table = rows("Personalized-Hearing")
    assert len(table) > 12
    (cache_dir("data")).mkdir(exist_ok=True)
    with serving(lambda *_: said("<final_answer> (a)"), ("NAME",)) as server:
        write_base = Path("conf/model/openai.yaml")
        write_base.write_text(
            f"backend: openai\nbase_url: {server.url}\ncapabilities: {{images: true, base64: true}}\n"
        )
        monkeypatch.setattr(
            "earmark.benchmarks.personalized_hearing.fetch_dataset",
            lambda repository, revision, patterns, log: FetchedDataset(repository, revision, "0" * 40, ".", {}),
        )
        outputs = {row.here: try_row(row, server.url) for row in table}
    assert "hearing adjustment" in outputs["earmark show RUN --by family"]
    assert len(list(Path("media").iterdir())) == len(list(Path("clips").iterdir()))
