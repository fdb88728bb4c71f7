"""Benchmarks that are tables: a YAML says where questions lie, how they are asked, and how answers are scored.

A table is found by its name in `tables/` beside this file or in `conf/benchmark/` of the working folder, or by its
path.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path, PurePosixPath
from types import ModuleType
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import Struct

from earmark.benchmarks._choices import check_tasks
from earmark.benchmarks._table_items import SetFiles, items_of
from earmark.benchmarks._table_official import read_official, write_official
from earmark.benchmarks._table_prompts import check_template, prompt_of
from earmark.benchmarks._table_schema import (
    BenchmarkTable,
    Layout,
    PromptTemplate,
    card_of,
    columns_of,
    facts_of,
    read_table,
)
from earmark.config.folders import user_folder
from earmark.data.cache import hash64
from earmark.data.fetch import FetchedDataset, commit_of, fetch_dataset, find_fetched
from earmark.data.splits import check_downloaded, find_split
from earmark.data.user_yaml import warn_once
from earmark.engine.load import load_scorer
from earmark.errors import BadData, UsageError, alternatives
from earmark.journal import Record
from earmark.plugins import find_plugin
from earmark.runs.imported import ImportedRun
from earmark.types import Benchmark, Context, Item, Scorer

PACKAGED: Final = Path(__file__).parent / "tables"
SUFFIXES: Final = (".yaml", ".yml")


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """Settings of a benchmark that is a table."""

    data: str = ""  # a folder with the data of this benchmark, or with folders of several
    prompt: str = ""  # one of the table's; empty: its first
    policy: str = ""  # whose scorer stands first; empty: the table's first
    judge: str = ""  # of scorers that ask one, named as model=NAME names it; empty: as the table has it
    layout: str = ""  # of the data; empty: the first whose files are there
    seed: int = 0  # of the order of choices, where a prompt shuffles them


RESCORING_FIELDS: Final = ("policy", "judge")
Scorers = Mapping[str, tuple[Scorer, ...]]


def table_paths() -> dict[str, Path]:
    """The tables by name, the user's over the packaged ones."""
    home = user_folder()
    folders = [PACKAGED, *([home / "benchmark"] if home else [])]
    return {path.stem: path for folder in folders for path in sorted(folder.glob("*.yaml"))}


@functools.lru_cache(maxsize=256)
def _read_once(path: Path, changed: int) -> BenchmarkTable:  # noqa: ARG001 - a file that changes is another one
    return read_table(path)


def find_table(name: str) -> ModuleType | None:
    """A table in the shape of a plug-in, by its name or its path; None where there is no such table."""
    path = Path(name).expanduser() if name.endswith(SUFFIXES) else table_paths().get(name.replace("-", "_"))
    if path and path.stem == name.replace("-", "_") and path.parent != PACKAGED and (PACKAGED / path.name).is_file():
        warn_once(f"{path}: used for the benchmark {name} instead of the packaged table")
    if path is None:
        return import_module("earmark.benchmarks._own_set").find_own_set(name)  # type: ignore[no-any-return]
    table = _read_once(path, path.stat().st_mtime_ns) if path.is_file() else read_table(path)
    module = ModuleType(f"earmark table {name}", card_of(path))
    module.__dict__.update(
        Settings=Settings,
        RESCORING_FIELDS=RESCORING_FIELDS,
        TABLE=table,
        NAME=str(path) if name.endswith(SUFFIXES) else path.stem,
        read_official=functools.partial(_read_official, table, name),
        write_official=functools.partial(_write_official, table, name),
        load=functools.partial(_load_beside, path, table)
        if name.endswith(SUFFIXES)
        else functools.partial(load_table, table),
    )
    if any(layout.repository for questions in table.sets.values() for layout in questions.layouts.values()):
        module.__dict__["download"] = functools.partial(download, table)
    module.__dict__["remote_sets"] = functools.partial(remote_sets, table)
    return module


