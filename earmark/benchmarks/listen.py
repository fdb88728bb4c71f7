"""LISTEN: does a model hear emotion in the voice, or read it in the words?

Paper     Do Audio LLMs Really LISTEN, or Just Transcribe? (Chen et al. 2025, arXiv 2510.10444)
Data      VibeCheck1/LISTEN_full on the Hugging Face hub: 11,507 rows of train (the official code never uses test)
Tasks     1_text 1_audio 1_audio_and_text (neutral words), 2A 2B 2C (words that match the voice), 3A 3B 3C (words that
          do not), 4 (sounds without words)
Sound     16 kHz, 3.5 s on average
Scored    accuracy over 5 to 11 emotions, unweighted average recall, macro and micro F1, chance

`policy=official` asks and scores as the authors' code does at its current head; `policy=earmark`, the default, keeps
every item in the denominator and an order of choices that depends on the item alone. Each part can be set by itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from random import Random
from typing import Annotated, Any, Final, Literal, TypeAlias

import msgspec
from msgspec import Struct

from earmark.benchmarks._choices import check_tasks
from earmark.benchmarks._listen_tables import listen_tables
from earmark.data.fetch import FetchedDataset, fetch_dataset, find_fetched
from earmark.data.rows import check_columns, column_types, parquet_files, read_rows
from earmark.errors import BadData, UsageError, alternatives
from earmark.plugins import signed_settings
from earmark.plugins.examples import BenchmarkExample
from earmark.scorers.listen import POLICIES as READING
from earmark.scorers.listen import ListenScorer, emotion_class
from earmark.scorers.listen import Settings as Listen
from earmark.text.choices import LETTERS, choice_letters, format_choices
from earmark.types import UNSIGNED, Average, Benchmark, Clip, Context, Item, Prompt, TaskFacts, Turn

Modality: TypeAlias = Literal["text", "audio", "audio_and_text"]
# In the official order, which is the order that its dice are thrown in.
TASKS: Final[dict[str, tuple[str, Modality]]] = {
    "1_text": ("1", "text"),
    "1_audio": ("1", "audio"),
    "1_audio_and_text": ("1", "audio_and_text"),
    "2A": ("2A", "text"),
    "2B": ("2B", "audio"),
    "2C": ("2B", "audio_and_text"),
    "3A": ("3A", "text"),
    "3B": ("3B", "audio"),
    "3C": ("3B", "audio_and_text"),
    "4": ("4", "audio"),
}
REPOSITORY: Final = "VibeCheck1/LISTEN_full"
AVERAGES: Final = {  # as the published table has them
    "neutral words": ("1_audio", "1_audio_and_text"),
    "matching words": ("2B", "2C"),
    "other words": ("3B", "3C"),
    "overall": ("1_audio", "1_audio_and_text", "2B", "2C", "3B", "3C", "4"),
}
MAX_CHOICES: Final = 10  # under policy=official; in the data as published no item has more
EXTRA: Final = ("neutral", "sadness", "surprise", "happiness", "fear", "anger", "excitement", "frustration")
HEADERS: Final[dict[Modality, str]] = {
    "audio": "Listen to the audio and classify the emotion.",
    "text": "Read the transcription and classify the emotion.",
    "audio_and_text": "Listen to the audio and read the transcription, then classify the emotion.",
}
TEXT = "VARCHAR"
COLUMNS: Final = {
    "id": TEXT,
    "question": TEXT,
    "answer": TEXT,
    "choices": f"{TEXT}[]",
    "transcription": TEXT,
    "experiment_type": TEXT,
    "dataset_source": TEXT,
    "explicit_emotion": TEXT,
}
AUDIO_COLUMN: Final = {"audio": f"STRUCT(bytes BLOB, path {TEXT})"}
SLICE_COLUMNS: Final = {"age": "age", "gender": "gender", "acted": "acted_or_spontaneous", "sarcasm": "sarcasm"} | {
    "conversation_format": "conversation_format"
}  # tags of an item, and the columns that they come from, where the data has them


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """Settings of the benchmark; an empty string means the policy's default."""

    data: Annotated[str, UNSIGNED] = ""  # a folder of parquet files
    experiments: tuple[str, ...] = ()  # empty: all ten
    sources: tuple[str, ...] = ()  # corpora such as CREMA-D; empty: all
    policy: Literal["earmark", "official"] = "earmark"
    gold: Literal["", "runner", "template", "paper-neutral"] = ""
    shuffle: Literal["", "stream", "item"] = ""
    letters: Literal["", "G1", "G2"] = ""
    parser: str = ""  # listen-g1, listen-g2, earmark, or any other reader of choices
    denominator: Literal["", "read", "asked"] = ""
    extend_3a: bool = True  # False: as the text-only runner, whose 3A is an easier task
    max_choices: int | None = None  # None: the policy's; 0: as many as there are
    split: str = "train"
    revision: Annotated[str, UNSIGNED] = "main"  # on the hub; the first fetch writes down the commit it stands for
    fetch: Annotated[bool, UNSIGNED] = False  # download the data where it is not there
    seed: int = 42


