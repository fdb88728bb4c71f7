"""The settings behind a number, and what must stay the same for a run to be continued."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from earmark import __version__
from earmark.config.signature import signature_part
from earmark.data.cache import sha256_file
from earmark.data.regular import check_folder
from earmark.errors import BadData
from earmark.journal import METRICS_FILE, SIGNATURE_FILE
from earmark.plugins import plugin_file
from earmark.types import Benchmark, Capabilities


class RunSignature(Struct, frozen=True):
    """Signature of a run. A run may be resumed under an equal signature."""

    benchmark: dict[str, Any]  # name, version, tasks, settings
    model: dict[str, Any]  # name and every setting that can change an answer
    condition: list[str]
    repeats: int
    limit: int | None
    data: dict[str, str]  # SHA-256 of each file behind the benchmark, by its path below the data's root
    shard: str = ""  # of the items, such as 3/8; empty: all of them
    earmark: str = __version__
    format: int = 1
    working_folder: str = ""  # in which the run was begun: relative paths of clips start there; signs nothing
    capabilities: Capabilities | None = None  # inputs that the model takes; signs nothing
    revisions: dict[
        str, str
    ] = {}  # commit of each repository of the data, where it is known; `data` tells if it differs
    plugins: dict[str, str] = {}  # SHA-256 of each plug-in that was given by its path, by its file name


class _FinishedFlag(Struct, frozen=True):
    """As much of metrics.json as tells that."""

    finished: bool = False


def make_signature(  # noqa: PLR0913 - each is a part of it
    benchmark: Benchmark,
    model: Mapping[str, Any],
    condition: list[str],
    repeats: int,
    limit: int | None,
    shard: str = "",
    *,
    capabilities: Capabilities | None = None,
) -> RunSignature:
    """The signature of a run that is about to begin."""
    described = {
        "name": benchmark.name,
        "version": benchmark.version,
        "tasks": list(benchmark.tasks),
        "settings": dict(benchmark.settings),
    }
    try:
        data = data_digests(benchmark.files(), benchmark.data_root)
    except OSError as error:
        raise BadData(f"{error.filename}: cannot be read ({error.strerror})") from error
    begun_in = str(Path.cwd())
    names = (benchmark.name, *condition, *backends_of(model))
    signature = RunSignature(
        described,
        dict(model),
        condition,
        repeats,
        limit,
        data,
        shard,
        working_folder=begun_in,
        capabilities=capabilities,
        revisions=dict(benchmark.revisions()),
        plugins={file.path.name: file.digest for name in names if (file := plugin_file(name))},
    )
    return msgspec.json.decode(msgspec.json.encode(signature), type=RunSignature)  # as it will be read back


def backends_of(model: Any) -> Iterator[str]:
    """The backends of a model and of its parts."""
    if isinstance(model, Mapping):
        yield from (str(model["backend"]),) if "backend" in model else ()
    parts = model.values() if isinstance(model, Mapping) else model if isinstance(model, list | tuple) else ()
    for part in parts:
        yield from backends_of(part)


def data_digests(files: Sequence[str], root: str = "") -> dict[str, str]:
    """SHA-256 of files by their path below the data's root; without one by the last parts that tell them apart."""
    paths = [Path(file) for file in files]
    if root and all(path.is_relative_to(root) for path in paths):
        return {path.relative_to(root).as_posix(): sha256_file(path) for path in paths}
    distinct = len({*paths})
    longest = max((len(path.parts) for path in paths), default=0)
    n_parts = next((n for n in range(2, longest) if len({path.parts[-n:] for path in paths}) == distinct), longest)
    return {"/".join(path.parts[-n_parts:]): sha256_file(path) for path in paths}


def find_unchanged_files(before: RunSignature, now: RunSignature, files: Sequence[str]) -> set[str]:
    """Paths of the files behind a benchmark whose signed digests are what they were."""
    if len(files) != len(now.data):  # some are named twice
        return set()
    names = zip(files, now.data.items(), strict=True)
    return {path for path, (name, digest) in names if before.data.get(name) == digest}


def is_finished(folder: Path) -> bool:
    """True if nothing is left to ask."""
    path = folder / METRICS_FILE
    try:
        return path.exists() and msgspec.json.decode(path.read_bytes(), type=_FinishedFlag).finished
    except msgspec.DecodeError:  # it is derived: a broken one is as good as none
        return False


def load_signature(folder: Path) -> RunSignature:
    """Load the signature of a run. Raises BadData if the folder is no run, or holds links out of it."""
    path = folder / SIGNATURE_FILE
    check_folder(folder)
    try:
        return msgspec.json.decode(path.read_bytes(), type=RunSignature)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise BadData(
            f"{folder}: is no run, it has no {SIGNATURE_FILE}; give a folder such as "
            "results/MODEL/BENCHMARK/2026-01-31_12-00-00"
        ) from error
    except msgspec.DecodeError as error:
        raise BadData(f"{path}: cannot be read ({error}); restore it from a copy") from error


def _identity(signature: RunSignature) -> tuple[str, str, str]:
    """Model, benchmark and shard of a run."""
    return signature.model["name"], signature.benchmark["name"], signature.shard


def is_alike(before: RunSignature, signature: RunSignature) -> bool:
    """True if a run of one signature may go on under another: all but versions and digests of data are equal."""
    if before.model.get("backend") == signature.model.get("backend"):  # an older version signed more of a model
        before = msgspec.structs.replace(before, model=signature_part(before.model))
    return replace_versions(before) == replace_versions(signature)


def replace_versions(signature: RunSignature) -> RunSignature:
    """A signature without what may differ between two sittings of one run: the digests of data are checked by item."""
    data = dict.fromkeys(signature.data, "")
    return msgspec.structs.replace(signature, data=data, earmark="", working_folder="", capabilities=None, revisions={})
