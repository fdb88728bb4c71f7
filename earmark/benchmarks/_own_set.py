"""Benchmarks that are a user's own file of questions, or a data set of the hub: a table is made of what is found there.

my.jsonl            .json, .jsonl, .csv, .tsv or .parquet; sound lies below the folder of the file, or below data=
hub:owner/name      a data set on the Hugging Face hub; the copy in the hub's cache is used where there is one
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct

from earmark import plugins
from earmark.benchmarks import _table
from earmark.benchmarks._own_fields import MAX_ROWS, OwnFields, guess_fields, text_or_empty
from earmark.benchmarks._table_items import SetFiles
from earmark.benchmarks._table_schema import BenchmarkTable, columns_of, convert
from earmark.data.records import column_names, read_records
from earmark.data.repository import find_repository
from earmark.errors import BadData, UsageError
from earmark.types import Benchmark, Context

SUFFIXES: Final = (".jsonl", ".json", ".csv", ".tsv", ".parquet")
HUB: Final = "hub:"
TRANSCRIBE: Final = "Write down what is said in this recording, and nothing else."
PROMPTS: Final = {
    "letters": {"text": "{question}\n{choices}\nAnswer with the letter of the right choice only."},
    "plain": {"text": "{question}\n{choices}\nAnswer with the text of the right choice only.", "choice": "{text}"},
}
# What each scorer needs beside a reply, and what it is for.
SUITABLE: Final = {
    "choice": ("choices", "the choice that the reply names"),
    "classes": ("choices", "the same, with F1 and recall by class"),
    "token_match": ("choices", "MMAU's rule on the words of the reply"),
    "exact": ("answers", "the same short text"),
    "number": ("numbers", "the same number"),
    "wer": ("answers", "words of a transcript; language=de for German"),
    "bleu": ("answers", "a translation; language=de into German"),
    "rouge": ("answers", "a summary"),
    "meteor": ("answers", "a description"),
    "judge": ("", "another model decides; judge=MODEL judge_prompt=NAME, see docs/judges.md"),
}
NEEDS: Final = {"choices": "choices", "answers": "answers without choices", "numbers": "answers that are numbers"}
SCORER_FIELDS: Final = {"language": "language", "normalizer": "normalizer", "parser": "parser", "judge": "judge",
                        "judge_prompt": "prompt"}  # fmt: skip
COLUMNS: Final = ("sound", "choices", "id", "question", "answer", "transcript", "group", "task", "tags")
HEAD: Final = """# {title}: say here in a line what it asks.
#
# Data      {source}, {count:,} rows looked at
# Tasks     all in one, unless columns: {{task: COLUMN}}
# Sound     where it is from, and how it is licensed
# Scored    {scorers}
#
# Columns were guessed: mend what is wrong.
"""
RESCORING_FIELDS: Final = ("scorer", "policy", *SCORER_FIELDS)


class FileSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """Settings of a file of questions. Columns are found by their usual names where none is given."""

    data: str = ""  # a folder below which sound lies; empty: that of the file
    id: str = ""
    question: str = ""
    sound: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()  # one column that lists them, or one each
    answer: str = ""
    answer_by: Literal["", "text", "letter", "index0", "index1"] = ""
    transcript: str = ""
    group: str = ""  # of items that share a recording or a speaker
    task: str = ""
    tags: tuple[str, ...] = ()  # to break rows of the report down by
    ask: str = ""  # the question to ask of every clip, where no column has one
    prompt: Literal["", "official", "letters", "plain", "open"] = ""  # how choices are shown; open: of none
    scorer: tuple[str, ...] = ()
    policy: str = ""  # which of several scorers stands first
    language: str = ""  # of the answers
    normalizer: str = ""
    parser: str = ""
    judge: str = ""
    judge_prompt: str = ""


class HubSettings(FileSettings, frozen=True, forbid_unknown_fields=True):
    """Settings of a data set on the hub."""

    split: str = "test"
    config: str = ""
    revision: str = "main"


def find_own_set(name: str) -> ModuleType | None:
    """A file of questions or a data set of the hub in the shape of a plug-in; None for a name that is neither."""
    is_hub = name.startswith(HUB)
    if not is_hub and not name.lower().endswith(SUFFIXES):
        return None
    module = ModuleType(f"earmark set {name}", f"{name}: {'a data set of the hub' if is_hub else 'your own questions'}")
    module.__dict__.update(
        NAME=name,
        Settings=HubSettings if is_hub else FileSettings,
        RESCORING_FIELDS=RESCORING_FIELDS,
        load=functools.partial(load_own_set, name),
        write_table=functools.partial(write_table, name),
    )
    return module


def load_own_set(name: str, settings: FileSettings, context: Context) -> Benchmark:
    """The benchmark of a user's own set."""
    root, files, source = find_files(name, settings)
    table, fields, count = make_table(name, settings, files)
    set_name, questions = next(iter(table.sets.items()))
    place = SetFiles(set_name, questions, "own", columns_of(table, questions, "own", name), root, files)
    inner = _table.Settings(data=str(root), prompt=settings.prompt, policy=settings.policy)
    benchmark = _table.load_table(table, inner, context, places=[place])
    asked = "" if fields.question or settings.ask else "; " + _asked_of_all(settings)
    message = f"{name}: looked at {count:,} rows: {fields.summary}{asked}"
    return msgspec.structs.replace(benchmark, source=source, fetch=lambda log: log(message))


