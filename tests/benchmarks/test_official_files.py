"""The result file of a benchmark's own script, in and out, for any table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import table_data as data
from click.testing import CliRunner

from earmark.cli import earmark as program
from earmark.errors import BadData, UsageError
from earmark.journal import read_journal
from earmark.models.fake import FakeModel
from earmark.types import Prompt, Response

REPLIES = {"m-1": "Woman", "m-2": "It is the flute", "m-3": "Two"}


def earmark(*words: str) -> str:
    done = CliRunner().invoke(program, [*words], catch_exceptions=False)
    assert done.exit_code == 0
    return done.output


def only_run(results: str = "results") -> Path:
    (signed,) = Path(results).rglob("run.json")
    return signed.parent


def rows_of(run: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads((run / "metrics.json").read_bytes())["rows"]
    return rows


def numbers() -> dict[tuple[str, str], float]:
    """The headline of every row by scorer and task."""
    found = {}
    for row in rows_of(only_run()):
        if not row.get("slice"):
            found[row["scorer"], row["task"]] = next(iter(row["metrics"].values()))["value"]
    return found


def test_an_official_file_of_mmau_is_scored_by_the_rule_and_by_ours() -> None:
    rows = [row | {"model_output": REPLIES[str(row["id"])]} for row in data.MMAU]
    data.put_json(Path("replies.json"), rows)
    earmark("import", "replies.json", "--table", "mmau", "--model", "mine")
    found = numbers()
    assert found["token_match", "overall"] == pytest.approx(2 / 3)
    assert (found["token_match", "music"], found["choice", "music"], found["choice", "speech"]) == (0, 0, 1)
    record = next(read_journal(only_run() / "responses.jsonl"))
    assert (record.item.id, record.item.clips[0].name) == ("m-1", "./test-mini-audios/m-1.wav")


def test_a_row_without_a_reply_is_a_request_that_failed() -> None:
    rows = [dict(row) for row in data.MMAR]
    for row in rows[1:]:
        row["answer_prediction"] = "a bell"
    data.put_lines(Path("replies.jsonl"), rows)
    earmark("import", "replies.jsonl", "--table", "mmar", "--reply", "answer_prediction", "--model", "mine")
    failed = [record for record in read_journal(only_run() / "responses.jsonl") if record.failure]
    assert [record.item.id for record in failed] == [data.MMAR[0]["id"]]


def test_rows_with_ids_only_are_matched_with_the_data(tmp_path: Path) -> None:
    data.mmau_github(tmp_path / "mmau")
    data.put_lines(Path("r.jsonl"), [{"id": name, "reply": text} for name, text in REPLIES.items()])
    words = ("import", "r.jsonl", "--table", "mmau", "--reply", "reply", "--model", "mine")
    with pytest.raises(UsageError, match="have no questions, only id, reply; give data=FOLDER"):
        earmark(*words)
    earmark(*words, f"data={tmp_path}")
    assert numbers()["token_match", "overall"] == pytest.approx(2 / 3)
    data.put_lines(Path("r.jsonl"), [{"id": "m-9", "reply": "x"}])
    with pytest.raises(BadData, match="row 1: no question of mmau has the id 'm-9'"):
        earmark(*words, f"data={tmp_path}")


@pytest.mark.parametrize(
    ("rows", "words", "message"),
    [
        ([{"id": "1", "q": "x"}], ("--table", "mmau"), "no row has a key 'model_output'; the first has id, q"),
        ([{"id": "1"}], ("--table", "sakura"), "does not say which key its official file has; give --reply KEY"),
        ([{"id": "1"}], ("--table", "acoustics"), "is no table"),
        ([{"id": "1"}], ("--reply", "x"), "give --table NAME too"),
        ([{"id": "1"}], ("--table", "mmau", "--from", "mmau"), "name two formats; give one"),
        ([{"prompt": "x", "response": "y"}], ("--table", "voicebench"), "may hold answers of alpacaeval, commoneval"),
        ([{"prompt": "x", "response": "y"}], ("--table", "voicebench:none"), "no set is called 'none'; there are: alp"),
        ([dict(data.MMAU[0]) | {"model_output": {"a": 1}}], ("--table", "mmau"), "row 1: found dict for model_output"),
    ],
)
def test_what_is_no_official_file_is_one_line(rows: list[dict[str, Any]], words: tuple[str, ...], message: str) -> None:
    data.put_json(Path("replies.json"), rows)
    with pytest.raises((BadData, UsageError), match=message):
        earmark("import", "replies.json", "--model", "mine", *words)
    assert not Path("results").exists()


@pytest.mark.parametrize("write", [data.mmau_github, data.mmau_hub])
def test_a_run_becomes_an_official_file_and_comes_back(tmp_path: Path, write: Any) -> None:
    write(tmp_path / "mmau")
    earmark("run", "mmau", "model=fake", f"data={tmp_path}")
    run = only_run()
    assert earmark("export", str(run), "--to", "official") == f"{run}/official.json\n"
    rows = json.loads((run / "official.json").read_bytes())
    replies = {record.item.id: record.response for record in read_journal(run / "responses.jsonl")}
    assert [row["id"] for row in rows] == ["m-1", "m-2", "m-3"]
    for row in rows:
        response = replies[row["id"]]
        assert response
        assert row["model_output"] == response.text
    assert {"dataset", "split", "sub-category"} <= {*rows[0]}  # what no item holds
    earmark("import", f"{run}/official.json", "--table", "mmau", "--model", "mine", "results=back")
    back, here = rows_of(only_run("back")), rows_of(run)
    for keys in ("scorer", "task", "slice", "n", "metrics"):
        assert [row.get(keys) for row in back] == [row.get(keys) for row in here], keys


def test_the_metadata_of_dynamic_superb_is_scored_as_one_of_its_tasks() -> None:
    rows = {
        "a.wav": {"file": "a.wav", "instruction": "Is it one speaker?", "label": "yes", "sllm_response": "YES"},
        "b.wav": {"file": "b.wav", "instruction": "Is it one speaker?", "label": "no", "sllm_response": "No."},
    }
    data.put_json(Path("metadata.json"), rows)
    words = ("import", "metadata.json", "--reply", "sllm_response", "--model", "mine", "--table")
    with pytest.raises(
        UsageError, match=r"may hold answers of Accent.* and 49 more; name the set: --table NAME:Accent"
    ):
        earmark(*words, "dynamic_superb_1")
    earmark(*words, "dynamic_superb_1:SpeakerVerification_VCTK")
    values = [
        next(iter(row["metrics"].values()))["value"] for row in rows_of(only_run()) if row["task"].startswith("Sp")
    ]
    assert values == [0.5, 1.0]  # by their rule, and by ours


def test_hidden_answers_are_asked_and_exported(tmp_path: Path) -> None:
    data.mmau_test_github(tmp_path / "mmau_test")
    earmark("run", "mmau_test", "model=fake", f"data={tmp_path}")
    earmark("export", str(only_run()), "--to", "official", "--out", "submission.json")
    rows = json.loads(Path("submission.json").read_bytes())
    assert [(row["id"], "model_output" in row) for row in rows] == [("m-1", True), ("m-2", True), ("m-3", True)]


def test_conditions_are_files_of_their_own(tmp_path: Path) -> None:
    data.mmsu_hub(tmp_path / "mmsu")
    earmark("run", "mmsu", "model=fake", f"data={tmp_path}", "condition=[plain,silence]")
    output = earmark("export", str(only_run()), "--to", "official")
    assert [Path(line).name for line in output.split()] == ["official.jsonl", "official-silence.jsonl"]


def test_what_is_no_table_has_no_official_file() -> None:
    earmark("run", "acoustics:pitch", "model=fake", "limit=1")
    with pytest.raises(UsageError, match="is for benchmarks that are tables, and acoustics is none"):
        earmark("export", str(only_run()), "--to", "official")


def test_the_replies_of_r1_aqa_give_what_its_paper_prints(shared: Path) -> None:
    folder = shared / "data/mmau_replies"
    questions = [json.loads(line) for line in (folder / "items.jsonl").read_text().splitlines()]
    lines = (folder / "replies/r1-aqa.jsonl").read_text().splitlines()
    replies = {row["id"]: row["reply"] for row in map(json.loads, lines)}
    data.put_json(Path("r1.json"), [row | {"model_output": replies[row["id"]]} for row in questions])
    earmark("import", "r1.json", "--table", "mmau", "--model", "r1-aqa")
    assert numbers()["token_match", "overall"] == 0.645


def test_another_policy_on_a_finished_run_asks_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data.mmau_github(tmp_path / "mmau")
    asked: list[str] = []
    generate = FakeModel.generate

    async def count(self: FakeModel, prompt: Prompt) -> Response:
        asked.append(str(prompt.turns[0].parts[-1]))
        return await generate(self, prompt)

    monkeypatch.setattr(FakeModel, "generate", count)
    earmark("run", "mmau", "model=fake", f"data={tmp_path}", "preflight=false")
    run = only_run()
    assert len(asked) == 3
    before = {(row["scorer"], row["task"]): row["n"] for row in rows_of(run)}
    assert next(row["scorer"] for row in rows_of(run) if row["task"] == "sound") == "token_match"
    earmark("rescore", str(run), "policy=earmark")
    assert len(asked) == 3
    after = rows_of(run)
    assert {(row["scorer"], row["task"]): row["n"] for row in after} == before
    assert next(row["scorer"] for row in after if row["task"] == "sound") == "choice"
    assert {row["n"] for row in after if row["task"] == "sound"} == {1}
