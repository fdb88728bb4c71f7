"""COMET through a stub of its package: what the scorer sends, and what it makes of what comes back."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import table_data_more
from commands import HERE, earmark

from earmark.errors import BadSetup
from earmark.scorers import comet
from earmark.types import Item, Response

STUB = """
from types import SimpleNamespace
__version__ = "2.2.7"
print("said while it is imported")
def download_model(name):
    if name != "Unbabel/wmt22-comet-da":
        raise KeyError(f"Model '{name}' not supported by COMET.")
    return "hub.ckpt"
def load_from_checkpoint(path):
    return SimpleNamespace(predict=predict, path=path)
def predict(samples, batch_size, gpus, progress_bar, num_workers):
    print("said while it scores", len(samples), gpus)
    assert all(set(sample) == {"src", "mt", "ref"} for sample in samples), "a sample is not whole"
    assert "stumble" not in samples[0]["mt"], "out of memory"
    shares = [len({*one["mt"].split()} & {*one["ref"].split()}) / len(one["ref"].split()) for one in samples]
    return SimpleNamespace(scores=shares, system_score=sum(shares) / len(shares))
"""
TORCH = "from types import SimpleNamespace\ncuda = SimpleNamespace(is_available=lambda: False)\n"
LINE = {"id": "1", "source": "das ist ein Test", "target": "this is a test", "reply": "this is test"}


@pytest.fixture
def python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place where Python finds a stub of the package unbabel-comet, and one of torch."""
    place = tmp_path / "packages"
    (place / "unbabel_comet-2.2.7.dist-info").mkdir(parents=True)
    (place / "unbabel_comet-2.2.7.dist-info/METADATA").write_text(
        "Metadata-Version: 2.1\nName: unbabel-comet\nVersion: 2.2.7\n"
    )
    (place / "comet.py").write_text(STUB)
    (place / "torch.py").write_text(TORCH)
    monkeypatch.setitem(__import__("commands").ENV, "PYTHONPATH", f"{HERE}:{place}")
    return place


def scored(tmp_path: Path, lines: list[dict[str, Any]], *words: str) -> dict[str, Any]:
    (tmp_path / "replies.jsonl").write_text("\n".join(map(json.dumps, lines)))
    items = tmp_path / "items.jsonl"
    done = earmark(
        "score", str(tmp_path / "replies.jsonl"), "--scorer", "comet", "--json", "--items", str(items), *words
    )
    if done.returncode:
        return {"status": done.returncode, "complaint": done.stderr}
    told: dict[str, Any] = json.loads(done.stdout)
    return told | {"items": [json.loads(line)["counts"]["comet"] for line in items.read_text().splitlines()]}


@pytest.mark.usefixtures("python")
def test_scores_of_the_items_are_averaged_with_an_interval(tmp_path: Path) -> None:
    replies = ["this is test", "", "a", "this is a test"] * 20
    told = scored(tmp_path, [LINE | {"id": str(at), "reply": reply} for at, reply in enumerate(replies)])
    assert told["items"] == [0.75, 0, 0.25, 1] * 20
    found = told["estimates"]["comet"]
    assert found["value"] == pytest.approx(np.mean(told["items"]))
    assert found["low"] < 0.5 < found["high"]
    assert found["method"] == "jackknife of 80 groups"
    assert told["signature"].startswith("comet|model:Unbabel/wmt22-comet-da|agg:mean|empty:0|comet:2.2.7|v:")


@pytest.mark.usefixtures("python")
def test_of_several_references_the_best_counts_and_a_folder_is_a_checkpoint(tmp_path: Path) -> None:
    (tmp_path / "mine/checkpoints").mkdir(parents=True)
    (tmp_path / "mine/checkpoints/model.ckpt").touch()
    line = LINE | {"target": ["quite another sentence", "this is test"]}
    assert scored(tmp_path, [line], f"checkpoint={tmp_path / 'mine'}")["items"] == [1]


@pytest.mark.parametrize(
    ("line", "words", "status", "complaint"),
    [
        ({"source": None}, (), 3, "has no source"),
        ({"target": None}, (), 3, "has no target"),
        ({}, ("checkpoint=nobody/nothing",), 4, "Model 'nobody/nothing' not supported by COMET"),
        ({"reply": "stumble"}, (), 4, "out of memory"),
        ({}, ("python=/nowhere/python",), 4, "pip install unbabel-comet"),
    ],
)
@pytest.mark.usefixtures("python")
def test_what_cannot_be_scored_is_told_in_one_line(
    line: dict[str, Any], words: tuple[str, ...], status: int, complaint: str, tmp_path: Path
) -> None:
    told = scored(tmp_path, [LINE | line], *words)
    assert told["status"] == status
    assert complaint in told["complaint"]
    assert told["complaint"].count("\n") == 1


def test_without_the_package_the_line_that_installs_it_is_told(tmp_path: Path) -> None:
    told = scored(tmp_path, [LINE])
    assert (told["status"], "pip install unbabel-comet" in told["complaint"]) == (4, True)


def test_a_scorer_that_is_not_open_says_so() -> None:
    item = Item("1", targets=("this is a test",), tags={"source": "das ist ein Test"})
    with pytest.raises(BadSetup, match="the model of COMET is not open"):
        asyncio.run(comet.CometScorer().score(item, Response("this is test")))


def translated(source: str = "Hello.") -> Item:
    return Item("1", targets=("Hallo.",), tags={"source": source} if source else {})


def test_where_it_is_optional_and_not_installed_nothing_is_scored_and_the_row_says_so() -> None:
    scorer = comet.CometScorer(comet.Settings(optional=True))

    async def go() -> dict[str, float]:
        async with scorer.open() as opened:
            return (await opened.score(translated(), Response("Hallo."))).counts

    assert asyncio.run(go()) == {}
    caveat = scorer.metrics["comet"].caveat
    assert caveat
    assert caveat({}).startswith("unbabel-comet is not installed here; to add its number: earmark rescore RUN")
    assert "comet:none" in str(scorer.signature)
    assert scorer.bounds(translated()) == ({}, {})


def test_where_it_is_optional_an_item_without_a_source_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comet, "version", lambda _: "2.2.7")
    scorer = comet.CometScorer(comet.Settings(optional=True))
    assert asyncio.run(scorer.score(translated(""), Response("Hallo."))).counts == {}
    caveat = scorer.metrics["comet"].caveat
    assert caveat
    assert caveat({}) == "no item has the text that is spoken, which COMET compares"
    assert caveat({"n": 2.0}) == ""


def test_tables_of_translation_have_it_by_default_and_stand_without_it(tmp_path: Path) -> None:
    table_data_more.fleurs_pair(tmp_path / "fleurs_translation")
    done = earmark("run", "fleurs_translation:en_us-cmn_hans_cn", f"data={tmp_path}", "model=fake", "preflight=false")
    assert done.returncode == 0
    assert "comet, unbabel-comet is not installed here" in done.stdout
    assert "bleu" in done.stdout
