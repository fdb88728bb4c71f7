"""What was sent, made again from the run: byte for byte, and a sentence where that cannot be done."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from sound_forms import CONDITIONS, MODULE, ask, make_forms
from table_data import wav

from earmark.errors import BadData, UsageError
from earmark.journal import JOURNAL_FILE, Record, read_journal
from earmark.models.fake import FakeModel
from earmark.runs.import_runs import import_runs
from earmark.runs.replay_sound import RunReplay, user_modules
from earmark.runs.trust import trust_run
from earmark.types import EncodedAudio, Prompt, Response, Waveform


@pytest.fixture(scope="module")
def _folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("replayed")
    return make_forms(folder)


@pytest.fixture
def folder(_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder of the runs, with a module of one's own and its clips."""
    monkeypatch.chdir(_folder)
    return _folder


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[list[bytes]]:
    """The bytes of the sounds of each request, in order."""
    requests: list[list[bytes]] = []

    async def generate(_: FakeModel, prompt: Prompt) -> Response:
        parts = [part for turn in prompt.turns for part in turn.parts if isinstance(part, EncodedAudio | Waveform)]
        requests.append([part.data if isinstance(part, EncodedAudio) else part.samples.tobytes() for part in parts])
        return Response("A")

    monkeypatch.setattr(FakeModel, "generate", generate)
    return requests


def read(folder: Path) -> Iterator[Record]:
    return read_journal(folder / JOURNAL_FILE)


@pytest.mark.parametrize(
    "capabilities", ["{}", "{formats:[samples],rates:[16000],channels:1}", "{formats:[flac],rates:[8000]}"]
)
def test_every_form_of_sound_is_made_again_byte_for_byte(
    folder: Path, sent: list[list[bytes]], capabilities: str
) -> None:
    made = ask("replayed.bench", f"condition={CONDITIONS}", f"model.capabilities={capabilities}", "data=clips")
    replay, records = RunReplay(made), list(read(made))
    assert len(records) == len(sent) == 36
    for record, sounds in zip(records, sent, strict=True):
        again = replay.replay(record)
        parts = [part for turn in again.prompt.turns for part in turn.parts]
        data = [
            part.data if isinstance(part, EncodedAudio) else part.samples.tobytes()
            for part in parts
            if isinstance(part, EncodedAudio | Waveform)
        ]
        assert (again.differences, data) == ((), sounds), record.title
        assert [sound.seconds for sound in again.sounds] == [each.seconds for each in record.audio_sent]


@pytest.mark.parametrize(
    "words",
    [
        ("acoustics:pitch", "items=4", "condition=[plain,silence,noise:0]"),
        ("listen", "policy=official", "limit=2", "condition=[plain,silence]", "data=SHARED/fixtures/listen"),
    ],
)
def test_packaged_benchmarks_come_out_equal(words: tuple[str, ...], shared: Path, sent: list[list[bytes]]) -> None:
    name = words[0].partition(":")[0]
    given = [word.replace("SHARED", str(shared)) for word in words[1:]]
    made = ask(name, *given, *(["limit=2"] if name == "acoustics" else []))
    replay = RunReplay(made)
    records = list(read(made))
    with_sound = [record for record in records if record.audio_sent]
    assert with_sound
    assert user_modules(made) == []
    replayed = [replay.replay(record) for record in with_sound]
    assert [again.differences for again in replayed] == [()] * len(replayed)
    asked = [sounds for sounds in sent if sounds]
    assert [[sound.data for sound in again.sounds] for again in replayed] == asked


def plain(made: Path, number: int = 0) -> Record:
    return list(read(made))[number]


def test_a_clip_that_moved_is_found_beside_the_run_or_by_a_mapping(folder: Path, tmp_path: Path) -> None:
    made = ask("replayed.bench", "data=clips")
    expected = RunReplay(made).replay(plain(made)).sounds
    project = tmp_path / "moved"  # the whole project elsewhere
    trust_run(shutil.copytree(made, project / "results/m/b/t"))
    shutil.copytree(folder / "clips", project / "clips")
    moved = project / "results/m/b/t"
    assert RunReplay(moved).replay(plain(moved)).sounds == expected
    gone = forget_working_folder(moved)
    assert RunReplay(gone).replay(plain(gone)).sounds == expected
    (project / "clips").rename(tmp_path / "elsewhere")
    for media in (f"clips={tmp_path / 'elsewhere'}", str(tmp_path / "elsewhere")):
        assert RunReplay(gone, [media]).replay(plain(gone)).sounds == expected
    problems = RunReplay(gone).replay(plain(gone)).sound_problems
    assert sorted(problems) == [0, 1]
    assert all("clips/mono.wav: no such file; looked for it at" in problem for problem in problems.values())