POLICIES: Final = {
    "official": {"gold": "runner", "shuffle": "stream", "letters": "G2"},
    "earmark": {"gold": "runner", "shuffle": "item", "letters": "G2"},
}
FACTS: Final = TaskFacts(needs_ears="no", reason="the transcription is asked about, no sound is sent")
RESCORING_FIELDS: Final = ("policy", "parser", "denominator")  # with which a run that exists may be scored anew
SAMPLING: Final = {"official": {"max_tokens": 8, "temperature": 0.0}, "earmark": {"temperature": 0.0}}


class ListenRow(Struct, frozen=True):
    """The columns of the data that are used, in the order of `COLUMNS`."""

    number: int
    id: str
    question: str | None
    answer: str | None
    choices: tuple[str, ...] | None
    transcription: str | None
    experiment_type: str
    dataset_source: str | None
    explicit_emotion: str | None
    clip: str | None
    slices: dict[str, str] = {}  # by tag


def load(settings: Settings, context: Context) -> Benchmark:
    """The benchmark, of `tasks` or of `experiments`, which name the same."""
    if context.tasks and settings.experiments and {*context.tasks} != {*settings.experiments}:
        given = f"listen:{','.join(context.tasks)} and experiments=[{','.join(settings.experiments)}]"
        raise UsageError(f"{given}: two lists of experiments, which differ; give one of them")
    chosen = check_tasks(context.name, context.tasks or settings.experiments, tuple(TASKS))
    parts: dict[str, Any] = {
        name: getattr(settings, name) or usual for name, usual in POLICIES[settings.policy].items()
    }
    if settings.max_choices is None:
        parts["max_choices"] = MAX_CHOICES if settings.policy == "official" else 0
    resolved: Settings = msgspec.structs.replace(settings, experiments=chosen, **parts)
    scorer = ListenScorer(Listen(settings.policy, settings.parser, settings.denominator))
    return Benchmark(
        version=1,
        tasks=chosen,
        items=partial(items, resolved),
        prompt=partial(prompt, resolved),
        scorers=lambda _: (scorer,),
        fetch=partial(_bring, resolved) if resolved.fetch and not resolved.data else None,
        settings=_signature_settings(resolved),
        files=partial(files, resolved),
        source=REPOSITORY,
        averages={name: Average(tasks) for name, tasks in AVERAGES.items()},
        task_facts={task: FACTS for task in chosen if TASKS[task][1] == "text"},
        needs_ears=any(TASKS[task][1] != "text" for task in chosen),
        slices=("dataset_source", "emotion", *SLICE_COLUMNS),
        extra_tables=partial(listen_tables, scorer, chosen),
        warnings=_warnings(resolved),
        seed=settings.seed,
    )


