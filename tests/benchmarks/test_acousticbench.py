"""AcousticBench in a schema of ours: its data from a folder or an archive, what is wrong with them, and its results in
and out.
"""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import stat
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from acousticbench_runs import letter, rows, run, runs
from commands import ENV, earmark
from servers import said, serving, sounds, words

from earmark import __version__
from earmark.audio.prepare import prepare_audio
from earmark.audio.read import load_waveform
from earmark.audio.synth import synthesize
from earmark.benchmarks import _acousticbench_made as made
from earmark.benchmarks import _acousticbench_store as stores
from earmark.benchmarks import acousticbench
from earmark.benchmarks._acousticbench_data import question_digest
from earmark.engine.load import load_benchmark
from earmark.errors import BadData, UsageError
from earmark.text.choice_parser import VERSION
from earmark.types import Average, Benchmark, Capabilities, EncodedAudio, Item, Prompt, Response, SynthSpec, Waveform

RIDDLE = "A has less of it than B has"  # no rule reads that


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EARMARK_CACHE", str(tmp_path / "cache"))
    monkeypatch.setitem(ENV, "EARMARK_CACHE", str(tmp_path / "cache"))


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The set that is made, as an archive of its own."""
    path = tmp_path_factory.mktemp("data") / "archive.zip"
    path.write_bytes(made.pack_zip(made.files(made.items())))
    return path


@pytest.fixture
def data(archive: Path, tmp_path: Path) -> Path:
    """The same unpacked, to be spoilt."""
    with zipfile.ZipFile(archive) as packed:
        packed.extractall(tmp_path / "data")
    return tmp_path / "data"


def loaded(data: Path | str = "", *tasks: str, **settings: Any) -> Benchmark:
    return load_benchmark("acousticbench", tasks, {"data": str(data), **settings})


# ---------------------------------------------------------------- the data


def test_an_archive_and_its_folder_hold_the_same(archive: Path, data: Path) -> None:
    packed, folder = list(loaded(archive).items()), list(loaded(data).items())
    assert [item.id for item in packed] == [item.id for item in folder]
    assert len(packed) == 96
    for one, other in zip(packed[:8], folder[:8], strict=True):
        assert [load_waveform(clip).source for clip in one.clips] == [
            load_waveform(clip).source for clip in other.clips
        ]
    assert made.pack_zip(made.files(made.items())) == archive.read_bytes(), "made again it is the same, byte for byte"


def test_tasks_are_those_of_the_data_and_diagnostic_questions_stand_apart(archive: Path) -> None:
    assert loaded(archive).tasks[:2] == ("contour", "contour.diagnostic")
    assert loaded(archive, "all").tasks == loaded(archive).tasks
    pitch = loaded(archive, "pitch")
    assert pitch.tasks == ("pitch", "pitch.diagnostic")
    assert Counter((item.task, item.tags["kind"]) for item in pitch.items()) == {
        ("pitch", "scored"): 20,
        ("pitch.diagnostic", "diagnostic"): 4,
    }
    assert loaded(archive).averages == {"mean over tasks": Average(("contour", "loudness", "pitch", "timbre"))}
    with pytest.raises(UsageError, match=r"acousticbench has no task 'rad'; there are: contour, contour\.diagnostic"):
        loaded(archive, "rad")


def test_halves(archive: Path) -> None:
    def ids(**settings: Any) -> list[str]:
        return [item.id for item in loaded(archive, "pitch", **settings).items()]

    halves = [set(ids(split=half)) for half in ("train", "eval")]
    assert [len(half) for half in halves] == [12, 12]
    assert not halves[0] & halves[1]


def test_a_prompt_has_two_parts_or_one_with_a_second_of_silence(archive: Path) -> None:
    apart, together = loaded(archive, "pitch"), loaded(archive, "pitch", join=True)
    item = next(iter(apart.items()))
    first, second, text = apart.prompt(item).turns[0].parts
    joined, same = together.prompt(item).turns[0].parts
    assert text == same == f"{item.question}\nA. the first\nB. the second\nAnswer with A or B."
    assert apart.prompt(item).sampling == {"temperature": 0.0, "max_tokens": 256, "seed": 42}
    assert isinstance(joined, Waveform)
    waves = [load_waveform(part) for part in (first, second) if not isinstance(part, str)]  # type: ignore[arg-type]
    lengths = [one.samples.shape[1] for one in waves]
    assert joined.seconds == pytest.approx(sum(one.seconds for one in waves) + 1.0)
    assert np.array_equal(joined.samples[:, : lengths[0]], waves[0].samples)
    assert not joined.samples[:, lengths[0] : lengths[0] + 16000].any()
    assert np.array_equal(joined.samples[:, lengths[0] + 16000 :], waves[1].samples)
    assert joined.source == "+".join(one.source for one in waves)
    assert joined.notes[-1] == "joined 2 sounds, 1 s of silence between"
    (sent,) = [
        part
        for part in prepare_audio(together.prompt(item), Capabilities(clips=1)).turns[0].parts
        if isinstance(part, EncodedAudio)
    ]
    assert sent.source == joined.source
    alone = next(iter(loaded(archive, "contour", join=True).items()))
    assert len(alone.clips) == 1
    assert not isinstance(together.prompt(alone).turns[0].parts[0], Waveform)


def test_sounds_of_unlike_rates_and_channels_are_joined() -> None:
    from earmark.audio.join import join_audio

    tone = synthesize(SynthSpec("tone", {"frequency": 440.0, "seconds": 0.5, "level": -20.0}, "tone"))
    two = Waveform(np.zeros((2, 4000), np.float32), 8000, "two")
    assert join_audio((tone, two), 1.0).samples.shape == (1, 8000 + 16000 + 8000)


# ---------------------------------------------------------------- what is wrong with data


def rewrite(data: Path, change: Callable[[dict[str, Any]], object], line: int = 2) -> None:
    """Change one line of the questions about pitch."""
    path = data / "questions" / "pitch.jsonl"
    lines = path.read_bytes().splitlines()
    told = json.loads(lines[line])
    change(told)
    lines[line] = json.dumps(told).encode()
    path.write_bytes(b"\n".join(lines) + b"\n")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda q: q.pop("gold"), "pitch.jsonl, line 3: Object missing required field `gold`"),
        (lambda q: q.update(gold="C"), "line 3: Invalid enum value 'C' - at `$.gold`"),
        (lambda q: q.update(gold=1), "line 3: Expected `str`, got `int` - at `$.gold`"),
        (lambda q: q.update(kind="extra"), "line 3: Invalid enum value 'extra' - at `$.kind`"),
        (lambda q: q.update(split="test"), "line 3: Invalid enum value 'test' - at `$.split`"),
        (lambda q: q.update(audio=[]), "line 3: Expected `array` of length"),
        (lambda q: q.update(audio=["a.wav"] * 3), "line 3: Expected `array` of length"),
        (lambda q: q.update(audio="a.wav"), "line 3: Expected `array`, got `str` - at `$.audio`"),
        (lambda q: q.update(audio=["clips/none.wav"]), ("line 3: the clip 'clips/none.wav' of question 'pitch-003' is "
            "not there")),
        (lambda q: q.update(audio=["../questions/pitch.jsonl"]), "'../questions/pitch.jsonl' lies outside the folder"),
        (lambda q: q.update(audio=["/etc/hostname"]), "'/etc/hostname' lies outside the folder"),
        (lambda q: q.update(question_id="pitch-001"), "line 3: the id 'pitch-001' is that of line 1, too"),
    ],
)  # fmt: skip
def test_a_wrong_question_is_told_by_its_line(
    data: Path, change: Callable[[dict[str, Any]], object], told: str
) -> None:
    rewrite(data, change)
    with pytest.raises(BadData) as error:
        loaded(data)
    assert told in str(error.value)
    assert "\n" not in str(error.value)


def test_a_file_that_was_cut_is_told(data: Path) -> None:
    path = data / "questions" / "pitch.jsonl"
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(BadData, match=r"pitch\.jsonl, line 24: is cut short; copy the file again"):
        loaded(data)


def test_an_empty_half_is_told(data: Path) -> None:
    for path in (data / "questions").glob("*.jsonl"):
        path.write_text(path.read_text().replace('"split":"eval"', '"split":"train"'))
    assert loaded(data, split="train").tasks
    with pytest.raises(BadData, match=r"the split 'eval' of contour, .* is empty; there is split=all"):
        loaded(data, split="eval")


def test_a_link_out_of_the_folder_is_not_followed(data: Path, tmp_path: Path) -> None:
    shutil.copy(next((data / "clips").iterdir()), tmp_path / "outside.wav")
    (data / "clips" / "link.wav").symlink_to(tmp_path / "outside.wav")
    rewrite(data, lambda question: question.update(audio=["clips/link.wav"]))
    with pytest.raises(BadData, match=r"'clips/link\.wav' lies outside the folder"):
        loaded(data)


@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        (["data=nowhere"], 3, "nowhere: no such file or folder; give data=FOLDER or data=ARCHIVE.zip"),
        (["data=text.zip"], 3, "text.zip: is no whole zip archive"),
        (["data=cut.zip"], 3, "cut.zip: is no whole zip archive"),
        (["data=empty"], 3, "empty: found no questions/TASK.jsonl"),
        (["split=test"], 2, "split='test': invalid enum value 'test'; there are: all, train, eval"),
        (["limit=-1"], 2, "limit=-1: expected a whole number >= 0"),
        (["judge=nobody"], 2, "no model is called 'nobody'"),
    ],
)
def test_what_is_wrong_is_told_in_one_line_and_nothing_is_written(
    archive: Path, words: list[str], status: int, told: str
) -> None:
    Path("text.zip").write_text("no archive")
    Path("cut.zip").write_bytes(archive.read_bytes()[:-1000])
    Path("empty").mkdir()
    done = earmark("run", "acousticbench", "model=fake", *words)
    (line,) = done.stderr.strip().splitlines()
    assert told in line
    assert done.returncode == status
    assert not Path("results").exists()


# ---------------------------------------------------------------- archives that must not be read


def member(name: str, mode: int = stat.S_IFREG | 0o644) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.external_attr = mode << 16
    return info


@pytest.mark.parametrize(
    ("name", "mode", "told"),
    [
        ("../outside.wav", stat.S_IFREG, "'../outside.wav' would leave the folder"),
        ("clips/../../outside.wav", stat.S_IFREG, "would leave the folder"),
        ("/etc/hostname", stat.S_IFREG, "would leave the folder"),
        ("C:/windows.wav", stat.S_IFREG, "would leave the folder"),
        ("clips/link.wav", stat.S_IFLNK, "'clips/link.wav' is a link"),
        ("clips/pipe.wav", stat.S_IFIFO, "is no file"),
    ],
)
def test_members_that_lead_away_are_refused(tmp_path: Path, name: str, mode: int, told: str) -> None:
    path = tmp_path / "bad.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(member(name, mode | 0o644), b"sound")
    with pytest.raises(BadData, match=f"{told}; nothing was read"):
        loaded(path)


def test_bombs_doubles_and_what_is_encrypted_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bomb, double, secret = (tmp_path / f"{name}.zip" for name in ("bomb", "double", "secret"))
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("clips/zeros.wav", bytes(16 << 20))
    with pytest.raises(BadData, match="is packed 200 times or more, as a bomb is"):
        loaded(bomb)
    monkeypatch.setattr(stores, "MAX_MEMBER_BYTES", 1000)
    with zipfile.ZipFile(tmp_path / "large.zip", "w") as archive:
        archive.writestr("clips/large.wav", bytes(1001))
    with pytest.raises(BadData, match=r"has 1,001 bytes, more than 1,000"):
        loaded(tmp_path / "large.zip")
    with zipfile.ZipFile(double, "w") as archive:
        archive.writestr("clips/a.wav", b"one")
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("clips/a.wav", b"two")
    with pytest.raises(BadData, match="is there twice"):
        loaded(double)
    secret.write_bytes(double.read_bytes())
    with zipfile.ZipFile(secret, "w") as archive:
        archive.writestr("clips/a.wav", b"one")
    whole = bytearray(secret.read_bytes())
    whole[6] |= 1  # the flag of encryption, in the member's own head
    whole[whole.index(b"PK\x01\x02") + 8] |= 1  # and in the directory
    secret.write_bytes(bytes(whole))
    with pytest.raises(BadData, match="is encrypted"):
        loaded(secret)


def test_many_members_that_are_one_are_a_bomb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stores, "SMALL_MEMBER_BYTES", 1000)
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for at in range(50):
            archive.writestr(f"clips/{at}.wav", bytes(999))
    monkeypatch.setattr(stores, "MAX_COMPRESSION_RATIO", 4)
    with pytest.raises(BadData, match="bytes hold 49,950, as a bomb does"):
        loaded(tmp_path / "bomb.zip")


# ---------------------------------------------------------------- the manifest


def test_a_digest_does_not_mind_how_a_line_is_written() -> None:
    line = b'{"question_id": "1", "gold": "A"}'
    assert question_digest(line, [b"sound"]) == question_digest(b'{"gold":"A","question_id":"1"}', [b"sound"])
    assert question_digest(line, [b"sound"]) != question_digest(b'{"gold":"B","question_id":"1"}', [b"sound"])
    assert question_digest(line, [b"so", b"und"]) != question_digest(line, [b"sound"])


def test_verify_names_every_question_that_does_not_pass(archive: Path, data: Path) -> None:
    for place in (archive, data):
        done = earmark("verify", "acousticbench", f"data={place}")
        assert (done.returncode, done.stdout) == (0, "All 96 questions passed checksum verification.\n")
    rewrite(data, lambda question: question.update(gold="B" if question["gold"] == "A" else "A"))
    (data / "clips" / "contour-001.wav").write_bytes(b"RIFF")
    (data / "clips" / "contour-002.wav").unlink()
    manifest = data / "manifest.jsonl"
    lines = manifest.read_text().splitlines()
    manifest.write_text(
        "\n".join(line for line in lines if '"loudness-002"' not in line) + "\n" + lines[0].replace("001", "999")
    )
    done = earmark("verify", "acousticbench", f"data={data}")
    told = done.stdout.splitlines()
    assert [line.partition(":")[0] for line in told] == [
        "contour contour-001", "contour contour-002", "loudness loudness-002", "pitch pitch-003", "pitch pitch-999",
    ]  # fmt: skip
    assert told[1].endswith("contour-002.wav: cannot be read (No such file or directory)")
    assert "is not in the manifest" in told[2]
    assert "is in the manifest and not in the data" in told[4]
    assert done.returncode == 3
    assert "5 of 96 questions did not pass" in done.stderr
    done = earmark("verify", "acousticbench", f"data={data}", "--write")
    assert (done.returncode, "contour-002.wav: cannot be read" in done.stderr) == (3, True)
    assert "nothing was written" in done.stderr
    with zipfile.ZipFile(archive) as packed:
        (data / "clips" / "contour-002.wav").write_bytes(packed.read("clips/contour-002.wav"))
    assert earmark("verify", "acousticbench", f"data={data}", "--write").stdout == "The manifest has 96 questions.\n"
    assert earmark("verify", "acousticbench", f"data={data}").returncode == 0
    manifest.unlink()
    assert "has no manifest.jsonl to check by" in earmark("verify", "acousticbench", f"data={data}").stderr
    assert "there is one for: acousticbench" in earmark("verify", "acoustics").stderr


def test_verify_names_the_question_whose_clip_broke_within_the_archive(archive: Path, tmp_path: Path) -> None:
    broken = bytearray(archive.read_bytes())
    with zipfile.ZipFile(archive) as packed:
        at = packed.getinfo("clips/pitch-007-b.wav").header_offset
    broken[at + 2000] ^= 1
    (tmp_path / "broken.zip").write_bytes(broken)
    done = earmark("verify", "acousticbench", f"data={tmp_path / 'broken.zip'}")
    (line,) = done.stdout.splitlines()
    assert re.fullmatch(r"pitch pitch-007: .*'clips/pitch-007-b\.wav' cannot be read \(Bad CRC.*", line)
    assert (done.returncode, "1 of 96 questions did not pass" in done.stderr) == (3, True)


def test_refusals_are_asked_again_and_the_rest_is_judged_without_asking() -> None:
    def answer(body: dict[str, Any], number: int) -> Any:
        return said("I cannot tell." if number % 3 == 0 else RIDDLE if number % 3 == 1 else letter(body))

    def judge(body: dict[str, Any], _: int) -> Any:
        return said("B" if RIDDLE in words(body) else "NONE")

    with serving(answer, ("Test-Model",)) as server, serving(judge, ("judge",)) as judging:
        assert run(server, "model.concurrency=1").returncode == 0
        (ours,) = runs()
        states = rows(ours)["pitch"]["states"]
        assert states["refused"] > 0
        assert states["unparsed"] > 0
        asked = len(server.asked)
        done = earmark("retry", str(ours), "--refused", "--times", "3")
        assert done.returncode == 0, done.stderr
        assert rows(ours)["pitch"]["states"]["refused"] == 0
        again = len(server.asked)
        assert asked < again <= asked + 24
        done = earmark("rescore", str(ours), f"judge={judging.url}")
        assert done.returncode == 0, done.stderr
        row = rows(ours)["pitch"]
        assert row["states"]["unparsed"] == 0
        assert row["signature"] == {
            "name": "ab",
            "settings": [["reader", VERSION], ["judge", judging.url], ["prompt", "choice.1"]],
            "version": __version__,
            "details": [["model", "judge"]],
        }
        assert len(server.asked) == again, "nothing was asked"
        judged = len(judging.asked)
        assert 0 < judged <= 2, "the same reply to the same question is judged once"
        assert f"judge usage: {7 * judged} tokens in, {judged} out\n" in done.stdout
        assert earmark("rescore", str(ours), f"judge={judging.url}").stdout == done.stdout, "once in all scorings"
        assert len(judging.asked) == judged
        before = {path: path.read_bytes() for path in sorted(ours.rglob("*")) if path.is_file()}
        done = earmark("rescore", str(ours), "judge=http://127.0.0.1:9/v1")
        assert (done.returncode, "nothing answers at http://127.0.0.1:9/v1" in done.stderr) == (4, True)
        assert {path: path.read_bytes() for path in sorted(ours.rglob("*")) if path.is_file()} == before
        assert earmark("rescore", str(ours)).returncode == 0
        assert rows(ours)["pitch"]["states"]["unparsed"] > 0


def test_a_judge_that_fails_leaves_the_answer_outside_every_sum() -> None:
    with serving(lambda *_: said(RIDDLE), ("Test-Model",)) as server, serving(lambda *_: said("hm")) as judging:
        done = run(server, f"judge={judging.url}", "split=train")
    assert done.returncode == 0, done.stderr
    row = rows(runs()[0])["pitch"]
    assert (row["states"]["judge-failed"], row["n"]) == (10, 0)
    assert "10 answers without a verdict of the judge are not scored" in done.stdout


def test_a_model_of_one_clip_is_asked_when_clips_are_joined() -> None:
    with serving(lambda body, _: said(letter(body)), ("Test-Model",)) as server:
        one = ("model.capabilities.clips=1", "limit=4")
        assert run(server, *one).returncode == 7
        assert run(server, *one, "join=true", "resume=false").returncode == 0
    assert {len(sounds(body)) for body in server.asked} == {1}


def test_the_address_of_a_served_model_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("run", "acousticbench:contour", "model=voxtral_mini_3b", "limit=2", "preflight=false")
    done = earmark(*words)
    assert (done.returncode, "ACOUSTICBENCH_VOXTRAL_MINI_3B_ENDPOINT" in done.stderr) == (2, True)
    with serving(lambda *_: said("A"), ("Voxtral-Mini-3B",)) as server:
        monkeypatch.setitem(ENV, "ACOUSTICBENCH_VOXTRAL_MINI_3B_ENDPOINT", server.url.removesuffix("/v1"))
        assert earmark(*words).returncode == 0
    assert runs("Voxtral-Mini-3B")


def test_the_generated_set_is_answered_by_whoever_hears() -> None:
    """A function that measures the sound is right where anybody could be, and a coin elsewhere."""

    def louder(prompt: Prompt) -> str:
        heard = [load_waveform(part) for part in prompt.turns[0].parts if not isinstance(part, str)]  # type: ignore[arg-type]
        return "AB"[int(np.argmax([float(np.sqrt(np.mean(one.samples**2))) for one in heard]))]

    benchmark = loaded("", "loudness")
    if benchmark.fetch:
        benchmark.fetch(lambda _: None)

    async def right(item: Item) -> bool:
        (scorer,) = benchmark.scorers(item.task)
        found = await scorer.score(item, Response(louder(benchmark.prompt(item))))
        return bool(found.counts["right"])

    items = list(benchmark.items())
    assert all(asyncio.run(right(item)) for item in items)
    assert acousticbench.notices(acousticbench.Settings())[0].startswith("questions and sounds are ours")


# ---------------------------------------------------------------- data in another layout

LAYOUT = """
questions: annotations/*.jsonl
columns:
  id: qid
  question: "{prompt}"
  sound: [first, second]
  answer: label
  choices: [one, two]
  tags: {split: half, kind: type}
values:
  answer: {"1": A, "2": B}
  split: {dev: train, test: eval}
  kind: {main: scored, extra: diagnostic}
"""


def foreign(data: Path, archive: Path) -> list[dict[str, Any]]:
    """The set that is made under other names, beside its clips and in an archive of its own."""
    (data / "annotations").mkdir()
    rows = []
    for file in sorted((data / "questions").glob("*.jsonl")):
        lines = [json.loads(line) for line in file.read_text().splitlines()]
        for line in lines:
            clips = [*line["audio"], None][:2]
            choices = line.get("choices", ["A", "B"])
            rows.append(
                {"qid": line["question_id"], "prompt": line["question"], "first": clips[0], "second": clips[1]}
                | {"label": "AB".index(line["gold"]) + 1, "half": {"train": "dev", "eval": "test"}[line["split"]]}
                | {
                    "type": {"scored": "main", "diagnostic": "extra"}[line["kind"]],
                    "one": choices[0],
                    "two": choices[1],
                }
            )
        text = "".join(json.dumps(row) + "\n" for row in rows[-len(lines) :])
        (data / "annotations" / file.name).write_text(text)
        file.unlink()
    (data / "questions").rmdir()
    with zipfile.ZipFile(archive, "w") as packed:
        for path in sorted(data.rglob("*")):
            if path.is_file():
                packed.write(path, path.relative_to(data))
    return rows


def test_data_in_another_layout_are_the_same_questions(archive: Path, data: Path, tmp_path: Path) -> None:
    before = list(loaded(archive).items())
    foreign(data, tmp_path / "other.zip")
    layout = tmp_path / "layout.yaml"
    layout.write_text(LAYOUT)
    for place in (data, tmp_path / "other.zip"):
        other = loaded(place, layout=str(layout))
        items = list(other.items())
        assert sorted((i.task, i.id, i.question, i.choices, i.targets) for i in items) == sorted(
            (i.task, i.id, i.question, i.choices, i.targets) for i in before
        )
        assert {tag: {i.tags[tag] for i in items} for tag in ("split", "kind")} == {
            "split": {"train", "eval"},
            "kind": {"scored", "diagnostic"},
        }
        assert other.settings["layout"]
        assert other.files()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("answer: label", "answer: missing"), r"row 1: has no column 'missing'; there are: qid, prompt"),
        (('"1": A, "2": B', '"1": A'), r"row \d+: .*gold.*`values` of the layout says what"),
        (("annotations/*.jsonl", "nothing/*.csv"), r"found no nothing/\*\.csv"),
        (("  id: qid\n", ""), "columns: has no id"),
        (("values:", "vales:"), "unknown field `vales`"),
    ],
)
def test_a_layout_that_does_not_fit_is_told(data: Path, tmp_path: Path, change: tuple[str, str], message: str) -> None:
    foreign(data, tmp_path / "other.zip")
    layout = tmp_path / "layout.yaml"
    layout.write_text(LAYOUT.replace(*change))
    with pytest.raises(BadData, match=message):
        loaded(data, layout=str(layout))


def test_tasks_may_be_named_by_a_setting(archive: Path) -> None:
    assert loaded(archive, task=["pitch"]).tasks == ("pitch", "pitch.diagnostic")
    assert loaded(archive, task=["all"]).tasks == loaded(archive).tasks
    with pytest.raises(UsageError, match="give one of the two"):
        loaded(archive, "pitch", task=["loudness"])
    done = earmark("verify", "acousticbench", f"data={archive}", "task=all")
    assert done.stdout.strip() == "All 96 questions passed checksum verification."
    done = earmark("verify", "acousticbench", f"data={archive}", "task=pitch")
    assert done.stdout.strip() == "All 24 questions passed checksum verification."
