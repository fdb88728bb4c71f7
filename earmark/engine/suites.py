"""Suites: several benchmarks as one command. A setting goes to the benchmarks that have it."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import Struct

from earmark import plugins
from earmark.config.compose import compose_config
from earmark.config.folders import PACKAGED, yaml_names
from earmark.config.parse import renamed
from earmark.config.settings import ComposedConfig, RunSettings
from earmark.config.words import kind_of
from earmark.data.plain_yaml import load_plain_yaml
from earmark.data.records import text_of
from earmark.data.user_yaml import warn_replaced
from earmark.engine.load import BenchmarkRun, load_run_benchmark, split_tasks
from earmark.errors import BadData, BadSetup, UsageError, alternatives

SUFFIXES: Final = (".yaml", ".yml")
EVERY_TABLE: Final = "*"  # a line of a suite


class SuiteLine(Struct, frozen=True, forbid_unknown_fields=True):
    """One line of a suite."""

    benchmark: str  # NAME, or NAME:TASK,TASK
    tasks: tuple[str, ...] = ()  # the same, where they are many
    settings: dict[str, Any] = {}
    rows: tuple[str, ...] = ()  # tasks or averages that stand in the table; empty: the last average, else each task

    @property
    def title(self) -> str:
        """Name of the line.

        >>> SuiteLine("air", ("a", "b", "c", "d")).title, SuiteLine("air", ("a", "b")).title
        ('air:4 tasks', 'air:a,b')
        """
        tasks = f"{len(self.tasks)} tasks" if len(self.tasks) > 3 else ",".join(self.tasks)
        return f"{self.benchmark}:{tasks}" if tasks else self.benchmark


class SuiteFile(Struct, frozen=True, forbid_unknown_fields=True):
    """The YAML of a suite."""

    title: str
    lines: tuple[SuiteLine | str, ...]
    settings: dict[str, Any] = {}  # of every line that has them
    without: tuple[str, ...] = ()  # benchmarks that the line "*", every table, leaves out


class SuiteEntry(NamedTuple):
    """A line of a suite, ready to be run; or the error for which it cannot be."""

    name: str
    rows: tuple[str, ...]
    run: BenchmarkRun | BadData | BadSetup
    notes: tuple[str, ...] = ()


class Suite(NamedTuple):
    """Benchmarks that are run by one command."""

    name: str
    title: str
    entries: list[SuiteEntry]


def suite_path(name: str) -> Path:
    """The file of a suite, by its name or its path. Raises UsageError where there is none."""
    if name.endswith(SUFFIXES):
        return Path(name).expanduser()
    suites = yaml_names("suite")
    if name not in suites:
        raise UsageError(f"no suite is called '{name}'{alternatives(name, suites)}; or give suite:PATH.yaml")
    warn_replaced(suites[name].parents[1], PACKAGED, "suite", name)
    return suites[name]


def read_suite(path: Path) -> tuple[str, list[SuiteLine], list[str]]:
    """The title of a suite's YAML, its lines, and the settings that they share, as words."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: cannot be read as a suite ({error})") from error
    try:
        file = msgspec.convert(load_plain_yaml(text, path), SuiteFile)
    except msgspec.ValidationError as error:
        raise BadData(
            f"{path}: no suite ({error}); expected a title and lines, such as 'title: Mine' and 'lines: [mmau, mmar]'"
        ) from error
    lines: list[SuiteLine] = []
    for line in file.lines:
        if line == EVERY_TABLE:
            lines += [SuiteLine(name) for name in plugins.table_names("benchmarks") if name not in file.without]
        else:
            lines.append(SuiteLine(line) if isinstance(line, str) else line)
    return file.title, lines, _words(file.settings, path)


def _words(settings: Mapping[str, Any], path: Path) -> list[str]:
    """Settings of a YAML as words of a command.

    >>> _words({"condition": ["plain", "silence"], "limit": 8, "preflight": False, "seed": None}, Path("x.yaml"))
    ['condition=[plain,silence]', 'limit=8', 'preflight=false', 'seed=null']
    """
    try:
        return [
            f"{key}=[{','.join(map(text_of, value))}]" if isinstance(value, list)
            else f"{key}={'null' if value is None else text_of(value)}"
            for key, value in settings.items()
        ]  # fmt: skip
    except ValueError as error:
        raise BadData(f"{path}: settings are texts, numbers or lists of them ({error})") from error


def load_suite(name: str, words: Sequence[str]) -> Suite:
    """A suite with the settings of a command, by its name or its path."""
    path = suite_path(name)
    title, lines, shared = read_suite(path)
    own = [_words(line.settings, path) for line in lines]
    return Suite(path.stem, title, fit_settings(lines, shared, words, own))


def load_benchmarks(names: Sequence[str], words: Sequence[str]) -> Suite:
    """Benchmarks that a command names, as a suite."""
    lines = [SuiteLine(name) for name in names]
    return Suite("+".join(names), ", ".join(names), fit_settings(lines, (), words, [()] * len(lines)))


def fit_settings(
    lines: Sequence[SuiteLine], shared: Sequence[str], words: Sequence[str], own: Sequence[Sequence[str]]
) -> list[SuiteEntry]:
    """Load the benchmark of each line with its own settings and with those of all that it has.

    The words of the command go before a line's own settings, and these before what the suite shares. Raises UsageError
    for a setting that no line has.
    """
    compose = functools.lru_cache(compose_config)
    given = compose((*_of(shared, own=True), *_of(words, own=True))).benchmark
    firm = compose(tuple(_of(words, own=True))).benchmark  # goes before a line's own
    used: set[str] = set()
    refusals: dict[str, UsageError] = {}
    entries = []
    for line, mine in zip(lines, own, strict=True):
        config = compose((*_of(shared), *_of(mine), *_of(words)))
        settings = given | compose(tuple(_of(mine, own=True))).benchmark | firm
        needed = frozenset(compose(tuple(_of(mine, own=True))).benchmark) - firm.keys()
        entries.append(_fit(line, config, settings, needed, used, refusals))
    if unused := next((key for key in given if key not in used), None):
        raise refusals.get(unused) or _unknown(unused, lines)
    return distinguish(entries)