def files(settings: Settings) -> tuple[str, ...]:
    """The parquet files of the data, each with the columns that are used."""
    place = settings.data or _find_data(settings).folder
    parquet = tuple(str(file) for file in parquet_files(place, settings.split))
    for file in parquet:
        check_columns(file, COLUMNS | AUDIO_COLUMN)
    if settings.sources:
        _check_sources(settings.sources, parquet)
    return parquet


def _check_sources(wanted: Sequence[str], parquet: Sequence[str]) -> None:
    """Raise UsageError for a corpus that the data does not have."""
    known = {str(row[1] or "unknown") for file in parquet for row in read_rows(file, ["dataset_source"])}
    if missing := [name for name in wanted if name not in known]:
        raise UsageError(f"sources={missing[0]}: the data has no such corpus{alternatives(missing[0], sorted(known))}")


def download(settings: Settings, log: Callable[[str], object]) -> FetchedDataset:
    """Bring the data from the hub: what `earmark fetch listen` does."""
    return fetch_dataset(REPOSITORY, settings.revision, ["data/*.parquet"], log)


def _bring(settings: Settings, log: Callable[[str], object]) -> None:
    """Download the data unless it is there."""
    if find_fetched(REPOSITORY, settings.revision) is None:
        download(settings, log)


def _find_data(settings: Settings) -> FetchedDataset:
    dataset = find_fetched(REPOSITORY, settings.revision)
    if dataset is None:
        raise UsageError(
            "listen needs its data; type earmark fetch listen, or give data=FOLDER, a folder with the parquet files "
            f"of {REPOSITORY}"
        )
    return dataset


def _signature_settings(settings: Settings) -> dict[str, object]:
    """The settings that make a difference to items and numbers."""
    left_out = {"sources"} if not settings.sources else set()
    return {name: value for name, value in signed_settings(settings).items() if name not in left_out}


def _warnings(settings: Settings) -> tuple[str, ...]:
    usual = POLICIES[settings.policy] | dict(zip(("parser", "denominator"), READING[settings.policy], strict=True))
    parts = ", ".join(f"{name} {getattr(settings, name) or choice}" for name, choice in usual.items())
    warnings = [f"policy={settings.policy}: {parts}"]
    if settings.shuffle == "stream" and settings.experiments != tuple(TASKS):
        warnings.append("order of choices: as the official code orders these experiments when it runs no others")
    if settings.shuffle == "stream" and any(task.startswith("3") for task in settings.experiments):
        warnings.append(
            "3A, 3B, 3C: the official order hangs on a hash and cannot be repeated; ours adds the extra emotions as "
            "they are listed"
        )
    if settings.max_choices and any(task.startswith("3") for task in settings.experiments):
        warnings.append(
            f"at most {settings.max_choices} choices: where a row has more, added emotions that are not the answer are "
            "left out after the shuffle, the last first, which moves no other item (the authors' code has no limit)"
        )
    return tuple(warnings)


def items(settings: Settings) -> Iterator[Item]:
    """All items, task after task in the official order, each in the order of the data."""
    stream = Random(settings.seed)  # noqa: S311
    data = files(settings)
    for task in settings.experiments:
        for file in data:
            tags = {tag: column for tag, column in SLICE_COLUMNS.items() if column in column_types(file)}
            columns = [*COLUMNS, "audio.path", *tags.values()]
            for values in read_rows(file, columns, "experiment_type = ?", [TASKS[task][0]]):
                row = _row(file, values, tuple(tags))
                made = item(settings, task, file, row, stream)  # a corpus left out throws its dice like any other
                if not settings.sources or made.tags["dataset_source"] in settings.sources:
                    yield made


def _row(file: str, values: tuple[Any, ...], tags: tuple[str, ...]) -> ListenRow:
    fields = ListenRow.__struct_fields__[:-1]
    slices = {tag: _tag(value) for tag, value in zip(tags, values[len(fields) :], strict=True)}
    try:
        return msgspec.convert(dict(zip(fields, values, strict=False)) | {"slices": slices}, ListenRow)
    except msgspec.ValidationError as error:  # of the right type, and null where it may not be
        raise BadData(f"{file}, row {values[0] + 1}: {error}") from error


