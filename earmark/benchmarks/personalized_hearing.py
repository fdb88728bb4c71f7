"""Personalized-Hearing: does a wearable assistant remember what it heard and what its user likes, over years?

Data      facebook/personalized-hearing: 104 synthetic users, 60 sessions each, 7,965 questions (benchmarking only); the
          clips come from AudioSet and are fetched apart: data=FOLDER media=FOLDER
Tasks     questions
Sound     a clip of ten seconds at the head of each session: frames 384 pixels wide, then mp3 at 16 kHz, 64 kbit/s
Scored    accuracy over four options, by type, by user, and as the mean over users

Each question is asked with everything before it: all earlier sessions, then its own up to the turn where it stands. The
clip's frames and sound come before the first words of the user in a session; a session whose clip is missing keeps its
date alone. The options stand in an order that the item and the seed decide. A reply counts by the one letter in
brackets after its last <final_answer>; a reply that names none is asked for once more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from pathlib import Path
from random import Random
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta, Struct

from earmark.benchmarks._choices import check_tasks
from earmark.benchmarks._hearing_data import (
    QUESTIONS,
    SESSIONS,
    DialogueTurn,
    HearingQuestion,
    QuestionFile,
    Session,
    history,
    ids_recur,
    read_record,
)
from earmark.data.cache import use_media_dir
from earmark.data.fetch import FetchedDataset, fetch_dataset, find_fetched
from earmark.errors import BadData, UsageError, alternatives
from earmark.journal import Record
from earmark.plugins.examples import BenchmarkExample
from earmark.scorers.choice import ChoiceScorer
from earmark.scorers.choice import Settings as ChoiceSettings
from earmark.text.published_parsers import FINAL
from earmark.text.published_parsers import final_answer_letter as read_answer
from earmark.types import (
    UNSIGNED,
    Benchmark,
    Clip,
    Context,
    ImageRef,
    Item,
    Part,
    Prompt,
    Response,
    Turn,
    WritesRecords,
)

PROMPT_WITH_AUDIO: Final = (
    "You are a wearable hearing assistant worn by one user. You talk with the user in separate sessions spread "
    "over several years. Each session begins with a 10-second audio-visual clip of what you perceived at that "
    "moment: ordered frames sampled evenly across the clip, followed by the audio. That clip describes the "
    "environment for the whole session, until the next clip appears. Each session is marked with its date."
)
PROMPT_WITHOUT_AUDIO: Final = (
    "You are a wearable assistant worn by one user. You talk with the user in separate sessions spread over "
    "several years. Each session begins with ordered frames of what you saw at that moment. Those frames "
    "describe the environment for the whole session, until the next set appears. Each session is marked with its "
    "date."
)
INSTRUCTION: Final = (
    "Find the most appropriate answer and give your final answer (a), (b), (c), or (d) after the special token "
    "<final_answer>. Before that, in at most two sentences, state your reasons."
)
REPOSITORY: Final = "facebook/personalized-hearing"
FAMILIES: Final = {  # as the card names the four, by how the names of their types may begin
    "audio": "audio",
    "visual": "visual",
    "person": "personalization",
    "prefer": "personalization",
    "hearing": "hearing adjustment",
    "adjust": "hearing adjustment",
}
SHOWN_MISSING: Final = 10
LABELS: Final = ("a", "b", "c", "d")
FRAME_WIDTH: Final = 384  # pixels
CLIP_CODEC: Final = "mp3@64k/16000"  # mono, as everything mp3 here
RESCORING_FIELDS: Final = ()  # settings that only score: there are none


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """Settings of the benchmark, named as in the authors' script."""

    data: Annotated[str, UNSIGNED] = ""  # a folder with a folder for each user; empty: ./data, or what was fetched
    media: Annotated[str, UNSIGNED] = ""  # a folder with audio.wav and frames/*.jpg for each clip; empty: ./media
    cache_dir: Annotated[str, UNSIGNED] = ""  # where coded frames and sound are kept; empty: the cache of this package
    out_dir: Annotated[str, UNSIGNED] = ""  # where <user>.jsonl is written, as the script does; empty: nowhere
    clips_from: Annotated[tuple[str, ...], UNSIGNED] = ("youtube",)  # for earmark fetch: folders, addresses, youtube
    families: Annotated[dict[str, str], UNSIGNED] = {}  # of question types, where neither the data nor their names tell
    revision: Annotated[str, UNSIGNED] = "main"  # of the data on the hub
    users: tuple[str, ...] = ()  # empty: all
    frame_count: Annotated[int, Meta(ge=0)] = 10  # of a clip
    image_detail: Literal["low", "high", "auto"] = "high"
    no_audio: bool = False
    max_tokens: Annotated[int, Meta(ge=1)] = 4096  # of a reply
    request_attempts: Annotated[int, Meta(ge=1), UNSIGNED] = 3  # for one answer
    seed: int = 0
    per_user: Annotated[int, Meta(ge=0)] = 0  # the first so many questions of each user; 0: all