def distinguish(entries: Sequence[SuiteEntry]) -> list[SuiteEntry]:
    """Entries with names of their own: a benchmark may be run twice with other settings."""
    seen: dict[str, int] = {}
    named = []
    for entry in entries:
        seen[entry.name] = seen.get(entry.name, 0) + 1
        number = f" ({seen[entry.name]})" if seen[entry.name] > 1 else ""
        named.append(entry._replace(name=f"{entry.name}{number}"))
    return named


def _of(words: Iterable[str], *, own: bool = False) -> list[str]:
    """Words that set something of benchmarks, or those that set the run and its model."""
    return [word for word in words if (kind_of(word.partition("=")[0]) == "own") == own]


def _fit(
    line: SuiteLine,
    config: ComposedConfig,
    settings: Mapping[str, Any],
    needed: frozenset[str],
    used: set[str],
    refusals: dict[str, UsageError],
) -> SuiteEntry:
    """Load a line with the settings that it has; a value that it does not know, as of prompt=, is not one of them."""
    name, tasks = split_tasks(line.benchmark)
    chosen = (*filter(None, tasks.split(",")), *line.tasks)
    notes: list[str] = []
    try:
        fields = plugins.find_plugin("benchmarks", name).settings.__struct_fields__
        kept = {key: value for key, value in settings.items() if key in (*fields, *needed) or _is_wording(key, value)}
        loaded = None
        while loaded is None:
            try:
                loaded = load_run_benchmark(name, chosen, msgspec.structs.replace(config, benchmark=kept))
            except UsageError as error:
                key = _blamed(name, chosen, config, kept, needed)
                if key is None:
                    raise
                refusals.setdefault(key, error)
                notes.append(f"{key}={settings[key]} sets nothing of it")
                kept = {other: value for other, value in kept.items() if other != key}
    except (BadData, BadSetup) as error:
        used.update(settings)  # which of them it has cannot be told
        return SuiteEntry(line.title, line.rows, error)
    used.update(kept)
    return SuiteEntry(line.title, line.rows, BenchmarkRun(*loaded), tuple(notes))


def _is_wording(key: str, value: Any) -> bool:
    """True for words of a prompt, which every benchmark takes, and not only those that have prompts by name."""
    if key != "prompt":
        return False
    from earmark.engine.wording import find_wording  # noqa: PLC0415 - of few suites

    return find_wording(value, has_own=True) is not None


def _blamed(
    name: str, tasks: tuple[str, ...], config: ComposedConfig, kept: Mapping[str, Any], needed: frozenset[str]
) -> str | None:
    """The setting without which a benchmark can be loaded; None where it is no single one."""
    for key in kept.keys() - needed:
        rest = {other: value for other, value in kept.items() if other != key}
        try:
            load_run_benchmark(name, tasks, msgspec.structs.replace(config, benchmark=rest))
        except UsageError:
            continue
        return key
    return None


def _unknown(key: str, lines: Sequence[SuiteLine]) -> UsageError:
    names = [split_tasks(line.benchmark)[0] for line in lines]
    fields = [plugins.find_plugin("benchmarks", name).settings.__struct_fields__ for name in names]
    own = list(dict.fromkeys(field for each in fields for field in each))
    of_a_run = RunSettings.__struct_fields__
    listed = f"{', '.join(own) or 'none'} (of {', '.join(names)}), {', '.join(of_a_run)} (of a run)"
    known = () if renamed(key) else (*own, *of_a_run)
    return UsageError(f"no setting is called '{key}'{renamed(key)}{alternatives(key, known, listed)}")


def keep_tasks_with_data(entry: SuiteEntry) -> SuiteEntry:
    """The entry without the tasks whose data is not there, which a note says; as it is where no task or all have data.

    Benchmarks of many sets are often there in part: some languages, or some of hundreds of tasks.
    """
    if not isinstance(entry.run, BenchmarkRun) or len(entry.run.benchmark.tasks) < 2:
        return entry
    benchmark, config = entry.run
    missing = [task for task in benchmark.tasks if not _has_data(benchmark.name, task, config)]
    if len(missing) in (0, len(benchmark.tasks)):
        return entry
    rest = tuple(task for task in benchmark.tasks if task not in missing)
    shown = ", ".join(missing[:3]) + (f" and {len(missing) - 3} more" if len(missing) > 3 else "")
    note = f"no data for {len(missing)} of {len(benchmark.tasks)} tasks: {shown}"
    try:
        loaded = load_run_benchmark(benchmark.name, rest, config)
    except UsageError:  # of a setting that only the others have, such as a judge
        key = _blamed(benchmark.name, rest, config, config.benchmark, frozenset())
        kept = {name: value for name, value in config.benchmark.items() if name != key}
        loaded = load_run_benchmark(benchmark.name, rest, msgspec.structs.replace(config, benchmark=kept))
    return entry._replace(run=BenchmarkRun(*loaded), notes=(*entry.notes, note))


def _has_data(name: str, task: str, config: ComposedConfig) -> bool:
    places = {key: value for key, value in config.benchmark.items() if key in ("data", "layout")}
    try:
        load_run_benchmark(name, (task,), msgspec.structs.replace(config, benchmark=places))[0].files()
    except BadData:
        return False
    return True