def forget_working_folder(made: Path) -> Path:
    """A run whose working folder is not there any more."""
    signature = msgspec.json.decode((made / "run.json").read_bytes())
    signature["working_folder"] = "/nowhere/at/all"
    (made / "run.json").write_bytes(msgspec.json.encode(signature))
    trust_run(made)
    return made


def test_a_clip_that_changed_is_told_from_one_that_is_missing(folder: Path) -> None:
    made = ask("replayed.bench", "data=clips")
    before = (folder / "clips/mono.wav").read_bytes()
    try:
        (folder / "clips/mono.wav").write_bytes(wav(1000))
        problems = RunReplay(made).replay(plain(made)).sound_problems
        assert re.search(r"mono\.wav is not the file that was sent: its digest is \w{16}, and .* has", problems[0])
    finally:
        (folder / "clips/mono.wav").write_bytes(before)
    assert RunReplay(made).replay(plain(made)).differences == ()


PAIRS = MODULE.replace("(clip, clip)", "(clip, other)").replace(
    "            if isinstance(clip, Clip):",
    """            other = Clip(f"{settings.data}/other-{number}.wav")
            if isinstance(clip, Clip):""",
)


def test_a_missing_clip_leaves_the_others_of_its_item(folder: Path, sent: list[list[bytes]]) -> None:
    """Each clip has its own sentence; what depends on one that is missing is never another sound."""
    (folder / "paired").mkdir(exist_ok=True)
    (folder / "paired" / "bench.py").write_text(PAIRS)
    for number in range(6):
        (folder / f"clips/other-{number}.wav").write_bytes(wav(800 + 50 * number))
    made = ask("paired.bench", "data=clips", "condition=[plain,silence,noise:0,swap,codec:mp3@32k,noise:babble@0]")
    records = [record for record in read(made) if record.item.id == "item-1"]
    asked = {record.condition: sounds for record, sounds in zip(read(made), sent, strict=True) if record in records}
    (folder / "clips/other-1.wav").rename(folder / "clips/away.wav")
    try:
        replay = RunReplay(made)
        for record in records:
            again = replay.replay(record)
            kept = [number for number in (0, 1) if number not in again.sound_problems]
            assert kept == ([0, 1] if record.condition == "swap" else [0]), (record.condition, again.sound_problems)
            for number in kept:
                assert again.sounds[number].data == asked[record.condition][number], record.condition
            assert all("other-1.wav: no such file" in problem for problem in again.sound_problems.values())
            lost = [line for line in again.differences if "clips of other items" in line]
            assert bool(lost) == record.condition.startswith("noise:babble")
            assert again.differences == tuple(lost)
    finally:
        (folder / "clips/away.wav").rename(folder / "clips/other-1.wav")
    assert RunReplay(made).replay(records[0]).sound_problems == {}


def test_code_is_imported_only_where_it_is_allowed_and_lies_here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = ask("replayed.bench", "data=clips")
    assert user_modules(made) == ["replayed.bench"]
    with pytest.raises(BadData, match=r"module replayed\.bench, which is code and was not allowed"):
        RunReplay(made, allow_code=False)
    monkeypatch.chdir("/")
    with pytest.raises(BadData, match="does not lie in /; start there"):
        RunReplay(made)


def test_without_sound_the_kept_words_are_the_prompt(folder: Path) -> None:
    made = ask("replayed.bench", "data=clips", "condition=no-media")
    (system, user) = RunReplay(made).replay(plain(made)).prompt.turns
    assert system.parts == ("Listen.",)
    assert all(isinstance(part, str) for part in user.parts)
    (made / "words.jsonl").unlink()
    with pytest.raises(BadData, match="no sound was sent, and the words were not kept"):
        RunReplay(made).replay(plain(made))


def test_an_imported_run_has_the_sound_that_a_folder_has_by_the_id(tmp_path: Path) -> None:
    logs = tmp_path / "inspect"
    shutil.copytree(Path(__file__).parents[1] / "importers/logs/inspect", logs)
    made = next(run for run, _ in import_runs(logs, "", "results", "", lambda _: None))
    record = plain(made)
    with pytest.raises(BadData, match="the log has no sound of it; --media FOLDER"):
        RunReplay(made).replay(record)
    (tmp_path / "clips").mkdir()
    (tmp_path / "clips" / f"{record.item.id}.wav").write_bytes(wav())
    again = RunReplay(made, [str(tmp_path / "clips")]).replay(record)
    assert [sound.data for sound in again.sounds] == [wav()]
    assert again.differences == ("found by its name: the log has no digest to compare it with",)
    with pytest.raises(UsageError, match="is no folder; expected OLD=NEW"):
        RunReplay(made, ["nowhere"])