def find_data(settings: Settings) -> Settings:
    """Settings with the folders that are there: `data` and `media` of the working folder, or data that was fetched."""
    data, media = settings.data, settings.media
    if not data:
        fetched = find_fetched(REPOSITORY, settings.revision)
        places = [Path("data"), *([fetched.place / "data"] if fetched else [])]
        data = next((str(place) for place in places if any(place.glob(f"*/{QUESTIONS}"))), "")
    if not media and Path("media").is_dir():
        media = "media"
    return msgspec.structs.replace(settings, data=data, media=media)


def result_files(settings: Settings) -> WritesRecords:
    """The files that the authors' script writes, <out_dir>/<user>.jsonl."""
    from earmark.benchmarks._hearing_files import ResultFiles  # noqa: PLC0415 - of runs that write them

    def read(record: Record) -> str | None:
        return read_answer(record.response.text, LABELS).answer if record.response else None

    return ResultFiles(Path(settings.out_dir).expanduser(), items(settings), read)


def download(settings: Settings, log: Callable[[str], object]) -> FetchedDataset:
    """Bring the data from the hub and the clips from `clips_from`: what `earmark fetch personalized_hearing` does."""
    from earmark.benchmarks._hearing_media import MISSING, check_sources, fetch_clips  # noqa: PLC0415 - of one command

    check_sources(settings.clips_from)
    fetched = fetch_dataset(REPOSITORY, settings.revision, ["data/*"], log)
    media = Path(settings.media or "media").expanduser()
    given = msgspec.structs.replace(settings, data=str(fetched.place / "data"), media=str(media))
    media.mkdir(parents=True, exist_ok=True)
    assets = [session.selected_asset_id for folder in users(given) for session in history(folder)]
    missing = fetch_clips(assets, media, settings.clips_from, log)
    for asset, reason in list(missing.items())[:SHOWN_MISSING]:
        log(f"not there: {asset}: {reason}")
    if missing:
        log(f"{len(missing)} of {len({*assets})} clips could not be had; {media / MISSING} lists them; runs go without")
    return fetched


def load(settings: Settings, context: Context) -> Benchmark:
    """The benchmark."""
    settings = find_data(settings)
    if settings.cache_dir:
        use_media_dir(Path(settings.cache_dir).expanduser())
    return Benchmark(
        version=1,
        tasks=check_tasks(context.name, context.tasks, ("questions",)),
        items=partial(items, settings),
        prompt=partial(prompt, settings),
        scorers=lambda _: (ChoiceScorer(ChoiceSettings("personalized-hearing")),),
        files=partial(files, settings),
        source=REPOSITORY,
        license="benchmarking only",
        slices=("type", "family", "user"),
        mean_over="user",
        sort_key=lambda item: tuple(map(int, item.tags["at"].split(":"))),
        retry_if=should_ask_again,
        max_attempts=settings.request_attempts,
        open_files=partial(result_files, settings) if settings.out_dir else None,
        warnings=_warnings(settings),
        seed=settings.seed,
    )


