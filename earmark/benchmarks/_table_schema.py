"""The form of a benchmark's table: what its YAML may hold."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec
from msgspec import Struct

from earmark.data.plain_yaml import load_plain_yaml
from earmark.errors import BadData, UsageError
from earmark.types import Average, TaskFacts

# A column's name, or a short text with {columns} in braces; one of sound or answers that ends with ? may be missing.
Source: TypeAlias = str


class Columns(Struct, frozen=True, forbid_unknown_fields=True):
    """Where in a row each noun stands."""

    id: Source = ""  # empty: the number of the row in the set
    question: Source = ""  # empty: the sound is the question
    sound: Source | tuple[Source, ...] = ()
    transcript: Source = ""
    choices: str | tuple[str, ...] = ()  # one column that lists them, also as JSON, or a column for each
    wrong: str | tuple[str, ...] = ()  # the same of the wrong ones, where the answer stands apart; needs an order
    separator: str = ""  # between choices that stand in one text, such as |
    answer: str | tuple[str, ...] = ""  # several columns, or a list in one: any is right
    group: Source = ""  # empty: the sound
    task: Source = ""
    tags: dict[str, Source] = {}
    extra: dict[str, str] = {}  # whole values for scorers, by name


class Layout(Struct, frozen=True, forbid_unknown_fields=True):
    """One way in which the questions lie on disk."""

    files: tuple[str, ...] = ()  # of rows, below the folder of the data; * stands for any letters
    repository: str = ""  # on the Hugging Face hub
    revision: str = ""  # pinned; empty: none is known, and the first fetch writes down the commit it got
    config: str = ""
    split: str | tuple[str, ...] = ""  # or several, one after the other
    head: bool = True  # of a CSV or TSV file
    rows_from: str = ""  # my.module.function, given a file and the name of the set, where a row needs thought
    sound_folders: tuple[str, ...] = (".",)  # below that of the rows, in which paths of sound are looked for
    sound_by_name: bool = False  # of a path only the last part counts: it is one of somebody else's machine
    archives: tuple[str, ...] = ()  # beside the rows, in which sound lies
    sound_suffixes: dict[str, str] = {}  # what the data calls them, and what they are
    columns: dict[str, Any] = {}  # that differ from the set's


class QuestionSet(Struct, frozen=True, forbid_unknown_fields=True):
    """Questions of one shape."""

    layouts: dict[str, Layout]  # the first whose files are there is used
    columns: dict[str, Any] = {}
    task: str = ""  # where no column has it
    task_names: dict[str, str] = {}  # tasks by the value of the column of tasks; "*" stands for any other value
    choice_tasks: tuple[str, ...] = ()  # of which rows with fewer than two choices are left out, as a script may do
    prompt: str = ""  # which of the table's prompts these are asked with, whatever prompt= says
    question: str = ""  # the same for all, where no column has it
    needs_choices: bool = False  # a row without choices is an error
    choices: tuple[str, ...] = ()  # the same for all, where no column lists them
    letters: int = 0  # of options that stand in the question, where no column lists them
    rows: int | None = None  # expected
    answer_by: Literal["text", "letter", "index0", "index1", "order"] = "text"  # order: the place of 0 in a list


class PromptTemplate(Struct, frozen=True, forbid_unknown_fields=True):
    """How a question is asked. `{name}` is replaced by a text and nothing else."""

    text: str = ""  # with {question}, {choices}, {choice_list}, {letters}, {count} or {transcript}; empty: sound alone
    choice: str = "{letter}. {text}"  # one of {choices}
    separator: str = "\n"  # between choices
    system: str = ""
    sound: Literal["first", "last", "none"] = "first"
    # conversation: every clip is a turn of the user, and the model's own replies, or those of the data, stand between;
    # apart: every clip is asked by itself, and the replies are joined
    turns: Literal["one", "conversation", "apart"] = "one"
    order: Literal["given", "shuffled"] = "given"  # of choices
    slots: int = 0  # for choices, at least: those that a question lacks are written as None
    sampling: dict[str, Any] = {}
    source: str = ""  # who asks so


class Example(Struct, frozen=True, forbid_unknown_fields=True):
    """A row as the data has it, written by hand from the published schema, and what must be read from it."""

    row: dict[str, Any]  # without its sound
    task: str = ""  # empty: the set's
    answer: str = ""  # the text of the right one
    form: Literal["text", "letter"] = "text"  # of a reply


class OfficialFile(Struct, frozen=True, forbid_unknown_fields=True):
    """The result file of the benchmark's own script."""

    reply: str  # key of the reply
    format: Literal["json", "jsonl"] = "json"


class Family(Struct, frozen=True, forbid_unknown_fields=True):
    """Sets that are alike: one of each name, in which {fields} are replaced by the words of its line."""

    members: str  # a line each: the name, and words for the other fields
    set: dict[str, Any]  # of questions
    fields: tuple[str, ...] = ("name",)  # what the words of a line are; one that a line lacks is empty
    facts: dict[str, Any] = {}
    scorers: dict[str, dict[str, Any]] = {}  # where they are not those of the table
    average: bool | dict[str, Any] = False  # a further row of the family's name is the mean over it, or {decimals: 2}


