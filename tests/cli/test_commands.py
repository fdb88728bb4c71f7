"""The command line: what a newcomer types, and one clear line with a documented status for what is wrong."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest
from commands import ENV, earmark
from servers import said, serving

from earmark import errors
from earmark.plugins import plugin_names

DOCS = Path(__file__).parents[2] / "docs"


def write_parquet(path: Path, query: str) -> None:
    duckdb.connect().execute(f"copy ({query}) to '{path}' (format parquet)")


def complaint(*words: str) -> tuple[int, str]:
    """The status and the one line of a command that fails."""
    done = earmark(*words)
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("earmark: ")
    return done.returncode, lines[0]


@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        (["run", "beeps", "model=fake"], 2, "no benchmark or suite is called 'beeps'; there are: acoustic"),
        (["run", "model=fake"], 2, "no benchmark is named"),
        (["run", "acoustics:colour", "model=fake"], 2, "acoustics has no task 'colour'; there are: pitch, loudness"),
        (["run", "acoustics", "model=nobody"], 2, "no model is called 'nobody'; there are:"),
        (["run", "acoustics", "model=fake", "items=many"], 2, "items='many'"),
        (
            ["run", "acoustics", "model=fake", "colour=red"],
            2,
            "there are: seed, items, split (of acoustics), condition, limit,",
        ),
        (["run", "acoustics", "model=fake", "model.colour=red"], 2, "no setting is called 'model.colour'; there are:"),
        (["run", "acoustics", "model=fake", "limit=few"], 2, "limit='few'"),
        (["run", "acoustics", "model=fake", "condition=underwater"], 2, "no condition is called 'underwater'"),
        (["run", "acoustics", "model=fake", "condition=[plain"], 2, "[plain: is no list; expected one such as [plain,"),
        (["run", "acoustics", "model=fake", "model.name=\udcff"], 2, "'\\udcff' is no text; expected letters in UTF-8"),
        (["run", "acoustics", "model=fake", "model.concurrency=1000000000"], 2, "model.concurrency=1000000000"),
        (
            ["run", "acoustics", "model=fake", "model.capabilities={format: wav}"],
            2,
            "model.capabilities={'format': 'wav'}",
        ),
        (["run", "acoustics", "model=fake", "condition=noise"], 2, "noise takes a ratio in decibels"),
        (["run", "acoustics", "model=fake", "condition=silence:3"], 2, "silence takes no argument"),
        (["run", "acoustics", "model=fake", "condition=[]"], 2, "condition=[] names no condition"),
        (["run", "acoustics", "model=fake", "condition=[noise:10.0]", "noise=[10]"], 2, "noise:10 is named twice"),
        (["run", "acoustics", "model=fake", "=3"], 2, "'=3' is no setting"),
        (["run", "no.such.module", "model=fake"], 2, "no module 'no.such.module' can be imported"),
        (["run", "acoustics", "model=fake", "items=0"], 3, "found no item to ask about"),
        (
            ["run", "mine.bench", "model=fake", "twice=true"],
            3,
            "the id 'item-0' stands for two items, number 1 and number 2",
        ),
        (["run", "listen", "model=fake"], 2, "listen needs its data; type earmark fetch listen, or give data=FOLDER"),
        (["run", "listen", "model=fake", "data=nowhere"], 3, "nowhere: no such folder"),
        (["run", "acoustics", "model=http://127.0.0.1:9/v1"], 4, "nothing answers at http://127.0.0.1:9/v1"),
        (["show", "nowhere"], 3, "nowhere: is no run"),
        (["info", "beeps"], 2, "nothing is called 'beeps'"),
        (["score"], 2, "Missing argument 'FILE'; see: "),
        (["run", "../beeps", "model=fake"], 2, "'../beeps' is no name of a module"),
        (["show", "/dev/null"], 3, "/dev/null: is no run"),
        (["rescore", "a" * 300], 3, "File name too long"),
    ],
)
def test_what_is_wrong_is_told_in_one_line(words: list[str], status: int, told: str) -> None:
    found, line = complaint(*words)
    assert told in line
    assert found == status
    assert not Path("results").exists(), "nothing may be left behind"


def test_an_empty_folder_and_broken_parquet_are_told(tmp_path: Path) -> None:
    status, line = complaint("run", "listen", "model=fake", f"data={tmp_path}")
    assert (status, "found no parquet file" in line) == (3, True)
    (tmp_path / "train-0.parquet").write_bytes(b"PAR1 cut short")
    status, line = complaint("run", "listen", "model=fake", f"data={tmp_path}")
    assert (status, "cannot be read as parquet" in line) == (3, True)
    write_parquet(tmp_path / "train-0.parquet", "select 'x' as id, 3 as question")
    status, line = complaint("run", "listen", "model=fake", f"data={tmp_path}")
    assert (status, "column 'question' has type INTEGER, expected VARCHAR" in line) == (3, True)
    write_parquet(tmp_path / "train-0.parquet", "select 'x' as id")
    status, line = complaint("run", "listen", "model=fake", f"data={tmp_path}")
    assert (status, "found no column 'question'" in line) == (3, True)
    status, line = complaint("run", "listen", "model=fake", f"data={tmp_path}", "split=test")
    assert (status, "expected files of the split 'test'" in line) == (3, True)


@pytest.mark.parametrize("words", [("list",), ("run", "mine.bench", "model=fake")])
@pytest.mark.parametrize(("to", "status"), [("| true", 0), (">/dev/full", 6), (">&-", 0), (">&- 2>&-", 0)])
def test_output_that_nobody_takes_is_no_bug(words: tuple[str, ...], to: str, status: int) -> None:
    command = f"set -o pipefail; {sys.executable} -m earmark {' '.join(words)} {to}"
    done = subprocess.run(["bash", "-c", command], env=ENV, capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr


def test_a_name_that_is_no_text_is_shown_by_its_bytes() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "earmark", "probe", b"\xff"], env=ENV, capture_output=True, check=False
    )
    assert done.returncode == 3
    assert b"\\udcff" in done.stdout


def test_a_module_that_cannot_be_imported_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for package, text in (("torn_bench", "def load(:"), ("poor_bench", "import no_such_package")):
        (tmp_path / package).mkdir()
        (tmp_path / package / "items.py").write_text(text)
    monkeypatch.setitem(ENV, "PYTHONPATH", str(tmp_path))
    status, line = complaint("run", "torn_bench.items", "model=fake")
    assert (status, "items.py, line 1" in line) == (2, True)
    status, line = complaint("run", "poor_bench.items", "model=fake")
    assert (status, "needs 'no_such_package'" in line) == (4, True)


def test_every_command_has_help() -> None:
    for name in plugin_names("cli"):
        done = earmark(name, "--help")
        assert done.returncode == 0
        assert "Usage" in done.stdout
    listed = earmark("--help").stdout
    assert all(f"  {name.replace('_', '-')}" in listed for name in plugin_names("cli"))


def test_a_run_leaves_its_files_and_can_be_shown() -> None:
    done = earmark(
        "run", "acoustics:pitch", "acoustics:loudness", "model=fake", "items=10", "condition=[plain,silence]"
    )
    assert done.returncode == 0, done.stderr
    assert "0.500" in done.stdout
    (run,) = (path.parent for path in Path("results").rglob("run.json"))
    assert {path.name for path in run.iterdir()} >= {
        "config.yaml",
        "run.json",
        "responses.jsonl",
        "scores.jsonl",
        "metrics.json",
        "summary.csv",
        "samples",
    }
    metrics = json.loads((run / "metrics.json").read_text())
    assert metrics["finished"]
    assert [(row["task"], row["condition"]) for row in metrics["rows"] if not row["slice"]] == [
        (task, condition) for task in ("pitch", "loudness", "mean over tasks") for condition in ("plain", "silence")
    ]
    with (run / "summary.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["value"] for row in rows if row["metric"] == "accuracy"} == {"0.5"}
    with (run / "samples" / "pitch.csv").open(newline="") as file:
        samples = list(csv.DictReader(file))
    assert len(samples) == 20
    assert {sample["reply"] for sample in samples} == {"A"}
    assert "0.500" in earmark("show", str(run)).stdout
    assert "accuracy_read" in earmark("show", str(run), "--all").stdout
    assert "accuracy, an interval of width 0.04 needs about" in earmark("show", str(run), "--width", "0.04").stdout
    assert "finished" in earmark("list", "runs").stdout


def test_prompts_sends_nothing_and_tells_all() -> None:
    done = earmark("prompts", "acoustics:pitch", "items=2", "condition=[plain,silence]", "--json")
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(line["item"], line["condition"]) for line in told] == [
        ("pitch-001", "plain"),
        ("pitch-001", "silence"),
        ("pitch-002", "plain"),
        ("pitch-002", "silence"),
    ]
    assert told[0]["state"] == "ask"
    assert told[0]["choices"] == ["the first", "the second"]
    assert told[0]["target"] in ("A", "B")
    parts = told[0]["turns"][0]["parts"]
    assert [part["type"] for part in parts] == ["audio", "audio", "text"]
    assert 0.4 < parts[0]["seconds"] < 0.6
    assert parts[0]["bytes"] == 16044
    assert "pitch-001" in earmark("prompts", "acoustics:pitch", "items=1").stdout


def test_replies_of_a_file_are_scored(tmp_path: Path) -> None:
    lines = [
        {"id": "1", "reply": "The answer is B.", "target": "dog", "choices": ["cat", "dog"]},
        {"id": "2", "reply": "A", "target": "B", "labels": ["A", "B"]},
        {"id": "3", "reply": "no idea", "target": "A", "labels": ["A", "B"]},
        {"id": "4", "reply": "ignored", "target": "A", "labels": ["A", "B"], "answer": "A"},
    ]
    file, items = tmp_path / "replies.jsonl", tmp_path / "items.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)))
    done = earmark("score", str(file), "--scorer", "choice", "--json", "--items", str(items))
    told = json.loads(done.stdout)
    assert told["metrics"]["accuracy"] == 0.5
    assert told["n"] == 4
    written = [json.loads(line) for line in items.read_text().splitlines()]
    assert [line["answer"] for line in written] == ["B", "A", None, "A"]
    assert all({"id", "answer", "state", "counts", "rule", "why"} <= line.keys() for line in written)
    file.write_text('{"id": "1", "reply": "A", "target": "A", "labels": ["A"]}\nnot json\n')
    status, line = complaint("score", str(file), "--scorer", "choice")
    assert (status, f"{file}, line 2: is no JSON" in line) == (3, True)
    status, line = complaint("score", str(file), "--scorer", "choice", "parser=nobody")
    assert (status, "no reader is called 'nobody'" in line) == (2, True)
    status, line = complaint("score", str(file), "--scorer", "choice", "--items", str(tmp_path / "nowhere" / "items"))
    assert (status, "no such folder" in line) == (2, True)


def scored(file: Path, *words: str, **line: Any) -> dict[str, Any]:
    file.write_text(json.dumps({"id": "1", **line}))
    told: dict[str, Any] = json.loads(earmark("score", str(file), "--scorer", "choice", "--json", *words).stdout)
    return told


def test_replies_of_a_file_may_be_given_in_other_shapes(tmp_path: Path) -> None:
    file = tmp_path / "replies.jsonl"
    assert scored(file, reply="Dog.", target="dog", choices={"A": "cat", "B": "Dog"})["metrics"]["accuracy"] == 1
    both = {"reply": "A and C", "target": ["A", "C"], "labels": ["A", "B", "C"]}
    told = scored(file, "multi_select=true", **both)
    assert (told["metrics"]["accuracy"], told["chance"]) == (1, pytest.approx(1 / 7))
    assert scored(file, "multi_select=true", **both | {"reply": "A"})["metrics"]["accuracy"] == 0
    assert scored(file, "multi_select=true", **both | {"answer": ["C", "a"]})["metrics"]["accuracy"] == 1
    assert scored(file, reply=0, target=0, labels=[0, 1])["metrics"]["accuracy"] == 1
    assert scored(file, answer="dog", gold="dog", choices=["cat", "dog"])["metrics"]["accuracy"] == 1
    cut = {"reply": "So the answer is A", "target": "A", "labels": ["A", "B"], "finish_reason": "length"}
    assert scored(file, **cut)["states"]["answered"] == 1
    assert scored(file, "thinking=opened", **cut)["states"]["unparsed"] == 1


def test_a_record_without_a_target_is_read_and_is_in_no_score(tmp_path: Path) -> None:
    told = scored(tmp_path / "replies.jsonl", reply="B", labels=["A", "B"])
    assert (told["metrics"]["accuracy"], told["states"]["answered"], told["chance"]) == (None, 1, None)
    assert told["warnings"] == ["1 of 1 records have no target; the first is '1'"]


def test_targets_that_name_no_choice_are_refused_and_listed(tmp_path: Path) -> None:
    """Finding K6."""
    choices = ["snare", "kick", "hi-hat"]
    targets = ["kick ", "(B)", "B.", "B. kick", "KICK"]
    file = tmp_path / "replies.jsonl"
    lines = [{"id": at, "reply": "B", "target": target, "choices": choices} for at, target in enumerate(targets)]
    file.write_text("\n".join(map(json.dumps, lines)))
    told = json.loads(earmark("score", str(file), "--scorer", "choice", "--json").stdout)
    assert (told["metrics"]["accuracy"], told["n"]) == (1, 5)
    wrong = [{"id": f"x{at}", "reply": "B", "target": "cymbal", "choices": choices} for at in range(7)]
    file.write_text("\n".join(map(json.dumps, [*lines, *wrong])))
    status, line = complaint("score", str(file), "--scorer", "choice")
    assert status == 3
    assert "7 of 12 items have a target that is none of their labels or choices: 'x0' ('cymbal'), 'x1'" in line
    assert "'x4' ('cymbal') and 2 more" in line


def test_lines_of_one_group_are_resampled_together(tmp_path: Path) -> None:
    """n24 of the findings: forty lines about four recordings, ten alike each, are four independent things."""
    file = tmp_path / "replies.jsonl"

    def told(**more: Any) -> dict[str, Any]:
        lines = [
            {"id": n, "reply": "AB"[n // 10 % 2], "target": "A", "labels": "AB"}
            | {name: value(n) for name, value in more.items()}
            for n in range(40)
        ]
        file.write_text("\n".join(map(json.dumps, lines)))
        found: dict[str, Any] = json.loads(earmark("score", str(file), "--scorer", "choice", "--json").stdout)
        return found

    alone, together = told(), told(group=lambda n: n // 10)
    assert (alone["estimates"]["accuracy"]["groups"], together["estimates"]["accuracy"]["groups"]) == (40, 4)
    width = [
        found["estimates"]["accuracy"]["high"] - found["estimates"]["accuracy"]["low"] for found in (alone, together)
    ]
    assert width[1] > 2 * width[0]
    assert alone["warnings"] == together["warnings"] == []
    (unread,) = told(recording=str, grup=str)["warnings"]
    assert unread.startswith("fields that are not read: recording, grup; those that are: answer, choices, ")


@pytest.mark.parametrize("stop", ["content_filter", "filtered", "refusal", "SAFETY", "RECITATION", "SPII"])
def test_a_line_that_was_withheld_is_refused(stop: str, tmp_path: Path) -> None:
    file = tmp_path / "replies.jsonl"
    file.write_text(json.dumps({"id": "1", "reply": "", "target": "", "finish_reason": stop}))
    told = json.loads(earmark("score", str(file), "--scorer", "wer", "--json").stdout)
    assert (told["metrics"]["wrong"], told["states"]["refused"]) == (1, 1)


def test_an_answer_that_is_no_label_is_wrong_and_told(tmp_path: Path) -> None:
    told = scored(tmp_path / "replies.jsonl", answer="Z", target="A", labels=["A", "B"])
    assert (told["metrics"]["accuracy"], told["states"]["answered"]) == (0, 1)
    assert told["warnings"] == [
        "1 of 1 records have an answer that is none of their labels, and so is wrong; the first is '1'"
    ]


@pytest.mark.parametrize(
    ("line", "complaint_"),
    [
        ({"reply": "B", "target": "B"}, "has no choices and no labels"),
        ({"target": "B", "labels": ["A", "B"]}, "has no reply and no answer"),
        ({"reply": ["B"], "labels": ["A", "B"]}, "found list for reply"),
        ({"reply": "B", "labels": ["A", "B"], "group": ["x"]}, "found list for group"),
        ({"reply": "B", "choices": 5}, "found int for choices"),
        ({"reply": "B", "labels": ["A", "A"]}, "expected each once"),
    ],
)
def test_a_record_that_cannot_be_scored_is_told(line: dict[str, Any], complaint_: str, tmp_path: Path) -> None:
    file = tmp_path / "replies.jsonl"
    file.write_text(json.dumps({"id": "1", **line}))
    status, told = complaint("score", str(file), "--scorer", "choice")
    assert (status, complaint_ in told) == (3, True)


def test_the_replies_that_are_scored_are_never_written_over(tmp_path: Path) -> None:
    file = tmp_path / "replies.jsonl"
    file.write_text('{"id": 1, "reply": "A", "target": "A", "labels": "AB"}\n')
    before = file.read_bytes()
    status, line = complaint("score", str(file), "--scorer", "choice", "--items", f"{tmp_path}/./replies.jsonl")
    assert (status, "would overwrite the replies" in line) == (2, True)
    assert file.read_bytes() == before


def test_classes_need_the_texts_of_choices(tmp_path: Path) -> None:
    (tmp_path / "replies.jsonl").write_text('{"id": "1", "reply": "A", "target": "A", "labels": ["A", "B"]}')
    status, told = complaint("score", str(tmp_path / "replies.jsonl"), "--scorer", "listen")
    assert (status, "has labels and no choices" in told) == (3, True)


def test_failed_items_end_a_run_with_a_status_of_its_own() -> None:
    from aiohttp import web

    with serving(lambda _, n: web.Response(status=400, text="{}") if n == 1 else said("A")) as server:
        done = earmark("run", "acoustics:pitch", "items=4", f"model={server.url}")
    assert done.returncode == errors.FINISHED_WITH_FAILURES
    assert "if the 1 failed had been right" in done.stdout


def test_a_key_never_reaches_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    import commands

    monkeypatch.setitem(commands.ENV, "OPENAI_API_KEY", "sk-secret-123")
    with serving(lambda *_: said("A")) as server:
        words = ("acoustics:pitch", "items=4", f"model={server.url}", "model.api_key_env=OPENAI_API_KEY")
        assert earmark("run", *words).returncode == 0
    assert server.keys == {"Bearer sk-secret-123"}
    written = [path for path in Path("results").rglob("*") if path.is_file()]
    assert len(written) > 5
    assert not any(b"sk-secret-123" in path.read_bytes() for path in written)


def test_a_folder_of_the_users_own_goes_before_the_packaged_one() -> None:
    Path("conf/model").mkdir(parents=True)
    Path("conf/suite").mkdir()
    Path("conf/model/fake.yaml").write_text("# mine\nbackend: fake\nreply: B\nname: mine\n")
    Path("conf/model/other.yaml").write_text("# other\nbackend: fake\nname: other\n")
    Path("conf/suite/short.yaml").write_text("- acoustics:pitch model=other items=2\n- acoustics:loudness items=2\n")
    assert earmark("run", "acoustics:pitch", "items=2", "model=fake").returncode == 0
    assert earmark("run", "short", "model=fake", "model.name=both").returncode == 0
    assert {path.name for path in Path("results").iterdir()} == {"mine", "both"}
    assert "other" in earmark("list", "models").stdout


def test_a_line_of_a_suite_that_stops_does_not_hide_the_numbers_of_those_before_it() -> None:
    Path("conf/suite").mkdir(parents=True)
    Path("conf/suite/both.yaml").write_text("- mine.bench items=2\n- mine.bench items=2 twice=true\n")
    done = earmark("run", "both", "model=fake")
    assert done.returncode == 3
    assert "the id 'item-0' stands for two items" in done.stderr
    assert done.stdout.startswith("mine.bench by fake: accuracy")
    assert done.stdout.count("run: results") == 1


def test_the_docs_list_every_exit_status() -> None:
    page = (DOCS / "errors.md").read_text()
    for error in errors.EarmarkError.__subclasses__():
        if error.status != 1:
            assert f"| {error.status} | `{error.__name__}`" in page