def files(settings: Settings) -> tuple[str, ...]:
    """The files of the users' histories and questions; media are compared clip by clip."""
    return tuple(str(folder / name) for folder in users(settings) for name in (SESSIONS, QUESTIONS))


def users(settings: Settings) -> list[Path]:
    """The folders of the users, in order of name."""
    if not settings.data or not settings.media:
        raise UsageError(
            "personalized_hearing needs data=FOLDER (a folder for each user; earmark fetch personalized_hearing brings "
            "it) and media=FOLDER (one for each clip; an empty one asks without any), or data and media here"
        )
    place = Path(settings.data).expanduser()
    if not place.is_dir():
        raise BadData(f"{place}: no such folder; give data=FOLDER with a folder for each user")
    if not Path(settings.media).expanduser().is_dir():
        raise BadData(
            f"{settings.media}: no such folder; give media=FOLDER with a folder for each clip, or an empty one"
        )
    folders = sorted(path.parent for path in place.glob(f"*/{QUESTIONS}"))
    if not folders:
        raise BadData(f"{place}: found no {QUESTIONS}, expected one in a folder for each user")
    names = [folder.name for folder in folders]
    unknown = [user for user in settings.users if user not in names]
    if unknown:
        some = f"{', '.join(names[:10])}{' and more' if len(names) > 10 else ''}"
        raise UsageError(f"users={unknown[0]}: no such user in {place}{alternatives(unknown[0], names, some)}")
    return [folder for folder in folders if not settings.users or folder.name in settings.users]


def _warnings(settings: Settings) -> tuple[str, ...]:
    """Number of clips of the sessions are missing, once it is known where they should be."""
    if not settings.data or not settings.media:
        return ()
    clips = {session.selected_asset_id for folder in users(settings) for session in history(folder)}
    missing = sum(not _has_clip(settings.media, clip) for clip in clips)
    warning = f"{missing} of {len(clips)} clips are not in {settings.media}: their sessions keep their date alone"
    return (warning,) if missing else ()


@lru_cache(maxsize=8192)
def _has_clip(media: str, asset: str) -> bool:
    """True if the audio of a clip exists, as the script checks it. Cached, so that all of a run agrees."""
    return (Path(media).expanduser() / asset / "audio.wav").exists()


def items(settings: Settings) -> Iterator[Item]:
    """The questions of every user, in the order of the files."""
    for folder in users(settings):
        places: dict[str, int] = {}
        for index, session in enumerate(history(folder)):
            places.setdefault(session.session_id, index)
        asked = read_record(folder / QUESTIONS, QuestionFile).qa
        for question in asked[: settings.per_user or None]:
            if question.question_location.session_id not in places:
                raise BadData(
                    f"{folder / QUESTIONS}: {question.candidate_id} stands in session "
                    f"{question.question_location.session_id}, which {SESSIONS} does not have"
                )
            index = places[question.question_location.session_id]
            clips = dict.fromkeys(session.selected_asset_id for session in history(folder)[: index + 1])
            missing = [clip for clip in clips if not _has_clip(settings.media, clip)]
            yield item(settings, folder, question, index, missing)


def item(
    settings: Settings, folder: Path, question: HearingQuestion, session: int, missing: Sequence[str] = ()
) -> Item:
    """One question, its options in the order that its id and the seed give; what clips of its history are missing is a
    tag.

    Its id is that of the data; where users share ids, that of the user stands before it.
    """
    options = [question.Correct_Answer, *question.Incorrect_Answers]
    Random(f"{question.candidate_id}:{settings.seed}").shuffle(options)  # noqa: S311
    return Item(
        id=f"{folder.name}/{question.candidate_id}" if ids_recur(folder.parent) else question.candidate_id,
        task="questions",
        question=question.Question,
        choices=tuple(options),
        labels=LABELS,
        targets=(LABELS[options.index(question.Correct_Answer)],),
        group=folder.name,
        tags={"type": question.Type, "user": folder.name, "at": f"{session}:{question.question_location.turn_cutoff}"}
        | ({"family": family} if (family := family_of(settings, question)) else {})
        | ({"missing": ", ".join(missing)} if missing else {}),
    )


