"""Sound of items: what is played is what was sent, and nothing else is."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from recorded_runs import run as run_here
from table_data import wav
from viewed_runs import NAME, acoustics, pages_of, record, write_lines, write_run

from earmark.data.cache import hash64
from earmark.engine.load import load_benchmark
from earmark.errors import BadData
from earmark.journal import JOURNAL_FILE, AudioSent, Record, read_journal
from earmark.types import Clip, Item, Response
from earmark.viewer.drawing import encode_png
from earmark.viewer.foreign_code import CodePolicy
from earmark.viewer.media import file_name, speech_media
from earmark.viewer.pages import Pages

SEEN = '''
"""A benchmark of pictures and tones."""
from msgspec import Struct
from earmark.scorers.choice import ChoiceScorer
from earmark.types import Benchmark, ImageRef, Item, Prompt, SynthSpec, Turn

class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    pass

TONE = SynthSpec("tone", {"frequency": 440, "seconds": 0.1, "level": -20}, "a tone")

def load(settings, context):
    items = (Item("one", "all", "Which?", (TONE,), ("yes", "no"), ("A", "B"), ("A",)),)
    return Benchmark(name=context.name, version=1, tasks=("all",), items=lambda: iter(items), prompt=prompt,
                     scorers=lambda _: (ChoiceScorer(),))

def prompt(item):
    return Prompt((Turn("user", (item.clips[0], ImageRef("a.png"), item.question)),), item.choices, item.labels)
'''


def query_of(run: Path, root: Path, given: Record, **more: str) -> list[tuple[str, str]]:
    key = {"item.task": given.item.task, "item.id": given.item.id, "item.condition": given.condition}
    return [("run", run.relative_to(root).as_posix()), *key.items(), *more.items()]


@pytest.fixture
def tones(tmp_path: Path) -> tuple[Path, Record, Pages]:
    run = acoustics(str(tmp_path), "condition=[plain,noise:0]")
    return run, next(read_journal(run / JOURNAL_FILE)), pages_of(tmp_path)


def test_sounds_of_an_item(tmp_path: Path, tones: tuple[Path, Record, Pages]) -> None:
    run, given, pages = tones
    described = pages.sounds(query_of(run, tmp_path, given))
    assert described["differences"] == []
    assert len(described["clips"]) == len(given.audio_sent) == 2
    for index, (clip, sent) in enumerate(zip(described["clips"], given.audio_sent, strict=True)):
        assert clip["duration"] == pytest.approx(sent.seconds, abs=1e-3)
        media = pages.sound(query_of(run, tmp_path, given, clip=str(index)))
        assert media.mime == "audio/wav"
        assert len(media.data) == sent.bytes
        assert pages.spectrogram(query_of(run, tmp_path, given, clip=str(index))).data.startswith(b"\x89PNG")
        assert f"clip={index}" in clip["url"]
    assert described["turns"][-1]["parts"][0] == {"sound": 0}


@pytest.mark.parametrize("clip", ["2", "99"])
def test_a_place_that_the_prompt_has_not(tmp_path: Path, tones: tuple[Path, Record, Pages], clip: str) -> None:
    run, given, pages = tones
    with pytest.raises(BadData, match="2 sounds are made"):
        pages.sound(query_of(run, tmp_path, given, clip=clip))
    with pytest.raises(BadData, match="the prompt has 0"):
        pages.picture(query_of(run, tmp_path, given, clip=clip))


def test_a_journal_that_names_another_file_as_a_clip(tmp_path: Path) -> None:
    """Neither its bytes nor its length are given away."""
    run = acoustics(str(tmp_path))
    lines = list(read_journal(run / JOURNAL_FILE))
    digest = hash64(Path("/etc/passwd").read_bytes())
    sent = (AudioSent("passwd", digest, "wav", 16_000, 1, 1.0, 100),)
    item = msgspec.structs.replace(lines[0].item, clips=(Clip("/etc/passwd"), Clip("/etc/passwd")))
    hostile = msgspec.structs.replace(lines[0], item=item, audio_sent=sent * 2)
    write_lines(run / JOURNAL_FILE, [hostile])
    pages = pages_of(tmp_path)
    query = query_of(run, tmp_path, hostile)
    described = pages.sounds(query)
    assert all(clip["why"] for clip in described["clips"])
    assert b"root:" not in msgspec.json.encode(described)
    for function in (pages.sound, pages.spectrogram, pages.picture):
        with pytest.raises(BadData):
            function(query)


def test_a_recording_that_is_another_today(tmp_path: Path, tones: tuple[Path, Record, Pages]) -> None:
    run, given, _ = tones
    sent = tuple(msgspec.structs.replace(each, source="0" * 16) for each in given.audio_sent)
    write_lines(run / JOURNAL_FILE, [msgspec.structs.replace(given, audio_sent=sent)])
    described = pages_of(tmp_path).sounds(query_of(run, tmp_path, given))
    assert all("comes from another recording" in clip["why"] for clip in described["clips"])


def test_no_code_leaves_kept_words_alone(tmp_path: Path) -> None:
    sent = (AudioSent("a.wav", "1" * 16, "wav", 16_000, 1, 1.0, 100),)
    given = msgspec.structs.replace(record(0), audio_sent=sent)
    run = write_run(tmp_path, [given])
    described = pages_of(tmp_path, allowed=False).sounds(query_of(run, tmp_path, given))
    assert "--no-code" in described["clips"][0]["why"]


def test_imported_runs_have_the_sound_of_folders_that_are_given(tmp_path: Path) -> None:
    root, media = tmp_path / "results", tmp_path / "media"
    real = acoustics(str(tmp_path / "real"))
    given = next(read_journal(real / JOURNAL_FILE))
    sound = pages_of(tmp_path / "real").sound(query_of(real, tmp_path / "real", given, clip="0"))
    media.mkdir()
    (media / "x.wav").write_bytes(sound.data)
    items = [Item("x", "all"), Item("outside", "all", clips=(Clip(str(tmp_path / "secret.wav")),)), Item("none", "all")]
    (tmp_path / "secret.wav").write_bytes(sound.data)
    run = write_run(root, [Record(item, response=Response("a")) for item in items])
    settings = msgspec.json.decode((run / "run.json").read_bytes())
    settings["benchmark"]["imported"] = "audiobench"
    (run / "run.json").write_bytes(msgspec.json.encode(settings))
    records = list(read_journal(run / JOURNAL_FILE))
    assert "has no sound" in pages_of(root).sounds(query_of(run, root, records[0]))["why"]
    pages = Pages(pages_of(root).results, pages_of(root).policy, media=[str(media)])
    assert pages.sound(query_of(run, root, records[0])).data == sound.data
    assert "no such file" in pages.sounds(query_of(run, root, records[1]))["clips"][0]["why"]
    assert "--media FOLDER" in pages.sounds(query_of(run, root, records[2]))["why"]


def test_speech_of_answers(tmp_path: Path) -> None:
    real = acoustics(str(tmp_path / "real"))
    given = next(read_journal(real / JOURNAL_FILE))
    sound = pages_of(tmp_path / "real").sound(query_of(real, tmp_path / "real", given)).data
    run = write_run(tmp_path / "results", [record(0)])
    (run / "speech").mkdir()
    name = f"{hash64(sound)}.wav"
    (run / "speech" / name).write_bytes(sound)

    def spoken(path: str) -> Record:
        return msgspec.structs.replace(record(0), response=Response("a", speech=Clip(path)))

    assert speech_media(run, spoken(f"speech/{name}")).data == sound
    shutil.copy(run / "speech" / name, run / "speech" / "other.wav")
    (run / "speech" / "linked.wav").symlink_to("/etc/passwd")
    (run / "speech" / f"{hash64(b'text')}.wav").write_bytes(b"text")
    wrong: dict[str, Any] = {
        "speech/other.wav": "is not the speech", "speech/linked.wav": "is not in the folder", "/etc/passwd": "is not in",
        "speech/../run.json": "is not in", "speech/gone.wav": "is not in", f"speech/{hash64(b'text')}.wav": "decoded",
        "": "is not in",
    }  # fmt: skip
    for path, words in wrong.items():
        with pytest.raises(BadData, match=words):
            speech_media(run, spoken(path))
    with pytest.raises(BadData, match="has no speech"):
        speech_media(run, record(0))


def test_names_of_saved_files() -> None:
    assert file_name('a"b\r\n/../é' + "x" * 500, "wav").isascii()
    assert "/" not in file_name("../../x", "wav")
    assert file_name("…", "mp3").isascii()
    assert NAME not in file_name(NAME, "wav")


@pytest.fixture
def clips(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """A run over clips of a folder, by a benchmark of one's own, and that folder."""
    folder = tmp_path / "clips"
    folder.mkdir()
    for number in range(2):
        (folder / f"clip-{number}.wav").write_bytes(wav(400 + 100 * number))
    monkeypatch.chdir(Path(__file__).parents[1])  # in which the benchmark lies
    benchmark = load_benchmark("mine.bench", (), {"items": 2, "data": str(folder)})
    words = (f"results={tmp_path / 'results'}", "model=fake", "preflight=false", f"data={folder}")
    return run_here(*words, benchmark=benchmark).folder, folder


