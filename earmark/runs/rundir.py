"""A run on disk: where it lies, what signs it, and whether one that was begun can go on.

results/<model>/<benchmark>/<YYYY-MM-DD_HH-MM-SS>/      (`model_dir` may have it otherwise)
  config.yaml        the settings as composed, without secrets
  run.json           what signs the numbers; written once, compared when a run goes on
  responses.jsonl    the journal: what cost money
  scores.jsonl metrics.json summary.csv samples/     derived; deleting them costs nothing but a judge's calls
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import Final

import filelock
import msgspec

from earmark.data.cache import atomic_write
from earmark.data.differences import differences
from earmark.data.names import safe_name
from earmark.data.regular import check_folder
from earmark.errors import BadData, RunMismatch, UsageError
from earmark.journal import CONFIG_FILE, SIGNATURE_FILE
from earmark.runs.signature import RunSignature, _identity, is_alike, is_finished, load_signature, replace_versions
from earmark.runs.trust import trust_new_run

TIMESTAMP: Final = re.compile(r"\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d(\.\d+)?")  # name of a run folder
NO_LOCKS: Final = frozenset({errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOTSUP})
TIME = "{time}"
AUDIOGRAM_NAME = "audiogram"  # what is signed as the benchmark of runs whose trials depend on the answers


def model_dir(results: str, template: str, model: str, benchmark: str, **more: str) -> Path:
    """Folder of the runs of a model on a benchmark; where its last part has {time}, that of one run, by its time.

    `more` are further fields of the template: task, backend, seed. Raises UsageError for one with unknown fields.

    >>> model_dir("results", "{model}/{benchmark}", "org/m", "listen").parts[-1]
    'listen'
    >>> model_dir("results", "{model}-{task}-{time}", "m", "acousticbench", task="rad").name
    'm-rad-{time}'
    """
    names = {name: safe_name(value) for name, value in {"model": model, "benchmark": benchmark, **more}.items()}
    try:
        folder = Path(results).expanduser() / template.format_map(names | {"time": TIME})
    except (KeyError, ValueError, IndexError) as error:
        fields = ", ".join(f"{{{name}}}" for name in (*names, "time"))
        raise UsageError(
            f"output_dir={template}: expected a folder such as {{model}}/{{benchmark}}; there are: {fields}"
        ) from error
    if any(TIME in part for part in folder.parts[:-1]):
        raise UsageError(f"output_dir={template}: {{time}} may stand in the last folder only, that of the run")
    return folder


def _collection(place: Path) -> Path:
    """The folder that holds the runs of a place."""
    return place.parent if TIME in place.name else place


def find_runs(results: str | Path) -> list[Path]:
    """Every run under a folder, the newest last; none that is still being imported."""
    folders = (path.parent for path in Path(results).rglob(SIGNATURE_FILE))
    whole = (run for run in folders if not any(part.startswith(".") for part in run.relative_to(results).parts))
    return sorted(whole, key=lambda folder: (folder.name, str(folder)))


def find_unfinished(parent: Path, signature: RunSignature, log: Callable[[str], None] = lambda _: None) -> Path | None:
    """The newest unfinished run in a folder that signs alike; None if there is none.

    One whose data are the same too goes first. Unfinished runs of other settings lie beside it untouched; where there
    is nothing else, it is said what differs in the newest of the same model and benchmark. With a `model_dir` of their
    own, runs of other models and benchmarks may lie in one folder.
    """
    candidates = [
        folder
        for folder in sorted(_collection(parent).glob("*"))
        if (folder / SIGNATURE_FILE).exists() and not is_finished(folder)
    ]
    unfinished = [folder for folder in candidates if _identity(load_signature(folder)) == _identity(signature)]
    alike = [run for run in unfinished if is_alike(load_signature(run), signature)]
    if alike:
        return ([run for run in alike if load_signature(run).data == signature.data] or alike)[-1]
    if unfinished:
        before, after = (
            msgspec.to_builtins(replace_versions(each)) for each in (load_signature(unfinished[-1]), signature)
        )
        changed = differences(before, after)
        more = f" and {len(changed) - 5} more" if len(changed) > 5 else ""
        log(
            f"{unfinished[-1]} is unfinished, of other settings ({'; '.join(changed[:5])}{more}), and stays as it is: "
            "a new run begins beside it"
        )
    return None


def find_finished(parent: Path, signature: RunSignature) -> Path | None:
    """The newest finished run in a folder that signs alike, its data included; None if there is none."""
    for folder in sorted(parent.glob("*"), reverse=True):
        if (folder / SIGNATURE_FILE).exists() and is_finished(folder):
            found = load_signature(folder)
            if found.data == signature.data and replace_versions(found) == replace_versions(signature):
                return folder
    return None


def check_data(run: Path, signature: RunSignature) -> None:
    """Raise RunMismatch if a file behind the benchmark has changed; answered items have been compared one by one
    before.
    """
    changed = differences(load_signature(run).data, signature.data)
    if changed:
        raise RunMismatch(
            f"{run} is unfinished and its data has changed since (though no answered item): {'; '.join(changed)}. Put "
            "the data back to finish it, or add resume=false to start anew beside it"
        )


def create_rundir(parent: Path, signature: RunSignature, config: str) -> Path:
    """A folder for a new run, named by the time; what killed commands left beside it is removed."""
    remove_leftovers(parent)
    while True:
        folder = _timestamp_dir(parent)
        try:
            with lock(folder):
                if (folder / SIGNATURE_FILE).exists():  # removed as a leftover, and made anew by another process
                    continue
                write_description(folder, signature, config)
        except (FileNotFoundError, RunMismatch):  # taken for a leftover before it was locked
            continue
        trust_new_run(folder)
        return folder


def write_description(folder: Path, signature: RunSignature, config: str) -> None:
    """Write the two files that describe a run; from the second on, the folder is one."""
    atomic_write(folder / CONFIG_FILE, config.encode())
    atomic_write(folder / SIGNATURE_FILE, msgspec.json.format(msgspec.json.encode(signature)))


def publish(built: Path, parent: Path) -> Path:
    """Put a run that is whole among the others of its place, by one rename."""
    while True:
        folder = _timestamp_dir(parent)
        try:
            built.rename(folder)  # in place of the empty folder
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise
            continue
        trust_new_run(folder)
        return folder


def remove_leftovers(parent: Path) -> None:
    """Remove the folders of runs whose description was never whole, as a killed command leaves them."""
    for folder in _collection(parent).glob("*"):
        names = {path.name for path in folder.iterdir()} if _is_named_by_time(folder) else {SIGNATURE_FILE}
        begun = {name for name in names if name == CONFIG_FILE or name.endswith(".part")}
        if names - begun - {".lock"}:
            continue
        try:
            with lock(folder):
                if not (folder / SIGNATURE_FILE).exists():
                    shutil.rmtree(folder)
        except (OSError, RunMismatch, BadData):  # being made by another process, or no folder of ours
            continue


def _is_named_by_time(folder: Path) -> bool:
    return bool(TIMESTAMP.search(folder.name)) and folder.is_dir() and not folder.is_symlink()


def _timestamp_dir(parent: Path) -> Path:
    """A new folder, named by the time."""
    moment = datetime.now().astimezone().strftime("%Y-%m-%d_%H-%M-%S")
    _collection(parent).mkdir(parents=True, exist_ok=True)
    first = parent.name.replace(TIME, moment) if TIME in parent.name else moment
    names = (f"{first}.{number}" if number > 1 else first for number in count(1))  # of several runs within a second
    return next(made for name in names if (made := _try_mkdir(_collection(parent) / name)))


def _try_mkdir(folder: Path) -> Path | None:
    """A folder that was not there, or None: another process may make one of the same name at the same time."""
    try:
        folder.mkdir()
    except FileExistsError:
        return None
    return folder


@contextmanager
def lock(folder: Path) -> Iterator[None]:
    """One writer a run: a second one is refused, not made to wait. Raises BadData where the folder holds links, or its
    file system has no locks.
    """
    check_folder(folder, writing=True)
    with hold_lock(folder / ".lock", f"{folder} is being written by another process"):
        yield


@contextmanager
def hold_lock(path: Path, busy: str) -> Iterator[None]:
    """Hold the lock of a file. Raises RunMismatch where another process holds it, and FileNotFoundError without a
    folder.
    """
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path.parent))
    lock = filelock.FileLock(path)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a file system without flock, where filelock falls back to a file
            lock.acquire(timeout=0)
    except filelock.Timeout as error:
        raise RunMismatch(f"{busy}; wait for it, or give another results=FOLDER") from error
    except NotImplementedError as error:
        raise _no_locks(path) from error
    except OSError as error:
        if error.errno in NO_LOCKS:
            raise _no_locks(path) from error
        raise
    try:
        yield
    finally:
        lock.release()


def _no_locks(path: Path) -> BadData:
    return BadData(
        f"{path.parent}: its file system gives no locks, as NFS without a lock service; start that service, or give "
        "results=FOLDER on another file system"
    )