def _tag(value: Any) -> str:
    """The value of a column by which a report is broken down.

    >>> _tag(True), _tag("adult"), _tag(None)
    ('yes', 'adult', 'unknown')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value or "unknown")


def item(settings: Settings, task: str, file: str, row: ListenRow, stream: Random) -> Item:
    """One row as a task asks it: skipped without a usable gold, in error without the words that it needs."""
    _, modality = TASKS[task]
    gold = _gold(settings, task, row)
    choices = list(row.choices or ())
    if task.startswith("3") and (task != "3A" or settings.extend_3a):
        choices = list(dict.fromkeys([*choices, *EXTRA]))
    asked = Item(
        id=row.id,
        task=task,
        question=row.question or "",
        clips=(Clip(file, row.number, "audio.bytes", name=row.clip or row.id, transcript=row.transcription or ""),),
        group=re.sub(r"_[23][AB]$", "", row.id),  # one recording may be asked about in several tasks
        tags={"dataset_source": row.dataset_source or "unknown", "modality": modality, "emotion": emotion_class(gold)}
        | row.slices,
    )
    if not gold.strip():
        return msgspec.structs.replace(asked, state="skipped", reason="empty gold")
    if gold not in choices:
        return msgspec.structs.replace(asked, state="skipped", reason="gold is not a choice")
    order = list(range(len(choices)))
    rng = stream if settings.shuffle == "stream" else Random(f"{settings.seed}:{row.id}")  # noqa: S311
    rng.shuffle(order)
    order = _limit_choices(settings, order, choices, gold, row.choices or ())
    labels = choice_letters(len(order), f"item '{row.id}'")
    missing = modality != "audio" and not (row.transcription or "").strip()
    return msgspec.structs.replace(
        asked,
        choices=tuple(choices[index] for index in order),
        labels=labels,
        targets=(labels[order.index(choices.index(gold))],),
        state="error" if missing else "ask",
        reason="No transcription available" if missing else "",
    )


def _limit_choices(
    settings: Settings, order: list[int], choices: Sequence[str], gold: str, own: Sequence[str]
) -> list[int]:
    """The order of the choices without the added ones that are more than the policy shows."""
    surplus = len(order) - settings.max_choices if settings.max_choices else 0
    added = [index for index, choice in enumerate(choices) if choice not in own and choice != gold]
    dropped = {*added[-surplus:]} if surplus > 0 else set()
    return [index for index in order if index not in dropped]


def _gold(settings: Settings, task: str, row: ListenRow) -> str:
    if task == "1_text" and settings.gold == "paper-neutral":
        return "neutral"
    explicit = task == "3A" or (task == "2A" and settings.gold != "template")
    return (row.explicit_emotion if explicit else row.answer) or ""


def prompt(settings: Settings, asked: Item) -> Prompt:
    """Header, question, choices and the line about letters; the transcription before them, the sound before all."""
    modality = TASKS[asked.task][1]
    shown = asked.labels if settings.letters == "G2" else tuple(LETTERS[:8])
    blocks = [
        HEADERS[modality],
        asked.question,
        format_choices(asked.choices, asked.labels),
        f"Respond with only the letter ({', '.join(shown)}):",
    ]
    if modality != "audio":
        blocks.insert(0, f"Transcription: {asked.clips[0].transcript}")
    text = "\n\n".join(blocks)
    parts = (text,) if modality == "text" else (asked.clips[0], text)
    return Prompt((Turn("user", parts),), asked.choices, asked.labels, SAMPLING[settings.policy])


def examples() -> tuple[BenchmarkExample, ...]:
    return (BenchmarkExample(settings={"data": "listen"}, recorded=True),)