def _load_beside(path: Path, table: BenchmarkTable, settings: Settings, context: Context) -> Benchmark:
    """The benchmark of a user's own table, whose data lie beside it where data= says nothing else."""
    has_hub = any(layout.repository for questions in table.sets.values() for layout in questions.layouts.values())
    beside = settings if settings.data or has_hub else msgspec.structs.replace(settings, data=str(path.parent))
    return load_table(table, beside, context)


def _read_official(
    table: BenchmarkTable, name: str, path: Path, reply: str, settings: Settings, set_name: str = ""
) -> ImportedRun:
    """The run of a result file of the benchmark's own script."""
    items = load_table(table, settings, Context(name)).items() if settings.data else None
    imported = read_official(table, name, path, reply, items, set_name)
    given = {"policy": settings.policy} if settings.policy else {}
    return msgspec.structs.replace(imported, settings=given)


def _write_official(
    table: BenchmarkTable, name: str, records: Iterable[Record], settings: Settings, tasks: Sequence[str], out: Path
) -> list[Path]:
    """Write the answers of a run for the benchmark's own script."""
    return write_official(table, name, records, find_sets(table, name, settings, tasks), out)


def load_table(
    table: BenchmarkTable, settings: Settings, context: Context, places: Sequence[SetFiles] | None = None
) -> Benchmark:
    """The benchmark of a table; `places` are its sets where they have been found already."""
    name, tasks = context.name, context.tasks
    wanted = "" if settings.prompt == "official" and "official" not in table.prompts else settings.prompt
    template_name, template = _choose("prompt", wanted, table.prompts)
    policy, _ = _choose("policy", settings.policy, table.scorers)
    check_template(template, f"{name}, prompt {template_name}")
    known = task_names(table)
    chosen = check_tasks(name, tasks, known)
    found = functools.cache(lambda: [*places] if places else find_sets(table, name, settings, chosen))
    _check_judge(table, settings.judge, chosen, name)
    scorers = {task: _scorers(table, task, policy, settings.judge, name) for task in chosen}
    own_prompts = _own_prompts(table, name)
    signed = {"prompt": template_name, "table": _digest(table, (template, *own_prompts.values()))}
    if template.order == "shuffled":
        signed["seed"] = str(settings.seed)
    facts = {task: facts_of(table, task, f"{name}, {task}") for task in chosen}
    return Benchmark(
        version=table.version,
        tasks=chosen,
        items=lambda: _items(found(), template, settings.seed, chosen, known),
        prompt=lambda item: prompt_of(own_prompts.get(item.task, template), item),
        scorers=lambda task: scorers[task],
        settings=signed,
        files=lambda: tuple(str(file) for place in found() for file in place.files),
        data_root=str(Path(settings.data).expanduser()) if settings.data else "",
        source=table.source,
        revisions=lambda: _revisions(found()),
        license=table.facts.license,
        averages=table.averages,
        task_facts=facts,
        slices=table.slices,
        warnings=(*table.warnings, *(f"{task}: {fault}" for task, known in facts.items() for fault in known.faults)),
        needs_ears=any(known.needs_ears != "no" for known in facts.values()),
        seed=settings.seed,
    )


def task_names(table: BenchmarkTable) -> tuple[str, ...]:
    """The tasks of a table in its order: those with facts, and of sets that name one or are one."""
    named = [*table.tasks]
    for set_name, questions in table.sets.items():
        has_column = any(columns_of(table, questions, layout, set_name).task for layout in questions.layouts)
        named += [*questions.task_names.values()] if has_column else [questions.task or set_name]
    return tuple(dict.fromkeys(named))


def _choose(kind: str, asked: str, known: Mapping[str, Any]) -> tuple[str, Any]:
    name = asked or next(iter(known))
    if name not in known:
        raise UsageError(f"no {kind} is called '{name}'{alternatives(name, known)}")
    return name, known[name]


def _digest(table: BenchmarkTable, templates: Sequence[PromptTemplate]) -> str:
    """A digest of what decides which questions are asked, and how."""
    return hash64(msgspec.json.encode((table.sets, table.columns, templates)))


