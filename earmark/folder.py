"""A run on disk: where it lies, what signs it, and whether one that was begun can go on.

results/<model>/<benchmark>/<YYYY-MM-DD_HH-MM-SS>/      (`place` may have it otherwise)
  config.yaml        the settings as composed, without secrets
  run.json           what signs the numbers; written once, compared when a run goes on
  responses.jsonl    the journal: what cost money
  scores.jsonl metrics.json summary.csv samples/     derived; deleting them costs nothing but a judge's calls
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import Any

import filelock
import msgspec
from msgspec import Struct

from earmark import __version__
from earmark.data.cache import digest, write
from earmark.data.names import safe_name
from earmark.errors import BadData, RunMismatch, UsageError
from earmark.signature import differences
from earmark.types import Benchmark

JOURNAL, SIGNED, METRICS, SCORES = "responses.jsonl", "run.json", "metrics.json", "scores.jsonl"
AUDIOGRAM = "audiogram"  # what is signed as the benchmark of runs whose trials depend on the answers


class Signed(Struct, frozen=True):
    """What signs the numbers of a run. Two runs that sign alike may be continued by each other."""

    benchmark: dict[str, Any]  # name, version, tasks, settings
    model: dict[str, Any]  # name and every setting that can change an answer
    condition: list[str]
    repeats: int
    limit: int | None
    data: dict[str, str]  # SHA-256 of each file behind the benchmark
    earmark: str = __version__
    format: int = 1


class _Ended(Struct, frozen=True):
    """As much of metrics.json as tells that."""

    finished: bool = False


def sign(
    benchmark: Benchmark, model: Mapping[str, Any], condition: list[str], repeats: int, limit: int | None
) -> Signed:
    """The signature of a run that is about to begin."""
    described = {
        "name": benchmark.name,
        "version": benchmark.version,
        "tasks": list(benchmark.tasks),
        "settings": dict(benchmark.settings),
    }
    try:
        data = {f"{Path(file).parent.name}/{Path(file).name}": digest(file) for file in benchmark.files()}
    except OSError as error:
        raise BadData(f"{error.filename}: cannot be read ({error.strerror})") from error
    told = Signed(described, dict(model), condition, repeats, limit, data)
    return msgspec.json.decode(msgspec.json.encode(told), type=Signed)  # as it will be read back


def place(results: str, template: str, model: str, benchmark: str) -> Path:
    """Where the runs of a model on a benchmark lie. Raises UsageError for a template that names anything else.

    >>> place("results", "{model}/{benchmark}", "org/m", "listen").parts[-1]
    'listen'
    """
    names = {"model": safe_name(model), "benchmark": safe_name(benchmark)}
    try:
        return Path(results).expanduser() / template.format_map(names)
    except (KeyError, ValueError, IndexError) as error:
        raise UsageError(f"place={template}: expected a folder such as {{model}}/{{benchmark}}") from error


def runs(results: str | Path) -> list[Path]:
    """Every run under a folder, the newest last; none that is still being imported."""
    found = (path.parent for path in Path(results).rglob(SIGNED))
    whole = (run for run in found if not any(part.startswith(".") for part in run.relative_to(results).parts))
    return sorted(whole, key=lambda folder: (folder.name, str(folder)))


def finished(folder: Path) -> bool:
    """Whether nothing is left to ask."""
    path = folder / METRICS
    try:
        return path.exists() and msgspec.json.decode(path.read_bytes(), type=_Ended).finished
    except msgspec.DecodeError:  # it is derived: a broken one is as good as none
        return False


def signed(folder: Path) -> Signed:
    """What signs a run. Raises BadData for a folder that is none."""
    path = folder / SIGNED
    try:
        return msgspec.json.decode(path.read_bytes(), type=Signed)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise BadData(
            f"{folder}: is no run, it has no {SIGNED}; give a folder such as results/MODEL/BENCHMARK/2026-01-31_12-00-00"
        ) from error
    except msgspec.DecodeError as error:
        raise BadData(f"{path}: cannot be read ({error}); restore it from a copy") from error


def begun(where: Path, now: Signed, say: Callable[[str], None] = lambda _: None) -> Path | None:
    """The newest unfinished run in a folder that signs alike; None if there is none.

    One whose data are the same too goes first. Unfinished runs of other settings lie beside it untouched; where there
    is nothing else, it is said what differs in the newest of the same model and benchmark. With a `place` of their own,
    runs of other models and benchmarks may lie in one folder.
    """
    there = [folder for folder in sorted(where.glob("*")) if (folder / SIGNED).exists() and not finished(folder)]
    unfinished = [folder for folder in there if _about(signed(folder)) == _about(now)]
    alike = [run for run in unfinished if replace_versions(signed(run)) == replace_versions(now)]
    if alike:
        return ([run for run in alike if signed(run).data == now.data] or alike)[-1]
    if unfinished:
        before, after = (msgspec.to_builtins(replace_versions(each)) for each in (signed(unfinished[-1]), now))
        changed = differences(before, after)
        more = f" and {len(changed) - 5} more" if len(changed) > 5 else ""
        say(
            f"{unfinished[-1]} is unfinished, of other settings ({'; '.join(changed[:5])}{more}), and stays as it is: "
            "a new run begins beside it"
        )
    return None


def _about(signed: Signed) -> tuple[str, str]:
    """Whose run it is, and of what."""
    return signed.model["name"], signed.benchmark["name"]


def replace_versions(signed: Signed) -> Signed:
    """A signature without what may differ between two sittings of one run: the digests of data are checked by item."""
    return msgspec.structs.replace(signed, data=dict.fromkeys(signed.data, ""), earmark="")


def check_data(run: Path, now: Signed) -> None:
    """Raise RunMismatch if a file behind the benchmark has changed; answered items have been compared one by one before."""
    changed = differences(signed(run).data, now.data)
    if changed:
        raise RunMismatch(
            f"{run} is unfinished and its data has changed since (though no answered item): {'; '.join(changed)}. Put the data back to finish it, or add resume=false to start anew beside it"
        )


def create(where: Path, now: Signed, config: str) -> Path:
    """A folder for a new run, named by the time."""
    folder = _named(where)
    (folder / "config.yaml").write_text(config, encoding="utf-8")
    write(folder / SIGNED, msgspec.json.format(msgspec.json.encode(now)))
    return folder


def settle(built: Path, where: Path) -> Path:
    """Put a run that is whole among the others of its place. Until it is there, the folder is no run."""
    folder = _named(where)
    for path in sorted(built.iterdir(), key=lambda path: path.name == SIGNED):
        shutil.move(path, folder / path.name)
    return folder


def _named(where: Path) -> Path:
    """A new folder, named by the time."""
    moment = datetime.now().astimezone().strftime("%Y-%m-%d_%H-%M-%S")
    where.mkdir(parents=True, exist_ok=True)
    names = (f"{moment}.{number}" if number > 1 else moment for number in count(1))  # of several runs within a second
    return next(made for name in names if (made := _made(where / name)))


def _made(folder: Path) -> Path | None:
    """A folder that was not there, or None: another process may make one of the same name at the same time."""
    try:
        folder.mkdir()
    except FileExistsError:
        return None
    return folder


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """One writer a run: a second one is refused, not made to wait."""
    lock = filelock.FileLock(folder / ".lock")
    try:
        lock.acquire(timeout=0)
    except filelock.Timeout as error:
        raise RunMismatch(
            f"{folder} is being written by another process; wait for it, or give another results=FOLDER"
        ) from error
    try:
        yield
    finally:
        lock.release()
