"""Personalized-Hearing: what is asked, to the letter; what is read; what fails by name."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from aiohttp import web
from commands import earmark
from servers import said, serving, sounds, threaded, words

from earmark.benchmarks import _hearing_data as hearing_data
from earmark.benchmarks import personalized_hearing as ph
from earmark.benchmarks._hearing_media import convert, fetch_clips
from earmark.engine.load import load_benchmark
from earmark.errors import BadData, UsageError
from earmark.journal import read_journal
from earmark.types import Clip, Context, ImageRef

VECTORS = {
    "cand_0001:0": "I2 I3 I1 C",
    "cand_0001:1": "C I2 I3 I1",
    "001_q0007:0": "I2 I1 I3 C",
    "u001-042:0": "I2 C I3 I1",
}


@pytest.fixture
def fixture(shared: Path) -> Path:
    return shared / "fixtures/personalized_hearing"


def settings(folder: Path, **more: Any) -> ph.Settings:
    return ph.Settings(data=str(folder / "data"), media=str(folder / "media"), **more)


def messages(folder: Path, **more: Any) -> list[dict[str, Any]]:
    """Every prompt in the form of the fixture."""
    told = []
    for item in ph.items(settings(folder, **more)):
        turns = []
        for turn in ph.prompt(settings(folder, **more), item).turns:
            parts = [
                ["text", p] if isinstance(p, str) else ["image" if isinstance(p, ImageRef) else "audio", p.name]
                for p in turn.parts
            ]
            turns.append([turn.role, parts[0][1] if len(parts) == 1 and parts[0][0] == "text" else parts])
        told.append({"user_id": item.group, "candidate_id": item.id, "gold": item.targets[0], "messages": turns})
    return told


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "more"),
    [("default", {}), ("frames4_seed1", {"frame_count": 4, "seed": 1}), ("no_audio", {"no_audio": True})],
)
def test_every_request_is_exact(fixture: Path, name: str, more: dict[str, Any]) -> None:
    expected = [json.loads(line) for line in (fixture / f"requests_{name}.jsonl").read_text().splitlines()]
    assert messages(fixture, **more) == expected


@pytest.mark.parametrize(("name", "order"), VECTORS.items())
def test_options_are_shuffled_as_the_script_does(name: str, order: str) -> None:
    candidate, _, seed = name.rpartition(":")
    question = hearing_data.HearingQuestion(candidate, "t", "?", "C", ("I1", "I2", "I3"), hearing_data.Location("S", 0))
    item = ph.item(ph.Settings(seed=int(seed)), Path("001"), question, 0)
    assert " ".join(item.choices) == order
    assert item.text(item.targets[0]) == "C"


@pytest.mark.parametrize(
    ("frames", "count", "chosen"),
    [
        (20, 10, [0, 2, 4, 6, 8, 11, 13, 15, 17, 19]),
        (30, 10, [0, 3, 6, 10, 13, 16, 19, 23, 26, 29]),
        (11, 4, [0, 3, 7, 10]),
        (10, 3, [0, 4, 9]),
        (8, 4, [0, 2, 5, 7]),
        (10, 2, [0, 9]),
        (3, 10, [0, 1, 2]),
        (5, 1, [0]),
        (5, 0, []),
    ],
)
def test_frames_are_spread_as_the_script_does(frames: int, count: int, chosen: list[int]) -> None:
    assert [int(str(path)) for path in ph.spread_frames([Path(str(at)) for at in range(frames)], count)] == chosen


@pytest.mark.shared
def test_requests_carry_coded_media_once_made(fixture: Path) -> None:
    with serving(lambda *_: said("<final_answer> (a)")) as server:
        more = ("users=[001]", f"model={server.url}", "model.concurrency=1")
        done = earmark("run", "personalized_hearing", f"data={fixture}/data", f"media={fixture}/media", *more)
        assert done.returncode == 0, done.stderr
    assert len(server.asked) == 5
    body = next(body for body in server.asked if "S01?" in words(body) and len(body["messages"]) == 3)
    assert {field: body[field] for field in body if field not in ("messages", "model")} == {"max_tokens": 4096}
    ((form, sound),) = sounds(body)
    assert form == "mp3"
    assert sound[:3] == b"ID3" or sound[:2] == b"\xff\xfb"
    images = [part for part in body["messages"][1]["content"] if part["type"] == "image_url"]
    assert len(images) == 10
    assert all(image["image_url"]["detail"] == "high" for image in images)
    assert body["messages"][2]["content"].startswith("Which sound")
    cutoffs = [len(body["messages"]) for body in server.asked]
    assert cutoffs == sorted(cutoffs), "questions of one user go out in the order of their history"


@pytest.mark.shared
def test_a_reply_without_a_choice_is_asked_for_once_more_and_the_last_reply_stays(fixture: Path) -> None:
    with serving(lambda _, number: said(["no idea", "still none", "<final_answer> (b)"][min(number, 3) - 1])) as server:
        more = ("users=[001]", "per_user=2", f"model={server.url}", "model.concurrency=1")
        earmark("run", "personalized_hearing", f"data={fixture}/data", f"media={fixture}/media", *more)
        assert len(server.asked) == 3
    (path,) = Path("results").rglob("responses.jsonl")
    first, second = read_journal(path)
    assert (first.response and first.response.text, first.attempts) == ("still none", 2)
    assert (second.response and second.response.text, second.attempts) == ("<final_answer> (b)", 1)


@pytest.mark.shared
def test_a_broken_frame_or_clip_fails_its_items_by_name_and_no_other(fixture: Path, tmp_path: Path) -> None:
    shutil.copytree(fixture, tmp_path / "copy")
    (tmp_path / "copy/media/asset_1002/frames/frame_000.jpg").write_bytes(b"no picture")
    (tmp_path / "copy/media/asset_1003/audio.wav").write_bytes(b"no sound")
    copy = tmp_path / "copy"
    done = earmark(
        "run",
        "personalized_hearing",
        f"data={copy}/data",
        f"media={copy}/media",
        "model=fake",
        "model.reply=<final_answer> (a)",
    )
    assert done.returncode == 7, done.stderr
    (path,) = Path("results").rglob("responses.jsonl")
    failures = {record.item.id: record.failure.message for record in read_journal(path) if record.failure}
    assert set(failures) == {f"002_q000{at}" for at in range(5)}
    assert all("asset_1002/frame_000.jpg" in message for message in failures.values())
    assert "1 of 4 clips are not in" in done.stdout


@pytest.mark.shared
def test_an_item_says_which_clips_of_its_history_are_missing(fixture: Path) -> None:
    settings = ph.Settings(data=str(fixture / "data"), media=str(fixture / "media"))
    missing = {item.id: item.tags.get("missing") for item in ph.load(settings, Context("personalized_hearing")).items()}
    assert missing["001_q0000"] is None
    assert missing["002_q0002"] == "asset_1004"
    expected = [json.loads(line) for line in (fixture / "requests_default.jsonl").read_text().splitlines()]
    for request in expected:  # where a session has its date and no sound, and only there
        heads = [content for _, content in request["messages"] if isinstance(content, list)]
        bare = [head for head in heads if "audio" not in {kind for kind, _ in head}]
        assert bool(bare) == (missing[request["candidate_id"]] is not None)


@pytest.mark.shared
def test_numbers_by_type_by_user_and_over_users(fixture: Path) -> None:
    done = earmark(
        "run",
        "personalized_hearing",
        f"data={fixture}/data",
        f"media={fixture}/media",
        "model=fake",
        "model.reply=<final_answer> (a)",
    )
    assert done.returncode == 0, done.stderr
    (path,) = Path("results").rglob("metrics.json")
    rows = {row["slice"]: row for row in json.loads(path.read_text())["rows"]}
    assert rows[""]["n"] == 15
    users = [rows[f"user={user}"]["metrics"]["accuracy"]["value"] for user in ("001", "002", "901")]
    assert rows["mean over users"]["metrics"]["accuracy"]["value"] == pytest.approx(sum(users) / 3)
    assert {name for name in rows if name.startswith("type=")} == {
        f"type={name}" for name in ("audio_recall", "visual_recall", "adjustment", "preference_recall")
    }


def test_a_session_that_comes_twice_is_the_first_and_a_clip_is_a_folder_of_media(tmp_path: Path) -> None:
    user = tmp_path / "001"
    user.mkdir()
    session = {"session_id": "S1", "timestamp": "t", "selected_asset_id": "a", "dialogue": []}
    question = {
        "candidate_id": "q",
        "Type": "t",
        "Question": "?",
        "Correct_Answer": "c",
        "Incorrect_Answers": ["x", "y", "z"],
        "question_location": {"session_id": "S1", "turn_cutoff": 0},
    }
    (user / hearing_data.QUESTIONS).write_text(json.dumps({"qa": [question]}))
    (user / hearing_data.SESSIONS).write_text(json.dumps({"sessions": [session, session]}))
    (item,) = ph.load(ph.Settings(data=str(tmp_path), media=str(tmp_path)), Context("personalized_hearing")).items()
    assert item.tags["at"] == "0:0"
    (tmp_path / "more/001").mkdir(parents=True)
    (tmp_path / "more/001" / hearing_data.QUESTIONS).write_text(json.dumps({"qa": [question]}))
    strange = session | {"selected_asset_id": "../elsewhere"}
    (tmp_path / "more/001" / hearing_data.SESSIONS).write_text(json.dumps({"sessions": [strange]}))
    with pytest.raises(BadData, match=r"'\.\./elsewhere', expected the name of a folder in media - at `\$\.sessions"):
        ph.load(ph.Settings(data=str(tmp_path / "more"), media=str(tmp_path)), Context("personalized_hearing"))


def test_bad_data_is_told_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="needs data=FOLDER"):
        ph.load(ph.Settings(), Context("personalized_hearing")).files()
    with pytest.raises(BadData, match="no such folder"):
        ph.load(ph.Settings(data=str(tmp_path / "no"), media="m"), Context("personalized_hearing"))
    with pytest.raises(BadData, match="m: no such folder; give media="):
        ph.load(ph.Settings(data=str(tmp_path), media="m"), Context("personalized_hearing"))
    with pytest.raises(BadData, match=r"found no 10_benchmark_qa\.json"):
        ph.load(ph.Settings(data=str(tmp_path), media=str(tmp_path)), Context("personalized_hearing"))
    user = tmp_path / "001"
    user.mkdir()
    (user / hearing_data.QUESTIONS).write_text('{"qa": [{"candidate_id": "x"}]}')
    with pytest.raises(BadData, match="no such file"):
        ph.load(ph.Settings(data=str(tmp_path), media=str(tmp_path)), Context("personalized_hearing"))
    (user / hearing_data.SESSIONS).write_text(
        '{"sessions": [{"session_id": "S1", "timestamp": 3, "selected_asset_id": "a", "dialogue": []}]}'
    )
    with pytest.raises(BadData, match=r"7\.1_dialogue_enhanced\.json: Expected `str`, got `int`"):
        ph.load(ph.Settings(data=str(tmp_path), media=str(tmp_path)), Context("personalized_hearing"))
    (user / hearing_data.SESSIONS).write_text(
        '{"sessions": [{"session_id": "S1", "timestamp": "t", "selected_asset_id": "a", "dialogue": []}]}'
    )
    with pytest.raises(BadData, match="missing required field `Type`"):
        list(ph.load(ph.Settings(data=str(tmp_path), media=str(tmp_path)), Context("personalized_hearing")).items())
    with pytest.raises(UsageError, match="users=009: no such user"):
        ph.load(
            ph.Settings(data=str(tmp_path), media=str(tmp_path), users=("009",)), Context("personalized_hearing")
        ).files()


@pytest.mark.parametrize("setting", [{"frame_count": -1}, {"max_tokens": 0}])
def test_a_number_that_means_nothing_is_refused(setting: dict[str, int]) -> None:
    with pytest.raises(UsageError, match=r": expected a whole number >= \d$"):
        load_benchmark("personalized_hearing", (), setting)


def test_clips_say_how_they_are_coded(tmp_path: Path) -> None:
    place = tmp_path / "a"
    (place / "frames").mkdir(parents=True)
    (place / "audio.wav").touch()
    (place / "frames/f.jpg").touch()
    session = hearing_data.Session("S1", "2020", "a", ())
    date, frame, sound = ph.clip(ph.Settings(media=str(tmp_path), image_detail="low"), session)
    assert date == "[S1 | 2020]"
    assert frame == ImageRef(str(place / "frames/f.jpg"), "a/f.jpg", 384, "low")
    assert sound == Clip(str(place / "audio.wav"), name="a", codec="mp3@64k/16000")


# ---------------------------------------------------------------- the script's own flags and files


@pytest.mark.shared
def test_files_of_the_script_are_written_live_in_its_order(fixture: Path, tmp_path: Path) -> None:
    shutil.copytree(fixture / "data", "data")
    shutil.copytree(fixture / "media", "media")
    order = {
        file.parent.name: [question["candidate_id"] for question in _questions(file)]
        for file in sorted(Path("data").glob("*/10_benchmark_qa.json"))
    }
    lines_while_asked: list[int] = []

    def answer(body: dict[str, Any], number: int) -> Any:
        lines_while_asked.append(sum(len(path.read_text().splitlines()) for path in Path("out").glob("*.jsonl")))
        if number == 3:
            return web.json_response({"error": {"message": "broke"}}, status=400)
        return said(f"<final_answer> ({'abcd'[number % 4]})")

    words = (
        "run",
        "personalized_hearing",
        "out_dir=out",
        "cache_dir=media_cache",
        "request_attempts=1",
        "preflight=false",
    )
    with serving(answer) as server:
        done = earmark(*words, f"model={server.url}", "model.concurrency=4")
        assert done.returncode == 7, done.stderr
        assert "failed 1 of 1: " in done.stdout
        before = {path.stem: path.read_text() for path in Path("out").glob("*.jsonl")}
        for user, ids in order.items():
            assert [json.loads(line)["candidate_id"] for line in before[user].splitlines()] == ids
        assert max(lines_while_asked) > 5, "written while the run went on"
        assert any(Path("media_cache").rglob("*.mp3"))
        (run,) = Path("results/test-model/personalized_hearing").iterdir()
        exported = earmark("export", str(run), "--to", "personalized-hearing", "--out", "exported")
        assert exported.returncode == 0, exported.stderr
    for user, text in before.items():
        lines = {line["candidate_id"]: line for line in map(json.loads, text.splitlines())}
        assert lines == {
            line["candidate_id"]: line
            for line in map(json.loads, Path(f"exported/{user}.jsonl").read_text().splitlines())
        }


def _questions(file: Path) -> list[dict[str, Any]]:
    content = json.loads(file.read_text())
    questions: list[dict[str, Any]] = (content[0] if isinstance(content, list) else content)["qa"]
    return questions


@pytest.mark.shared
def test_accuracy_by_family_follows_the_names_of_types_or_the_settings(fixture: Path) -> None:
    families = {item.tags["type"]: item.tags["family"] for item in ph.items(settings(fixture))}
    assert families == {
        "audio_recall": "audio",
        "visual_recall": "visual",
        "preference_recall": "personalization",
        "adjustment": "hearing adjustment",
    }
    own = settings(fixture, families={"audio_recall": "ears"})
    assert {item.tags["family"] for item in ph.items(own)} == {"ears", *families.values()} - {"audio"}


@pytest.mark.shared
def test_clips_come_from_folders_and_addresses_and_what_is_missing_is_listed(fixture: Path, tmp_path: Path) -> None:
    names = sorted(path.name for path in (fixture / "media").iterdir())
    (tmp_path / "one").mkdir()
    shutil.copytree(fixture / "media" / names[0], tmp_path / "one" / names[0])
    shutil.copy(fixture / "media" / names[1] / "audio.wav", tmp_path / "one" / f"{names[1]}.wav")
    sound = (fixture / "media" / names[2] / "audio.wav").read_bytes()
    asked: list[str] = []

    async def serve(request: web.Request) -> web.StreamResponse:
        asked.append(request.path)
        if names[2] not in request.path:
            return web.Response(status=404)
        return web.Response(body=sound)

    app = web.Application()
    app.router.add_get("/{name}", serve)
    with threaded(app) as port:
        sources = (str(tmp_path / "one"), f"http://127.0.0.1:{port}/{{asset}}.wav")
        told: list[str] = []
        missing = fetch_clips([*names[:3], "not-there"], tmp_path / "media", sources, told.append)
        assert list(missing) == ["not-there"]
        assert "HTTP 404" in missing["not-there"]
        assert told == ["clips: 3 of 4 fetched, 1 could not be had"]
        assert (tmp_path / "media" / "missing.txt").read_text().startswith("not-there\t")
        for name in names[:3]:
            assert (tmp_path / "media" / name / "audio.wav").exists()
        assert len(list((tmp_path / "media" / names[0] / "frames").iterdir())) > 0
        before = len(asked)
        assert fetch_clips(names[:3], tmp_path / "media", sources, told.append) == {}
        assert len(asked) == before, "what is there is left alone"
    missing = fetch_clips(["x"], tmp_path / "other", ("youtube",), print)
    assert missing == {"x": "youtube: the name of the clip tells no video and second"}
    with pytest.raises(UsageError, match=r"no such folder; expected one, an address with \{asset\}, or youtube"):
        fetch_clips(["x"], tmp_path / "other", ("nowhere",), print)


def test_frames_of_a_video_are_one_a_second(tmp_path: Path) -> None:
    av = pytest.importorskip("av")
    with av.open(str(tmp_path / "clip.mp4"), "w") as sink:
        video, audio = sink.add_stream("mpeg4", rate=5), sink.add_stream("aac", rate=16000, layout="mono")
        video.width, video.height, video.pix_fmt = 64, 48, "yuv420p"
        for number in range(15):
            frame = av.VideoFrame.from_ndarray(np.full((48, 64, 3), number * 10, np.uint8), format="rgb24")
            frame.pts = number
            sink.mux(video.encode(frame))
        sound = av.AudioFrame.from_ndarray(np.zeros((1, 48000), np.float32), format="fltp", layout="mono")
        sound.sample_rate, sound.pts = 16000, 0
        sink.mux(audio.encode(sound))
        sink.mux(video.encode(None))
        sink.mux(audio.encode(None))
    convert(tmp_path / "clip.mp4", tmp_path / "made")
    assert [path.name for path in sorted((tmp_path / "made/frames").iterdir())] == [
        "frame_0000.jpg",
        "frame_0001.jpg",
        "frame_0002.jpg",
    ]
    assert (tmp_path / "made/audio.wav").stat().st_size > 80_000
