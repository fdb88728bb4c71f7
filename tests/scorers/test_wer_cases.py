"""Error rates against the team's cases of kind b."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import orjson
import pytest
from word_errors import item, of, score, wer

from earmark.runs.score_file import score_file
from earmark.scorers.wer import Settings, WerScorer
from earmark.types import Response


def of_kind_b(shared: Path) -> dict[str, dict[str, Any]]:
    cases = [json.loads(line) for line in (shared / "cases/cases.jsonl").read_text().splitlines()]
    return {case["id"]: case for case in cases if case["kind"] == "b-wer"}


CASES = ("b01", "b03", "b04", "b05", "b06", "b08", "b09", "b10", "b12", "b13", "b15", "b16", "b17", "b20")


@pytest.mark.shared
def test_no_case_is_left_out(shared: Path) -> None:
    assert tuple(of_kind_b(shared)) == CASES


def pairs_of(given: dict[str, Any]) -> list[tuple[str, str]]:
    if "hyp_is" in given:
        return [(given["ref"], " ".join([given["hyp_is"]["phrase"]] * given["hyp_is"]["repeated"]))]
    return [(reference, reply) for reference, reply in given.get("pairs") or given["pairs_as_code_points"]]


def listed(expected: dict[str, Any], *names: str) -> list[Any]:
    found: Any = next((expected[name] for name in names if name in expected), [])
    return found if isinstance(found, list) else [found]


@pytest.mark.shared
@pytest.mark.parametrize("case", CASES)
def test_cases_of_kind_b(case: str, shared: Path) -> None:
    """The rates of each pair, normalised by the language's default and raw, and the counts and rates of all pairs."""
    given, expected = of_kind_b(shared)[case]["input"], of_kind_b(shared)[case]["expected"]
    language = given.get("language", "")
    settings, raw = WerScorer(Settings(language)), WerScorer(Settings(language, normalizer="none"))
    pairs = pairs_of(given)
    for pair, right in zip(
        pairs, listed(expected, "wer", "wer_english_normalised", "cer_normalised", "cer"), strict=False
    ):
        rate = wer(*pair, settings)
        assert rate > 0 if right == ">0" else rate == pytest.approx(right, abs=5e-7)
    for pair, right in zip(pairs, listed(expected, "wer_raw", "cer_raw", "raw_wer"), strict=False):
        assert wer(*pair, raw) == pytest.approx(right, abs=5e-7)
    bags = [settings.counts(item(reference), reply) for reference, reply in pairs]
    for bag, right in zip(bags, expected.get("per_item_edits", []), strict=False):
        assert bag["sub"] + bag["del"] + bag["ins"] == right
    for bag, right in zip(bags, listed(expected, "ref_words", "chars"), strict=False):
        assert bag["length"] == right
    total = of(settings, *pairs)
    for name, ours in (("corpus_wer", "wer"), ("mean_utterance_wer", "mean_rate")):
        assert total[ours] == pytest.approx(expected[name], abs=5e-7) if name in expected else True


@pytest.mark.shared
def test_case_b04_a_loop_is_told_and_not_cut(shared: Path) -> None:
    case = of_kind_b(shared)["b04"]
    found = score(*pairs_of(case["input"])[0], WerScorer())
    assert found.explanation.startswith(f"{case['expected']['flag']}: 'muy bien' 20 times; ")
    assert {name: found.counts[name] for name in ("sub", "ins", "del")} == {"sub": 2, "ins": 38, "del": 0}


@pytest.mark.shared
def test_case_b08_units_stay(shared: Path) -> None:
    pair = pairs_of(of_kind_b(shared)["b08"]["input"])[4]
    assert {"20", "mm"} <= set((score(*pair, WerScorer(Settings(language="en"))).answer or "").split())


@pytest.mark.shared
def test_case_b09_no_rule_writes_a_reference_to_itself(shared: Path) -> None:
    for pair in pairs_of(of_kind_b(shared)["b09"]["input"]):
        assert "\\" not in (score(*pair, WerScorer(Settings(language="en"))).answer or "")


@pytest.mark.shared
def test_case_b10_characters_where_there_are_no_blanks(shared: Path) -> None:
    for language in of_kind_b(shared)["b10"]["expected"]["default_for"]:
        assert next(iter(WerScorer(Settings(language=language)).metrics)) == "cer"
    assert (
        wer("我们明天下午去公园散步", "我们明天上午去公园跑步", WerScorer(Settings(language="zh", unit="words"))) == 1
    )


@pytest.mark.shared
def test_case_b15_the_raw_reply_is_kept(shared: Path) -> None:
    for reference, reply in pairs_of(of_kind_b(shared)["b15"]["input"]):
        response = Response(reply)
        assert asyncio.run(WerScorer().score(item(reference), response)).rule == "tokens.1"
        assert response.text == reply


@pytest.mark.shared
def test_case_b20_characters_too(shared: Path) -> None:
    pair = pairs_of(of_kind_b(shared)["b20"]["input"])[0]
    assert wer(*pair, WerScorer(Settings(unit="characters"))) == 0


@pytest.mark.shared
@pytest.mark.parametrize("case", ["b01", "b03", "b05"])
def test_cases_of_kind_b_from_a_file(case: str, shared: Path, tmp_path: Path) -> None:
    """The same number whatever the order and the batches: counts are summed before they are divided."""
    given = of_kind_b(shared)[case]
    for pairs in (given["input"]["pairs"], given["input"]["pairs"][::-1]):
        lines = [{"id": str(at), "reply": reply, "target": wanted} for at, (wanted, reply) in enumerate(pairs)]
        file = tmp_path / "replies.jsonl"
        file.write_bytes(b"\n".join(map(orjson.dumps, lines)))
        row, _ = asyncio.run(score_file(file, WerScorer()))
        assert row.metrics["wer"].value == pytest.approx(given["expected"]["corpus_wer"], abs=5e-7)