def _asked_of_all(settings: FileSettings) -> str:
    return f"every clip is asked: {TRANSCRIBE}" if "wer" in settings.scorer else "the sound is the question"


def find_files(name: str, settings: FileSettings) -> tuple[Path, tuple[Path, ...], str]:
    """The folder below which sound lies, the files of rows, and where they are from."""
    if isinstance(settings, HubSettings):
        repository = name.removeprefix(HUB)
        found = find_repository(repository, settings.revision, settings.split, settings.config, settings.data)
        return found.root, found.files, f"{repository} on the hub at {found.commit}"
    path = Path(name).expanduser()
    if not path.is_file():
        what = "a folder, expected a file of questions" if path.is_dir() else "no such file"
        raise UsageError(f"{name}: {what}")
    root = Path(settings.data).expanduser() if settings.data else path.parent
    if not root.is_dir():
        raise BadData(f"{root}: no such folder; give data=FOLDER, the folder below which the sound lies")
    return root, (path,), str(path)


def make_table(name: str, settings: FileSettings, files: tuple[Path, ...]) -> tuple[BenchmarkTable, OwnFields, int]:
    """The table of a set, the fields that were found in it, and how many rows were looked at."""
    described, fields, count = describe_table(name, settings, files)
    table: BenchmarkTable = convert(described, BenchmarkTable, name)
    return table, fields, count


def describe_table(name: str, settings: FileSettings, files: tuple[Path, ...]) -> tuple[dict[str, Any], OwnFields, int]:
    """The same as plain values, as YAML has them."""
    rows = _sample(files)
    if not rows:
        raise BadData(f"{name}: holds no row, expected questions")
    given = {key: value for key in COLUMNS if (value := getattr(settings, key))}
    fields = guess_fields(rows, given | ({"answer_by": settings.answer_by} if settings.answer_by else {}), name)
    scorers = _choose_scorers(name, settings, fields, rows)
    columns: dict[str, Any] = {"sound": [*fields.sound]}
    for key in ("id", "question", "answer", "transcript", "group", "separator"):
        columns |= {key: value} if (value := getattr(fields, key)) else {}
    columns |= {"choices": [*fields.choices]} if fields.choices else {}
    columns |= {"tags": {tag: tag for tag in settings.tags}} if settings.tags else {}
    ask = settings.ask or (TRANSCRIBE if not fields.question and "wer" in settings.scorer else "")
    if settings.ask and fields.question:
        raise UsageError(f"{name}: ask= is for files without questions, and '{fields.question}' has some; leave it out")
    title = Path(name.removeprefix(HUB)).stem
    questions: dict[str, Any] = {"layouts": {"own": {"files": [file.name for file in files], "sound_folders": ["."]}}}
    questions |= {"question": ask} if ask else {}
    questions |= {"needs_choices": True, "answer_by": fields.answer_by} if fields.choices else {}
    tasks: dict[str, Any] = {}
    if settings.task:
        columns["task"] = settings.task
        tasks = {task: {} for task in _distinct(files, settings.task)}
    if settings.data:
        questions["layouts"]["own"]["sound_folders"] = [str(Path(settings.data).expanduser().resolve())]
    table = {
        "title": title, "facts": {"language": settings.language}, "tasks": tasks, "sets": {title: questions},
        "columns": columns, "slices": [*settings.tags], "scorers": scorers, "prompts": _prompts(settings, fields, ask),
    }  # fmt: skip
    return table, fields, len(rows)


def _sample(files: tuple[Path, ...]) -> list[Mapping[str, Any]]:
    rows: list[Mapping[str, Any]] = []
    for file in files:
        for _, row in read_records(file, column_names(file)):
            rows.append(row)
            if len(rows) == MAX_ROWS:
                return rows
    return rows


def _distinct(files: tuple[Path, ...], column: str) -> Iterator[str]:
    """The values of a column of tasks, in the order in which they come."""
    seen: dict[str, None] = {}
    for file in files:
        for number, row in read_records(file, [column]):
            value = text_or_empty(row.get(column))
            if not value:
                raise BadData(f"{file}, row {number}: task={column} is empty there, expected the name of a task")
            seen[value] = None
    yield from seen


