"""A user's own file of questions as a benchmark: fields by their usual names, and hostile files."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
import table_data as data
from click.testing import CliRunner

from earmark.cli import earmark as program
from earmark.cli._args import merge_tasks, parse_runs
from earmark.config.settings import RunSettings
from earmark.engine.load import load_benchmark
from earmark.errors import BadData, EarmarkError, UsageError
from earmark.journal import CompletedIndex
from earmark.runs.dataset_check import check_dataset
from earmark.types import Benchmark, Item, Response

ROW = {"id": "1", "audio": "a.wav", "question": "Which?", "choices": ["cat", "dog"], "answer": "dog"}


def load(path: Path | str, **settings: Any) -> Benchmark:
    return load_benchmark(str(path), (), settings)


def write(folder: Path, *rows: dict[str, Any], name: str = "my.jsonl") -> Path:
    data.put(folder / "a.wav", data.wav())
    return data.put_lines(folder / name, rows)


def earmark(*words: str) -> None:
    assert CliRunner().invoke(program, [*words], catch_exceptions=False).exit_code == 0


def only(benchmark: Benchmark) -> Item:
    (item,) = benchmark.items()
    return item


def said(benchmark: Benchmark) -> str:
    lines: list[str] = []
    assert benchmark.fetch
    benchmark.fetch(lines.append)
    (line,) = lines
    return line


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({"audio": "a.wav", "question": "Which?", "choices": ["cat", "dog"], "answer": "dog"}, ("B",)),
        ({"file_name": "a.wav", "prompt": "Which?", "options": '["cat", "dog"]', "label": "B"}, ("B",)),
        ({"path": "a.wav", "instruction": "Which?", "A": "cat", "B": "dog", "target": "(b)"}, ("B",)),
        ({"wav": "a.wav", "Query": "Which?", "choice_a": "cat", "choice_b": "dog", "answer_gt": "dog"}, ("B",)),
        ({"clip": ["a.wav"], "question": "Which?", "options": "cat|dog", "gold": "dog"}, ("B",)),
        ({"x": "a.wav", "question": "Which?", "options": "cat; dog", "reference": "dog"}, ("B",)),
        ({"sound": {"path": "a.wav", "bytes": None}, "question": "Which?", "options": ["x", "y"], "answer": 0}, ("A",)),
        ({"audio": "a.wav", "question": "Which?", "options": ["cat", "dog"], "answer": 2}, ("B",)),
    ],
)
def test_fields_are_found_by_their_usual_names(tmp_path: Path, row: dict[str, Any], expected: tuple[str, ...]) -> None:
    item = only(load(write(tmp_path, row)))
    assert (item.targets, item.question, [clip.name for clip in item.clips]) == (expected, "Which?", ["a.wav"])


def test_one_line_tells_what_was_taken_for_what(tmp_path: Path) -> None:
    benchmark = load(write(tmp_path, ROW | {"source": "web", "transcript": "hello"}))
    assert said(benchmark).endswith(
        "my.jsonl: looked at 1 rows: sound is 'audio'; question is 'question'; choices are 'choices'; "
        "answer is 'answer'; transcript is 'transcript'; id is 'id'; not used: source"
    )
    assert only(benchmark).clips[0].transcript == "hello"


def test_columns_can_be_named(tmp_path: Path) -> None:
    row = {"a1": "a.wav", "q": "Which?", "c1": "cat", "c2": "dog", "right": "dog", "lang": "de", "kind": "pet"}
    named = {"sound": "a1", "question": "q", "choices": ["c1", "c2"], "answer": "right", "tags": "lang", "task": "kind"}
    benchmark = load(write(tmp_path, row), **named)
    item = only(benchmark)
    assert (item.targets, item.tags, item.task, benchmark.tasks) == (("B",), {"lang": "de"}, "pet", ("pet",))
    with pytest.raises(
        UsageError, match="answer=rigth: found no column 'rigth'; did you mean right\\? There are: a1, q, c1"
    ):
        load(write(tmp_path, row), **named | {"answer": "rigth"})


@pytest.mark.parametrize("name", ["my.jsonl", "my.json", "my.csv", "my.tsv", "my.parquet"])
def test_every_form_of_file_is_read(tmp_path: Path, name: str) -> None:
    data.put(tmp_path / "a.wav", data.wav())
    path = tmp_path / name
    if name.endswith(".parquet"):
        data.put_parquet(path, [{"question": "Which?", "choices": ["cat", "dog"], "answer": "dog"}])
    elif name == "my.json":
        data.put_json(path, [ROW])
    elif name == "my.jsonl":
        data.put_lines(path, [ROW])
    else:
        rows = (["audio", "question", "A", "B", "answer"], ["a.wav", "Which?", "cat", "dog", "dog"])
        sign = "\t" if name == "my.tsv" else ","
        data.put(path, ("\ufeff" + "".join(sign.join(row) + "\r\n" for row in rows)).encode())
    item = only(load(path))
    assert (item.question, item.choices, item.targets) == ("Which?", ("cat", "dog"), ("B",))
    (clip,) = item.clips
    assert asyncio.run(load(path).scorers("my")[0].score(item, Response("B"))).counts["right"] == 1
    assert clip.name


# ---------------------------------------------------------------- scorers


def test_without_choices_the_error_lists_the_scorers_that_suit(tmp_path: Path) -> None:
    path = write(tmp_path, {"audio": "a.wav", "question": "Who?", "answer": "Bach"})
    with pytest.raises(
        UsageError, match=r"no choices, .* give one of: scorer=exact .*scorer=wer .*scorer=judge"
    ) as error:
        load(path)
    assert "scorer=number" not in str(error.value)
    assert "scorer=choice" not in str(error.value)
    assert [scorer.name for scorer in load(path, scorer=["exact", "wer"]).scorers("my")] == ["exact", "wer"]
    assert [scorer.name for scorer in load(path, scorer=["exact", "wer"], policy="wer").scorers("my")] == [
        "wer",
        "exact",
    ]
    with pytest.raises(UsageError, match="scorer=choice needs choices; give one of: scorer=exact"):
        load(path, scorer="choice")
    with pytest.raises(UsageError, match="scorer=number"):
        load(write(tmp_path, {"audio": "a.wav", "question": "How many?", "answer": "4 dogs"}))
    with pytest.raises(UsageError, match=r"no answers, .*; give one of: scorer=judge"):
        load(write(tmp_path, {"audio": "a.wav", "question": "Who?"}))


def test_settings_of_a_scorer_are_used_or_refused(tmp_path: Path) -> None:
    path = write(tmp_path, {"audio": "a.wav", "text": "Guten Tag"})
    assert "norm:" in str(load(path, scorer="wer", language="de").scorers("my")[0].signature)  # type: ignore[attr-defined]
    with pytest.raises(UsageError, match="judge=openai is no setting of scorer=wer"):
        load(path, scorer="wer", judge="openai")
    with pytest.raises(UsageError, match="prompt=plain shows choices, and there are none"):
        load(path, scorer="wer", prompt="plain")
    with pytest.raises(UsageError, match="give language=zh"):
        load(write(tmp_path, {"audio": "a.wav", "text": "你好世界"}), scorer="wer")


def test_what_is_said_is_the_answer_of_recognition(tmp_path: Path) -> None:
    benchmark = load(write(tmp_path, {"file_name": "a.wav", "transcription": "hello"}), scorer="wer")
    item = only(benchmark)
    assert (item.targets, item.clips[0].transcript) == (("hello",), "")
    assert benchmark.prompt(item).turns[0].parts[-1] == item.question
    assert "every clip is asked: Write down what is said" in said(benchmark)
    asked = only(load(write(tmp_path, {"file_name": "a.wav", "text": "Hallo"}), scorer="bleu", ask="Translate it."))
    assert asked.question == "Translate it."
    with pytest.raises(UsageError, match="ask= is for files without questions"):
        load(write(tmp_path, ROW), ask="Which?")


def test_choices_are_shown_with_letters_or_without(tmp_path: Path) -> None:
    path = write(tmp_path, ROW)
    shown = {name: load(path, prompt=name) for name in ("letters", "plain")}
    texts = {name: benchmark.prompt(only(benchmark)).turns[0].parts[-1] for name, benchmark in shown.items()}
    assert texts["letters"] == "Which?\nA. cat\nB. dog\nAnswer with the letter of the right choice only."
    assert texts["plain"] == "Which?\ncat\ndog\nAnswer with the text of the right choice only."
    assert shown["letters"].settings != shown["plain"].settings


def test_a_run_of_a_file_is_scored_anew_with_another_scorer(tmp_path: Path) -> None:
    path = write(tmp_path, {"audio": "a.wav", "question": "How many?", "answer": "4"})
    earmark("run", str(path), "model=fake", "scorer=exact")
    (signed,) = Path("results").rglob("run.json")
    earmark("rescore", str(signed.parent), "scorer=[number,exact]")
    rows = json.loads((signed.parent / "metrics.json").read_bytes())["rows"]
    assert [row["scorer"] for row in rows] == ["number", "exact"]
    with pytest.raises(UsageError, match="answer= decides what is asked"):
        earmark("rescore", str(signed.parent), "answer=question")


# ---------------------------------------------------------------- hostile files


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "holds no row, expected questions"),
        (b"\n\n  \n", "holds no row"),
        (b'{"audio": "a.wav"}\n{"audio": "b.wa', "line 2: no JSON .*may be cut off"),
        (b"[1, 2]\n", "line 1: found .*expected an object"),
        (b'{"question": "x", "answer": "y"}', "found no column with sound among question, answer; name it"),
        (b'{"audio": "a.wav", "choices": "[1, 2", "answer": "1"}', "row 1: column 'choices' begins like a JSON list"),
        (b'{"audio": "a.wav", "choices": null, "answer": "x"}', "row 1: found no choices, expected some"),
        (json.dumps({"audio": "a.wav", "choices": [str(n) for n in range(30)], "answer": "3"}).encode(),
         "row 1: found 30 choices, expected at most 26"),
        (b'{"audio": "a.wav", "choices": ["a", "b"], "answer": "E"}', "'answer' are none of the choices, such as 'E'"),
        (b'{"audio": "a.wav", "choices": ["a", "b"], "answer": 1}', "from 0 or from 1; give answer_by=index0 or"),
        (b'{"audio": "a.wav", "choices": ["a", "b"], "answer": NaN}', "line 1: no JSON"),
        (b'{"audio": "a.wav", "question": {"x": 1}, "choices": ["a", "b"], "answer": "a"}', "row 1: found dict"),
        (b"\xff\xfe\x00", "line 1: no JSON"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:00\n", "a Git LFS pointer"),
    ],
)  # fmt: skip
def test_a_file_that_is_none_is_one_line_with_its_place(tmp_path: Path, content: bytes, message: str) -> None:
    path = data.put(tmp_path / "my.jsonl", content)
    with pytest.raises(EarmarkError, match=message) as error:
        list(load(path).items())
    assert "my.jsonl" in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"audio,question,answer\na.wav,x\n", "line 2: found 2 cells, expected 3"),
        (b'audio,question,answer\na.wav,"x,y\n', "no table of text"),
        (b"audio,audio,answer\na.wav,b.wav,x\n", "stands twice in its head"),
    ],
)
def test_a_table_of_text_that_is_none_is_one_line(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(BadData, match=message):
        list(load(data.put(tmp_path / "my.csv", content), scorer="exact").items())


def test_a_quoted_newline_and_a_byte_order_mark_are_no_harm(tmp_path: Path) -> None:
    path = data.put(tmp_path / "my.csv", '\ufeffaudio,question,answer\r\na.wav,"Which\r\none?",x\r\n\r\n'.encode())
    assert only(load(path, scorer="exact")).question == "Which\r\none?"


@pytest.mark.parametrize("ids", [("1", "1"), ("1", 1)])
def test_ids_that_repeat_are_refused_before_anything_is_asked(tmp_path: Path, ids: tuple[Any, Any]) -> None:
    benchmark = load(write(tmp_path, *(ROW | {"id": each} for each in ids)))
    with pytest.raises(BadData, match="the id '1' stands for two items, number 1 and number 2"):
        check_dataset(benchmark, (None,), RunSettings(), CompletedIndex())


@pytest.mark.parametrize("text", ["a/b", "a\tb", "a\nb", "../x", "{0}", "{x.__class__}", "%s", "{question}"])
def test_odd_ids_and_braces_stay_as_they_are(tmp_path: Path, text: str) -> None:
    benchmark = load(write(tmp_path, ROW | {"id": text, "question": text, "choices": [text, "dog"]}))
    item = only(benchmark)
    assert (item.id, item.choices[0]) == (text, text)
    assert benchmark.prompt(item).turns[0].parts[-1].startswith(f"{text}\nA. {text}\n")  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "path", ["../b.wav", "/etc/hostname.wav", "x/../../b.wav", "C:\\b.wav", "..\\b.wav", "link.wav", "sub/b.wav"]
)
def test_sound_outside_the_folder_is_an_item_in_error(tmp_path: Path, path: str) -> None:
    data.put(tmp_path / "b.wav", data.wav())
    folder = tmp_path / "set"
    folder.mkdir()
    (folder / "link.wav").symlink_to(tmp_path / "b.wav")
    (folder / "sub").symlink_to(tmp_path)
    item = only(load(write(folder, ROW | {"audio": path})))
    assert (item.state, item.clips) == ("error", ())
    assert "leads out of the data" in item.reason


def test_an_absolute_path_below_the_folder_is_taken(tmp_path: Path) -> None:
    item = only(load(write(tmp_path, ROW | {"audio": str(tmp_path / "a.wav")})))
    assert item.state == "ask"
    other = data.put(tmp_path / "elsewhere/my.jsonl", json.dumps(ROW | {"audio": "a.wav"}).encode())
    assert only(load(other, data=str(tmp_path))).clips[0].path == str(tmp_path / "a.wav")  # type: ignore[union-attr]
    assert (
        only(load(data.put_lines(other, [ROW | {"audio": str(tmp_path / "a.wav")}]), data=str(tmp_path))).state == "ask"
    )


def test_a_gold_that_is_no_choice_is_in_no_number(tmp_path: Path) -> None:
    benchmark = load(write(tmp_path, ROW, ROW | {"id": "2", "answer": "cow"}, ROW | {"id": "3", "answer": ""}))
    counts = [asyncio.run(benchmark.scorers("my")[0].score(item, Response("B"))).counts for item in benchmark.items()]
    assert [each["n"] for each in counts] == [1, 0, 0]


def test_rows_past_those_looked_at_are_read_too(tmp_path: Path) -> None:
    rows = [ROW | {"id": str(number)} for number in range(1100)]
    assert sum(1 for _ in load(write(tmp_path, *rows)).items()) == 1100


@pytest.mark.parametrize(
    ("name", "message"),
    [("none.jsonl", "none.jsonl: no such file"), ("folder.csv", "a folder, expected a file of questions")],
)
def test_a_file_that_is_not_there_is_one_line(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(UsageError, match=message):
        load(tmp_path / name)


def test_the_command_line_knows_files_and_the_hub(tmp_path: Path) -> None:
    path = write(tmp_path, ROW)
    (run,) = parse_runs([str(path), "model=fake", "limit=3", "scorer=[choice,token_match]"])
    assert [scorer.name for scorer in run.benchmark.scorers("my")] == ["choice", "token_match"]
    assert merge_tasks(["hub:owner/name", "listen:2B"]) == ["hub:owner/name", "listen:2B"]
    with pytest.raises(
        UsageError, match=r"no setting is called 'anwser'; did you mean answer .* There are: data, id, question"
    ):
        parse_runs([str(path), "model=fake", "anwser=x"])


# ---------------------------------------------------------------- the hub


COMMIT = "0123456789abcdef0123456789abcdef01234567"
CARD = b"---\nconfigs:\n- config_name: default\n  data_files:\n  - split: test\n    path: data/train-*\n---\n# X\n"


def cache(home: Path, repository: str, files: dict[str, bytes]) -> Path:
    """A data set as the hub's library keeps it: blobs, a snapshot of links to them, and a name for the commit."""
    place = home / "hub" / f"datasets--{repository.replace('/', '--')}"
    data.put(place / "refs/main", COMMIT.encode())
    for number, (name, content) in enumerate(files.items()):
        blob = data.put(place / f"blobs/{number:040d}", content)
        link = place / "snapshots" / COMMIT / name
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(blob)
    return place


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr("huggingface_hub._snapshot_download.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    return tmp_path


def test_a_data_set_of_the_hub_is_read_from_its_cache(home: Path) -> None:
    parquet = data.put_parquet(home / "x.parquet", [{"question": "Which?", "options": ["cat", "dog"], "answer": "dog"}])
    cache(home, "me/pets", {"README.md": CARD, "data/train-00000-of-00001.parquet": parquet.read_bytes()})
    benchmark = load("hub:me/pets")
    item = only(benchmark)
    assert (item.targets, benchmark.name, benchmark.source) == (
        ("B",), "hub:me/pets", f"me/pets on the hub at {COMMIT}",
    )  # fmt: skip
    assert benchmark.files()[0].endswith("data/train-00000-of-00001.parquet")


def test_an_audiofolder_of_the_hub_is_read_from_its_cache(home: Path) -> None:
    rows = json.dumps({"file_name": "data/q.mp3", "official_answer": "valid", "id": 1}).encode()
    cache(home, "me/spoken", {"metadata.jsonl": rows, "data/q.mp3": data.wav()})
    item = only(load("hub:me/spoken", scorer="exact"))
    assert (item.state, item.targets, item.id) == ("ask", ("valid",), "1")


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("hub:me/pets", {"split": "dev"}, "has no split 'dev'; there are: test"),
        ("hub:me/none", {}, "me/none cannot be fetched"),
        ("hub:pets", {}, "expected hub:owner/name"),
    ],
)
def test_what_the_hub_does_not_have_is_one_line(home: Path, name: str, settings: dict[str, str], message: str) -> None:
    parquet = data.put_parquet(home / "x.parquet", [{"question": "Which?", "options": ["cat", "dog"], "answer": "dog"}])
    cache(home, "me/pets", {"README.md": CARD, "data/train-00000-of-00001.parquet": parquet.read_bytes()})
    with pytest.raises(EarmarkError, match=message):
        load(name, **settings)
