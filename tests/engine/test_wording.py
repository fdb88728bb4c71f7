"""`prompt=` gives any benchmark other words, from a name, a file or a mapping, and signs them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import soundfile
from click.testing import CliRunner

import earmark
from earmark import cli
from earmark.config.settings import ComposedConfig, RunSettings
from earmark.engine.load import BenchmarkRun, load_benchmark
from earmark.engine.suites import load_benchmarks
from earmark.engine.wording import Wording, find_wording, reword
from earmark.errors import UsageError
from earmark.runs.signature import load_signature
from earmark.types import Benchmark, Clip, Item, Prompt, Turn, replace

CLIP = Clip("a.wav", transcript="a {question} said")
ITEM = Item("1", "t", question="Which {choices}?", clips=(CLIP,), choices=("one", "two"), labels=("A", "B"))
CONFIG = ComposedConfig(RunSettings(), {}, {})
PROMPT = Prompt((Turn("system", ("Be brief.",)), Turn("user", (CLIP, "old words"))), ITEM.choices, ITEM.labels)


def texts(prompt: Prompt) -> list[str]:
    return [part for turn in prompt.turns for part in turn.parts if isinstance(part, str)]


def test_three_names_are_replaced_and_nothing_else() -> None:
    wording = Wording('{question}|{choices}|{transcript}|{"a": 1}', choice="{letter}) {text}", separator="; ")
    assert texts(reword(PROMPT, ITEM, wording)) == [
        "Be brief.",
        'Which {choices}?|A) one; B) two|a {question} said|{"a": 1}',
    ]


def test_audio_options_and_sampling_stay() -> None:
    prompt = replace(PROMPT, sampling={"max_tokens": 5})
    reworded = reword(prompt, ITEM, Wording("x", audio="last", system=""))
    assert reworded == replace(prompt, turns=(Turn("user", ("x", CLIP)),))
    assert reword(prompt, ITEM, Wording("x", system="s")).turns[0] == Turn("system", ("s",))


def test_an_item_without_choices_or_question_keeps_its_own_question() -> None:
    item, prompt = Item("1", clips=(CLIP,)), Prompt((Turn("user", (CLIP, "Transcribe this.")),))
    assert texts(reword(prompt, item, Wording("Please: {question}\n{choices}\nThanks"))) == [
        "Please: Transcribe this.\nThanks"
    ]


def test_a_conversation_is_refused() -> None:
    prompt = Prompt((Turn("user", (CLIP,)), Turn("assistant", ("yes",)), Turn("user", (CLIP,))))
    with pytest.raises(UsageError, match="asked in 3 turns"):
        reword(prompt, ITEM, Wording("x", name="short"))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt", "{quest} {choices}", "nothing is called {quest} there; expected {question}, {choices}, {transcript}"),
        ("a.yaml", "text: '{question}'\nchoice: '{label}'", "nothing is called {label} there"),
        ("a.yaml", "txt: '{question}'", "no setting is called"),
        ("a.yaml", "- x", "expected text:"),
        ("a.yaml", "name: x", "text must be given"),
    ],
)
def test_a_wrong_file_is_one_line(tmp_path: Path, name: str, content: str, message: str) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(UsageError, match=message):
        find_wording(str(tmp_path / name), has_own=True)


@pytest.mark.parametrize(
    ("setting", "message"), [("polit", "did you mean polite"), (3, "one name"), ("no.txt", "no.txt")]
)
def test_an_unknown_name_is_told_with_those_there_are(setting: object, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        find_wording(setting, has_own=False)


def test_the_benchmarks_own_words_are_official() -> None:
    assert find_wording("official", has_own=False) is None
    assert find_wording("letters", has_own=True) is None  # a prompt of a table, which knows it


def test_a_file_of_ones_own_replaces_a_packaged_one_and_that_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "conf" / "prompt").mkdir(parents=True)
    (tmp_path / "conf" / "prompt" / "short.yaml").write_text("text: mine\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    wording = find_wording("short", has_own=False)
    assert wording
    assert wording.text == "mine"
    assert "used for prompt=short instead of the packaged file" in caplog.text


def test_the_words_sign_the_run_by_name_and_digest() -> None:
    plain = load_benchmark("acoustics", ("pitch",), {})
    signed = [Wording(text, name="mine").apply(plain, CONFIG)[0].settings["prompt"] for text in ("{question}", "x")]
    assert signed[0].startswith("mine ")
    assert signed[0] != signed[1]
    assert "prompt" not in plain.settings


@pytest.mark.parametrize("benchmark", ["acoustics", "spoken_words", "spoken_questions"])
def test_benchmarks_without_prompts_of_their_own_are_asked_in_other_words(benchmark: str) -> None:
    plain = load_benchmark(benchmark, (), {})
    item = next(iter(plain.items()))
    prompt = Wording("Listen! {question} {choices}").apply(plain, CONFIG)[0].prompt(item)
    assert texts(prompt)[-1].startswith("Listen! ")
    assert [p for p in prompt.turns[-1].parts if not isinstance(p, str)] == [*item.clips]


def test_a_run_keeps_the_words_and_needs_the_file_no_more(tmp_path: Path) -> None:
    file = tmp_path / "mine.txt"
    file.write_text("{question} ${x y} {choices}", encoding="utf-8")
    words = ["acoustics:pitch", "items=8", "model=fake", f"results={tmp_path}"]
    run = invoke("run", *words, f"prompt={file}")
    assert "${x y}" in (run / "words.jsonl").read_text(encoding="utf-8")
    file.unlink()
    invoke("rescore", str(run))


def test_a_mapping_of_python_is_signed_as_the_file_is(tmp_path: Path) -> None:
    prompt = {"text": "{question} {choices}", "name": "mine"}
    run = earmark.run("acoustics:pitch", "fake", prompt=prompt, items=8, results=str(tmp_path), progress=False)
    assert signed_prompt(run.folder) == Wording(prompt["text"], name="mine").signature


def invoke(*words: str) -> Path:
    done = CliRunner().invoke(cli.earmark, words, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return Path(done.output.strip().rpartition("run: ")[2])


def signed_prompt(folder: Path) -> str:
    return str(load_signature(folder).benchmark["settings"]["prompt"])


def test_official_is_the_first_prompt_of_a_table_and_of_an_own_set(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "1.wav", [0.1] * 1600, 16000)
    (tmp_path / "my.csv").write_text("audio,question,choices,answer\n1.wav,Which?,one|two,one\n", encoding="utf-8")
    runs = [
        earmark.run(
            str(tmp_path / "my.csv"), "fake", prompt=prompt, results=str(tmp_path / prompt), progress=False
        ).folder
        for prompt in ("official", "letters", "short")
    ]
    signed = [signed_prompt(run) for run in runs]
    assert signed[:2] == ["letters", "letters"]
    assert signed[2].startswith("short ")


def asked(words: Callable[[Item], str], item: Item = ITEM, text: str = "{question}") -> list[Item]:
    benchmark = Benchmark(
        name="b", version=1, tasks=("t",), items=lambda: [item], scorers=lambda _: (),
        prompt=lambda item: Prompt((Turn("user", (*item.clips, *filter(None, [words(item)]))),)),
    )  # fmt: skip
    return list(Wording(text, name="short").apply(benchmark, CONFIG)[0].items())


def test_words_that_lose_a_transcript_or_write_what_is_said_aloud_are_refused() -> None:
    with pytest.raises(UsageError, match=r"prompt=short, b:t: .* write \{transcript\} where it goes"):
        asked(lambda item: f"{item.clips[0].transcript}: {item.question}")
    both = "{transcript}: {question}"
    assert asked(lambda item: f"{item.clips[0].transcript}: {item.question}", text=both) == [ITEM]
    for spoken in (lambda _: "Answer it.", lambda _: ""):
        with pytest.raises(UsageError, match=r"prompt=short, b:t: its questions are in the audio"):
            asked(spoken)
    assert asked(lambda _: "Transcribe this.", replace(ITEM, question="")) == [replace(ITEM, question="")]


def test_several_benchmarks_and_none_of_prompts_by_name_take_other_words() -> None:
    words = ["acoustics:pitch", "spoken_questions", "prompt=short"]
    entries = load_benchmarks(words[:2], words[2:]).entries
    signed = [entry.run.benchmark.settings["prompt"] for entry in entries if isinstance(entry.run, BenchmarkRun)]
    assert [text.partition(" ")[0] for text in signed] == ["short", "short"]