def why_not(run: Path, *media: str) -> str:
    """The sentence on why a clip is not played; empty where it is."""
    root = run.parents[2]
    given = next(read_journal(run / JOURNAL_FILE))
    pages = Pages(pages_of(root).results, CodePolicy(lambda _: None), media=media)
    return str(pages.sounds(query_of(run, root, given))["clips"][0]["why"])


def test_a_clip_that_moved_changed_or_is_missing(clips: tuple[Path, Path]) -> None:
    run, folder = clips
    assert why_not(run) == ""
    moved = folder.with_name("moved")
    folder.rename(moved)
    assert "no such file; looked for it at" in why_not(run)
    assert why_not(run, f"{folder}={moved}") == ""
    assert why_not(run, str(moved)) == ""
    (moved / "clip-0.wav").write_bytes(wav(900))
    assert "is not the file that was sent" in why_not(run, f"{folder}={moved}")
    (moved / "clip-0.wav").write_bytes(b"root:x:0:0:secret of a text file")
    assert "secret" not in why_not(run, f"{folder}={moved}")
    (moved / "clip-0.wav").unlink()
    assert "no such file" in why_not(run, f"{folder}={moved}")


def test_pictures_of_a_prompt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A picture is served as it was sent; one that changed, or that is none, is not."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "seen").mkdir()
    (tmp_path / "seen" / "bench.py").write_text(SEEN)
    picture = encode_png(np.arange(64, dtype=np.uint8).reshape(8, 8))
    (tmp_path / "a.png").write_bytes(picture)
    benchmark = load_benchmark("seen.bench", (), {})
    words = ("results=results", "model=fake", "model.capabilities.images=true", "preflight=false")
    run = run_here(*words, benchmark=benchmark).folder.resolve()
    given = next(read_journal(run / JOURNAL_FILE))
    assert given.failure is None
    query = query_of(run, tmp_path / "results", given)
    pages = pages_of(tmp_path / "results")
    described = pages.sounds(query)
    assert [each["mime"] for each in described["pictures"]] == ["image/png"]
    assert described["turns"][0]["parts"][1] == {"picture": 0}
    media = pages.picture(query)
    assert (media.data, media.mime) == (picture, "image/png")
    (tmp_path / "a.png").write_bytes(encode_png(np.zeros((8, 8), np.uint8)))
    with pytest.raises(BadData, match="the recordings have changed"):
        pages_of(tmp_path / "results").picture(query)
    (tmp_path / "a.png").write_bytes(b"<script>alert(1)</script>")
    with pytest.raises(BadData, match="is no picture"):
        pages_of(tmp_path / "results").picture(query)
    (tmp_path / "a.png").unlink()
    without = pages_of(tmp_path / "results").sounds(query)
    assert "a.png: no such file" in without["pictures"][0]["why"]
    assert [clip["why"] for clip in without["clips"]] == [""]