def family_of(settings: Settings, question: HearingQuestion) -> str:
    """The family of a question: that of the data, of the settings, or the one that begins the name of its type.

    >>> from earmark.benchmarks._hearing_data import Location
    >>> place = Location("S01", 1)
    >>> family_of(Settings(), HearingQuestion("1", "audio_recall", "?", "a", ("b", "c", "d"), place))
    'audio'
    """
    if family := question.Family or settings.families.get(question.Type, ""):
        return family
    word = re.split(r"[\W_]+", question.Type.lower())[0]
    return next((family for begin, family in FAMILIES.items() if word.startswith(begin)), "")


def prompt(settings: Settings, asked: Item) -> Prompt:
    """The history up to the question, then the question."""
    sessions = history(Path(settings.data).expanduser() / asked.group)
    stop, cutoff = map(int, asked.tags["at"].split(":"))
    turns = [Turn("system", (PROMPT_WITHOUT_AUDIO if settings.no_audio else PROMPT_WITH_AUDIO,))]
    for session in sessions[:stop]:
        _add_session(settings, session, session.dialogue, turns)
    waiting = _add_session(settings, sessions[stop], sessions[stop].dialogue[:cutoff], turns)
    options = "\n".join(f"({label}) {choice}" for label, choice in zip(asked.labels, asked.choices, strict=True))
    turns.append(Turn("user", (*waiting, f"{asked.question}\n\n{INSTRUCTION}\n\n{options}")))
    return Prompt(tuple(turns), asked.choices, asked.labels, {"max_tokens": settings.max_tokens, "temperature": None})


def _add_session(
    settings: Settings, session: Session, dialogue: tuple[DialogueTurn, ...], turns: list[Turn]
) -> tuple[Part, ...]:
    """Add the turns of a session, its clip before the user's first words; the clip, if there have been none."""
    waiting = clip(settings, session)
    for spoken in dialogue:
        if spoken.role == "user" and waiting:
            turns.append(Turn("user", (*waiting, spoken.content)))
            waiting = ()
        else:
            turns.append(Turn(spoken.role, (spoken.content,)))
    return waiting


def clip(settings: Settings, session: Session) -> tuple[Part, ...]:
    """The date of a session, then frames and sound of its clip, where it is there."""
    date = f"[{session.session_id} | {session.timestamp}]"
    frames, sound = _frames_and_audio(
        settings.media, session.selected_asset_id, settings.frame_count, settings.image_detail
    )
    return (date, *frames, *(() if settings.no_audio else sound))


@lru_cache(maxsize=1024)  # every question asks for all clips before it
def _frames_and_audio(media: str, asset: str, count: int, detail: str) -> tuple[tuple[Part, ...], tuple[Part, ...]]:
    if not _has_clip(media, asset):
        return (), ()
    place = Path(media).expanduser() / asset
    frames = tuple(
        ImageRef(str(path), f"{asset}/{path.name}", FRAME_WIDTH, detail)
        for path in spread_frames(sorted((place / "frames").glob("*.jpg")), count)
    )
    return frames, (Clip(str(place / "audio.wav"), name=asset, codec=CLIP_CODEC),)


def spread_frames(frames: list[Path], count: int) -> list[Path]:
    """So many frames, from the first to the last; halves round to the even frame.

    >>> [int(str(frame)) for frame in spread_frames([Path(str(index)) for index in range(20)], 10)]
    [0, 2, 4, 6, 8, 11, 13, 15, 17, 19]
    """
    if count >= len(frames) or count <= 1:
        return frames[:count]
    return [frames[round(step * (len(frames) - 1) / (count - 1))] for step in range(count)]


def should_ask_again(response: Response) -> bool:
    """True if a reply came whole and named no choice."""
    return response.stop != "filtered" and read_answer(response.text, LABELS).answer is None


def examples() -> tuple[BenchmarkExample, ...]:
    return (
        BenchmarkExample(
            settings={"data": "personalized_hearing/data", "media": "personalized_hearing/media"},
            recorded=True,
            reply=f"{FINAL} ({{}})",
        ),
    )