def _own_prompts(table: BenchmarkTable, name: str) -> dict[str, PromptTemplate]:
    """The prompts of sets that have one of their own, by task."""
    prompts = {}
    for set_name, questions in table.sets.items():
        if questions.prompt:
            prompt_name, template = _choose("prompt", questions.prompt, table.prompts)
            check_template(template, f"{name}, prompt {prompt_name}")
            prompts[questions.task or set_name] = template
    return prompts


def _specs(table: BenchmarkTable, task: str) -> dict[str, dict[str, Any]]:
    return table.task_scorers.get(task, table.scorers)


def _asks_judge(spec: Mapping[str, Any]) -> bool:
    name = str(spec.get("scorer", ""))
    return "judge" in spec or "judge" in find_plugin("scorers", name).settings.__struct_fields__


def _check_judge(table: BenchmarkTable, judge: str, tasks: Sequence[str], name: str) -> None:
    if judge and not any(_asks_judge(spec) for task in tasks for spec in _specs(table, task).values()):
        raise UsageError(f"judge={judge}: no scorer of {name} asks a judge")


def _scorers(table: BenchmarkTable, task: str, policy: str, judge: str, place: str) -> tuple[Scorer, ...]:
    """The scorers of a task, that of the policy first."""
    specs = _specs(table, task)
    ordered = sorted(specs, key=lambda name: name != policy)
    asked = {name: specs[name] | ({"judge": judge} if judge and _asks_judge(specs[name]) else {}) for name in ordered}
    return tuple(_scorer(dict(spec), f"{place}, {task}, {name}") for name, spec in asked.items())


def _scorer(settings: dict[str, Any], place: str) -> Scorer:
    name = settings.pop("scorer", None)
    if not isinstance(name, str):
        raise BadData(f"{place}: expected scorer: NAME, such as scorer: choice")
    return load_scorer(name, settings)


def _items(
    places: Sequence[SetFiles], template: PromptTemplate, seed: int, chosen: Sequence[str], known: Sequence[str]
) -> Iterator[Item]:
    for place in places:
        for item in items_of(place, seed if template.order == "shuffled" else None):
            task = item.task if item.task in known else item.task.lower()  # some data write Perception for perception
            if task not in known:
                raise BadData(
                    f"{place.files[0].parent}: item '{item.id}' is of the task '{item.task}'; expected one of "
                    f"{', '.join(known)}"
                )
            if task in chosen:
                yield item if task == item.task else msgspec.structs.replace(item, task=task)


# ---------------------------------------------------------------- where the data lies


def find_sets(table: BenchmarkTable, name: str, settings: Settings, tasks: Sequence[str]) -> list[SetFiles]:
    """The sets of some tasks as they lie on this machine. Raises BadData for one that is not there."""
    places = []
    for set_name, questions in table.sets.items():
        columns = {layout: columns_of(table, questions, layout, set_name) for layout in questions.layouts}
        fixed = {questions.task or set_name for layout in columns if not columns[layout].task}
        if fixed and not fixed & {*tasks}:
            continue
        layouts = [settings.layout] if settings.layout else [*questions.layouts]
        if settings.layout and settings.layout not in questions.layouts:
            _choose("layout", settings.layout, questions.layouts)
        problems: list[BadData] = []
        for layout in layouts:
            try:
                root, files = _find_files(questions.layouts[layout], Path(name).stem, set_name, settings.data)
            except BadData as error:
                problems.append(error)
                continue
            places.append(SetFiles(set_name, questions, layout, columns[layout], root, files))
            break
        else:
            raise min(problems, key=lambda error: "no such" in str(error) or "found no" in str(error))
    return places


