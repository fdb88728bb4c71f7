"""The page of an item as data."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest
from viewed_runs import NAME, acoustics, record, six

from earmark.errors import BadData
from earmark.journal import ScoreLine
from earmark.report.rows import Row
from earmark.scorers.wer import Settings as WerSettings
from earmark.scorers.wer import WerScorer
from earmark.stats.estimate import Estimate
from earmark.types import Item, Response
from earmark.viewer.filters import EVERYTHING, Filters, Order
from earmark.viewer.item_page import align_words, item_page, read_span, record_page
from earmark.viewer.results import Results


def row(scorer: str, settings: dict[str, Any]) -> Row:
    return Row("all", "plain", scorer, scorer, 1, {}, {"m": Estimate(1.0)}, settings=settings)


def test_an_item_with_its_neighbours_and_itself_elsewhere(tmp_path: Path) -> None:
    six(tmp_path)
    other = "other/bench/2026-02-01_00-00-00"
    six(tmp_path, other, replies="BBBBBB")
    page = item_page(Results(tmp_path), NAME, ("all", "item-4", "plain", 0), Filters(mark="wrong"), Order(), [other])
    assert page["item"]["question"] == "Which? (4)"
    assert (page["index"], page["before"]["id"], page["after"]["id"]) == (1, "item-3", "item-5")
    assert [line["right"] for line in page["elsewhere"][other]] == [False]
    assert [line["answer"] for line in page["same"]] == ["B"]
    assert [line["answer"] for line in page["scores"]] == ["B"]


def test_an_item_that_is_not_there(tmp_path: Path) -> None:
    six(tmp_path)
    with pytest.raises(BadData, match="has no item"):
        item_page(Results(tmp_path), NAME, ("all", "../../etc", "plain", 0), EVERYTHING, Order(), [])


def test_what_was_read_of_a_reply(tmp_path: Path) -> None:
    run = acoustics(str(tmp_path), reply="I think it is (B).")
    name = run.relative_to(tmp_path).as_posix()
    page = item_page(Results(tmp_path), name, ("pitch", "pitch-001", "plain", 0), EVERYTHING, Order(), [])
    (line,) = page["scores"]
    start, end = line["span"]
    assert "B" in page["response"]["text"][start:end]
    assert line["answer"] == "B"


def test_spans_of_published_parsers_and_of_other_versions() -> None:
    given = record(0)
    assert read_span(given, Response("The answer is B"), row("choice", {"parser": "earmark"})) is not None
    assert read_span(given, Response("B"), row("choice", {"gone": 1})) is None
    for parser in ("mmau", "mmar"):
        read_span(given, Response("B no"), row("choice", {"parser": parser}))


def test_errors_of_words_are_aligned() -> None:
    scorer = WerScorer(WerSettings(language="en"))
    item = Item("x", "all", targets=("the cat sat",))
    given = msgspec.structs.replace(record(0), item=item)
    settings = msgspec.to_builtins(scorer.settings)
    units = align_words(given, Response("a cat sat down"), row("wer", settings))
    assert units == [["sub", "the", "a"], ["equal", "cat", "cat"], ["equal", "sat", "sat"], ["ins", None, "down"]]
    counts = asyncio.run(scorer.score(item, Response("a cat sat down"))).counts
    assert sum(unit[0] == "sub" for unit in units) == counts["sub"]
    assert align_words(given, Response("x"), row("wer", {"normalizer": "gone"})) is None


def test_a_long_reply_is_cut_and_said_to_be() -> None:
    long = msgspec.structs.replace(record(0), response=Response("x" * 500_000))
    page = record_page(long, [ScoreLine("all", "item-0", "plain", 0, "choice", "unparsed")], [], None)
    assert len(page["response"]["text"]) == 400_000
    assert page["response"]["cut"] == 100_000