def _prompts(settings: FileSettings, fields: OwnFields, ask: str) -> dict[str, Any]:
    if not fields.choices:
        if settings.prompt not in ("", "official", "open"):
            raise UsageError(f"prompt={settings.prompt} shows choices, and there are none; leave it out")
        return {"open": {"text": "{question}" if fields.question or ask else ""}}
    text = {name: dict(prompt) for name, prompt in PROMPTS.items()}
    if not fields.question and not ask:
        for prompt in text.values():
            prompt["text"] = prompt["text"].removeprefix("{question}\n")
    return text


# ---------------------------------------------------------------- scorers


def suitable_scorers(fields: OwnFields, rows: list[Mapping[str, Any]]) -> list[str]:
    """The scorers that some fields suit."""
    answers = [text for row in rows if (text := text_or_empty(row.get(fields.answer)))] if fields.answer else []
    has = {"", *(["answers"] if answers and not fields.choices else []), *(["choices"] if fields.choices else [])}
    if answers and not fields.choices and all(any(sign.isdigit() for sign in answer) for answer in answers):
        has.add("numbers")
    return [name for name, (needs, _) in SUITABLE.items() if needs in has]


def _choose_scorers(
    name: str, settings: FileSettings, fields: OwnFields, rows: list[Mapping[str, Any]]
) -> dict[str, dict[str, Any]]:
    """The scorers by policy. Raises UsageError where none is named and none follows from the fields."""
    suitable = suitable_scorers(fields, rows)
    chosen = settings.scorer or (("choice",) if fields.choices and fields.answer else ())
    listed = "; ".join(f"scorer={each} ({SUITABLE[each][1]})" for each in suitable)
    if not chosen:
        what = "questions have no answers" if not fields.answer else "answers have no choices"
        raise UsageError(f"{name}: its {what}, so that nothing says how to score them; give one of: {listed}")
    specs: dict[str, dict[str, Any]] = {}
    for scorer in chosen:
        if scorer in SUITABLE and scorer not in suitable:
            raise UsageError(f"{name}: scorer={scorer} needs {NEEDS[SUITABLE[scorer][0]]}; give one of: {listed}")
        takes = plugins.find_plugin("scorers", scorer).settings.__struct_fields__
        specs[scorer] = {"scorer": scorer} | {
            field: value for key, field in SCORER_FIELDS.items() if (value := getattr(settings, key)) and field in takes
        }
        if scorer == "judge" and "prompt" not in specs[scorer]:
            specs[scorer]["prompt"] = "audiobench" if fields.answer else "voicebench"
        _check_language(name, specs[scorer], takes, fields, rows)
    for key, field in SCORER_FIELDS.items():
        if getattr(settings, key) and not any(field in spec for spec in specs.values()):
            raise UsageError(
                f"{key}={getattr(settings, key)} is no setting of scorer={', '.join(chosen)}; leave it out"
            )
    return specs


def _check_language(
    name: str, spec: Mapping[str, Any], takes: tuple[str, ...], fields: OwnFields, rows: list[Mapping[str, Any]]
) -> None:
    """Raise UsageError for answers without blanks between words that a scorer of words would take for one word."""
    if "language" not in takes or spec.get("language"):
        return
    from earmark.text.normalise import is_unspaced  # noqa: PLC0415 - its tables take a fortieth of a start

    if unspaced := next((text for row in rows if is_unspaced(text := text_or_empty(row.get(fields.answer)))), ""):
        raise UsageError(
            f"{name}: '{unspaced[:20]}' is in a script without blanks between words; give language=zh, yue, ja or th"
        )


# ---------------------------------------------------------------- the table as a file


def write_table(name: str, settings: FileSettings, out: Path | None) -> tuple[Path, str]:
    """Write the table of a set as YAML; return its path, and one line of what was taken for what."""
    import yaml  # noqa: PLC0415 - which only this needs

    if settings.data:
        raise UsageError("data= is where sound lies on one machine; leave it out, and give it to earmark run")
    root, files, source = find_files(name, settings)
    table, fields, count = describe_table(name, settings, files)
    path = out or (
        Path(f"{table['title']}.yaml") if isinstance(settings, HubSettings) else files[0].with_suffix(".yaml")
    )
    if path.exists():
        raise UsageError(f"{path}: is there already; take it away, or give another --out FILE")
    (questions,) = table["sets"].values()
    if isinstance(settings, HubSettings):
        layout = {"repository": name.removeprefix(HUB), "revision": root.name, "config": settings.config,
                  "split": settings.split}  # fmt: skip
        questions["layouts"] = {"hub": {key: value for key, value in layout.items() if value}}
    head = HEAD.format(title=table["title"], source=source, count=count, scorers=", ".join(table["scorers"]))
    table = {"title": table["title"], "source": source} | table
    plain = {key: value for key, value in table.items() if value not in ({}, [], {"language": ""})}
    body = yaml.safe_dump(plain, sort_keys=False, allow_unicode=True, width=110, default_flow_style=None)
    path.write_text(head + body, encoding="utf-8")
    return path, f"looked at {count:,} rows: {fields.summary}"