class BenchmarkTable(Struct, frozen=True, forbid_unknown_fields=True):
    """A benchmark."""

    title: str
    sets: dict[str, QuestionSet]  # and those of the families
    scorers: dict[str, dict[str, Any]]  # by policy, each with `scorer` and its settings; the official one first
    prompts: dict[str, PromptTemplate]  # the usual one first
    columns: dict[str, Any] = {}  # of every set, where it says nothing else
    version: int = 1
    source: str = ""
    facts: TaskFacts = TaskFacts()  # of every task, where it says nothing else
    tasks: dict[str, dict[str, Any]] = {}  # facts that differ, by task
    task_scorers: dict[str, dict[str, dict[str, Any]]] = {}  # of tasks that are scored otherwise
    averages: dict[str, Average] = {}
    slices: tuple[str, ...] = ()
    official_file: OfficialFile | None = None
    warnings: tuple[str, ...] = ()
    families: dict[str, Family] = {}
    examples: dict[str, Example] = {}  # by set, for the contract tests


NAMES = sorted(
    {
        field
        for kind in (
            Columns,
            Layout,
            QuestionSet,
            PromptTemplate,
            OfficialFile,
            BenchmarkTable,
            Family,
            Example,
            TaskFacts,
            Average,
        )
        for field in kind.__struct_fields__
    }
)


def read_table(path: Path) -> BenchmarkTable:
    """Read a table. Raises BadData with one line, which names the nearest key for one that is unknown."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: cannot be read as a table ({error})") from error
    table: BenchmarkTable = convert(expand_families(load_plain_yaml(text, path), path), BenchmarkTable, str(path))
    for set_name, questions in table.sets.items():
        if not questions.layouts:
            raise BadData(f"{path}: the set '{set_name}' has no layout; expected one at least")
        for layout in questions.layouts:
            columns_of(table, questions, layout, str(path))
    for task, facts in table.tasks.items():
        facts_of(table, task, f"{path}, {task}")
        del facts
    if not table.prompts or not table.scorers:
        raise BadData(f"{path}: expected one prompt and one scorer at least")
    return table


def expand_families(described: Any, path: Path) -> Any:
    """A table with the sets, facts and scorers of its families written out."""
    if not isinstance(described, dict) or not described.get("families"):
        return described
    sets, tasks, task_scorers, averages = (
        dict(described.get(key) or {}) for key in ("sets", "tasks", "task_scorers", "averages")
    )
    for family_name, value in described["families"].items():
        family: Family = convert(value, Family, f"{path}, family {family_name}")
        names = []
        for line in family.members.splitlines():
            words = dict(zip(family.fields, line.split() + [""] * len(family.fields), strict=False))
            name = words.get("name", "")
            if not name:
                continue
            if name in sets:
                raise BadData(f"{path}: the set '{name}' is there twice")
            names.append(name)
            sets[name] = fill_all(family.set, words)
            tasks[name] = fill_all(family.facts, words) | (tasks.get(name) or {})
            if family.scorers:
                task_scorers[name] = fill_all(family.scorers, words)
        if family.average:
            more = family.average if isinstance(family.average, dict) else {}
            averages = {family_name: {"over": names} | more} | averages
    return described | {"sets": sets, "tasks": tasks, "task_scorers": task_scorers, "averages": averages}


def fill_all(value: Any, words: Mapping[str, str]) -> Any:
    """Plain values with each {field} in their texts replaced; other braces stay, and settings that become empty go.

    >>> fill_all({"a": ["{name}.wav", "{other}"], "revision": "{revision}"}, {"name": "x", "revision": ""})
    {'a': ['x.wav', '{other}']}
    """
    if isinstance(value, dict):
        filled = {key: fill_all(each, words) for key, each in value.items()}
        return {key: each for key, each in filled.items() if each != "" or value[key] == ""}
    if isinstance(value, list):
        return [fill_all(each, words) for each in value]
    if value == "{rows}" and words.get("rows", "").isdecimal():
        return int(words["rows"])
    if isinstance(value, str):
        return re.sub(r"\{(\w+)\}", lambda match: words.get(match[1], match[0]), value)
    return value


def convert(value: Any, kind: Any, place: str) -> Any:
    """A value of YAML as a part of a table. Raises BadData."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        message = str(error)
        hint = ""
        if match := re.search(r"unknown field `([^`]*)`", message):
            near = difflib.get_close_matches(match[1], NAMES, n=1, cutoff=0.5)
            hint = f"; did you mean '{near[0]}'?" if near else ""
        raise BadData(f"{place}: {message[0].lower()}{message[1:]}{hint}") from error


def columns_of(table: BenchmarkTable, questions: QuestionSet, layout: str, place: str) -> Columns:
    """The columns of a set in one layout."""
    named = table.columns | questions.columns | questions.layouts[layout].columns
    columns: Columns = convert(named, Columns, place)
    return columns


def facts_of(table: BenchmarkTable, task: str, place: str) -> TaskFacts:
    """The facts of one task."""
    facts: TaskFacts = convert(msgspec.to_builtins(table.facts) | table.tasks.get(task, {}), TaskFacts, place)
    return facts


def card_of(path: Path) -> str:
    """The head comment of a table."""
    lines = []
    for line in path.read_text(encoding="utf-8-sig", errors="replace").splitlines():
        if not line.startswith("#"):
            break
        lines.append(line.removeprefix("#").removeprefix(" "))
    return "\n".join(lines)