def _find_files(layout: Layout, name: str, set_name: str, data: str) -> tuple[Path, tuple[Path, ...]]:
    """The folder of a set and its files of rows."""
    roots = _roots(layout, name, set_name, data)
    problem: BadData | None = None
    for root in filter(Path.is_dir, roots):
        try:
            if layout.split:
                splits = (layout.split,) if isinstance(layout.split, str) else layout.split
                return root, tuple(path for split in splits for path in find_split(root, split, layout.config).files)
            named = (path for pattern in layout.files for path in sorted(root.glob(pattern)) if path.is_file())
            found = tuple(dict.fromkeys(named))  # two patterns may name one file
            if found:
                return root, tuple(check_downloaded(path) for path in found)
        except BadData as error:
            is_empty = "found no parquet" in str(error) or "expected files of the split" in str(error)
            if is_empty and data and root == Path(data).expanduser() and not _has_parquet(root):
                continue  # of other benchmarks, each in a folder of its own
            problem = problem if is_empty and problem else error
            if not is_empty:
                raise
    if problem:
        raise problem
    wanted = ", ".join(layout.files) or f"the split '{layout.split}' of {layout.repository}"
    if not roots:
        raise BadData(f"{name} needs its data; type earmark fetch {name}, or give data=FOLDER, a folder with {wanted}")
    raise BadData(f"{data}: found no {wanted} in it, nor in a folder {name} below it; give data=FOLDER")


def _revisions(places: Sequence[SetFiles]) -> dict[str, str]:
    """The commit of every repository that is read, where it is known."""
    roots = {place.layout.repository: place.root for place in places if place.layout.repository}
    return {repository: commit for repository, root in roots.items() if (commit := commit_of(root))}


def _has_parquet(root: Path) -> bool:
    return any(path for pattern in ("*.parquet", "data/*.parquet") for path in root.glob(pattern))


def _roots(layout: Layout, name: str, set_name: str, data: str) -> list[Path]:
    """Folders in which a set may lie: of several benchmarks each has its own, called after it or its repository."""
    if data:
        base = Path(data).expanduser()
        if not base.is_dir():
            raise BadData(f"{base}: no such folder; give data=FOLDER, a folder with the data")
        repository = layout.repository
        names = [f"{name}/{set_name}", name, repository, repository.replace("/", "--"), repository.rpartition("/")[2]]
        return [base / below for below in dict.fromkeys(names) if below] + [base]
    fetched = find_fetched(layout.repository, layout.revision or "main") if layout.repository else None
    return [fetched.place] if fetched else []


class RemoteSet(NamedTuple):
    """What of a repository on the hub a benchmark needs."""

    repository: str
    revision: str
    patterns: tuple[str, ...]


def remote_sets(table: BenchmarkTable, settings: Settings, tasks: Sequence[str] = ()) -> list[RemoteSet]:
    """What some tasks need from the hub, each set in the first layout that lies there; without tasks, what all need."""
    wanted: dict[tuple[str, str], list[str]] = {}
    for set_name, questions in table.sets.items():
        for name, layout in questions.layouts.items():
            if layout.repository and settings.layout in ("", name):
                own = questions.task or set_name
                is_chosen = not tasks or own in tasks or columns_of(table, questions, name, set_name).task
                if is_chosen:
                    wanted.setdefault((layout.repository, layout.revision or "main"), []).extend(_patterns(layout))
                break
    return [RemoteSet(*place, tuple(dict.fromkeys(patterns))) for place, patterns in wanted.items()]


def _patterns(layout: Layout) -> list[str]:
    """Patterns of the files of a layout on the hub."""
    patterns = [*layout.files, *layout.archives, "README.md"]
    for file in layout.files:  # archives lie beside the rows
        patterns += [str(PurePosixPath(file).parent / archive) for archive in layout.archives]
    for split in (layout.split,) if isinstance(layout.split, str) else layout.split:
        if split:
            config = f"{layout.config}/" if layout.config else ""
            patterns += [f"*{config}{split}-*-of-*.parquet", f"*{config}{split}/*.parquet"]
            patterns += [f"{config}{split}.parquet"]
    return patterns


def download(table: BenchmarkTable, settings: Settings, log: Callable[[str], object]) -> FetchedDataset:
    """Bring the data of a table's sets from the hub."""
    sets = remote_sets(table, settings)
    if not sets:
        raise UsageError(f"{table.title}: no set lies on the hub in that layout; give data=FOLDER")
    return [fetch_dataset(*remote, log) for remote in sets][-1]
